"""``tableside restore``: put a copy where a journal was lost."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from controller.commands.journal_reader import counted, counts
from controller.commands.suggestions import journals
from controller.commands.terminal import AS_JSON, say, say_json

if TYPE_CHECKING:
    from controller.formats.journal.records import Identity


@click.command("restore")
@click.option(
    "--key",
    "key_file",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file with the table's key: only records written with it are restored.",
)
@click.option(
    "--held",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A consumer's file (watch --durable): the copy must not end before it.",
)
@click.option("--aside", is_flag=True, help="Rename an existing journal to JOURNAL.damaged-1, with its log.")
@AS_JSON
@click.argument("copy", type=click.Path(path_type=Path))
@click.argument("journal", type=click.Path(dir_okay=False, path_type=Path), shell_complete=journals)
def command(*, copy: Path, journal: Path, key_file: Path, held: Path | None, aside: bool, as_json: bool) -> None:
    """Restore JOURNAL, which must not exist, from COPY. The table must not run.

    COPY is a backup, or the folder of the journal's second copy: then the journal is rebuilt from it, row for row.

    With --aside, records of the damaged journal that follow the copy's last one are taken over, as far as each can be
    read, its chain hash follows from the one before, and its seal is one of the table's key.

    Refused if records are missing that the lost journal's head file or a consumer knows of: the table would give their
    numbers to other events. In that case, begin a new epoch.

    Exit status: 0 restored, 1 the copy is damaged, 2 refused.
    """
    from controller.io.copies.backup import CopyDamaged, CopyRefused, restore
    from controller.io.copies.segment_folder import NoCopy
    from controller.io.files.key_file import KeyFileRefused, read_key
    from controller.io.journal.commit_marker import path_of
    from controller.io.journal.errors import JournalDamaged, NotAJournal
    from controller.io.mqtt.durable_file import DurableRefused

    is_unwitnessed = held is None and not path_of(journal).exists()
    try:
        key = read_key(key_file)
        report, taken = restore(copy, journal, key, 0 if held is None else held_by(held, copy), is_aside=aside)
    except (JournalDamaged, CopyDamaged) as error:
        say(f"tableside: {error}", err=True)
        sys.exit(1)
    except (NotAJournal, CopyRefused, DurableRefused, KeyFileRefused, NoCopy, OSError) as error:
        say(f"tableside: {error}", err=True)
        sys.exit(2)
    if as_json:
        lacking = {"witnessed": not is_unwitnessed, "taken_over": taken}
        say_json({"journal": str(journal), **counted(report), **lacking})
        return
    if is_unwitnessed:
        say(f"{journal}: no head file was beside it and no --held given: nobody here knows what was committed last")
    if taken:
        say(f"{journal}: its last {taken} records are those of the damaged journal; they follow the copy's last")
    say(f"{journal}: {counts(report)}")


def held_by(held: Path, copy: Path) -> int:
    """The last event of the copy's epoch that a consumer's file holds.

    Raises:
        DurableRefused: it is in use, or holds another table's events.
        NoCopy: the copy is a folder without one.
    """
    from controller.io.copies.segment_folder import survey
    from controller.io.mqtt.durable_file import DurableFile

    identity = survey(copy).identity if copy.is_dir() else identity_of(copy)
    file = DurableFile(held, identity.site, identity.table)
    file.close()
    return file.held.seq if file.held.epoch == identity.epoch else 0


def identity_of(journal: Path) -> Identity:
    """Whose journal it is."""
    from controller.io.journal.reader import JournalReader

    with JournalReader(journal) as reader:
        return reader.identity
