"""Bytes that could not be read: a shoe's may be the hole card, and are not published."""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import LineErrors
from firmware_protocols.readings import LineDisturbed
from tests.core.rig import rig_with


@pytest.mark.parametrize("reason", ["card code '8H' without a mode", "line noise"])
def test_damaged_bytes_of_a_shoe_are_published_not_at_all(reason: str) -> None:
    rig = rig_with("1 main 10 \n Th 9c 7d")
    rig.give(LineDisturbed("shoe", reason, b"[Game]<Card:8H", rig.now_ns))
    (troubled,) = rig.events_of(LineErrors)
    assert troubled == LineErrors("shoe", "bytes that are no message", "")


def test_damaged_bytes_of_other_devices_are_reported_for_the_technician() -> None:
    rig = rig_with("1 main 10")
    rig.give(LineDisturbed("keypad", "no key", b"\xff", rig.now_ns))
    assert rig.events_of(LineErrors) == [LineErrors("keypad", "no key", "ff")]
