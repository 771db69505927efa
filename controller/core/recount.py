"""A round told as lines of evidence, and everything its legal plays agree on: ``tableside reconstruct``."""

from __future__ import annotations

from typing import Any

import msgspec

from controller.core.census import Graph
from controller.core.dues import Due
from controller.core.hand import RANKS, PlayedHand, place_of, seen
from controller.core.moves import CardCame, ChipsMoved, KeySpoke
from controller.core.question import Case, best_question
from controller.core.reconstruction import Answer, Dated, Reconstruction, TooManyOrders
from controller.core.rules import Rules
from controller.core.worlds import Judgement, TooManyUnread, World, Worlds, judge
from firmware_protocols.cards import Card
from firmware_protocols.values import Value

UNREAD = "??"


class Alert(Value, frozen=True, tag=False):
    """A change of chips that means nothing."""

    kind: str
    spot: int
    zone: str
    before_cents: int
    after_cents: int


class Recounted(Value, frozen=True, tag=False):
    """What all legal plays agree on; None where they differ. Keys of the dictionaries are spots."""

    plays: int
    hands: dict[str, list[list[str]] | None]
    stakes: dict[str, list[int] | None]
    dealer: list[str] | None
    due_cents: dict[str, dict[str, int | None]]
    possible_cents: dict[str, dict[str, list[int]]]
    question: dict[str, Any] | None
    irregularity: str | None
    alerts: list[Alert]


class Recount:
    """Takes evidence piece by piece; ``told`` may be asked at any moment."""

    def __init__(self, rules: Rules, wagers: dict[int, dict[str, int]]) -> None:
        self.rules = rules
        self.contents: dict[tuple[int, str], int] = {
            (spot, zone): cents for spot, zones in wagers.items() for zone, cents in zones.items()
        }
        self.declared: dict[int, int] = {}
        self.spots: tuple[int, ...] = ()
        self.faces: list[Card | None] = []
        self.worlds: Worlds | None = None
        self.answers: tuple[Answer, ...] = ()
        self.alerts: list[Alert] = []
        self.irregularity: str | None = None
        self.closed = False
        self.silences: tuple[tuple[str, int, int], ...] = ()

    # --- evidence -----------------------------------------------------------------------------------

    def declare(self, spot: int, cents: int) -> None:
        """A box without chips is in play."""
        self.declared[spot] = cents

    def card(self, face: Card | None, at_ns: int) -> None:
        """A card left the shoe."""
        if self.worlds is None:
            self.begin()
        place = len(self.faces)
        self.faces.append(face)
        hole = place == 2 * len(self.spots) + 1
        told = place << 4 if hole or face is None else seen(place, face)
        self.observe(Dated(at_ns, at_ns, CardCame(told)))

    def chips(self, spot: int, zone: str, cents: int, first_ns: int, last_ns: int) -> None:
        """The content of a zone changed; before the first card that is betting."""
        before = self.contents.get((spot, zone), 0)
        self.contents[spot, zone] = cents
        if self.worlds is None or before == cents:
            return
        if zone not in {"main", "insurance"} and spot in self.spots:
            return
        box = self.spots.index(spot) if spot in self.spots else -1
        if box < 0 or not self.moved(Dated(first_ns, last_ns, ChipsMoved(box, zone, before, cents))):
            self.alerts.append(Alert("unexplained_change", spot, zone, before, cents))

    def moved(self, dated: Dated) -> bool:
        """Whether some play explains a change; if none does it is left out of the account."""
        assert self.worlds is not None
        after = self.attempt(self.worlds, dated)
        if after is None or not after.legal:
            return False
        self.worlds = after
        return True

    def key(self, action: str, spot: int | None, at_ns: int) -> None:
        """The dealer pressed a key."""
        if self.worlds is None:
            return
        if spot is not None and spot not in self.spots:
            self.fail(f"a key names spot {spot}, which has no wager")
            return
        self.observe(Dated(at_ns, at_ns, KeySpoke(action, None if spot is None else self.spots.index(spot))))

    def answer(self, spot: int, fields: dict[str, Any]) -> None:
        """An operator answered."""
        if self.worlds is None or spot not in self.spots:
            self.fail(f"an answer names spot {spot}, which has no wager")
            return
        self.answers = (*self.answers, Answer(box=self.spots.index(spot), **fields))
        self.worlds = self.worlds.again(self.answers)
        if not self.worlds.legal:
            self.fail("no legal play agrees with the answer")

    def health(self, device: str, from_ns: int, to_ns: int) -> None:
        """From here to there a device's silence means nothing."""
        self.silences = (*self.silences, (device, from_ns, to_ns))

    def close(self) -> None:
        """The round is over."""
        self.closed = True

    def begin(self) -> None:
        """The bets are locked."""
        wagers = {spot: cents for (spot, zone), cents in self.contents.items() if zone == "main" and cents}
        wagers.update(self.declared)
        self.spots = tuple(sorted(wagers))
        lying = {
            (box, "main"): self.contents.get((spot, "main"), 0)
            for box, spot in enumerate(self.spots)
            if spot in self.declared
        }
        found = Reconstruction.begin(self.rules, [wagers[spot] for spot in self.spots], lying, self.answers)
        self.worlds = Worlds((World((), found),))

    def observe(self, dated: Dated) -> None:
        """Evidence that is never dropped."""
        assert self.worlds is not None
        after = self.attempt(self.worlds, dated)
        if after is not None:
            self.worlds = after
            if not after.legal:
                self.fail("no legal play explains the evidence")

    def attempt(self, worlds: Worlds, dated: Dated) -> Worlds | None:
        """The worlds with one more piece of evidence; None if too much is left open."""
        try:
            return worlds.observe(dated)
        except TooManyOrders:
            self.fail("the times of the readings leave too many orders open")
        except TooManyUnread:
            self.fail("too many cards could not be read")
        return None

    def fail(self, reason: str) -> None:
        """No legal play is left."""
        self.irregularity = self.irregularity or reason

    # --- what follows -------------------------------------------------------------------------------

    def told(self) -> Recounted:
        """What all plays agree on, as the outside may see it now."""
        judgement = self.judgement()
        if judgement is None:
            return self.nothing()
        boxes = dict(enumerate(self.spots))
        dues = {spot: self.dues(judgement, box) for box, spot in boxes.items()}
        hands = {spot: agreed(judgement.hands(box)) for box, spot in boxes.items()}
        return Recounted(
            plays=judgement.plays(),
            hands={
                str(s): None if h is None else [[self.face(c) for c in x.cards] for x in h] for s, h in hands.items()
            },
            stakes={str(s): None if h is None else [x.stake_cents() for x in h] for s, h in hands.items()},
            dealer=self.dealer(judgement),
            due_cents={str(s): {bet: due_of(d) for bet, d in bets.items()} for s, bets in dues.items()},
            possible_cents={str(s): {bet: list(d.cents()) for bet, d in bets.items()} for s, bets in dues.items()},
            question=self.question(judgement),
            irregularity=self.irregularity,
            alerts=self.alerts,
        )

    def question(self, judgement: Judgement) -> dict[str, Any] | None:
        """What should be asked, once the round is closed and some due still differs."""
        if not self.closed:
            return None
        cases = tuple(
            Case(end.found, Graph(end.found), end.points) for end in judgement.ended if end.points is not None
        )
        asked = best_question(cases) if cases else None
        if asked is None:
            return None
        spot = self.spots[asked.box]
        about = {"spot": spot, "ask": asked.kind, "text": asked.text(spot), "choices": list(asked.choices())}
        return {**about, "hand": asked.hand} if asked.kind == "cards" else about

    def judgement(self) -> Judgement | None:
        """All plays; None if there is none."""
        if self.worlds is None or self.irregularity or not self.worlds.legal:
            return None
        hole_place = 2 * len(self.spots) + 1
        if self.closed and len(self.faces) <= hole_place:
            self.fail("the round was closed before the deal was complete")
            return None
        turned = len(self.faces) > hole_place and (self.closed or self.is_turned(self.worlds))
        face = self.faces[hole_place] if turned else None
        judgement = judge(self.worlds, RANKS[face.rank] if face else None, turned=turned, closed=self.closed)
        if not judgement.ended:
            self.fail("no legal play explains the evidence")
            return None
        return judgement

    def is_turned(self, worlds: Worlds) -> bool:
        """By its key, or because every play has the players finished."""
        return all(
            node.turned or world.found.play().finished(node) for world in worlds.worlds for node in world.found.frontier
        )

    def dues(self, judgement: Judgement, box: int) -> dict[str, Due]:
        """The wagers of a box."""
        insured = judgement.insurance(box)
        main = {"main": judgement.main(box)}
        return main if insured is None else {**main, "insurance": insured}

    def dealer(self, judgement: Judgement) -> list[str] | None:
        """The dealer's cards; the hole card as ?? until it is turned."""
        boxes = len(self.spots)
        drawn = judgement.drawn()
        if len(drawn) != 1 or len(self.faces) <= boxes:
            return None
        shown = [self.text(boxes)]
        if len(self.faces) > 2 * boxes + 1:
            shown.append(self.text(2 * boxes + 1) if judgement.ended[0].points is not None else UNREAD)
        return shown + [self.face(card) for card in drawn.pop()]

    def faces_of(self, hands: tuple[PlayedHand, ...] | None) -> list[list[str]] | None:
        """The faces of hands in the order received."""
        return None if hands is None else [[self.face(card) for card in hand.cards] for hand in hands]

    def face(self, card: int) -> str:
        """A remembered card as it was read."""
        return self.text(place_of(card))

    def text(self, place: int) -> str:
        """A face, ?? for an unread one."""
        return str(self.faces[place] or UNREAD)

    def nothing(self) -> Recounted:
        """No legal play, or no card yet."""
        bets = {str(spot): {"main": None} for spot in self.spots}
        return Recounted(
            plays=0 if self.irregularity else 1,
            hands=dict.fromkeys(map(str, self.spots)),
            stakes=dict.fromkeys(map(str, self.spots)),
            dealer=None,
            due_cents={spot: dict(nets) for spot, nets in bets.items()},
            possible_cents={},
            question=None,
            irregularity=self.irregularity,
            alerts=self.alerts,
        )


def agreed(ways: set[Any]) -> Any:  # noqa: ANN401 - whatever they agree on
    """The one way, or None where there are several."""
    return next(iter(ways)) if len(ways) == 1 else None


def due_of(due: Due) -> int | None:
    """The net in cents, or None where it is open."""
    net = due.certain()
    return None if net is None else net.cents


def recounted_bytes(told: Recounted) -> bytes:
    """One JSON object."""
    return msgspec.json.encode(told)
