"""Signing in: an operator proves to have a key of the file of operators, and is known by a cookie from then on.

The page signs a text of its own that names this server and a challenge of ours, with the key that signs the operator's
orders. The key stays in the browser. Such a text is no order, and no order is such a text: each says what it is.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import msgspec

from controller.core.persons import SignedText
from controller.formats.orders.epoch_authorization import is_genuine
from controller.formats.orders.operators import RIGHTS, STATUS, ChannelUser, Role
from controller.formats.text.safe_parse import DataRefused, json_as, reads_outside
from controller.web.admission import Tickets
from controller.web.visibility import WHOLE, Sight, sight_of

WHAT: Final = "tableside.sign_in.v1"
"""What the text that is signed is."""

COOKIE: Final = "tableside-session"

SESSION_SECONDS: Final = 8 * 3600.0
"""After a shift one signs in again."""

SESSIONS_LIMIT: Final = 500
"""People signed in at once; the oldest is forgotten for another."""

SESSIONS_EACH: Final = 8
"""Of one person, in as many browsers; the oldest is forgotten for another, so that nobody signs anybody else out."""

SENT_LIMIT_BYTES: Final = 4096


class SignInRefused(Exception):  # noqa: N818 - named for what happened
    """Somebody is not signed in; the text says why."""


class SignInText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is signed: ``server`` is the page's origin, ``challenge`` was given out here just now."""

    what: str
    server: str
    challenge: str


class SignInAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is sent: the text as it was signed, the public key and the signature in hex."""

    text: str
    key: str
    signature: str


class Visitor(NamedTuple):
    """Who looks: an operator, or an anonymous visitor (no name, no roles). ``key`` is the public key, in hex."""

    sight: Sight
    name: str = ""
    roles: frozenset[Role] = frozenset()
    key: str = ""

    def verbs(self) -> list[str]:
        """What this person may order of a table."""
        return [verb for verb, roles in RIGHTS.items() if verb != STATUS and roles & self.roles]


class SignIn:
    """Who is signed in. ``signers``: whose key it is; None: nobody signs in, and everybody sees everything.

    ``now`` is monotonic seconds.
    """

    def __init__(self, signers: Mapping[str, ChannelUser] | None, now: Callable[[], float]) -> None:
        self._signers = signers
        self._now = now
        self._challenges = Tickets(now)
        self._sessions: dict[str, tuple[float, Visitor]] = {}

    @property
    def is_wanted(self) -> bool:
        """Whether there is anything to sign in for."""
        return self._signers is not None

    def challenge(self) -> str:
        """Something to sign, good once and for ten seconds."""
        return self._challenges.issue("challenge")

    def enter(self, sent: bytes, origin: str) -> tuple[str, Visitor]:
        """Let somebody in who sent this from a page at ``origin``: the new session's secret, and who it is.

        Raises:
            SignInRefused: not signed by an operator, for another server, or not just now.
        """
        found, text = read_sign_in(sent)
        if (text.what, text.server) != (WHAT, origin):
            raise SignInRefused(f"expected {WHAT} for {origin}")
        if self._challenges.redeem(text.challenge) is None:
            raise SignInRefused("expected a challenge of this server, unused and not older than ten seconds")
        who = (self._signers or {}).get(found.key)
        if who is None or not is_genuine(SignedText(found.text, found.key, found.signature)):
            raise SignInRefused("the key is of no operator that this server knows; see: tableside web --operators")
        visitor = Visitor(sight_of(who.roles), who.name, who.roles, found.key)
        secret = secrets.token_urlsafe(32)
        own = [one for one, (_, known) in self._sessions.items() if known.name == visitor.name]
        for oldest in own[: 1 - SESSIONS_EACH]:
            del self._sessions[oldest]
        while len(self._sessions) >= SESSIONS_LIMIT:
            del self._sessions[next(iter(self._sessions))]
        self._sessions[secret] = (self._now() + SESSION_SECONDS, visitor)
        return secret, visitor

    def leave(self, secret: str) -> None:
        """End this session."""
        self._sessions.pop(secret, None)

    def visitor(self, secret: str) -> Visitor:
        """Who comes with this secret; one that is none, or is over, is nobody's in particular."""
        if self._signers is None:
            return Visitor(WHOLE)
        until, visitor = self._sessions.get(secret, (0.0, Visitor(sight_of(()))))
        if visitor.name and until <= self._now():
            self.leave(secret)
            return Visitor(sight_of(()))
        return visitor


@reads_outside(SignInRefused)
def read_sign_in(sent: bytes) -> tuple[SignInAnswer, SignInText]:
    """What was sent and what was signed; whether the signature holds is not looked at.

    Raises:
        SignInRefused: it is none.
    """
    try:
        found: SignInAnswer = json_as(sent, SignInAnswer, limit_bytes=SENT_LIMIT_BYTES)
        text: SignInText = json_as(found.text, SignInText, limit_bytes=SENT_LIMIT_BYTES)
    except DataRefused as error:
        raise SignInRefused(f"expected text, key and signature: {error}") from error
    return found, text
