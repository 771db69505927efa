"""Where more went unseen than the table can follow in time the round goes to the floor; nothing of it is guessed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.core.inference.lattice import Lattice
from controller.core.inference.observation import CardObserved, ChipsObserved, DatedObservation, KeyObserved
from controller.core.inference.unobserved import Outage
from controller.core.messages.alerts import RoundIrregular
from controller.core.messages.events import WagerSettled
from firmware_protocols.readings import ChipsSeen
from tests.core.houses import RULES
from tests.core.quick_readers import QuickReaders, accused, draw, table

HANDS = ("8h", "8s", "2c", "2s", "2d", "2h", "3h", "3s", "4c", "2c", "4s", "2h", "4c", "3d", "3c", "9s")
"""A pair of eights that may become four hands, each of them hit, or doubled for any number of dollars."""


def look(rig: QuickReaders, dollars: int, since_ns: int) -> None:
    """A look at box 1 that began then ends now, and shows as much."""
    cents = 100 * dollars - sum(rig.values[chip] for chip in rig.lying[1, "main"])
    chip = f"E0040000{len(rig.values):08X}"
    rig.values[chip] = cents
    rig.lying[1, "main"] = (*rig.lying[1, "main"], chip)
    rig.give(ChipsSeen(1, "main", rig.lying[1, "main"], since_ns, rig.now_ns))


def test_a_pair_is_split_again_and_again_and_each_hand_may_be_doubled_between_two_looks() -> None:
    rig = table("1 main 10", chip_unit_cents=100)
    draw(rig, "8c", "6s", "8d", "Th")
    rig.pass_ms(4_000)
    rig.late = True
    since_ns = rig.now_ns
    draw(rig, *HANDS, gap_ms=900)
    rig.pass_ms(900)
    look(rig, 34, since_ns)
    rig.late = False
    rig.pass_ms(14_000)
    rig.talk("1 main 0 \n key round_closed")
    rig.pass_ms(8_000)
    assert [one.reason for one in rig.events if isinstance(one, RoundIrregular)] == [
        "too much went unseen to tell what was played"
    ]
    assert [one for one in rig.events if isinstance(one, WagerSettled)] == []
    assert accused(rig) == []


LATER = st.one_of(
    st.sampled_from([0, 1_000, 1_500, 2_000, 3_000]),
    st.sampled_from(["stand", "hit", "double", "split"]),
    st.sampled_from([1, 3, 6, 8, 10]).map(lambda rank: -rank),
)
"""What a box's zone shows then, a key, or a card: the rank is below zero."""


def observed(later: list[tuple[int | str, int, int]]) -> list[DatedObservation]:
    """A deal of four cards and what comes later at its box, each so long after the one before and so long at most."""
    dealt, pieces, lay, at_ns = 0, [], 1_000, 10
    for what, after_ns, before_ns in [*((-rank, 10, 0) for rank in (8, 6, 8, 10)), *later]:
        at_ns += after_ns
        if isinstance(what, str):
            pieces.append(DatedObservation(at_ns, at_ns, KeyObserved(what)))
        elif what < 0:
            pieces.append(DatedObservation(at_ns, at_ns, CardObserved(dealt << 4 | -what)))
            dealt += 1
        else:
            item, lay = ChipsObserved(0, "main", lay, what), what
            pieces.append(DatedObservation(at_ns - before_ns, at_ns, item))
    return pieces


def piece_by_piece(begun: Lattice, pieces: list[DatedObservation]) -> Lattice:
    """The lattice after each piece in turn."""
    for dated in pieces:
        begun = begun.observe(dated)
    return begun


HOUSES = st.sampled_from(["hollywood-penn-national", "pitch-h17"])
OBSERVED = st.lists(st.tuples(LATER, st.integers(1, 9), st.integers(0, 25)), max_size=8).map(observed)
OUTAGE = st.builds(
    lambda from_ns, lasts_ns: Outage(0, from_ns, from_ns + lasts_ns, zones=("main",)),
    st.integers(1, 100),
    st.integers(0, 40),
)


@given(HOUSES, OBSERVED, st.booleans())
def test_evidence_taken_all_at_once_leaves_the_same_plays_as_piece_by_piece(
    name: str, pieces: list[DatedObservation], lost: bool
) -> None:
    outages = (Outage(0, 60, 80, zones=("main",)),) if lost else ()
    begun = Lattice.begin(RULES[name], [1_000], outages=outages)
    one_by_one, at_once = piece_by_piece(begun, pieces), begun.observe_all(pieces)
    assert (at_once.cuts, at_once.cards, at_once.game.deal) == (
        one_by_one.cuts,
        one_by_one.cards,
        one_by_one.game.deal,
    )


OTHER_INTERVAL = st.tuples(st.integers(0, 12), st.integers(-30, 40), st.integers(0, 60))


@given(HOUSES, OBSERVED, st.lists(OTHER_INTERVAL, max_size=3), st.integers(0, 12))
def test_other_intervals_and_evidence_put_off_leave_the_same_plays_as_if_they_had_been_known(
    name: str, pieces: list[DatedObservation], others: list[tuple[int, int, int]], put_off: int
) -> None:
    known = Lattice.begin(RULES[name], [1_000]).observe_all(pieces)
    changed = list(pieces)
    for place, before_ns, after_ns in others:
        if place < len(pieces) and isinstance(pieces[place].item, ChipsObserved):
            last_ns = pieces[place].last_ns + after_ns
            first_ns = min(max(1, pieces[place].first_ns - before_ns), last_ns)
            changed[place] = replace(pieces[place], first_ns=first_ns, last_ns=last_ns)
    if put_off < len(changed) and isinstance(changed[put_off].item, ChipsObserved):
        changed.append(changed.pop(put_off))
    late, begun = known.with_evidence(tuple(changed)), Lattice.begin(RULES[name], [1_000]).observe_all(changed)
    assert late is not None
    assert (late.cuts, late.evidence, late.cards, late.game.deal) == (
        begun.cuts,
        begun.evidence,
        begun.cards,
        begun.game.deal,
    )


@given(HOUSES, OBSERVED, st.lists(OUTAGE, max_size=2), OUTAGE)
def test_what_is_found_unseen_late_leaves_the_same_plays_as_if_it_had_been_known(
    name: str, pieces: list[DatedObservation], before: list[Outage], found: Outage
) -> None:
    *earlier, last = pieces
    outages = (*before, found)
    known = Lattice.begin(RULES[name], [1_000], outages=outages).observe_all(pieces)
    begun = Lattice.begin(RULES[name], [1_000], outages=tuple(before))
    late = piece_by_piece(begun, earlier).with_unseen(outages, last)
    assert late is not None
    assert (late.cuts, late.evidence, late.cards, late.game.deal, late.outages) == (
        known.cuts,
        known.evidence,
        known.cards,
        known.game.deal,
        known.outages,
    )


def test_nor_is_more_kept_of_what_came_before_than_would_have_been_followed_in_time() -> None:
    """Two pairs of eights that are split and hit unseen: more than is walked where something went unseen."""
    rules = RULES["hollywood-penn-national"]
    rules = replace(rules, options=replace(rules.options, chip_unit_cents=100))
    ranks = [8, 8, 6, 8, 8, 10, 2, 2, 2, 2, 3]
    at_ns = [10 * (place + 1) for place in range(len(ranks))]
    dealt = [
        DatedObservation(ns, ns, CardObserved(n << 4 | rank))
        for n, (ns, rank) in enumerate(zip(at_ns, ranks, strict=True))
    ]
    seen = [DatedObservation(65 + box, 115 + box, ChipsObserved(box, "main", 1_000, 3_000)) for box in (0, 1)]
    before = tuple(Outage(box, 65, 195, zones=("main",)) for box in (0, 1))
    followed = piece_by_piece(Lattice.begin(rules, [1_000, 1_000], outages=before), [*dealt, *seen])
    assert followed.frontier
    last = DatedObservation(300, 310, ChipsObserved(0, "main", 3_000, 0))
    assert followed.with_unseen((*before, Outage(0, 300, 310, zones=("main",))), last) is None
