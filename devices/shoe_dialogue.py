"""Talking with a shoe that answers: who it is, how it is, and each of its draws exactly once.

The shoe keeps every draw until it is acknowledged and sends them in order, the oldest first, whenever it is told to. So
a draw is taken only when its number follows the last one taken; one taken before is not taken again, and one too early
means that the shoe has to send again. What the shoe says that it keeps, in each answer to the heartbeat, shows whether
anything is still to come, or can never come.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum
from typing import Final

from firmware_protocols.messages import (
    AcknowledgeDraw,
    CardRead,
    CheckShoe,
    Command,
    IdentifyShoe,
    LockShoe,
    SendDraws,
    ShoeIdentified,
    ShoeStatus,
)
from firmware_protocols.readings import CardDrawn, DeviceComplained, DeviceHealth, HealthState, Reading

_MS: Final = 1_000_000

CHECK_NS: Final = 500 * _MS
"""Between two questions, answered or not: three fit before a silent shoe is lost, and they cost the line nothing."""

LIVENESS_NS: Final = 1_500 * _MS
"""A shoe that has not answered for so long is lost: within two seconds, whatever the moment it fell silent."""

NUMBERS: Final = 256
"""Draw numbers before they begin again: one byte."""

_BEHIND: Final = NUMBERS // 2
_HELD_CHECKS: Final = 3
_TOKENS: Final = 0xFFFF

_LID: Final = {True: ("lid_open", "the shoe's lid is open"), False: ("lid_closed", "the shoe's lid is closed")}
_BURN_MODE: Final = {
    True: ("burn_mode_on", "cards drawn from now on are burnt"),
    False: ("burn_mode_off", "cards drawn from now on are dealt"),
}


@dataclass(frozen=True, slots=True)
class ExpectedShoe:
    """Which shoe belongs to the table; None accepts any."""

    vendor: str | None = None
    model: str | None = None
    serial: str | None = None

    def complaint(self, found: ShoeIdentified) -> str:
        """What is wrong with the shoe found; empty if it is the one."""
        wanted = (("vendor", self.vendor), ("model", self.model), ("serial", self.serial))
        wrong = [f"{what} {text}" for what, text in wanted if text is not None and text != getattr(found, what)]
        return f"expected {', '.join(wrong)}; this is {named(found)}" if wrong else ""


ANY_SHOE: Final = ExpectedShoe()


def named(shoe: ShoeIdentified) -> str:
    """A shoe in words."""
    return f"{shoe.vendor} {shoe.model} {shoe.serial}, firmware {shoe.firmware}"


class _Phase(Enum):
    CLOSED = "closed"
    IDENTIFYING = "identifying"
    REFUSED = "refused"
    SYNCING = "syncing"
    READY = "ready"


class Dialogue:
    """One shoe. What it is to be told and what was learnt are taken from ``said`` and ``told``.

    ``last_sequence`` is the number of the last draw stored for good, None if there never was one.
    """

    def __init__(self, name: str, expected: ExpectedShoe, last_sequence: int | None) -> None:
        self.said: list[Command] = []
        self.told: list[Reading] = []
        self._name = name
        self._expected = expected
        self._phase = _Phase.CLOSED
        self._state: HealthState | None = None
        self._last = self._stored = last_sequence
        self._numbering = 0
        self._taken: deque[tuple[int, int]] = deque(maxlen=NUMBERS)
        self._asked_again = self._seen_awake = False
        self._asked_ns = self._clear_ns = 0
        self._behind = True
        self._detail = ""
        self._shoe: tuple[str, str, str] | None = None
        self._token = 0
        self._ask_at_ns = 0
        self._lost_at_ns: int | None = None
        self._locked = self._lid_open = self._burning = False
        self._lock_wish: bool | None = None
        self._held_checks = 0

    # --- driven by the session ------------------------------------------------------------------------

    def opened(self, now_ns: int) -> None:
        """The line is open (again): the shoe has to say who it is."""
        self.said.clear()
        self._lost_at_ns = now_ns + LIVENESS_NS
        self._behind = True
        self._begin(now_ns)

    def closed(self, now_ns: int) -> None:
        """The line is gone."""
        self.said.clear()
        self._phase = _Phase.CLOSED
        self._lost_at_ns = None
        self._set_state(HealthState.LOST, "line gone", now_ns)

    def due_ns(self) -> int | None:
        """When something has to be asked or the shoe is lost; None while the line is closed."""
        if self._phase is _Phase.CLOSED:
            return None
        return self._ask_at_ns if self._lost_at_ns is None else min(self._ask_at_ns, self._lost_at_ns)

    def expire(self, now_ns: int) -> None:
        """Miss the shoe if it has been silent for long, and ask if it is time."""
        if self._phase is _Phase.CLOSED:
            return
        if self._lost_at_ns is not None and now_ns >= self._lost_at_ns:
            self._lost_at_ns = None
            self._phase = _Phase.IDENTIFYING
            self._seen_awake = False
            self._set_state(HealthState.LOST, "no answer", now_ns)
        if now_ns >= self._ask_at_ns:
            self._ask(now_ns)

    def acknowledge(self, sequence: int) -> None:
        """The draw of that number, told before, is stored for good, and so are those before it."""
        if all(number != sequence for _, number in self._taken):
            return
        numbering, number = self._taken.popleft()
        while number != sequence:
            numbering, number = self._taken.popleft()
        if numbering == self._numbering:
            self._stored = sequence
            self._say_stored()

    def lock(self, *, locked: bool) -> None:
        """Wish the shoe locked or not; said again until it is."""
        self._lock_wish = locked
        self._say_lock()

    # --- hearing --------------------------------------------------------------------------------------

    def identified(self, shoe: ShoeIdentified, now_ns: int) -> None:
        """The shoe said who it is."""
        if shoe.token != self._token or self._phase not in (_Phase.IDENTIFYING, _Phase.REFUSED):
            return
        self._lost_at_ns = now_ns + LIVENESS_NS
        complaint = self._expected.complaint(shoe)
        if complaint:
            self._phase = _Phase.REFUSED
            self._set_state(HealthState.FAULTY, complaint, now_ns)
            return
        self._phase = _Phase.SYNCING
        self._detail = named(shoe)
        self._recognise((shoe.vendor, shoe.model, shoe.serial), now_ns)
        self._ask(now_ns)

    def _recognise(self, shoe: tuple[str, str, str], now_ns: int) -> None:
        if self._shoe not in (None, shoe):
            self._complain("shoe_exchanged", f"this is another shoe: {self._detail}", now_ns)
            self._begin_numbers(None)
        self._shoe = shoe

    def checked(self, status: ShoeStatus, now_ns: int) -> None:
        """The shoe said how it is. Only the answer to our own question tells what is still to come."""
        if self._phase not in (_Phase.SYNCING, _Phase.READY):
            return
        if status.token == self._token:
            self._lost_at_ns = now_ns + LIVENESS_NS
            if not self._reconciled(status, now_ns):
                return
            self._watch_lock(status, now_ns)
            self._look_at(status, now_ns)
            self._say_lock()
        elif not status.token:
            # The answer to being told to lock, among others: one whose lock jams is told again with the next question.
            self._look_at(status, now_ns)

    def drawn(self, card: CardRead, sequence: int, now_ns: int) -> None:
        """A draw came. Before the shoe was told to send, it will come again; who it is was not yet known."""
        if self._phase is not _Phase.READY or self._last is None:
            return
        ahead = (sequence - self._last) % NUMBERS
        if ahead == 1:
            self._last = sequence
            self._taken.append((self._numbering, sequence))
            self._asked_again = False
            since_ns = self._clear_ns if self._behind else -1
            if not self._behind:
                self._clear_ns = now_ns
            self.told.append(CardDrawn(now_ns, card.face, burn=card.burn, sequence=sequence, since_ns=since_ns))
        elif 1 < ahead < _BEHIND and not self._asked_again:
            self._asked_again = self._behind = True
            self.said.append(SendDraws())

    # --- the draws kept -------------------------------------------------------------------------------

    def _reconciled(self, status: ShoeStatus, now_ns: int) -> bool:
        if not status.awake and self._seen_awake:
            # Perhaps it is another shoe on the same adapter.
            self._set_state(HealthState.LOST, "without power for a while", now_ns)
            self._begin(now_ns)
            return False
        if not status.awake and self._phase is _Phase.SYNCING and self._last is not None:
            text = "the shoe was without power: a card that left it then was not read"
            self._complain("shoe_restarted", text, now_ns)
        self._seen_awake = status.awake
        self._find_gap(status, now_ns)
        newest = (status.oldest + status.waiting - 1) % NUMBERS
        self._asked_again = False
        self._behind = newest != self._last
        if not self._behind:
            # Nothing was waiting when the shoe answered: what it tells next left it after the question.
            self._clear_ns = self._asked_ns
        if self._phase is _Phase.SYNCING or newest != self._last or not status.awake:
            self.said.append(SendDraws())
        self._phase = _Phase.READY
        self._set_state(HealthState.READY, self._detail, now_ns)
        if self._stored is not None and (self._stored - status.oldest) % NUMBERS < status.waiting:
            self._say_stored()
        return True

    def _find_gap(self, status: ShoeStatus, now_ns: int) -> None:
        before = (status.oldest - 1) % NUMBERS
        if self._last is None:
            self._last = before
            return
        if (self._last + 1 - status.oldest) % NUMBERS <= status.waiting:
            return
        missing = (before - self._last) % NUMBERS
        text = (
            f"after draw {self._last} the shoe goes on with {status.oldest}: "
            f"{missing} draws are missing, or it began to number anew"
        )
        self._complain("draws_missing", text, now_ns)
        self._begin_numbers(before)

    def _begin_numbers(self, last: int | None) -> None:
        # Numbers from before mean other draws now, also those that are still to be stored.
        self._last = last
        self._stored = None
        self._numbering += 1

    def _say_stored(self) -> None:
        if self._phase is not _Phase.READY or self._stored is None:
            return
        if self.said and isinstance(self.said[-1], AcknowledgeDraw):
            self.said.pop()
        self.said.append(AcknowledgeDraw(self._stored))

    # --- lock, lid and mode ---------------------------------------------------------------------------

    def _look_at(self, status: ShoeStatus, now_ns: int) -> None:
        if status.lid_open is not self._lid_open:
            self._complain(*_LID[status.lid_open], now_ns)
        if status.burning is not self._burning:
            self._complain(*_BURN_MODE[status.burning], now_ns)
        self._locked, self._lid_open, self._burning = status.locked, status.lid_open, status.burning

    def _watch_lock(self, status: ShoeStatus, now_ns: int) -> None:
        # Once may be a command on its way, or a shoe that was full and is being relieved.
        self._held_checks = self._held_checks + 1 if status.locked and self._lock_wish is not True else 0
        if self._held_checks == _HELD_CHECKS:
            self._complain("shoe_locked", "the shoe is locked though nobody here asked for it", now_ns)

    def _say_lock(self) -> None:
        wish = self._lock_wish
        if self._phase is _Phase.READY and wish is not None and wish is not self._locked:
            self.said.append(LockShoe(wish))

    # --- asking ---------------------------------------------------------------------------------------

    def _begin(self, now_ns: int) -> None:
        self._phase = _Phase.IDENTIFYING
        self._seen_awake = False
        self._ask(now_ns)

    def _ask(self, now_ns: int) -> None:
        # An answer from before, still in somebody's buffer, must not pass for one to this question.
        self._token = now_ns // _MS % _TOKENS + 1
        self._ask_at_ns = now_ns + CHECK_NS
        self._asked_ns = now_ns
        knows_it = self._phase in (_Phase.SYNCING, _Phase.READY)
        self.said.append(CheckShoe(self._token) if knows_it else IdentifyShoe(self._token))

    def _complain(self, code: str, text: str, now_ns: int) -> None:
        self.told.append(DeviceComplained(device=self._name, code=code, text=text, at_ns=now_ns))

    def _set_state(self, state: HealthState, detail: str, now_ns: int) -> None:
        if state is not self._state:
            self._state = state
            self.told.append(DeviceHealth(device=self._name, state=state, at_ns=now_ns, detail=detail))
