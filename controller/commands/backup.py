"""``tableside backup``: copy a journal, also while its table runs."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from controller.commands.journal_reader import counted, counts
from controller.commands.suggestions import journals
from controller.commands.terminal import AS_JSON, say, say_json


@click.command("backup")
@AS_JSON
@click.argument("journal", type=click.Path(path_type=Path), shell_complete=journals)
@click.argument("copy", type=click.Path(dir_okay=False, path_type=Path))
def command(journal: Path, copy: Path, *, as_json: bool) -> None:
    """Copy JOURNAL to COPY, which must not exist, and check every byte of the copy. A daemon may be writing.

    Exit status: 0 copied, 1 the journal is damaged, 2 no journal there, or the copy cannot be made.
    """
    from controller.io.copies.backup import CopyDamaged, CopyRefused, backup
    from controller.io.journal.errors import JournalDamaged, NotAJournal

    try:
        report = backup(journal, copy)
    except (JournalDamaged, CopyDamaged) as error:
        say(f"tableside: {error}", err=True)
        sys.exit(1)
    except (NotAJournal, CopyRefused, OSError) as error:
        say(f"tableside: {error}", err=True)
        sys.exit(2)
    if as_json:
        say_json({"copy": str(copy), **counted(report)})
        return
    say(f"{copy}: {counts(report)}")
