"""Nights of a unit of bet sensors and of a trigger box in C: killed tables, unplugged lines, lost power, brown-outs,
bad lines. Both are written from their pages alone.

``python -m tests.firmware.units --happenings 1000`` prints what happened to each and what was found; if anything,
status 1. Time is simulated.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from typing import Final

from devices.bet_sensors import BetSensorsSession
from firmware_protocols.bet_sensors import modbus_rtu
from firmware_protocols.readings import DeviceComplained, MysteryRevealed, Reading, WagersSensed
from simulators.devices.wire import NullModem
from simulators.faults.line_faults import Faults, Rates
from tests.devices.trigger_rig import MS, Rig, S, assert_in_order
from tests.firmware.piped import BoxInC, SensorsInC
from tests.trigger_box.rig import SMALL

SPOTS: Final = (1, 2, 3, 4, 5, 6, 7)
BAD_LINE: Final = Rates(drop=3, flip=3, insert=3, split=30, duplicate=5)
SENSOR_MISHAPS: Final = ("kill", "unplug", "power", "power_unplugged", "noise")
BOX_MISHAPS: Final = ("kill", "unplug", "power", "brown_out", "brown_out", "noise", "no_noise")


class SensorTable:
    """A table whose program may be killed, and a unit of sensors on a line that may be bad."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.unit = SensorsInC()
        self.faults = Faults(random.Random(seed), Rates())
        self.lock = 0
        self.now_ns = 0
        self.latched: set[int] | None = None
        self.start()

    def start(self) -> None:
        """The table's program begins; it knows which lock its journal wishes."""
        self.session = BetSensorsSession(modbus_rtu.CODEC, "blazing7s", SPOTS)
        self.session.apply(self.lock)
        self.modem: NullModem[Reading] = NullModem(
            self.session,
            self.unit,
            modbus_rtu.CODEC,
            paced=True,
            to_device=self.faults,
            to_host=self.faults,
            start_ns=self.now_ns,
        )
        self.modem.connect()

    def pass_s(self, seconds: float) -> None:
        """Let time pass."""
        self.now_ns += int(seconds * S)
        self.modem.run_until(self.now_ns)

    def wish(self, lock: int) -> None:
        """The table wishes a lock, and time passes until the unit has it."""
        self.lock = lock
        self.session.apply(lock)
        lying = set(self.unit.covered)
        while self.is_locked is not bool(lock):
            self.pass_s(0.005)
        self.latched = lying if lock else None

    @property
    def is_locked(self) -> bool:
        """Whether the unit is."""
        return bool(self.unit.event(b"?")[0])

    def move(self) -> None:
        """Somebody lays and takes wagers."""
        wanted = {spot for spot in SPOTS if self.chance.randrange(2)}
        for spot in SPOTS:
            (self.unit.lay if spot in wanted else self.unit.take)(spot)

    def happen(self, what: str) -> None:
        """Let it happen."""
        match what:
            case "kill":
                self.start()
            case "unplug":
                self.modem.disconnect()
                self.pass_s(self.chance.random())
                self.modem.connect()
            case "power":
                self.unit.restart()
            case "power_unplugged":
                self.modem.disconnect()
                self.unit.restart()
                self.pass_s(self.chance.random())
                self.modem.connect()
            case "noise":
                self.faults.rates = BAD_LINE
            case _:
                raise AssertionError(what)

    def sensed(self) -> WagersSensed | None:
        """What the table knows last."""
        return next((one for one in reversed(self.modem.readings) if isinstance(one, WagersSensed)), None)


def sensor_night(seed: int, happenings: int) -> tuple[Counter[str], list[str]]:
    """Rounds with a mishap each, and what the table was sent wrongly or not at all."""
    table, counted, wrong = SensorTable(seed), Counter[str](), list[str]()
    for number in range(1, happenings + 1):
        table.move()
        table.pass_s(0.5)
        table.wish(number)
        table.move()
        what = table.chance.choice(SENSOR_MISHAPS)
        counted[what] += 1
        table.pass_s(table.chance.random())
        reading = table.sensed()
        if what.startswith("power") and (reading is None or reading.lock != number):
            # The power went before the table knew of the lock, so it locks again and what lies there then counts.
            table.latched = None
        table.happen(what)
        table.move()
        table.pass_s(5)
        table.faults.rates = Rates()
        table.pass_s(2)
        wrong += [f"round {number}, {what}: {one}" for one in wrong_about(table, number, what)]
        table.wish(0)
        table.pass_s(1)
    return counted, wrong


def wrong_about(table: SensorTable, number: int, what: str) -> list[str]:
    """What the table knows and should not, or should know and does not."""
    reading = table.sensed()
    lost = any(isinstance(one, DeviceComplained) and one.code == "lock_lost" for one in table.modem.readings)
    table.modem.readings = [one for one in table.modem.readings if not isinstance(one, DeviceComplained)]
    found = []
    if reading is None or reading.lock != number or set(reading.live) != table.unit.covered:
        found.append(f"{sorted(table.unit.covered)} lie there and lock {number} holds, reported {reading}")
    elif not lost and table.latched is not None and set(reading.latched) != table.latched:
        found.append(f"{table.latched} lay there at the lock, reported {reading.latched}, and no lock was lost")
    if lost and not what.startswith("power"):
        found.append("a lock was lost with the power on")
    return found


def box_night(seed: int, happenings: int) -> tuple[Counter[str], list[str], int]:
    """Contributions with mishaps between them; whether each was answered once, in order; how often the box was cut."""
    chance, counted = random.Random(seed), Counter[str]()
    rig = Rig(lambda bounds, *, seed, noise: BoxInC(bounds, seed=seed, noise=noise), seed=seed)
    box = rig.box
    assert isinstance(box, BoxInC)
    while sum(counted.values()) < happenings:
        rig.contribute(*(chance.randrange(1, SMALL.most_units + 1) for _ in range(chance.randrange(1, 4))))
        what = chance.choice(BOX_MISHAPS)
        counted[what] += 1
        rig.faults.rates = BAD_LINE if what == "noise" else Rates()
        match what:
            case "kill":
                rig.restart()
            case "unplug":
                rig.modem.disconnect()
                rig.run(100 * MS)
                rig.modem.connect()
            case "power":
                box.power_cycle()
            case "brown_out":
                box.cut_after(chance.randrange(120))
            case "no_noise":
                rig.modem.say(box.noise(works=False))
            case _:
                assert what == "noise"
        rig.run(chance.randrange(20, 1500) * MS)
        rig.modem.say(box.noise(works=True))
    rig.faults.rates = Rates()
    try:
        rig.until(lambda: len(rig.journal.answers()) == len(rig.journal.given))
        rig.until(lambda: len(rig.journal.of(MysteryRevealed)) == len(rig.journal.hits()))
        assert_in_order(rig.journal, SMALL)
    except AssertionError as error:
        return counted, [f"seed {seed}: {error!r}"], box.cuts
    return counted, [], box.cuts


def main() -> int:
    """Run a campaign from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--happenings", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    counted, wrong = sensor_night(asked.seed, asked.happenings)
    sys.stdout.write(f"sensors: {dict(counted)}\n")
    boxes, cuts, nights = Counter[str](), 0, 0
    while sum(boxes.values()) < asked.happenings:
        happened, found, cut = box_night(asked.seed + nights, min(50, asked.happenings))
        boxes, wrong, cuts, nights = boxes + happened, wrong + found, cuts + cut, nights + 1
    sys.stdout.write(f"box: {dict(boxes)}, of which {cuts} in a write, in {nights} nights\n")
    sys.stdout.writelines(f"{one}\n" for one in wrong)
    sys.stdout.write(f"{len(wrong)} found\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
