"""Extras: an upgrade keeps those that were installed, and a command that lacks one says what brings it here."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Final

import pytest

from controller.io.files.extras import how_to_get

ROOT: Final = Path(__file__).resolve().parents[2]
METADATA: Final = """\
Metadata-Version: 2.4
Name: {name}
Version: 1.0
"""
WANTS: Final = """\
Requires-Dist: click<9,>=8.4
Provides-Extra: screen
Requires-Dist: rich<16,>=14; extra == 'screen'
Provides-Extra: report
Requires-Dist: jinja2<4,>=3.1; extra == 'report'
Requires-Dist: matplotlib<4,>=3.9; extra == 'report'
Provides-Extra: metrics
Requires-Dist: Prometheus_Client<1,>=0.22; extra == 'metrics'
Provides-Extra: test
Requires-Dist: rich<16,>=14; extra == 'test'
"""


def environment(folder: Path, *libraries: str) -> Path:
    """An environment in which the program and some libraries are installed, as far as their metadata go."""
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python3*/site-packages")
    for name in ("tableside", *libraries):
        of = packages / f"{name}-1.0.dist-info"
        of.mkdir()
        (of / "METADATA").write_text(METADATA.format(name=name) + (WANTS if name == "tableside" else ""))
    return folder


def extras_of(folder: Path) -> str:
    script = f". {ROOT}/install/python.sh && extras_of {folder}"
    done = subprocess.run(["sh", "-euc", script], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.strip()


def test_a_release_says_which_extras_it_has_whole(tmp_path: Path) -> None:
    assert extras_of(environment(tmp_path / "none")) == ""
    # Of the report's two libraries one may have come with something else.
    assert extras_of(environment(tmp_path / "half", "rich", "jinja2")) == "screen"
    assert extras_of(environment(tmp_path / "all", "rich", "jinja2", "matplotlib", "prometheus_client")) == (
        "metrics report screen"
    )
    assert extras_of(tmp_path / "nowhere") == ""


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ([], "install/wheels build/wheels metrics screen"),
        (["WITH=web"], "install/wheels build/wheels metrics screen web"),
        (["WITH=screen web"], "install/wheels build/wheels metrics screen web"),
        (["WITHOUT=metrics"], "install/wheels build/wheels screen"),
    ],
)
def test_setting_up_again_keeps_the_extras_that_are_there(tmp_path: Path, given: list[str], made: str) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copytree(ROOT / "install", tmp_path / "install")
    environment(tmp_path / "current", "rich", "prometheus_client")
    # Under another make it would name the folder first.
    command = ["make", "--no-print-directory", "-n"]
    done = subprocess.run([*command, *given, "setup"], cwd=tmp_path, capture_output=True, text=True, check=True)
    first, then = done.stdout.splitlines()
    assert first == made
    left_out = next((one.removeprefix("WITHOUT=") for one in given if one.startswith("WITHOUT=")), "")
    assert then == f"WITHOUT='{left_out}' build/wheels/install ."
    # Wheels for another PC have what was asked for, whatever is installed here.
    wheels = subprocess.run([*command, "wheels"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert wheels.stdout.strip() == "install/wheels build/wheels"


def test_a_command_that_lacks_an_extra_says_what_brings_it_to_this_installation(tmp_path: Path) -> None:
    release, nowhere = tmp_path / "opt/releases/0.1.0-abc", tmp_path / "nowhere"
    release.mkdir(parents=True)
    (release / "complete").touch()

    def advice(environment: Path, *, packaged: Path = nowhere, checkout: Path = nowhere) -> str:
        return how_to_get("screen", environment=environment, packaged=packaged, checkout=checkout)

    wheels = "in the repository run: make wheels WITH=screen (with your other extras), and install that here"
    assert advice(release) == wheels
    assert advice(release, packaged=tmp_path) == wheels.replace("make wheels", "make deb")
    (tmp_path / "opt/Makefile").touch()
    assert advice(release, packaged=tmp_path) == f"run: cd {tmp_path}/opt && make setup WITH=screen"
    python = f"{tmp_path}/.venv/bin/python"
    assert advice(tmp_path / ".venv", checkout=ROOT) == f"run: {python} -m pip install -e '{ROOT}[screen]'"
    assert advice(tmp_path / ".venv") == f"run: {python} -m pip install '/path/to/the/repository[screen]'"
    assert how_to_get("web") == f"run: {sys.prefix}/bin/python -m pip install -e '{ROOT}[web]'"
