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
from simulators.people.acts import Act, AnswerQuestions, Pause, Press, RoundPlayed, Wager
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
from simulators.people.house import House
from simulators.people.payments import (
    awaits_second_card,
    checks_hole_card,
    may_be_natural,
    pay_naturals_at_once,
    settle_insurance,
    settle_naturals_and_surrenders,
    settle_surrenders,
    take_and_pay,
)
from simulators.people.player import choose, offered_insurance
from simulators.people.rack import Rack
from simulators.people.simulated_table import (
    CHECK_PAUSE_MS,
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
    Habits,
    SimulatedTable,
    StandKey,
)
from simulators.people.withdrawn_raises import withdrawn


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
    withdraws_per_mille: int = 0,
) -> Iterator[Act]:
    """Play ``rounds`` rounds (None: without end) with ``boxes`` (fewest, most) players at a shoe of ``decks`` decks.

    ``decks`` None: as many as the house's rules say; ``shoe`` brings its own. No more players sit down than the layout
    has boxes.

    Rates are per mille: of hits that have a key (none with ``stand_key`` ``never``), of decisions made at random
    among the legal ones, of chances to swap chips or (``touching``) lift them, of boxes that wager on EZ Bust where
    the house offers it, of chances to bet ahead or to raise a wager by laying other chips for all of it, of deals in
    which the dealer falters, and of hits and stands before which a double is laid and taken back. Acts are made as they
    are asked for. Raises ``ValueError`` at once for a number out of range.
    """
    fewest, most = boxes
    if not 1 <= fewest <= most <= len(SPOTS) or fewest > house.boxes:
        raise ValueError(f"boxes: {fewest} to {most} is not within 1 to {house.boxes}")
    of_people = (hit_key_per_mille, whims_per_mille, fumbles_per_mille, bust_bets_per_mille, eager_per_mille)
    for rate in (*of_people, falters_per_mille, withdraws_per_mille):
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
        withdraws_per_mille=withdraws_per_mille,
    )
    loaded = shoe or LoadedShoe(rng, house.decks if decks is None else decks)
    table = SimulatedTable(house, rng, rack, loaded, habits)
    return _rounds(table, (fewest, min(most, house.boxes)), rounds)


def _rounds(table: SimulatedTable, boxes: tuple[int, int], rounds: int | None) -> Iterator[Act]:
    for number in count(1) if rounds is None else range(1, rounds + 1):
        if table.shoe.done:
            yield from _new_shoe(table)
        take_seats(table, boxes)
        yield from bet(table)
        entering = yield from newcomer(table, boxes)
        yield from table.press(KEY_NO_MORE_BETS)
        if entering:
            yield from admit(table, entering)
        yield from _deal(table)
        table.bet_last = frozenset(table.boxes)
        yield from _offers(table)
        stopped = yield from _natural_found(table)
        for spot in () if stopped else table.boxes:
            yield from _play_box(table, spot)
        yield from _play_dealer(table, turned=stopped)
        if table.habits.stand_key != "always" and _may_ask(table):
            # Who keys every decision is not asked about it.
            yield _answer_questions(table)
        yield from bust_bets.settle(table)
        yield from take_and_pay(table)
        yield from bust_bets.clear(table)
        yield from pick_up(table, boxes)
        yield from table.press(KEY_ROUND_CLOSED)
        yield table.pause(HAND_PAUSE_MS)
        yield _round_played(table, number)


def _new_shoe(table: SimulatedTable) -> Iterator[Act]:
    table.shoe.load()
    table.bet_last = frozenset()
    yield table.pause(HAND_PAUSE_MS)
    yield Press(KEY_BURN)
    for _ in range(table.house.new_shoe_burns):
        yield from table.draw()


def _deal(table: SimulatedTable) -> Iterator[Act]:
    """One card to each box, the up card, a second card each, and the hole card where it is dealt now."""
    table.shoe.clear_table()
    table.boxes = boxes_locked(table)
    table.dealer, table.taken, table.paid, table.bet_ahead = (), set(), set(), set()
    falters_at = _falters_at(table)
    for _ in range(2):
        for spot in table.boxes:
            if (spot, len(table.dealer)) == falters_at:
                yield table.pause(FALTER_PAUSE_MS)
            card = yield from table.draw(dealing=True)
            table.boxes[spot] = with_card(table.house, table.boxes[spot], card)
            # A hand that lingers at the chips must be gone before the deal ends, so only the first cards see it.
            yield from table.fumble(touching=not table.dealer)
        if not table.dealer or table.house.hole_card == "dealt":
            card = yield from table.draw(dealing=True)
            table.dealer = (*table.dealer, card)
    yield Pause(LOOK_PAUSE_MS)


def _falters_at(table: SimulatedTable) -> tuple[int, int]:
    """The box before whose first (0) or second (1) card the dealer falters; of no box (0): not this time."""
    rate = table.habits.falters_per_mille
    if not rate or not happens(table.rng, rate):
        return 0, 0
    return pick(table.rng, tuple(table.boxes)), table.rng.randrange(2)


def _offers(table: SimulatedTable) -> Iterator[Act]:
    """Between the deal and the first decision: naturals against 2 to 9 are paid, insurance and surrender offered."""
    up = table.dealer[0]
    if not may_be_natural(up) and table.house.naturals_paid == "at_once":
        yield from pay_naturals_at_once(table)
    if offered_insurance(table.house, up):
        yield from insure(table)
    yield from bust_bets.lay(table)
    if not checks_hole_card(table):
        yield from surrender_early(table, up)
    yield from settle_surrenders(table)
    if offered_insurance(table.house, up):
        yield from table.press(KEY_INSURANCE_CLOSED)


def _natural_found(table: SimulatedTable) -> Generator[Act, None, bool]:
    """The device finds the dealer's natural: the hole card is turned and nobody plays. Else play goes on."""
    if not checks_hole_card(table):
        return False
    # Insurance is called closed before the hole card is looked at.
    yield table.pause(CHECK_PAUSE_MS if offered_insurance(table.house, table.dealer[0]) else HAND_PAUSE_MS)
    if is_natural(table.dealer):
        yield from table.press(KEY_HOLE_TURNED)
        return True
    yield from settle_insurance(table)
    if table.house.naturals_paid == "at_once":
        yield from pay_naturals_at_once(table)
    if not offered_insurance(table.house, table.dealer[0]):
        yield from surrender_early(table, table.dealer[0])
        yield from settle_surrenders(table)
    return False


def _play_box(table: SimulatedTable, spot: int) -> Iterator[Act]:
    while (place := in_play(table.house, table.boxes[spot])) is not None:
        box = table.boxes[spot]
        if box.hands[place].awaits_card:
            yield from _take_card(table, box, place)
        else:
            yield from table.fumble(touching=False)
            yield from _decide(table, box, place)


def _decide(table: SimulatedTable, box: Box, place: int) -> Iterator[Act]:
    spot, keyed = box.spot, table.habits.play_key_per_mille
    choice = _possible(table, box, place)
    if choice in {Choice.HIT, Choice.STAND}:
        yield from withdrawn(table, box, place)
    match choice:
        case Choice.HIT:
            yield from table.press_for(spot, KEY_HIT, table.habits.hit_key_per_mille)
            yield from _take_card(table, box, place)
        case Choice.STAND:
            yield from table.press_for(spot, KEY_STAND, keyed)
            table.boxes[spot] = stood(table.house, box)
        case Choice.DOUBLE:
            cents = double_cents(table, box.hands[place].base_cents)
            table.boxes[spot] = doubled(table.house, box, cents)
            yield from _raise(table, spot, cents, KEY_DOUBLE)
        case Choice.SPLIT:
            table.boxes[spot] = split(table.house, box)
            yield from _raise(table, spot, box.wager_cents, KEY_SPLIT)
        case Choice.SURRENDER:
            yield from show_surrender(table, spot)
            # Unnamed, the key could as well speak of the next spot, whose emptied wager would then look surrendered.
            if happens(table.rng, keyed):
                yield from table.press(KEY_SURRENDER, spot)
            yield from settle_surrenders(table)
        case never:
            assert_never(never)


def _possible(table: SimulatedTable, box: Box, place: int) -> Choice:
    """The player's choice; one whose chips would not fit into the zone becomes the nearest without chips."""
    choice = choose(table.house, table.rng, box, table.dealer[0], table.habits.whims_per_mille)
    hand = box.hands[place]
    if choice not in {Choice.DOUBLE, Choice.SPLIT} or has_room(table, box.spot, hand.base_cents):
        return choice
    return Choice.HIT if choice is Choice.DOUBLE else Choice.STAND


def _raise(table: SimulatedTable, spot: int, cents: int, key: str) -> Iterator[Act]:
    """Chips for a double or a split, with their key before or after."""
    keyed = table.habits.play_key_per_mille
    key_first = happens(table.rng, 400)
    if key_first:
        yield from table.press_for(spot, key, keyed)
    if table.is_eager():
        yield from table.restack(spot, table.cents(spot, MAIN) + cents)
    else:
        yield from table.lay(spot, MAIN, table.cents(spot, MAIN) + cents)
    if not key_first:
        yield from table.press_for(spot, key, keyed)


def _take_card(table: SimulatedTable, box: Box, place: int) -> Iterator[Act]:
    card = yield from table.draw()
    box = table.boxes[box.spot] = with_card(table.house, box, card)
    if not box.hands[place].broke:
        return
    if in_play(table.house, box) is None and box.broke:
        yield from table.lay(box.spot, MAIN, 0)
        table.taken.update((box.spot, each) for each in range(len(box.hands)))
        yield from bet_ahead(table, box.spot)
    elif happens(table.rng, 500):
        yield from table.lay(box.spot, MAIN, table.cents(box.spot, MAIN) - box.hands[place].stake_cents)
        table.taken.add((box.spot, place))


def _play_dealer(table: SimulatedTable, *, turned: bool) -> Iterator[Act]:
    """Turn the hole card, settle what waited for it, and draw where a hand waits for the total."""
    if not turned:
        yield from table.press(KEY_HOLE_TURNED)
    awaited = bust_bets.awaited(table)
    if table.house.hole_card == "none" and (awaits_second_card(table) or awaited):
        card = yield from table.draw()
        table.dealer = (*table.dealer, card)
    yield from settle_insurance(table)
    live = awaited or any(box.live for box in table.boxes.values())
    if not live or happens(table.rng, 500):
        yield from settle_naturals_and_surrenders(table)
    while live and dealer_draws(table.house, table.dealer):
        card = yield from table.draw()
        table.dealer = (*table.dealer, card)


def _may_ask(table: SimulatedTable) -> bool:
    """Whether the display may ask before paying: of hands face down it knows nothing to ask while no card is drawn."""
    return table.house.player_cards == "face_up" or any(box.live for box in table.boxes.values())


def _answer_questions(table: SimulatedTable) -> AnswerQuestions:
    return AnswerQuestions(
        cards={str(spot): tuple(len(hand.cards) for hand in box.hands) for spot, box in table.boxes.items()},
        doubled=tuple(spot for spot, box in table.boxes.items() if any(hand.doubled_cents for hand in box.hands)),
        surrendered=tuple(spot for spot, box in table.boxes.items() if box.surrendered),
    )


def _round_played(table: SimulatedTable, number: int) -> RoundPlayed:
    wagers: list[Wager] = []
    for spot, box in table.boxes.items():
        wagers.append(Wager(spot, MAIN, box.wager_cents, main_due_cents(table.house, box, table.dealer)))
        if box.insurance_cents:
            net_cents = insurance_due_cents(table.house, box, table.dealer)
            wagers.append(Wager(spot, INSURANCE, box.insurance_cents, net_cents))
        if box.bust_cents:
            net_cents = bust_bets.net_cents(table.boxes.values(), box.bust_cents, table.dealer)
            wagers.append(Wager(spot, EZ_BUST, box.bust_cents, net_cents))
    return RoundPlayed(
        round=number,
        wagers=tuple(wagers),
        hands={str(spot): tuple(hand.cards for hand in box.hands) for spot, box in table.boxes.items()},
        dealer=table.dealer,
        surrendered=tuple(spot for spot, box in table.boxes.items() if box.surrendered),
    )
