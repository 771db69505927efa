"""The demo's table: simulated devices, the table file a technician would write for them, what people do at it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from controller.core.meters.meter import Parameters
from controller.demo import PROFILE
from controller.demo.pool import DemoLink, linked_section
from controller.io.files import profile_files
from controller.io.mqtt.connection import Broker
from firmware_protocols import discovery
from simulators.devices.bet_sensors import BetSensorsSimulator
from simulators.devices.bet_spots import BetSpotsSimulator
from simulators.devices.keypad import KeypadSimulator
from simulators.devices.mystery_trigger import TriggerBoxSimulator
from simulators.devices.reference_shoe import ReferenceShoeSimulator
from simulators.devices.shoe import ShoeSimulator
from simulators.devices.sign import SignSimulator
from simulators.people.acts import Act
from simulators.people.dealer import play
from simulators.people.deck import LoadedShoe
from simulators.people.house import house_from
from simulators.people.layout import SensedBet
from simulators.people.progressive_bets import BONUS, SEVENS, STAKES_CENTS, UNITS, SevensMeter, with_progressive_bets
from simulators.people.rack import Rack

SITE: Final = "demo"
TABLE: Final = "bj1"
ANTENNAS: Final = {"main": 1, "insurance": 2}
SENSED: Final = {"sensors_sevens": SEVENS, "sensors_bonus": BONUS}
"""The ports of the units of bet sensors, and the side bet each of them senses."""

SEVENS_CENTS: Final = 1_000_000
"""Where the meter of the sevens begins, and begins again."""


class DemoOptions(NamedTuple):
    """The options of a demo."""

    directory: Path
    rounds: int | None
    seed: int
    speed: float
    boxes: tuple[int, int]
    keypad: bool
    broker: Broker | None
    shoe: str = "bee_tek"
    profile: str = PROFILE
    jackpots: bool = False
    sensors: bool = False
    """Whether the sevens lie on sensors alone, and the bonus on sensors too."""
    link: bool = False
    """Whether the sevens' meter is a pool's, with a link of its own."""
    web: int | None = 0
    """The port of its pages; None: any; 0: it has none."""


def spots_of(profile: str) -> range:
    """The betting boxes of a profile's layout."""
    return range(1, house_from(profile_files.raw(profile)).boxes + 1)


def devices(shoe: str = "bee_tek", profile: str = PROFILE, wanted: DemoOptions | None = None) -> dict[str, Any]:
    """The simulated devices of the table."""
    antennas = antennas_of(wanted)
    zones: dict[tuple[int, int | None], tuple[int, str]] = {
        (spot, antenna): (spot, zone) for spot in spots_of(profile) for zone, antenna in antennas.items()
    }
    beside: dict[str, Any] = {}
    if wanted is not None and wanted.jackpots:
        chance = random.Random(wanted.seed)  # noqa: S311 - a simulated box; the table adds a share of its own
        box = TriggerBoxSimulator(discovery.find("mystery_trigger", "tableside"), chance)
        beside = {"sign": SignSimulator(discovery.find("sign", "alpha")), "trigger": box}
    sensed = sensed_bets(profile) if wanted is not None and wanted.sensors else {}
    beside |= {name: one.unit for name, one in sensed.items()}
    numbering = ReferenceShoeSimulator(discovery.find("shoe", "reference"))
    return {
        "shoe": numbering if shoe == "reference" else ShoeSimulator(discovery.find("shoe", shoe)),
        "bet_spots": BetSpotsSimulator(discovery.find("bet_spots", "feig_obid"), zones),
        "keypad": KeypadSimulator(discovery.find("keypad", "matrix_orbital")),
        "beside": beside,
        "sensed": tuple(sensed.values()),
    }


def sensed_bets(profile: str) -> dict[str, SensedBet]:
    """The units of sensors, by the names of their ports."""
    codec = discovery.find("bet_sensors", "modbus_rtu")
    spots = tuple(spots_of(profile))
    return {name: SensedBet(BetSensorsSimulator(codec), bet, spots) for name, bet in SENSED.items()}


def antennas_of(wanted: DemoOptions | None) -> dict[str, int]:
    """Which antenna sees which zone of a spot."""
    if wanted is None or not wanted.jackpots:
        return ANTENNAS
    return {**ANTENNAS, BONUS: 4} if wanted.sensors else {**ANTENNAS, SEVENS: 3, BONUS: 4}


def unplayed(wanted: DemoOptions) -> tuple[str, ...]:
    """The side wagers of the profile that the simulated people never lay, as no reader is there for them."""
    offered = profile_files.load(wanted.profile).rules.side_bets
    played = {*antennas_of(wanted), *(SENSED.values() if wanted.jackpots and wanted.sensors else ())}
    return tuple(bet for bet in offered if bet not in played)


def sensor_sections(directory: Path, profile: str) -> str:
    """The units of bet sensors: no reader sees the sevens, and readers see the bonus too."""
    ports = (directory / "ports").resolve()
    spots = ", ".join(map(str, spots_of(profile)))
    return "".join(
        f"""
[[bet_sensors]]
protocol = "modbus_rtu"
port = "{ports / name}"
bet = "{bet}"
spots = [{spots}]
"""
        for name, bet in SENSED.items()
    )


SEVENS_PARAMETERS: Final = Parameters(
    base_cents=SEVENS_CENTS, reset_cents=SEVENS_CENTS, rate=(17, 100), unreasonable_cents=200, hidden_rate=(3, 100)
)


def sevens_section(link: DemoLink | None) -> str:
    """The sevens' meter: the table's own, or a pool's."""
    if link is not None:
        return linked_section("sevens", "Blazing 7's", SEVENS, link)
    return f"""
[[meters]]
name = "sevens"
title = "Blazing 7's"
fed_by = ["{SEVENS}"]
rate = [17, 100]
hidden_rate = [3, 100]
base_cents = {SEVENS_CENTS}
reset_cents = {SEVENS_CENTS}
unreasonable_cents = 200
"""


def meter_sections(directory: Path, link: DemoLink | None) -> str:
    """The meters, the trigger box and the sign of a table with jackpots."""
    ports = (directory / "ports").resolve()
    return f"""{sevens_section(link)}
[[meters]]
name = "mystery"
title = "Must-Hit-By Mystery Bonus"
pays = "mystery"
fed_by = ["{BONUS}"]
rate = [4, 5]
unreasonable_cents = 5000

[trigger]
port = "{ports / "trigger"}"

[[signs]]
protocol = "alpha"
port = "{ports / "sign"}"
meters = ["sevens", "mystery"]
captions = ["7S $", " MYSTERY $"]
"""


def table_file(
    directory: Path,
    broker: Broker,
    *,
    keypad: bool,
    shoe: str = "bee_tek",
    profile: str = PROFILE,
    wanted: DemoOptions | None = None,
    link: DemoLink | None = None,
) -> str:
    """The demo's table file, as a technician would write it; ``link``: where its pool is."""
    ports = (directory / "ports").resolve()
    antennas = ", ".join(f"{zone} = {antenna}" for zone, antenna in antennas_of(wanted).items())
    meters = meter_sections(directory, link) if wanted is not None and wanted.jackpots else ""
    meters += sensor_sections(directory, profile) if wanted is not None and wanted.sensors else ""
    stand_key: Literal["always", "sometimes"] = "always" if keypad else "sometimes"
    return f"""\
[table]
site = "{SITE}"
name = "{TABLE}"
profile = "{profile}"
key_file = "table.key"
journal = "journal.sqlite"
chips = "chips.csv"
reserve_mib = 1

[options]
stand_key = "{stand_key}"

[broker]
host = "{broker.host}"
port = {broker.port}
protocol = "{broker.protocol}"

[shoe]
protocol = "{shoe}"
port = "{ports / "shoe"}"

[[bet_spots]]
protocol = "feig_obid"
port = "{ports / "bet_spots"}"
spots = [{", ".join(str(spot) for spot in spots_of(profile))}]
antennas = {{{antennas}}}
gap_ms = 1

[keypad]
protocol = "matrix_orbital"
port = "{ports / "keypad"}"
{meters}"""


def sevens_meter() -> SevensMeter:
    """The meter of the sevens as the simulated people count it."""
    start = SEVENS_CENTS * UNITS
    return SevensMeter(start, start, STAKES_CENTS[SEVENS] * UNITS * 17 // 100)


def script(wanted: DemoOptions, rack: Rack, meter: SevensMeter) -> Iterator[Act]:
    """What people do at the table; they count ``meter`` as they go."""
    house = house_from(profile_files.raw(wanted.profile))
    chance = random.Random(wanted.seed)  # noqa: S311 - a simulated shoe; the same seed must deal the same cards
    stand_key: Literal["always", "never"] = "always" if wanted.keypad else "never"
    shoe = LoadedShoe(chance, house.decks)
    acts = play(house, chance, rack, wanted.boxes, rounds=wanted.rounds, stand_key=stand_key, shoe=shoe)
    if not wanted.jackpots:
        return acts
    return with_progressive_bets(acts, random.Random(wanted.seed), rack, shoe, meter)  # noqa: S311


class SignRead(NamedTuple):
    """What stands in a sign's fields, and what should: by the people's count of the sevens, and by the trigger box."""

    shown: tuple[str, ...]
    truth: tuple[str, ...]

    def true(self) -> bool:
        """Whether it shows the truth."""
        return self.shown == self.truth


def read_sign(beside: Mapping[str, object], sevens: SevensMeter) -> SignRead | None:
    """What the demo's sign says now; None where there is none."""
    sign, box = beside.get("sign"), beside.get("trigger")
    if not isinstance(sign, SignSimulator) or not isinstance(box, TriggerBoxSimulator):
        return None
    truth = (sevens.units, box.meter_units)
    cents = [units // UNITS for units in truth]
    return SignRead(sign.amounts, tuple(f"{one // 100:,}.{one % 100:02d}" for one in cents))
