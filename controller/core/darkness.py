"""What may happen at a box while its reader is lost: nothing of it is seen, so whatever chips would have shown may be.

That is a double, a split, a surrender, even money where chips show it, and any taking or payment. Cards are still seen,
so a box cannot draw unseen. A double for less may be for any number of the table's smallest chip; where these are very
many, one of them stands for all, so that a due is certain only if no such amount changes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controller.core import moves
from controller.core.moves import ChipsMoved, Item, Layout
from controller.core.play import Box, Kind, Node, Now, Play, Step
from firmware_protocols.values import Value

AMOUNTS_TOLD: Final = 100
"""Amounts of a double nobody saw that are still told apart."""

EVER: Final = 1 << 62
"""A moment after every moment, in nanoseconds: a reader that has not come back."""


class Silence(Value, frozen=True, tag=False):
    """From here to there the reader of a box told nothing, in nanoseconds."""

    box: int
    from_ns: int
    to_ns: int = EVER

    def open(self) -> bool:
        """Whether it still lasts."""
        return self.to_ns == EVER


def dark_boxes(silences: tuple[Silence, ...], from_ns: int, to_ns: int) -> frozenset[int]:
    """The boxes whose reader was lost at some moment between these."""
    return frozenset(one.box for one in silences if one.from_ns <= to_ns and one.to_ns >= from_ns)


def ways(play: Play, node: Node, item: Item, layout: Layout) -> Iterator[Step]:
    """Every node the round may stand at after ``item``, what went unseen at dark boxes included."""
    if not layout.dark:
        yield from moves.successors(play, node, item, layout)
        return
    for reached, emitted in unseen(play, node, layout):
        for after, also in moves.successors(play, reached, item, layout):
            yield after, (*emitted, *also)
        if isinstance(item, ChipsMoved) and tells_of_before(play, reached, item, layout):
            yield reached, emitted


def ended_ways(play: Play, node: Node, layout: Layout) -> Iterator[Step]:
    """The complete plays a node may be, what went unseen at dark boxes included."""
    if not layout.dark:
        yield from moves.endings(play, node, layout)
        return
    for reached, emitted in unseen(play, node, layout):
        for after, also in moves.endings(play, reached, layout):
            yield after, (*emitted, *also)


def unseen(play: Play, node: Node, layout: Layout) -> Iterator[Step]:
    """The node itself, then what it becomes by moves that the chips of dark boxes would have shown."""
    waiting: list[Step] = [(node, ())]
    known: set[Step] = set()
    while waiting:
        step = waiting.pop()
        if step in known:
            continue
        known.add(step)
        yield step
        standing, emitted = step
        if standing.dealt == play.deal_cards and not standing.paying:
            waiting.extend((after, (*emitted, *also)) for after, also in hidden(play, standing, layout))


def hidden(play: Play, node: Node, layout: Layout) -> Iterator[Step]:
    """One move that chips would have shown."""
    for box in layout.dark:
        if play.even_money_may_show(node, box):
            yield moves.put_box(node, box, Box(Kind.EVEN_MONEY)), ()
    for reached, emitted in play.reach(node, layout.insured):
        hand = play.hand_in_play(reached)
        if hand is None:
            continue
        for box in layout.dark:
            yield from moves.surrenders(play, reached, box, emitted)
        if reached.turn in layout.dark:
            for cents in amounts(hand.base, play.rules.options.chip_unit_cents):
                for moved in moves.raised(play, reached, hand, cents):
                    yield play.decided(moved, layout.insured), emitted


def amounts(base_cents: int, chip_cents: int) -> set[int]:
    """What may have been added unseen: the whole wager, or any number of the smallest chip below it."""
    if base_cents // chip_cents > AMOUNTS_TOLD:
        return {base_cents, chip_cents}
    return {base_cents, *range(chip_cents, base_cents, chip_cents)}


def tells_of_before(play: Play, node: Node, item: ChipsMoved, layout: Layout) -> bool:
    """Whether a change may be the late word of something that has already been taken into account."""
    box = item.box
    if box not in layout.dark or node.dealt < play.deal_cards:
        return False
    if item.zone != "main":
        return True
    if node.turn == box:
        return item.after == sum(hand.base + hand.extra for hand in node.hands if hand.now is not Now.WAITING) or (
            item.after == sum(hand.base + hand.extra for hand in node.hands)
        )
    return node.boxes[box].kind is not Kind.PENDING
