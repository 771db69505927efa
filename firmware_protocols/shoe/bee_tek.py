"""Bee-Tek card shoe: text tokens, unsolicited, with neither checksum nor sequence. RS-232, 9600 8N1.

The shoe was made for baccarat. Under the key's diagnostic mode "Manual Burn Cards" it sends bare cards and applies no
drawing rules, which is how it is used for other games; so a card in that mode is an ordinary card, not a burn.

The format as three independent programs read it: a token is a mode in square brackets and a body in angle brackets,
with a blank before and after. Line ends are not reliable, so the brackets alone delimit. The words of mode and body
are the only redundancy there is: a token is believed only if every one of them is known.
"""

from __future__ import annotations

import re
from typing import Final

from firmware_protocols.cards import Card
from firmware_protocols.codec import Line, LineEnd, Wire
from firmware_protocols.framing import FramedCodec, FramedWire, Held, ScanResult, Skip, TextTokens, fault, no_words
from firmware_protocols.messages import CardRead, Message, ShoeAlarm

NAME: Final = "bee_tek"

TOKEN_LIMIT: Final = 128
"""Longest token in bytes: three times the longest one known (an alarm in the mode with the longest name)."""

IDLE_NS: Final = 100_000_000
"""Silence that ends a token begun: a hundred bytes' time at 9600 baud, and more than a USB adapter may hold back."""

CARD_MODES: Final = ("Game", "Manual Burn Cards")
ALARM_MODES: Final = (*CARD_MODES, "GameAlarm")

# Printable ASCII without the four brackets: a bracket inside a body means that the token before it was cut short.
_TEXT: Final = rb"[ -;=?-Z\\^-~]"
_TOKENS: Final = TextTokens(
    whole=re.compile(rb"(?:\[[A-Za-z ]+\])?<" + _TEXT + rb"+>"),
    begun=re.compile(rb"\[[A-Za-z ]*|(?:\[[A-Za-z ]+\])(?:<" + _TEXT + rb"*)?|<" + _TEXT + rb"*"),
    padding=b" \r\n",
)

_TOKEN: Final = re.compile(r"(?:\[(?P<mode>[^]]+)\])?<(?P<body>[^>]+)>")
_CARD: Final = re.compile(r"Card:(.*)")
_FACE: Final = re.compile(r"(10|[2-9TJQKA])([CDHS])")
_ALARM: Final = re.compile(r"Alarm:(E[0-9]{1,2})(?: (.+))?")
_WARNING: Final = re.compile(r"W0x([0-9A-Fa-f]{2})")
_WARNING_CODE: Final = re.compile(r"W([0-9A-F]{2})")


def _face(code: str) -> Card | None:
    found = _FACE.fullmatch(code)
    if found is None:
        return None
    rank, suit = found.groups()
    return Card(("T" if rank == "10" else rank) + suit.lower())


def _read(token: bytes) -> Message:
    parts = _TOKEN.fullmatch(token.decode("ascii"))
    if parts is None:
        return fault("this is no token", token)
    mode, body = parts["mode"], parts["body"]
    if mode is None:
        warning = _WARNING.fullmatch(body)
        return ShoeAlarm(f"W{warning[1].upper()}", "") if warning else fault("the token names no mode", token)
    if (alarm := _ALARM.fullmatch(body)) and mode in ALARM_MODES:
        return ShoeAlarm(alarm[1], alarm[2] or "")
    if mode == body == "Game":
        return CardRead(face=None)
    card = _CARD.fullmatch(body)
    if card is None or mode not in CARD_MODES:
        return fault(f"token {body!r} is not known in mode {mode!r}", token)
    face = _face(card[1])
    return CardRead(face=face) if face else fault(f"card code {card[1]!r} is not known", token)


def _alarm(message: ShoeAlarm) -> str:
    warning = _WARNING_CODE.fullmatch(message.code)
    if warning:
        return f"<W0x{warning[1]}>"
    return f"[Game]<Alarm:{message.code} {message.text}>" if message.text else f"[Game]<Alarm:{message.code}>"


def _write_as_shoe(message: Message) -> bytes:
    match message:
        case CardRead(face=face):
            text = f"[Game]<Card:{face.rank}{face.suit.upper()}>" if face else "[Game]<Game>"
        case ShoeAlarm():
            text = _alarm(message)
        case _:
            raise no_words(NAME, LineEnd.DEVICE, message)
    token = text.encode("ascii", errors="replace")
    # Reading it back refuses whatever would not arrive as it was meant: a burn, a sequence, brackets in a text.
    if len(token) > TOKEN_LIMIT or not _TOKENS.whole.fullmatch(token) or _read(token) != message:
        raise no_words(NAME, LineEnd.DEVICE, message)
    return b" " + token + b" "


def _write_as_host(message: Message) -> bytes:
    raise no_words(NAME, LineEnd.HOST, message)


def _nothing_is_said_to_a_shoe(_held: Held, _silent: bool) -> ScanResult:  # noqa: FBT001 (the shape of ``Scan``)
    return Skip("the shoe takes no orders")


def _end(role: LineEnd) -> Wire:
    if role is LineEnd.HOST:
        return FramedWire(_TOKENS, _read, _write_as_host, frame_limit=TOKEN_LIMIT)
    return FramedWire(_nothing_is_said_to_a_shoe, _read, _write_as_shoe, frame_limit=TOKEN_LIMIT)


CODEC: Final = FramedCodec(
    name=NAME,
    line=Line(baud=9600),
    idle_ns=IDLE_NS,
    vocabulary=(CardRead, ShoeAlarm),
    ends=_end,
)
