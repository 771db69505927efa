"""The legal game of one round: which node (``position.py``) may follow which, by its rules and the cards of its deal.

What a box did, once it has finished, is no longer in the node but is emitted as an ``Outcome``. Moves that cannot be
seen (a player stops) are made only when a later reading needs them: see ``reach``. Order: cards to the boxes in
ascending spot order, the dealer's up card, second cards, the hole card; then each box in turn, split hands from the
left, each finished before the next; then the dealer (58 Pa. Code 685a.7, 633a.11).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from msgspec.structs import replace

from controller.core.game.hand import (
    UNDEALT,
    Outcome,
    PlayedHand,
    best,
    deal_cards,
    holes_that_draw,
    is_natural,
    points_of,
    rank_of,
)
from controller.core.game.position import (
    ANY_HOLE,
    BROKEN,
    DONE,
    DOUBLING,
    LIVE,
    NATURAL,
    OPEN,
    OWED,
    PENDING,
    SPLITTING,
    SURRENDERED,
    WAITING,
    Box,
    BoxStatus,
    Confirmation,
    Deal,
    Emission,
    Hand,
    Node,
    Step,
)
from controller.core.game.rules import Rules
from controller.core.game.settlement import DealerEnd, Net


class Play:
    """The rules of one round applied to its deal. Holds nothing that changes but what it has worked out already."""

    def __init__(self, rules: Rules, deal: Deal) -> None:
        self.rules = rules
        self.deal = deal
        self.boxes = len(deal.wagers)
        self.nets: dict[tuple[Outcome, DealerEnd, bool], Net] = {}
        self.cents: dict[tuple[frozenset[Outcome], frozenset[DealerEnd], bool], tuple[int, ...]] = {}
        self.reached: dict[tuple[Node, tuple[int, ...]], tuple[Step, ...]] = {}
        self.ended: dict[tuple[Node, tuple[int, ...]], tuple[Step, ...]] = {}
        self.dealer_ends: dict[tuple[int, tuple[int, ...], int, int | None], frozenset[DealerEnd]] = {}
        self.has_hole_card = rules.has_hole_card()
        self.deal_cards = deal_cards(self.boxes, hole=self.has_hole_card)
        self.up_points = points_of(deal.up)
        self.natural_hole = {1: 1 << 10, 10: 1 << 1}.get(self.up_points, 0)
        """The hole card that makes a natural with the up card, as a bit; 0 with 2 to 9 up."""
        self.naturals_wait = bool(self.natural_hole) or rules.naturals_paid == "after_play"
        """Naturals wait for the hole card: ace or ten up, or the house pays them with the others."""
        self.offered_zone = self.zone_of_offer()
        """The zone in which a wager may be made after the deal; empty where there is none."""

    @cached_property
    def lenient(self) -> tuple[int, ...]:
        """Boxes that may have surrendered before their turn without a sign."""
        if self.rules.surrender_turn != "any" or self.rules.surrender != "late":
            return ()
        return tuple(box for box in range(self.boxes) if self.may_surrender_silently(box))

    def zone_of_offer(self) -> str:
        """Insurance with an ace up, or a side wager offered against this up card (EZ Bust, HPN card: 2 to 6)."""
        if self.insurance_offered():
            return "insurance"
        return self.rules.offered_after_deal(self.up_points) if self.deal.up else ""

    def begin(self) -> Node:
        """The node before the first card."""
        pending = tuple(Box(PENDING) for _ in self.deal.wagers)
        return Node(dealt=0, acting=0, hands=(), boxes=pending, offers=False)

    def dealt(self, node: Node) -> Step:
        """The node once the last card of the deal is out: naturals are known, offers open, the first box in play."""
        kinds = tuple(
            Box(NATURAL if is_natural(*cards) else PENDING) if len(cards) == 2 else Box(PENDING)
            for cards in self.deal.initial
        )
        return self.next_box(
            replace(node, dealt=self.deal_cards, acting=-1, offers=True), (), kinds, node.silent_surrenders
        )

    # --- moves of the box in play -------------------------------------------------------------------

    def next_box(self, node: Node, emitted: tuple[Emission, ...], boxes: tuple[Box, ...], quiet: int) -> Step:
        """Bring the next box that has a decision into play, the others as they are now; boxes without are passed over.

        ``quiet`` is the node's own, as it is now.
        """
        for box in range(node.acting + 1, self.boxes):
            kind = boxes[box].kind
            if kind is PENDING:
                hand = Hand(self.deal.initial[box], self.deal.wagers[box])
                return replace(node, acting=box, hands=(hand,), boxes=boxes, silent_surrenders=quiet), emitted
            emitted = (*emitted, (box, self.undecided_outcome(box, kind)))
        return replace(node, acting=self.boxes, hands=(), boxes=boxes, silent_surrenders=quiet), emitted

    def undecided_outcome(self, box: int, kind: BoxStatus) -> Outcome:
        """The outcome of a box that ended on its first two cards without playing them."""
        how = "surrendered" if kind is SURRENDERED else "natural"
        return Outcome(how, (PlayedHand(self.deal.initial[box], self.deal.wagers[box], 0),))

    def settle_hand(self, node: Node, hand: Hand, emitted: tuple[Emission, ...]) -> Step:
        """Put ``hand`` in place of the hand in play; if it is finished go on to the next hand or box."""
        index = self.current(node)
        box = node.boxes[node.acting]
        if len(node.hands) > 1 and best(hand.cards) > 21:
            box = Box(PENDING, tuple(sorted((*box.busts_not_taken, hand.base + hand.extra))))
        hands = (*node.hands[:index], hand, *node.hands[index + 1 :])
        going_on = hand.now is not DONE or index + 1 < len(hands)
        if going_on:
            if hand.now is DONE:
                waiting = replace(hands[index + 1], now=OWED)
                hands = (*hands[: index + 1], waiting, *hands[index + 2 :])
            boxes = (*node.boxes[: node.acting], box, *node.boxes[node.acting + 1 :])
            return replace(node, hands=hands, boxes=boxes), emitted
        played = tuple([PlayedHand(h.cards, h.base, h.extra, h.gave_up) for h in hands])
        lost = [hand.gave_up or hand.broke() for hand in played]
        outcome, kind = Outcome("played", played), LIVE
        if all(lost):
            kind = BROKEN if outcome.all_broke() else SURRENDERED
        ended = (*node.boxes[: node.acting], Box(kind, box.busts_not_taken), *node.boxes[node.acting + 1 :])
        quiet = node.silent_surrenders & ~(1 << node.acting)
        return self.next_box(node, (*emitted, (node.acting, outcome)), ended, quiet)

    def current(self, node: Node) -> int:
        """Index of the hand in play: the leftmost that is not finished."""
        for index, hand in enumerate(node.hands):
            if hand.now is not DONE:
                return index
        raise AssertionError("a box in play has a hand that is not finished")

    def hand_in_play(self, node: Node) -> Hand | None:
        """The hand that decides or waits for a card; None during the deal and when all boxes have played."""
        if node.dealt < self.deal_cards or node.acting >= self.boxes:
            return None
        return node.hands[self.current(node)]

    def take_card(self, node: Node, hand: Hand, card: int) -> Hand:
        """The hand in play with one more card, finished if it may not go on."""
        cards = (*hand.cards, card)
        points = best(cards)
        finished = points >= 21 or hand.extra > 0
        if self.closed_ace(node, hand) and not self.may_split(node, Hand(cards, hand.base)):
            finished = True
        return Hand(cards, hand.base, hand.extra, DONE if finished else OPEN)

    def closed_ace(self, node: Node, hand: Hand) -> bool:
        """Whether the hand is a split ace that gets one card only."""
        return len(node.hands) > 1 and rank_of(hand.cards[0]) == 1 and self.rules.split_ace_cards == "one"

    def may_split(self, node: Node, hand: Hand) -> bool:
        """Whether the hand is a pair by the card's measure and the box is below its limit of hands."""
        if len(hand.cards) != 2 or hand.extra or len(node.hands) >= self.rules.max_hands:
            return False
        first, second = hand.cards
        if len(node.hands) > 1 and rank_of(first) == 1 and not self.rules.resplit_aces:
            return False
        # The third card of the box is the second card of the leftmost of two hands.
        third_card = len(node.hands) == 2 and self.current(node) == 0
        if self.rules.resplit_on == "third_card" and len(node.hands) > 1 and not third_card:
            return False
        measure = rank_of if self.rules.split_by == "rank" else points_of
        return measure(first) == measure(second)

    def may_double(self, node: Node, hand: Hand) -> bool:
        """Whether the hand in play may be doubled: two cards, a total the card allows, no split ace."""
        if len(hand.cards) != 2 or hand.extra:
            return False
        barred = not self.rules.double_split_aces and rank_of(hand.cards[0]) == 1
        if len(node.hands) > 1 and (barred or not self.rules.double_after_split):
            return False
        points = best(hand.cards)
        if self.rules.double_on == "nine_to_eleven":
            hard = sum(points_of(card) for card in hand.cards)
            return 9 <= points <= 11 or (self.rules.double_count == "hard_or_best" and 9 <= hard <= 11)
        return points < 21

    def may_hit(self, node: Node, hand: Hand) -> bool:
        """Whether an open hand may ask for a card: any but a split ace that gets one card."""
        return not self.closed_ace(node, hand)

    def untouched_hand(self, node: Node, box: int) -> bool:
        """Whether the box is in play and has not touched its first two cards."""
        whole = len(node.hands) == 1 and node.hands[0].now is OPEN and len(node.hands[0].cards) == 2
        return whole and node.acting == box

    # --- silent moves -------------------------------------------------------------------------------

    def reach(self, node: Node, insured: tuple[int, ...]) -> tuple[Step, ...]:
        """The node itself, then what it becomes as one player after another stops without a sign.

        ``insured`` are the insurance wagers that count if the offer closes now.
        """
        # A reading that comes late asks the same nodes again; and once a box has stopped, what follows is the same for
        # whatever cards it has.
        key = node, insured if node.offers else ()
        found = self.reached.get(key)
        if found is None:
            ahead = self.raised_ahead(node)
            found = tuple((raised, ()) for raised in ahead) or ((node, ()), *self.after_stops(node, insured))
            self.reached[key] = found
        return found

    # --- doubles and splits -------------------------------------------------------------------------

    def raised(self, node: Node, hand: Hand, cents: int) -> Iterator[Node]:
        """The hand in play doubled for ``cents``, or split where that is a whole wager."""
        if hand.now in {OPEN, DOUBLING} and self.may_double(node, hand) and self.may_add(hand, cents):
            said = Confirmation.DOUBLE_MAY_FOLLOW if hand.now is OPEN else Confirmation.ALL
            yield self.doubled(node, hand, cents, said)
        if hand.now in {OPEN, SPLITTING} and cents == hand.base and self.may_split(node, hand):
            yield self.split(node, Confirmation.SPLIT_MAY_FOLLOW if hand.now is OPEN else Confirmation.ALL)

    def doubled(self, node: Node, hand: Hand, cents: int, said: Confirmation = Confirmation.ALL) -> Node:
        """The hand in play raised by ``cents``; it is owed its one card."""
        return self.with_hand(node, replace(hand, extra=cents, now=OWED, confirmation=said))

    def split(self, node: Node, said: Confirmation = Confirmation.ALL) -> Node:
        """The pair in play as two hands; the left one is owed its second card, the right one waits."""
        index = self.current(node)
        hand = node.hands[index]
        left = Hand(hand.cards[:1], hand.base, 0, OWED, said)
        right = Hand(hand.cards[1:], hand.base, 0, WAITING)
        return replace(node, hands=(*node.hands[:index], left, right, *node.hands[index + 1 :]))

    def withdrawn(self, node: Node, hand: Hand, cents: int) -> Iterator[Node]:
        """What is raised and owed its card, with ``cents`` of that taken back: all of it leaves the hand as it was."""
        if cents < hand.extra:
            yield self.with_hand(node, replace(hand, extra=hand.extra - cents))
        elif cents == hand.extra:
            yield self.with_hand(node, Hand(hand.cards, hand.base))
        elif not hand.extra and cents <= hand.base:
            index = self.current(node)
            pair = Hand((*hand.cards, *node.hands[index + 1].cards), hand.base)
            unsplit = replace(node, hands=(*node.hands[:index], pair, *node.hands[index + 2 :]))
            # What stays of a split is no split, but a double for less.
            yield from (unsplit,) if cents == hand.base else self.raised(unsplit, pair, hand.base - cents)

    def with_hand(self, node: Node, hand: Hand) -> Node:
        """The node with ``hand`` in place of the unfinished hand in play."""
        index = self.current(node)
        return replace(node, hands=(*node.hands[:index], hand, *node.hands[index + 1 :]))

    def raises_at_turn(self, node: Node, box: int, cents: int) -> tuple[Node, ...]:
        """The box in play with its first two cards doubled or split by chips that lie there since before its turn."""
        hand = Hand(self.deal.initial[box], self.deal.wagers[box])
        boxes = (*node.boxes[:box], Box(PENDING), *node.boxes[box + 1 :])
        return tuple(self.raised(replace(node, acting=box, hands=(hand,), boxes=boxes), hand, cents))

    def raised_ahead(self, node: Node) -> tuple[Node, ...]:
        """The same of a box whose turn has come; empty: nothing lay there before it."""
        if node.dealt < self.deal_cards or node.acting >= self.boxes or not node.boxes[node.acting].ahead:
            return ()
        return self.raises_at_turn(node, node.acting, node.boxes[node.acting].ahead)

    def after_stops(self, node: Node, insured: tuple[int, ...]) -> Iterator[Step]:
        """What the node becomes as the player in play stops, and others after him."""
        hand = self.hand_in_play(node)
        if hand is None or hand.now is not OPEN:
            return
        for stopped, emitted in self.stops(node, hand, insured):
            for reached, also in self.reach(stopped, insured):
                yield reached, (*emitted, *also)

    def stops(self, node: Node, hand: Hand, insured: tuple[int, ...]) -> Iterator[Step]:
        """The ways in which the player in play may stop without a sign."""
        untouched = self.untouched_hand(node, node.acting)
        if untouched and self.may_surrender_silently(node.acting):
            gone, emitted = self.surrender(node, node.acting, ())
            yield replace(gone, silent_surrenders=gone.silent_surrenders | 1 << node.acting), emitted
        # Where a surrender may go without a sign, a stand whose key was forgotten looks the same.
        forgotten = untouched and self.surrenders_unshown()
        if forgotten or self.rules.options.stand_key == "sometimes":
            yield self.stand(node, hand, insured, ())

    def may_surrender_silently(self, box: int) -> bool:
        """Whether the box may have surrendered without a sign: by the house's procedure, or as a person has said."""
        return self.surrenders_unshown() or (box in self.deal.given_up and self.rules.surrender == "late")

    def surrenders_unshown(self) -> bool:
        """Whether the house's procedure lets a surrender go without a sign."""
        return self.rules.options.surrender_shown == "sometimes" and self.rules.surrender == "late"

    def stand(self, node: Node, hand: Hand, insured: tuple[int, ...], emitted: tuple[Emission, ...]) -> Step:
        """The hand in play stops."""
        return self.settle_hand(self.stood(node, insured), replace(hand, now=DONE), emitted)

    def surrender(self, node: Node, box: int, emitted: tuple[Emission, ...]) -> Step:
        """The box gives up; in its own turn the next box comes into play."""
        boxes = (*node.boxes[:box], Box(SURRENDERED), *node.boxes[box + 1 :])
        node, quiet = self.checked(node), node.silent_surrenders & ~(1 << box)
        if node.acting != box:
            return replace(node, boxes=boxes, silent_surrenders=quiet), emitted
        return self.next_box(node, (*emitted, (box, self.undecided_outcome(box, SURRENDERED))), boxes, quiet)

    def give_up(self, node: Node, hand: Hand, insured: tuple[int, ...]) -> Step:
        """The hand in play is surrendered after its box began to play, where the card allows that (A12)."""
        return self.settle_hand(self.stood(node, insured), replace(hand, now=DONE, gave_up=True), ())

    def close_offers(self, node: Node, insured: tuple[int, ...]) -> Node:
        """End the offers; what lies there now is what counts."""
        if not node.offers:
            return node
        counted = insured if self.offered_zone and any(insured) else ()
        return replace(self.surrenders_over(node), offers=False, insured=counted, decided=False)

    def surrenders_over(self, node: Node) -> Node:
        """No box surrenders before its turn any more; one that did so without a sign may have done it just now."""
        if node.decided:
            return node
        quiet = sum(1 << box for box in self.lenient if node.boxes[box].kind is PENDING)
        return replace(node, decided=True, silent_surrenders=node.silent_surrenders | quiet)

    def surrender_offered(self, node: Node) -> bool:
        """Whether a box may surrender before its turn."""
        return node.offers and not node.decided and self.rules.surrender_turn == "any"

    def decided(self, node: Node, insured: tuple[int, ...]) -> Node:
        """The node once a hand has got a card, or been doubled or split: the offers are over, and the check is."""
        return self.checked(self.close_offers(node, insured))

    def stood(self, node: Node, insured: tuple[int, ...]) -> Node:
        """The node once somebody has stopped or asked for a card: the offers are over but insurance that ends by card.

        A device has looked before anybody decides, so with one nothing can be insured any longer.
        """
        lasts = self.rules.insurance_until == "card" and self.up_points == 1 and self.rules.hole_check == "none"
        return self.surrenders_over(node) if node.offers and lasts else self.decided(node, insured)

    def checked(self, node: Node) -> Node:
        """Where a device looks at the hole card, play goes on only without a dealer's natural (58 Pa. Code 633a.1)."""
        if self.rules.hole_check == "none" or not self.natural_hole:
            return node
        return replace(node, hole=node.hole & ~self.natural_hole)

    def may_be_stopped(self, node: Node) -> bool:
        """Whether the device may still find a natural and end the round before anybody has decided."""
        return self.rules.hole_check == "device" and bool(node.hole & self.natural_hole) and node.acting < self.boxes

    def stopped(self, node: Node, insured: tuple[int, ...]) -> Step:
        """The device has found a natural: no box plays, every box keeps its first two cards."""
        node = self.close_offers(node, insured)
        boxes = list(node.boxes)
        emitted: list[Emission] = []
        for box in range(node.acting, self.boxes):
            outcome = self.undecided_outcome(box, boxes[box].kind)
            if boxes[box].kind is PENDING:
                boxes[box], outcome = Box(LIVE), Outcome("played", outcome.hands)
            emitted.append((box, outcome))
        stopped = replace(node, acting=self.boxes, hands=(), boxes=tuple(boxes), hole=self.natural_hole, turned=True)
        return stopped, tuple(emitted)

    def insurance_offered(self) -> bool:
        """Ace up, and the card has insurance."""
        return self.rules.insurance and self.up_points == 1

    # --- the dealer ---------------------------------------------------------------------------------

    def live(self, node: Node) -> bool:
        """Whether a hand remains that the dealer must play against, or a side wager on the dealer's own hand."""
        for box in node.boxes:
            if box.kind is LIVE:
                return True
        if not node.insured or self.offered_zone == "insurance":
            return False
        always = self.rules.side_bet_terms[self.offered_zone].choices.get("all_broke") == "plays_out"
        return always or any(box.kind is not BROKEN for box in node.boxes)

    def second_due(self, node: Node) -> bool:
        """Whether the dealer, who was dealt no hole card, must now take a second card (A3)."""
        if self.has_hole_card or node.second:
            return False
        waits = bool(self.natural_hole) and any(box.kind in {NATURAL, SURRENDERED} for box in node.boxes)
        return waits or self.live(node) or (self.offered_zone == "insurance" and any(node.insured))

    def dealer_takes(self, node: Node, card: int, holes: int) -> Node:
        """The dealer's second card where none was dealt, else a drawn one; ``holes`` are the hole cards left."""
        if self.second_due(node):
            return replace(node, second=card, hole=1 << points_of(card), turned=True)
        return replace(node, drawn=(*node.drawn, card), hole=holes)

    def holes(self, node: Node, *, drawing: bool) -> int:
        """Of the hole cards still possible those with which the dealer must draw (or, not ``drawing``, is done)."""
        if self.second_due(node):
            return node.hole if drawing else 0
        if not self.live(node):
            done = ANY_HOLE if self.has_hole_card or node.second else UNDEALT
            return 0 if drawing else node.hole & done
        must = holes_that_draw(self.up_points, tuple(map(points_of, node.drawn)), self.rules.soft_17 == "hit")
        return node.hole & (must if drawing else ~must)

    def all_played(self, node: Node) -> bool:
        """Every box has played."""
        return node.dealt == self.deal_cards and node.acting == self.boxes

    def even_money_may_show(self, node: Node, box: int) -> bool:
        """Whether a natural's rise by itself may be even money: ace up, until the key of the turn or the next card."""
        shown_by_chips = self.rules.even_money and self.rules.options.even_money_shown != "key"
        waits = node.boxes[box].kind is NATURAL and not (node.turned or node.paying or node.drawn)
        return shown_by_chips and self.up_points == 1 and waits

    def finished(self, node: Node) -> bool:
        """Every box has played, and no box may still insure or take even money."""
        offered = self.offered_zone or (self.rules.even_money and self.up_points == 1)
        return self.all_played(node) and not (node.offers and offered)

    def may_add(self, hand: Hand, cents: int) -> bool:
        """Whether a double may be for this amount: the original, or less where the card allows it."""
        return 0 < cents <= hand.base and (self.rules.double_for_less or cents == hand.base)
