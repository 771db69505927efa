"""What may befall a table's devices, a case each: chips between antennas, strange tags, cards lost or reported twice.

A fault is set up before a table's rounds and strikes in its second, once, unless it says otherwise. With ``Reckless``
people every box draws until it breaks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from tests.independent.cards import total
from tests.independent.dues import Hand
from tests.independent.people import People, Place
from tests.independent.readers import Request, chip
from tests.independent.rounds import Round
from tests.independent.sitting import Table
from tests.independent.unkind import TAGS

STRUCK: Final = 2
"""The round in which a fault strikes."""


class Reckless(People):
    """People who draw at anything below 21 and do nothing else; the dealer leaves nothing broken lying."""

    def wants_card(self, now: Round, hand: Hand) -> bool:
        """Always."""
        del now, hand
        return True

    def wants_double(self, hand: Hand) -> bool:
        """Never."""
        del hand
        return False

    def wants_split(self, hand: Hand, hands: int, *, aces: bool) -> bool:
        """Never."""
        del hand, hands, aces
        return False


class Fault(NamedTuple):
    """How it is set up, which people play, and which keys their dealer presses."""

    set_up: Callable[[Table], None]
    habit: str = "keys"
    made: type[People] = People
    boxes: int = 2
    may_deceive: bool = False
    """Whether it can make a round look like another legal one, where the shoe does not number its cards."""


def nothing(table: Table) -> None:
    """The case is in its people."""
    del table


def once(table: Table, stage: str, act: Callable[[Round], Awaitable[None]]) -> None:
    """Do something when the second round, or the first after it that comes so far, reaches a stage."""
    done: list[int] = []

    async def moment(what: str, now: Round) -> None:
        if what == stage and now.number >= STRUCK and not done:
            done.append(now.number)
            await act(now)

    table.people.moment = moment


def later(table: Table, seconds: float, act: Callable[[], None]) -> None:
    """Do something after a while, whatever people do meanwhile."""
    del table
    asyncio.get_running_loop().call_later(seconds, act)


# --- chips and readers --------------------------------------------------------------------------------


def between(table: Table, stage: str, seconds: float) -> None:
    """A chip of a box's main wager is heard by the antenna beside it too."""

    async def strike(now: Round) -> None:
        spot = min(now.boxes)
        beside: Place = (spot, [*table.people.house.zones, "insurance"][2])
        heard = (chip(table.people.felt[spot, "main"][0]), (spot, "main"))
        table.overheard.setdefault(beside, []).append(heard)
        later(table, seconds, lambda: table.overheard[beside].remove(heard))
        await table.pause(0.6)

    once(table, stage, strike)


def at_lock(table: Table) -> None:
    """From before the lock until long after the first card."""
    between(table, "bets", 6.0)


def in_deal(table: Table) -> None:
    """While cards are dealt."""
    between(table, "first cards", 2.5)


def strange_tags(table: Table) -> None:
    """Cards in pockets, one kind after the other, each for a second, all the time."""
    records = [*(bytes.fromhex(tag) for tag in TAGS), bytes.fromhex("07" + "AB" * 19), bytes.fromhex("33A1B2C3D4E5")]
    at: Place = (table.people.seats[0], "main")

    def lean(number: int) -> None:
        table.overheard[at] = [(records[number % len(records)], None)] if number % 2 else []
        later(table, 1.0, lambda: lean(number + 1))

    lean(0)


def unknown_chip(table: Table) -> None:
    """A chip of the house's make that is in no list lies on a wager for a whole round."""

    async def strike(now: Round) -> None:
        table.overheard[min(now.boxes), "main"] = [(chip("E004019999999999"), None)]
        later(table, 12.0, table.overheard[min(now.boxes), "main"].clear)

    once(table, "bets", strike)


def twice_in_an_answer(table: Table) -> None:
    """Every tag is named twice in each answer."""
    table.misheard = lambda records: [*records, *records]


def each_twentieth_missing(table: Table) -> None:
    """A reader misses one tag in twenty."""
    table.misheard = lambda records: [record for record in records if table.chance.randrange(20)]


def a_bit_in_ten_answers(table: Table) -> None:
    """One bit of each tenth answer is turned on the line."""

    def garbled(reply: bytes) -> bytes:
        if not reply or table.chance.randrange(10):
            return reply
        at = table.chance.randrange(8 * len(reply))
        return reply[: at // 8] + bytes([reply[at // 8] ^ 1 << at % 8]) + reply[at // 8 + 1 :]

    table.garbled = garbled


def late_antenna(table: Table) -> None:
    """One antenna takes longer and longer, up to more than the table PC waits."""
    address, antenna = next(place for place, at in table.places.items() if at == (table.people.seats[0], "main"))
    looks = [0]

    def late(request: Request) -> float:
        if request.address != address or request.control != 0xB0 or request.data[-1].bit_length() != antenna:
            return 0.0
        looks[0] += 1
        return (0.05, 0.3, 0.6, 1.2, 2.5, 4.5)[looks[0] // 40 % 6] if looks[0] % 8 == 0 else 0.0

    table.late = late


def silent_reader(table: Table) -> None:
    """The reader of the first box is dead for four seconds of its play."""

    async def strike(now: Round) -> None:
        address = next(place[0] for place, at in table.places.items() if at[0] == min(now.boxes))
        table.readers.silent.add(address)
        later(table, 4.0, lambda: table.readers.silent.discard(address))
        await table.pause(0.5)

    once(table, "spot", strike)


def silent_over_a_double(table: Table) -> None:
    """Every reader is dead while chips of a double are laid."""

    async def strike(now: Round) -> None:
        del now
        addresses = {place[0] for place in table.places}
        table.readers.silent |= addresses
        later(table, 3.0, table.readers.silent.clear)

    once(table, "double", strike)


def tall_stack(table: Table) -> None:
    """Thirty-one chips in one zone: more than a standard frame holds."""

    async def strike(now: Round) -> None:
        spot = min(now.boxes)
        box = now.boxes[spot]
        table.people.pick(spot, "main")
        await table.pause(0.3)
        table.people.put(spot, "main", [one for _ in range(31) for one in table.people.rack.change(100)])
        box.wager = 3_100
        await table.pause(0.5)

    once(table, "bets", strike)


# --- the keypad ---------------------------------------------------------------------------------------


def pulled_keypad(table: Table, stage: str) -> None:
    """The keypad is away for two seconds, and what is pressed meanwhile is not heard."""

    async def strike(now: Round) -> None:
        del now
        table.keypad_line.unplug()
        later(table, 2.0, table.keypad_line.plug)

    once(table, stage, strike)


def keypad_over_a_stand(table: Table) -> None:
    """It is away when a player stands."""
    pulled_keypad(table, "stands")


def keypad_between_decisions(table: Table) -> None:
    """It is away before a box plays."""
    pulled_keypad(table, "spot")


def no_releases(table: Table) -> None:
    """It never reports that a key came up."""
    table.releases = False


# --- the shoe -----------------------------------------------------------------------------------------


def misreport(table: Table, which: Callable[[Round, int, str], bool], how: Callable[[str], list[str]]) -> None:
    """Of one card, by its place in the round, the shoe reports something else."""
    plain = table.token
    done: list[int] = []

    def token(face: str) -> list[str]:
        now = table.people.rounds[-1] if table.people.rounds else None
        if now is None or now.over or now.number < STRUCK or done:
            return plain(face)
        place = sum(token.round == now.number for token in table.heard.tokens)
        if not which(now, place, face):
            return plain(face)
        done.append(now.number)
        tokens = how(plain(face)[0])
        if not tokens:
            table.missed.add(now.number)
        return tokens

    table.token = token


def _is_up(now: Round, place: int, face: str) -> bool:
    del face
    return place == len(now.boxes)


def _is_second(now: Round, place: int, face: str) -> bool:
    del face
    return place == len(now.boxes) + 1


def _is_first_drawn(now: Round, place: int, face: str) -> bool:
    del face
    return place == 2 * len(now.boxes) + 2


def _is_dealers_last(now: Round, place: int, face: str) -> bool:
    del place
    return now.turned and total([*now.dealer, face]) >= 17


def _lost(token: str) -> list[str]:
    del token
    return []


def up_card_lost(table: Table) -> None:
    """Nothing is reported of the up card."""
    misreport(table, _is_up, _lost)


def first_hit_lost(table: Table) -> None:
    """Nor of the first card anybody draws."""
    misreport(table, _is_first_drawn, _lost)


def dealers_last_lost(table: Table) -> None:
    """Nor of the dealer's last."""
    misreport(table, _is_dealers_last, _lost)


def second_card_twice(table: Table) -> None:
    """A card of the deal is reported twice."""
    misreport(table, _is_second, lambda token: [token, token])


def dealers_last_twice(table: Table) -> None:
    """The dealer's last is reported twice."""
    misreport(table, _is_dealers_last, lambda token: [token, token])


def cut_short(table: Table) -> None:
    """A token is cut short and then reported whole."""
    misreport(table, _is_second, lambda token: [token[:13], token])


def unread(table: Table) -> None:
    """A card could not be read."""
    misreport(table, _is_first_drawn, lambda _: [" [Game]<Game> "])


def unnamed(table: Table) -> None:
    """A card could not be read, and nobody names it."""
    table.names_cards = False
    unread(table)


def alarms(table: Table) -> None:
    """The shoe complains, and reports its card all the same."""
    misreport(table, _is_first_drawn, lambda token: [" [Game]<Alarm:E3 Card Not Read> ", " <W0x01> ", token])


def pulled_shoe(table: Table) -> None:
    """The shoe is away for two seconds in which nobody draws."""

    async def strike(now: Round) -> None:
        del now
        await table.pause(0.3)
        table.shoe_line.unplug()
        await table.pause(2.0)
        table.shoe_line.plug()
        await table.pause(1.0)

    once(table, "spot", strike)


FAULTS: Final = {
    "two antennas at the lock": Fault(at_lock),
    "two antennas at the lock, no keys": Fault(at_lock, "bare"),
    "two antennas in the deal": Fault(in_deal),
    "strange tags": Fault(strange_tags),
    "unknown chip": Fault(unknown_chip),
    "every tag twice": Fault(twice_in_an_answer),
    "each twentieth tag missing": Fault(each_twentieth_missing),
    "a bit in each tenth answer": Fault(a_bit_in_ten_answers),
    "late antenna": Fault(late_antenna),
    "silent reader": Fault(silent_reader),
    "silent readers over a double": Fault(silent_over_a_double),
    "thirty-one chips": Fault(tall_stack),
    "keypad away over a stand": Fault(keypad_over_a_stand),
    "keypad away": Fault(keypad_between_decisions),
    "keypad without releases": Fault(no_releases),
    "up card lost": Fault(up_card_lost, may_deceive=True),
    "first hit lost": Fault(first_hit_lost, may_deceive=True),
    "dealer's last card lost": Fault(dealers_last_lost, may_deceive=True),
    "second card twice": Fault(second_card_twice, may_deceive=True),
    "dealer's last card twice": Fault(dealers_last_twice, may_deceive=True),
    "token cut short": Fault(cut_short),
    "unread card": Fault(unread),
    "unread card that nobody names": Fault(unnamed),
    "alarms": Fault(alarms),
    "shoe away": Fault(pulled_shoe),
    "all broke, no round closed": Fault(nothing, "locked", Reckless),
    "all broke, no keys": Fault(nothing, "bare", Reckless),
}
