"""The codec of segments: what is written is read back, whatever is cut off or flipped is noticed."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.formats.journal.records import Identity, chain, genesis
from controller.formats.journal.schema import ack_digest, checkpoint_digest, meta_digest, published_digest
from controller.formats.journal.seals import seal_digest
from controller.formats.journal.segments import (
    MAGIC,
    CopyPosition,
    Cursors,
    JournalRow,
    SegmentDamaged,
    batch_bytes,
    beginning,
    reached_after,
    read_segment,
    start_bytes,
)

HERE = Identity("harbour", "bj-1", 3)
bodies = st.binary(max_size=200)


@st.composite
def histories(draw: st.DrawFn) -> list[list[JournalRow]]:
    """What a journal may have come to hold, in batches."""
    at, hashed = dict.fromkeys(Cursors._fields, 0), genesis(HERE)
    batches: list[list[JournalRow]] = []
    for _ in range(draw(st.integers(1, 4))):
        rows: list[JournalRow] = []
        for kind in draw(st.lists(st.sampled_from(Cursors._fields), min_size=1, max_size=8)):
            match kind:
                case "records" | "events" | "checkpoints" | "seals":
                    number, body, events = at["records"] + 1, draw(bodies), draw(st.lists(bodies, max_size=3))
                    hashed, at["records"] = chain(hashed, number, body, events), number
                    rows.append(JournalRow("records", (number, body, hashed)))
                    for event in events:
                        at["events"] += 1
                        rows.append(JournalRow("events", (at["events"], number, event)))
                    if kind == "checkpoints":
                        sealed = draw(bodies)
                        rows.append(
                            JournalRow(kind, (number, sealed, hashed, checkpoint_digest(number, sealed, hashed)))
                        )
                        at[kind] = number
                    if kind == "seals":
                        made = draw(bodies), draw(bodies), draw(bodies)
                        rows.append(JournalRow(kind, (number, *made, seal_digest(number, *made))))
                        at[kind] = number
                    continue
                case "published":
                    key, own = at[kind] + 1, hashlib.sha256(draw(bodies)).digest()
                    rows.append(JournalRow(kind, (key, at["events"], own, published_digest(key, at["events"], own))))
                case "acks":
                    key, consumer = at[kind] + 1, draw(st.text(max_size=8))
                    rows.append(JournalRow(kind, (key, consumer, 1, ack_digest(key, consumer, 1))))
                case _:
                    key, name, value = at[kind] + 1, draw(st.text(max_size=8)), draw(st.text(max_size=20))
                    rows.append(JournalRow(kind, (key, name, value, meta_digest(key, name, value))))
            at[kind] += 1
        batches.append(rows)
    return batches


def written(batches: list[list[JournalRow]]) -> bytes:
    at = beginning(HERE)
    data = start_bytes(HERE, at)
    for rows in batches:
        at = reached_after(at, rows)
        data += batch_bytes(rows, at)
    return data


@given(batches=histories())
def test_what_is_written_is_read_back(batches: list[list[JournalRow]]) -> None:
    segment = read_segment(written(batches))
    assert segment.identity == HERE
    assert [list(batch.rows) for batch in segment.batches] == batches
    assert (segment.fault, segment.whole_bytes) == ("", len(written(batches)))


@settings(max_examples=60)
@given(batches=histories(), data=st.data())
def test_a_segment_cut_off_anywhere_is_whole_to_the_mark_before(
    batches: list[list[JournalRow]], data: st.DataObject
) -> None:
    whole = written(batches)
    cut = data.draw(st.integers(len(start_bytes(HERE, beginning(HERE))), len(whole)))
    segment = read_segment(whole[:cut])
    kept = len(segment.batches)
    assert [list(batch.rows) for batch in segment.batches] == batches[:kept]
    assert segment.whole_bytes <= cut
    assert bool(segment.fault) == (segment.whole_bytes < cut)
    assert segment.is_torn == bool(segment.fault)


@settings(max_examples=200)
@given(batches=histories(), data=st.data())
def test_a_flipped_bit_is_noticed_and_nothing_behind_it_is_believed(
    batches: list[list[JournalRow]], data: st.DataObject
) -> None:
    whole = written(batches)
    at = data.draw(st.integers(0, len(whole) - 1))
    damaged = bytearray(whole)
    damaged[at] ^= 1 << data.draw(st.integers(0, 7))
    try:
        segment = read_segment(bytes(damaged))
    except SegmentDamaged:
        assert at < len(start_bytes(HERE, beginning(HERE)))
        return
    assert segment.fault
    kept = len(segment.batches)
    assert [list(batch.rows) for batch in segment.batches] == batches[:kept]
    assert segment.whole_bytes <= at
    # Torn is only what no mark follows: with one behind it, it had been synced.
    last_begins = len(written(batches[:-1]))
    assert not (segment.is_torn and at < last_begins)


@given(data=st.binary(max_size=300))
def test_no_bytes_raise_anything_else(data: bytes) -> None:
    for prefix in (b"", MAGIC, start_bytes(HERE, beginning(HERE))):
        try:
            read_segment(prefix + data)
        except SegmentDamaged:
            continue


def record(number: int, before: bytes, body: bytes = b"r") -> JournalRow:
    return JournalRow("records", (number, body, chain(before, number, body, [])))


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([record(2, genesis(HERE))], "row 2 of records where row 1 is due"),
        ([JournalRow("records", (1, b"r", bytes(32)))], "the chain hash differs"),
        ([JournalRow("events", (1, 1, b"e"))], "event 1 does not follow its record 1"),
        ([JournalRow("meta", (1, "site", "harbour", bytes(32)))], "row 1 of meta does not fit its digest"),
        ([JournalRow("checkpoints", (0, b"", bytes(32)))], "row 0 of checkpoints where row 1 is due"),
    ],
)
def test_rows_that_no_journal_has_are_refused(rows: list[JournalRow], complaint: str) -> None:
    with pytest.raises(SegmentDamaged, match=complaint):
        reached_after(beginning(HERE), rows)


def test_a_mark_that_does_not_fit_its_rows_is_damage() -> None:
    rows = [record(1, genesis(HERE))]
    data = start_bytes(HERE, beginning(HERE)) + batch_bytes(rows, CopyPosition(Cursors(records=2), bytes(32)))
    assert "not of the rows before it" in read_segment(data).fault
