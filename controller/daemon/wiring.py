"""A table file turned into the parts of a daemon: the house, the sessions on their lines."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from controller.core.messages.house import House, begun_now
from controller.core.progressives.live_meters import TRIGGER_BOX
from controller.core.table.desired import Desired
from controller.formats.config.meters import SignSection, terms_of_meters
from controller.formats.config.pairing import unpaired
from controller.formats.config.pooled_meters import linked_terms
from controller.formats.config.sensors import counted_bets, unit_name
from controller.formats.config.table_file import BetSpotsSection, Config, zones_of, zones_seen
from controller.io.files.table_file import TableFile
from controller.io.lines.ports import serial_opener
from controller.io.lines.supervisor import LIVENESS_NS, LineSupervisor
from controller.io.lines.talk_limit import DEVICE, KEEPING_SHOE, Talk
from controller.io.system.clock import Clock
from devices.bet_sensors import BetSensorsSession
from devices.chips.bet_spots import BetSpotsSession
from devices.keypad import KeypadSession
from devices.paired_session import PairedSession
from devices.session import Session
from devices.shoes.expected_shoe import ExpectedShoe
from devices.shoes.shoe import ShoeSession
from devices.sign import SignSession
from devices.trigger.mystery_trigger import MysteryTriggerSession, TriggerTable
from firmware_protocols import discovery
from firmware_protocols.messages import CheckShoe, TakeInventory
from firmware_protocols.paired_line import NONCE_BYTES
from firmware_protocols.readings import CardDrawn, Reading, ShoeDraws, ShoeNumbering
from firmware_protocols.sensor_messages import ReadSensors
from firmware_protocols.trigger_messages import KeepHead, TriggerWish

NUMBERING_SHOES: Final[frozenset[str]] = frozenset({"reference"})
"""Shoe protocols that number their draws, so that an outage cannot hide a card; Bee-Tek's does not."""


def house_of(table: TableFile) -> House:
    """The house a table file describes."""
    config = table.config
    readers, zones = _watched(config)
    house = House(
        rules=table.profile.rules,
        chips=dict(table.chips),
        keys=dict(table.keys),
        profile_hash=table.profile.hash,
        readers=readers,
        zones=zones,
        denominations=tuple(sorted(set(table.chips.values()), reverse=True)),
        elsewhere=dict(table.elsewhere),
        sensors={unit.bet: unit.spots for unit in config.bet_sensors},
        counted=counted_bets(config.bet_sensors, zones_seen(config), table.profile.rules),
        meters=terms_of_meters(config.meters, table.profile.rules),
        linked=linked_terms(config.linked_meters),
        two_persons=config.operator is not None and config.operator.two_persons,
        shoe_numbers_cards=config.shoe.protocol in NUMBERING_SHOES,
        unpaired=unpaired_devices(config),
        currency=config.table.currency or "",
        gaming_day=config.table.day(),
    )
    return begun_now(house)


def _watched(config: Config) -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[str, ...]]]:
    """The spots that each bet-spot reader watches, and its zones as ``SPOT/ZONE``, by device name."""
    readers: dict[str, tuple[int, ...]] = {}
    zones: dict[str, tuple[str, ...]] = {}
    for place, section in enumerate(config.bet_spots):
        for zone in zones_of(section):
            device = f"{bus_name(place)}/{zone.address}"
            readers[device] = tuple(sorted({*readers.get(device, ()), zone.spot}))
            zones[device] = (*zones.get(device, ()), f"{zone.spot}/{zone.zone}")
    return readers, zones


def unpaired_devices(config: Config) -> tuple[str, ...]:
    """The devices of a table whose line ought to be paired and is not."""
    trigger = config.trigger
    open_line = trigger is not None and unpaired(trigger.port, trigger.pairing_key_file)
    return (TRIGGER_BOX,) if open_line else ()


def bus_name(place: int) -> str:
    """What the readers on a line are called: ``bet_spots``, or ``bet_spots2`` for the second line of several."""
    return "bet_spots" if place == 0 else f"bet_spots{place + 1}"


class TriggerBoxWiring(NamedTuple):
    """Whose contributions a trigger box is sent, and what the journal knows of it.

    ``pairing_key`` is None where its line is not paired; ``fresh`` gives random bytes, as many as are asked for.
    """

    table: TriggerTable
    wish: TriggerWish
    pairing_key: bytes | None
    fresh: Callable[[int], bytes]

    def behind_pairing(self, session: Session, name: str) -> Session:
        """The session, behind a paired line where there is a key."""
        if self.pairing_key is None:
            return session
        return PairedSession(session, name, self.pairing_key, lambda: self.fresh(NONCE_BYTES))


class Devices:
    """The sessions of a table and the supervisors of their lines."""

    def __init__(self, config: Config, shoes: Sequence[ShoeDraws] = (), box: TriggerBoxWiring | None = None) -> None:
        """``shoes``: how far the journal has the draws of shoes that number them, the one in use last.

        ``box`` is what the journal knows of the trigger box, where there is one.
        """
        self.keypad = KeypadSession(discovery.find("keypad", config.keypad.protocol))
        self.buses = [bet_spots(section, bus_name(place)) for place, section in enumerate(config.bet_spots)]
        expected = ExpectedShoe(serials=config.shoe.serials())
        codec = discovery.find("shoe", config.shoe.protocol)
        self.shoe = ShoeSession(codec, expected=expected, known=shoes)
        self.lines: list[tuple[str, str, str, str, Session]] = [
            ("shoe", "shoe", config.shoe.protocol, config.shoe.port, self.shoe),
            ("keypad", "keypad", config.keypad.protocol, config.keypad.port, self.keypad),
        ]
        for place, (section, session) in enumerate(zip(config.bet_spots, self.buses, strict=True)):
            self.lines.append((bus_name(place), "bet_spots", section.protocol, section.port, session))
        self.signs = [(one, sign(one, sign_name(place))) for place, one in enumerate(config.signs)]
        for one, shown_on in self.signs:
            self.lines.append((shown_on.name, "sign", one.protocol, one.port, shown_on))
        self.sensors: list[BetSensorsSession] = []
        for place, unit in enumerate(config.bet_sensors):
            codec = discovery.find("bet_sensors", unit.protocol)
            sensing = BetSensorsSession(codec, unit.bet, unit.spots, unit_name(place), address=unit.address)
            self.sensors.append(sensing)
            self.lines.append((sensing.name, "bet_sensors", unit.protocol, unit.port, sensing))
        self.trigger: MysteryTriggerSession | None = None
        if config.trigger is not None and box is not None:
            codec = discovery.find("mystery_trigger", config.trigger.protocol)
            self.trigger = MysteryTriggerSession(codec, box.table, box.wish, serial=config.trigger.serial)
            name, protocol, port = "mystery_trigger", config.trigger.protocol, config.trigger.port
            self.lines.append((name, name, protocol, port, box.behind_pairing(self.trigger, name)))
        self.supervisors: list[LineSupervisor] = []
        self._clock: Clock | None = None

    def supervise(
        self, clock: Clock, chance: random.Random, deliver: Callable[[Reading], None]
    ) -> list[LineSupervisor]:
        """A supervisor for each line, to be run."""
        self._clock = clock
        self.supervisors = [
            LineSupervisor(
                name,
                serial_opener(port, discovery.find(kind, protocol).line),
                session,
                clock=clock,
                chance=chance,
                deliver=deliver,
                liveness_ns=liveness_ns(kind, protocol),
                talk=Talk(chance, KEEPING_SHOE if protocol in NUMBERING_SHOES else DEVICE),
            )
            for name, kind, protocol, port, session in self.lines
        ]
        by_name = {line.name: line for line in self.supervisors}
        by_name["shoe"].let_go_ahead(by_name["keypad"])
        return self.supervisors

    def stored(self, reading: CardDrawn | ShoeNumbering) -> None:
        """The journal has this card, so that the shoe may forget it; or knows whose draws come, so that they may."""
        match reading:
            case CardDrawn(sequence=sequence) if sequence is not None:
                self.shoe.acknowledge(sequence)
            case ShoeNumbering(shoe) if self._clock is not None:
                self.shoe.entered(shoe, self._clock.monotonic_ns())
            case _:
                return
        for line in self.supervisors:
            line.settle()

    def apply(self, desired: Desired) -> None:
        """Tell the devices what the table wants of them."""
        self.keypad.show(desired.display)
        for bus in self.buses:
            bus.watch(frozenset(desired.watched) or None)
            bus.confirm(desired.confirm_ns)
        shown = {one.meter: one.cents for one in desired.meters}
        for section, shown_on in self.signs:
            shown_on.show(tuple(shown.get(meter) for meter in section.meters), desired.notice)
        for sensing in self.sensors:
            sensing.apply(desired.lock, desired.lamps.get(sensing.bet, ()))
        if self.trigger is not None and self._clock is not None:
            self.trigger.apply(desired.trigger, self._clock.monotonic_ns())
        for line in self.supervisors:
            line.settle()

    def keep_head(self, head: KeepHead) -> None:
        """Have the trigger box, where there is one, keep a signed head of the journal."""
        if self.trigger is not None and self._clock is not None:
            self.trigger.keep_head(head, self._clock.monotonic_ns())
        for line in self.supervisors:
            line.settle()


def sign_name(place: int) -> str:
    """What a sign is called: ``sign``, or ``sign2`` for the second of several."""
    return "sign" if place == 0 else f"sign{place + 1}"


def sign(section: SignSection, name: str) -> SignSession:
    """The session of one sign."""
    captions = section.captions or tuple(f"{meter.upper()} $" for meter in section.meters)
    codec = discovery.find("sign", section.protocol)
    return SignSession(codec, captions, name, width=section.width, odometer=section.odometer)


def liveness_ns(kind: str, protocol: str) -> int | None:
    """The longest silence to bear on a line whose device is asked all the time; None for one that only speaks."""
    vocabulary = discovery.find(kind, protocol).vocabulary
    return LIVENESS_NS if {TakeInventory, CheckShoe, ReadSensors}.intersection(vocabulary) else None


def bet_spots(section: BetSpotsSection, name: str) -> BetSpotsSession:
    """The session of one line of readers."""
    settings: dict[str, Any] = {"values": section.values}
    if section.agreeing is not None:
        settings["agreeing"] = section.agreeing
    if section.gap_ms is not None:
        settings["gap_ns"] = max(1, section.gap_ms) * 1_000_000
    zones: dict[tuple[int, int | None], tuple[int, str]] = {
        (zone.address, zone.antenna): (zone.spot, zone.zone) for zone in zones_of(section)
    }
    return BetSpotsSession(discovery.find("bet_spots", section.protocol), zones, name, **settings)
