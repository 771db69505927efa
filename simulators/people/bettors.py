"""Players around a round: they come, bet, insure, take their chips and go."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Final

from msgspec.structs import replace

from firmware_protocols.cards import Card
from simulators.chance import happens, pick
from simulators.people.acts import Act, LetIn
from simulators.people.box import Box, Choice, Hand
from simulators.people.felt import INSURANCE, KEY_EVEN_MONEY, KEY_SURRENDER, MAIN, SPOTS, Felt
from simulators.people.house import SMALLEST_CHIP_CENTS
from simulators.people.player import choose
from simulators.people.rack import ZONE_CHIPS_LIMIT, pieces

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
RIDES_PER_MILLE: Final = 200
STAYS_PER_MILLE: Final = 400
INSURES_PER_MILLE: Final = 350
EVEN_MONEY_PER_MILLE: Final = 400
EARLY_SURRENDER_PER_MILLE: Final = 150
FOR_LESS_PER_MILLE: Final = 200


def take_seats(felt: Felt, boxes: tuple[int, int]) -> None:
    """New players sit down: the first time any number the table takes, later now and then one.

    Where nobody may enter in mid shoe they wait for the shuffle.
    """
    fewest, most = boxes
    if felt.seated and felt.bet_last and felt.house.mid_shoe_entry == "refused":
        return
    free = [spot for spot in felt.spots if spot not in felt.seated]
    felt.rng.shuffle(free)
    wanted = fewest + felt.rng.randrange(most - fewest + 1) if not felt.seated else fewest
    for spot in free:
        if len(felt.seated) < wanted or (len(felt.seated) < most and happens(felt.rng, JOINS_PER_MILLE)):
            felt.seated.add(spot)


def bet(felt: Felt) -> Iterator[Act]:
    """Everybody who sits has a main wager in the end: left from before, pressed, or laid now."""
    order = sorted(felt.seated)
    felt.rng.shuffle(order)
    for spot in order:
        if felt.cents(spot, MAIN) and happens(felt.rng, 850):
            if len(felt.chips(spot, MAIN)) > WAGER_CHIPS_LIMIT:
                yield from felt.restack(spot, felt.cents(spot, MAIN))
            continue
        wager_cents = _new_wager_cents(felt)
        if happens(felt.rng, 100):
            yield from felt.lay(spot, MAIN, _new_wager_cents(felt))
        yield from felt.lay(spot, MAIN, wager_cents)


def bet_ahead(felt: Felt, spot: int) -> Iterator[Act]:
    """A player whose wager is gone bets for the next round, now and then another amount first."""
    if felt.chips(spot, MAIN) or not felt.is_eager():
        return
    felt.bet_ahead.add(spot)
    felt.paid.add(spot)
    if happens(felt.rng, 200):
        yield from felt.lay(spot, MAIN, _new_wager_cents(felt))
    yield from felt.lay(spot, MAIN, _new_wager_cents(felt))


def newcomer(felt: Felt, boxes: tuple[int, int]) -> Generator[Act, None, int]:
    """Where nobody may enter in mid shoe somebody tries it now and then; the spot, 0 if nobody does."""
    free = [spot for spot in felt.spots if spot not in felt.seated and spot not in felt.bet_last]
    refused = felt.house.mid_shoe_entry == "refused" and bool(felt.bet_last)
    if not refused or not free or len(felt.seated) >= boxes[1] or not happens(felt.rng, ENTRIES_PER_MILLE):
        return 0
    spot = pick(felt.rng, free)
    yield from felt.lay(spot, MAIN, _new_wager_cents(felt))
    return spot


def admit(felt: Felt, spot: int) -> Iterator[Act]:
    """The dealer looks up, and sends the newcomer away or lets him in."""
    dealt_in = happens(felt.rng, LET_IN_PER_MILLE)
    yield LetIn(spot, dealt_in)
    if dealt_in:
        felt.seated.add(spot)
    else:
        yield from felt.lay(spot, MAIN, 0)


def boxes_locked(felt: Felt) -> dict[int, Box]:
    """The boxes of the round: every spot with main chips, in ascending order."""
    locked = {spot: felt.cents(spot, MAIN) for spot in SPOTS}
    return {
        spot: Box(spot=spot, wager_cents=cents, hands=(Hand(cards=(), base_cents=cents),))
        for spot, cents in locked.items()
        if cents
    }


def insure(felt: Felt) -> Iterator[Act]:
    """Ace up: some take even money where the house has it, some insure for any amount up to the cap."""
    for spot, box in felt.boxes.items():
        offered = felt.house.even_money and box.natural and felt.habits.stand_key != "never"
        if offered and happens(felt.rng, EVEN_MONEY_PER_MILLE):
            yield from felt.press(KEY_EVEN_MONEY, spot)
            felt.boxes[spot] = replace(box, even_money=True)
        elif happens(felt.rng, INSURES_PER_MILLE):
            yield from _lay_insurance(felt, box)


def surrender_early(felt: Felt, up: Card) -> Iterator[Act]:
    """While the offers are open some players surrender before their turn; a key always names the spot then."""
    if felt.house.surrender_turn == "own":
        return
    for spot, box in felt.boxes.items():
        if box.natural or box.surrendered or not happens(felt.rng, EARLY_SURRENDER_PER_MILLE):
            continue
        if choose(felt.house, felt.rng, box, up, felt.habits.whims_per_mille) is Choice.SURRENDER:
            yield from show_surrender(felt, spot)
            if happens(felt.rng, felt.habits.play_key_per_mille):
                yield from felt.press(KEY_SURRENDER, spot)


def show_surrender(felt: Felt, spot: int) -> Iterator[Act]:
    """Half of the wager, or all of it, leaves the zone: the chips that show a surrender."""
    box = felt.boxes[spot]
    left_cents = felt.house.returned_half_cents(box.wager_cents) if happens(felt.rng, 600) else 0
    felt.boxes[spot] = replace(box, surrendered=True)
    yield from felt.lay(spot, MAIN, left_cents)


def double_cents(felt: Felt, base_cents: int) -> int:
    """By how much a player doubles: mostly the whole wager, now and then less."""
    less = [cents for cents in _handy_cents(base_cents, SMALLEST_CHIP_CENTS) if cents < base_cents]
    if felt.house.double_for_less and less and happens(felt.rng, FOR_LESS_PER_MILLE):
        return pick(felt.rng, less)
    return base_cents


def has_room(felt: Felt, spot: int, cents: int) -> bool:
    """The zone takes ``cents`` more without more than ``ZONE_CHIPS_LIMIT`` chips."""
    return len(felt.chips(spot, MAIN)) + len(pieces(cents)) <= ZONE_CHIPS_LIMIT


def pick_up(felt: Felt, boxes: tuple[int, int]) -> Iterator[Act]:
    """After take and pay: people pick up their chips, let them ride, leave a bet, or go."""
    fewest, _ = boxes
    for spot in SPOTS:
        leaves = spot in felt.seated and len(felt.seated) > fewest and happens(felt.rng, LEAVES_PER_MILLE)
        if leaves and spot not in felt.bet_ahead:
            felt.seated.discard(spot)
        yield from felt.lay(spot, INSURANCE, 0)
        left_cents = felt.cents(spot, MAIN)
        if not left_cents or spot in felt.bet_ahead:
            continue
        wager_cents = felt.boxes[spot].wager_cents
        if spot not in felt.seated:
            yield from felt.lay(spot, MAIN, 0)
        elif _may_stay(felt, left_cents) and happens(felt.rng, RIDES_PER_MILLE):
            continue
        else:
            stays = wager_cents <= left_cents and happens(felt.rng, STAYS_PER_MILLE)
            yield from felt.lay(spot, MAIN, wager_cents if stays else 0)


def _new_wager_cents(felt: Felt) -> int:
    unit = felt.house.wager_unit_cents
    return pick(felt.rng, [cents for cents in WAGERS_CENTS if cents % unit == 0])


def _lay_insurance(felt: Felt, box: Box) -> Iterator[Act]:
    cap_cents = felt.house.insurance_cap_cents(box.wager_cents)
    amounts = _handy_cents(cap_cents, felt.house.insurance_unit_cents)
    if not amounts:
        return
    cents = max(amounts) if happens(felt.rng, 500) else pick(felt.rng, amounts)
    if happens(felt.rng, 100):
        yield from felt.lay(box.spot, INSURANCE, min(amounts))
    yield from felt.lay(box.spot, INSURANCE, cents)
    felt.boxes[box.spot] = replace(box, insurance_cents=cents)


def _handy_cents(highest_cents: int, unit_cents: int) -> list[int]:
    """Amounts up to a limit that lie in few chips."""
    multiples = range(unit_cents, highest_cents + 1, unit_cents)
    return [cents for cents in multiples if len(pieces(cents)) <= WAGER_CHIPS_LIMIT]


def _may_stay(felt: Felt, cents: int) -> bool:
    whole = cents % felt.house.wager_unit_cents == 0 and cents <= HIGHEST_WAGER_CENTS
    return whole and len(pieces(cents)) <= WAGER_CHIPS_LIMIT
