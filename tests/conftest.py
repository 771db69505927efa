"""What every room may use: a PostgreSQL, and a real disk of 24 MiB where this machine lets root mount one.

And what every room must put back: a program that is run inside the tests' own process makes its files private.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.link.server import Server, programs

SIZE_MIB = 24


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
