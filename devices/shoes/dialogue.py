"""Talking with a shoe that answers: who it is, how it is, and each of its draws exactly once.

The shoe keeps every draw until it is acknowledged and sends them in order, the oldest first, whenever it is ordered to.
A draw is known by the shoe, the series of the memory that numbers it, and its number, which never comes again in that
series. So a draw is taken only when its number follows the last one taken; one taken before is not taken again, and one
too early means that the shoe has to send again. What the shoe says that it keeps, in each answer to the heartbeat,
shows whether anything is still to come, or can never come.

Where the journal does not yet know that draws are now this shoe's, of this series, after this number, that is reported
first; only when it has been stored is the shoe ordered to send. What restarts then, and when, changes nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from devices.shoes.expected_shoe import ExpectedShoe, named
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
    ShowDraws,
)
from firmware_protocols.readings import (
    CardDrawn,
    DeviceComplained,
    DeviceHealth,
    HealthState,
    Reading,
    ShoeDraws,
    ShoeNumbering,
)

_MS: Final = 1_000_000

CHECK_NS: Final = 500 * _MS
"""Between two questions, answered or not: three fit before a silent shoe is lost, and they cost the line nothing."""

LIVENESS_NS: Final = 1_500 * _MS
"""A shoe that has not answered for so long is lost: within two seconds, whatever the moment it fell silent."""

SHOES_KNOWN: Final = 32
"""Memories of shoes whose last draw is remembered: years of exchanged shoes; the one longest away is forgotten."""

_UNSTORED: Final = 256
"""Draws reported and not yet stored that are remembered: twice what a shoe keeps."""

_HELD_CHECKS: Final = 3
_TOKENS: Final = 0xFFFF

_LID: Final = {True: ("lid_open", "the shoe's lid is open"), False: ("lid_closed", "the shoe's lid is closed")}
_BURN_MODE: Final = {
    True: ("burn_mode_on", "cards drawn from now on are burnt"),
    False: ("burn_mode_off", "cards drawn from now on are dealt"),
}


class _Phase(Enum):
    CLOSED = "closed"
    IDENTIFYING = "identifying"
    REFUSED = "refused"
    SYNCING = "syncing"
    ENTERING = "entering"
    READY = "ready"


_ANSWERING: Final = (_Phase.SYNCING, _Phase.ENTERING, _Phase.READY)
"""Phases in which the shoe is known and asked how it is."""


@dataclass(slots=True)
class _Draws:
    """The draws that one memory of one shoe numbers: the last one reported, and the last one stored for good."""

    serial: str
    series: int
    reported: int
    stored: int

    def now(self) -> ShoeDraws:
        return ShoeDraws(self.serial, self.series, self.reported)


class Dialogue:
    """One shoe. What it is to be sent and what was learnt are taken from ``said`` and ``readings``.

    ``known`` is what the journal knows of shoes, the one in use last. ``looking``: nothing is stored of what is
    reported, so that the shoe is neither acknowledged nor made to forget that it was without power.
    """

    def __init__(self, name: str, expected: ExpectedShoe, known: Sequence[ShoeDraws], *, looking: bool = False) -> None:
        self.said: list[Command] = []
        self.readings: list[Reading] = []
        self._name = name
        self._expected = expected
        self._looking = looking
        self._phase = _Phase.CLOSED
        self._state: HealthState | None = None
        self._shoes = {(one.serial, one.series): _Draws(one.serial, one.series, one.last, one.last) for one in known}
        self._entering: ShoeDraws | None = None
        self._entered = bool(known)
        self._draws = next(reversed(self._shoes.values()), None)
        self._unstored: deque[tuple[_Draws, int]] = deque(maxlen=_UNSTORED)
        self._asked_again = self._seen_awake = self._unrelieved = False
        self._asked_ns = self._clear_ns = 0
        self._behind = True
        self._detail = ""
        self._shoe: ShoeIdentified | None = None
        self._token = 0
        self._ask_at_ns = 0
        self._lost_at_ns: int | None = None
        self._locked = self._lid_open = self._burning = False
        self._wanted_lock: bool | None = None if looking else False
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
        """The draw of that number, reported before, is stored for good, and so are those before it."""
        if all(number != sequence for _, number in self._unstored):
            return
        draws, number = self._unstored.popleft()
        while number != sequence:
            draws, number = self._unstored.popleft()
        draws.stored = max(draws.stored, number)
        self._say_stored()

    def entered(self, shoe: ShoeDraws, now_ns: int) -> None:
        """The journal has it for good that draws are now those of ``shoe``, after its ``last``: they may come."""
        if shoe == self._entering:
            self._entered = True
            if self._phase is _Phase.ENTERING:
                self._begin_draws(now_ns)
                self._say_lock()

    def lock(self, *, locked: bool) -> None:
        """Wish the shoe locked or (as long as nobody says) not; said again until it is."""
        self._wanted_lock = locked
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
        self._shoe = shoe
        self._ask(now_ns)

    def checked(self, status: ShoeStatus, now_ns: int) -> None:
        """The shoe said how it is. Only the answer to our own question tells what is still to come."""
        if self._phase not in _ANSWERING or self._shoe is None:
            return
        if status.token == self._token:
            self._lost_at_ns = now_ns + LIVENESS_NS
            if status.series != self._shoe.series:
                self._lose("its memory numbers another series of draws", now_ns)
                return
            if not status.awake and self._seen_awake:
                # Perhaps it is another shoe on the same adapter.
                self._lose("without power for a while", now_ns)
                return
            if not self._reconciled(status, self._shoe, now_ns):
                return
            self._watch_lock(status, now_ns)
            self._look_at(status, now_ns)
            self._say_lock()
        elif not status.token:
            # The answer to the order to lock, among others: one whose lock jams is ordered again with the next
            # question.
            self._look_at(status, now_ns)

    def drawn(self, card: CardRead, sequence: int, now_ns: int) -> None:
        """A draw came. Before the shoe was ordered to send, it will come again; who it is was not yet known."""
        draws = self._draws
        if self._phase is not _Phase.READY or draws is None or card.series != draws.series:
            self._behind = True
            return
        if sequence == draws.reported + 1:
            draws.reported = sequence
            self._unstored.append((draws, sequence))
            self._asked_again = False
            since_ns = self._clear_ns if self._behind else -1
            if not self._behind:
                self._clear_ns = now_ns
            if card.unknown:
                text = f"draw {sequence} came with no card that there is: taken as one that could not be read"
                self._complain("invalid_card", text, now_ns)
            self.readings.append(CardDrawn(now_ns, card.face, burn=card.burn, sequence=sequence, since_ns=since_ns))
        elif sequence > draws.reported and not self._asked_again:
            self._asked_again = self._behind = True
            self._say_send(draws)

    # --- the draws kept -------------------------------------------------------------------------------

    def _lose(self, why: str, now_ns: int) -> None:
        self._set_state(HealthState.LOST, why, now_ns)
        self._begin(now_ns)

    def _reconciled(self, status: ShoeStatus, shoe: ShoeIdentified, now_ns: int) -> bool:
        """Whether what the shoe keeps goes on from what was reported before; what is to be said of it is said."""
        known = self._shoes.get((shoe.serial, shoe.series))
        following = status.oldest + status.waiting
        if known is not None and following <= known.reported:
            wrong = f"its next draw would be number {following}, but {known.reported} was taken before"
            self._phase = _Phase.REFUSED
            self._set_state(HealthState.FAULTY, f"{wrong}: its memory is wrong, take another shoe", now_ns)
            return False
        if self._phase is _Phase.SYNCING:
            self._recognise(shoe, status, now_ns)
        draws = self._draws_now()
        self._find_gap(draws, status, now_ns)
        self._seen_awake = status.awake
        self._asked_again = False
        self._behind = following - 1 != draws.reported
        self._unrelieved = status.oldest <= draws.stored < following
        if not self._behind:
            # Nothing was waiting when the shoe answered: what it tells next left it after the question.
            self._clear_ns = self._asked_ns
        if self._phase is _Phase.SYNCING:
            self._enter(draws, now_ns)
        elif self._phase is _Phase.READY:
            if self._behind or not status.awake:
                self._say_send(draws)
            if self._unrelieved:
                self._say_stored()
        return True

    def _draws_now(self) -> _Draws:
        assert self._draws is not None, "a shoe that answers was recognised"
        return self._draws

    def _recognise(self, shoe: ShoeIdentified, status: ShoeStatus, now_ns: int) -> None:
        """Whose draws come next, and what has to be said of the shoe's return."""
        before, draws = self._draws, self._shoes.pop((shoe.serial, shoe.series), None)
        if draws is None or draws is not before:
            self._entered = False
        if before is not None and before.serial != shoe.serial:
            self._clear_ns = 0
            code = "shoe_changed" if shoe.serial in self._expected.serials else "shoe_exchanged"
            self._complain(code, f"this is another shoe: {self._detail}", now_ns)
        elif draws is not None and draws is before and not status.awake and not self._looking:
            text = "the shoe was without power: a card that left it then was not read"
            self._complain("shoe_restarted", text, now_ns)
        self._draws = draws or self._new_draws(shoe, status, now_ns)
        self._shoes[shoe.serial, shoe.series] = self._draws
        while len(self._shoes) > SHOES_KNOWN:
            del self._shoes[next(iter(self._shoes))]

    def _new_draws(self, shoe: ShoeIdentified, status: ShoeStatus, now_ns: int) -> _Draws:
        if any(one.serial == shoe.serial for one in self._shoes.values()):
            text = f"the memory of shoe {shoe.serial} was begun anew: draws that it kept are missing"
            self._complain("draws_missing", text, now_ns)
        elif status.waiting and not self._looking:
            text = f"shoe {shoe.serial} keeps {status.waiting} draws that this journal never heard of: they are taken"
            self._complain("draws_kept", text, now_ns)
        return _Draws(shoe.serial, shoe.series, status.oldest - 1, status.oldest - 1)

    def _find_gap(self, draws: _Draws, status: ShoeStatus, now_ns: int) -> None:
        missing = status.oldest - draws.reported - 1
        if missing <= 0:
            return
        text = f"after draw {draws.reported} the shoe goes on with {status.oldest}: {missing} draws are missing"
        self._complain("draws_missing", text, now_ns)
        draws.reported = draws.stored = status.oldest - 1
        self._entered = False
        self._phase = _Phase.SYNCING

    def _enter(self, draws: _Draws, now_ns: int) -> None:
        """Have the journal know whose the next draws are, before any of them is asked for."""
        self._phase = _Phase.ENTERING
        if self._entered or self._looking:
            self._begin_draws(now_ns)
            return
        self._entering = draws.now()
        self.readings.append(ShoeNumbering(self._entering, now_ns))

    def _begin_draws(self, now_ns: int) -> None:
        self._phase = _Phase.READY
        self._set_state(HealthState.READY, self._detail, now_ns)
        self._say_send(self._draws_now())
        if self._unrelieved:
            self._say_stored()

    def _say_send(self, draws: _Draws) -> None:
        self.said.append(ShowDraws(draws.series) if self._looking else SendDraws(draws.series))

    def _say_stored(self) -> None:
        draws = self._draws
        if self._phase is not _Phase.READY or draws is None or draws.stored < 0:
            return
        if self.said and isinstance(self.said[-1], AcknowledgeDraw):
            self.said.pop()
        self.said.append(AcknowledgeDraw(draws.series, draws.stored))

    # --- lock, lid and mode ---------------------------------------------------------------------------

    def _look_at(self, status: ShoeStatus, now_ns: int) -> None:
        if status.lid_open is not self._lid_open:
            self._complain(*_LID[status.lid_open], now_ns)
        if status.burning is not self._burning:
            self._complain(*_BURN_MODE[status.burning], now_ns)
        self._locked, self._lid_open, self._burning = status.locked, status.lid_open, status.burning

    def _watch_lock(self, status: ShoeStatus, now_ns: int) -> None:
        # Once may be a command on its way, or a shoe that was full and is being relieved.
        self._held_checks = self._held_checks + 1 if status.locked and self._wanted_lock is not True else 0
        if self._held_checks == _HELD_CHECKS:
            self._complain("shoe_locked", "the shoe is locked though nobody here asked for it", now_ns)

    def _say_lock(self) -> None:
        wanted = self._wanted_lock
        if self._phase is _Phase.READY and wanted is not None and wanted is not self._locked:
            self.said.append(LockShoe(wanted))

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
        knows_it = self._phase in _ANSWERING
        self.said.append(CheckShoe(self._token) if knows_it else IdentifyShoe(self._token))

    def _complain(self, code: str, text: str, now_ns: int) -> None:
        self.readings.append(DeviceComplained(device=self._name, code=code, text=text, at_ns=now_ns))

    def _set_state(self, state: HealthState, detail: str, now_ns: int) -> None:
        if state is not self._state:
            self._state = state
            self.readings.append(DeviceHealth(device=self._name, state=state, at_ns=now_ns, detail=detail))
