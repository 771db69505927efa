"""What a card or a change of chips may mean: every position that may follow it, straight from the page's tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tests.oracle.house import House, is_natural, some_of, total
from tests.oracle.position import Box, Hand, Position


def lenient(house: House, box: Box, answered: frozenset[int]) -> bool:
    """A surrender of this box need not have been shown."""
    return house.surrender_shown == "sometimes" or box.spot in answered


def card(house: House, position: Position, face: str, answered: frozenset[int]) -> Iterator[Position]:
    """A card leaves the shoe."""
    for box in position.boxes:
        if box.must_empty or (box.surrendered and not box.shown and not lenient(house, box, answered)):
            return
    place, count = len(position.faces), len(position.boxes)
    boxes = tuple(replace(box, awaiting=False, confirmable=False) for box in position.boxes)
    now = replace(position, faces=(*position.faces, face), boxes=boxes)
    if not position.dealt(house):
        yield dealt_card(now, place, count)
        return
    turn = position.in_play(house)
    if turn is None:
        if position.dealer_needs(house) and not position.paying:
            yield replace(now, dealer=(*position.dealer, place)).offers_closed(house)
        return
    yield from player_card(house, now, turn, place)


def dealt_card(now: Position, place: int, count: int) -> Position:
    """A card of the first two rounds, or the dealer's."""
    if place in (count, 2 * count + 1):
        return replace(now, dealer=(*now.dealer, place))
    index = place if place < count else place - count - 1
    hand = now.boxes[index].hands[0]
    hand = replace(hand, cards=(*hand.cards, place))
    return now.with_hand(index, 0, replace(hand, over=total(now.ranks(hand.cards)) == 21))


def player_card(house: House, now: Position, turn: tuple[int, int], place: int) -> Iterator[Position]:
    """A card to the hand in play: its second after a split, its last after a double, else a hit."""
    index, number = turn
    box = now.boxes[index]
    hand = box.hands[number]
    if hand.keyed == "split" and not hand.fresh:
        return
    if hand.keyed == "double" and not hand.extra:
        return
    if hand.ace_split and len(hand.cards) > 1:
        return
    grown = replace(hand, cards=(*hand.cards, place), keyed="", fresh=False)
    ranks = now.ranks(grown.cards)
    over = bool(hand.extra) or total(ranks) >= 21
    if hand.ace_split:
        over = not (ranks == "AA" and house.resplit_aces and len(box.hands) < house.max_hands)
    after = now.with_hand(index, number, replace(grown, over=over)).offers_closed(house)
    changed = after.boxes[index]
    must = house.busts_taken == "at_once" and changed.main > 0
    if must and all(hand.over for hand in changed.hands) and after.all_broke(changed):
        after = after.with_box(index, replace(changed, must_empty=True))
    yield after


@dataclass(frozen=True)
class Change:
    """The content of a zone of the box ``index`` becomes ``after`` (it was something else)."""

    index: int
    zone: str
    after: int


def chips(house: House, position: Position, change: Change, answered: frozenset[int]) -> Iterator[Position]:
    """Every meaning of a change of chips."""
    if not position.dealt(house):
        return
    index, zone, after = change.index, change.zone, change.after
    box = position.boxes[index]
    if zone == "insurance":
        yield from insurance_chips(house, position, index, after)
        return
    if zone == "ez_bust":
        yield from bust_chips(house, position, index, after)
        return
    lying = position.with_box(index, replace(box, main=after))
    yield from next_bet(position, index, after)
    if box.surrendered:
        yield from surrendered_chips(house, position, change, answered)
        return
    if position.natural(box):
        yield from natural_chips(house, lying, index, after - box.main)
        return
    if "chips are the surrender" in house.doubts and may_surrender(house, position, index):
        yield from surrendered_chips(house, surrendered(position, index, shown=False), change, answered)
    if after > box.main:
        yield from raised(house, lying, index, after - box.main)
    elif after:
        yield from lowered(position, lying, index, box.main - after)
    elif position.all_broke(box) and all(hand.over for hand in box.hands):
        yield lying.with_box(index, replace(lying.boxes[index], must_empty=False))
    if position.complete(house):
        yield replace(lying, paying=True).offers_closed(house)


def next_bet(position: Position, index: int, after: int) -> Iterator[Position]:
    """A box whose wager is gone bets again while others still play."""
    box = position.boxes[index]
    out = box.surrendered or (position.all_broke(box) and all(hand.over for hand in box.hands))
    if out and not position.paying and (box.next_bet or not box.main):
        yield position.with_box(index, replace(box, main=after, next_bet=after > 0))


def insurance_chips(house: House, position: Position, index: int, after: int) -> Iterator[Position]:
    """While offered it is the wager; later a fall takes nothing back, and what counts is paid once all have played.

    Chips that made no wager are no insurance, wherever they lie.
    """
    if position.up() != "A":
        return
    box = position.boxes[index]
    if position.offers:
        yield position.with_box(index, replace(box, insurance=after, offered=after))
    elif position.played(house):
        if box.insured:
            yield position.with_box(index, replace(box, insurance=after))
    elif after < box.insurance and box.insured:
        yield position.with_box(index, replace(box, insurance=after))


def bust_chips(house: House, position: Position, index: int, after: int) -> Iterator[Position]:
    """While offered it is the wager; what counts is taken or paid once the dealer's hand is complete, not before."""
    if not house.ez_bust or position.up() not in "23456":
        return
    box = position.boxes[index]
    if position.offers:
        yield position.with_box(index, replace(box, ez_bust=after, bust_offered=after))
    elif position.complete(house) and box.bust_bet:
        yield position.with_box(index, replace(box, ez_bust=after))


def surrendered_chips(house: House, position: Position, change: Change, answered: frozenset[int]) -> Iterator[Position]:
    """The first change shows the surrender; later ones take, or give back the half."""
    index, after = change.index, change.after
    box = position.boxes[index]
    left = replace(box, main=after, awaiting=False)
    if box.awaiting and after < box.main and (after == 0 or after in house.halves(box.wager)):
        yield position.with_box(index, replace(left, shown=True, confirmable=not box.shown))
    elif box.shown or lenient(house, box, answered):
        half = after in house.halves(box.wager)
        if after == 0 or half or (not position.slow() and after < box.main and (box.shown or not box.awaiting)):
            yield position.with_box(index, left)
        elif position.played(house):
            yield position.with_box(index, left).offers_closed(house)


def natural_chips(house: House, lying: Position, index: int, change: int) -> Iterator[Position]:
    box = lying.boxes[index]
    if not lying.slow() or box.even:
        yield lying
    elif lying.played(house):
        yield lying.offers_closed(house)
    unturned = not lying.turned and not lying.paying and len(lying.dealer) <= (2 if house.hole_card == "dealt" else 1)
    offered = house.even_money_offered and house.even_money == "chips" and lying.up() == "A" and not box.even
    if offered and unturned and change == box.wager:
        yield lying.with_box(index, replace(box, even=True))


def may_surrender(house: House, position: Position, index: int) -> bool:
    """Late surrender: two untouched cards, no natural; while offered, or in the box's own turn."""
    turn = position.in_play(house)
    if house.surrender != "late" or turn is None:
        return False
    box = position.boxes[index]
    hand = box.hands[0]
    untouched = len(box.hands) == 1 and len(hand.cards) == 2 and not (hand.extra or hand.keyed or hand.over)
    if not untouched or is_natural(position.ranks(hand.cards)):
        return False
    early = position.offers and not position.decided and house.surrender_turn == "any"
    return early or turn[0] == index


def surrendered(position: Position, index: int, *, shown: bool) -> Position:
    box = position.boxes[index]
    given_up = replace(box, surrendered=True, shown=shown, awaiting=True, hands=(replace(box.hands[0], over=True),))
    return position.with_box(index, given_up)


def doubles(house: House, position: Position, hand: Hand, cents: int) -> bool:
    """The hand in play may be doubled by so much."""
    if len(hand.cards) != 2 or hand.extra or hand.ace_split:
        return False
    return 0 < cents <= hand.base and house.may_double(position.ranks(hand.cards))


def splits(house: House, position: Position, box: Box, hand: Hand) -> bool:
    """The hand in play may be split."""
    if len(hand.cards) != 2 or hand.extra or len(box.hands) >= house.max_hands:
        return False
    return house.pairs(position.ranks(hand.cards)) and (house.resplit_aces or not hand.ace_split)


def raised(house: House, lying: Position, index: int, cents: int) -> Iterator[Position]:
    """A double or a split of the hand in play; or the rest of one whose first part was laid, before its card."""
    turn = lying.in_play(house)
    if turn is None or turn[0] != index:
        return
    number = turn[1]
    hand = lying.boxes[index].hands[number]
    laid = hand.extra if len(hand.cards) == 2 and 0 < hand.extra <= hand.base - cents else 0
    if laid:
        yield lying.with_hand(index, number, replace(hand, extra=laid + cents)).offers_closed(house)
    elif hand.keyed in ("", "double") and doubles(house, lying, hand, cents):
        yield lying.with_hand(index, number, replace(hand, extra=cents)).offers_closed(house)
    unlaid = replace(hand, extra=0) if laid else hand
    if hand.keyed in ("", "split") and laid + cents == hand.base:
        yield from _split(house, lying, index, number, unlaid)


def _split(house: House, lying: Position, index: int, number: int, hand: Hand) -> Iterator[Position]:
    """The hand in play is split, where it may be."""
    box = lying.boxes[index]
    if splits(house, lying, box, hand):
        aces = lying.ranks(hand.cards) == "AA"
        left = Hand(hand.cards[:1], box.wager, ace_split=aces, fresh=True, keyed=hand.keyed)
        right = Hand(hand.cards[1:], box.wager, ace_split=aces)
        yield lying.with_hand(index, number, left, right).offers_closed(house)


def lowered(position: Position, lying: Position, index: int, cents: int) -> Iterator[Position]:
    """Some hands that broke after a split are taken."""
    box = position.boxes[index]
    if len(box.hands) < 2:
        return
    broken = tuple(
        (number, hand.base + hand.extra)
        for number, hand in enumerate(box.hands)
        if position.broke(hand) and not hand.taken
    )
    for chosen in some_of(broken, cents):
        hands = tuple(replace(hand, taken=True) if number in chosen else hand for number, hand in enumerate(box.hands))
        yield lying.with_box(index, replace(lying.boxes[index], hands=hands))
