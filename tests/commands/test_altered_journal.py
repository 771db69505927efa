"""What a journal does not hold as it was committed is used by no command that makes an account of it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.web.journals import JournalRefused, Journals
from tests.core.journals import HERE, journal_of
from tests.core.rig import Rig, penn

ACCOUNTS = {
    "export": (1, ("export", "--events", "JOURNAL")),
    "export --rows": (1, ("export", "--rows", "wagers", "JOURNAL")),
    "report": (1, ("report", "JOURNAL")),
    "report --json": (1, ("report", "JOURNAL", "--json")),
    "rounds": (2, ("rounds", "JOURNAL")),
    "round": (2, ("round", "JOURNAL", "1")),
    "alerts": (2, ("alerts", "JOURNAL")),
    "meters": (2, ("meters", "JOURNAL")),
}
"""Each with the status by which it says that the journal is damaged."""


@pytest.fixture(scope="module")
def altered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal in which a wager that won $25 is said to have won $15: one digit."""
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 25\nkey no_more_bets\nTh 7d Qs Td\nkey stand hole_turned\n1 main 50\n1 main 0\nkey round_closed")
    path = journal_of(rig, tmp_path_factory.mktemp("altered") / "journal.sqlite")
    with sqlite3.connect(path) as file:
        triggers = file.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'events'"
        ).fetchall()
        for (name,) in triggers:
            file.execute(f"DROP TRIGGER {name}")
        (seq, body) = file.execute("SELECT seq, body FROM events WHERE instr(body, 'wager_settled') > 0").fetchone()
        other = body.replace(b'"net_cents":2500', b'"net_cents":1500')
        assert other != body
        file.execute("UPDATE events SET body = ? WHERE seq = ?", (other, seq))
    return path


@pytest.mark.parametrize("name", ACCOUNTS)
def test_one_altered_digit_is_damage_and_no_account(name: str, altered: Path) -> None:
    status, words = ACCOUNTS[name]
    done = CliRunner().invoke(main, [str(altered) if word == "JOURNAL" else word for word in words])
    assert done.exit_code == status, done.output
    assert done.stderr.startswith(f"tableside: {altered}: record ")
    assert done.stderr.endswith(f" or its events are not what was committed; run: tableside verify {altered}\n")
    assert "15.00" not in done.stdout


async def test_nor_do_the_pages_show_it(altered: Path) -> None:
    with pytest.raises(JournalRefused, match="its events are not what was committed"):
        await Journals([altered]).course(HERE, 1)
