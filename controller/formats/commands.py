"""What people may ask for over MQTT: JSON on ``cmd/{verb}``, answered on ``reply/{verb}``.

A request may carry ``transaction``, any JSON value, which is echoed in the reply.
"""

from __future__ import annotations

from typing import Any

import msgspec


class CommandRefused(ValueError):  # noqa: N818 - named for what happened
    """The request cannot be carried out; the text says what was expected."""


class AnswerWanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cmd/answer``: the answer to a question the table asked, and who gives it."""

    question: int
    answer: str
    who: str
    transaction: Any = None


class Reply(msgspec.Struct, frozen=True):
    """``status`` is ``accepted`` or ``refused``; ``text`` says why it was refused."""

    status: str
    text: str
    transaction: Any = None


def read_command(verb: str, payload: bytes) -> AnswerWanted:
    """What a request asks for.

    Raises:
        CommandRefused: an unknown verb, not JSON, an unknown field, a wrong type, or nobody named.
    """
    if verb != "answer":
        raise CommandRefused(f"unknown command {verb!r}; expected answer")
    try:
        wanted = msgspec.json.decode(payload, type=AnswerWanted)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CommandRefused(f'{error}; expected {{"question": 1, "answer": "no", "who": "name"}}') from error
    if not wanted.who.strip():
        raise CommandRefused("who: expected the name of the person who answers")
    return wanted


def reply_bytes(request: bytes, refusal: str) -> bytes:
    """The reply to a request; ``refusal`` is empty where it was accepted."""
    try:
        given = msgspec.json.decode(request)
    except (msgspec.DecodeError, UnicodeDecodeError):
        given = None
    transaction = given.get("transaction") if isinstance(given, dict) else None
    return msgspec.json.encode(Reply("refused" if refusal else "accepted", refusal, transaction))
