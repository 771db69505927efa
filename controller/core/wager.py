"""A wager as it lay at the lock, and on what its settlement rests."""

from __future__ import annotations

from enum import StrEnum

from firmware_protocols.values import Value


class Basis(StrEnum):
    """On what a settlement rests."""

    EVIDENCE = "evidence"
    ANSWER = "answer"
    PAID = "paid"
    FLOOR = "floor"


class LockedWager(Value, frozen=True, tag=False):
    """A wager as it lay at the lock."""

    spot: int
    bet: str
    cents: int
