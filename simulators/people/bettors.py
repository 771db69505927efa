"""Players around a round: they come, bet, insure, take their chips and go."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Final

from msgspec.structs import replace

from firmware_protocols.cards import Card
from simulators.chance import happens, pick
from simulators.people.acts import Act, AnswerEntry
from simulators.people.box import Box, Choice, Hand
from simulators.people.house import SMALLEST_CHIP_CENTS
from simulators.people.player import choose
from simulators.people.rack import ZONE_CHIPS_LIMIT, pieces
from simulators.people.simulated_table import (
    INSURANCE,
    KEY_EVEN_MONEY,
    KEY_SURRENDER,
    MAIN,
    SPOTS,
    SimulatedTable,
)

WAGERS_CENTS: Final = (200, 300, 500, 500, 600, 700, 1000, 1000, 1500, 2500, 2500, 3000, 5000, 7500, 10000)
"""Wagers people lay, the common ones twice."""

HIGHEST_WAGER_CENTS: Final = max(WAGERS_CENTS)
"""Nothing above it is let ride."""

WAGER_CHIPS_LIMIT: Final = 3
"""A wager lies in so few chips that splits and doubles of it stay within ``ZONE_CHIPS_LIMIT``."""

JOINS_PER_MILLE: Final = 60
LEAVES_PER_MILLE: Final = 60
ENTRIES_PER_MILLE: Final = 60
LET_IN_PER_MILLE: Final = 300
LETS_RIDE_PER_MILLE: Final = 200
STAYS_PER_MILLE: Final = 400
INSURES_PER_MILLE: Final = 350
EVEN_MONEY_PER_MILLE: Final = 400
EARLY_SURRENDER_PER_MILLE: Final = 150
FOR_LESS_PER_MILLE: Final = 200


def take_seats(table: SimulatedTable, boxes: tuple[int, int]) -> None:
    """New players sit down: the first time any number the table takes, later now and then one.

    Where nobody may enter in mid shoe they wait for the shuffle.
    """
    fewest, most = boxes
    if table.seated and table.bet_last and table.house.mid_shoe_entry == "refused":
        return
    free = [spot for spot in table.spots if spot not in table.seated]
    table.rng.shuffle(free)
    wanted = fewest + table.rng.randrange(most - fewest + 1) if not table.seated else fewest
    for spot in free:
        if len(table.seated) < wanted or (len(table.seated) < most and happens(table.rng, JOINS_PER_MILLE)):
            table.seated.add(spot)


def bet(table: SimulatedTable) -> Iterator[Act]:
    """Everybody who sits has a main wager in the end: left from before, pressed, or laid now."""
    order = sorted(table.seated)
    table.rng.shuffle(order)
    for spot in order:
        if table.cents(spot, MAIN) and happens(table.rng, 850):
            if len(table.chips(spot, MAIN)) > WAGER_CHIPS_LIMIT:
                yield from table.restack(spot, table.cents(spot, MAIN))
            continue
        wager_cents = _new_wager_cents(table)
        if happens(table.rng, 100):
            yield from table.lay(spot, MAIN, _new_wager_cents(table))
        yield from table.lay(spot, MAIN, wager_cents)


def bet_ahead(table: SimulatedTable, spot: int) -> Iterator[Act]:
    """A player whose wager is gone bets for the next round, now and then another amount first."""
    if table.chips(spot, MAIN) or not table.is_eager():
        return
    table.bet_ahead.add(spot)
    table.paid.add(spot)
    if happens(table.rng, 200):
        yield from table.lay(spot, MAIN, _new_wager_cents(table))
    yield from table.lay(spot, MAIN, _new_wager_cents(table))


def newcomer(table: SimulatedTable, boxes: tuple[int, int]) -> Generator[Act, None, int]:
    """Where nobody may enter in mid shoe somebody tries it now and then; the spot, 0 if nobody does."""
    free = [spot for spot in table.spots if spot not in table.seated and spot not in table.bet_last]
    refused = table.house.mid_shoe_entry == "refused" and bool(table.bet_last)
    if not refused or not free or len(table.seated) >= boxes[1] or not happens(table.rng, ENTRIES_PER_MILLE):
        return 0
    spot = pick(table.rng, free)
    yield from table.lay(spot, MAIN, _new_wager_cents(table))
    return spot


def admit(table: SimulatedTable, spot: int) -> Iterator[Act]:
    """The dealer looks up, and sends the newcomer away or lets him in."""
    dealt_in = happens(table.rng, LET_IN_PER_MILLE)
    yield AnswerEntry(spot, dealt_in)
    if dealt_in:
        table.seated.add(spot)
    else:
        yield from table.lay(spot, MAIN, 0)


def boxes_locked(table: SimulatedTable) -> dict[int, Box]:
    """The boxes of the round: every spot with main chips, in ascending order."""
    locked = {spot: table.cents(spot, MAIN) for spot in SPOTS}
    return {
        spot: Box(spot=spot, wager_cents=cents, hands=(Hand(cards=(), base_cents=cents),))
        for spot, cents in locked.items()
        if cents
    }


def insure(table: SimulatedTable) -> Iterator[Act]:
    """Ace up: some take even money where the house has it, some insure for any amount up to the cap."""
    for spot, box in table.boxes.items():
        offered = table.house.even_money and box.natural and table.habits.stand_key != "never"
        if offered and happens(table.rng, EVEN_MONEY_PER_MILLE):
            yield from table.press(KEY_EVEN_MONEY, spot)
            table.boxes[spot] = replace(box, even_money=True)
        elif happens(table.rng, INSURES_PER_MILLE):
            yield from _lay_insurance(table, box)


def surrender_early(table: SimulatedTable, up: Card) -> Iterator[Act]:
    """While the offers are open some players surrender before their turn; a key always names the spot then."""
    if table.house.surrender_turn == "own":
        return
    for spot, box in table.boxes.items():
        if box.natural or box.surrendered or not happens(table.rng, EARLY_SURRENDER_PER_MILLE):
            continue
        if choose(table.house, table.rng, box, up, table.habits.whims_per_mille) is Choice.SURRENDER:
            yield from show_surrender(table, spot)
            if happens(table.rng, table.habits.play_key_per_mille):
                yield from table.press(KEY_SURRENDER, spot)


def show_surrender(table: SimulatedTable, spot: int) -> Iterator[Act]:
    """Half of the wager, or all of it, leaves the zone: the chips that show a surrender."""
    box = table.boxes[spot]
    left_cents = table.house.returned_half_cents(box.wager_cents) if happens(table.rng, 600) else 0
    table.boxes[spot] = replace(box, surrendered=True)
    yield from table.lay(spot, MAIN, left_cents)


def double_cents(table: SimulatedTable, base_cents: int) -> int:
    """By how much a player doubles: mostly the whole wager, now and then less."""
    less = [cents for cents in _handy_cents(base_cents, SMALLEST_CHIP_CENTS) if cents < base_cents]
    if table.house.double_for_less and less and happens(table.rng, FOR_LESS_PER_MILLE):
        return pick(table.rng, less)
    return base_cents


def has_room(table: SimulatedTable, spot: int, cents: int) -> bool:
    """The zone takes ``cents`` more without more than ``ZONE_CHIPS_LIMIT`` chips."""
    return len(table.chips(spot, MAIN)) + len(pieces(cents)) <= ZONE_CHIPS_LIMIT


def pick_up(table: SimulatedTable, boxes: tuple[int, int]) -> Iterator[Act]:
    """After take and pay: people pick up their chips, let them ride, leave a bet, or go."""
    fewest, _ = boxes
    for spot in SPOTS:
        leaves = spot in table.seated and len(table.seated) > fewest and happens(table.rng, LEAVES_PER_MILLE)
        if leaves and spot not in table.bet_ahead:
            table.seated.discard(spot)
        yield from table.lay(spot, INSURANCE, 0)
        left_cents = table.cents(spot, MAIN)
        if not left_cents or spot in table.bet_ahead:
            continue
        wager_cents = table.boxes[spot].wager_cents
        if spot not in table.seated:
            yield from table.pick_up(spot, 0)
        elif _may_stay(table, left_cents) and happens(table.rng, LETS_RIDE_PER_MILLE):
            continue
        else:
            stays = wager_cents <= left_cents and happens(table.rng, STAYS_PER_MILLE)
            yield from table.pick_up(spot, wager_cents if stays else 0)


def _new_wager_cents(table: SimulatedTable) -> int:
    unit = table.house.wager_unit_cents
    return pick(table.rng, [cents for cents in WAGERS_CENTS if cents % unit == 0])


def _lay_insurance(table: SimulatedTable, box: Box) -> Iterator[Act]:
    cap_cents = table.house.insurance_cap_cents(box.wager_cents)
    amounts = _handy_cents(cap_cents, table.house.insurance_unit_cents)
    if not amounts:
        return
    cents = max(amounts) if happens(table.rng, 500) else pick(table.rng, amounts)
    if happens(table.rng, 100):
        yield from table.lay(box.spot, INSURANCE, min(amounts))
    yield from table.lay(box.spot, INSURANCE, cents)
    table.boxes[box.spot] = replace(box, insurance_cents=cents)


def _handy_cents(highest_cents: int, unit_cents: int) -> list[int]:
    """Amounts up to a limit that lie in few chips."""
    multiples = range(unit_cents, highest_cents + 1, unit_cents)
    return [cents for cents in multiples if len(pieces(cents)) <= WAGER_CHIPS_LIMIT]


def _may_stay(table: SimulatedTable, cents: int) -> bool:
    whole = cents % table.house.wager_unit_cents == 0 and cents <= HIGHEST_WAGER_CENTS
    return whole and len(pieces(cents)) <= WAGER_CHIPS_LIMIT
