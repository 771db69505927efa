"""A round as lines of evidence, and everything its legal plays agree on: ``tableside reconstruct``."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from controller.core.game.hand import RANKS, PlayedHand, hole_place, place_of, seen
from controller.core.game.rules import Rules
from controller.core.game.side_bet import SideNet, find
from controller.core.inference.aggregate_limit import side_dues
from controller.core.inference.dues import Due
from controller.core.inference.fault_search import Search, single_fault
from controller.core.inference.faults import UNKNOWN, ObservedRound, RankedObservation
from controller.core.inference.feasibility import SearchMemory
from controller.core.inference.lattice import Lattice, PlayAnswer, TooManySequences
from controller.core.inference.observation import CardObserved, ChipsObserved, DatedObservation, KeyObserved, idle
from controller.core.inference.outcome_classes import LatticeCase
from controller.core.inference.question import best_question
from controller.core.inference.side_dues import SideEvidence, nets_listed, sides
from controller.core.inference.unobserved import Outage
from controller.core.inference.unread_cards import (
    HoleHypothesis,
    Judgement,
    TooManyUnread,
    UnreadCardHypotheses,
    UnreadCardHypothesis,
)
from firmware_protocols.cards import Card
from firmware_protocols.values import Value

_UNREAD = "??"
_NO_PLAY = "no legal play explains the evidence"

_Faces = tuple[tuple[str, ...], ...]
"""Hands left to right, each the faces in the order received."""


class CaseAlert(Value, frozen=True, tag=False):
    """A change of chips that means nothing."""

    kind: str
    spot: int
    zone: str
    before_cents: int
    after_cents: int


class CaseAccount(Value, frozen=True, tag=False):
    """The account that all legal plays agree on; None where they differ or no play is legal. Keys are spots."""

    plays: int
    hands: dict[str, _Faces | None] | None
    stakes: dict[str, tuple[int, ...] | None] | None
    dealer: tuple[str, ...] | None
    due_cents: dict[str, dict[str, int | None]] | None
    possible_cents: dict[str, dict[str, list[int]]] | None
    question: dict[str, Any] | None
    irregularity: str | None
    alerts: list[CaseAlert]


class RoundCase:
    """Takes evidence piece by piece; ``account`` may be asked at any moment."""

    def __init__(self, rules: Rules, wagers: dict[int, dict[str, int]]) -> None:
        self.rules = rules
        self.contents: dict[tuple[int, str], int] = {
            (spot, zone): cents for spot, zones in wagers.items() for zone, cents in zones.items()
        }
        self.declared: dict[int, int] = {}
        self.early: list[tuple[str, int | None, int]] = []
        """Keys that were reported before the first card."""
        self.said: list[tuple[int, dict[str, Any]]] = []
        """Answers given before the first card."""
        self.spots: tuple[int, ...] = ()
        self.faces: list[Card | None] = []
        self.hypotheses: UnreadCardHypotheses | None = None
        self.answers: tuple[PlayAnswer, ...] = ()
        self.alerts: list[CaseAlert] = []
        self.irregularity: str | None = None
        self.unreadable: str | None = None
        self.side_wagers: dict[tuple[int, str], int] = {}
        self.closed = False
        self.turned = False
        """Whether the outside has heard that the hole card is turned, which nothing undoes."""
        self.device_outages: tuple[tuple[str, int, int], ...] = ()
        self.memory = SearchMemory()
        """What searches for a likely cause have in common, line after line."""

    # --- evidence -----------------------------------------------------------------------------------

    def declare(self, spot: int, cents: int) -> None:
        """A box without chips is in play. To be said before the first card: it shifts the whole deal."""
        self.declared[spot] = cents

    def card(self, face: Card | None, at_ns: int) -> None:
        """A card left the shoe."""
        if self.hypotheses is None:
            self.begin()
            for action, spot, pressed_ns in self.early:
                self.key(action, spot, pressed_ns)
        place = len(self.faces)
        self.faces.append(face)
        hole = place == self.hole_place()
        observed = place << 4 if hole or face is None else seen(place, face)
        self.observe(DatedObservation(at_ns, at_ns, CardObserved(observed)))

    def chips(self, spot: int, zone: str, cents: int, first_ns: int, last_ns: int) -> None:
        """The content of a zone changed; before the first card that is betting."""
        before = self.contents.get((spot, zone), 0)
        self.contents[spot, zone] = cents
        if self.hypotheses is None or before == cents:
            return
        if zone in self.rules.side_bets and find(zone).placed != "after_deal" and spot in self.spots:
            return
        box = self.spots.index(spot) if spot in self.spots else -1
        if box < 0 or not self.moved(DatedObservation(first_ns, last_ns, ChipsObserved(box, zone, before, cents))):
            self.alerts.append(CaseAlert("chips_unexplained", spot, zone, before, cents))

    def hole_place(self) -> int:
        """The place of the hole card among the round's cards; -1 where no hole card is dealt."""
        return hole_place(len(self.spots), hole=self.rules.has_hole_card())

    def hole(self) -> int | None:
        """The rank of the hole card, once it has left the shoe and if it was read."""
        place = self.hole_place()
        face = self.faces[place] if 0 <= place < len(self.faces) else None
        return None if face is None else RANKS[face.rank]

    def moved(self, dated: DatedObservation) -> bool:
        """Whether some play explains a change. One that takes the last play away only says what lies there."""
        assert self.hypotheses is not None
        after = self.attempt(self.hypotheses, dated)
        if after is None:
            return False
        if self.hypotheses.legal(self.hole()) and not after.legal(self.hole()):
            # What only another hole card explains still shows that the players have finished.
            self.turned = self.turned or self.is_turned(after)
            self.observe(replace(dated, item=idle(dated.item)))
            return False
        self.hypotheses = after
        return True

    def key(self, action: str, spot: int | None, at_ns: int) -> None:
        """The dealer pressed a key. One reported before the first card belongs to the round by its time alone."""
        if self.hypotheses is None:
            self.early.append((action, spot, at_ns))
            return
        if spot is not None and spot not in self.spots:
            self.fail(f"a key names spot {spot}, which has no wager")
            return
        self.observe(
            DatedObservation(at_ns, at_ns, KeyObserved(action, None if spot is None else self.spots.index(spot)))
        )

    def answer(self, spot: int, fields: dict[str, Any]) -> None:
        """An operator answered; it holds of the whole round, whenever it is said."""
        if self.hypotheses is None:
            self.said.append((spot, fields))
        elif self.take_answer(spot, fields):
            self.hypotheses = self.hypotheses.replayed_with(self.answers, self.reader_outages())

    def take_answer(self, spot: int, fields: dict[str, Any]) -> bool:
        """Take an answer in; False: it speaks of a spot that is not in play."""
        if spot not in self.spots:
            self.fail(f"an answer names spot {spot}, which has no wager")
            return False
        self.answers = (*self.answers, PlayAnswer(box=self.spots.index(spot), **fields))
        return True

    def health(self, device: str, from_ns: int, to_ns: int) -> None:
        """From here to there a device's silence means nothing; of a reader its spot names the device."""
        self.device_outages = (*self.device_outages, (device, from_ns, to_ns))
        if self.hypotheses is not None:
            self.hypotheses = self.hypotheses.replayed_with(self.answers, self.reader_outages())

    def reader_outages(self) -> tuple[Outage, ...]:
        """The outages of readers, by box."""
        named = {f"reader {spot}": box for box, spot in enumerate(self.spots)}
        return tuple(
            Outage(named[name], from_ns, to_ns) for name, from_ns, to_ns in self.device_outages if name in named
        )

    def close(self) -> None:
        """The round is over."""
        self.closed = True

    def begin(self) -> None:
        """The bets are locked."""
        wagers = {spot: cents for (spot, zone), cents in self.contents.items() if zone == "main" and cents}
        # As at the table: chips at a spot overtake its declaration.
        boxes = {spot: cents for spot, cents in self.declared.items() if cents and spot not in wagers}
        wagers.update(boxes)
        self.spots = tuple(sorted(wagers))
        for spot, fields in self.said:
            self.take_answer(spot, fields)
        lying = {
            (box, "main"): self.contents.get((spot, "main"), 0) for box, spot in enumerate(self.spots) if spot in boxes
        }
        self.side_wagers = {
            key: cents for key, cents in self.contents.items() if key[1] in self.rules.side_bets and cents
        }
        mains = [wagers[spot] for spot in self.spots]
        lattice = Lattice.begin(self.rules, mains, lying, self.answers, self.reader_outages())
        self.hypotheses = UnreadCardHypotheses((UnreadCardHypothesis((), lattice),))

    def observe(self, dated: DatedObservation) -> None:
        """Evidence that is never dropped."""
        assert self.hypotheses is not None
        after = self.attempt(self.hypotheses, dated)
        if after is not None:
            self.hypotheses = after

    def attempt(self, hypotheses: UnreadCardHypotheses, dated: DatedObservation) -> UnreadCardHypotheses | None:
        """The hypotheses with one more piece of evidence; None if too much is left open."""
        try:
            return hypotheses.observe(dated)
        except TooManySequences:
            self.fail("the times of the readings leave too many orders open")
        except TooManyUnread:
            self.fail("too many cards could not be read")
        return None

    def fail(self, reason: str) -> None:
        """The evidence is more than can be judged, or speaks of a box that is not there."""
        self.unreadable = self.unreadable or reason

    # --- what follows -------------------------------------------------------------------------------

    def account(self, *, outside: bool = False) -> CaseAccount:
        """The account that all plays agree on; ``outside``: without the hole card until it is turned."""
        judgement = self.judgement(outside=outside)
        if judgement is None:
            return self.nothing(outside=outside)
        boxes = dict(enumerate(self.spots))
        sides_due = side_dues(self.view(judgement), self.staked())
        dues = {spot: self.dues(judgement, box, sides_due) for box, spot in boxes.items()}
        ways = {spot: judgement.hands(box) for box, spot in boxes.items()}
        return CaseAccount(
            plays=judgement.plays(),
            hands={str(spot): _agreed({self.faces_of(way) for way in found}) for spot, found in ways.items()},
            stakes={str(spot): _agreed({_stakes_of(way) for way in found}) for spot, found in ways.items()},
            dealer=self.dealer(judgement),
            due_cents={str(spot): {bet: _only(nets) for bet, nets in bets.items()} for spot, bets in dues.items()},
            possible_cents={str(spot): bets for spot, bets in dues.items()},
            question=self.question(judgement),
            irregularity=self.irregularity,
            alerts=self.alerts,
        )

    def question(self, judgement: Judgement) -> dict[str, Any] | None:
        """What should be asked, once the round is closed and some due still differs."""
        if not self.closed:
            return None
        cases = tuple(
            LatticeCase(
                end.lattice,
                end.points,
                sides(self.view(Judgement((end,), closed=True)), self.staked(), _offered_zone(end)),
            )
            for end in judgement.ended
        )
        asked = best_question(cases, compared=False) if cases else None
        if asked is None:
            return None
        about = {
            "spot": self.spots[asked.box],
            "ask": asked.kind,
            "text": asked.text(self.spots),
            "choices": list(asked.choices()),
        }
        return {**about, "hand": asked.hand} if asked.kind == "cards" else about

    def judgement(self, *, outside: bool) -> Judgement | None:
        """All plays; None if there is none."""
        self.irregularity = self.unreadable
        dealt = self.hypotheses is not None and len(self.faces) >= self.hypotheses.hypotheses[0].lattice.game.deal_cards
        if self.closed and not dealt:
            self.irregularity = self.irregularity or "the round was closed before the deal was complete"
        elif self.hypotheses is None and self.early:
            self.irregularity = _NO_PLAY
        if self.hypotheses is None or self.irregularity:
            return None
        self.turned = self.turned or (dealt and self.is_turned(self.hypotheses))
        turned = dealt and (self.closed or not outside or self.turned)
        judgement = self.hypotheses.judgement(self.hole(), turned=turned, closed=self.closed)
        if not judgement.ended:
            self.irregularity = _NO_PLAY
            return None
        return judgement

    def is_turned(self, hypotheses: UnreadCardHypotheses) -> bool:
        """By its key, or because every play has the players finished."""
        nodes = [
            (hypothesis.lattice.game, node)
            for hypothesis in hypotheses.hypotheses
            for node in hypothesis.lattice.frontier
        ]
        return bool(nodes) and all(node.turned or play.finished(node) for play, node in nodes)

    def staked(self) -> dict[tuple[int, str], int]:
        """What the side wagers placed before the deal staked, by box and bet."""
        return {(self.spots.index(s), bet): cents for (s, bet), cents in self.side_wagers.items() if s in self.spots}

    def dues(
        self, judgement: Judgement, box: int, sides_due: dict[tuple[int, str], set[SideNet | None]]
    ) -> dict[str, list[int]]:
        """The nets that remain possible for each wager of a box; none where a further card may change them."""
        insured = judgement.insurance(box)
        found = {"main": _nets_of(judgement.main(box)), **({} if insured is None else {"insurance": _nets_of(insured)})}
        offered = self.still_offered(judgement, box)
        found |= {zone: [] for zone in offered}
        for bet in self.rules.side_bets:
            if (box, bet) in sides_due and bet not in offered:
                found[bet] = nets_listed(sides_due[box, bet])
        return found

    def still_offered(self, judgement: Judgement, box: int) -> frozenset[str]:
        """Insurance, or another wager made after the deal, whose chips lie there and may still be changed."""
        if self.closed:
            return frozenset()
        open_now = [end.lattice for end in judgement.ended if any(node.offers for node in end.frontier)]
        zones = {lattice.game.offered_zone: lattice.contents for lattice in open_now}
        return frozenset(zone for zone, contents in zones.items() if zone and contents.get((box, zone)))

    def view(self, judgement: Judgement) -> SideEvidence:
        """The round as side wagers see it."""
        return SideEvidence(self.rules, self.faces, len(self.spots), self.hole_place(), judgement)

    def dealer(self, judgement: Judgement) -> tuple[str, ...] | None:
        """The dealer's cards; the hole card as ?? until it is turned."""
        boxes, hole = len(self.spots), self.hole_place()
        drawn = {tuple(self.face(card) for card in cards) for cards in judgement.drawn()}
        if len(drawn) != 1:
            return None
        shown = [self.text(boxes)] if len(self.faces) > boxes else []
        if 0 <= hole < len(self.faces):
            shown.append(self.text(hole) if judgement.ended[0].points is not None else _UNREAD)
        return (*shown, *drawn.pop())

    def faces_of(self, hands: tuple[PlayedHand, ...]) -> _Faces:
        """The faces of hands in the order received."""
        return tuple(tuple(self.face(card) for card in hand.cards) for hand in hands)

    def face(self, card: int) -> str:
        """A remembered card as it was read."""
        return self.text(place_of(card))

    def text(self, place: int) -> str:
        """A face, ?? for an unread one."""
        return str(self.faces[place] or _UNREAD)

    def irregularity_with_cause(self, *, outside: bool) -> str | None:
        """Why there is no legal play, with the likely cause if one stands out; ``outside``: asked line by line."""
        if self.irregularity != _NO_PLAY or self.hypotheses is None or None in self.faces or self.device_outages:
            return self.irregularity
        lattice = self.hypotheses.hypotheses[0].lattice
        basis = (self.answers, self.closed, sum(isinstance(dated.item, ChipsObserved) for dated in lattice.evidence))
        if outside and self.memory.hopeless == basis:
            return self.irregularity
        hidden = -1 if self.closed else self.hole_place()
        ranks = [UNKNOWN if at == hidden else RANKS[f.rank] for at, f in enumerate(self.faces) if f is not None]
        pieces = tuple(
            RankedObservation(dated, ranks[place_of(dated.item.card)] if isinstance(dated.item, CardObserved) else None)
            for dated in lattice.evidence
        )
        names = tuple(str(number) for number in range(1, len(ranks) + 1))
        fields = (self.rules, lattice.wagers, lattice.cuts[0].contents, pieces, names, self.spots)
        search = Search(memory=self.memory if outside else None)
        cause = single_fault(ObservedRound(*fields, self.closed, self.closed, self.answers), search)
        self.memory.hopeless = basis if search.hopeless else ()
        return f"{self.irregularity}; likely {cause}" if cause else self.irregularity

    def nothing(self, *, outside: bool) -> CaseAccount:
        """No legal play: nothing is known; or no card yet: one play of which there is nothing to tell."""
        irregularity = self.irregularity_with_cause(outside=outside)
        if self.irregularity:
            return CaseAccount(0, None, None, None, None, None, None, irregularity, self.alerts)
        return CaseAccount(1, {}, {}, (), {}, {}, None, None, self.alerts)


def _offered_zone(end: HoleHypothesis) -> str:
    """The zone of what is offered after the deal against the up card of these plays."""
    return end.lattice.game.offered_zone


def _only(nets: list[int]) -> int | None:
    """The one net, or None."""
    return nets[0] if len(nets) == 1 else None


def _agreed(ways: set[Any]) -> Any:  # noqa: ANN401 - whatever they agree on
    """The one way, or None where there are several."""
    return next(iter(ways)) if len(ways) == 1 else None


def _nets_of(due: Due) -> list[int]:
    """The nets that remain, or none where it is not known yet which."""
    return list(due.cents()) if due.known else []


def _stakes_of(hands: tuple[PlayedHand, ...]) -> tuple[int, ...]:
    """The whole stake of each hand."""
    return tuple(hand.stake_cents() for hand in hands)


def recounted_bytes(account: CaseAccount) -> bytes:
    """One JSON object."""
    return msgspec.json.encode(account)
