"""What a key may say, and what people may do without anything showing it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tests.oracle.cards_and_chips import doubles, lenient, may_surrender, splits, surrendered
from tests.oracle.house import House
from tests.oracle.position import Box, Hand, Position


def key(house: House, position: Position, action: str, index: int | None) -> Iterator[Position]:
    """A key, naming the box ``index`` or (None) speaking of the box in play. An unknown box fits nothing."""
    match action:
        case "hole_turned":
            opened = (
                position.turned or position.paying or len(position.dealer) > (2 if house.hole_card == "dealt" else 1)
            )
            waiting = any(box.must_empty for box in position.boxes)
            if position.played(house) and not opened and not waiting:
                yield replace(position, turned=True).keys_forgotten().offers_closed(house)
        case "insurance_closed":
            if position.dealt(house) and position.offers and not position.turned:
                yield position.keys_forgotten().offers_closed(house)
        case "even_money":
            yield from even_money_key(house, position, index)
        case "surrender":
            yield from surrender_key(house, position, index)
        case _:
            turn = position.in_play(house)
            if turn is not None and index in (None, turn[0]):
                yield from decision_key(house, position.keys_forgotten(), turn, action)


def even_money_key(house: House, position: Position, index: int | None) -> Iterator[Position]:
    if index is None or not house.even_money_offered or not position.dealt(house) or not position.offers:
        return
    box = position.boxes[index]
    if position.up() == "A" and position.natural(box) and not box.even:
        yield position.keys_forgotten().with_box(index, replace(box, even=True))


def surrender_key(house: House, position: Position, index: int | None) -> Iterator[Position]:
    """A surrender, or the confirmation of one that chips have just shown."""
    for other, box in enumerate(position.boxes):
        if box.confirmable and index in (None, other):
            yield position.keys_forgotten().with_box(other, replace(box, confirmable=False))
    turn = position.in_play(house)
    if index is None:
        if turn is None:
            return
        index = turn[0]
    if may_surrender(house, position, index):
        yield surrendered(position.keys_forgotten(), index, shown=True)


def may_stop(position: Position, hand: Hand) -> bool:
    """The hand in play may stop where it is (it is below 21, or it would be over)."""
    return len(hand.cards) >= 2 and not hand.extra and not hand.keyed


def decision_key(house: House, position: Position, turn: tuple[int, int], action: str) -> Iterator[Position]:
    """``hit``, ``stand``, ``double`` or ``split`` of the hand in play."""
    index, number = turn
    box = position.boxes[index]
    hand = box.hands[number]
    if hand.keyed:
        return
    closed = position.offers_closed(house)
    keyed = replace(hand, keyed=action)
    match action:
        case "stand" if may_stop(position, hand):
            yield position.stood(house).with_hand(index, number, replace(hand, over=True))
        case "hit" if may_stop(position, hand) and not hand.ace_split:
            yield position.stood(house).with_hand(index, number, keyed)
        case "double" if (hand.extra and len(hand.cards) == 2) or doubles(house, position, hand, 1):
            yield closed.with_hand(index, number, keyed)
        case "split" if hand.fresh or splits(house, position, box, hand):
            yield closed.with_hand(index, number, keyed)
        case _:
            pass


def silent(house: House, position: Position, answered: frozenset[int]) -> Iterator[Position]:
    """One silent move: a stand, a surrender, or the end of offers nobody ends by playing."""
    if not position.dealt(house):
        return
    turn = position.in_play(house)
    if turn is not None:
        index, number = turn
        hand = position.boxes[index].hands[number]
        # A stand whose key was forgotten looks like a surrender that need not be shown.
        forgotten = house.surrender_shown == "sometimes" and may_surrender(house, position, index)
        if (house.stand_key == "sometimes" or forgotten) and may_stop(position, hand):
            yield position.stood(house).with_hand(index, number, replace(hand, over=True))
    elif position.offers:
        yield position.offers_closed(house)
    for index in range(len(position.boxes)):
        unshown = "chips are the surrender" not in house.doubts or lenient(house, position.boxes[index], answered)
        if unshown and may_surrender(house, position, index):
            yield surrendered(position, index, shown=False)


def unseen(house: House, position: Position, index: int) -> Iterator[tuple[str, int]]:
    """Contents a box whose reader is dead may have come to, unseen, by one change that means something."""
    box = position.boxes[index]
    if box.main:
        yield "main", 0
    for left in house.halves(box.wager):
        if left < box.main:
            yield "main", left
    for stake in lowerings(box):
        yield "main", box.main - stake
    for units in range(1, box.wager // house.chip_unit_cents + 1):
        yield "main", box.main + units * house.chip_unit_cents
    if box.wager % house.chip_unit_cents:
        yield "main", box.main + box.wager
    if position.offers and position.up() == "A" and "unseen insurance goes by hand" not in house.doubts:
        for units in range(house.insurance_cap(box.wager) // house.chip_unit_cents + 1):
            yield "insurance", units * house.chip_unit_cents


def lowerings(box: Box) -> set[int]:
    """What a taking of broken hands may lower the wager by."""
    sums = {0}
    for hand in box.hands:
        sums |= {so_far + hand.base + hand.extra for so_far in sums}
    return {cents for cents in sums if 0 < cents < box.main}
