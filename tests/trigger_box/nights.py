"""What a real table and a real trigger box publish in a night of full tables, as bytes and as JSON."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from msgspec.structs import replace

from controller.core.meters.meter import Parameters
from controller.formats.journal.records import Identity
from controller.formats.journal.stream import stream_genesis, stream_hash
from controller.formats.mqtt.envelope import event_bytes
from firmware_protocols.readings import (
    DeviceHealth,
    HealthState,
    MysteryAnswered,
    MysteryCommitted,
    MysteryRevealed,
)
from firmware_protocols.trigger_messages import (
    ContributionAnswered,
    CycleCommitted,
    CycleRevealed,
    GreetTrigger,
    TriggerReport,
)
from simulators.devices.mystery_trigger import Bounds
from tests.progressive.live import MYSTERY, MeterRig
from tests.trigger_box.rig import BoxDevice

Events = list[dict[str, Any]]

IDENTITY = Identity("harbour", "bj-1", 7)
PARAMETERS = Parameters(
    base_cents=25_000,
    reset_cents=25_000,
    rate=(13, 15),
    unreasonable_cents=10_000,
    limit_cents=100_000,
    hidden_rate=(1, 7),
)
BOUNDS = Bounds(reset_cents=25_000, ceiling_cents=100_000, most_units=100_000_000)
ROUNDS = 12
"""Of three cycles that are hit and one that still runs, with seed 1."""

BONUS = "five_card_progressive"
FACES = ("9h", "9d", "9c", "9s", "9h", "9d", "9c")
TENS = ("8h", "8d", "8c", "8s", "8h", "8d", "8c")


class Night:
    """A table with a must-hit-by meter, and the box that serves it."""

    def __init__(self, seed: int) -> None:
        self.rig = MeterRig(replace(MYSTERY, parameters=PARAMETERS))
        self.box = BoxDevice(BOUNDS, seed=seed)
        self.opened = 0

    def up(self) -> None:
        """The box answers, and is sent what it has missed."""
        self.rig.give(DeviceHealth("mystery_trigger", HealthState.READY, self.rig.now_ns))
        known = self.rig.table.state.progressives
        cycle = 0 if known.cycle is None else known.cycle.number
        self.hear(self.box.hear(GreetTrigger(1, IDENTITY.site, IDENTITY.table, IDENTITY.epoch, cycle, known.answered)))
        self.serve()

    def down(self) -> None:
        """The box is away."""
        self.rig.give(DeviceHealth("mystery_trigger", HealthState.LOST, self.rig.now_ns))

    def serve(self) -> None:
        """The box is sent what the table wants it to know, until there is nothing more."""
        while True:
            wish = self.rig.desired.trigger
            if wish.share is not None and wish.share.cycle > self.opened:
                self.opened = wish.share.cycle
                self.hear(self.box.hear(wish.share))
            elif wish.contributions:
                self.hear(self.box.hear(wish.contributions[0]))
            else:
                return

    def hear(self, reports: tuple[TriggerReport, ...]) -> None:
        for report in reports:
            now = self.rig.now_ns
            match report:
                case CycleCommitted(cycle, proof, start, reset, ceiling):
                    self.rig.give(MysteryCommitted(now, cycle, proof.hex(), start, reset, ceiling))
                case ContributionAnswered(number, cycle, units, hit, award):
                    self.rig.give(MysteryAnswered(now, number, cycle, units, hit, award))
                case CycleRevealed(cycle, number, drawn, key):
                    self.rig.give(MysteryRevealed(now, cycle, number, drawn, key.hex()))
                case _:
                    pass

    def plays(self, boxes: int = 7) -> None:
        """A round of players who all stand."""
        spots = range(1, boxes + 1)
        bets = [f"{spot} main 10 \n {spot} {BONUS} 20" for spot in spots]
        cards = " ".join((*FACES[:boxes], "6c", *TENS[:boxes], "Tc"))
        self.rig.talk("\n".join((*bets, cards, "key " + "stand " * boxes, "key hole_turned")))
        self.rig.talk("5c \n key round_closed")
        for spot in spots:
            self.rig.chips(spot, BONUS, 0)
            self.rig.chips(spot, "main", 0)

    def published(self) -> list[bytes]:
        """The events so far, as they go out."""
        return [event_bytes(event, IDENTITY, seq, 0) for seq, event in enumerate(self.rig.events, start=1)]


@cache
def played(rounds: int, seed: int = 1, boxes: int = 7, away: int = -1) -> tuple[bytes, ...]:
    """The events of so many rounds; in round ``away`` the box is away."""
    night = Night(seed)
    night.up()
    for number in range(rounds):
        if number == away:
            night.down()
        night.plays(boxes)
        if number == away:
            night.up()
        elif night.rig.table.state.devices["mystery_trigger"] == HealthState.READY:
            night.serve()
    return tuple(night.published())


def night(rounds: int = ROUNDS, seed: int = 1) -> Events:
    """Events as JSON, to be spoilt."""
    return [msgspec.json.decode(body) for body in played(rounds, seed)]


def lines(events: Events) -> list[bytes]:
    """As they would have been published."""
    return [msgspec.json.encode(event) for event in events]


def hash_after(bodies: tuple[bytes, ...], seq: int) -> bytes:
    """The table's hash of its stream after event ``seq``."""
    found = stream_genesis(IDENTITY)
    for body in bodies[:seq]:
        found = stream_hash(found, body)
    return found


def of(events: Events, kind: str, place: int = 0) -> dict[str, Any]:
    """The data of an event of this kind, by its place among them."""
    return [event for event in events if event["type"] == f"tableside.{kind}.v1"][place]
