"""What an auditor finds: every honest night proven, every dishonest one named."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from controller.core.messages.meter_events import JackpotHit
from controller.reports.audit.mystery_audit import Audit, examine
from controller.reports.audit.mystery_events import NotEvents, read_lines
from controller.reports.audit.sequence_audit import HashMark, Range
from firmware_protocols.trigger_messages import UNITS_PER_CENT
from tests.trigger_box.nights import BOUNDS, IDENTITY, ROUNDS, Events, Night, hash_after, lines, night, of, played
from tests.trigger_box.rig import BoxDevice, taken_over

NIGHT = played(ROUNDS)
WHOLE = len(NIGHT)


def audited(events: Events, **how: Any) -> Audit:
    return examine(read_lines(lines(events), **how))


def complaints(audit: Audit) -> list[str]:
    return [*audit.faults, *(fault for cycle in audit.cycles for fault in cycle.faults)]


def faults(events: Events) -> list[str]:
    return complaints(audited(events))


def data(events: Events, kind: str, place: int = 0) -> dict[str, Any]:
    found = of(events, kind, place)["data"]
    assert isinstance(found, dict)
    return found


END = HashMark(IDENTITY.epoch, WHOLE, hash_after(NIGHT, WHOLE))
"""What the table says of its stream after the night."""


@given(seed=st.integers(0, 2**16), boxes=st.integers(1, 7), away=st.integers(-1, 3))
@settings(max_examples=8)
def test_every_honest_night_is_proven(seed: int, boxes: int, away: int) -> None:
    bodies = played(4, seed, boxes, away)
    audit = examine(read_lines(bodies, marks=[HashMark(IDENTITY.epoch, len(bodies), hash_after(bodies, len(bodies)))]))
    hits = sum(b"tableside.jackpot_hit.v1" in body for body in bodies)
    assert complaints(audit) == []
    assert [cycle.proven() for cycle in audit.cycles] == [True] * hits + [False]
    assert sum(cycle.contributions for cycle in audit.cycles) == 4 * boxes
    assert audit.unchecked == (
        f"cycle {hits + 1}: its number is not revealed; that it is the one committed to cannot be known before it is",
    )


def test_what_could_not_be_checked_is_said() -> None:
    audit = audited(night())
    assert audit.unchecked[0] == (
        f"events 1 to {WHOLE}: no hash of the stream was given (state/stream, or --stream-hash): whether one was"
        f" changed in what bears on no cycle, and whether any follow event {WHOLE}, cannot be known"
    )
    half = HashMark(IDENTITY.epoch, 700, hash_after(NIGHT, 700))
    audit = audited(night(), marks=[half])
    assert audit.unchecked[0].startswith(f"events 701 to {WHOLE}: the hash of the stream that was given covers events")


# --- an event deleted, changed, moved; the end cut off ----------------------------------------------------


@given(place=st.integers(0, WHOLE - 2))
@settings(max_examples=30)
def test_an_event_that_is_missing_is_named_whatever_it_was(place: int) -> None:
    events = night()
    del events[place]
    audit = audited(events)
    assert audit.missing == (Range(place + 1, place + 1),)
    assert f"event {place + 1}: not given" in complaints(audit)


@given(begins=st.integers(1, WHOLE - 2), count=st.integers(1, 200))
@settings(max_examples=15)
def test_a_run_of_events_that_is_missing_is_named_and_no_cycle_it_lies_in_is_proven(begins: int, count: int) -> None:
    events = night()
    ends = min(begins + count, WHOLE - 1)
    del events[begins - 1 : ends - 1]
    audit = audited(events)
    assert audit.missing == (() if ends == begins else (Range(begins, ends - 1),))
    reveals = [event["seq"] for event in night() if event["type"] == "tableside.mystery_revealed.v1"]
    for cycle in audit.cycles:
        since = reveals[cycle.cycle - 2] if cycle.cycle > 1 else 0
        until = reveals[cycle.cycle - 1] if cycle.cycle <= len(reveals) else WHOLE
        if since < ends - 1 and until >= begins:
            assert not cycle.proven()


@given(last=st.integers(1, WHOLE - 1))
@settings(max_examples=15)
def test_an_end_that_is_cut_off_is_named_by_what_the_table_said_of_its_stream(last: int) -> None:
    events = night()[:last]
    assert audited(events, marks=[END]).missing == (Range(last + 1, WHOLE),)
    assert f"and whether any follow event {last}, cannot be known" in audited(events).unchecked[0]


def changed(value: Any) -> Any:
    """Another value of the same kind."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str() if value.endswith(("0", "1")):
            return value[:-1] + ("1" if value.endswith("0") else "0")
        case str():
            return value + "0"
        case list():
            return [*value, value[-1]] if value else [1]
        case dict():
            key = min(value)
            return {**value, key: changed(value[key])}
        case _:
            return 1


@given(place=st.integers(0, WHOLE - 1), choice=st.data())
@settings(max_examples=40)
def test_no_event_can_be_changed_in_anything_against_the_hash_of_the_stream(place: int, choice: st.DataObject) -> None:
    events = night()
    event = events[place]
    held = event if choice.draw(st.booleans()) or not event["data"] else event["data"]
    key = choice.draw(st.sampled_from(sorted(set(held) - {"source", "epoch", "seq", "data"})))
    held[key] = changed(held[key])
    middle = HashMark(None, 700, hash_after(NIGHT, 700))
    audit = audited(events, marks=[middle, END])
    where = Range(1, 700) if place < 700 else Range(701, WHOLE)
    assert f"{where.text()}: not as published, the hash of the stream differs" in complaints(audit)


BORNE = (
    *(("contribution_made", key) for key in ("wager_cents", "units", "hidden_units", "number", "meter_units")),
    ("contribution_made", "shown_cents"),
    *(("jackpot_hit", key) for key in ("jackpot", "round", "spot", "bet", "row", "cents", "before_cents", "number")),
    *(("jackpot_hit", key) for key in ("meter_units", "shown_cents")),
    *(("meter_reset", key) for key in ("house_units", "reserve_units", "meter_units", "shown_cents")),
    *(("mystery_committed", key) for key in ("cycle", "start_units", "reset_cents", "ceiling_cents", "commitment")),
    *(("mystery_revealed", key) for key in ("cycle", "number", "drawn_cents", "key")),
    *(("meter_opened", key) for key in ("meter_units", "shown_cents")),
)


@pytest.mark.parametrize(("kind", "key"), BORNE)
def test_no_number_a_cycle_rests_on_can_be_changed_even_without_that_hash(kind: str, key: str) -> None:
    count = sum(event["type"] == f"tableside.{kind}.v1" for event in night())
    # The commitment of the cycle that still runs is opened when it is over, and not before.
    count -= key == "commitment"
    for place in {0, count // 2, count - 1}:
        events = night()
        held = data(events, kind, place)
        held[key] = changed(held[key])
        found = faults(events)
        assert found, f"{kind} {place} {key}"
        if kind == "contribution_made":
            assert any(f"event {of(events, kind, place)['seq']}:" in fault or "not given" in fault for fault in found)


@given(places=st.lists(st.integers(0, 10**6), min_size=2, max_size=2), seed=st.integers(0, 99))
@example(places=[0, 1], seed=0)
@example(places=[16, 17], seed=0)
@settings(max_examples=20)
def test_events_that_change_places_are_named_and_the_order_of_lines_means_nothing(places: list[int], seed: int) -> None:
    events = night()
    shuffled = lines(events)
    Random(seed).shuffle(shuffled)
    assert examine(read_lines(shuffled, marks=[END])) == examine(read_lines(lines(events), marks=[END]))
    kinds = ("contribution_made", "jackpot_hit", "meter_reset", "mystery_committed", "mystery_revealed")
    borne = [event for event in events if any(kind in event["type"] for kind in kinds)]
    one, other = (borne[place % len(borne)] for place in places)
    if one is other:
        return
    for key in ("seq", "id"):
        one[key], other[key] = other[key], one[key]
    found = audited(events)
    if {one["type"], other["type"]} == {"tableside.meter_reset.v1", "tableside.mystery_revealed.v1"}:
        # Both follow an award, and neither rests on the other.
        return
    # A contribution before its cycle's commitment is one that was kept until then, which is said of it.
    assert complaints(found) or found != audited(night())


# --- what each is called ----------------------------------------------------------------------------------


def change(kind: str, place: int = 0, **values: Any) -> Callable[[Events], None]:
    def spoil(events: Events) -> None:
        data(events, kind, place).update(values)

    return spoil


def more(kind: str, key: str, by: int, place: int = 0) -> Callable[[Events], None]:
    def spoil(events: Events) -> None:
        data(events, kind, place)[key] += by

    return spoil


def swap_keys(events: Events) -> None:
    data(events, "mystery_revealed", 1)["key"] = data(events, "mystery_revealed", 0)["key"]


def same_share(events: Events) -> None:
    data(events, "mystery_committed", 1)["share"] = data(events, "mystery_committed", 0)["share"]


def without(kind: str, place: int = 0) -> Callable[[Events], None]:
    def spoil(events: Events) -> None:
        events.remove(of(events, kind, place))

    return spoil


def late_commitment(events: Events) -> None:
    """It comes after all the others."""
    committed = of(events, "mystery_committed")
    committed["seq"] = WHOLE + 1
    committed["id"] = f"{IDENTITY.text()}/{WHOLE + 1}"


def early_hit(events: Events) -> None:
    """A winner earlier than the trigger allows: the contribution before the last of the cycle."""
    revealed, hit = data(events, "mystery_revealed"), data(events, "jackpot_hit")
    revealed["number"] -= 1
    hit["number"] -= 1


def late_hit(events: Events) -> None:
    """The winner passed over, the next one paid."""
    revealed, hit = data(events, "mystery_revealed"), data(events, "jackpot_hit")
    revealed["number"] += 1
    hit["number"] += 1


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (more("mystery_revealed", "drawn_cents", 1), "do not open the commitment"),
        (change("mystery_revealed", key="00" * 32), "do not open the commitment"),
        (change("mystery_revealed", key="zz"), "not hex"),
        (change("mystery_committed", share="07" * 32), "trigger"),
        (same_share, "has the share of cycle 1"),
        (change("mystery_committed", commitment="00" * 32), "do not open the commitment"),
        (more("jackpot_hit", "cents", 1), "cents were awarded"),
        (more("contribution_made", "units", 1_000_000, place=2), "contribution 3 adds"),
        (more("contribution_made", "meter_units", 1, place=2), "by contribution 3 make"),
        (more("contribution_made", "wager_cents", 1, place=2), "contribution 3 adds"),
        (without("contribution_made", 2), "contribution 3: not given"),
        (without("contribution_made", 2), "what is missing before moved it by 17333334"),
        (change("contribution_made", place=-1, number=10**15), "to 999999999999999: not given"),
        (without("jackpot_hit"), "no award was published"),
        (without("meter_reset"), "not given"),
        (without("mystery_committed"), "no commitment"),
        (without("mystery_revealed"), "nothing was revealed"),
        (more("mystery_committed", "start_units", 10_000, place=1), "follow from the cycle before"),
        (more("mystery_committed", "start_units", 10_000), "the table's meter, without the contributions that waited"),
        (more("mystery_committed", "start_units", -10_000), "below the reset value"),
        (change("mystery_committed", ceiling_cents=99_999), "the meter's bounds are 25000 and 100000"),
        (change("mystery_revealed", drawn_cents=100), "outside the bounds"),
        (change("jackpot_hit", spot=9), "was made by round"),
        (swap_keys, "has the key of cycle"),
        (late_commitment, "before it was committed to"),
        (early_hit, "not above the trigger"),
        (late_hit, "before contribution"),
    ],
)
def test_a_dishonest_night_is_named(spoil: Callable[[Events], None], words: str) -> None:
    events = night()
    spoil(events)
    assert any(words in fault for fault in faults(events)), faults(events)


def test_contributions_taken_away_at_the_end_of_a_running_cycle_are_missed_though_nothing_else_was_sent() -> None:
    """Numbers closed up and all: the meter of the next contribution says that units are missing."""
    events = [event for event in night() if event["seq"] < WHOLE - 20]
    made = [event for event in events if event["type"] == "tableside.contribution_made.v1"]
    gone, kept = made[-2], made[-1]
    events.remove(gone)
    kept["data"]["number"] -= 1
    found = audited(events)
    assert found.missing == (Range(gone["seq"], gone["seq"]),)
    assert f"event {gone['seq']}: not given" in found.cycles[-1].faults


def test_two_forms_of_one_event_are_named() -> None:
    events = night()
    other = msgspec.json.decode(NIGHT[5])
    other["time"] = "later"
    assert "event 6 came twice with different contents" in faults([*events, other])


def test_an_event_delivered_twice_counts_once_and_topics_are_passed_over() -> None:
    delivered = [b"tableside/v1/harbour/bj-1/event/x " + line for line in NIGHT for _ in range(2)]
    assert examine(read_lines([b"", b"noise", *delivered])) == examine(read_lines(NIGHT))


def test_two_hashes_for_one_event_are_named() -> None:
    audit = audited(night(), marks=[END, END._replace(hash=b"0" * 32)])
    assert f"two hashes of the stream were published for event {WHOLE}" in audit.faults


@pytest.mark.parametrize("content", [[], [b"hello"], [b"{}"]])
def test_what_holds_no_events_is_refused(content: list[bytes]) -> None:
    with pytest.raises(NotEvents, match="no line is an event"):
        read_lines(content)


def test_events_of_two_epochs_are_refused() -> None:
    events = night()
    events[-1]["epoch"] = 8
    with pytest.raises(NotEvents, match="among those of"):
        read_lines(lines(events))


def test_a_file_cut_short_in_the_middle_of_a_line_is_not_taken_for_whole() -> None:
    whole = b"\n".join(played(4))
    audit = examine(read_lines(whole[:-20].split(b"\n")))
    assert audit.faults == (f"cut short or damaged: 1 line, first line {len(played(4))}",)


def test_other_json_and_remarks_between_the_events_are_passed_over() -> None:
    audit = examine(read_lines([b"# what the broker said", b'{"state": "online"}', b"", *played(4)]))
    assert audit.faults == ()


# --- what is no whole night -------------------------------------------------------------------------------


def test_a_night_listened_to_from_its_middle_says_which_cycles_began_before() -> None:
    events = night()
    reveal = of(events, "mystery_revealed")["seq"]
    first_of_round = max(
        event["seq"] for event in events if event["type"] == "tableside.betting_closed.v1" and event["seq"] < reveal
    )
    for middle, whole in ((first_of_round - 1, 1), (reveal - 1, 2)):
        audit = audited(events, first=middle, marks=[END])
        assert complaints(audit) == []
        before = f"its commitment or some of its contributions came before event {middle}"
        assert [cycle.partly for cycle in audit.cycles[: whole + 1]] == [*[before] * whole, ""]
        assert all(cycle.proven() for cycle in audit.cycles[whole:-1])
        assert f"events 1 to {middle - 1}: left out as asked" in audit.unchecked
    # Without being asked to, nothing is left out.
    assert audited(events[reveal - 1 :]).missing == (Range(1, reveal - 1),)


def test_a_box_that_took_over_is_named_and_the_cycle_after_it_is_proven() -> None:
    """The first box is lost with its number; the second goes on from what the table's journal has."""
    night = Night(1)
    night.up()
    night.plays(3)
    night.serve()
    night.down()
    known = night.rig.table.state.progressives
    carried_units = night.rig.meter("mystery").current_units - BOUNDS.reset_cents * UNITS_PER_CENT
    night.box = BoxDevice(BOUNDS, seed=2, entries=taken_over(BOUNDS, 1, known.answered, carried_units))
    night.up()
    while len(night.rig.events_of(JackpotHit)) < 1:
        night.plays()
        night.serve()
    audit = examine(read_lines(night.published()))
    assert audit.faults == ("cycle 1 was never revealed, and cycle 2 began: the box was replaced",)
    assert (audit.cycles[0].contributions, audit.cycles[0].proven()) == (3, False)
    assert audit.cycles[1].proven()


def test_a_table_without_such_a_meter_has_no_cycle_and_nothing_wrong() -> None:
    audit = examine(read_lines(played(1)[:1]))
    assert (audit.cycles, complaints(audit)) == ((), [])
