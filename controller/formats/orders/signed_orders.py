"""An order that carries its operator's own signature, whoever brings it and over whichever channel.

What is signed is a text of JSON, byte for byte as it is sent (Ed25519, RFC 8032, over its UTF-8); nothing has to be put
in a canonical form, so a browser's WebCrypto makes it as well. It names the table, the journal's epoch and a number,
the time, that grows with each order of a key, so that it is carried out at one table, once, and soon or never. The
journal keeps it with the input that was made of it; so anybody who has the journal can check years later who ordered
what.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Final, NamedTuple

import msgspec

from controller.core.messages.inputs import (
    AcknowledgeAlert,
    AssignCard,
    DeclareBox,
    EnterInventory,
    SetCard,
    SignedOrder,
)
from controller.core.persons import UNAUTHENTICATED, Authentication, SignedText
from controller.formats.journal.records import Identity, Record
from controller.formats.orders.epoch_authorization import is_genuine
from controller.formats.orders.operators import ChannelUser, no_right, owners_name
from controller.formats.orders.requests import (
    REQUEST_LIMIT_BYTES,
    REQUEST_LIMIT_VALUES,
    CommandRefused,
    input_of,
    is_signed,
    named_in,
    order_in_form,
    to_the_letter,
)
from controller.formats.text.safe_parse import DataRefused, json_as, own_json, reads_outside

WHAT: Final = "tableside.order.v1"
"""What such a text is."""

MARK: Final = b'"order":{"signed":'
"""Stands in the body of every record of a signed order."""

TEXT_LIMIT_BYTES: Final = 8 * 1024
"""Of what is signed, which the journal keeps to the letter: more than every field at its limit needs."""

FRESH_MS: Final = 5 * 60 * 1000
"""How far an order's number may be from the table's clock: what somebody withheld for longer is worth nothing."""

NANOSECONDS_PER_MS: Final = 1_000_000

_VOUCHED_LATER: Final = (SetCard, AssignCard, DeclareBox, EnterInventory, AcknowledgeAlert)
"""Orders of which earlier versions did not record how who gave them was known."""

REQUIRED: Final = "this table takes signed orders alone: give --sign, or see docs/guide/operators.md"


class OrderText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is signed. ``table`` is ``SITE/TABLE``; ``request`` is what the verb asks for, with ``who``.

    ``number`` is the time, in milliseconds since 1970 (``number_at``), and higher than in every order that the key has
    signed for this table before.
    """

    what: str
    table: str
    epoch: int
    number: Annotated[int, msgspec.Meta(ge=1, le=2**53)]
    verb: str
    request: dict[str, Any]


class SignedRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is sent in place of a request; ``transaction`` comes back in the reply and is not signed."""

    text: str
    key: str
    signature: str
    transaction: Any = None


class VerifiedOrder(NamedTuple):
    """What is asked for, how its giver is known, and the order to be journaled with it where it was signed."""

    order: SignedOrder | None
    request: bytes
    vouched: Authentication


class Signatures(NamedTuple):
    """Whose signatures a table takes: by signing key, who it is; ``required``: it takes nothing unsigned.

    ``owners``: names of those who have keys of their own, in whose names nobody else asks.
    """

    identity: Identity
    signers: Mapping[str, ChannelUser] = {}
    required: bool = False
    owners: Collection[str] = ()

    def taken(
        self, verb: str, payload: bytes, vouched: Authentication, last: Mapping[str, int], wall_ns: int
    ) -> VerifiedOrder:
        """What a payload asks for; ``vouched``: how the channel knows who brought it, who gives what is not signed.

        ``last``: of each key the highest number that was taken. ``wall_ns``: what the table's clock says.

        Raises:
            CommandRefused: not signed by an operator who may, for another table, epoch or verb, taken before, or not
                signed now.
        """
        if not is_signed(payload):
            if self.required:
                raise CommandRefused(REQUIRED, "not_signed_right")
            if vouched.by == "nothing" and (refusal := owners_name(named_in(payload), self.owners)):
                raise CommandRefused(refusal.text, refusal.code)
            return VerifiedOrder(None, payload, vouched)
        signed, text = read_signed(payload)
        if (size := len(signed.text.encode())) > TEXT_LIMIT_BYTES:
            said = f"the text that was signed: expected at most {TEXT_LIMIT_BYTES} bytes, got {size}"
            raise CommandRefused(f"{said}; leave out blanks and transaction, and sign it again")
        signer = self.signers.get(signed.key)
        if signer is None or not is_genuine(signed):
            raise CommandRefused("the signature is of no operator of this table", "not_signed_right")
        if (wrong := misplaced(text, self.identity)) or text.verb != verb:
            raise CommandRefused(
                wrong or f"the order that was signed is {text.verb[:40]!r}, not {verb[:40]!r}", "not_signed_right"
            )
        if text.request.get("who") != signer.name:
            raise CommandRefused(f"the key is {signer.name}'s; sign in that name", "not_signed_right")
        if refusal := no_right(verb, signer.roles):
            raise CommandRefused(refusal.text, refusal.code)
        if text.number <= last.get(signed.key, 0):
            given = f"number {text.number}: this order, or a later one of the same key, was given before"
            raise CommandRefused(given, "not_signed_right")
        if old := stale(text.number, wall_ns):
            raise CommandRefused(old, "not_signed_right")
        own = Authentication("signature", tuple(sorted(signer.roles)))
        return VerifiedOrder(SignedOrder(signed, text.number), msgspec.json.encode(text.request), own)


@reads_outside(CommandRefused)
def read_signed(payload: bytes) -> tuple[SignedText, OrderText]:
    """What was sent, and what was signed; whether the signature holds is not looked at.

    Raises:
        CommandRefused: it is no signed order.
    """
    limits = {"limit_bytes": REQUEST_LIMIT_BYTES, "limit_values": REQUEST_LIMIT_VALUES}
    try:
        sent: SignedRequest = json_as(payload, SignedRequest, **limits)
        text: OrderText = json_as(sent.text, OrderText, **limits)
    except DataRefused as error:
        raise CommandRefused(f"expected a signed order, text, key and signature: {error}") from error
    if text.what != WHAT:
        raise CommandRefused(f"expected {WHAT}, got {text.what[:80]!r}")
    return SignedText(sent.text, sent.key, sent.signature), text


def order_text(identity: Identity, number: int, verb: str, request: Mapping[str, Any]) -> OrderText:
    """What an operator signs."""
    return OrderText(WHAT, f"{identity.site}/{identity.table}", identity.epoch, number, verb, dict(request))


def number_at(wall_ns: int) -> int:
    """The number of an order that is signed at this time, in nanoseconds since 1970."""
    return wall_ns // NANOSECONDS_PER_MS


def stale(number: int, wall_ns: int) -> str:
    """Why an order of this number is not taken at this time; empty: it was signed just now."""
    away_ms = number - number_at(wall_ns)
    if abs(away_ms) <= FRESH_MS:
        return ""
    said = f"{abs(away_ms) // 1000} s {'ahead of' if away_ms > 0 else 'behind'} this table's clock"
    advice = "check the clock of the machine that signs, then sign it again"
    return f"number {number}: expected the time in milliseconds, within 5 minutes; it is {said}: {advice}"


def misplaced(text: OrderText, identity: Identity) -> str:
    """Why an order is not for the table and epoch it came to; empty: it is."""
    table = f"{identity.site}/{identity.table}"
    if (text.table, text.epoch) == (table, identity.epoch):
        return ""
    return f"the order was signed for {text.table[:80]} in epoch {text.epoch}; this is {table} in {identity.epoch}"


class RecordedOrder(NamedTuple):
    """An order as a record has it: ``wrong`` says what about it does not hold, empty: all of it does."""

    record: int
    verb: str
    who: str
    key: str
    number: int
    wrong: str = ""


def order_in(body: bytes, identity: Identity, signers: Mapping[str, ChannelUser] | None = None) -> RecordedOrder | None:
    """The signed order in a record's body, held against what the table was given; None: there is none.

    ``signers``: also whether the key is that of the person named, and may order that.

    Raises:
        DataRefused: the body is no record's.
    """
    if MARK not in body:
        return None
    record: Record = own_json(body, Record)
    if record.order is None:
        return None
    signed = record.order.signed
    try:
        _, text = read_signed(msgspec.json.encode(signed))
    except CommandRefused as refused:
        return RecordedOrder(record.number, "", "", signed.key, record.order.number, str(refused))
    who = str(text.request.get("who", ""))
    wrong = misplaced(text, identity) or _differs(record, text)
    if not is_genuine(signed):
        wrong = "the signature does not hold"
    elif signers is not None and (signed.key not in signers or signers[signed.key].name != who):
        wrong = wrong or f"the key is not {who}'s"
    elif signers is not None:
        unentitled = no_right(text.verb, signers[signed.key].roles)
        wrong = wrong or ("" if unentitled is None else unentitled.text)
    return RecordedOrder(record.number, text.verb, who, signed.key, text.number, wrong)


def _differs(record: Record, text: OrderText) -> str:
    """What of a record is not as it was signed."""
    given: Any = record.input
    if record.order is None or record.order.number != text.number:
        return "its number is not the one that was signed"
    try:
        wanted = order_in_form(text.verb, msgspec.json.encode(text.request))
    except CommandRefused as refused:
        return f"what was signed is no order: {refused}"
    vouched: Authentication | None = getattr(given, "vouched", None)
    if (
        vouched is not None
        and vouched.by != "signature"
        and not (isinstance(given, _VOUCHED_LATER) and vouched == UNAUTHENTICATED)
    ):
        return "the record does not say that a signature vouched for it"
    # What a reading of the devices has of its own does not matter: it is no order's input whatever it says.
    made = input_of(wanted, getattr(given, "at_ns", 0), getattr(given, "vouched", UNAUTHENTICATED))
    if given not in (made, to_the_letter(wanted, made)):
        return f"the record is not the {text.verb} that was signed"
    return ""
