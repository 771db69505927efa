"""The lattice and the census against a walk over every single path, on rounds small enough for that."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.core.game.hand import Outcome, points_of, seen, total
from controller.core.game.play import Play
from controller.core.game.position import BoxStatus, Node
from controller.core.game.rules import Options
from controller.core.game.settlement import DealerEnd, main_net
from controller.core.inference.dues import main_due
from controller.core.inference.lattice import Lattice
from controller.core.inference.observation import (
    CardObserved,
    ChipsObserved,
    DatedObservation,
    KeyObserved,
    Layout,
    Observation,
)
from controller.core.inference.play_count import PlayCounter
from controller.core.inference.successors import endings, successors
from firmware_protocols.cards import Card
from tests.core.houses import RULES

CompletePlay = tuple[tuple[Outcome | None, ...], tuple[int, ...], tuple[int, ...], tuple[bool, ...]]
"""How each box ended, the dealer's drawn cards, the insurance counted, even money by box."""

RANKS = st.sampled_from("AA23456788899TTKK")


def may_be_next(left: frozenset[int], index: int, evidence: tuple[DatedObservation, ...]) -> bool:
    """Whether nothing else that is left must come before this piece of evidence."""
    later = evidence[index]
    for other in left - {index}:
        earlier = evidence[other]
        if earlier.last_ns < later.first_ns:
            return False
        if other < index and kept_in_order(earlier.item, later.item):
            return False
    return True


def kept_in_order(one: Observation, other: Observation) -> bool:
    if isinstance(one, CardObserved) and isinstance(other, CardObserved):
        return True
    return (
        isinstance(one, ChipsObserved)
        and isinstance(other, ChipsObserved)
        and (one.box, one.zone) == (other.box, other.zone)
    )


class Walk:
    """Every path through one round's evidence."""

    def __init__(self, found: Lattice, hole_points: int) -> None:
        self.found = found
        self.play: Play = found.game
        self.hole = hole_points
        nothing: tuple[Outcome | None, ...] = tuple(None for _ in found.wagers)
        contents = {(box, "main"): cents for box, cents in enumerate(found.wagers)}
        (start,) = Lattice.begin(found.rules, found.wagers).frontier
        everything = frozenset(range(len(found.evidence)))
        self.plays: set[CompletePlay] = set(self.walk(start, nothing, everything, contents))

    def layout(self, contents: dict[tuple[int, str], int]) -> Layout:
        boxes = range(len(self.found.wagers))
        caps = [self.found.rules.insurance_cap_cents(wager) for wager in self.found.wagers]
        insured = tuple(min(contents.get((box, "insurance"), 0), caps[box]) for box in boxes)
        return Layout(tuple(contents[box, "main"] for box in boxes), insured)

    def walk(
        self,
        node: Node,
        ended: tuple[Outcome | None, ...],
        left: frozenset[int],
        contents: dict[tuple[int, str], int],
    ) -> Iterator[CompletePlay]:
        layout = self.layout(contents)
        if not left:
            for final, emitted in endings(self.play, node, layout):
                if final.hole >> self.hole & 1:
                    paid = tuple(box.kind is BoxStatus.EVEN_MONEY for box in final.boxes)
                    yield with_ends(ended, emitted), final.drawn, final.insured, paid
            return
        for index in left:
            if not may_be_next(left, index, self.found.evidence):
                continue
            item = self.found.evidence[index].item
            after = {**contents, (item.box, item.zone): item.after} if isinstance(item, ChipsObserved) else contents
            for reached, emitted in successors(self.play, node, item, layout):
                yield from self.walk(reached, with_ends(ended, emitted), left - {index}, after)

    def dues(self, box: int) -> set[int]:
        """The nets of a box's main wager over all plays."""
        up = self.play.up_points
        found: set[int] = set()
        for ended, drawn, _, paid in self.plays:
            outcome = ended[box]
            assert outcome is not None
            points = min(total((up, self.hole, *(points_of(card) for card in drawn)))[0], 22)
            end = DealerEnd(natural={up, self.hole} == {1, 10}, total=points)
            found.add(main_net(self.found.rules, outcome, end, even_money=paid[box]).cents)
        return found


def with_ends(
    ended: tuple[Outcome | None, ...], emitted: tuple[tuple[int, Outcome], ...]
) -> tuple[Outcome | None, ...]:
    boxes = list(ended)
    for box, outcome in emitted:
        boxes[box] = outcome
    return tuple(boxes)


@st.composite
def rounds(draw: st.DrawFn) -> tuple[Lattice, int]:
    """A deal, then whatever is drawn that some play explains, and cards for the dealer; changes may overlap cards."""
    options = Options(
        stand_key=draw(st.sampled_from(["sometimes", "always"])),
        busts_taken=draw(st.sampled_from(["sometimes", "at_once"])),
        surrender_shown=draw(st.sampled_from(["always", "sometimes"])),
        even_money_shown=draw(st.sampled_from(["key", "chips"])),
    )
    rules = replace(RULES[draw(st.sampled_from(sorted(RULES)))], options=options)
    boxes = draw(st.integers(1, 2))
    deal = 2 * boxes + 2
    found = Lattice.begin(rules, [1000] * boxes)
    for moment in range(deal):
        found = found.observe(DatedObservation(moment * 10, moment * 10, card(draw, moment)))
    moment = deal * 10
    for _ in range(draw(st.integers(1, 6))):
        moment += 10
        after = found.observe(strewn(draw, found, moment, boxes))
        found = after if after.frontier else found
    hole = points_of(found.cards[deal - 1])
    for _ in range(5):
        if found.ends(hole):
            break
        moment += 10
        after = found.observe(DatedObservation(moment, moment, card(draw, len(found.cards))))
        found = after if after.frontier else found
    return found, hole


def card(draw: st.DrawFn, place: int) -> CardObserved:
    return CardObserved(seen(place, Card(f"{draw(RANKS)}h")))


def strewn(draw: st.DrawFn, found: Lattice, moment: int, boxes: int) -> DatedObservation:
    """A card, a key, or a change that is reported now and may have happened a while ago."""
    box = draw(st.integers(0, boxes - 1))
    match draw(st.sampled_from(["card", "chips", "chips", "key"])):
        case "card":
            return DatedObservation(moment, moment, card(draw, len(found.cards)))
        case "chips":
            zone = draw(st.sampled_from(["main", "main", "main", "insurance"]))
            before = found.contents.get((box, zone), 1000 if zone == "main" else 0)
            after = draw(st.sampled_from([0, 500, 1000, 1500, 2000, 3000]))
            ago = draw(st.sampled_from([0, 0, 5, 15, 25]))
            return DatedObservation(moment - ago, moment, ChipsObserved(box, zone, before, after))
        case _:
            action = draw(st.sampled_from(["stand", "stand", "hit", "double", "split", "surrender", "even_money"]))
            return DatedObservation(moment, moment, KeyObserved(action, draw(st.sampled_from([None, box]))))


@settings(max_examples=250)
@given(rounds())
def test_lattice_and_census_agree_with_every_single_path(dealt: tuple[Lattice, int]) -> None:
    found, hole = dealt
    walk = Walk(found, hole)
    assert PlayCounter(found, hole).plays() == len(walk.plays)
    ends = found.ends(hole)
    assert bool(ends) == bool(walk.plays)
    for box in range(len(found.wagers)):
        if walk.plays:
            assert set(main_due(found, ends, box, hole).cents()) == walk.dues(box)
    assert {node.drawn for node in ends} == {drawn for _, drawn, _, _ in walk.plays}
    assert {node.insured for node in ends} == {insured for _, _, insured, _ in walk.plays}
