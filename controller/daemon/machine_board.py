"""Publishes the state of the table PC every five seconds for a technician: lines, disk, second copy, verification."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import msgspec

from controller.daemon.wiring import Devices
from controller.formats.mqtt.envelope import utc_text
from controller.formats.mqtt.retained_machine import DiskNow, LineNow, MachineNow, SecondCopyNow, VerificationNow
from controller.io.copies.second_copy import SecondCopy
from controller.io.journal.scrub import WHOLE, ScrubResult
from controller.io.system.clock import Clock

EVERY_SECONDS: Final = 5.0


class MachineBoard:
    """Collects the disk and the verification from the journal's watches, and asks the lines and the second copy."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._disk: DiskNow | None = None
        self._verification = VerificationNow("due", 0, 0, None)

    # --- by what looks after the journal --------------------------------------------------------------

    def disk(self, free_bytes: int, size_bytes: int) -> None:
        """Take the free space and the size of the journal's disk."""
        self._disk = DiskNow(free_bytes, size_bytes)

    def reading(self, read: int, records: int) -> None:
        """Take how many of the journal's records a verification has read; 0 of 0 when it begins."""
        self._verification = VerificationNow("running", read, records, self._verification.whole_at)

    def ended(self, found: ScrubResult) -> None:
        """Take the result of a verification. Damage ends the table, which reports it in other ways."""
        if found == WHOLE:
            self._verification = VerificationNow("whole", 0, 0, utc_text(self._clock.wall_ns()))
        else:
            self._verification = VerificationNow("failed", 0, 0, self._verification.whole_at)

    # --- for the technician ---------------------------------------------------------------------------

    def now(self, devices: Devices, second: SecondCopy | None) -> MachineNow:
        """The picture as it is."""
        wiring = {name: (protocol, port) for name, _, protocol, port, _ in devices.lines}
        now_ns = self._clock.monotonic_ns()
        lines = tuple(
            LineNow(line.name, *wiring[line.name], line.is_open, line.quiet_seconds(now_ns), line.failures)
            for line in devices.supervisors
        )
        copy = None if second is None else SecondCopyNow(str(second.folder), *second.reached(), second.trouble)
        return MachineNow(utc_text(self._clock.wall_ns()), lines, self._disk, copy, self._verification)

    async def run(self, devices: Devices, second: SecondCopy | None, tell: Callable[[bytes], None]) -> None:
        """Publish it every five seconds, until cancelled."""
        while True:
            tell(msgspec.json.encode(self.now(devices, second)))
            await asyncio.sleep(EVERY_SECONDS)
