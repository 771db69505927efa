"""The state of a table is the same from the few events that it needs as from all."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.commands.journal_reader import published
from controller.commands.status import those_needed
from controller.io.journal.journal import JournalReader
from controller.reports.status import needed, standing
from tests.golden.nights import unpacked
from tests.golden.test_journals import NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_events_it_needs_tell_as_much_as_all(name: str, tmp_path: Path) -> None:
    with JournalReader(unpacked(name, tmp_path)) as reader:
        everything = list(published(reader))
        assert [seq for seq, _ in reader.kinds()] == [one.seq for one in everything]
        for hours in (1, 8):
            few = list(those_needed(reader, hours))
            assert standing(few, hours) == standing(everything, hours)


@pytest.mark.parametrize("name", NAMES)
def test_whatever_lies_before_the_hours_looked_back(name: str, tmp_path: Path) -> None:
    """Without the figures of the hours, which the time of an event bounds, what else is told needs no hour at all."""
    with JournalReader(unpacked(name, tmp_path)) as reader:
        everything, kinds = list(published(reader)), list(reader.kinds())
        for since in (1, len(kinds) // 2, len(kinds)):
            chosen = set(needed(kinds[:since], since))
            whole, few = everything[:since], [one for one in everything if one.seq in chosen]
            now, then = standing(few, 1), standing(whole, 1)
            assert (now.round, now.phase, now.questions) == (then.round, then.phase, then.questions)
            assert (now.alerts_waiting, now.critical) == (then.alerts_waiting, then.critical)
            assert (now.closed, now.devices, now.remaining) == (then.closed, then.devices, then.remaining)
            assert (now.shoe, now.drawn, now.burned) == (then.shoe, then.drawn, then.burned)
