"""A round as lines of evidence: one JSON object a line, first the table, then readings in order of arrival.

Times are seconds and may be fractions; they are read as decimals and kept as whole nanoseconds. Either every card, chip
and key line has ``t`` or none; then its line number stands for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final, NamedTuple

from controller.core.game.rule_checks import CENTS_LIMIT
from controller.core.table.keymap import EVIDENCE
from controller.formats.text.safe_parse import DataRefused, json_of, reads_outside
from controller.formats.text.struct_decoder import shown
from firmware_protocols.cards import Card

UNREAD: Final = "??"
NANOSECONDS: Final = 1_000_000_000
SPOTS: Final = range(1, 8)
SPOT_NAMES: Final = frozenset(str(spot) for spot in SPOTS)
SECONDS_LIMIT: Final = 10**10
"""Three hundred years: enough for seconds since 1970, and no number that takes long to write out."""


class EvidenceRefused(ValueError):  # noqa: N818 - named for what happened
    """A line is not evidence; the text names the line and the key."""


class TableLine(NamedTuple):
    """The first line: the profile, options and wagers at the lock by spot and zone."""

    profile: str
    options: dict[str, Any]
    wagers: dict[int, dict[str, int]]


class CardLine(NamedTuple):
    """A card left the shoe; ``face`` None: unread."""

    at_ns: int
    face: Card | None


class ChipsLine(NamedTuple):
    """A zone's content after a change that happened within the interval."""

    spot: int
    zone: str
    cents: int
    first_ns: int
    last_ns: int


class KeyLine(NamedTuple):
    """A key, with the spot it named (None: none)."""

    at_ns: int
    key: str
    spot: int | None


class AnswerLine(NamedTuple):
    """An operator's answer about one spot."""

    spot: int
    fields: dict[str, int | bool]


class DeclareLine(NamedTuple):
    """A box without chips."""

    spot: int
    cents: int


class HealthLine(NamedTuple):
    """From here to there a device's silence means nothing."""

    device: str
    from_ns: int
    to_ns: int


class CloseLine(NamedTuple):
    """The round is over."""


EvidenceLine = CardLine | ChipsLine | KeyLine | AnswerLine | DeclareLine | HealthLine | CloseLine

KINDS: Final = ("card", "spot", "key", "answer", "declare", "health", "close")
ANSWERS: Final = {"cards": range(1, 22), "hand": range(16), "hands": range(1, 17), "doubled": None, "surrendered": None}
"""What may be answered, and the numbers that may be said; None: yes or no."""
READERS: Final = tuple(f"reader {spot}" for spot in SPOTS)
ONCE_CLOSED: Final = frozenset({"card", "key", "close"})
"""What no round has any more once it is closed; chips may still be reported, and people still be asked."""
FIELDS: Final = {
    "card": {"card", "t"},
    "spot": {"spot", "zone", "cents", "t"},
    "key": {"key", "spot", "t"},
    "answer": {"answer", "t"},
    "declare": {"declare", "t"},
    "health": {"health", "from", "to", "t"},
    "close": {"close", "t"},
}


def read_lines(text: Iterable[str]) -> Iterator[tuple[int, TableLine | EvidenceLine]]:
    """The lines of evidence with their numbers, the table first; blank lines are passed over.

    Raises:
        EvidenceRefused: at the first line that is none, after those before it have been given.
    """
    timed: bool | None = None
    first = True
    closed = 0
    for number, line in enumerate(text, start=1):
        if not line.strip():
            continue
        data = parsed(line, number)
        if first:
            first = False
            yield number, table(data, number)
            continue
        kind = next((kind for kind in KINDS if kind in data and (kind != "spot" or "key" not in data)), None)
        if kind is None:
            got = f", got {', '.join(shown(key) for key in sorted(data))}" if data else ""
            raise EvidenceRefused(f"line {number}: expected one of the keys {', '.join(KINDS)}{got}")
        for key in sorted(set(data) - FIELDS[kind]):
            raise EvidenceRefused(f"line {number}: {key}: not a key of a line with {kind!r}")
        if kind in {"card", "spot", "key"}:
            if timed is not None and timed != ("t" in data):
                raise EvidenceRefused(f"line {number}: t: either every card, chip and key line has it or none")
            timed = "t" in data
        elif "t" in data:
            moment(data, number)
        if closed and kind in ONCE_CLOSED:
            raise EvidenceRefused(f"line {number}: {kind}: the round was closed by line {closed}")
        closed = number if kind == "close" else closed
        yield number, read_line(kind, data, number)
    if first:
        raise EvidenceRefused("line 1: expected the table: profile, options, wagers")


@reads_outside(EvidenceRefused)
def parsed(line: str, number: int) -> dict[str, Any]:
    """One JSON object."""
    try:
        data = json_of(line, Decimal)
    except DataRefused as error:
        raise EvidenceRefused(f"line {number}: {error}") from error
    if not isinstance(data, dict):
        raise EvidenceRefused(f"line {number}: expected an object")
    return data


def table(data: Mapping[str, Any], number: int) -> TableLine:
    """The first line."""
    for key in sorted(set(data) - {"profile", "options", "wagers"}):
        raise EvidenceRefused(f"line {number}: {key}: expected profile, options, wagers")
    profile, options, wagers = data.get("profile"), data.get("options", {}), data.get("wagers")
    if not isinstance(profile, str):
        raise EvidenceRefused(f"line {number}: profile: expected a name")
    if not isinstance(options, dict):
        raise EvidenceRefused(f"line {number}: options: expected an object")
    if not isinstance(wagers, dict):
        raise EvidenceRefused(f'line {number}: wagers: expected an object such as {{"1": {{"main": 1000}}}}')
    read: dict[int, dict[str, int]] = {}
    for spot, zones in wagers.items():
        if spot not in SPOT_NAMES or not isinstance(zones, dict):
            raise EvidenceRefused(f"line {number}: wagers.{spot}: expected a spot from 1 to 7 with its zones")
        read[int(spot)] = {
            zone: cents_of(cents, f"line {number}: wagers.{spot}.{zone}") for zone, cents in zones.items()
        }
    return TableLine(profile, options, read)


def read_line(kind: str, data: Mapping[str, Any], number: int) -> EvidenceLine:
    """A line of a known kind."""
    where = f"line {number}"
    match kind:
        case "card":
            return CardLine(moment(data, number)[0], face_of(data["card"], where))
        case "spot":
            zone = data.get("zone")
            if not isinstance(zone, str):
                raise EvidenceRefused(f"{where}: zone: expected a zone such as main")
            first_ns, last_ns = moment(data, number)
            cents = cents_of(data.get("cents"), f"{where}: cents")
            return ChipsLine(spot_of(data["spot"], where), zone, cents, first_ns, last_ns)
        case "key":
            if not isinstance(data["key"], str) or data["key"] not in EVIDENCE:
                raise EvidenceRefused(
                    f"{where}: key: expected one of {', '.join(sorted(EVIDENCE))}, got {shown(data['key'])}"
                )
            spot = spot_of(data["spot"], where) if "spot" in data else None
            return KeyLine(moment(data, number)[0], data["key"], spot)
        case "answer":
            return answer(data["answer"], where)
        case "declare":
            box = data["declare"]
            if not isinstance(box, dict) or set(box) != {"spot", "main"}:
                raise EvidenceRefused(f"{where}: declare: expected spot and main")
            spot, cents = spot_of(box["spot"], where), cents_of(box["main"], f"{where}: declare.main")
            if not cents:
                raise EvidenceRefused(f"{where}: declare.main: expected a wager, got 0")
            return DeclareLine(spot, cents)
        case "health":
            return health(data, where)
        case _:
            if data["close"] is not True:
                raise EvidenceRefused(f"{where}: close: expected true")
            return CloseLine()


def health(data: Mapping[str, Any], where: str) -> HealthLine:
    """A reader that was not heard for a time. Of another device's silence nothing here could make up."""
    device = data["health"]
    if device not in READERS:
        raise EvidenceRefused(f"{where}: health: expected {READERS[0]} to {READERS[-1]}, got {shown(device)}")
    from_ns, to_ns = ns_of(data.get("from"), f"{where}: from"), ns_of(data.get("to"), f"{where}: to")
    if from_ns > to_ns:
        raise EvidenceRefused(f"{where}: to: expected no time before from")
    return HealthLine(device, from_ns, to_ns)


def answer(said: object, where: str) -> AnswerLine:
    """An answer about one spot."""
    if not isinstance(said, dict) or "spot" not in said:
        raise EvidenceRefused(f"{where}: answer: expected an object with spot")
    fields = {key: value for key, value in said.items() if key != "spot"}
    for key, value in fields.items():
        if key not in ANSWERS:
            raise EvidenceRefused(f"{where}: answer.{key}: expected cards and hand, doubled, hands or surrendered")
        numbers = ANSWERS[key]
        if numbers is None and not isinstance(value, bool):
            raise EvidenceRefused(f"{where}: answer.{key}: expected true or false, got {shown(value)}")
        if numbers is not None and (type(value) is not int or value not in numbers):
            allowed = f"a number from {numbers[0]} to {numbers[-1]}"
            raise EvidenceRefused(f"{where}: answer.{key}: expected {allowed}, got {shown(value)}")
    if "hand" in fields and "cards" not in fields:
        raise EvidenceRefused(f"{where}: answer.hand: expected with cards, whose hand it names")
    if not fields:
        raise EvidenceRefused(f"{where}: answer: expected cards, doubled, hands or surrendered")
    return AnswerLine(spot_of(said["spot"], where), fields)


def face_of(text: object, where: str) -> Card | None:
    """A face, or None for an unread card."""
    if text == UNREAD:
        return None
    try:
        return Card(str(text))
    except ValueError:
        raise EvidenceRefused(f"{where}: card: expected a face such as 8h, or ??, got {shown(text)}") from None


def spot_of(value: object, where: str) -> int:
    """A spot from 1 to 7."""
    if type(value) is not int or value not in SPOTS:
        raise EvidenceRefused(f"{where}: spot: expected a number from 1 to 7, got {shown(value)}")
    return value


def cents_of(value: object, where: str) -> int:
    """Whole cents, from 0 to ``CENTS_LIMIT``."""
    if type(value) is not int or not 0 <= value <= CENTS_LIMIT:
        raise EvidenceRefused(f"{where}: expected whole cents, got {shown(value)}")
    return value


def ns_of(value: object, where: str) -> int:
    """A time in seconds as whole nanoseconds."""
    if not isinstance(value, int | Decimal) or isinstance(value, bool) or not 0 <= value <= SECONDS_LIMIT:
        raise EvidenceRefused(f"{where}: expected seconds, got {shown(value)}")
    return int(Decimal(value) * NANOSECONDS)


def moment(data: Mapping[str, Any], number: int) -> tuple[int, int]:
    """When it happened, as an interval; the line's number where it has no time."""
    where = f"line {number}: t"
    if "t" not in data:
        return number * NANOSECONDS, number * NANOSECONDS
    t = data["t"]
    if isinstance(t, list):
        if len(t) != 2 or "zone" not in data:
            raise EvidenceRefused(f"{where}: expected seconds, or for chips an interval of two")
        first_ns, last_ns = ns_of(t[0], where), ns_of(t[1], where)
        if first_ns > last_ns:
            raise EvidenceRefused(f"{where}: an interval ends before it begins")
        return first_ns, last_ns
    at_ns = ns_of(t, where)
    return at_ns, at_ns
