"""The jackpot sign: what a player reads on it is what the table says, within a second, or the table is informed.

The page is set up once; after that only amounts are written, and a notice for a hit. Between writes the sign is asked
whether it met errors and what it holds. Whatever differs is set up anew: a sign that lost its memory does not say so.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final

from devices.backoff import PollBackoff
from devices.outbox import DeviceOutbox
from devices.receiver import Listener, disturbed, stray
from firmware_protocols.codec import Codec
from firmware_protocols.messages import Command, LineFault, Message
from firmware_protocols.readings import HealthState
from firmware_protocols.sign_messages import (
    AmountHeld,
    LayOutSign,
    ReadAmount,
    ReadSignStatus,
    RunPage,
    ShowAmount,
    ShowNotice,
    ShowPage,
    SignStatus,
)

_MS: Final = 1_000_000

GAP_NS: Final = 200 * _MS
"""Between two writes: signs take two to five a second without a flicker, and no public number says more."""

LAYOUT_GAP_NS: Final = 500 * _MS
"""After the memory was divided a sign starts again and hears nothing for a moment."""

ANSWER_NS: Final = 500 * _MS
"""Patience with an answer: its 170 bytes take 200 ms at 9600 baud."""

POLL_NS: Final = 2_000 * _MS
"""Between two questions: what a player reads wrongly is put right within a few seconds."""

NOTICE_NS: Final = 60_000 * _MS
"""How long a notice covers the page: long enough for the pit to look up, short enough for the other meters."""

ODOMETER_NS: Final = 400 * _MS
"""A rise shown in steps has reached the truth after so long, counted from when it was asked for: an answer being waited
for, the gap before the first step and a second meter's turn still fit into the second a player may wait."""

PAGE_BYTES: Final = 250
WIDTH: Final = 12
"""Characters of an amount: 9,999,999.99."""

CLOSED: Final = "CLOSED"
ERRORS_LIMIT: Final = 3
"""Answers with errors in a row before a sign is faulty: one may follow a disturbed line, hardly three."""


class SignSession(DeviceOutbox):
    """One sign. ``captions`` stand before the amounts, in the order in which ``show`` gives these."""

    def __init__(
        self, codec: Codec, captions: tuple[str, ...], name: str = "sign", *, width: int = WIDTH, odometer: bool = False
    ) -> None:
        super().__init__(name)
        self._width = width
        self._odometer = odometer
        self._listener = Listener(codec)
        self._setting_up = (LayOutSign(PAGE_BYTES, len(captions), width), ShowPage(captions), RunPage())
        self._wanted: tuple[int | None, ...] = (None,) * len(captions)
        self._changed_ns: list[int | None] = [None] * len(captions)
        self._cents: list[int | None] = [None] * len(captions)
        self._held: list[str | None] = [None] * len(captions)
        self._notice = ""
        self._notice_ns: int | None = None
        self._notice_held: str | None = None
        self._steps: deque[Command] = deque()
        self._questions: deque[Command] = deque()
        self._asked: Command | None = None
        self._answer_by_ns = 0
        self._send_at_ns = 0
        self._poll_at_ns = 0
        self._backoff = PollBackoff()
        self._errors = 0

    def show(self, amounts: tuple[int | None, ...], notice: str = "") -> None:
        """Show these amounts in cents (None: the meter is closed), and a notice while it is new; now and after a loss.

        ``amounts`` has one for each caption; ``notice`` is printable ASCII, empty for none.
        """
        for place, (before, after) in enumerate(zip(self._wanted, amounts, strict=True)):
            if before != after:
                self._changed_ns[place] = None
        self._wanted = amounts
        if notice != self._notice:
            self._notice, self._notice_ns = notice, None

    def connected(self, now_ns: int) -> None:
        """The line is open (again): ask whether somebody is there, then set the sign up."""
        self._listener.open()
        self._asked, self._unsent = None, b""
        self._backoff.answered()
        self._errors = 0
        self._send_at_ns = self._poll_at_ns = now_ns
        self._begin()
        self._ask(now_ns)

    def disconnected(self, now_ns: int) -> None:
        """The line is gone; it is not known what the sign shows."""
        self._take(self._listener.close(), self._listener.heard_ns)
        self._asked, self._unsent = None, b""
        self._set_state(HealthState.LOST, now_ns)

    def receive(self, data: bytes, now_ns: int) -> None:
        """Bytes came."""
        self._take(self._listener.hear(data, now_ns), now_ns)
        self._work(now_ns)

    def next_deadline(self) -> int | None:
        """When the next thing may be said or asked, an answer is missing, or a message begun is given up."""
        if not self._listener.is_open:
            return None
        if self._asked is not None:
            mine_ns = self._answer_by_ns
        else:
            busy = self._steps or self._to_say(self._send_at_ns) is not None
            mine_ns = self._send_at_ns if busy else max(self._poll_at_ns, self._send_at_ns)
            if not busy and self._notice_held and self._notice_ns is not None:
                mine_ns = max(min(mine_ns, self._notice_ns + NOTICE_NS), self._send_at_ns)
        idle_ns = self._listener.deadline()
        return mine_ns if idle_ns is None else min(mine_ns, idle_ns)

    def handle_deadline(self, now_ns: int) -> None:
        """Give up what has been waited for long enough; say or ask the next thing."""
        self._take(self._listener.expire(now_ns), self._listener.heard_ns)
        if self._asked is not None and now_ns >= self._answer_by_ns:
            self._asked = None
            if self._backoff.missed(now_ns):
                self._set_state(HealthState.FAULTY, now_ns, "it does not answer")
            self._poll_at_ns = self._backoff.due_ns
        self._work(now_ns)

    # --- what is said -----------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Take the sign for one that knows nothing."""
        self._steps = deque(self._setting_up)
        self._questions.clear()
        self._notice_held = None
        for place in range(len(self._held)):
            self._held[place] = self._cents[place] = None

    def _work(self, now_ns: int) -> None:
        """Say or ask one thing, if its time has come."""
        for place, wanted in enumerate(self._wanted):
            if self._changed_ns[place] is None and self._cents[place] != wanted:
                self._changed_ns[place] = now_ns
        if not self._listener.is_open or self._asked is not None or now_ns < self._send_at_ns:
            return
        said = self._steps.popleft() if self._steps else self._to_say(now_ns)
        if said is not None:
            self._say(said, now_ns)
        elif now_ns >= self._poll_at_ns:
            self._ask(now_ns)

    def _to_say(self, now_ns: int) -> Command | None:
        """What differs between the sign and what it should show; a notice first, it covers the rest."""
        notice = self._notice
        if self._notice_ns is not None and now_ns >= self._notice_ns + NOTICE_NS:
            notice = ""
        if notice != self._notice_held:
            return ShowNotice(notice)
        for place, wanted in enumerate(self._wanted):
            if self._held[place] is None or self._cents[place] != wanted:
                return ShowAmount(place + 1, self._text(self._paced(place, wanted, now_ns)))
        return None

    def _say(self, said: Command, now_ns: int) -> None:
        self._unsent += self._listener.encode(said)
        self._send_at_ns = now_ns + (LAYOUT_GAP_NS if isinstance(said, LayOutSign) else GAP_NS)
        match said:
            case ShowNotice(text):
                self._notice_held = text
                if text and self._notice_ns is None:
                    self._notice_ns = now_ns
            case ShowAmount(field, text):
                place = field - 1
                self._cents[place] = self._paced(place, self._wanted[place], now_ns)
                self._held[place] = text
            case _:
                pass

    def _paced(self, place: int, wanted: int | None, now_ns: int) -> int | None:
        """What to show now on the way to ``wanted``: all of it, or with an odometer the next step of a rise."""
        shown = self._cents[place]
        if not self._odometer or wanted is None or shown is None or wanted <= shown:
            return wanted
        since_ns = self._changed_ns[place]
        left_ns = ODOMETER_NS - (0 if since_ns is None else now_ns - since_ns)
        steps = max(left_ns // GAP_NS, 1)
        return shown + -(-(wanted - shown) // steps)

    def _text(self, cents: int | None) -> str:
        """An amount as it stands on the sign, always equally wide."""
        if cents is None:
            return CLOSED.rjust(self._width)
        text = f"{cents // 100:,}.{cents % 100:02d}"
        if len(text) > self._width:
            text = text.replace(",", "")
        # Half an amount would be a wrong one.
        return text.rjust(self._width) if len(text) <= self._width else "-" * self._width

    # --- what is asked ----------------------------------------------------------------------------------

    def _ask(self, now_ns: int) -> None:
        if not self._questions:
            for field in range(1, len(self._held) + 1):
                self._questions += (ReadSignStatus(), ReadAmount(field))
        self._asked = self._questions.popleft()
        self._unsent += self._listener.encode(self._asked)
        self._answer_by_ns = now_ns + ANSWER_NS

    def _take(self, messages: Iterable[Message], at_ns: int) -> None:
        for message in messages:
            match message, self._asked:
                case SignStatus(errors), ReadSignStatus():
                    self._status(errors, at_ns)
                case AmountHeld(field, text), ReadAmount(asked) if field == asked:
                    self._amount(field, text, at_ns)
                case LineFault(), _:
                    self._readings.append(disturbed(self.name, message, at_ns))
                case _:
                    self._readings.append(stray(self.name, message, at_ns))

    def _answered(self, at_ns: int) -> None:
        self._asked = None
        self._backoff.answered()
        self._poll_at_ns = at_ns + POLL_NS

    def _status(self, errors: tuple[str, ...], at_ns: int) -> None:
        self._answered(at_ns)
        if not errors:
            self._errors = 0
            self._well(at_ns)
            return
        self._errors += 1
        self._complain("sign_error", f"it met {', '.join(errors)}", at_ns)
        self._begin()
        if self._errors >= ERRORS_LIMIT:
            self._set_state(HealthState.FAULTY, at_ns, f"it keeps meeting {', '.join(errors)}")

    def _amount(self, field: int, text: str, at_ns: int) -> None:
        self._answered(at_ns)
        held = self._held[field - 1]
        if text == held:
            self._well(at_ns)
        elif held is not None:
            self._complain("sign_differs", f"field {field} showed {text.strip()!r}, not {held.strip()!r}", at_ns)
            self._begin()

    def _well(self, at_ns: int) -> None:
        """A good answer; a sign that was thought faulty is set up anew, for it is not known what it heard meanwhile."""
        if self._state is HealthState.FAULTY:
            self._begin()
        if not self._errors:
            self._set_state(HealthState.READY, at_ns)
