"""What stands around the code: the commands of the Makefile, the unit, the licence."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
UNIT: Final = ROOT / "systemd/tableside@.service"
ALLOWED_EXPOSURE_TENTHS: Final = 15
"""Of 100: what `systemd-analyze security` may at most say of the unit."""

needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")


def run(*command: str) -> tuple[int, str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def project() -> dict[str, object]:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert isinstance(table, dict)
    return table


def demo_line(*variables: str) -> str:
    """The command that `make demo` would run last."""
    status, output = run("make", "--dry-run", "demo", *variables)
    assert status == 0, output
    return " ".join(output[output.index(".venv/bin/tableside") :].replace("\\\n", " ").split())


def test_the_demo_runs_as_it_is() -> None:
    assert demo_line() == ".venv/bin/tableside demo"


@pytest.mark.parametrize(
    ("variable", "option"),
    [
        ("ROUNDS=3", "--rounds '3'"),
        ("SEED=7", "--seed '7'"),
        ("SPEED=20", "--speed '20'"),
        ("BOXES=2", "--boxes '2'"),
        ("KEYPAD=never", "--keypad 'never'"),
        ("PROFILE=borgata", "--profile 'borgata'"),
        ("BROKER=localhost:1883", "--broker 'localhost:1883'"),
        ("WEB=8090", "--web '8090'"),
    ],
)
def test_the_demo_is_passed_what_was_given(variable: str, option: str) -> None:
    assert demo_line(variable) == f".venv/bin/tableside demo {option}"


def test_every_target_is_explained() -> None:
    makefile = (ROOT / "Makefile").read_text()
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert phony is not None
    _, output = run("make", "help")
    explained = set(re.findall(r"^make ([\w-]+)", output, re.MULTILINE))
    assert explained == set(phony.group(1).split()) - {"help", "servers"}


def test_the_version_has_its_place_in_the_changelog() -> None:
    assert f"## [{project()['version']}]" in (ROOT / "CHANGELOG.md").read_text()


def test_the_licence_is_the_one_named() -> None:
    assert project()["license"] == "Apache-2.0"
    assert "Apache License\n                           Version 2.0, January 2004" in (ROOT / "LICENSE").read_text()


SCRIPTS: Final = tuple(
    path for folder in (".ci", "install") for path in sorted((ROOT / folder).iterdir()) if not path.suffix
)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_the_scripts_are_programs_and_stop_at_the_first_failure(script: Path) -> None:
    assert os.access(script, os.X_OK)
    assert re.search(r"^set -eu", script.read_text(), re.MULTILINE)


def exposure(unit: Path) -> tuple[int, str]:
    threshold = f"--threshold={ALLOWED_EXPOSURE_TENTHS}"
    return run("systemd-analyze", "security", "--offline=true", threshold, "--no-pager", str(unit))


@needs_systemd
def test_the_unit_exposes_little(tmp_path: Path) -> None:
    unit = tmp_path / "tableside@1.service"
    shutil.copy(UNIT, unit)
    status, output = exposure(unit)
    assert status == 0, output


@needs_systemd
def test_a_unit_that_exposes_more_is_refused(tmp_path: Path) -> None:
    unit = tmp_path / "tableside@1.service"
    unit.write_text(UNIT.read_text().replace("SystemCallFilter", "#SystemCallFilter"))
    status, _ = exposure(unit)
    assert status != 0


def complaints(unit: Path) -> list[str]:
    """What systemd does not understand of a unit; that the program is not installed here is no fault of the unit."""
    _, output = run("systemd-analyze", "verify", "--recursive-errors=no", str(unit))
    return [
        line for line in output.splitlines() if unit.name.partition("@")[0] in line and "not executable" not in line
    ]


@needs_systemd
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "tableside@1.service"
    shutil.copy(UNIT, unit)
    assert complaints(unit) == []


@needs_systemd
def test_a_misspelt_unit_is_refused(tmp_path: Path) -> None:
    unit = tmp_path / "tableside@1.service"
    unit.write_text(UNIT.read_text().replace("RestartSec=", "RestartSecs="))
    assert any("RestartSecs" in line for line in complaints(unit))
