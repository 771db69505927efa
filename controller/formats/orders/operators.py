"""Who may order what of a table: roles, their rights, and the file that says which person has which key.

The operator channel knows people in one of two ways. Over TCP each has a key of their own (ZeroMQ CURVE): the key says
who asks. On the table PC each role has a socket of its own, and who may open it is a matter of file rights: the socket
says the role, the kernel which user's process asks, and the person gives a name, which is recorded and proves nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, Any, Final, Literal, NamedTuple, get_args

import msgspec

from controller.core.persons import UNAUTHENTICATED, Authentication, is_seen, words_of
from controller.core.refusal_reason import RefusalCode, RefusalReason
from controller.formats.orders.person_names import disguised, look_alike, mixed_scripts, taken_for
from controller.formats.orders.requests import (
    NAME_LIMIT,
    REQUEST_LIMIT_BYTES,
    REQUEST_LIMIT_VALUES,
    VERBS,
    WORDS_LIMIT,
    Reply,
    is_signed,
    is_too_long,
)
from controller.formats.text.printable import misread_reason
from controller.formats.text.safe_parse import DataRefused, json_as, reads_outside
from controller.formats.text.struct_decoder import Mistake
from controller.formats.text.toml_schema import PublicKey, Section, read_sections

Role = Literal["dealer", "floor", "surveillance", "technician", "auditor"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)

PROTOCOL: Final = b"tableside.operator.v1"
"""The first frame of every message of the channel."""

FRAMES: Final = 4
"""Protocol, ``SITE/TABLE``, verb, the request as JSON."""

STATUS: Final = "status"
"""The verb that asks how the table is; everybody may."""

RIGHTS: Final[dict[str, frozenset[Role]]] = {
    STATUS: frozenset(ROLES),
    "answer": frozenset({"dealer", "floor"}),
    "ack": frozenset({"floor", "surveillance"}),
    "inventory": frozenset({"floor"}),
    "void": frozenset({"floor"}),
    "set-card": frozenset({"floor"}),
    "assign-card": frozenset({"floor"}),
    "declare-box": frozenset({"floor"}),
    "adjust": frozenset({"floor"}),
    "new-shoe": frozenset({"dealer", "floor"}),
    "verify-jackpot": frozenset({"floor", "surveillance"}),
    "pay-jackpot": frozenset({"floor"}),
    "order-move": frozenset({"floor", "technician"}),
    "approve-order": frozenset({"floor", "surveillance"}),
    "withdraw-order": frozenset({"floor", "surveillance", "technician"}),
    "reopen-meter": frozenset({"floor", "technician"}),
}
"""Which roles may ask for a verb. A verb that is missing here is nobody's."""


class OperatorRefused(Exception):  # noqa: N818
    """A request may not be carried out; the text says why."""

    def __init__(self, text: str, code: RefusalCode = "malformed") -> None:
        super().__init__(text)
        self.reason = RefusalReason(code, text)


SigningKey = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z", description="64 hex digits")]


class Operator(Section, frozen=True):
    """``[[operator]]``: a person, what they may do, and the public keys they may come with (an old and a new one).

    ``signs``: the keys by which what they sign is known (``tableside keys signing``).
    """

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=100, description="a name of 1 to 100 characters")]
    roles: Annotated[tuple[Role, ...], msgspec.Meta(min_length=1, description=f"roles out of {', '.join(ROLES)}")]
    keys: Annotated[tuple[PublicKey, ...], msgspec.Meta(max_length=2, description="one or two public keys")] = ()
    signs: Annotated[tuple[SigningKey, ...], msgspec.Meta(max_length=2, description="one or two signing keys")] = ()


class Operators(Section, frozen=True):
    """The whole file."""

    operator: tuple[Operator, ...] = ()


class ChannelUser(NamedTuple):
    """Who asks: the roles the channel vouches for, and the name where it vouches for that too (else empty).

    ``user``: at a role's socket, the number of the user whose process asks; None where the system does not say.
    """

    roles: frozenset[Role]
    name: str = ""
    user: int | None = None

    def person_text(self) -> str:
        """Who asks, as a text for people: the name, or the roles at the socket."""
        at_socket = f"{' or '.join(sorted(self.roles))} at the socket"
        return self.name or (at_socket if self.user is None else f"{at_socket} (user {self.user})")

    def vouched(self) -> Authentication:
        """How the channel knows who asks."""
        return Authentication("key" if self.name else "socket", tuple(sorted(self.roles)), self.user)


class ChannelRequest(NamedTuple):
    """What somebody asks for, and how the channel knows them."""

    verb: str
    payload: bytes
    vouched: Authentication = UNAUTHENTICATED
    client: str = ""
    """Who asks, as a text for people."""


def read_operators(text: str, name: str) -> Mapping[str, ChannelUser]:
    """The file ``name`` whose content is ``text``: who comes with which public key.

    Raises:
        ConfigError: with a line for each mistake.
    """
    found = read_sections(Operators, text, name, _twice)
    return {
        key: ChannelUser(frozenset(operator.roles), operator.name)
        for operator in found.operator
        for key in operator.keys
    }


def read_signers(text: str, name: str) -> dict[str, ChannelUser]:
    """The same file: who signs with which key, those without a key to connect with among them.

    Raises:
        ConfigError: with a line for each mistake.
    """
    found = read_sections(Operators, text, name, _twice)
    return {key: ChannelUser(frozenset(one.roles), one.name) for one in found.operator for key in one.signs}


def _twice(found: Operators) -> Iterable[Mistake]:
    """Names and keys that two people have."""
    names: list[str] = []
    keys: dict[str, str] = {}
    for number, operator in enumerate(found.operator):
        if not operator.keys and not operator.signs:
            yield Mistake(("operator", number), "expected keys, signs or both")
        if not is_seen(operator.name):
            yield Mistake(("operator", number, "name"), f"expected a name that can be seen, got {operator.name!r}")
        elif wrong := misread_reason(operator.name):
            yield Mistake(("operator", number, "name"), wrong)
        if wrong := mixed_scripts(operator.name):
            yield Mistake(("operator", number, "name"), f"expected {wrong}")
        alike = next((name for name in names if look_alike(name, operator.name)), None)
        if alike is not None:
            said = "is given twice" if alike == operator.name else f"looks like {alike!r}: a name is one person's"
            yield Mistake(("operator", number, "name"), f"{operator.name!r} {said}")
        names.append(operator.name)
        for field, key in [("keys", one) for one in operator.keys] + [("signs", one) for one in operator.signs]:
            if key in keys:
                yield Mistake(("operator", number, field), f"the key is {keys[key]}'s")
            keys.setdefault(key, operator.name)


def no_right(verb: str, roles: frozenset[Role]) -> RefusalReason | None:
    """Why somebody of these roles may not ask for a verb; None: they may."""
    if verb not in RIGHTS:
        return RefusalReason("unknown_verb", f"unknown command {verb[:40]!r}; expected one of {', '.join(RIGHTS)}")
    if RIGHTS[verb] & roles:
        return None
    text = f"{verb} is for {' or '.join(sorted(RIGHTS[verb]))}; you are {', '.join(sorted(roles))}"
    return RefusalReason("not_entitled", text)


@reads_outside(OperatorRefused)
def read_request(frames: list[bytes], table: str, asking: ChannelUser, owners: Collection[str] = ()) -> ChannelRequest:
    """What ``frames`` ask for, if they who ask may: with the name the channel vouches for, where it does.

    ``table`` is ``SITE/TABLE``. ``owners``: names of those who have keys of their own, to connect or to sign with, and
    ask in no other way.

    Raises:
        OperatorRefused: no request of this protocol, another table's, not this role's, or in another person's name.
    """
    if len(frames) != FRAMES or frames[0] != PROTOCOL:
        raise OperatorRefused(f"expected {PROTOCOL.decode()}, SITE/TABLE, a verb and JSON")
    if frames[1] != table.encode():
        raise OperatorRefused(f"this is table {table}")
    verb = frames[2].decode(errors="replace")
    if len(frames[3]) > REQUEST_LIMIT_BYTES:
        raise OperatorRefused(f"a request has at most {REQUEST_LIMIT_BYTES} bytes")
    if verb in VERBS and is_signed(frames[3]):
        # Who ordered it, and whether they may, follows from the signature.
        return ChannelRequest(verb, frames[3], asking.vouched(), asking.person_text())
    if refusal := no_right(verb, asking.roles):
        raise OperatorRefused(refusal.text, refusal.code)
    if verb not in VERBS:
        return ChannelRequest(verb, frames[3], asking.vouched(), asking.person_text())
    payload = _in_the_name(frames[3], asking.name) if asking.name else _in_no_owners_name(frames[3], owners)
    return ChannelRequest(verb, payload, asking.vouched(), asking.person_text())


def request_frames(table: str, verb: str, body: Mapping[str, Any]) -> list[bytes]:
    """The frames of a request."""
    return [PROTOCOL, table.encode(), verb.encode(), msgspec.json.encode(body)]


def refused_frames(reason: RefusalReason) -> list[bytes]:
    """The frames of a refusal."""
    return reply_frames(msgspec.json.encode(Reply("refused", reason.text, reason_code=reason.code)))


def reply_frames(payload: bytes) -> list[bytes]:
    """The frames of a reply."""
    return [PROTOCOL, payload]


def _in_the_name(payload: bytes, name: str) -> bytes:
    """A request in the name of who the key says it is."""
    body = _body(payload)
    if body.get("who", name) != name:
        raise OperatorRefused(f"your key is {name}'s; ask in that name, or in none", "not_entitled")
    return msgspec.json.encode({**body, "who": name})


def _in_no_owners_name(payload: bytes, owners: Collection[str]) -> bytes:
    """A request as it came, if its name is not, and may not be taken for, that of somebody with a key."""
    who = _body(payload).get("who")
    if isinstance(who, str) and (refusal := owners_name(who, owners)) is not None:
        raise OperatorRefused(refusal.text, refusal.code)
    return payload


def owners_name(who: str, owners: Collection[str]) -> RefusalReason | None:
    """Why nobody may ask in this name without a key; None: it is, and may be taken for, none of the key owners'.

    Nor is it in letters of another alphabet that read as plain ones.
    """
    if is_too_long(who):
        # To see whom it may be taken for takes time, and no request in it is carried out.
        return RefusalReason("malformed", f"who: expected 1 to {WORDS_LIMIT} characters that can be seen")
    if len(words_of(who)) > NAME_LIMIT:
        return RefusalReason("malformed", f"who: expected at most {NAME_LIMIT} words")
    owner = next((name for name in owners if who and taken_for(who, name)), None)
    if owner is None:
        # Whoever has proposed something at a socket may be looked for by the letters alone.
        wrong = disguised(who)
        return RefusalReason("malformed", "who: expected the plain letters that it looks like") if wrong else None
    text = f"{owner} has a key, and asks or signs with it; give the full name of who asks"
    return RefusalReason("not_entitled", text)


@reads_outside(OperatorRefused)
def _body(payload: bytes) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json_as(
            payload, dict[str, Any], limit_bytes=REQUEST_LIMIT_BYTES, limit_values=REQUEST_LIMIT_VALUES
        )
    except DataRefused as error:
        raise OperatorRefused(f"expected a JSON object: {error}") from error
    return found
