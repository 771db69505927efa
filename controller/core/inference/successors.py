"""What one piece of evidence may mean at a node: every legal way on, none for a node that cannot explain it.

The rows of ``docs/reference/evidence.md`` in code. Chips never decide by their amount once payment has begun; before
that the amount must fit the move.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from msgspec.structs import replace

from controller.core.game.hand import best, left_after, ways_to_take
from controller.core.game.play import Play
from controller.core.game.position import (
    BROKEN,
    DOUBLING,
    EVEN_MONEY,
    NATURAL,
    OPEN,
    OWED,
    PENDING,
    SPLITTING,
    SURRENDERED,
    Box,
    Confirmation,
    Emission,
    Hand,
    Node,
    Step,
)
from controller.core.inference.observation import CardObserved, ChipsObserved, KeyObserved, Layout, Observation


def layout_of(play: Play, contents: dict[tuple[int, str], int]) -> Layout:
    """Main chips by box, and what would count of the wager that may be made after the deal."""
    wagers = play.deal.wagers
    if not contents:
        return Layout(wagers, (0,) * len(wagers))
    mains, offered = [*wagers], [0] * len(wagers)
    for (box, zone), cents in contents.items():
        if zone == "main":
            mains[box] = cents
        elif zone == play.offered_zone:
            most = play.rules.insurance_cap_cents(wagers[box]) if zone == "insurance" else cents
            offered[box] = min(cents, most)
    return Layout(tuple(mains), tuple(offered))


def successors(play: Play, node: Node, item: Observation, layout: Layout) -> Iterator[Step]:
    """Every node the round may stand at after ``item``, with the boxes that finished on the way."""
    match item:
        case CardObserved():
            return _card_came(play, node, item.card, layout)
        case ChipsObserved(idle=True):
            return iter(((node, ()),))
        case ChipsObserved():
            return chips_moved(play, node, item, layout)
        case KeyObserved():
            return _key_spoke(play, node, item, layout)
        case _:
            assert_never(item)


# --- cards ------------------------------------------------------------------------------------------


def _card_came(play: Play, node: Node, card: int, layout: Layout) -> Iterator[Step]:
    """A card of the deal, of the hand in play, or the dealer's."""
    if node.dealt < play.deal_cards:
        node = replace(node, dealt=node.dealt + 1)
        yield play.dealt(node) if node.dealt == play.deal_cards else (node, ())
    elif not (node.paying or _busts_lie(play, node, layout)):
        standing = replace(node, surrenders_to_confirm=0) if node.surrenders_to_confirm else node
        for reached, emitted in _card_drawn(play, standing, card, layout):
            yield replace(reached, silent_surrenders=0) if reached.silent_surrenders else reached, emitted


def _card_drawn(play: Play, node: Node, card: int, layout: Layout) -> Iterator[Step]:
    """A card after the deal."""
    for reached, emitted in play.reach(node, layout.insured):
        hand = play.hand_in_play(reached)
        if hand is None:
            closed = play.close_offers(reached, layout.insured)
            holes = play.holes(closed, drawing=True)
            if holes:
                yield play.dealer_takes(closed, card, holes), emitted
        elif hand.now is OWED or (hand.now is OPEN and play.may_hit(reached, hand)):
            closed = play.decided(reached, layout.insured)
            settled = play.settle_hand(closed, play.take_card(closed, hand, card), emitted)
            yield _left_lying(play, settled, closed.acting, layout)


def _busts_lie(play: Play, node: Node, layout: Layout) -> bool:
    """Where the house takes busts at once: whether chips of a box whose hands all broke still lie there."""
    return play.rules.options.busts_taken == "at_once" and any(
        box.bust_on_layout and index not in layout.unwatched - layout.back for index, box in enumerate(node.boxes)
    )


def _left_lying(play: Play, step: Step, box: int, layout: Layout) -> Step:
    """After a card to a box: if it broke the last hand chips that lie there must go, where busts are taken at once."""
    node, emitted = step
    broke = node.boxes[box].kind is BROKEN and layout.mains[box] > 0
    if not broke or play.rules.options.busts_taken != "at_once":
        return step
    return put_box(node, box, replace(node.boxes[box], bust_on_layout=True)), emitted


# --- chips ------------------------------------------------------------------------------------------


def chips_moved(play: Play, node: Node, item: ChipsObserved, layout: Layout) -> Iterator[Step]:
    """A change of the chips in a box's main zone, or in the zone of what is offered after the deal."""
    if node.dealt < play.deal_cards:
        return
    if node.paying:
        if pays(play, node, item):
            yield (surrender_shown_late(play, node, item) if item.zone == "main" else node), ()
        return
    if item.zone != "main":
        yield from _offered_moved(play, node, item, layout)
        return
    yield from _raised_or_surrendered(play, node, item, layout)
    if item.takes_back:
        yield from _taken_back(play, node, item)
    yield from _laid_ahead(play, node, item)
    yield from _settled_early(play, node, item)
    yield from _next_bet(node, item, layout)
    if item.early:
        return
    if play.may_be_stopped(node):
        stopped, ended = play.stopped(node, layout.insured)
        yield from _dealer_pays(play, stopped, item, layout, ended)
    for reached, emitted in play.reach(node, layout.insured):
        if play.all_played(reached):
            yield from _dealer_pays(play, reached, item, layout, emitted)


def pays(play: Play, node: Node, item: ChipsObserved) -> bool:
    """Whether payment, once it has begun, explains a change: any of a main zone, of the other only where a wager is."""
    made = item.zone == play.offered_zone and node.insured and node.insured[item.box]
    return item.idle or item.zone == "main" or bool(made)


def _offered_moved(play: Play, node: Node, item: ChipsObserved, layout: Layout) -> Iterator[Step]:
    """Insurance is made while it is offered. Later only what was made may change: a fall withdraws nothing.

    A rise is its payment, once all boxes have played. EZ Bust is made alike; once it counts it is taken or paid when
    the dealer's hand is complete and not touched before.
    """
    if item.zone != play.offered_zone:
        return
    falls = item.zone == "insurance" and item.after < item.before
    if node.offers or (falls and pays(play, node, item)):
        yield node, ()
    if falls and node.offers and play.may_be_stopped(node):
        # The device has found no natural: what was insured is lost, and taken before anybody plays.
        yield play.decided(node, layout.insured), ()
    for reached, emitted in play.reach(node, layout.insured):
        if play.all_played(reached):
            closed = play.close_offers(reached, layout.insured)
            done = closed.hole if item.zone == "insurance" else play.holes(closed, drawing=False)
            if pays(play, closed, item) and done:
                yield replace(closed, hole=done), emitted
        elif not reached.offers and node.offers and falls and pays(play, reached, item):
            # Somebody had stopped without a sign: the offer was over, and what was insured stays so.
            yield reached, emitted


def _raised_or_surrendered(play: Play, node: Node, item: ChipsObserved, layout: Layout) -> Iterator[Step]:
    """A double or split of the hand in play, or a surrender."""
    rises, is_half = item.rises(), _leaves_half(play, item)
    for reached, emitted in play.reach(node, layout.insured):
        hand = play.hand_in_play(reached)
        if hand is None:
            continue
        for cents in rises if reached.acting == item.box else ():
            for moved in play.raised(reached, hand, cents):
                yield play.decided(moved, layout.insured), emitted
            for moved in raised_further(play, reached, hand, cents):
                yield moved, emitted
        if is_half:
            if item.after < item.before:
                yield from shown_surrenders(play, reached, item.box, emitted)
            elif play.may_surrender_silently(item.box):
                yield from surrenders(play, reached, item.box, emitted, offered=True)


def _laid_ahead(play: Play, node: Node, item: ChipsObserved) -> Iterator[Step]:
    """A double or split that is laid before the turn of its box, in however many movements, or taken back."""
    box = node.boxes[item.box]
    if box.kind is not PENDING or item.box < node.acting:
        return
    if item.box == node.acting and not (item.follows and box.ahead):
        # At its turn only what lay there before it can be told from a double that is laid now.
        return
    for cents in item.rises() or (item.after - item.before,):
        ahead = box.ahead + cents
        may_wait = ahead > 0 and (item.follows or (item.waits and not box.ahead))
        if box.ahead and not ahead:
            yield put_box(node, item.box, Box(PENDING)), ()
        elif may_wait and play.raises_at_turn(node, item.box, ahead):
            yield put_box(node, item.box, replace(box, ahead=ahead)), ()


def _taken_back(play: Play, node: Node, item: ChipsObserved) -> Iterator[Step]:
    """What was laid of a double or split is taken back before its card; once that has come the hand stays as it is."""
    if node.acting < item.box:
        return
    hand = play.hand_in_play(node) if node.acting == item.box else None
    if hand is None or hand.now is not OWED or not (hand.extra or hand.confirmation is Confirmation.SPLIT_MAY_FOLLOW):
        yield node, ()
        return
    for withdrawn in play.withdrawn(node, hand, item.before - item.after):
        yield withdrawn, ()


def _leaves_half(play: Play, item: ChipsObserved) -> bool:
    """Whether what lies in a box's main zone is what a surrender leaves: half of the wager, or nothing."""
    return item.after == 0 or item.after in play.rules.halves_cents(play.deal.wagers[item.box])


def raised_further(play: Play, node: Node, hand: Hand, cents: int) -> Iterator[Node]:
    """The rest of chips that are laid in two movements, before their card comes: of a double, or of a split's wager.

    The first of them looked like a double for less. Where a key has said that it is one the rest makes no split.
    """
    if not may_be_raised_further(hand, cents):
        return
    yield play.doubled(node, hand, hand.extra + cents, hand.confirmation)
    pair, is_whole = replace(hand, extra=0, now=OPEN), hand.extra + cents == hand.base
    if is_whole and hand.confirmation is Confirmation.DOUBLE_MAY_FOLLOW and play.may_split(node, pair):
        yield play.split(node, Confirmation.SPLIT_MAY_FOLLOW)


def may_be_raised_further(hand: Hand, cents: int) -> bool:
    """Whether chips may be the rest of what was laid in part, as no card has come yet."""
    return hand.now is OWED and 0 < hand.extra <= hand.base - cents


def surrenders(play: Play, node: Node, box: int, emitted: tuple[Emission, ...], *, offered: bool) -> Iterator[Step]:
    """The box gives up: before its turn while that is ``offered``, or in its turn as its first decision (HPN card)."""
    if play.rules.surrender != "late":
        return
    early = offered and play.rules.surrender_turn == "any"
    before = box > node.acting and early and node.boxes[box].kind is PENDING
    if before or play.untouched_hand(node, box):
        yield play.surrender(node, box, emitted)


def shown_surrenders(play: Play, node: Node, box: int, emitted: tuple[Emission, ...]) -> Iterator[Step]:
    """The same as chips show it, for its key to confirm: not where they are the taking of one made sooner, unshown."""
    for gone, also in surrenders(
        play, node, box, emitted, offered=play.surrender_offered(node) or play.may_surrender_silently(box)
    ):
        is_now = play.surrender_offered(node) or node.acting == box or node.silent_surrenders >> box & 1
        yield replace(gone, surrenders_to_confirm=node.surrenders_to_confirm | 1 << box) if is_now else gone, also


def _gives_up(play: Play, node: Node, box: int, layout: Layout, emitted: tuple[Emission, ...]) -> Iterator[Step]:
    """The hand in play is surrendered later than as its first decision, where the card allows that (A12): by key."""
    hand = play.hand_in_play(node)
    if (play.rules.surrender, play.rules.surrender_on) != ("late", "any_hand") or node.acting != box:
        return
    if hand is not None and hand.now is OPEN and not play.untouched_hand(node, box):
        given_up, also = play.give_up(node, hand, layout.insured)
        yield given_up, (*emitted, *also)


def _settled_early(play: Play, node: Node, item: ChipsObserved) -> Iterator[Step]:
    """What may be taken or paid while others still play: broken hands, surrenders, naturals against 2 to 9."""
    box = node.boxes[item.box]
    if box.kind is BROKEN and item.after == 0:
        yield put_box(node, item.box, Box(BROKEN)), ()
    if box.kind is SURRENDERED and node.silent_surrenders >> item.box & 1:
        if _leaves_half(play, item):
            yield surrender_shown_late(play, node, item), ()
    elif box.kind is SURRENDERED and (
        _leaves_half(play, item) or (not play.naturals_wait and item.after < item.before)
    ):
        yield node, ()
    if box.kind is EVEN_MONEY or (box.kind is NATURAL and not play.naturals_wait):
        yield node, ()
    elif box.kind is NATURAL and play.rules.hole_check == "device":
        # Paid while others have still to play: the device has found no natural.
        yield play.checked(node), ()
    if box.busts_not_taken and 0 < item.after < item.before:
        for left in {
            left_after(box.busts_not_taken, taken)
            for taken in ways_to_take(box.busts_not_taken)
            if sum(taken) == item.before - item.after
        }:
            yield put_box(node, item.box, replace(box, busts_not_taken=left)), ()
    if play.even_money_may_show(node, item.box) and item.after - item.before == play.deal.wagers[item.box]:
        yield put_box(node, item.box, Box(EVEN_MONEY)), ()
        if play.rules.options.even_money_shown == "sometimes":
            # Nobody has said so: they may be chips that were laid by mistake, or to cheat.
            yield node, ()


def _next_bet(node: Node, item: ChipsObserved, layout: Layout) -> Iterator[Step]:
    """A box whose wager has been taken bets again while others still play, and may change that bet.

    Where nobody watches the box both may have happened.
    """
    box = node.boxes[item.box]
    gone = item.before == 0 or box.next_bet or item.box in layout.unwatched
    if box.kind in {SURRENDERED, BROKEN} and gone:
        yield put_box(node, item.box, replace(box, next_bet=item.after > 0)), ()


def surrender_shown_late(play: Play, node: Node, item: ChipsObserved) -> Node:
    """A box's chips have changed: of one that surrendered unshown since the last card they show it, for its key."""
    bit = 1 << item.box & node.silent_surrenders
    shows = item.after < item.before and _leaves_half(play, item)
    return replace(
        node,
        silent_surrenders=node.silent_surrenders & ~bit,
        surrenders_to_confirm=node.surrenders_to_confirm | (bit if shows else 0),
    )


def put_box(node: Node, index: int, box: Box) -> Node:
    """The node with one box changed."""
    return replace(node, boxes=(*node.boxes[:index], box, *node.boxes[index + 1 :]))


def _dealer_pays(
    play: Play, node: Node, item: ChipsObserved, layout: Layout, emitted: tuple[Emission, ...]
) -> Iterator[Step]:
    """All boxes have played: naturals and surrenders are settled, and with the dealer's hand complete all the rest."""
    closed = play.close_offers(node, layout.insured)
    closed = replace(closed, silent_surrenders=closed.silent_surrenders & ~(1 << item.box))
    kind = closed.boxes[item.box].kind
    if kind is SURRENDERED or (kind is NATURAL and play.naturals_wait):
        yield closed, emitted
    done = play.holes(closed, drawing=False)
    if done:
        yield replace(closed, paying=True, hole=done), emitted


# --- keys -------------------------------------------------------------------------------------------


def _key_spoke(play: Play, node: Node, item: KeyObserved, layout: Layout) -> Iterator[Step]:
    """A key of the dealer's."""
    if node.dealt < play.deal_cards or (node.paying and item.action != "surrender"):
        return
    confirmed = replace(node, surrenders_to_confirm=0)
    match item.action:
        case "insurance_closed":
            if node.offers:
                yield play.close_offers(confirmed, layout.insured), ()
        case "hole_turned":
            yield from _hole_turned(play, confirmed, layout)
        case "even_money":
            yield from even_money(play, confirmed, item.box)
        case "surrender":
            if node.surrenders_to_confirm if item.box is None else node.surrenders_to_confirm >> item.box & 1:
                yield confirmed, ()
            for reached, emitted in play.reach(confirmed, layout.insured):
                box = reached.acting if item.box is None else item.box
                if play.hand_in_play(reached) is not None:
                    # A key speaks of what is done now: it shows no surrender made sooner.
                    yield from surrenders(play, reached, box, emitted, offered=play.surrender_offered(reached))
                    yield from _gives_up(play, reached, box, layout, emitted)
        case _:
            for reached, emitted in play.reach(confirmed, layout.insured):
                hand = play.hand_in_play(reached)
                if hand is not None and item.box in {None, reached.acting}:
                    for decided, also in _decision(play, reached, hand, item.action, layout):
                        yield decided, (*emitted, *also)


def _hole_turned(play: Play, node: Node, layout: Layout) -> Iterator[Step]:
    """The hole card is turned once all have played, or at once when a device has found a natural."""
    if _busts_lie(play, node, layout) or node.turned:
        return
    if play.may_be_stopped(node):
        yield play.stopped(node, layout.insured)
    for reached, emitted in play.reach(node, layout.insured):
        if play.all_played(reached) and not reached.drawn:
            yield replace(play.close_offers(reached, layout.insured), turned=True), emitted


def even_money(play: Play, node: Node, box: int | None) -> Iterator[Step]:
    """A natural against an ace takes even money instead of waiting (Borgata card); the key names its spot."""
    offered = play.rules.even_money and play.up_points == 1 and node.offers
    if offered and box is not None and node.boxes[box].kind is NATURAL:
        yield put_box(node, box, Box(EVEN_MONEY)), ()


def _decision(play: Play, node: Node, hand: Hand, action: str, layout: Layout) -> Iterator[Step]:
    """Hit, stand, double or split of the hand in play; double and split may also confirm chips already there."""
    closed = play.decided(node, layout.insured)
    open_hand = hand.now is OPEN and len(hand.cards) >= 2 and best(hand.cards) < 21
    step: Node | None = None
    match action:
        case "stand" if open_hand:
            yield play.stand(node, hand, layout.insured, ())
        case "hit" if open_hand and play.may_hit(node, hand):
            step = play.with_hand(
                play.stood(node, layout.insured),
                replace(hand, now=OWED, confirmation=Confirmation.ALL),
            )
        case "double" if hand.confirmation is Confirmation.DOUBLE_MAY_FOLLOW:
            step = play.with_hand(closed, replace(hand, confirmation=Confirmation.ALL))
        case "split" if hand.confirmation is Confirmation.SPLIT_MAY_FOLLOW:
            step = play.with_hand(closed, replace(hand, confirmation=Confirmation.ALL))
        case "double" if open_hand and play.may_double(node, hand):
            step = play.with_hand(closed, replace(hand, now=DOUBLING))
        case "split" if open_hand and play.may_split(node, hand):
            step = play.with_hand(closed, replace(hand, now=SPLITTING))
        case _:
            pass
    if step is not None:
        yield step, ()


def endings(play: Play, node: Node, layout: Layout) -> tuple[Step, ...]:
    """The complete plays a node may be: everybody has played and the dealer has drawn what he must."""
    # Whether a round may be over is asked several times a reading, and again of what stands where it stood.
    key = node, layout.insured if node.offers else ()
    ended = play.ended.get(key)
    if ended is None:
        ended = play.ended[key] = tuple(_endings(play, node, layout))
    return ended


def _endings(play: Play, node: Node, layout: Layout) -> Iterator[Step]:
    """The same, worked out."""
    if node.dealt < play.deal_cards:
        return
    if play.may_be_stopped(node):
        yield play.stopped(node, layout.insured)
    for reached, emitted in play.reach(node, layout.insured):
        if play.all_played(reached):
            closed = play.close_offers(reached, layout.insured)
            done = play.holes(closed, drawing=False)
            if done:
                yield replace(closed, hole=done, turned=True), emitted
