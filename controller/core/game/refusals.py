"""Why an act is refused: the rule's name (a key of the rules, or ``turn``) and a sentence for people."""

from __future__ import annotations

from typing import Final, NamedTuple

from controller.core.game.hand import Outcome, PlayedHand, best, points_of, rank_of
from controller.core.game.play import Play
from controller.core.game.position import BoxStatus, Hand, Node
from controller.core.game.rules import Rules


class Refusal(NamedTuple):
    """The rule that refuses, and its sentence."""

    rule: str
    sentence: str


STOPPED: Final = Refusal("hole_check", "the device found the dealer's natural: the round is over")


def no_wager(spot: int) -> Refusal:
    """The spot is not in the round."""
    return Refusal("turn", f"spot {spot} has no main wager in this round")


def of_offer(play: Play, node: Node, box: int, zone: str, cents: int) -> Refusal | None:
    """Insurance or a side wager made after the deal, ``cents`` in all; None: it stands."""
    if zone == "insurance":
        return _of_insurance(play, node, box, cents)
    terms = play.rules.side_bet_terms.get(zone)
    if zone not in play.rules.side_bets or terms is None:
        return Refusal("side_bets", f"{zone} is not offered at this table")
    if play.up_points not in terms.up_cards:
        shown = "ace" if play.up_points == 1 else str(play.up_points)
        return Refusal(f"{zone}.up_cards", f"{zone} is not offered against an up card of {shown}")
    return None if node.offers else Refusal(zone, f"{zone} is made before the first decision")


def _too_late(rules: Rules, made: str) -> Refusal:
    """Insurance, or even money in lieu of it, has ended."""
    until = "card" if rules.insurance_until == "card" else "decision"
    return Refusal("insurance_until", f"{made} before the first {until}")


def _of_insurance(play: Play, node: Node, box: int, cents: int) -> Refusal | None:
    """Insurance of ``cents`` in all."""
    if not play.rules.insurance:
        return Refusal("insurance", "insurance is not offered at this table")
    if play.up_points != 1:
        return Refusal("insurance", "insurance is offered against an ace only")
    if not node.offers:
        return _too_late(play.rules, "insurance is made")
    if node.boxes[box].kind is BoxStatus.EVEN_MONEY:
        return Refusal("even_money", "even money was taken in lieu of insurance")
    most = play.rules.insurance_cap_cents(play.deal.wagers[box])
    if cents > most:
        return Refusal("insurance_cap", f"insurance of {cents} cents is above the {most} allowed on this wager")
    return None


def of_even_money(play: Play, node: Node, box: int, insured_cents: int) -> Refusal | None:
    """Even money for a natural against an ace."""
    if not play.rules.even_money:
        return Refusal("even_money", "even money is not offered at this table")
    if play.up_points != 1:
        return Refusal("even_money", "even money is offered against an ace only")
    if node.boxes[box].kind is not BoxStatus.NATURAL:
        return Refusal("even_money", "even money is for a natural that has not been settled")
    if not node.offers:
        return _too_late(play.rules, "even money is taken")
    if insured_cents:
        return Refusal("even_money", "even money is taken in lieu of insurance, not beside it")
    return None


def of_surrender(play: Play, node: Node, box: int) -> Refusal:
    """Why the box may not give up."""
    if play.rules.surrender == "none":
        return Refusal("surrender", "surrender is not offered at this table")
    if node.boxes[box].kind is not BoxStatus.PENDING:
        return Refusal("turn", "the box has finished")
    if box > node.acting:
        if play.rules.surrender_turn == "own":
            return Refusal("surrender_turn", "a box surrenders in its own turn")
        return Refusal("surrender_turn", "before its turn a box surrenders only until the first decision")
    return Refusal("surrender_on", "surrender is the first decision on the first two cards")


def of_inactive_hand(play: Play, node: Node, ended: Outcome | None, asked: tuple[int, int], act: str) -> Refusal:
    """Why the hand ``asked`` for (box and hand), which is not in play, may not decide."""
    box, hand = asked
    if ended is not None:
        hands = ended.hands
        if ended.how == "natural":
            return Refusal("natural_pays", "a natural takes no card and no decision")
        if ended.how == "surrendered":
            return Refusal("surrender", "the box has surrendered")
        if hand >= len(hands):
            return Refusal("turn", f"the box has {len(hands)} hands")
        return _of_finished(play, hands[hand], len(hands), act)
    if node.acting != box:
        return Refusal("turn", "it is another box's turn")
    if hand >= len(node.hands):
        return Refusal("turn", f"the box has {len(node.hands)} hands")
    if hand > play.current(node):
        return Refusal("turn", "split hands play from the left, each finished before the next")
    done = node.hands[hand]
    return _of_finished(play, PlayedHand(done.cards, done.base, done.extra, done.gave_up), len(node.hands), act)


def _of_finished(play: Play, hand: PlayedHand, hands: int, act: str) -> Refusal:
    """Why a finished hand may not decide again."""
    points = best(hand.cards)
    if hand.gave_up:
        return Refusal("surrender", "the hand was surrendered")
    if points > 21:
        return Refusal("turn", f"the hand broke with {points}")
    if hand.extra_cents:
        return Refusal("double_on", "a doubled hand gets one card only")
    if points == 21:
        return Refusal("turn", "a hand of 21 is finished and takes no card")
    if hands > 1 and rank_of(hand.cards[0]) == 1 and play.rules.split_ace_cards == "one":
        if act == "split" and rank_of(hand.cards[1]) == 1 and play.rules.resplit_aces:
            return _over_limit(play)
        if act == "split":
            return Refusal("resplit_aces", "split aces are not split again")
        rule = "double_split_aces" if act == "double" else "split_ace_cards"
        return Refusal(rule, "a split ace gets one card only")
    return Refusal("turn", "the hand has stood")


def _over_limit(play: Play) -> Refusal:
    """The box has all the hands it may have."""
    return Refusal("max_hands", f"a box may have {play.rules.max_hands} hands")


def of_decision(play: Play, node: Node, hand: Hand, act: str, cents: int) -> Refusal | None:
    """Why the hand in play may not hit, double or split; None: it may."""
    match act:
        case "hit":
            allowed = play.may_hit(node, hand)
            return None if allowed else Refusal("split_ace_cards", "a split ace gets one card only")
        case "double":
            return _of_double(play, node, hand, cents)
        case "split":
            return _of_split(play, node, hand, cents)
        case _:
            return None


def _of_double(play: Play, node: Node, hand: Hand, cents: int) -> Refusal | None:
    """Why the hand in play may not be doubled for ``cents``."""
    rules, points = play.rules, best(hand.cards)
    if len(hand.cards) != 2:
        return Refusal("double_on", "only the first two cards of a hand may be doubled")
    if not play.may_double(node, hand):
        if len(node.hands) > 1 and not rules.double_after_split:
            return Refusal("double_after_split", "a split hand may not be doubled")
        if len(node.hands) > 1 and rank_of(hand.cards[0]) == 1 and not rules.double_split_aces:
            return Refusal("double_split_aces", "a split ace may not be doubled")
        return Refusal("double_on", f"{points} may not be doubled here: only 9, 10 and 11")
    if not play.may_add(hand, cents):
        if cents > hand.base:
            return Refusal("double_for_less", f"a double of {cents} cents is above the original {hand.base}")
        return Refusal("double_for_less", "a double is for the whole original wager")
    return None


def _of_split(play: Play, node: Node, hand: Hand, cents: int) -> Refusal | None:
    """Why the hand in play may not be split with a wager of ``cents``."""
    rules = play.rules
    if len(hand.cards) != 2:
        return Refusal("split_by", "only the first two cards of a hand may be split")
    first, second = hand.cards
    pair = rank_of(first) == rank_of(second) or (rules.split_by == "value" and points_of(first) == points_of(second))
    if not pair:
        return Refusal("split_by", f"only two cards of one {rules.split_by} may be split")
    if len(node.hands) >= rules.max_hands:
        return _over_limit(play)
    if not play.may_split(node, hand):
        if rank_of(first) == 1 and not rules.resplit_aces:
            return Refusal("resplit_aces", "split aces are not split again")
        return Refusal("resplit_on", "only a pair made by the third card may be split again")
    if cents != hand.base:
        return Refusal("split_by", f"a split needs a wager equal to the original {hand.base}")
    return None
