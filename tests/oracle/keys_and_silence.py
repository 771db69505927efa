"""What a key may say, and what people may do without anything showing it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tests.oracle.cards_and_chips import doubles, lenient, may_surrender, splits, surrendered
from tests.oracle.house import House
from tests.oracle.story import Box, Hand, Story


def key(house: House, told: Story, action: str, index: int | None) -> Iterator[Story]:
    """A key, naming the box ``index`` or (None) speaking of the box in play. An unknown box fits nothing."""
    match action:
        case "hole_turned":
            opened = told.turned or told.paying or len(told.dealer) > (2 if house.hole_card == "dealt" else 1)
            waiting = any(box.must_empty for box in told.boxes)
            if told.played(house) and not opened and not waiting:
                yield replace(told, turned=True).keys_forgotten().offers_closed(house)
        case "insurance_closed":
            if told.dealt(house) and told.offers and not told.turned:
                yield told.keys_forgotten().offers_closed(house)
        case "even_money":
            yield from even_money_key(house, told, index)
        case "surrender":
            yield from surrender_key(house, told, index)
        case _:
            turn = told.in_play(house)
            if turn is not None and index in (None, turn[0]):
                yield from decision_key(house, told.keys_forgotten(), turn, action)


def even_money_key(house: House, told: Story, index: int | None) -> Iterator[Story]:
    if index is None or not house.even_money_offered or not told.dealt(house) or not told.offers:
        return
    box = told.boxes[index]
    if told.up() == "A" and told.natural(box) and not box.even:
        yield told.keys_forgotten().with_box(index, replace(box, even=True))


def surrender_key(house: House, told: Story, index: int | None) -> Iterator[Story]:
    """A surrender, or the confirmation of one that chips have just shown."""
    for other, box in enumerate(told.boxes):
        if box.confirmable and index in (None, other):
            yield told.keys_forgotten().with_box(other, replace(box, confirmable=False))
    turn = told.in_play(house)
    if index is None:
        if turn is None:
            return
        index = turn[0]
    if may_surrender(house, told, index):
        yield surrendered(told.keys_forgotten(), index, shown=True)


def may_stop(told: Story, hand: Hand) -> bool:
    """The hand in play may stop where it is (it is below 21, or it would be over)."""
    return len(hand.cards) >= 2 and not hand.extra and not hand.said


def decision_key(house: House, told: Story, turn: tuple[int, int], action: str) -> Iterator[Story]:
    """``hit``, ``stand``, ``double`` or ``split`` of the hand in play."""
    index, number = turn
    box = told.boxes[index]
    hand = box.hands[number]
    if hand.said:
        return
    closed = told.offers_closed(house)
    said = replace(hand, said=action)
    match action:
        case "stand" if may_stop(told, hand):
            yield told.stood(house).with_hand(index, number, replace(hand, over=True))
        case "hit" if may_stop(told, hand) and not hand.ace_split:
            yield told.stood(house).with_hand(index, number, said)
        case "double" if (hand.extra and len(hand.cards) == 2) or doubles(house, told, hand, 1):
            yield closed.with_hand(index, number, said)
        case "split" if hand.fresh or splits(house, told, box, hand):
            yield closed.with_hand(index, number, said)
        case _:
            pass


def silent(house: House, told: Story, answered: frozenset[int]) -> Iterator[Story]:
    """One silent move: a stand, a surrender, or the end of offers nobody ends by playing."""
    if not told.dealt(house):
        return
    turn = told.in_play(house)
    if turn is not None:
        index, number = turn
        hand = told.boxes[index].hands[number]
        # A stand whose key was forgotten looks like a surrender that need not be shown.
        forgotten = house.surrender_shown == "sometimes" and may_surrender(house, told, index)
        if (house.stand_key == "sometimes" or forgotten) and may_stop(told, hand):
            yield told.stood(house).with_hand(index, number, replace(hand, over=True))
    elif told.offers:
        yield told.offers_closed(house)
    for index in range(len(told.boxes)):
        unshown = "chips are the surrender" not in house.doubts or lenient(house, told.boxes[index], answered)
        if unshown and may_surrender(house, told, index):
            yield surrendered(told, index, shown=False)


def unseen(house: House, told: Story, index: int) -> Iterator[tuple[str, int]]:
    """Contents a box whose reader is dead may have come to, unseen, by one change that means something."""
    box = told.boxes[index]
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
    if told.offers and told.up() == "A" and "unseen insurance goes by hand" not in house.doubts:
        for units in range(house.insurance_cap(box.wager) // house.chip_unit_cents + 1):
            yield "insurance", units * house.chip_unit_cents


def lowerings(box: Box) -> set[int]:
    """What a taking of broken hands may lower the wager by."""
    sums = {0}
    for hand in box.hands:
        sums |= {so_far + hand.base + hand.extra for so_far in sums}
    return {cents for cents in sums if 0 < cents < box.main}
