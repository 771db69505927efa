"""``tableside report``: the account of a shift."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import click
import msgspec

from controller.commands.par import Shuffled
from controller.commands.terminal import say, say_text
from controller.core.events import TableStarted
from controller.core.inputs import Started
from controller.core.main_par import simulate_pairs
from controller.core.rules import Rules
from controller.core.theory import theories
from controller.formats.payloads import Published, own_event
from controller.formats.records import RecordDamaged, unseal
from controller.formats.shift import Shift, shift_of
from controller.formats.shift_text import shift_text
from controller.formats.takings import takings
from controller.io.journal import JournalDamaged, JournalReader, NotAJournal
from controller.io.shift_page import NoPages, shift_page

MOST_ROUNDS: Final = 10_000_000


@click.command("report")
@click.argument("journal", type=click.Path(path_type=Path))
@click.option("--since", metavar="UTC", default="", help="Events from this time on, such as 2026-11-21T18:00.")
@click.option("--until", metavar="UTC", default="", help="Events before this time.")
@click.option("--html", "page", type=click.Path(dir_okay=False, path_type=Path), help="Also write a page with plots.")
@click.option("--json", "as_json", is_flag=True, help="The account as JSON instead of text.")
@click.option(
    "--rounds",
    type=click.IntRange(2, MOST_ROUNDS),
    default=20_000,
    show_default=True,
    help="Rounds simulated for what the main wager should take.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed deals the same rounds.")
def command(*, journal: Path, since: str, until: str, page: Path | None, as_json: bool, rounds: int, seed: int) -> None:
    """Write what the table of JOURNAL took beside what its rules say, its pace, and what wanted attention.

    No key is needed, and the daemon may be running. Exit status: 0 written, 1 the journal is damaged, 2 there is no
    journal, nothing happened in that time, or the page cannot be written.
    """
    try:
        shift = _shift(journal, since, until, rounds, seed)
        if page is not None:
            page.write_text(shift_page(shift), encoding="utf-8")
    except (JournalDamaged, RecordDamaged) as error:
        _end(f"{journal}: damaged: {error}; run: tableside verify {journal}", 1)
    except (NotAJournal, NoPages, NothingHappened) as error:
        _end(str(error), 2)
    except OSError as error:
        _end(f"{page}: {error.strerror}", 2)
    say_text(msgspec.json.encode(shift) if as_json else shift_text(shift), nl=as_json)


class NothingHappened(Exception):  # noqa: N818 - named for what happened
    """There is nothing to tell."""


def _end(text: str, status: int) -> None:
    say(f"tableside: {text}", err=True)
    sys.exit(status)


def _shift(journal: Path, since: str, until: str, rounds: int, seed: int) -> Shift:
    with JournalReader(journal) as reader:
        told, rules = _read(reader, since, until)
    if not told or rules is None:
        raise NothingHappened(f"{journal}: no event in that time")
    found = theories(rules, simulate_pairs(rules, Shuffled(rules.decks, seed), rounds))
    return shift_of(told, takings(told), found)


def _read(reader: JournalReader, since: str, until: str) -> tuple[list[Published], Rules | None]:
    """What was told within that time, and the rules last in force."""
    told: list[Published] = []
    started: int | None = None
    for row in reader.events():
        one = own_event(row.body)
        if since <= one.time and (not until or one.time < until):
            told.append(one)
        if isinstance(one.event, TableStarted):
            started = row.number
    return told, None if started is None else _rules(reader, started)


def _rules(reader: JournalReader, number: int) -> Rules:
    """The rules a table started with, from the record of that number."""
    record = next(one for one in reader.records(number) if one.number == number)
    given = unseal(record.body, b"", {}, reader.identity).input
    assert isinstance(given, Started)
    return given.house.rules
