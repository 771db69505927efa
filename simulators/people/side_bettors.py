"""People who lay side wagers before the deal, and what these truly come to.

A layer over a dealer's script. Chips are laid in a bet's zone before the bets are locked; lost ones are taken and won
ones paid once the cards have decided, after the deal or when the layout is cleared; what a player leaves lying is the
next round's wager. What a wager comes to is counted here by the words on the card of Hollywood Penn National, a second
time and without the controller's rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from msgspec.structs import replace

from firmware_protocols.cards import POINTS, Card, Rank
from simulators.chance import Chance, happens, pick
from simulators.people.acts import Act, Draw, Lay, Pause, Press, RoundPlayed, Wager
from simulators.people.box import is_natural
from simulators.people.deck import LoadedShoe
from simulators.people.progressive_bets import HAND_PAID_CENTS, METERED, SevensMeter, row_of
from simulators.people.rack import Rack
from simulators.people.simulated_table import EZ_BUST, HAND_PAUSE_MS, KEY_NO_MORE_BETS, KEY_ROUND_CLOSED, MAIN
from simulators.people.win_limit import limited

LADIES: Final = "lucky_ladies"
THREE_CARDS: Final = "twenty_one_plus_three"
SEVENS: Final = "blazing7s"
BONUS: Final = "five_card_progressive"
STAKES_CENTS: Final[Mapping[str, tuple[int, ...]]] = {
    LADIES: (100, 500, 500, 1000, 2500),
    THREE_CARDS: (100, 500, 500, 1000, 2500),
    SEVENS: (500,),
    BONUS: (2500,),
}
"""What people lay; the progressive wagers have one stake each."""

AT_ONCE_PER_MILLE: Final = 600
"""How often a wager is settled after the deal, and not when the layout is cleared."""
LETS_RIDE_PER_MILLE: Final = 150
"""How often a player leaves the stake of a won wager for the next round."""

ORDER: Final = "A23456789TJQK"


@dataclass(frozen=True)
class SideBetHabits:
    """How people bet. Rates are per mille: of boxes and bets that are wagered on; of rounds whose cards are stacked.

    ``bets`` are those of ``STAKES_CENTS`` that the house offers. A stacked round gives one box with a side wager cards
    that pay it well, so that rows nobody sees in a year are dealt too. ``limit_cents`` is the most that the side wagers
    of a round win together at fixed odds (0: no limit).
    """

    bets: tuple[str, ...]
    per_mille: int
    stacked_per_mille: int = 0
    hole_card: bool = True
    limit_cents: int = 0


@dataclass
class _Table:
    main: dict[int, bool] = field(default_factory=dict)
    zones: dict[tuple[int, str], tuple[str, ...]] = field(default_factory=dict)
    spots: tuple[int, ...] = ()
    staked: dict[tuple[int, str], int] = field(default_factory=dict)
    drawn: list[Card] = field(default_factory=list)
    locked: bool = False
    due: dict[tuple[int, str], int] = field(default_factory=dict)
    metered: set[int] = field(default_factory=set)
    """Spots whose sevens the meter pays."""
    bust: dict[int, int] = field(default_factory=dict)
    """What was laid on EZ Bust, by spot."""
    by_hand: bool = False
    """The wins of this round are over the limit."""


def with_side_bets(
    acts: Iterable[Act], chance: Chance, rack: Rack, shoe: LoadedShoe, *, side_habits: SideBetHabits, meter: SevensMeter
) -> Iterator[Act]:
    """The same script with side wagers; its rounds tell what these were worth."""
    people = _People(chance, rack, shoe, side_habits=side_habits, meter=meter)
    for act in acts:
        match act:
            case Press(key) if key == KEY_NO_MORE_BETS:
                yield from people.bet()
                yield act
            case Press(key) if key == KEY_ROUND_CLOSED:
                yield from people.clear()
                yield act
            case RoundPlayed():
                yield people.with_side_wagers(act)
            case Lay(spot, zone, chips) if zone == EZ_BUST and people.pays_by_hand(spot, chips):
                yield from people.hand_back(spot)
            case _:
                yield act
                yield from people.follow(act)


class _People:
    def __init__(
        self, chance: Chance, rack: Rack, shoe: LoadedShoe, *, side_habits: SideBetHabits, meter: SevensMeter
    ) -> None:
        self.chance, self.rack, self.shoe, self.side_habits, self.meter = chance, rack, shoe, side_habits, meter
        self.now = _Table()

    def bet(self) -> Iterator[Act]:
        """Side wagers are laid beside main ones; what was left at a spot without one is picked up."""
        now = self.now
        now.spots = tuple(sorted(spot for spot, laid in now.main.items() if laid))
        now.drawn, now.due, now.locked = [], {}, True
        now.metered, now.bust, now.by_hand = set(), {}, False
        for spot, bet in [place for place in now.zones if place[0] not in now.spots]:
            yield from self.lay(spot, bet, 0)
        for spot in now.spots:
            for bet in self.side_habits.bets:
                if happens(self.chance, self.side_habits.per_mille):
                    yield from self.lay(spot, bet, pick(self.chance, STAKES_CENTS[bet]))
        now.staked = {place: self.rack.value_cents(chips) for place, chips in now.zones.items() if chips}
        if now.staked and happens(self.chance, self.side_habits.stacked_per_mille):
            self.stack()

    def stack(self) -> None:
        """One wager's box gets cards that pay it well, if the shoe still has them."""
        spot, bet = pick(self.chance, sorted(self.now.staked))
        faces = pick(self.chance, STACKED.get(bet, STACKED[LADIES]))
        boxes = len(self.now.spots)
        places = self.now.spots.index(spot), self.now.spots.index(spot) + boxes + 1, boxes, 2 * boxes + 1
        self.shoe.bring({place: Card(face) for place, face in zip(places, faces.split(), strict=False)})

    def follow(self, act: Act) -> Iterator[Act]:
        """Main wagers are watched, cards counted; after the deal what is decided may be settled at once."""
        match act:
            case Lay(spot, zone, chips) if zone == MAIN:
                self.now.main[spot] = bool(chips)
            case Lay(spot, zone, chips) if zone == EZ_BUST and not self.drawn_on():
                self.now.bust[spot] = self.rack.value_cents(chips)
            case Draw(card) if self.now.locked:
                self.now.drawn.append(card)
                if len(self.now.drawn) == self.deal_cards():
                    self.decide()
                    # Where there is a limit a win may still be lowered.
                    lost = {place: cents for place, cents in self.now.due.items() if cents <= 0}
                    decided = sorted(lost if self.side_habits.limit_cents else self.now.due, reverse=True)
                    yield from self.settle(place for place in decided if happens(self.chance, AT_ONCE_PER_MILLE))
            case _:
                pass

    def deal_cards(self) -> int:
        """How many cards are dealt before anybody decides."""
        return 2 * len(self.now.spots) + (2 if self.side_habits.hole_card else 1)

    def drawn_on(self) -> bool:
        """Whether a card has come after the deal: EZ Bust is laid before that, and no dealer breaks without one."""
        return len(self.now.drawn) > self.deal_cards()

    def cards_of(self, spot: int) -> tuple[Card, Card, Card]:
        """The first two cards of a spot and the up card."""
        box, boxes = self.now.spots.index(spot), len(self.now.spots)
        return self.now.drawn[box], self.now.drawn[box + boxes + 1], self.now.drawn[boxes]

    def decide(self) -> None:
        """What each wager comes to, as far as the first cards say; two queens of hearts may wait for the turn."""
        now = self.now
        self.meter.units += self.meter.per_wager_units * sum(bet == SEVENS for _, bet in now.staked)
        rows = {spot: row_of(*self.cards_of(spot)) for spot, bet in now.staked if bet == SEVENS}
        won = self.meter.pay(rows)
        now.metered = {spot for spot, row in rows.items() if row in METERED}
        for (spot, bet), cents in now.staked.items():
            first, second, up = self.cards_of(spot)
            match bet:
                case "lucky_ladies":
                    if first is second is Card.QH and POINTS[up.rank] in {1, 10}:
                        continue
                    now.due[spot, bet] = lucky_ladies_cents(first, second, cents)
                case "twenty_one_plus_three":
                    now.due[spot, bet] = three_cards_cents((first, second, up), cents)
                case "blazing7s":
                    now.due[spot, bet] = won.get(spot, 0) - cents
                case _:
                    now.due[spot, bet] = -cents

    def settle(self, places: Iterable[tuple[int, str]]) -> Iterator[Act]:
        """Lost chips are taken; won ones are paid beside the stake and picked up, the stake now and then left."""
        for place in places:
            staked, due = self.now.staked[place], self.now.due[place]
            if place[1] == SEVENS:
                # Awards are "for one": the stake is the house's.
                yield from self.lay(*place, 0)
                paid, kept = staked + due, 0
            else:
                paid, kept = (staked + due, staked) if due > 0 else (0, 0)
            if 0 < paid <= HAND_PAID_CENTS and not self.now.by_hand:
                yield from self.lay(*place, paid)
            lets_ride = happens(self.chance, LETS_RIDE_PER_MILLE) and not self.now.by_hand
            yield from self.lay(*place, kept if lets_ride else 0)

    def clear(self) -> Iterator[Act]:
        """What has not been settled is settled before the round is closed."""
        now = self.now
        now.by_hand = now.by_hand or self.over_the_limit(0)
        yield from self.settle(place for place in sorted(now.due, reverse=True) if self.lies_untouched(place))

    def pays_by_hand(self, spot: int, chips: tuple[str, ...]) -> bool:
        """Whether chips are to pay an EZ Bust wager of a round whose wins are over the limit."""
        now = self.now
        if self.drawn_on() and self.rack.value_cents(chips) > now.bust.get(spot, 0):
            # The dealer has broken: all of them win.
            now.by_hand = now.by_hand or self.over_the_limit(sum(now.bust.values()))
        return now.by_hand

    def hand_back(self, spot: int) -> Iterator[Act]:
        """The stake of EZ Bust goes back with what it has won, past the zone."""
        if self.now.bust.pop(spot, 0):
            yield Lay(spot, EZ_BUST, ())

    def over_the_limit(self, bust_cents: int) -> bool:
        """Whether the wins may be more than the limit; ``bust_cents`` is what EZ Bust wins.

        Queens of hearts that wait for the turn count with the most they may win.
        """
        now, limit = self.now, self.side_habits.limit_cents
        known = sum(cents for place, cents in self.fixed(now.due).items() if cents > 0)
        waiting = sum(1000 * cents for place, cents in now.staked.items() if place not in now.due)
        return 0 < limit < known + waiting + bust_cents

    def fixed(self, dues: Mapping[tuple[int, str], int]) -> dict[tuple[int, str], int]:
        """The dues that no meter pays."""
        return {place: cents for place, cents in dues.items() if place[1] != SEVENS or place[0] not in self.now.metered}

    def lies_untouched(self, place: tuple[int, str]) -> bool:
        """Whether the stake still lies as it was laid."""
        return self.rack.value_cents(self.now.zones.get(place, ())) == self.now.staked[place]

    def with_side_wagers(self, played: RoundPlayed) -> RoundPlayed:
        """The round with its side wagers."""
        now = self.now
        now.locked = False
        for (spot, bet), cents in now.staked.items():
            if (spot, bet) not in now.due:
                now.due[spot, bet] = (1000 if is_natural(played.dealer[:2]) else 200) * cents
        bust = {(one.spot, one.bet): one.net_cents for one in played.wagers if one.bet == EZ_BUST}
        due = now.due | limited(self.fixed(now.due) | bust, self.side_habits.limit_cents)
        sides = [Wager(spot, bet, now.staked[spot, bet], due[spot, bet]) for spot, bet in now.due]
        others = [replace(one, net_cents=due.get((one.spot, one.bet), one.net_cents)) for one in played.wagers]
        return replace(played, wagers=(*others, *sorted(sides, key=lambda one: (one.spot, one.bet))))

    def lay(self, spot: int, bet: str, cents: int) -> Iterator[Act]:
        """Make a zone worth ``cents``."""
        before = self.now.zones.get((spot, bet), ())
        if self.rack.value_cents(before) == cents:
            return
        shortest, longest = HAND_PAUSE_MS
        yield Pause(shortest + self.chance.randrange(longest - shortest + 1))
        self.now.zones[spot, bet] = self.rack.change_to(before, cents)
        yield Lay(spot, bet, self.now.zones[spot, bet])


STACKED: Final[Mapping[str, tuple[str, ...]]] = {
    LADIES: ("Qh Qh 7c", "Qh Qh Ts As", "Qh Qh As 9c", "Td Td 2c", "Ad 9d 3c"),
    THREE_CARDS: ("5d 6d 7d", "4c 4d 4h", "Qs Kd Ah", "2s 3d Ah", "Ks As 2s", "9h Jh Th"),
    SEVENS: ("7c 7c 7c", "7d 7h 7d", "7c 7d 7h", "7d 7d 7d", "7s 7s 2c"),
}
"""A box's two cards, the up card and, where it matters, the hole card."""


def lucky_ladies_cents(first: Card, second: Card, cents: int) -> int:
    """The net of Lucky Ladies where no dealer's natural matters: 200, 25, 10 or 4 to 1, or the stake lost."""
    if first is second is Card.QH:
        return 200 * cents
    tens = POINTS[first.rank] == POINTS[second.rank] == 10
    ace_nine = {first.rank, second.rank} == {Rank.ACE, Rank.NINE}
    if not (tens or ace_nine):
        return -cents
    if first is second:
        return 25 * cents
    return 10 * cents if first.value[1] == second.value[1] else 4 * cents


def three_cards_cents(cards: tuple[Card, Card, Card], cents: int) -> int:
    """The net of 21+3: 30, 20, 10 or 5 to 1, or the stake lost; the ace is high or low and never in the middle."""
    low = sorted(ORDER.index(card.value[0]) for card in cards)
    high = sorted(place or 13 for place in low)
    straight = any(ranks == [ranks[0], ranks[0] + 1, ranks[0] + 2] for ranks in (low, high))
    flush = len({card.value[1] for card in cards}) == 1
    if straight and flush:
        return 30 * cents
    if low[0] == low[2]:
        return 20 * cents
    if straight:
        return 10 * cents
    return 5 * cents if flush else -cents
