"""What may happen at a box while its reader is lost: nothing of it is seen, so whatever chips would have shown may be.

That is a double, a split, a surrender, even money where chips show it, and any taking or payment. Cards are still seen,
so a box cannot draw unseen. A double for less may be for any number of the table's smallest chip; where these are very
many, one of them stands for all, so that a due is certain only if no such amount changes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, TypeGuard

from msgspec.structs import replace

from controller.core.game.hand import left_after, ways_to_take
from controller.core.game.play import Play
from controller.core.game.position import Box, BoxStatus, Hand, HandStatus, Node, Step
from controller.core.inference import successors
from controller.core.inference.observation import (
    NEVER_ENDS,
    ChipsObserved,
    DatedObservation,
    Layout,
    Observation,
    OutagePeriod,
)
from firmware_protocols.values import Value

_MOST_AMOUNTS: Final = 10
"""As many amounts of an unobserved double are told apart."""


class Outage(Value, frozen=True, tag=False):
    """From here to there the reader of a box reported nothing, in nanoseconds."""

    box: int
    from_ns: int
    to_ns: int = NEVER_ENDS
    """When it came back; ``NEVER_ENDS``: it has not."""
    reader: str = ""
    """The device."""
    zones: tuple[str, ...] = ()
    """Those zones of the box alone; empty: all that tell how it is played."""
    exchanged: bool = False
    """Whether other chips lie there in the end, so that what comes to the same may be the next bet."""
    cleared: bool = False
    """Whether a broken hand may have been taken there before that, also where the house may leave it until payment."""

    def open(self) -> bool:
        """Whether it still lasts."""
        return self.to_ns == NEVER_ENDS

    def hides(self, zone: str) -> bool:
        """Whether what happened in a zone went unseen."""
        return not self.zones or zone in self.zones


def outage_periods(outages: tuple[Outage, ...]) -> tuple[OutagePeriod, ...]:
    """The times with the same readers of main wagers lost, one after another from the first card on; none: none was."""
    if not outages:
        return ()
    outages = tuple(one for one in outages if one.hides("main"))
    if not outages:
        return ()
    begun = {0, *(one.from_ns for one in outages), *(one.to_ns + 1 for one in outages if not one.open())}
    return tuple(_period_at(outages, from_ns) for from_ns in sorted(begun))


def _period_at(outages: tuple[Outage, ...], at_ns: int) -> OutagePeriod:
    """The readers lost at a moment."""
    lost = [one for one in outages if one.from_ns <= at_ns <= one.to_ns]
    unwatched = frozenset(one.box for one in lost)
    exchanged = frozenset(one.box for one in lost if one.exchanged)
    cleared = frozenset(one.box for one in lost if one.cleared)
    return OutagePeriod(at_ns, unwatched, unwatched - {one.box for one in lost if one.open()}, exchanged, cleared)


def layout_with_outages(
    layout: Layout, periods: tuple[OutagePeriod, ...], waiting: Iterable[DatedObservation]
) -> Layout:
    """The layout with the times when readers were lost; ``waiting`` is evidence that is yet to happen."""
    to_come = {(one.item.box, one.first_ns, one.item.after) for one in waiting if _of_main(one.item)}
    return replace(layout, outage_periods=periods, main_changes_to_come=tuple(sorted(to_come)))


def _of_main(item: Observation) -> TypeGuard[ChipsObserved]:
    """Whether it is a change of a main zone."""
    return isinstance(item, ChipsObserved) and item.zone == "main"


def successors_with_outages(
    play: Play, node: Node, item: Observation, layout: Layout, between: tuple[int, int]
) -> Iterator[Step]:
    """Every node the round may stand at after ``item``, what went unseen at unwatched boxes included.

    ``between`` are the first and the last moment at which it may happen, in nanoseconds.
    """
    if layout.outage_periods:
        return _successors_unseen(play, node, item, layout, between)
    return successors.successors(play, node, item, layout)


def _successors_unseen(
    play: Play, node: Node, item: Observation, layout: Layout, between: tuple[int, int]
) -> Iterator[Step]:
    """The same where readers are lost."""
    first_ns, last_ns = between
    over = sum(period.from_ns <= first_ns for period in layout.outage_periods) - 1
    for reached, emitted in _unseen(play, node, layout, last_ns):
        if reached.outage_period >= over:
            now = layout.during(reached.outage_period)
            yield from _changed_late(play, (reached, emitted), item, now)
            if isinstance(item, ChipsObserved) and _tells_of_before(play, reached, item, now):
                yield reached, emitted


def _changed_late(play: Play, step: Step, item: Observation, layout: Layout) -> Iterator[Step]:
    """What may follow where a box's chips are not what was last reported: the change it tells of began with those."""
    node, emitted = step
    if isinstance(item, ChipsObserved) and item.zone == "main" and item.counts():
        lay = dict(node.hidden_chips).get(item.box)
        if lay is not None:
            node = _with_unseen(node, item.box, None)
            if lay == item.after or item.idle:
                yield node, emitted
                return
            item = replace(item, before=lay)
    for after, also in successors.successors(play, node, item, layout):
        yield after, (*emitted, *also)


def _with_unseen(node: Node, box: int, cents: int | None) -> Node:
    """The node with what lies unseen in a box's main zone; None: what was last reported."""
    others = tuple(one for one in node.hidden_chips if one[0] != box)
    return replace(node, hidden_chips=others if cents is None else tuple(sorted((*others, (box, cents)))))


def _seen_again(node: Node, layout: Layout) -> Node | None:
    """The node once the next period begins: none if a reader that is back would have reported other chips.

    The first inventory of a reader that is back comes after its return: until then a change may be reported late.
    """
    then = layout.outage_periods[node.outage_period + 1]
    for box, cents in node.hidden_chips:
        if cents == layout.mains[box]:
            node = _with_unseen(node, box, None)
        elif box not in then.unwatched and not any(
            of == box and at < then.from_ns for of, at, _ in layout.main_changes_to_come
        ):
            return None
    return replace(node, outage_period=node.outage_period + 1)


def _lying(node: Node, box: int, layout: Layout) -> int:
    """The main chips of a box, seen or not."""
    return dict(node.hidden_chips).get(box, layout.mains[box])


def _left_with(node: Node, box: int, cents: int, layout: Layout) -> Node:
    """The node after an unseen move that leaves ``cents`` in a box; kept in mind where the reader will see them."""
    return _with_unseen(node, box, cents) if box in layout.back else node


def endings_with_outages(play: Play, node: Node, layout: Layout) -> Iterable[Step]:
    """The complete plays a node may be, what went unseen at unwatched boxes included."""
    if layout.outage_periods:
        return _endings_unseen(play, node, layout)
    return successors.endings(play, node, layout)


def _endings_unseen(play: Play, node: Node, layout: Layout) -> Iterator[Step]:
    """The same where readers are lost."""
    for reached, emitted in _unseen(play, node, layout, NEVER_ENDS):
        for after, also in successors.endings(play, reached, layout.during(reached.outage_period)):
            yield after, (*emitted, *also)


def _unseen(play: Play, node: Node, layout: Layout, last_ns: int) -> Iterator[Step]:
    """The node itself and what it becomes, up to a moment, by moves that the chips of unwatched boxes would show."""
    begun: list[Step] = [(node, ())]
    ends = [period.from_ns for period in layout.outage_periods[node.outage_period + 1 :]]
    for period, end_ns in enumerate([*ends, NEVER_ENDS + 1], start=node.outage_period):
        reached = [*_unseen_at_once(play, begun, layout.during(period))]
        yield from reached
        if end_ns > last_ns:
            return
        again = ((_seen_again(standing, layout), emitted) for standing, emitted in reached)
        begun = [(standing, emitted) for standing, emitted in again if standing is not None]


def _unseen_at_once(play: Play, begun: Iterable[Step], layout: Layout) -> Iterator[Step]:
    """The same while one and the same boxes are unwatched."""
    waiting = list(begun)
    known: set[Step] = set()
    while waiting:
        step = waiting.pop()
        if step in known:
            continue
        known.add(step)
        yield step
        standing, emitted = step
        if standing.dealt == play.deal_cards:
            more = () if standing.paying else _hidden(play, standing, layout)
            seen_later = chain(_shown_late(play, standing, layout), _undone(play, standing, layout))
            waiting.extend((after, (*emitted, *also)) for after, also in chain(more, seen_later))


def _undone(play: Play, node: Node, layout: Layout) -> Iterator[Step]:
    """An unobserved change that leaves what was last reported: a winner takes his chips and lets the old wager lie."""
    for box, cents in node.hidden_chips:
        if box in layout.unwatched:
            moved = ChipsObserved(box, "main", cents, layout.mains[box])
            for after, also in successors.chips_moved(play, node, moved, layout):
                if after.boxes[box].next_bet and box not in layout.exchanged:
                    # The next bet is not the old wager.
                    continue
                yield _with_unseen(after, box, None), also


def _shown_late(play: Play, node: Node, layout: Layout) -> Iterator[Step]:
    """The chips of a surrender that nothing has shown since the last card, gone unseen: its key may confirm them."""
    for box in layout.unwatched:
        if node.silent_surrenders >> box & 1 and node.boxes[box].kind is BoxStatus.SURRENDERED:
            gone = ChipsObserved(box, "main", _lying(node, box, layout), 0)
            yield _left_with(successors.surrender_shown_late(play, node, gone), box, 0, layout), ()


def _hidden(play: Play, node: Node, layout: Layout) -> Iterator[Step]:
    """One move that chips would have shown."""
    for box in layout.unwatched:
        wager = play.deal.wagers[box]
        if play.even_money_may_show(node, box):
            paid = successors.put_box(node, box, Box(BoxStatus.EVEN_MONEY))
            yield _left_with(paid, box, _lying(node, box, layout) + wager, layout), ()
        if box in layout.back:
            yield from _taken(node, box, layout)
    for reached, emitted in play.reach(node, layout.insured):
        hand = play.hand_in_play(reached)
        if hand is None:
            continue
        for box in layout.unwatched:
            for shown, also in successors.shown_surrenders(play, reached, box, emitted):
                # Where no chips lie, as at a box that plays for cash, they show no surrender, watched or not. Half of
                # them that is left is seen when the reader looks again, as of a surrender whose chips were taken.
                if _lying(reached, box, layout) > 0:
                    yield _left_with(shown, box, 0, layout), also
        if reached.acting in layout.unwatched:
            lay_cents = _lying(reached, reached.acting, layout)
            for cents in _amounts(hand.base, play.rules.options.chip_unit_cents, _to_come(reached, lay_cents, layout)):
                for moved in play.raised(reached, hand, cents):
                    now = lay_cents + cents
                    yield _left_with(play.decided(moved, layout.insured), reached.acting, now, layout), emitted
            yield from _raised_further(play, (reached, emitted), hand, layout)


def _raised_further(play: Play, step: Step, hand: Hand, layout: Layout) -> Iterator[Step]:
    """The rest of a double or split that a look showed in part: it is laid in two movements, before its card comes."""
    node, emitted = step
    box = node.acting
    # Without chips that were reported the whole of it is one of the amounts tried, however it was laid.
    if not successors.may_be_raised_further(hand, 1) or _lying(node, box, layout) != layout.mains[box]:
        return
    chip_cents, rest_cents = play.rules.options.chip_unit_cents, hand.base - hand.extra
    amounts = {rest_cents}
    if box in layout.back:
        fitting = {more for more in _to_come(node, layout.mains[box], layout) if 0 < more < rest_cents}
        amounts = {*amounts, *fitting, *range(chip_cents, rest_cents, chip_cents)[:2]}
    for cents in amounts:
        for raised in successors.raised_further(play, node, hand, cents):
            yield _left_with(raised, box, layout.mains[box] + cents, layout), emitted


def _taken(node: Node, box: int, layout: Layout) -> Iterator[Step]:
    """Broken hands taken from a box unseen: all of them, where that is owed at once, or some after a split.

    All of them as well where what lies there in the end may be the next bet.
    """
    state, lay_cents = node.boxes[box], _lying(node, box, layout)
    if state.bust_on_layout or (box in layout.cleared and state.kind is BoxStatus.BROKEN):
        yield _with_unseen(successors.put_box(node, box, Box(BoxStatus.BROKEN)), box, 0), ()
    for stakes in {*ways_to_take(state.busts_not_taken)}:
        # What is taken lay there: chips that an unexplained change left cannot have been more than they are.
        if sum(stakes) < lay_cents:
            left = replace(state, busts_not_taken=left_after(state.busts_not_taken, stakes))
            yield _with_unseen(successors.put_box(node, box, left), box, lay_cents - sum(stakes)), ()


def _to_come(node: Node, lay_cents: int, layout: Layout) -> set[int]:
    """By how much more will be reported of the box in play than lies there unseen; less, if a hand was taken."""
    return {after - lay_cents for box, _, after in layout.main_changes_to_come if box == node.acting}


def _amounts(base_cents: int, chip_cents: int, to_come: set[int]) -> set[int]:
    """What may have been added unseen: the whole wager, or any number of the smallest chip below it.

    Of very many amounts those that with whole wagers, or what stands for any less, come to what is reported later. Two
    amounts stand for any less where that may rule out the whole wager, so that no play is the only one for its amount.
    """
    if base_cents // chip_cents <= _MOST_AMOUNTS:
        return {base_cents, *range(chip_cents, base_cents, chip_cents)}
    if not to_come:
        return {base_cents, chip_cents}
    fitting = {more % base_cents for more in to_come} - {0}
    return {base_cents, chip_cents, 2 * chip_cents, *fitting}


def _tells_of_before(play: Play, node: Node, item: ChipsObserved, layout: Layout) -> bool:
    """Whether a change may be the late word of something that has already been taken into account."""
    box = item.box
    if box not in layout.unwatched - layout.back or node.dealt < play.deal_cards or item.zone != "main":
        return False
    if node.acting == box:
        return item.after == sum(
            hand.base + hand.extra for hand in node.hands if hand.now is not HandStatus.WAITING
        ) or (item.after == sum(hand.base + hand.extra for hand in node.hands))
    return node.boxes[box].kind is not BoxStatus.PENDING
