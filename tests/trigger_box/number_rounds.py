"""Two trigger boxes that drew different numbers, and somebody on their line: nothing parts the one from the other.

Until a contribution reaches the lower of the two triggers, all that either box says, and all that a table before it
publishes, must be the same but for the commitment, which is a hash under a key that nobody has.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final, NamedTuple

import msgspec

from controller.core.messages.meter_events import MysteryRevealed
from controller.reports.audit.mystery_proof import Bounds as ProofBounds
from controller.reports.audit.mystery_proof import trigger_cents
from controller.trigger_box.entries import BoxEntry, CycleDrawn
from controller.trigger_box.sealing import SealContext, Sealer
from firmware_protocols.trigger_messages import (
    ROOT_BYTES,
    SHARE_BYTES,
    SIGNATURE_BYTES,
    UNITS_PER_CENT,
    CheckTrigger,
    Contribute,
    CycleCommitted,
    GreetTrigger,
    KeepHead,
    OpenCycle,
    RecallCycle,
    RecallHead,
    TriggerCommand,
    TriggerReport,
)
from simulators.devices.mystery_trigger import Bounds
from tests.core.pictures import Pictures
from tests.trigger_box.nights import Night
from tests.trigger_box.rig import OPERATIONS, SURVEILLANCE, BoxDevice

BOUNDS: Final = Bounds(reset_cents=500, ceiling_cents=20_000, most_units=2_000_000)
MOST_CENTS: Final = 200
"""Of one contribution."""


class Asked(NamedTuple):
    """So many commands of somebody's on the line, to boxes of two seeds."""

    seed: int
    boxes: tuple[int, int]
    commands: int = 60


def trigger_of(box: BoxDevice, share: bytes) -> int:
    """The trigger of the running cycle, in cents, as only who has the box's keys can know it."""
    state = box.memory.state()
    drawn = state.drawn
    assert drawn is not None
    secret = Sealer(OPERATIONS, SURVEILLANCE).open(
        SealContext(state.identity(), drawn.cycle, drawn.commitment), drawn.sealed
    )
    bounds = ProofBounds(drawn.reset_cents, drawn.ceiling_cents)
    return trigger_cents(secret.drawn_cents, share, state.identity(), drawn.cycle, bounds)


def command(rng: Random, number: int, spare_units: int) -> TriggerCommand:
    """Whatever may be said on the line; ``number``: the last contribution counted, ``spare_units``: what may be."""
    amount = rng.randrange(1, max(2, min(spare_units, MOST_CENTS * UNITS_PER_CENT)))
    match rng.randrange(8):
        case 0:
            greeted = (rng.choice(("harbour", "other")), rng.choice(("bj-1", "bj-2")), rng.choice((0, 1, 2)))
            return GreetTrigger(
                rng.randrange(1, 99), *greeted, rng.choice((0, 1, 2)), rng.choice((0, number, number + 1))
            )
        case 1:
            return CheckTrigger(rng.randrange(1, 99))
        case 2:
            return OpenCycle(rng.choice((0, 1, 2)), rng.randbytes(SHARE_BYTES))
        case 3:
            return RecallCycle(rng.choice((0, 1, 2, 9)))
        case 4:
            head = rng.randbytes(ROOT_BYTES), rng.randbytes(SIGNATURE_BYTES)
            return rng.choice((KeepHead(1, rng.randrange(1, 9), *head), RecallHead()))
        case 5:
            # What was counted, again, as it was or otherwise; or what no contribution can be.
            return Contribute(max(1, rng.choice((number, number - 1))), rng.choice((amount, 2**40)))
        case _:
            return Contribute(number + 1, amount)


def assert_number_closed(asked: Asked, beyond_units: int = 0) -> int:
    """Say the same to both boxes; how many contributions they counted. ``beyond_units``: so far past a trigger."""
    rng = Random(asked.seed)
    boxes = [BoxDevice(BOUNDS, seed=seed) for seed in asked.boxes]
    share = rng.randbytes(SHARE_BYTES)
    for setup in (GreetTrigger(1, "harbour", "bj-1", 1, 0, 0), OpenCycle(1, share)):
        assert_same(asked, boxes, setup)
    lowest = min(trigger_of(box, share) for box in boxes) * UNITS_PER_CENT + beyond_units
    assert trigger_of(boxes[0], share) != trigger_of(boxes[1], share)
    for _ in range(asked.commands):
        state = boxes[0].memory.state()
        spare = lowest - state.meter_units
        if spare <= 1:
            break
        if rng.randrange(6) == 0:
            for box in boxes:
                box.power_cycle()
            assert_same(asked, boxes, GreetTrigger(2, "harbour", "bj-1", 1, 1, state.number))
        assert_same(asked, boxes, command(rng, state.number, spare))
    return boxes[0].memory.state().number


def assert_same(asked: Asked, boxes: list[BoxDevice], sent: TriggerCommand) -> None:
    """Both boxes answer alike, store as much, and store the same where nothing is sealed."""
    kept = [len(box.memory.entries) for box in boxes]
    answers = [[masked(report) for report in box.hear(sent)] for box in boxes]
    assert answers[0] == answers[1], (asked, sent, answers)
    stored = [[open_part(entry) for entry in box.memory.entries[was:]] for box, was in zip(boxes, kept, strict=True)]
    assert stored[0] == stored[1], (asked, sent, stored)


def masked(report: TriggerReport) -> TriggerReport:
    """What is said, without the commitment."""
    if isinstance(report, CycleCommitted):
        return msgspec.structs.replace(report, commitment=bytes(len(report.commitment)))
    return report


def open_part(entry: BoxEntry) -> BoxEntry:
    """What is stored, with blanks as long as what is sealed and as the commitment."""
    if isinstance(entry, CycleDrawn):
        blanks: dict[str, Any] = {name: bytes(len(getattr(entry, name))) for name in ("commitment", "sealed", "pool")}
        return msgspec.structs.replace(entry, **blanks)
    return entry


def assert_table_reveals_no_number(seeds: tuple[int, int], rounds: int, *, until_hit: bool = True) -> int:
    """The same rounds at two tables whose boxes drew other numbers; how many contributions were answered alike."""
    nights = [Shown(seed) for seed in seeds]
    alike = 0
    for _ in range(rounds):
        for night in nights:
            night.plays(boxes=2)
            night.serve()
        if until_hit and any(night.hits() for night in nights):
            break
        first, second = (night.outside() for night in nights)
        assert first == second, seeds
        alike = nights[0].rig.table.state.progressives.answered
    return alike


class Shown(Night):
    """A night of which every event and every picture is kept."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.up()

    def hits(self) -> int:
        """Cycles that were revealed."""
        return len(self.rig.events_of(MysteryRevealed))

    def outside(self) -> list[bytes]:
        """What is published, and the pictures of it, without the commitments."""
        events = list(self.rig.events)
        shown = Pictures().after(self.rig.house, self.rig.table.state, events, self.rig.now_ns)
        hidden = [drawn.commitment.hex().encode() for drawn in map(self.box.memory.drawn, (1, 2)) if drawn is not None]
        bodies = [*self.published(), *shown]
        for commitment in hidden:
            bodies = [body.replace(commitment, b"0" * len(commitment)) for body in bodies]
        return bodies


def random_case(rng: Random) -> Asked:
    """A case."""
    first = rng.randrange(1 << 20)
    return Asked(rng.randrange(1 << 30), (first, first + 1 + rng.randrange(1000)), rng.choice((20, 60, 120)))
