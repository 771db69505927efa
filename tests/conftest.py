"""What every room may use: a PostgreSQL, and a real disk of 24 MiB where this machine lets root mount one.

And what every room must put back: a program that is run inside the tests' own process makes its files private, and sets
what is logged.
"""

from __future__ import annotations

import logging
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from hypothesis import settings

from tests.link.server import Server, programs

SIZE_MIB = 24

settings.register_profile("untimed", deadline=None)
# No test measures time: how long an example takes says how busy the machine is.
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--money-apart", default="", help="files and folders whose tests `make money` runs beside these")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what another run takes, once every test has its marks: no test of the gate of money is run twice."""
    apart = tuple(config.rootpath / place for place in config.getoption("--money-apart").split())

    def is_apart(item: pytest.Item) -> bool:
        chosen = not any(item.get_closest_marker(mark) for mark in ("counting", "hypothesis", "shared"))
        return chosen and any(item.path.is_relative_to(place) for place in apart)

    left_out = [item for item in items if is_apart(item)]
    if left_out:
        items[:] = [item for item in items if not is_apart(item)]
        config.hook.pytest_deselected(items=left_out)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE_MIB}m,mode=755", "none", str(place)]
    mounted = subprocess.run(command, check=False, capture_output=True)
    if mounted.returncode:
        pytest.skip(f"no disk may be mounted here: {mounted.stderr.decode().strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.fixture(autouse=True)
def files_as_before() -> Iterator[None]:
    """The tests' own umask again, whatever a program run among them set."""
    before = os.umask(0o022)
    os.umask(before)
    yield
    os.umask(before)


@pytest.fixture(autouse=True)
def log_as_before() -> Iterator[None]:
    """The tests' own log again: what a program or campaign run among them leaves out, others look for."""
    before, root = structlog.get_config(), logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    structlog.configure(**before)
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server]:
    """A PostgreSQL of the tests' own."""
    if programs() is None:
        pytest.skip("PostgreSQL is not installed (Debian: postgresql)")
    with tempfile.TemporaryDirectory(prefix="tableside-pg-") as name:
        server = Server(Path(name))
        server.start()
        try:
            yield server
        finally:
            server.stop()
