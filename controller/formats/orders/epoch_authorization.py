"""The order to begin a new epoch: proposed by one operator and approved by another, each with a signature of their own.

The daemon does not run then, and cannot say who asks. So both sign: Ed25519 (RFC 8032) with a key derived from the
secret half of their CURVE pair (HKDF, RFC 5869), whose public half stands in the file of operators. Both signatures go
into the new journal, where anybody who has that file can check them years later.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from controller.core.persons import SignedText, same_person
from controller.formats.journal.records import Identity
from controller.formats.orders.operators import ChannelUser, Role
from controller.formats.text.safe_parse import DataRefused, json_as, reads_outside

WHAT: Final = "tableside.begin_epoch.v1"
"""What such an order is."""

DERIVED_FOR: Final = b"tableside.operator.signature.v1"
"""The purpose of the derived key (HKDF's ``info``)."""

ORDER_LIMIT_BYTES: Final = 64 * 1024
"""Many times what an order with both signatures needs."""

MAY_PROPOSE: Final[frozenset[Role]] = frozenset({"floor", "technician"})
MAY_APPROVE: Final[frozenset[Role]] = frozenset({"floor", "surveillance"})


class EpochOrderRefused(Exception):  # noqa: N818 - named for what happened
    """An order may not be given or approved; the text says why."""


class EpochProposal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is proposed: that ``follows``, the journal as it lies there, be followed by another. ``at`` in UTC."""

    what: str
    site: str
    table: str
    follows: str
    who: str
    why: str
    at: str


class EpochApproval(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who approves a proposal; ``proposed`` is the proposal's signature."""

    proposed: str
    who: str
    at: str


class EpochOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A proposal, and its approval once there is one."""

    proposal: SignedText
    approval: SignedText | None = None

    @classmethod
    def read(cls, data: bytes) -> EpochOrder:
        """An order as it was kept.

        Raises:
            EpochOrderRefused: it is none.
        """
        return _order(data)


class OrderSigner:
    """An operator's signing key."""

    def __init__(self, secret: bytes) -> None:
        """``secret``: the secret half of a CURVE pair, as ZeroMQ writes it."""
        seed = HKDF(SHA256(), 32, salt=None, info=DERIVED_FOR).derive(secret)
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = self._private.public_key().public_bytes_raw().hex()
        """What stands in the file of operators under ``signs``."""

    def sign(self, value: msgspec.Struct) -> SignedText:
        """A value as text, signed."""
        text = msgspec.json.encode(value)
        return SignedText(text.decode(), self.public, self._private.sign(text).hex())


def is_genuine(signed: SignedText) -> bool:
    """Whether the text was signed with that key."""
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(signed.key))
        public.verify(bytes.fromhex(signed.signature), signed.text.encode())
    except (InvalidSignature, ValueError):
        return False
    return True


def proposer(order: EpochOrder, signers: Mapping[str, ChannelUser]) -> EpochProposal:
    """Who proposed what, if the signature is theirs and they may.

    Raises:
        EpochOrderRefused: it is not, or they may not.
    """
    proposal: EpochProposal = _value(order.proposal, EpochProposal)
    _vouch(order.proposal, proposal.who, signers, MAY_PROPOSE, "propose")
    if proposal.what != WHAT:
        raise EpochOrderRefused(f"an order of another kind: {proposal.what}")
    return proposal


def check(order: EpochOrder, signers: Mapping[str, ChannelUser]) -> tuple[EpochProposal, EpochApproval]:
    """Both halves of an order, if both signatures are what they say and of two persons who may.

    Raises:
        EpochOrderRefused: something about it is not in order.
    """
    proposal = proposer(order, signers)
    if order.approval is None:
        raise EpochOrderRefused("nobody has approved it")
    approval: EpochApproval = _value(order.approval, EpochApproval)
    _vouch(order.approval, approval.who, signers, MAY_APPROVE, "approve")
    if approval.proposed != order.proposal.signature:
        raise EpochOrderRefused("it approves another proposal")
    if same_person(approval.who, proposal.who):
        raise EpochOrderRefused(f"{proposal.who} proposed it; another person must approve")
    return proposal, approval


def ruling_fault(facts: Mapping[str, str], identity: Identity, signers: Mapping[str, ChannelUser] | None = None) -> str:
    """What a journal states of its beginning that two operators did not sign; empty: nothing, or nothing was signed.

    ``facts``: what the journal states, which no seal covers. ``signers``: also whether the keys are those of the
    persons named, and may order that.
    """
    if "order" not in facts:
        return ""
    try:
        order = EpochOrder.read(facts["order"].encode())
        if order.approval is None:
            return "nobody has approved it"
        proposal: EpochProposal = _value(order.proposal, EpochProposal)
        approval: EpochApproval = _value(order.approval, EpochApproval)
        if signers is not None:
            check(order, signers)
    except EpochOrderRefused as refused:
        return str(refused)
    if not is_genuine(order.proposal) or not is_genuine(order.approval):
        return "a signature of it does not hold"
    if approval.proposed != order.proposal.signature:
        return "it approves another proposal"
    signed = (proposal.site, proposal.table, proposal.follows, proposal.who.strip(), approval.who.strip(), proposal.why)
    stated = (identity.site, identity.table, *(facts.get(key, "") for key in ("follows", "who", "witness", "why")))
    return "" if signed == stated else "what the journal states of it is not what was signed"


def _vouch(signed: SignedText, who: str, signers: Mapping[str, ChannelUser], roles: frozenset[Role], deed: str) -> None:
    known = signers.get(signed.key)
    if known is None or known.name != who or not is_genuine(signed):
        raise EpochOrderRefused(f"the signature is not {who}'s")
    if not known.roles & roles:
        raise EpochOrderRefused(f"to {deed} a new epoch is for {' or '.join(sorted(roles))}; {who} is not")


@reads_outside(EpochOrderRefused)
def _order(data: bytes) -> EpochOrder:
    try:
        order: EpochOrder = json_as(data, EpochOrder, limit_bytes=ORDER_LIMIT_BYTES)
    except DataRefused as error:
        raise EpochOrderRefused(f"no order to begin an epoch: {error}") from error
    return order


@reads_outside(EpochOrderRefused)
def _value(signed: SignedText, kind: type[Any]) -> Any:  # noqa: ANN401 - what the caller names
    try:
        return json_as(signed.text, kind, limit_bytes=ORDER_LIMIT_BYTES)
    except DataRefused as error:
        raise EpochOrderRefused(f"no {kind.__name__.lower()}: {error}") from error
