"""What a shell may complete: profiles, journals and their rounds. What cannot be found out is not suggested."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import click
from click.shell_completion import CompletionItem

SUFFIX: Final = ".sqlite"
"""Ends the name of a journal, as table files name it."""

LATEST: Final = 2000
"""Events that are looked at for rounds: some dozens of rounds, in a fraction of a second."""


def profiles(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The profiles that come with the program, else files."""
    from controller.io.files import profile_files

    del ctx, param
    return beginning(profile_files.names(), incomplete) or [CompletionItem(incomplete, type="file")]


def journals(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The journals of a folder, where what is typed so far leads to any, else files."""
    del ctx, param
    folder = incomplete.rpartition("/")[0]
    place = Path(f"{folder}/" if incomplete.startswith("/") else folder)
    with contextlib.suppress(OSError):
        names = sorted(one.name for one in place.iterdir() if one.name.endswith(SUFFIX))
        found = beginning([f"{folder}/{name}" if "/" in incomplete else name for name in names], incomplete)
        if found:
            return found
    return [CompletionItem(incomplete, type="file")]


def rounds(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The latest rounds of the journal that stands before."""
    from controller.core.messages.events import BettingClosed
    from controller.formats.mqtt.envelope import PayloadRefused, own_event
    from controller.io.journal.errors import JournalDamaged, NotAJournal
    from controller.io.journal.reader import JournalReader

    del param
    journal: object = ctx.params.get("journal")
    numbers: dict[int, None] = {}
    if isinstance(journal, Path):
        with (
            contextlib.suppress(NotAJournal, JournalDamaged, PayloadRefused, OSError),
            JournalReader(journal) as reader,
        ):
            for row in reader.events(max(1, reader.head().seq - LATEST)):
                event = own_event(row.body).event
                if isinstance(event, BettingClosed):
                    numbers[event.round] = None
    return beginning(map(str, numbers), incomplete)


def beginning(words: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """Those words that begin as what is typed so far."""
    return [CompletionItem(word) for word in words if word.startswith(incomplete)]
