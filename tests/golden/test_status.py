"""The state of a table is the same from the few events that it needs as from all."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.commands.journal_reader import published
from controller.commands.status import lines, those_needed
from controller.core.messages.events import CardDrawn
from controller.formats.mqtt.envelope import event_name
from controller.io.journal.reader import JournalReader
from controller.reports.status import needed, standing
from tests.golden.nights import unpacked
from tests.golden.test_journals import NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_events_it_needs_give_as_much_as_all(name: str, tmp_path: Path) -> None:
    with JournalReader(unpacked(name, tmp_path)) as reader:
        everything = list(published(reader))
        for hours, with_bets in ((1, True), (8, True), (8, False)):
            few = list(those_needed(reader, hours, with_bets=with_bets))
            assert standing(few, hours, with_bets=with_bets) == standing(everything, hours, with_bets=with_bets)


@pytest.mark.parametrize("name", NAMES)
def test_the_text_for_people_needs_no_bets(name: str, tmp_path: Path) -> None:
    with JournalReader(unpacked(name, tmp_path)) as reader:
        everything = list(published(reader))
    texts = [lines(standing(everything, 8, with_bets=with_bets), shoe=True) for with_bets in (True, False)]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("name", NAMES)
def test_whatever_lies_before_the_hours_looked_back(name: str, tmp_path: Path) -> None:
    """Without the figures of the hours, which the time of an event bounds, the rest of the text needs no hour."""
    with JournalReader(unpacked(name, tmp_path)) as reader:
        everything = list(published(reader))
    kinds = [(one.seq, event_name(one.event)) for one in everything]
    for since in (1, len(kinds) // 2, len(kinds)):
        shoe, begun = (
            max((seq for seq, kind in kinds[:since] if kind == wanted), default=since)
            for wanted in ("shoe_begun", "betting_closed")
        )
        groups = needed(since, shoe, begun, with_bets=False)
        chosen = {since} | {seq for named, first in groups for seq, kind in kinds if kind in named and seq >= first}
        whole, few = everything[:since], [one for one in everything[:since] if one.seq in chosen]
        now, then = (standing(events, 1, with_bets=False) for events in (few, whole))
        assert (now.round, now.phase, now.questions) == (then.round, then.phase, then.questions)
        assert (now.alerts_waiting, now.critical) == (then.alerts_waiting, then.critical)
        assert (now.closed, now.devices, now.remaining) == (then.closed, then.devices, then.remaining)
        assert (now.shoe, now.drawn, now.burned) == (then.shoe, then.drawn, then.burned)


@pytest.mark.parametrize("name", NAMES)
def test_a_card_is_found_by_its_position(name: str, tmp_path: Path) -> None:
    with JournalReader(unpacked(name, tmp_path)) as reader:
        drawn = [(one.seq, one.event.position) for one in published(reader) if isinstance(one.event, CardDrawn)]
        middle = drawn[len(drawn) // 2][0]
        for position in (2, 4, 14, 400):
            for after, before in ((0, middle), (middle, middle), (middle, drawn[-1][0] + 1)):
                right = [seq for seq, place in drawn if place == position and after < seq < before]
                found = reader.first_named_with("card_drawn", "position", position, after, before)
                assert (None if found is None else found.seq) == (right[0] if right else None)


@pytest.mark.parametrize("name", NAMES)
def test_events_are_found_by_their_kinds(name: str, tmp_path: Path) -> None:
    with JournalReader(unpacked(name, tmp_path)) as reader:
        kinds = [(one.seq, event_name(one.event)) for one in published(reader)]
        first = len(kinds) // 2
        for names in ({"card_drawn", "round_closed"}, {"alert_raised"}, {"no_such_event"}):
            found = [row.seq for row in reader.events_named([(names, first)])]
            assert found == [seq for seq, kind in kinds[first - 1 :] if kind in names]
        groups = (({"card_drawn", "round_closed"}, first), ({"alert_raised", "card_drawn"}, 2), ({"key_read"}, first))
        found = [row.seq for row in reader.events_named(groups)]
        assert found == [seq for seq, kind in kinds if any(kind in names and seq >= since for names, since in groups)]
        for kind in ("card_drawn", "table_started", "no_such_event"):
            assert reader.last_named(kind) == max((seq for seq, one in kinds if one == kind), default=0)


def test_no_event_is_of_a_kind_that_another_ends_with(tmp_path: Path) -> None:
    """``drawn`` is the end of ``card_drawn``, and ``card`` its beginning: neither is a kind."""
    with JournalReader(unpacked(NAMES[0], tmp_path)) as reader:
        assert not list(reader.events_named([({"drawn", "card", "card_drawn.v1", ""}, 1)]))
