"""``tableside replay``: step every reading of a journal again and compare with what was recorded."""

from __future__ import annotations

import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final

import click

from controller import version
from controller.commands.journal_reader import way_to_verify
from controller.commands.suggestions import journals
from controller.commands.terminal import AS_JSON, progress, refuse, said_each_second, say, say_json

if TYPE_CHECKING:
    from controller.daemon.replay import ReplayResult

WITH_KEY: Final = (
    "--states: expected without --key; with the key a replay begins at the journal's own checkpoints, on all"
    " processors, and keeps nothing"
)
"""Said where nothing would be kept of what is stepped."""

OTHER_VERSION: Final = 3
"""The exit status where the difference may be that of two versions."""


@click.command("replay")
@click.argument("journal", type=click.Path(path_type=Path), shell_complete=journals)
@click.option(
    "--key",
    "key_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The table's key; without it, faces come from the openings in the journal.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="With the key: on so many processors, from checkpoint to checkpoint.  [default: all there are]",
)
@click.option("--last", type=click.IntRange(min=1), help="The last event's seq. Default: the last of the journal.")
@click.option(
    "--states",
    type=click.Path(file_okay=False, writable=True, path_type=Path),
    help="Without the key: a folder of yours, made if need be, for states from which the next replay goes on.",
)
@click.option("--progress", "is_said", is_flag=True, help="Say once a second how far it is, on standard error.")
@AS_JSON
def command(
    journal: Path,
    key_file: Path | None,
    jobs: int | None,
    last: int | None,
    states: Path | None,
    *,
    is_said: bool,
    as_json: bool,
) -> None:
    """Step every reading of JOURNAL again and compare the events with those recorded, byte by byte.

    With --last only as far as the record of that event; what it gives depends on every record before it. With --states
    it begins behind the records that an earlier replay stepped, if these are still as they were. States are kept 2,000
    records apart, so none of a short journal. Nobody else may write in that folder: trust it as you trust the program.

    Exit status: 0 the same, 1 something differs, 2 the journal or the key cannot be used, 3 something differs from the
    events of another version of the program.
    """
    from controller.daemon.kept_states import StatesFolder
    from controller.daemon.replay import replay
    from controller.formats.journal.records import RecordDamaged, key_mark
    from controller.io.files.key_file import KeyFileRefused, read_key
    from controller.io.journal.errors import JournalDamaged, NotAJournal
    from controller.io.journal.reader import JournalReader
    from controller.io.system.processes import processors

    if states is not None and key_file is not None:
        refuse(WITH_KEY)
    try:
        key = read_key(key_file) if key_file is not None else None
        with JournalReader(journal) as reader:
            if key is not None and reader.meta.get("key", key_mark(key)) != key_mark(key):
                refuse(f"{key_file}: {journal} is sealed with another key; give that one: --key FILE")
            end = reader.head().seq
            if last is not None and last > end:
                refuse(f"--last {last}: {journal} ends with event {end}; give that one or an earlier one")
            until = None if last is None else reader.event(last).number
        if states is not None:
            own_folder(states)
        said = said_each_second("stepped again") if is_said else progress("records stepped again")
        with said as stepped:
            folder = None if states is None else StatesFolder(states)
            count = processors() if jobs is None else jobs
            found = replay(journal, key, stepped, jobs=count, until=until, states=folder)
    except (NotAJournal, KeyFileRefused) as error:
        say(f"tableside: {error}", err=True)
        sys.exit(2)
    except (JournalDamaged, RecordDamaged) as error:
        say(f"tableside: {error}; {way_to_verify(journal, key_file)}", err=True)
        sys.exit(2)
    if as_json:
        difference = None if found.difference is None else found.difference._asdict()
        say_json({"same": difference is None, **found._asdict(), "difference": difference})
        sys.exit(status_of(found))
    say(f"{journal}: {in_words(found)}{'' if states is None else kept_in_words(found, states)}")
    sys.exit(status_of(found))


def own_folder(folder: Path) -> None:
    """Make a folder that nobody else may write or read, unless it is there; end with status 2 if it is not one's own.

    Whoever may write a state there decides what a later replay says of the records before it.
    """
    import os
    import stat

    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.stat()
    except FileNotFoundError:
        refuse(f"--states {folder}: {folder.parent} is not there; make it first, or give another folder")
    except OSError as error:
        refuse(f"--states {folder}: cannot be made: {error.strerror}; give another folder")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        way = f"give a folder of your own, or run: chmod go-w {quote(str(folder))}"
        refuse(f"--states {folder}: others may write there; {way}")
    if found.st_uid not in {os.geteuid(), 0}:
        refuse(f"--states {folder}: belongs to another user; give a folder of your own")


def kept_in_words(found: ReplayResult, folder: Path) -> str:
    """What was kept for the next replay; empty where there is nothing new to say."""
    from controller.daemon.kept_states import SPACING_RECORDS
    from controller.formats.text.printable import many

    if found.kept:
        return f"; {many(found.kept, 'state')} kept in {folder}"
    if found.resumed or found.difference is not None:
        return ""
    apart = (
        f"states are kept {SPACING_RECORDS:,} records apart, at the journal's checkpoints, if there is room for them"
    )
    return f"; nothing kept in {folder}: {apart}"


def in_words(found: ReplayResult) -> str:
    """What came of it, on one line."""
    from controller.formats.text.printable import many

    others = [one for one in found.versions if one != version()]
    by = f"; written by version {', '.join(others)}, stepped again by {version()}" if others else ""
    if found.difference is not None:
        where = f"record {found.difference.number}"
        if found.difference.seq:
            where += f", event {found.difference.seq}"
        return f"differs at {where}: {found.difference.text}{by}"
    stepped_again = (found.records, "reading"), (found.events, "event"), (found.rounds, "round")
    before = f"; the first {many(found.resumed, 'reading')} by an earlier replay" if found.resumed else ""
    return f"the same: {', '.join(many(*one) for one in stepped_again)}{before}{by}"


def status_of(found: ReplayResult) -> int:
    """The exit status: a difference is no fault of a journal that another version has written a part of."""
    if found.difference is None:
        return 0
    return 1 if set(found.versions) <= {version()} else OTHER_VERSION
