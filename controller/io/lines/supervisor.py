"""One supervisor for each device: opens its line, lets its session identify it, keeps it, and begins again.

Whatever goes wrong (the line, the device, our own session) ends in the same place: the line is closed, the session
reported, and after a pause everything begins anew. The table runs on without the device; its health says so.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Final

import msgspec
import structlog

from controller.formats.text.error_words import error_words
from controller.io.lines.ports import Opener
from controller.io.lines.serial import LineLost
from controller.io.lines.talk_limit import Talk
from controller.io.system.backoff import Backoff
from controller.io.system.clock import Clock
from devices.session import Session
from firmware_protocols.readings import DeviceComplained, DeviceHealth, HealthState, LineDisturbed, Reading

NANOSECONDS: Final = 1_000_000_000

OPEN_SECONDS: Final = 12.0
"""How long an opening may take; a device server may take 5 s to be reached and 6 s to agree on the line's settings."""

LIVENESS_NS: Final = 2 * NANOSECONDS
"""A line on which something is asked again and again and not a byte comes back for so long is lost, and opened anew.

Whatever the operating system says, and however many devices on the line their session has still to wait for.
"""

STALL_NS: Final = NANOSECONDS // 10
"""A deadline kept this much too late says that the process did not run: no device was asked or heard meanwhile."""

FOREIGN_LIMIT: Final = 64
"""Unreadable messages in a row, before the first that was understood, that make a device the wrong one."""

ATTENTION_FAILURES: Final = 10
"""Openings in a row that led to nothing, a minute or more, after which somebody has to come."""

REASON_LIMIT: Final = 200
"""Characters of a reason that are kept."""

log = structlog.get_logger(__name__)


class LineSupervisor:
    """Keeps one device session on its line: open, identify, ready; driven by bytes and deadlines.

    ``liveness_ns`` is given for a device that is asked all the time: longest silence before the line is opened anew,
    whatever the operating system says of it. ``talk`` is how much the line may say. ``deliver`` takes the readings;
    what it raises ends ``run``.
    """

    def __init__(
        self,
        name: str,
        open_line: Opener,
        session: Session,
        *,
        clock: Clock,
        chance: random.Random,
        deliver: Callable[[Reading], None],
        liveness_ns: int | None = None,
        talk: Talk | None = None,
    ) -> None:
        self.name = name
        self.failures = 0
        """Openings in a row after which the device was not heard to make sense."""
        self._open_line = open_line
        self._session = session
        self._clock = clock
        self._backoff = Backoff(chance)
        self._deliver = deliver
        self._liveness_ns = liveness_ns
        self._talk_limit = Talk(chance) if talk is None else talk
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._lost: asyncio.Future[Exception | None] | None = None
        self._fatal: Exception | None = None
        self._health: dict[str, DeviceHealth] = {}
        self._last_byte_ns = 0
        """When the last byte came; the time for which we did not run ourselves is left out of the silence since."""
        self._due_ns = 0
        self._has_received = False
        self._proven = False
        self._not_understood = 0
        self._refusal = ""
        self._down_reason = ""
        self._ahead: tuple[LineSupervisor, ...] = ()

    def let_go_ahead(self, *lines: LineSupervisor) -> None:
        """Have what is overdue at other lines count before what comes on this one, however late the process runs.

        A key that may be held is known to be pressed only some time after it is let go: the cards after it come later.
        """
        self._ahead = lines

    @property
    def is_open(self) -> bool:
        """Whether the line is."""
        return self._transport is not None

    def quiet_seconds(self, now_ns: int) -> int | None:
        """Whole seconds since the last byte; None: not a byte since the line was opened, or it is not open."""
        return (now_ns - self._last_byte_ns) // NANOSECONDS if self.is_open and self._has_received else None

    async def run(self) -> None:
        """Serve the device until cancelled.

        Raises:
            Exception: what ``deliver`` raised.
        """
        self._fatal = None
        while True:
            error = await self._once()
            if self._fatal is not None:
                raise self._fatal
            self.failures = 0 if self._proven else self.failures + 1
            pause = self._talk_limit.pause_seconds() if self._talk_limit.is_closed else self._backoff.next_seconds()
            log.warning("line down", device=self.name, reason=_text(error), again_in_seconds=round(pause, 2))
            if self.failures == ATTENTION_FAILURES:
                self._call_for_attention(error)
            await asyncio.sleep(pause)

    async def _once(self) -> Exception | None:
        """Open the line and keep it; what ended that."""
        lost: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()
        self._lost = lost
        self._has_received = self._proven = False
        self._not_understood = 0
        self._refusal = self._down_reason = ""
        error: Exception | None = None
        try:
            async with asyncio.timeout(OPEN_SECONDS):
                await self._open_line(_LineProtocol(self, lost))
            error = await lost
        except TimeoutError:
            error = LineLost(f"not open after {OPEN_SECONDS:.0f} s")
        except OSError as refused:
            error = refused
        except Exception as broken:
            # A device that cannot be opened must not stop the table.
            log.exception("opening failed", device=self.name)
            error = broken
        finally:
            if not lost.done():
                lost.cancel()
            self._down(error)
        return error

    def settle(self) -> None:
        """Send what the session wants sent, deliver what it learnt, and set the timer for the next deadline."""
        self._guarded(self._settle)

    def up(self, transport: asyncio.Transport) -> None:
        """The line is open."""
        self._transport = transport
        self._last_byte_ns = self._clock.monotonic_ns()
        self._talk_limit.opened(self._last_byte_ns)
        log.info("line up", device=self.name)
        self._guarded(lambda: self._session.connected(self._last_byte_ns))
        self.settle()

    def received(self, data: bytes) -> None:
        """Bytes came."""
        now_ns = self._last_byte_ns = self._clock.monotonic_ns()
        for line in self._ahead:
            line.catch_up(now_ns)
        self._has_received = True
        if not self._talk_limit.data(len(data), now_ns):
            self._interrupt("bytes")
            return
        self._guarded(lambda: self._session.receive(data, now_ns))
        self.settle()

    def catch_up(self, now_ns: int) -> None:
        """Do at once what was due by now."""
        if self._timer is not None and self._due_ns <= now_ns:
            self._timer.cancel()
            self._deadline()

    def _deadline(self) -> None:
        self._timer = None
        now_ns = self._clock.monotonic_ns()
        late_ns = now_ns - self._due_ns
        if late_ns >= STALL_NS:
            self._last_byte_ns += late_ns
        if self._liveness_ns is not None and now_ns - self._last_byte_ns >= self._liveness_ns:
            self._drop(LineLost(f"not a byte for {self._liveness_ns // NANOSECONDS} s"))
            return
        self._guarded(lambda: self._session.handle_deadline(now_ns))
        self.settle()

    def _guarded(self, work: Callable[[], None]) -> None:
        """A failure of ours, or of the line, ends this opening and nothing else."""
        try:
            work()
        except OSError as error:
            self._drop(error)
        except Exception as error:
            if error is not self._fatal:
                log.exception("session failed", device=self.name)
            self._drop(error)

    def _drop(self, error: Exception) -> None:
        if self._lost is not None and not self._lost.done():
            self._lost.set_result(error)

    def _settle(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            data = self._session.bytes_to_send()
            if data:
                self._transport.write(data)
        for reading in self._session.readings():
            self._report(reading)
        self._arm()

    def _arm(self) -> None:
        due_ns = self._next_ns()
        if self._timer is not None:
            if due_ns == self._due_ns:
                return
            self._timer.cancel()
            self._timer = None
        if due_ns is not None:
            self._due_ns = due_ns
            delay = max(0, due_ns - self._clock.monotonic_ns()) / NANOSECONDS
            self._timer = asyncio.get_running_loop().call_later(delay, self._deadline)

    def _next_ns(self) -> int | None:
        """When the session wants to be asked again, or the line has been silent for too long."""
        if self._transport is None or self._lost is None or self._lost.done():
            return None
        due_ns = self._session.next_deadline()
        if self._liveness_ns is None:
            return due_ns
        silent_ns = self._last_byte_ns + self._liveness_ns
        return silent_ns if due_ns is None else min(due_ns, silent_ns)

    def _down(self, error: Exception | None) -> None:
        transport, self._transport = self._transport, None
        if transport is not None:
            self._guarded(transport.close)
        self._down_reason = _text(error)
        now_ns = self._clock.monotonic_ns()
        self._guarded(lambda: self._session.disconnected(now_ns))
        self.settle()
        for device, known in self._health.items():
            if known.state is not HealthState.LOST and not self._refusal:
                # The session that should have said so has failed, or the wrong device is gone too.
                self._guarded(lambda name=device: self._report_health(_lost(name, now_ns)))  # type: ignore[misc]

    # --- what the readings say of the device ------------------------------------------------------------

    def _report(self, reading: Reading) -> None:
        if isinstance(reading, DeviceHealth):
            self._report_health(reading)
            return
        if self._talk_limit.is_closed:
            # It was interrupted; what it said beyond that is as lost as what it says meanwhile.
            return
        if not self._talk_limit.reading(self._clock.monotonic_ns()):
            self._interrupt("readings")
            return
        if isinstance(reading, LineDisturbed):
            self._not_understood += 1
            if self._not_understood >= FOREIGN_LIMIT and not self._proven:
                self._refuse(f"wrong device: {FOREIGN_LIMIT} messages and none understood")
        elif self._has_received:
            self._prove()
        self._hand_over(reading)

    def _report_health(self, health: DeviceHealth) -> None:
        if health.state is HealthState.READY and self._has_received:
            self._prove()
        if health.state is HealthState.FAULTY and health.device == self.name and not self._proven:
            # It said who it is, and never became ready.
            self._refuse(f"wrong device: {health.detail}")
            health = msgspec.structs.replace(health, detail=self._refusal)
        if health.state is HealthState.LOST and self._transport is None:
            detail = (
                f"{health.detail}: {self._down_reason}"
                if health.detail and self._down_reason
                else health.detail or self._down_reason
            )
            health = msgspec.structs.replace(health, detail=detail)
            if self._refusal:
                # It is there, only not what it should be; reported once, however often it is tried again.
                health = msgspec.structs.replace(health, state=HealthState.FAULTY, detail=self._refusal)
        known = self._health.get(health.device)
        if known is not None and (known.state, known.detail) == (health.state, health.detail):
            return
        self._health[health.device] = health
        log.info("device health", device=health.device, state=health.state.value, detail=health.detail)
        self._hand_over(health)

    def _prove(self) -> None:
        if not self._proven:
            self._proven = True
            self._backoff.reset()

    def _refuse(self, text: str) -> None:
        if not self._refusal:
            self._refusal = text
            log.error("device refused", device=self.name, reason=text)
            self._drop(LineLost(text))

    def _interrupt(self, what: str) -> None:
        """It talks too much: close the line for a while, and say so once."""
        text = f"too many {what} a second: the line is closed for a while"
        self._drop(LineLost(text))
        at_ns = self._clock.monotonic_ns()
        if self._talk_limit.closed(at_ns):
            log.error("device talks too much", device=self.name, reason=text)
            self._guarded(lambda: self._hand_over(DeviceComplained(self.name, "talks_too_much", text, at_ns)))

    def _call_for_attention(self, error: Exception | None) -> None:
        text = f"{self.failures} openings in a row led to nothing: {_text(error)}"
        log.error("device needs attention", device=self.name, reason=text)
        at_ns = self._clock.monotonic_ns()
        self._guarded(lambda: self._hand_over(DeviceComplained(self.name, "needs_attention", text, at_ns)))

    def _hand_over(self, reading: Reading) -> None:
        try:
            self._deliver(reading)
        except Exception as error:
            # The daemon no longer takes readings: that is not this device's trouble.
            self._fatal = error
            raise


def _text(error: Exception | None) -> str:
    return error_words(error)[:REASON_LIMIT] if error is not None else "closed"


def _lost(device: str, at_ns: int) -> DeviceHealth:
    return DeviceHealth(device=device, state=HealthState.LOST, at_ns=at_ns)


class _LineProtocol(asyncio.Protocol):
    """Tells a supervisor what happens on one opening of its line, as long as that lasts."""

    def __init__(self, supervisor: LineSupervisor, lost: asyncio.Future[Exception | None]) -> None:
        self._supervisor = supervisor
        self._lost = lost

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        if self._lost.done():
            transport.abort()
        else:
            self._supervisor.up(transport)

    def data_received(self, data: bytes) -> None:
        if not self._lost.done():
            self._supervisor.received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._lost.done():
            self._lost.set_result(exc)
