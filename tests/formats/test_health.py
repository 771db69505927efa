from __future__ import annotations

from controller.reports.device_health import DETAIL_LIMIT, health_line
from firmware_protocols.readings import DeviceHealth, HealthState

READY, LOST, FAULTY = HealthState.READY, HealthState.LOST, HealthState.FAULTY


def line_of(*devices: tuple[str, HealthState, str]) -> str:
    return health_line({name: DeviceHealth(name, state, 0, detail) for name, state, detail in devices})


def test_all_is_well() -> None:
    assert line_of(("shoe", READY, ""), ("keypad", READY, "")) == "2 devices ready"


def test_what_is_not_well_is_named_with_its_reason_and_the_same_trouble_once() -> None:
    line = line_of(
        ("shoe", FAULTY, "wrong device"),
        ("keypad", READY, ""),
        ("bet_spots/2", LOST, "no answer"),
        ("bet_spots/1", LOST, "no answer"),
    )
    assert line == "degraded: bet_spots/1, bet_spots/2 lost (no answer); shoe faulty (wrong device)"


def test_a_long_reason_is_cut() -> None:
    assert line_of(("shoe", LOST, "x" * 1000)) == f"degraded: shoe lost ({'x' * DETAIL_LIMIT})"
    assert line_of(("shoe", LOST, "")) == "degraded: shoe lost"
