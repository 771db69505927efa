"""People who bet on the progressives: wagers beside the main ones, and what they come to.

A layer over a dealer's script: side chips are laid before the bets are locked and gone before the next ones are. What
Blazing 7's comes to is counted here by the words on its card, meter included; who wins the must-hit-by meter nobody at
the table can know, so of the wager that feeds it only the stake is lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from msgspec.structs import replace

from firmware_protocols.cards import Card
from simulators.chance import Chance, happens
from simulators.people.acts import Act, Draw, Lay, Pause, Press, RoundPlayed, Wager
from simulators.people.deck import LoadedShoe
from simulators.people.rack import Rack
from simulators.people.simulated_table import HAND_PAUSE_MS, KEY_NO_MORE_BETS, KEY_ROUND_CLOSED, MAIN

SEVENS: Final = "blazing7s"
BONUS: Final = "five_card_progressive"
STAKES_CENTS: Final = {SEVENS: 500, BONUS: 2_500}
BETS_PER_MILLE: Final = 800

AWARDS_CENTS: Final = {"one": 1_000, "two": 12_500, "three": 100_000, "same_color": 250_000}
"""The fixed awards, for one."""

METERED: Final = frozenset({"diamonds", "suited"})
"""The rows that the meter pays."""

UNITS: Final = 10_000
HAND_PAID_CENTS: Final = 15_000
"""From here on an award is paid by hand, not in chips on the layout."""

STACKED: Final[Mapping[int, str]] = {2: "7d", 4: "7h"}
"""Rounds in which the first box with the wager gets three sevens of one suit, so that a jackpot can be seen."""


@dataclass
class SevensMeter:
    """The meter of the sevens as the simulated people know it: a rate that divides every wager without a remainder."""

    units: int
    reset_units: int
    per_wager_units: int

    def pay(self, rows: Mapping[int, str]) -> dict[int, int]:
        """What the rows of one round win, by spot: from the highest spot down, all of it shared."""
        won: dict[int, int] = {}
        whole = sorted((spot for spot, row in rows.items() if row == "diamonds"), reverse=True)
        for spot in sorted(rows, reverse=True):
            if rows[spot] == "suited":
                won[spot] = self.units // UNITS // 10
                self.units -= won[spot] * UNITS
            elif rows[spot] == "diamonds" and spot == whole[-1]:
                each = self.units // UNITS // len(whole)
                won.update(dict.fromkeys(whole, each))
                self.units += self.reset_units - each * len(whole) * UNITS
            elif rows[spot] in AWARDS_CENTS:
                won[spot] = AWARDS_CENTS[rows[spot]]
        return won


@dataclass
class _Betting:
    main: dict[int, bool] = field(default_factory=dict)
    rounds: int = 0
    spots: tuple[int, ...] = ()
    laid: dict[tuple[int, str], tuple[str, ...]] = field(default_factory=dict)
    drawn: list[Card] = field(default_factory=list)
    locked: bool = False
    won: dict[int, int] = field(default_factory=dict)


def with_progressive_bets(
    acts: Iterator[Act], chance: Chance, rack: Rack, shoe: LoadedShoe, meter: SevensMeter
) -> Iterator[Act]:
    """The same script with progressive wagers; its rounds tell what these were worth."""
    now = _Betting()
    for act in acts:
        match act:
            case Lay(spot, zone, chips) if zone == MAIN:
                now.main[spot] = bool(chips)
            case Press(key) if key == KEY_NO_MORE_BETS:
                yield from _bet(now, chance, rack, shoe)
            case Draw(card) if now.locked:
                now.drawn.append(card)
            case _:
                pass
        yield _with_side_wagers(now, act) if isinstance(act, RoundPlayed) else act
        if act == Press(KEY_ROUND_CLOSED):
            # While the round is played nobody looks at the side zones.
            yield from _clear(now, chance, rack, meter)


def row_of(first: Card, second: Card, up: Card) -> str:
    """The row of a box's two cards and the up card: the highest only, the up card's seven behind two of its own."""
    own = [card for card in (first, second) if card.value[0] == "7"]
    if len(own) < 2 or up.value[0] != "7":
        return ("lost", "one", "two")[len(own)]
    suits = {card.value[1] for card in (first, second, up)}
    if len(suits) == 1:
        return "diamonds" if suits == {"d"} else "suited"
    return "same_color" if suits in ({"d", "h"}, {"c", "s"}) else "three"


def _bet(now: _Betting, chance: Chance, rack: Rack, shoe: LoadedShoe) -> Iterator[Act]:
    now.rounds += 1
    now.spots = tuple(sorted(spot for spot, laid in now.main.items() if laid))
    now.laid, now.drawn, now.locked = {}, [], True
    for place, spot in enumerate(now.spots):
        for zone, cents in STAKES_CENTS.items():
            stacked = place == 0 and zone == SEVENS and now.rounds in STACKED
            if happens(chance, BETS_PER_MILLE) or stacked:
                now.laid[spot, zone] = rack.give(cents)
                yield _pause(chance)
                yield Lay(spot, zone, now.laid[spot, zone])
    if now.rounds in STACKED and now.spots:
        seven, boxes = Card(STACKED[now.rounds]), len(now.spots)
        shoe.bring({0: seven, boxes: seven, boxes + 1: seven})


def _clear(now: _Betting, chance: Chance, rack: Rack, meter: SevensMeter) -> Iterator[Act]:
    """Losing wagers are taken, small awards paid in chips and picked up, large ones paid by hand."""
    now.locked = False
    meter.units += meter.per_wager_units * sum(zone == SEVENS for _, zone in now.laid)
    boxes = len(now.spots)
    rows = {
        spot: row_of(now.drawn[box], now.drawn[box + boxes + 1], now.drawn[boxes])
        for box, spot in enumerate(now.spots)
        if (spot, SEVENS) in now.laid
    }
    won = meter.pay(rows)
    now.won = won
    for (spot, zone), chips in now.laid.items():
        cents = won.get(spot, 0) if zone == SEVENS else 0
        rack.take(chips)
        if 0 < cents < HAND_PAID_CENTS:
            paid = rack.give(cents)
            yield _pause(chance)
            yield Lay(spot, zone, paid)
            rack.take(paid)
        yield _pause(chance)
        yield Lay(spot, zone, ())


def _with_side_wagers(now: _Betting, played: RoundPlayed) -> RoundPlayed:
    sides = [
        Wager(spot, zone, STAKES_CENTS[zone], (now.won.get(spot, 0) if zone == SEVENS else 0) - STAKES_CENTS[zone])
        for spot, zone in now.laid
    ]
    order = {MAIN: 0, "insurance": 1}
    wagers = sorted((*played.wagers, *sides), key=lambda one: (one.spot, order.get(one.bet, 2), one.bet))
    return replace(played, wagers=tuple(wagers))


def _pause(chance: Chance) -> Pause:
    shortest, longest = HAND_PAUSE_MS
    return Pause(shortest + chance.randrange(longest - shortest + 1))
