"""What people type into a search for rounds, read as they mean it; what no round can be found by is said by field."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

import msgspec

from controller.core.messages.house import GamingDay
from controller.formats.text.card_names import card_named
from controller.formats.text.moments import HouseCalendar, NoMoment
from controller.reports.playback.round_index import OUTCOMES, RoundIndex, RoundQuery, is_named

NUMBER: Final = re.compile(r"-?[0-9]{1,12}")
SECONDS: Final = re.compile(r":[0-9]{2}:[0-9]{2}")
FRACTION: Final = re.compile(r":[0-9]{2}\.[0-9]")

FIELDS: Final = tuple(one for one in RoundQuery.__struct_fields__ if one != "until")

EARLIER_NAMES: Final = {"state": "outcome"}
"""Fields by the names that links made before have."""


class RoundSearch(NamedTuple):
    """What is looked for, and by field what was not understood."""

    wanted: RoundQuery
    mistakes: dict[str, tuple[str, ...]]
    """Of each field that no round can be found by, what it may be; empty where that is no list."""


def search_of(query: Mapping[str, str], index: RoundIndex) -> RoundSearch:
    """What a query means in a journal; fields that are empty, and those of no name here, are not searched."""
    named = {EARLIER_NAMES.get(name, name): text.strip() for name, text in query.items()}
    given = {name: named[name] for name in FIELDS if named.get(name)}
    wanted, mistakes = dict[str, str | int](), dict[str, tuple[str, ...]]()
    for name, text in given.items():
        found = _read(name, text, index)
        if isinstance(found, tuple):
            mistakes[name] = found
        else:
            wanted.update(found)
    return RoundSearch(msgspec.convert(wanted, RoundQuery), mistakes)


def _read(name: str, text: str, index: RoundIndex) -> dict[str, str | int] | tuple[str, ...]:
    """A field as it is searched, or what was expected there."""
    rounds = index.rounds.values()
    match name:
        case "at":
            return _span(text, index)
        case "amount":
            return {name: int(text)} if NUMBER.fullmatch(text) else ()
        case "card":
            card = card_named(text)
            return () if card is None else {name: card.value}
        case "person":
            people = sorted(index.people)
            return {name: text} if any(is_named(one, text) for one in people) else tuple(people)
        case "spot":
            spots = sorted({spot for one in rounds for spot in one.spots})
            return {name: int(text)} if text.isascii() and text in map(str, spots) else tuple(map(str, spots))
        case "bet":
            return _one_of(name, text, {bet for one in rounds for bet in one.bets})
        case "alert":
            return _one_of(name, text, {alert for one in rounds for alert in one.alerts})
        case _:
            return {name: text.lower()} if text.lower() in OUTCOMES else OUTCOMES


def _one_of(name: str, text: str, known: Iterable[str]) -> dict[str, str | int] | tuple[str, ...]:
    """The one of these names that is meant, in any case and however its words are parted."""
    found = next((one for one in known if _letters(one) == _letters(text)), None)
    return tuple(sorted(known)) if found is None else {name: found}


def _letters(text: str) -> str:
    """A name without case and without what parts its words."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _span(text: str, index: RoundIndex) -> dict[str, str | int] | tuple[str, ...]:
    """From the first to the last moment of what was given: a minute, a second or less."""
    if ":" not in text or not index.last_time:
        return ()
    try:
        at = _calendar(index.day, datetime.fromisoformat(index.last_time)).moment(text)
    except NoMoment:
        return ()
    length = timedelta(0) if FRACTION.search(text) else timedelta(seconds=1 if SECONDS.search(text) else 60)
    last = at + length - timedelta(microseconds=1) if length else at
    return {"at": _utc(at), "until": _utc(last)}


def _calendar(day: GamingDay, now: datetime) -> HouseCalendar:
    """The house's; of a time zone that this machine does not know, that of UTC."""
    try:
        return HouseCalendar(day, now)
    except NoMoment:
        return HouseCalendar(GamingDay(), now)


def _utc(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
