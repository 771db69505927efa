"""Every decoder on a diet of rubbish: a smaller helping of what ``bench/fuzz.py`` serves."""

from __future__ import annotations

import random
from typing import get_args

import pytest

from firmware_protocols.codec import LineEnd
from firmware_protocols.discovery import find
from firmware_protocols.framing import FAULT_BYTES
from firmware_protocols.messages import Command
from tests.firmware_protocols.fuzzing import decoders, fuzz, maltreated

FED = 60_000


def hears_something(kind: str, vendor: str, role: LineEnd) -> bool:
    """Whether the protocol has words for this end; where it has none, all it hears is faults."""
    return any((word in get_args(Command)) == (role is LineEnd.DEVICE) for word in find(kind, vendor).vocabulary)


@pytest.mark.parametrize(("kind", "vendor", "role"), decoders())
def test_no_bytes_raise_and_none_are_held_beyond_the_limit(kind: str, vendor: str, role: LineEnd) -> None:
    outcome = fuzz(kind, vendor, role, FED, random.Random(f"{kind}/{vendor}/{role}"))
    assert outcome.fed >= FED
    assert outcome.raised == ()
    assert outcome.most_held <= outcome.limit
    assert outcome.left_held == 0
    assert outcome.faults > 0
    heard = outcome.faults < outcome.messages
    assert heard == hears_something(kind, vendor, role), (
        f"the vocabulary has {'no word' if heard else 'words'} for the {role.value} end, which understood "
        f"{'most' if heard else 'little'} of what it was sent"
    )
    assert outcome.fault_bytes <= FAULT_BYTES


def test_maltreatment_changes_nearly_everything() -> None:
    chance = random.Random(1)
    frame = bytes.fromhex("11 01 B0 00 01 03 00 E0 04 01 50 20 92 2C 6E D9 EA")
    assert sum(maltreated(frame, chance) != frame for _ in range(1000)) > 950
