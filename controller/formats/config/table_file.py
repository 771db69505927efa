"""The table file: which table this is, which devices hang on which port, which broker hears about it. TOML 1.0.

Every mistake is reported, one line each: ``table.toml:12: [shoe] port: expected ..., got 5``. Relative paths are
relative to the file's directory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Annotated, Any, Final, Literal

import msgspec

from controller.core.game.rules import Rules
from controller.core.messages.house import GamingDay
from controller.formats.config.meters import MeterSection, SignSection, TriggerSection, meter_checks
from controller.formats.config.pooled_meters import LinkedMeterSection, linked_checks
from controller.formats.config.sensors import BetSensorsSection, sensor_checks
from controller.formats.text.moments import day_complaints
from controller.formats.text.struct_decoder import Mistake, hint, shown
from controller.formats.text.toml_positions import Path as KeyPath
from controller.formats.text.toml_schema import (
    Antenna,
    ClockTime,
    Currency,
    File,
    Host,
    Name,
    Port,
    Section,
    Spot,
    TcpPort,
    Text,
    ZoneName,
    read_sections,
)

ReaderAddress = Annotated[int, msgspec.Meta(ge=1, le=254, description="a reader's address from 1 to 254")]
Listen = Annotated[
    str, msgspec.Meta(pattern=r"^[^:/\s]+:[0-9]{1,5}\Z", description="an address such as 192.0.2.10:7010")
]
Key = Annotated[str, msgspec.Meta(pattern=r"^[A-Y]\Z", description="a key from A to Y")]
Agreeing = Annotated[int, msgspec.Meta(ge=1, le=10, description="how many inventories must agree, from 1 to 10")]
Gap = Annotated[int, msgspec.Meta(ge=0, le=10_000, description="milliseconds from 0 to 10000")]

ReserveMib = Annotated[int, msgspec.Meta(ge=0, le=65_536, description="MiB from 0 to 65536")]
HoldMilliseconds = Annotated[int, msgspec.Meta(ge=0, le=10_000, description="milliseconds from 0 to 10000")]
Hours = Annotated[int, msgspec.Meta(ge=1, le=8_760, description="hours from 1 to 8760")]

SoftwareKey = Annotated[
    str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z", description="a public key as 64 hex digits (tableside keys software)")
]

CREDENTIAL: Final = "credential:"
"""Begins the name of a file that the service manager keeps for the service (systemd's ``LoadCredential=``)."""

KINDS: Final = {"trigger": "mystery_trigger", "signs": "sign"}
"""Kinds of device whose section is called otherwise."""

KeyComplaint = tuple[str, str]
"""A key and what is wrong with its value."""


class TableSection(Section, frozen=True):
    """``[table]``: site, name and profile; the key that seals its journal; its journal; its chip registry.

    ``time_zone``, ``gaming_day`` and ``shifts`` say which moments an account of a day or a shift takes in.
    """

    site: Name
    name: Name
    profile: Text
    key_file: File
    journal: File
    chips: File
    reserve_mib: ReserveMib = 256
    software: File | None = None
    software_key: SoftwareKey | None = None
    second_copy: File | None = None
    held_ms: HoldMilliseconds = 150
    currency: Currency | None = None
    time_zone: Text = "UTC"
    gaming_day: ClockTime = "00:00"
    shifts: Annotated[
        dict[Name, ClockTime], msgspec.Meta(description='keys and values such as {day = "06:00", swing = "14:00"}')
    ] = msgspec.field(default_factory=dict)

    def day(self) -> GamingDay | None:
        """The house's day; None where the file says nothing of it."""
        day = GamingDay(self.time_zone, self.gaming_day, dict(self.shifts))
        return None if day == GamingDay() else day


class BrokerSection(Section, frozen=True):
    """``[broker]``: where events go. TLS is on when ``tls_ca_file`` is given."""

    host: Host
    port: TcpPort = 1883
    protocol: Literal["auto", "5", "3.1.1"] = "auto"
    username: Text | None = None
    password_file: File | None = None
    consumers: Annotated[tuple[Name, ...], msgspec.Meta(description="a list of consumers' names")] = ()
    unacknowledged_warn_hours: Hours = 24
    unacknowledged_close_hours: Hours = 168
    tls_ca_file: File | None = None
    tls_cert_file: File | None = None
    tls_key_file: File | None = None


class ShoeSection(Section, frozen=True):
    """``[shoe]``: the card shoe. ``serial``: which it may be, one or several; only where the protocol tells."""

    protocol: Text
    port: Port
    serial: Text | Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)] | None = None

    def serials(self) -> tuple[str, ...]:
        """The serial numbers of the shoes that are taken; empty: any is."""
        match self.serial:
            case None:
                return ()
            case str(one):
                return (one,)
            case several:
                return several


class ZoneRow(Section, frozen=True):
    """One zone of one spot: which antenna of which reader sees it; a reader with a single one has no ``antenna``."""

    address: ReaderAddress
    spot: Spot
    zone: ZoneName
    antenna: Antenna | None = None


class BetSpotsSection(Section, frozen=True):
    """``[[bet_spots]]``: readers on one line.

    Either ``zones`` lists every antenna, or ``spots`` names the spots whose reader's address is the spot's number, each
    with the same ``antennas``, or with a single one that sees ``zone``.
    """

    protocol: Text
    port: Port
    zones: tuple[ZoneRow, ...] = ()
    spots: Annotated[tuple[Spot, ...], msgspec.Meta(description="a list of spots from 1 to 7")] = ()
    antennas: Annotated[
        dict[ZoneName, Antenna], msgspec.Meta(description="keys and values such as {main = 1, insurance = 2}")
    ] = msgspec.field(default_factory=dict)
    zone: ZoneName | None = None
    values: Literal["registry", "chip"] = "registry"
    agreeing: Agreeing | None = None
    gap_ms: Gap | None = None


class KeypadSection(Section, frozen=True):
    """``[keypad]``: the dealer's keypad and what its keys mean; without ``keys`` the usual map."""

    protocol: Text
    port: Port
    keys: Annotated[dict[Key, Text], msgspec.Meta(description='keys and values such as {A = "1", K = "hit"}')] = (
        msgspec.field(default_factory=dict)
    )


class TapSection(Section, frozen=True):
    """``[tap]``: what is published, again, on a ZeroMQ socket of this machine for displays beside the table."""

    socket: Annotated[str, msgspec.Meta(min_length=1, max_length=100, description="a path of at most 100 characters")]


class LineFeedSection(Section, frozen=True):
    """``[line_feed]``: lines of text over TCP for video text inserters."""

    port: TcpPort
    host: Host = "127.0.0.1"


class OperatorSection(Section, frozen=True):
    """``[operator]``: the channel over which people order things of the table.

    ``directory`` holds a socket for each role; ``listen`` is served with CURVE, which needs ``key_file`` and
    ``operators``. ``mqtt``: whether orders are also taken over MQTT.
    ``two_persons``: whether a ruling on a wager, and what overrules a known card, box or count, take a second person.
    ``signed``: whether every order must carry its operator's own signature, or may.
    """

    directory: File | None = None
    listen: Listen | None = None
    key_file: File | None = None
    operators: File | None = None
    mqtt: bool = False
    two_persons: bool = True
    signed: Literal["accepted", "required"] = "accepted"


class Config(Section, frozen=True):
    """A table file without mistakes. Paths are as ``read_config`` resolved them."""

    table: TableSection
    shoe: ShoeSection
    bet_spots: tuple[BetSpotsSection, ...]
    keypad: KeypadSection
    broker: BrokerSection | None = None
    meters: tuple[MeterSection, ...] = ()
    linked_meters: tuple[LinkedMeterSection, ...] = ()
    trigger: TriggerSection | None = None
    signs: tuple[SignSection, ...] = ()
    bet_sensors: tuple[BetSensorsSection, ...] = ()
    tap: TapSection | None = None
    line_feed: LineFeedSection | None = None
    operator: OperatorSection | None = None
    options: dict[str, Any] = msgspec.field(default_factory=dict)


def _no_complaints(_: str, __: Mapping[str, Any]) -> Iterable[KeyComplaint]:
    return ()


def _any_meaning(_: Mapping[str, str]) -> Iterable[KeyComplaint]:
    return ()


def _never_broken(_: str, __: str) -> str:
    return ""


@dataclass(frozen=True)
class KnownNames:
    """What the rest of the house knows about names in a table file; what is left out is not checked.

    ``protocols``: codec names by kind (``shoe``, ``bet_spots``, ``keypad``). ``broken_reason(kind, protocol)`` is why
    one of them cannot be used; empty: it can be. ``options(profile, options)`` and ``keys(keys)`` complain about
    entries of ``[options]`` and ``[keypad.keys]``; a complaint about an unknown profile has the key ``profile``.
    """

    protocols: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    broken_reason: Callable[[str, str], str] = _never_broken
    options: Callable[[str, Mapping[str, Any]], Iterable[KeyComplaint]] = _no_complaints
    keys: Callable[[Mapping[str, str]], Iterable[KeyComplaint]] = _any_meaning

    def protocol_mistake(self, kind: str, protocol: str) -> str:
        """What is wrong with the name of a protocol for this kind of device; empty: nothing."""
        names = self.protocols.get(kind)
        if names is None:
            return ""
        return self.broken_reason(kind, protocol) if protocol in names else not_one_of(protocol, names)


def read_config(text: str, name: str, directory: PurePath, known: KnownNames | None = None) -> Config:
    """The table file ``name`` whose content is ``text``.

    Raises:
        ConfigError: with a line for each mistake found.
    """
    config = read_sections(Config, text, name, _cross_checks, named=lambda data: _named(data, known or KnownNames()))
    return _resolved(config, directory)


def is_credential(value: object) -> bool:
    """Whether a value names a credential of the service."""
    return isinstance(value, str) and value.startswith(CREDENTIAL)


def zones_of(section: BetSpotsSection) -> tuple[ZoneRow, ...]:
    """Every zone of a ``[[bet_spots]]``, the short form written out."""
    antennas: dict[str, int | None] = {**section.antennas}
    if section.zone is not None:
        antennas[section.zone] = None
    short = (
        ZoneRow(address=spot, antenna=antenna, spot=spot, zone=zone)
        for spot in section.spots
        for zone, antenna in antennas.items()
    )
    return (*section.zones, *short)


def zones_seen(config: Config) -> frozenset[tuple[int, str]]:
    """Every spot and zone that a reader sees."""
    return frozenset((zone.spot, zone.zone) for section in config.bet_spots for zone in zones_of(section))


def zone_checks(config: Config, rules: Rules) -> Iterable[Mistake]:
    """Zones in which no wager of the rules is made."""
    known = ("main", "insurance", *rules.side_bets)
    for place, section in enumerate(config.bet_spots):
        named: list[tuple[KeyPath, str]] = [(("antennas", zone), zone) for zone in section.antennas]
        named += [(("zone",), section.zone)] if section.zone is not None else []
        named += [(("zones", row, "zone"), one.zone) for row, one in enumerate(section.zones)]
        for path, zone in named:
            if zone not in known:
                said = f"{zone} is no zone of this house's wagers; expected one of {', '.join(known)}"
                yield Mistake(("bet_spots", place, *path), said)


def _named(data: Mapping[str, Any], known: KnownNames) -> Iterable[Mistake]:
    """Names that the rest of the house does not know: also in a file with other mistakes, so that all are reported."""
    sections: list[tuple[str] | tuple[str, int]] = [("shoe",), ("keypad",), ("trigger",)]
    for many in ("bet_spots", "signs", "bet_sensors"):
        rows = data.get(many)
        sections += [(many, place) for place in range(len(rows) if isinstance(rows, list) else 0)]
    for path in sections:
        protocol = _at(data, (*path, "protocol"))
        if isinstance(protocol, str) and (wrong := known.protocol_mistake(KINDS.get(path[0], path[0]), protocol)):
            yield Mistake((*path, "protocol"), wrong)
    profile, options, keys = _at(data, ("table", "profile")), data.get("options", {}), _at(data, ("keypad", "keys"))
    if isinstance(profile, str) and isinstance(options, dict):
        for key, text in known.options(profile, options):
            yield Mistake(("table", "profile") if key == "profile" else ("options", key), text)
    if isinstance(keys, dict):
        for key, text in known.keys({key: one for key, one in keys.items() if isinstance(one, str)}):
            yield Mistake(("keypad", "keys", key), text)


def not_one_of(name: str, names: Iterable[str]) -> str:
    """What to say of a name that is none of these, with the nearest."""
    return f"expected one of {', '.join(names)}, got {shown(name)}{hint(name, names)}"


def _at(data: object, path: KeyPath) -> object:
    """What lies at ``path``, None if nothing does."""
    for key in path:
        if isinstance(key, str):
            data = data.get(key) if isinstance(data, dict) else None
        else:
            data = data[key] if isinstance(data, list) else None
    return data


def _cross_checks(config: Config) -> Iterable[Mistake]:
    yield from _ports(config)
    yield from _zones(config)
    day = config.table.day()
    yield from (Mistake(("table", key), text) for key, text in (day_complaints(day) if day else ()))
    linked = config.linked_meters
    yield from meter_checks(config.meters, config.trigger, config.signs, [one.name for one in linked])
    yield from linked_checks(linked, config.meters)
    yield from sensor_checks(config.bet_sensors, zones_seen(config))
    broker = config.broker
    if broker is not None and (broker.tls_cert_file is None) != (broker.tls_key_file is None):
        yield Mistake(("broker",), "tls_cert_file and tls_key_file go together")
    # An address of IPv6 has several colons.
    if broker is not None and broker.host.count(":") == 1:
        host, _, port = broker.host.partition(":")
        yield Mistake(("broker", "host"), f'expected a host without its port; write host = "{host}" and port = {port}')
    if broker is not None and broker.unacknowledged_warn_hours >= broker.unacknowledged_close_hours:
        yield Mistake(("broker", "unacknowledged_warn_hours"), "expected less than unacknowledged_close_hours")
    operator = config.operator
    if config.table.software_key is not None and config.table.software is None:
        yield Mistake(("table", "software_key"), "expected software, the list that this key has signed, with it")
    if operator is not None and not (operator.directory or operator.listen):
        yield Mistake(("operator",), "expected directory, listen, or both")
    if operator is not None and operator.listen and not (operator.key_file and operator.operators):
        yield Mistake(("operator", "listen"), "key_file and operators must be given with it")
    if operator is not None and operator.signed == "required" and not operator.operators:
        yield Mistake(("operator", "signed"), "operators must be given with it: the file says whose each key is")


def port_places(config: Config) -> list[tuple[KeyPath, str]]:
    """Where the file names the port of each device, and the port."""
    users: list[tuple[KeyPath, str]] = [(("shoe", "port"), config.shoe.port)]
    users += [(("bet_spots", place, "port"), one.port) for place, one in enumerate(config.bet_spots)]
    users.append((("keypad", "port"), config.keypad.port))
    users += [(("trigger", "port"), config.trigger.port)] if config.trigger is not None else []
    users += [(("signs", place, "port"), one.port) for place, one in enumerate(config.signs)]
    users += [(("bet_sensors", place, "port"), one.port) for place, one in enumerate(config.bet_sensors)]
    return users


def _ports(config: Config) -> Iterable[Mistake]:
    taken: dict[str, str] = {}
    for path, port in port_places(config):
        if port in taken:
            yield Mistake(path, f"{port} is already the port of [{taken[port]}]")
        taken.setdefault(port, str(path[0]))


def _shared_antennas(antennas: Mapping[str, int]) -> list[str]:
    """What is wrong with antennas that two zones of each spot have."""
    zones = {antenna: [zone for zone, one in antennas.items() if one == antenna] for antenna in antennas.values()}
    return [f"antenna {one} is given to {' and '.join(names)}" for one, names in zones.items() if len(names) > 1]


def _zones(config: Config) -> Iterable[Mistake]:
    if not config.bet_spots:
        yield Mistake(("bet_spots",), "expected at least one line of readers")
    seen: set[tuple[int, str]] = set()
    for place, section in enumerate(config.bet_spots):
        path: KeyPath = ("bet_spots", place)
        twice = sorted({spot for spot in section.spots if section.spots.count(spot) > 1})
        if twice:
            yield from (Mistake((*path, "spots"), f"spot {spot} is given twice") for spot in twice)
            continue
        if shared := _shared_antennas(section.antennas):
            yield from (Mistake((*path, "antennas"), text) for text in shared)
            continue
        zones = zones_of(section)
        if section.antennas and section.zone is not None:
            yield Mistake(path, "expected antennas, or zone for readers with a single antenna, not both")
        elif bool(section.spots) != bool(section.antennas or section.zone):
            yield Mistake(path, "spots and antennas go together")
        elif not zones:
            yield Mistake(path, "expected zones, or spots and antennas")
        wires: set[tuple[int, int | None]] = set()
        for zone in zones:
            others = [antenna for address, antenna in wires if address == zone.address]
            if zone.antenna in others:
                which = f"antenna {zone.antenna} of reader {zone.address}"
                yield Mistake(path, f"{which if zone.antenna else f'reader {zone.address}'} is given twice")
            elif others and None in (zone.antenna, *others):
                text = f"reader {zone.address}: expected an antenna for each of its zones, or a single zone without one"
                yield Mistake(path, text)
            if (zone.spot, zone.zone) in seen:
                yield Mistake(path, f"zone {zone.zone} of spot {zone.spot} is given twice")
            wires.add((zone.address, zone.antenna))
            seen.add((zone.spot, zone.zone))


def main_checks(config: Config) -> Iterable[Mistake]:
    """Spots that have a reader, and none below the wager that every round begins with."""
    main = {spot for spot, zone in zones_seen(config) if zone == "main"}
    for place, section in enumerate(config.bet_spots):
        if blind := sorted({zone.spot for zone in zones_of(section)} - main):
            where = f"{'spot' if len(blind) == 1 else 'spots'} {', '.join(map(str, blind))}"
            text = f"no reader watches main at {where}, so no round can be played there; give main an antenna"
            yield Mistake(("bet_spots", place, "antennas" if section.antennas else "zones"), text)


def _resolved(config: Config, directory: PurePath) -> Config:
    def moved(section: Section, names: tuple[str, ...]) -> dict[str, Any]:
        given = {name: getattr(section, name) for name in names}
        return {name: str(directory / path) for name, path in given.items() if path and not is_credential(path)}

    own = ("key_file", "journal", "chips", "software", "second_copy")
    table = msgspec.structs.replace(config.table, **moved(config.table, own))
    linked = tuple(msgspec.structs.replace(one, **moved(one, ("key_file",))) for one in config.linked_meters)
    config = msgspec.structs.replace(config, linked_meters=linked)
    if config.operator is not None:
        names = moved(config.operator, ("directory", "key_file", "operators"))
        config = msgspec.structs.replace(config, operator=msgspec.structs.replace(config.operator, **names))
    if config.trigger is not None:
        trigger = msgspec.structs.replace(config.trigger, **moved(config.trigger, ("pairing_key_file",)))
        config = msgspec.structs.replace(config, trigger=trigger)
    if config.tap is not None:
        config = msgspec.structs.replace(config, tap=TapSection(**moved(config.tap, ("socket",))))
    if config.broker is None:
        return msgspec.structs.replace(config, table=table)
    files = ("password_file", "tls_ca_file", "tls_cert_file", "tls_key_file")
    broker = msgspec.structs.replace(config.broker, **moved(config.broker, files))
    return msgspec.structs.replace(config, table=table, broker=broker)
