"""A jackpot sign that does not exist: it keeps what it is sent, and shows what a player would read."""

from __future__ import annotations

from firmware_protocols.codec import Codec, LineEnd
from firmware_protocols.messages import Command, LineFault, Message
from firmware_protocols.sign_messages import (
    UNKNOWN_COMMAND,
    AmountHeld,
    ClearSign,
    LayOutSign,
    ReadAmount,
    ReadSignStatus,
    ResetSign,
    RunPage,
    ShowAmount,
    ShowNotice,
    ShowPage,
    SignStatus,
)


class SignSimulator:
    """As delivered its memory is not divided, and what is written into nothing is an error it remembers."""

    def __init__(self, codec: Codec, *, mute: bool = False) -> None:
        self._codec = codec
        self._mute = mute
        self.heard: list[Command] = []
        """Everything it was sent and asked, in order."""
        self.read: list[str] = []
        """Every different text that a player could read, in order."""
        self.forget()

    def forget(self) -> None:
        """Lose all memory, as an old sign does without power."""
        self._wire = self._codec.open(LineEnd.DEVICE)
        self._width = 0
        self._fields: list[str] = []
        self._captions: tuple[str, ...] = ()
        self._closing = ""
        self._running = False
        self._notice = ""
        self._errors: set[str] = set()
        self._look()

    def upset(self, error: str = "checksum") -> None:
        """Meet an error."""
        self._errors.add(error)

    def spoil(self, field: int, text: str) -> None:
        """Hold something nobody wrote."""
        self._fields[field - 1] = text
        self._look()

    @property
    def shown(self) -> str:
        """What a player reads."""
        if self._notice:
            return self._notice
        if not self._running:
            return ""
        called = zip(self._captions, self._fields, strict=False)
        return "".join(caption + text for caption, text in called) + self._closing

    @property
    def amounts(self) -> tuple[str, ...]:
        """What stands in its fields, whatever notice covers them."""
        return tuple(field.strip() for field in self._fields)

    def receive(self, data: bytes) -> bytes:
        """Commands, and questions with their answers."""
        return self._obey(self._wire.feed(data))

    def idle(self) -> bytes:
        """The line has been silent: a packet begun is given up."""
        return self._obey(self._wire.idle())

    def _obey(self, messages: tuple[Message, ...]) -> bytes:
        said = b""
        for message in messages:
            if isinstance(message, Command):
                self.heard.append(message)
            said += self._one(message)
            self._look()
        return said

    def _one(self, message: Message) -> bytes:
        match message:
            case ClearSign():
                self._lay_out(0, 0)
            case LayOutSign(_, fields, width):
                self._lay_out(fields, width)
            case ShowPage(captions, closing) if len(captions) <= len(self._fields):
                self._captions, self._closing = captions, closing
            case RunPage() if self._captions or self._closing:
                self._running = True
            case ShowAmount(field, text) if field <= len(self._fields):
                if len(text) > self._width:
                    self._errors.add("buffer_overflow")
                else:
                    self._fields[field - 1] = text
            case ShowNotice(text):
                self._notice = text
            case ReadSignStatus():
                errors, self._errors = tuple(sorted(self._errors)), set()
                return self._answer(SignStatus(errors))
            case ReadAmount(field) if field <= len(self._fields):
                return self._answer(AmountHeld(field, self._fields[field - 1]))
            case LineFault(reason=reason) if reason != UNKNOWN_COMMAND:
                self._errors.add("checksum")
            case ResetSign():
                pass
            case _:
                self._errors.add("illegal_command")
        return b""

    def _lay_out(self, fields: int, width: int) -> None:
        self._width, self._fields = width, [""] * fields
        self._captions, self._closing, self._running = (), "", False

    def _answer(self, message: Message) -> bytes:
        return b"" if self._mute else self._wire.encode(message)

    def _look(self) -> None:
        if not self.read or self.read[-1] != self.shown:
            self.read.append(self.shown)
