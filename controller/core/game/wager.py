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
    """The amount wagered."""

    def sort_key(self) -> tuple[int, bool, str]:
        """Its place among a round's wagers: by spot, the main wager first, side wagers by their name."""
        return self.spot, self.bet != "main", self.bet


class BookRow(Value, frozen=True, tag=False):
    """A wager and how it stands: open while ``net_cents`` is None, then settled on ``basis``.

    Only the floor's own ruling on this wager is ``Basis.FLOOR``: whatever else settled it gives way when the round is
    corrected.
    """

    spot: int
    bet: str
    wager_cents: int
    net_cents: int | None = None
    """The player's net."""
    basis: Basis | None = None
    doubted: bool = False
    """Whether something has contradicted the settlement since."""
    jackpot_cents: int = 0
    """What of the net the awards of meters are."""

    def ruled(self) -> bool:
        """Whether people ruled on this very wager."""
        return self.basis is Basis.FLOOR


class RoundBook(Value, frozen=True, tag=False):
    """A round's wagers."""

    round: int
    rows: tuple[BookRow, ...]
    void: bool = False
    recalled: bool = False
    """Whether it was brought back from the journal, long after its round."""
    denied: tuple[LockedWager, ...] = ()
    """What lay there and, as a person said, was none of its wagers: the floor may rule otherwise."""
    no_ace: bool = False
    """Whether it was played to its end with an up card that is no ace: nobody can have been insured."""

    def row(self, spot: int, bet: str) -> BookRow | None:
        """The row of a wager."""
        return next((row for row in self.rows if (row.spot, row.bet) == (spot, bet)), None)

    def rulable(self) -> tuple[BookRow, ...]:
        """The wagers the floor may rule on: once the lock is published also those that a person denied, as open."""
        if not self.rows:
            return ()
        denied = (one for one in self.denied if self.row(one.spot, one.bet) is None)
        return (*self.rows, *(BookRow(one.spot, one.bet, one.cents) for one in denied))

    def rulable_row(self, spot: int, bet: str) -> BookRow | None:
        """The row of a wager that the floor may rule on."""
        return next((row for row in self.rulable() if (row.spot, row.bet) == (spot, bet)), None)

    def unruled(self) -> tuple[BookRow, ...]:
        """What was settled on evidence, answers or payments and is in no doubt yet."""
        return tuple(row for row in self.rows if row.net_cents is not None and not row.ruled() and not row.doubted)
