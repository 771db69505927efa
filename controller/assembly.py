"""A table file turned into the parts of a daemon: the house, the sessions on their lines."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from controller.core.keypad import DEFAULT_KEYS, MEANINGS
from controller.core.rules import House
from controller.core.state import Desired
from controller.formats import profiles
from controller.formats.chips import read_chips
from controller.formats.config import BetSpotsSection, Complaint, Config, Known, read_config, zones_of
from controller.formats.profiles import Profile, ProfileError
from controller.io.clock import Clock
from controller.io.serial import Link, serial_opener
from devices.bet_spots import BetSpotsSession
from devices.keypad import KeypadSession
from devices.session import Session
from devices.shoe import ShoeSession
from firmware_protocols import discovery
from firmware_protocols.readings import Reading

NUMBERING_SHOES: Final[frozenset[str]] = frozenset()
"""Shoe protocols that number their draws, so that an outage cannot hide a card; Bee-Tek's does not."""

ZONES: Final = ("main", "insurance")
"""Zones every table may have; a profile's side bets add theirs."""


def load_config(path: Path) -> Config:
    """The table file at ``path``, checked against everything the program knows.

    Raises:
        ConfigError: with a line for each mistake.
        OSError: it cannot be read.
    """
    text = path.read_text(encoding="utf-8")
    known = Known(protocols=discovery.codecs(), options=option_mistakes, keys=key_mistakes)
    return read_config(text, path.name, path.parent.resolve(), known)


def load_profile(name: str, options: Mapping[str, Any]) -> Profile:
    """The profile ``name`` with a table's options.

    Raises:
        ProfileError: there is none, or an option does not fit.
    """
    return profiles.read(profiles.bundled(name), f"{name}.toml", options)


def option_mistakes(profile: str, options: Mapping[str, Any]) -> Iterable[Complaint]:
    """What is wrong with a table's profile and options."""
    if profile not in profiles.names():
        yield "profile", f"expected one of {', '.join(profiles.names())}, got {profile!r}"
        return
    for key, value in options.items():
        try:
            load_profile(profile, {key: value})
        except ProfileError as error:
            yield key, str(error).removeprefix(f"{profile}.toml: ")


def key_mistakes(keys: Mapping[str, str]) -> Iterable[Complaint]:
    """What is wrong with a table's key map."""
    for key, meaning in keys.items():
        if meaning not in MEANINGS:
            yield key, f"expected one of {', '.join(sorted(MEANINGS))}, got {meaning!r}"


def house_of(config: Config) -> House:
    """The house a table file describes; reads the chip registry.

    Raises:
        ProfileError, ChipsError: the profile or the registry cannot be used.
        OSError: the registry cannot be read.
    """
    profile = load_profile(config.table.profile, config.options)
    registry = Path(config.table.chips)
    chips = read_chips(registry.read_text(encoding="utf-8"), registry.name)
    readers: dict[str, tuple[int, ...]] = {}
    for place, section in enumerate(config.bet_spots):
        for zone in zones_of(section):
            device = f"{bus_name(place)}/{zone.address}"
            readers[device] = tuple(sorted({*readers.get(device, ()), zone.spot}))
    return House(
        rules=profile.rules,
        chips=dict(chips),
        keys={**DEFAULT_KEYS, **config.keypad.keys},
        profile_hash=profile.hash,
        readers=readers,
        shoe_numbers_cards=config.shoe.protocol in NUMBERING_SHOES,
    )


def bus_name(place: int) -> str:
    """What the readers on a line are called: ``bet_spots``, or ``bet_spots2`` for the second line of several."""
    return "bet_spots" if place == 0 else f"bet_spots{place + 1}"


class Devices:
    """The sessions of a table and the links that drive them."""

    def __init__(self, config: Config) -> None:
        self.keypad = KeypadSession(discovery.find("keypad", config.keypad.protocol))
        self.buses = [bet_spots(section, bus_name(place)) for place, section in enumerate(config.bet_spots)]
        shoe = ShoeSession(discovery.find("shoe", config.shoe.protocol))
        self.lines: list[tuple[str, str, str, str, Session]] = [
            ("shoe", "shoe", config.shoe.protocol, config.shoe.port, shoe),
            ("keypad", "keypad", config.keypad.protocol, config.keypad.port, self.keypad),
        ]
        for place, (section, session) in enumerate(zip(config.bet_spots, self.buses, strict=True)):
            self.lines.append((bus_name(place), "bet_spots", section.protocol, section.port, session))
        self.links: list[Link] = []

    def link(self, clock: Clock, chance: random.Random, deliver: Callable[[Reading], None]) -> list[Link]:
        """A link for each line."""
        self.links = [
            Link(
                name,
                serial_opener(port, discovery.find(kind, protocol).line),
                session,
                clock=clock,
                chance=chance,
                deliver=deliver,
            )
            for name, kind, protocol, port, session in self.lines
        ]
        return self.links

    def wish(self, desired: Desired) -> None:
        """Tell the devices what the table wants of them."""
        self.keypad.show(desired.display)
        for bus in self.buses:
            bus.confirm(desired.confirm_ns)
        for link in self.links:
            link.settle()


def bet_spots(section: BetSpotsSection, name: str) -> BetSpotsSession:
    """The session of one line of readers."""
    settings: dict[str, int] = {}
    if section.agreeing is not None:
        settings["agreeing"] = section.agreeing
    if section.gap_ms is not None:
        settings["gap_ns"] = max(1, section.gap_ms * 1_000_000)
    zones: dict[tuple[int, int | None], tuple[int, str]] = {
        (zone.address, zone.antenna): (zone.spot, zone.zone) for zone in zones_of(section)
    }
    return BetSpotsSession(discovery.find("bet_spots", section.protocol), zones, name, **settings)
