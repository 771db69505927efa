"""A scripted round, not an inferred one: the cards in the order they left the shoe, and the players' acts in words.

It drives the same ``Play`` as the reconstruction of a live round. An act the card does not allow is refused by the name
of the rule, and then it is as if it had not been asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from controller.core.game import refusals
from controller.core.game.hand import Outcome, best, deal_cards, hole_place, initial_hands, is_natural, points_of, seen
from controller.core.game.play import Play
from controller.core.game.position import BoxStatus, Deal, Emission, Hand, HandStatus, Node
from controller.core.game.refusals import Refusal
from controller.core.game.rules import Rules
from controller.core.game.settlement import NATURAL, DealerEnd
from controller.core.inference import successors
from firmware_protocols.cards import Card

DECISIONS: Final = frozenset({"hit", "stand", "double", "split", "surrender"})
ACTS: Final = DECISIONS | {"insurance", "even_money", "ez_bust"}
"""What a player may say."""


class ScriptedAct(NamedTuple):
    """What a player says: for which spot, of which of its hands from the left, for how much (None: the usual)."""

    spot: int
    act: str
    hand: int = 0
    cents: int | None = None


class ScriptError(ValueError):
    """The telling does not make a round: ``key`` says which part of it, the text why."""

    def __init__(self, key: str, text: str) -> None:
        super().__init__(text)
        self.key = key


class ScriptedPosition(NamedTuple):
    """How far a round has been scripted."""

    node: Node
    used: int
    """Cards that have left the shoe since the burn."""
    offered: tuple[int, ...]
    """Insurance or EZ Bust laid so far, by box."""
    ended: tuple[Outcome | None, ...]
    """How each box ended; None while it has not."""


class ScriptedEnding(NamedTuple):
    """A scripted round at its end; ``stopped`` if a device found the dealer's natural before play."""

    outcomes: tuple[Outcome, ...]
    even_money: tuple[bool, ...]
    offered: tuple[int, ...]
    """Insurance or EZ Bust that counted, by box."""
    dealer: tuple[int, ...]
    end: DealerEnd
    used: int
    stopped: bool

    def all_broke(self) -> bool:
        """Every hand at the table broke."""
        return all(outcome.all_broke() for outcome in self.outcomes)


class ScriptedRound:
    """One round's rules, wagers and cards. Holds nothing that changes: every act gives a new ``ScriptedPosition``.

    Raises:
        TellingError: (any method) the shoe ends before the round does.
    """

    def __init__(self, rules: Rules, mains: dict[int, int], shoe: Sequence[Card]) -> None:
        self.rules = rules
        self.spots = tuple(sorted(mains))
        self.box_of = {spot: box for box, spot in enumerate(self.spots)}
        self.shoe = tuple(shoe)
        self.cards = tuple(seen(place, face) for place, face in enumerate(self.shoe))
        boxes = len(self.spots)
        self.hole_place = hole_place(boxes, hole=rules.has_hole_card())
        if len(self.cards) < deal_cards(boxes, hole=rules.has_hole_card()):
            raise ScriptError("shoe", f"{len(self.cards)} cards are too few to deal to {boxes} boxes")
        wagers = tuple(mains[spot] for spot in self.spots)
        self.play = Play(rules, Deal(wagers, initial_hands(self.cards, boxes), self.cards[boxes]))

    def card(self, place: int) -> int:
        """The card at a place of the shoe."""
        if place >= len(self.cards):
            raise ScriptError("shoe", f"its {len(self.cards)} cards end before the round does")
        return self.cards[place]

    def deal(self) -> ScriptedPosition:
        """The round once the first cards are dealt."""
        boxes = len(self.spots)
        node, emitted = self.play.dealt(self.play.begin())
        start = ScriptedPosition(node, self.play.deal_cards, (0,) * boxes, (None,) * boxes)
        return _with_ended(start, node, emitted)

    def natural_found(self, standing: ScriptedPosition) -> bool:
        """Whether a device has found the dealer's natural, so that no box plays."""
        if self.rules.hole_check == "none" or not self.play.may_be_stopped(standing.node):
            return False
        return bool(1 << points_of(self.cards[self.hole_place]) & self.play.natural_hole)

    # --- acts ---------------------------------------------------------------------------------------

    def act(self, standing: ScriptedPosition, act: ScriptedAct) -> ScriptedPosition | Refusal:
        """The round after a player's act, or the rule that refuses it."""
        box = self.box_of.get(act.spot)
        if box is None:
            return refusals.no_wager(act.spot)
        if act.act in DECISIONS and self.natural_found(standing):
            return refusals.STOPPED
        match act.act:
            case "insurance" | "ez_bust":
                return self.offer(standing, box, act)
            case "even_money":
                return self.even_money(standing, box)
            case "surrender":
                return self.surrender(standing, box, act)
            case _:
                return self.decide(standing, box, act)

    def offer(self, standing: ScriptedPosition, box: int, act: ScriptedAct) -> ScriptedPosition | Refusal:
        """Insurance or EZ Bust; laid again it adds to what lies there."""
        cents = standing.offered[box] + (act.cents or 0)
        refused = refusals.of_offer(self.play, standing.node, box, act.act, cents)
        if refused is not None:
            return refused
        offered = (*standing.offered[:box], cents, *standing.offered[box + 1 :])
        return standing._replace(offered=offered)

    def even_money(self, standing: ScriptedPosition, box: int) -> ScriptedPosition | Refusal:
        """A natural paid 1 to 1 against an ace."""
        refused = refusals.of_even_money(self.play, standing.node, box, standing.offered[box])
        if refused is not None:
            return refused
        node, _ = next(successors.even_money(self.play, standing.node, box))
        return standing._replace(node=node)

    def surrender(self, standing: ScriptedPosition, box: int, act: ScriptedAct) -> ScriptedPosition | Refusal:
        """The box gives up; where the card allows it later too, the hand in play does."""
        node = standing.node
        for given_up, emitted in successors.surrenders(
            self.play, node, box, (), offered=self.play.surrender_offered(node)
        ):
            return self.go_on(standing, given_up, emitted)
        hand = self.play.hand_in_play(node)
        later = self.rules.surrender_on == "any_hand" and self.rules.surrender == "late"
        if later and hand is not None and node.acting == box and self.play.current(node) == act.hand and not hand.extra:
            given_up, emitted = self.play.give_up(node, hand, standing.offered)
            return self.go_on(standing, given_up, emitted)
        return refusals.of_surrender(self.play, node, box)

    def decide(self, standing: ScriptedPosition, box: int, act: ScriptedAct) -> ScriptedPosition | Refusal:
        """Hit, stand, double or split of the hand in play."""
        play, node = self.play, standing.node
        hand = play.hand_in_play(node)
        if hand is None or node.acting != box or play.current(node) != act.hand:
            return refusals.of_inactive_hand(play, node, standing.ended[box], (box, act.hand), act.act)
        cents = hand.base if act.cents is None else act.cents
        refused = refusals.of_decision(play, node, hand, act.act, cents)
        if refused is not None:
            return refused
        decided = play.decided(node, standing.offered)
        match act.act:
            case "stand":
                return self.go_on(standing, *play.stand(node, hand, standing.offered, ()))
            case "double":
                return self.go_on(standing, play.doubled(decided, hand, cents), ())
            case "split":
                return self.go_on(standing, play.split(decided), ())
            case _:
                return self.draw(standing._replace(node=decided), hand)

    def draw(self, standing: ScriptedPosition, hand: Hand) -> ScriptedPosition:
        """The next card of the shoe to the hand in play."""
        card = self.card(standing.used)
        taken = self.play.take_card(standing.node, hand, card)
        return self.go_on(standing._replace(used=standing.used + 1), *self.play.settle_hand(standing.node, taken, ()))

    def go_on(self, standing: ScriptedPosition, node: Node, emitted: tuple[Emission, ...]) -> ScriptedPosition:
        """The round at ``node``, once the cards that come by themselves have come."""
        standing = _with_ended(standing, node, emitted)
        hand = self.play.hand_in_play(node)
        if hand is not None and hand.now is HandStatus.OWED:
            return self.draw(standing, hand)
        return standing

    # --- the end ------------------------------------------------------------------------------------

    def finish(self, standing: ScriptedPosition) -> ScriptedEnding:
        """The dealer's hand, and how every box ended.

        Raises:
            TellingError: a hand still waits for a decision, or the shoe ends too early.
        """
        stopped = self.natural_found(standing)
        if stopped:
            standing = _with_ended(standing, *self.play.stopped(standing.node, standing.offered))
        waiting = self.play.hand_in_play(standing.node)
        if waiting is not None:
            spot, hand = self.spots[standing.node.acting], self.play.current(standing.node)
            raise ScriptError("actions", f"spot {spot} hand {hand} has {best(waiting.cards)} and no decision")
        node = self.play.close_offers(standing.node, standing.offered)
        if self.hole_place > 0:
            node = replace(node, hole=1 << points_of(self.cards[self.hole_place]))
        used = standing.used
        while holes := self.play.holes(node, drawing=True):
            node = self.play.dealer_takes(node, self.card(used), holes)
            used += 1
        second = self.cards[self.hole_place] if self.hole_place > 0 else node.second
        dealer = (self.play.deal.up, *((second,) if second else ()), *node.drawn)
        natural = len(dealer) == 2 and is_natural(*dealer)
        return ScriptedEnding(
            outcomes=tuple(outcome for outcome in standing.ended if outcome is not None),
            even_money=tuple(box.kind is BoxStatus.EVEN_MONEY for box in node.boxes),
            offered=node.insured or (0,) * len(self.spots),
            dealer=dealer,
            end=NATURAL if natural else DealerEnd(natural=False, total=min(best(dealer), 22)),
            used=used,
            stopped=stopped,
        )


def _with_ended(standing: ScriptedPosition, node: Node, emitted: tuple[Emission, ...]) -> ScriptedPosition:
    """The round at ``node`` with the boxes that ended on the way."""
    if not emitted:
        return standing._replace(node=node)
    ended = list(standing.ended)
    for box, outcome in emitted:
        ended[box] = outcome
    return standing._replace(node=node, ended=tuple(ended))
