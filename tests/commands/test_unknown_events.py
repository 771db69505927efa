"""A journal of a later version has events that this one does not know: every account says so in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.formats.journal.records import Identity
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalEntry
from tests.journal_key import KEY

EVENT = (
    b'{"specversion":"1.0","id":"harbour/bj-1/3/1","source":"/harbour/bj-1","type":"tableside.of_tomorrow.v1",'
    b'"time":"2026-11-28T00:32:38.070365Z","datacontenttype":"application/json","epoch":3,"seq":1,"data":{}}'
)
ACCOUNTS = {
    "export --rows": ("export", "--rows", "wagers", "JOURNAL"),
    "report": ("report", "JOURNAL"),
    "report --json": ("report", "--json", "JOURNAL"),
    "rounds": ("rounds", "JOURNAL"),
    "meters": ("meters", "JOURNAL"),
}


@pytest.fixture
async def journal(tmp_path: Path) -> Path:
    path = tmp_path / "journal.sqlite"
    written = await Journal.open(path, Identity("harbour", "bj-1", 3), key=KEY)
    await written.commit([JournalEntry(1, b"record", ((1, EVENT),))])
    await written.close()
    return path


@pytest.mark.parametrize("name", ACCOUNTS)
def test_an_event_that_is_not_known_is_one_line_and_no_account(name: str, journal: Path) -> None:
    done = CliRunner().invoke(main, [str(journal) if word == "JOURNAL" else word for word in ACCOUNTS[name]])
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    assert (done.stderr.startswith("tableside: "), done.stderr.count("\n")) == (True, 1), done.stderr
    assert "not an event: Invalid value 'of_tomorrow'" in done.stderr
