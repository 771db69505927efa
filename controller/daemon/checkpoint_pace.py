"""When a checkpoint goes with the journal: after a round, but a large one no oftener than its size is worth.

Every checkpoint stays in the journal. What a table remembers of slips grows with every slip, by about 160 bytes: after
months of them it would weigh more, round by round, than all that was read in the round.
"""

from __future__ import annotations

from typing import Final

CHECKPOINT_READINGS: Final = 500
"""Readings after which a checkpoint is due even in the middle of a round."""

SMALL_STATE_BYTES: Final = 256 * 1024
"""A state up to this size is kept after each round; one of a table that has counted a thousand slips takes less."""

RECORD_BYTES: Final = 1024
"""About what a reading takes in the journal."""


class CheckpointPace:
    """Lets a checkpoint be due once the readings since the last weigh as much as what is beyond a small state of it.

    A restart steps what was read since: at a state of two megabytes some 1,700 readings, a fifth of a second's work.
    ``taken_at``: the reading of the last one.
    """

    def __init__(self, taken_at: int) -> None:
        self.taken_at = taken_at
        self._rest_readings = 0

    def is_due(self, number: int, *, round_over: bool) -> bool:
        """Whether one goes with this reading; ``round_over``: a round ended with it."""
        since = number - self.taken_at
        return since >= self._rest_readings and (round_over or since >= CHECKPOINT_READINGS)

    def take(self, number: int, state_bytes: int) -> None:
        """One went with this reading, of a state that took so many bytes."""
        self.taken_at = number
        self._rest_readings = max(0, state_bytes - SMALL_STATE_BYTES) // RECORD_BYTES
