"""How long a bus takes to look at each zone once: the table in docs/reference/wire-formats.md, measured again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from devices.chips.bet_spots import GAP_NS, BetSpotsSession
from firmware_protocols.bet_spots import feig_obid
from firmware_protocols.codec import LineEnd
from firmware_protocols.messages import ChipsInventoried, TakeInventory
from firmware_protocols.readings import Reading
from simulators.devices.bet_spots import BetSpotsSimulator
from simulators.devices.wire import NullModem
from tests.devices.bus import MS, S, chips

DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "reference" / "wire-formats.md"
ROW = re.compile(r"\| (\d+) \| (\d+) ms \| (\d+) ms \| (\d+) ms \| (\d+) ms \|")
CHIPS_EACH = (0, 1, 5, 20)
STEP_NS = MS // 5
CYCLES = 3


def measured_ns(zones: int, chips_each: int) -> int:
    """The mean time between two looks at the same zone, on a line of its true speed and readers that take no time."""
    places = {(1 + n % 7, 1 + n // 7): (1 + n % 7, f"zone{n // 7}") for n in range(zones)}
    readers = BetSpotsSimulator(feig_obid.CODEC, {(address, antenna): at for (address, antenna), at in places.items()})
    for place in readers.places:
        readers.lay(*place, chips(chips_each))
    session = BetSpotsSession(feig_obid.CODEC, {(address, antenna): at for (address, antenna), at in places.items()})
    modem: NullModem[Reading] = NullModem(session, readers, feig_obid.CODEC, paced=True)
    modem.connect()
    first = readers.places[0]

    def look() -> int:
        looks = readers.inventories(*first)
        while readers.inventories(*first) == looks:
            modem.run_until(modem.now_ns + STEP_NS)
        return modem.now_ns

    modem.run_until(S)
    begun_ns = look()
    return (max(look() for _ in range(CYCLES)) - begun_ns) // CYCLES


def computed_ns(zones: int, chips_each: int) -> int:
    """The same from the bytes of question and answer and the gap between them."""
    host, device = feig_obid.CODEC.open(LineEnd.HOST), feig_obid.CODEC.open(LineEnd.DEVICE)
    question = host.encode(TakeInventory(1, 1))
    device.feed(question)
    answer = device.encode(ChipsInventoried(1, chips(chips_each)))
    line = feig_obid.CODEC.line
    byte_ns = line.bits_per_byte() * S // line.baud
    return zones * (byte_ns * (len(question) + len(answer)) + GAP_NS)


def table() -> dict[tuple[int, int], int]:
    rows = ROW.findall(DOCUMENT.read_text(encoding="utf-8"))
    return {
        (int(zones), each): int(cycle_ms)
        for zones, *cycles_ms in rows
        for each, cycle_ms in zip(CHIPS_EACH, cycles_ms, strict=True)
    }


def test_the_table_is_there() -> None:
    assert {zones for zones, _ in table()} == {7, 14, 21, 28, 35}


@pytest.mark.parametrize(("zones", "each"), table())
def test_the_table_is_true(zones: int, each: int) -> None:
    assert abs(measured_ns(zones, each) - table()[zones, each] * MS) <= MS


@pytest.mark.parametrize(("zones", "each"), table())
def test_bytes_and_gaps_explain_it(zones: int, each: int) -> None:
    assert abs(computed_ns(zones, each) / measured_ns(zones, each) - 1) < 0.01
