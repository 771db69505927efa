"""The simulated dealer and players: endless rounds as a stream of acts, with the truth after each.

What readings people leave behind follows the rules of evidence: bets are locked by a key, a double's chips come after
its hand's second card and before its third, broken spots are taken before the next card, and nothing is paid against
an ace or a ten before the hole card is turned. The same generator, rack and arguments give the same acts.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import count
from typing import assert_never

from simulators.chance import Chance, happens, pick
from simulators.people import bust_bets
from simulators.people.acts import Act, Consult, Pause, Press, RoundPlayed, Wager
from simulators.people.bettors import (
    admit,
    bet,
    bet_ahead,
    boxes_locked,
    double_cents,
    has_room,
    insure,
    newcomer,
    pick_up,
    show_surrender,
    surrender_early,
    take_seats,
)
from simulators.people.box import (
    Box,
    Choice,
    dealer_draws,
    doubled,
    in_play,
    insurance_due_cents,
    is_natural,
    main_due_cents,
    split,
    stood,
    with_card,
)
from simulators.people.deck import LoadedShoe
from simulators.people.felt import (
    EZ_BUST,
    FALTER_PAUSE_MS,
    HAND_PAUSE_MS,
    INSURANCE,
    KEY_BURN,
    KEY_DOUBLE,
    KEY_HIT,
    KEY_HOLE_TURNED,
    KEY_INSURANCE_CLOSED,
    KEY_NO_MORE_BETS,
    KEY_ROUND_CLOSED,
    KEY_SPLIT,
    KEY_STAND,
    KEY_SURRENDER,
    LOOK_PAUSE_MS,
    MAIN,
    SPOTS,
    Felt,
    Habits,
    StandKey,
)
from simulators.people.house import House
from simulators.people.payments import (
    checks,
    may_be_natural,
    pay_naturals_at_once,
    second_awaited,
    settle_frozen,
    settle_insurance,
    settle_surrenders,
    take_and_pay,
)
from simulators.people.player import choose, offered_insurance
from simulators.people.rack import Rack


def play(
    house: House,
    rng: Chance,
    rack: Rack,
    boxes: tuple[int, int] = (1, len(SPOTS)),
    decks: int | None = None,
    *,
    rounds: int | None = None,
    stand_key: StandKey = "always",
    hit_key_per_mille: int = 300,
    whims_per_mille: int = 150,
    fumbles_per_mille: int = 0,
    shoe: LoadedShoe | None = None,
    touching: bool = True,
    bust_bets_per_mille: int = 0,
    eager_per_mille: int = 0,
    falters_per_mille: int = 0,
) -> Iterator[Act]:
    """Play ``rounds`` rounds (None: without end) with ``boxes`` (fewest, most) players at a shoe of ``decks`` decks.

    ``decks`` None: as many as the house's rules say; ``shoe`` brings its own. No more players sit down than the layout
    has boxes.

    Rates are per mille: of hits that have a key (none with ``stand_key`` ``never``), of decisions made at random
    among the legal ones, of chances to swap chips or (``touching``) lift them, of boxes that wager on EZ Bust where
    the house offers it, of chances to bet ahead or to raise a wager by laying other chips for all of it, and of deals
    in which the dealer falters. Acts are made as they are asked for. Raises ``ValueError`` at once for a number out of
    range.
    """
    fewest, most = boxes
    if not 1 <= fewest <= most <= len(SPOTS) or fewest > house.boxes:
        raise ValueError(f"boxes: {fewest} to {most} is not within 1 to {house.boxes}")
    of_people = (hit_key_per_mille, whims_per_mille, fumbles_per_mille, bust_bets_per_mille, eager_per_mille)
    for rate in (*of_people, falters_per_mille):
        if not 0 <= rate <= 1000:
            raise ValueError(f"{rate} is no rate per mille")
    habits = Habits(
        stand_key=stand_key,
        hit_key_per_mille=0 if stand_key == "never" else hit_key_per_mille,
        whims_per_mille=whims_per_mille,
        fumbles_per_mille=fumbles_per_mille,
        touching=touching,
        bust_bets_per_mille=bust_bets_per_mille,
        eager_per_mille=eager_per_mille,
        falters_per_mille=falters_per_mille,
    )
    loaded = shoe or LoadedShoe(rng, house.decks if decks is None else decks)
    felt = Felt(house, rng, rack, loaded, habits)
    return _rounds(felt, (fewest, min(most, house.boxes)), rounds)


def _rounds(felt: Felt, boxes: tuple[int, int], rounds: int | None) -> Iterator[Act]:
    for number in count(1) if rounds is None else range(1, rounds + 1):
        if felt.shoe.done:
            yield from _new_shoe(felt)
        take_seats(felt, boxes)
        yield from bet(felt)
        entering = yield from newcomer(felt, boxes)
        yield from felt.press(KEY_NO_MORE_BETS)
        if entering:
            yield from admit(felt, entering)
        yield from _deal(felt)
        felt.bet_last = frozenset(felt.boxes)
        yield from _offers(felt)
        stopped = yield from _natural_found(felt)
        for spot in () if stopped else felt.boxes:
            yield from _play_box(felt, spot)
        yield from _play_dealer(felt, turned=stopped)
        if felt.habits.stand_key != "always" and _may_ask(felt):
            # Who keys every decision is not asked about it.
            yield _consult(felt)
        yield from bust_bets.settle(felt)
        yield from take_and_pay(felt)
        yield from bust_bets.clear(felt)
        yield from pick_up(felt, boxes)
        yield from felt.press(KEY_ROUND_CLOSED)
        yield felt.pause(HAND_PAUSE_MS)
        yield _round_played(felt, number)


def _new_shoe(felt: Felt) -> Iterator[Act]:
    felt.shoe.load()
    felt.bet_last = frozenset()
    yield felt.pause(HAND_PAUSE_MS)
    yield Press(KEY_BURN)
    for _ in range(felt.house.new_shoe_burns):
        yield from felt.draw()


def _deal(felt: Felt) -> Iterator[Act]:
    """One card to each box, the up card, a second card each, and the hole card where it is dealt now."""
    felt.shoe.clear_table()
    felt.boxes = boxes_locked(felt)
    felt.dealer, felt.taken, felt.paid, felt.bet_ahead = (), set(), set(), set()
    falters_at = _falters_at(felt)
    for _ in range(2):
        for spot in felt.boxes:
            if (spot, len(felt.dealer)) == falters_at:
                yield felt.pause(FALTER_PAUSE_MS)
            card = yield from felt.draw(dealing=True)
            felt.boxes[spot] = with_card(felt.house, felt.boxes[spot], card)
            # A hand that lingers at the chips must be gone before the deal ends, so only the first cards see it.
            yield from felt.fumble(touching=not felt.dealer)
        if not felt.dealer or felt.house.hole_card == "dealt":
            card = yield from felt.draw(dealing=True)
            felt.dealer = (*felt.dealer, card)
    yield Pause(LOOK_PAUSE_MS)


def _falters_at(felt: Felt) -> tuple[int, int]:
    """The box before whose first (0) or second (1) card the dealer falters; of no box (0): not this time."""
    rate = felt.habits.falters_per_mille
    if not rate or not happens(felt.rng, rate):
        return 0, 0
    return pick(felt.rng, tuple(felt.boxes)), felt.rng.randrange(2)


def _offers(felt: Felt) -> Iterator[Act]:
    """Between the deal and the first decision: naturals against 2 to 9 are paid, insurance and surrender offered."""
    up = felt.dealer[0]
    if not may_be_natural(up) and felt.house.naturals_paid == "at_once":
        yield from pay_naturals_at_once(felt)
    if offered_insurance(felt.house, up):
        yield from insure(felt)
    yield from bust_bets.lay(felt)
    if not checks(felt):
        yield from surrender_early(felt, up)
    yield from settle_surrenders(felt)
    if offered_insurance(felt.house, up):
        yield from felt.press(KEY_INSURANCE_CLOSED)


def _natural_found(felt: Felt) -> Generator[Act, None, bool]:
    """The device finds the dealer's natural: the hole card is turned and nobody plays. Else play goes on."""
    if not checks(felt):
        return False
    yield felt.pause(HAND_PAUSE_MS)
    if is_natural(felt.dealer):
        yield from felt.press(KEY_HOLE_TURNED)
        return True
    yield from settle_insurance(felt)
    if felt.house.naturals_paid == "at_once":
        yield from pay_naturals_at_once(felt)
    if not offered_insurance(felt.house, felt.dealer[0]):
        yield from surrender_early(felt, felt.dealer[0])
        yield from settle_surrenders(felt)
    return False


def _play_box(felt: Felt, spot: int) -> Iterator[Act]:
    while (place := in_play(felt.house, felt.boxes[spot])) is not None:
        box = felt.boxes[spot]
        if box.hands[place].awaits_card:
            yield from _take_card(felt, box, place)
        else:
            yield from felt.fumble(touching=False)
            yield from _decide(felt, box, place)


def _decide(felt: Felt, box: Box, place: int) -> Iterator[Act]:
    spot, keyed = box.spot, felt.habits.play_key_per_mille
    match _possible(felt, box, place):
        case Choice.HIT:
            yield from felt.press_for(spot, KEY_HIT, felt.habits.hit_key_per_mille)
            yield from _take_card(felt, box, place)
        case Choice.STAND:
            yield from felt.press_for(spot, KEY_STAND, keyed)
            felt.boxes[spot] = stood(felt.house, box)
        case Choice.DOUBLE:
            cents = double_cents(felt, box.hands[place].base_cents)
            felt.boxes[spot] = doubled(felt.house, box, cents)
            yield from _raise(felt, spot, cents, KEY_DOUBLE)
        case Choice.SPLIT:
            felt.boxes[spot] = split(felt.house, box)
            yield from _raise(felt, spot, box.wager_cents, KEY_SPLIT)
        case Choice.SURRENDER:
            yield from show_surrender(felt, spot)
            # Unnamed, the key could as well speak of the next spot, whose emptied wager would then look surrendered.
            if happens(felt.rng, keyed):
                yield from felt.press(KEY_SURRENDER, spot)
            yield from settle_surrenders(felt)
        case never:
            assert_never(never)


def _possible(felt: Felt, box: Box, place: int) -> Choice:
    """The player's choice; one whose chips would not fit into the zone becomes the nearest without chips."""
    choice = choose(felt.house, felt.rng, box, felt.dealer[0], felt.habits.whims_per_mille)
    hand = box.hands[place]
    if choice not in {Choice.DOUBLE, Choice.SPLIT} or has_room(felt, box.spot, hand.base_cents):
        return choice
    return Choice.HIT if choice is Choice.DOUBLE else Choice.STAND


def _raise(felt: Felt, spot: int, cents: int, key: str) -> Iterator[Act]:
    """Chips for a double or a split, with their key before or after."""
    keyed = felt.habits.play_key_per_mille
    key_first = happens(felt.rng, 400)
    if key_first:
        yield from felt.press_for(spot, key, keyed)
    if felt.is_eager():
        yield from felt.restack(spot, felt.cents(spot, MAIN) + cents)
    else:
        yield from felt.lay(spot, MAIN, felt.cents(spot, MAIN) + cents)
    if not key_first:
        yield from felt.press_for(spot, key, keyed)


def _take_card(felt: Felt, box: Box, place: int) -> Iterator[Act]:
    card = yield from felt.draw()
    box = felt.boxes[box.spot] = with_card(felt.house, box, card)
    if not box.hands[place].broke:
        return
    if in_play(felt.house, box) is None and box.broke:
        yield from felt.lay(box.spot, MAIN, 0)
        felt.taken.update((box.spot, each) for each in range(len(box.hands)))
        yield from bet_ahead(felt, box.spot)
    elif happens(felt.rng, 500):
        yield from felt.lay(box.spot, MAIN, felt.cents(box.spot, MAIN) - box.hands[place].stake_cents)
        felt.taken.add((box.spot, place))


def _play_dealer(felt: Felt, *, turned: bool) -> Iterator[Act]:
    """Turn the hole card, settle what waited for it, and draw where a hand waits for the total."""
    if not turned:
        yield from felt.press(KEY_HOLE_TURNED)
    awaited = bust_bets.awaited(felt)
    if felt.house.hole_card == "none" and (second_awaited(felt) or awaited):
        card = yield from felt.draw()
        felt.dealer = (*felt.dealer, card)
    yield from settle_insurance(felt)
    live = awaited or any(box.live for box in felt.boxes.values())
    if not live or happens(felt.rng, 500):
        yield from settle_frozen(felt)
    while live and dealer_draws(felt.house, felt.dealer):
        card = yield from felt.draw()
        felt.dealer = (*felt.dealer, card)


def _may_ask(felt: Felt) -> bool:
    """Whether the display may ask before paying: of hands face down it knows nothing to ask while no card is drawn."""
    return felt.house.player_cards == "face_up" or any(box.live for box in felt.boxes.values())


def _consult(felt: Felt) -> Consult:
    return Consult(
        cards={str(spot): tuple(len(hand.cards) for hand in box.hands) for spot, box in felt.boxes.items()},
        doubled=tuple(spot for spot, box in felt.boxes.items() if any(hand.doubled_cents for hand in box.hands)),
        surrendered=tuple(spot for spot, box in felt.boxes.items() if box.surrendered),
    )


def _round_played(felt: Felt, number: int) -> RoundPlayed:
    wagers: list[Wager] = []
    for spot, box in felt.boxes.items():
        wagers.append(Wager(spot, MAIN, box.wager_cents, main_due_cents(felt.house, box, felt.dealer)))
        if box.insurance_cents:
            net_cents = insurance_due_cents(felt.house, box, felt.dealer)
            wagers.append(Wager(spot, INSURANCE, box.insurance_cents, net_cents))
        if box.bust_cents:
            net_cents = bust_bets.net_cents(felt.boxes.values(), box.bust_cents, felt.dealer)
            wagers.append(Wager(spot, EZ_BUST, box.bust_cents, net_cents))
    return RoundPlayed(
        round=number,
        wagers=tuple(wagers),
        hands={str(spot): tuple(hand.cards for hand in box.hands) for spot, box in felt.boxes.items()},
        dealer=felt.dealer,
        surrendered=tuple(spot for spot, box in felt.boxes.items() if box.surrendered),
    )
