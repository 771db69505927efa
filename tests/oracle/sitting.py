"""A table in the making for ``generator.py``: who sits there, what their habits are, and how devices report it."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from tests.oracle.house import House, house_of, is_natural, total

Line = dict[str, Any]
DECKS: Final = ("A23456789TJQK", "A23456789TJQK", "A8T", "ATJ", "2345A", "A9T5", "6789T", "88T3", "AA2T", "77K4")


@dataclass
class Hand:
    """``over``: no more cards come, for whatever reason."""

    cards: list[int]
    base: int
    extra: int = 0
    over: bool = False
    aces: bool = False


@dataclass
class Box:
    """A box as it truly is."""

    spot: int
    wager: int
    hands: list[Hand]
    main: int
    surrendered: bool = False
    even: bool = False
    insured: int = 0
    insurance: int = 0
    bust_bet: int = 0


@dataclass
class Event:
    """What happened at a moment, in milliseconds; ``line`` lacks its time. ``idle``: chips touched for no reason."""

    at: int
    line: Line
    idle: bool = False


@dataclass
class Habits:
    """How this table's people and devices behave in this round."""

    keys: str
    times: str
    pay: float
    fumbles: float
    takes: float
    bust_bets: bool


@dataclass
class Dealing:
    """A round in the making."""

    rng: Random
    profile: str
    options: dict[str, Any]
    habits: Habits
    ranks: str
    boxes: list[Box] = field(default_factory=list)
    faces: list[str] = field(default_factory=list)
    dealer: list[int] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    now: int = 0

    def __post_init__(self) -> None:
        self.house: House = house_of({"profile": self.profile, "options": self.options})
        self.insurable = False
        """Whether insurance may still be laid once somebody has decided."""

    def chance(self, likely: float) -> bool:
        return self.rng.random() < likely

    def observe(self, line: Line, *, idle: bool = False) -> None:
        self.now += self.rng.choice((100, 300, 500, 1000))
        self.events.append(Event(self.now, line, idle))

    def card(self) -> int:
        face = self.rng.choice(self.ranks) + self.rng.choice("cdhs")
        self.observe({"card": face})
        self.insurable = False
        self.faces.append(face)
        return len(self.faces) - 1

    def ranks_of(self, cards: list[int]) -> str:
        return "".join(self.faces[place][0] for place in cards)

    def count(self, hand: Hand) -> int:
        return total(self.ranks_of(hand.cards))

    def lay(self, box: Box, zone: str, cents: int, *, idle: bool = False) -> None:
        """Chips of a zone change to ``cents``; nothing is reported when they do not."""
        before = box.main if zone == "main" else box.insurance
        if zone == "main":
            box.main = cents
        else:
            box.insurance = cents
        if before != cents:
            self.observe({"spot": box.spot, "zone": zone, "cents": cents}, idle=idle)

    def press(self, key: str, box: Box | None = None, *, named: bool = False) -> None:
        """A key, if this dealer presses it; ``named``: with the box's digit."""
        wanted = self.habits.keys == "always" or (self.habits.keys == "some" and self.chance(0.5))
        if key == "stand" and self.house.stand_key == "always":
            wanted = True
        if wanted:
            naming = box is not None and (named or self.chance(0.5))
            self.observe({"key": key, "spot": box.spot} if naming and box else {"key": key})

    def natural(self, box: Box) -> bool:
        return len(box.hands) == 1 and is_natural(self.ranks_of(box.hands[0].cards))

    def up(self) -> str:
        return self.faces[self.dealer[0]][0]

    def slow(self) -> bool:
        return self.up() in "ATJQK"


def habits_of(rng: Random, *, bust_bets: bool) -> Habits:
    return Habits(
        keys=rng.choice(("none", "none", "some", "always")),
        times=rng.choice(("points", "intervals", "intervals", "wide", "none", "equal")),
        pay=rng.choice((0.0, 0.9)),
        fumbles=rng.choice((0.0, 0.0, 0.3)),
        takes=rng.choice((0.0, 0.5, 1.0)),
        bust_bets=bust_bets,
    )


def options_of(rng: Random, profile: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if rng.random() < 0.25:
        options["stand_key"] = "always"
    if rng.random() < 0.25:
        options["busts_taken"] = "at_once"
    if rng.random() < 0.2:
        options["surrender_shown"] = "sometimes"
    if profile == "borgata" and rng.random() < 0.4:
        options["even_money"] = "chips"
    if profile == "borgata" and rng.random() < 0.3:
        options["surrender"] = "late"
    if rng.random() < (0.5 if profile == "hollywood-perryville" else 0.1):
        options["chip_unit_cents"] = 100
    if rng.random() < 0.1:
        options["hole_card"] = "none"
    if rng.random() < 0.1:
        options["key_slack"] = 1
    if rng.random() < 0.1:
        options["payout_unit_cents"] = rng.choice((50, 100))
    if rng.random() < 0.05:
        options["reads"] = "on_draw"
    if rng.random() < 0.15:
        options["insurance_until"] = rng.choice(("card", "decision"))
    if rng.random() < 0.15:
        options["surrender_turn"] = rng.choice(("own", "any"))
    return options


def lines_of(made: Dealing) -> list[tuple[Line, bool]]:
    """The events as devices report them, in order of arrival, chips between two inventories; and which are idle."""
    timed: list[tuple[int, int, tuple[Line, bool]]] = []
    changes: dict[tuple[int, str], int] = {}
    for number, event in enumerate(made.events):
        first = last = event.at
        if "zone" in event.line and made.habits.times in ("intervals", "wide") and not event.idle:
            zone = event.line["spot"], event.line["zone"]
            wide = made.habits.times == "wide"
            later = [
                e.at
                for e in made.events[number + 1 :]
                if "zone" in e.line and (not wide or (e.line["spot"], e.line["zone"]) == zone)
            ]
            slack = 2500 if wide else 1200
            first = max(event.at - made.rng.randint(0, slack), changes.get(zone, 0))
            last = min(event.at + made.rng.randint(0, slack), *later, 10**9)
            changes[zone] = last
        timed.append((last, number, (at_time(made, event.line, first, last), event.idle)))
    return [observed for _, _, observed in sorted(timed, key=lambda item: item[:2])]


def at_time(made: Dealing, line: Line, first: int, last: int) -> Line:
    match made.habits.times:
        case "none":
            return line
        case "equal":
            return line | {"t": first // 1000}
        case _:
            return line | {"t": first / 1000 if first == last else [first / 1000, last / 1000]}
