"""Records are stepped again many at a time, and given one at a time, up to one that cannot be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from controller.core.step import step
from controller.core.table.state import State, Table
from controller.formats.journal.records import RecordDamaged, seal
from controller.formats.replay import TOGETHER, StoredRecord, again, payloads
from controller.io.journal.errors import JournalDamaged
from tests.core.journals import HERE, KEY, stamped_here
from tests.core.rig import Rig, penn

ROUND = "1 main 25\nkey no_more_bets\nTh 7d Qs Td\nkey stand hole_turned\n1 main 50\n1 main 0\nkey round_closed"
ROUNDS = 12


def night() -> list[StoredRecord]:
    """The records of a night at a table, more than are stepped together."""
    rig = Rig(penn())
    for _ in range(ROUNDS):
        rig.talk(ROUND)
    table, kept = Table(rig.house, State()), list[StoredRecord]()
    for stamped in map(stamped_here, rig.stamped):
        seq = table.state.seq
        stepped = step(table, stamped)
        table = stepped.table
        kept.append(
            StoredRecord(stamped.number, seal(stamped, KEY, HERE), payloads(stepped.events, HERE, seq, stamped.wall_ns))
        )
    assert len(kept) > TOGETHER + 1
    return kept


def differences(records: Iterable[StoredRecord]) -> Iterator[tuple[int, int]]:
    """The number of each record stepped again, and of the one that differs there, 0 where none does."""
    for stepped, difference in again(None, records, HERE, KEY, {}):
        yield stepped.number, 0 if difference is None else difference.number


def same(records: Iterable[StoredRecord]) -> list[tuple[int, int]]:
    """What is given of these records where each gives what it gave."""
    return [(one.number, 0) for one in records]


def test_each_record_is_given_once_and_in_order() -> None:
    kept = night()
    assert list(differences(kept)) == same(kept)
    assert list(differences(kept[:TOGETHER])) == same(kept[:TOGETHER])
    assert list(differences(())) == []


@pytest.mark.parametrize("place", [1, TOGETHER - 1, TOGETHER, TOGETHER + 1])
def test_what_comes_before_a_record_that_cannot_be_read_is_given_first(place: int) -> None:
    kept = night()
    kept[place] = kept[place]._replace(body=kept[place].body[:-9])
    found = list[tuple[int, int]]()
    with pytest.raises(RecordDamaged):
        found.extend(differences(kept))
    assert found == same(kept[:place])


@pytest.mark.parametrize("place", [1, TOGETHER - 1, TOGETHER, TOGETHER + 1])
def test_so_is_what_comes_before_a_journal_that_cannot_be_read_on(place: int) -> None:
    kept = night()

    def read() -> Iterator[StoredRecord]:
        yield from kept[:place]
        raise JournalDamaged("record damaged")

    found = list[tuple[int, int]]()
    with pytest.raises(JournalDamaged):
        found.extend(differences(read()))
    assert found == same(kept[:place])


def test_a_difference_is_reported_at_its_record_although_a_later_one_cannot_be_read() -> None:
    kept = night()
    altered = next(place for place, one in enumerate(kept) if place > 3 and one.events)
    kept[altered] = kept[altered]._replace(events=())
    kept[altered + 2] = kept[altered + 2]._replace(body=b"{}")
    seen = differences(kept)
    assert [next(seen) for _ in range(altered + 1)] == [*same(kept[:altered]), (altered + 1, altered + 1)]


def test_the_tables_that_are_wanted_are_given_and_the_last() -> None:
    kept = night()
    wanted = {3, TOGETHER, TOGETHER + 1, len(kept) - 1}
    tables = {one.number: one.table for one, _ in again(None, kept, HERE, KEY, {}, wanted=wanted)}
    given = [(number, table.state.number) for number, table in tables.items() if table is not None]
    assert given == [(number, number) for number in sorted({*wanted, len(kept)})]
