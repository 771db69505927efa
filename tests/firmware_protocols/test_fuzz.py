"""Every decoder on a diet of rubbish: a smaller helping of what ``bench/fuzz.py`` serves."""

from __future__ import annotations

import random

import pytest

from firmware_protocols.codec import Role
from firmware_protocols.framing import FAULT_BYTES
from tests.firmware_protocols.fuzzing import decoders, fuzz, maltreated

FED = 60_000

TOLD_NOTHING = (("bee_tek", Role.DEVICE), ("truerng", Role.DEVICE))
"""Ends for which there are no words: all they hear is faults."""


@pytest.mark.parametrize(("kind", "vendor", "role"), decoders())
def test_no_bytes_raise_and_none_are_held_beyond_the_limit(kind: str, vendor: str, role: Role) -> None:
    outcome = fuzz(kind, vendor, role, FED, random.Random(f"{kind}/{vendor}/{role}"))
    assert outcome.fed >= FED
    assert outcome.raised == ()
    assert outcome.most_held <= outcome.limit
    assert outcome.left_held == 0
    assert 0 < outcome.faults < outcome.messages or (vendor, role) in TOLD_NOTHING
    assert outcome.fault_bytes <= FAULT_BYTES


def test_maltreatment_changes_nearly_everything() -> None:
    chance = random.Random(1)
    frame = bytes.fromhex("11 01 B0 00 01 03 00 E0 04 01 50 20 92 2C 6E D9 EA")
    assert sum(maltreated(frame, chance) != frame for _ in range(1000)) > 950
