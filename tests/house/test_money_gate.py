"""The gate of ``make money``: it refuses a branch that no test runs, and it watches everything that settles."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).parents[2]
CORE: Final = ROOT / "controller" / "core"

SETTLES: Final = re.compile(r"\b(Net|SideNet|WagerSettled|WagerAdjusted)\(")
"""What a module does that says what a wager comes to, or publishes it."""

NOT_WATCHED: Final = {
    "ledger": "reads settlements that were published",
    "events": "names what is published",
    "corrections": "people's corrections, taken as they are given",
    "orders": "people's rulings on awards; nine branches in ten are run by tests/progressive, not all",
    "payment_check": "reads settlements that were published, for the check of payments",
    "unread_cards": "joins what dues found for each reading of an unread card",
}
"""Modules of the core in which such a thing is written and that are not held to every branch, and why not."""

BET: Final = '''"""A planted side wager."""


def net_cents(won: bool, stake_cents: int) -> int:
    """What it comes to."""
    if won:
        return 2 * stake_cents
    return -stake_cents
'''

UNREACHABLE: Final = '''"""A planted match over a closed union."""

from typing import Literal, assert_never


def net_cents(how: Literal["won", "lost"]) -> int:
    """What it comes to."""
    match how:
        case "won":
            return 1
        case "lost":
            return -1
        case _:
            assert_never(how)
'''


def settings() -> dict[str, Any]:
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return dict(whole["tool"]["coverage"])


def watched() -> set[Path]:
    return {path for pattern in settings()["run"]["include"] for path in ROOT.glob(pattern)}


def measured(place: Path, source: str, driver: str) -> tuple[int, str]:
    """A planted module under the project's own settings, run by ``driver``; the report's exit status and words."""
    bets = place / "controller" / "core" / "game" / "side_bets"
    bets.mkdir(parents=True)
    for package in (bets, *list(bets.parents)[:3]):
        (package / "__init__.py").touch()
    (bets / "planted.py").write_text(source, encoding="utf-8")
    (place / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    (place / "drive.py").write_text(
        f"from controller.core.game.side_bets.planted import net_cents\n{driver}", encoding="utf-8"
    )
    coverage = [sys.executable, "-m", "coverage"]
    subprocess.run([*coverage, "run", "drive.py"], cwd=place, check=True)
    report = subprocess.run([*coverage, "report"], cwd=place, check=False, capture_output=True, text=True)
    return report.returncode, report.stdout


def test_a_branch_no_test_runs_is_refused(tmp_path: Path) -> None:
    status, output = measured(tmp_path, BET, "assert net_cents(True, 500) == 1000\n")
    assert (status, "planted.py" in output, "Coverage failure" in output) == (2, True, True), output


def test_a_branch_that_is_only_fallen_through_is_refused(tmp_path: Path) -> None:
    """Every line runs; that the wager may be lost does not."""
    source = BET.replace(
        "    if won:\n        return 2 * stake_cents\n    return", "    if won:\n        stake_cents *= -2\n    return"
    )
    status, output = measured(tmp_path, source, "assert net_cents(True, 500) == 1000\n")
    assert (status, "planted.py" in output, "5->7" in output or "6->8" in output) == (2, True, True), output


@pytest.mark.parametrize(
    ("source", "driver"),
    [
        (BET, "assert (net_cents(True, 500), net_cents(False, 500)) == (1000, -500)\n"),
        (UNREACHABLE, "assert (net_cents('won'), net_cents('lost')) == (1, -1)\n"),
    ],
)
def test_code_whose_branches_all_run_passes(tmp_path: Path, source: str, driver: str) -> None:
    status, output = measured(tmp_path, source, driver)
    assert status == 0, output


def test_every_module_of_the_core_that_settles_is_watched_or_excused_by_name() -> None:
    settling = {path.stem for path in CORE.rglob("*.py") if SETTLES.search(path.read_text(encoding="utf-8"))}
    unheard_of = settling - {path.stem for path in watched()} - NOT_WATCHED.keys()
    assert not unheard_of, "list it in [tool.coverage.run] of pyproject.toml, or in NOT_WATCHED with the reason"
    assert NOT_WATCHED.keys() <= settling
    assert set((CORE / "game" / "side_bets").glob("*.py")) <= watched()


def test_every_pattern_names_something() -> None:
    assert [pattern for pattern in settings()["run"]["include"] if not list(ROOT.glob(pattern))] == []


def test_no_line_of_what_is_watched_is_excused_by_a_comment() -> None:
    assert [path.name for path in watched() if "pragma" in path.read_text(encoding="utf-8")] == []
    assert settings()["report"]["fail_under"] == 100
