"""What people may ask for over MQTT: JSON on ``cmd/{verb}``, answered on ``reply/{verb}``.

Every request names who asks; a correction also says why. A request may carry ``transaction``, any JSON value, which is
echoed in the reply.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any, Final

import msgspec

from controller.core.game.rule_checks import CENTS_LIMIT
from controller.core.messages.floor_events import ChipCount, Count
from controller.core.messages.inputs import (
    AcknowledgeAlert,
    AdjustWager,
    AnswerQuestion,
    AssignCard,
    DeclareBox,
    EnterInventory,
    MeterRuling,
    Ruling,
    SetCard,
    ShoeChanged,
    VoidRound,
)
from controller.core.persons import UNAUTHENTICATED, Authentication, folded, is_seen, words_of
from controller.core.refusal_reason import RefusalCode, RefusalReason
from controller.formats.orders.meter_requests import METER_VERBS, MeterRequest, meter_input
from controller.formats.orders.person_names import (
    disguised,
    divided_unseen,
    holds_no_letter,
    marks_figure,
    mixed_scripts,
)
from controller.formats.text.card_names import card_named
from controller.formats.text.printable import misread_reason
from controller.formats.text.safe_parse import DataRefused, json_as, outermost, reads_outside
from firmware_protocols.cards import DECK

REQUEST_LIMIT_BYTES: Final = 64 * 1024
"""Many times what any request needs."""

REQUEST_LIMIT_VALUES: Final = 1_000
"""The same: a request is read several times on its way, and a thousand values take a third of a millisecond each."""

WORDS_LIMIT: Final = 200
"""Characters of a name or a reason: a sentence or two, and no room to fill the journal with."""

NAME_LIMIT: Final = 20
"""Words of a name: each is compared with each of every other name."""

VALUES_LIMIT: Final = 40
"""Values of chips in one count; a rack has a dozen."""

OrderCents = Annotated[int, msgspec.Meta(ge=-CENTS_LIMIT, le=CENTS_LIMIT)]
CaseNumber = Annotated[str, msgspec.Meta(max_length=WORDS_LIMIT)]
"""The house's own number for a matter, such as surveillance's."""

ChipValue = Annotated[str, msgspec.Meta(pattern=r"^[1-9][0-9]{0,8}\Z", description="a chip's value in cents")]
Number = Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]
"""What is counted: questions, cards, rounds, spots. No count comes near it, and every language reads it exactly."""

GamingDate = Annotated[str, msgspec.Meta(pattern=r"^(20[0-9]{2}-[0-9]{2}-[0-9]{2}|today|yesterday|)\Z")]
"""The date of a gaming day, ``today`` or ``yesterday``."""

_PATTERNED: Final = {"gaming_day": "a date such as 2026-11-21, today or yesterday", "chips": 'cents, such as "2500"'}
"""What the fields expect whose text has a form."""

_MISSHAPEN: Final = re.compile(r"matching regex .* - at (?:`key` in )?`\$\.(\w+)")

UNREAD: Final = "none"
"""Stands for no face: the card was no card of the round."""


class CommandRefused(ValueError):  # noqa: N818 - named for what happened
    """The request cannot be carried out; the text says what was expected."""

    def __init__(self, text: str, code: RefusalCode = "malformed") -> None:
        super().__init__(text)
        self.reason = RefusalReason(code, text)


class AnswerRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cmd/answer``: the answer to a question the table asked, in any case, and who gives it."""

    question: Number
    answer: str
    who: str
    transaction: Any = None


class VoidRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cmd/void``: every wager of a round goes back."""

    round: Number
    who: str
    why: str
    case: CaseNumber = ""
    transaction: Any = None


class SetCardRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cmd/set-card``: the face of the card with this number, or ``none``: it was no card of the round.

    A face is named as ``8h``, ``Th`` or ``10h``; upper case and lower case are one.
    """

    card: Number
    face: str
    who: str
    why: str
    transaction: Any = None


class AssignCardRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cmd/assign-card``: whose the card with this number is; spot 0 is the dealer."""

    card: Number
    spot: Number
    who: str
    why: str
    transaction: Any = None


class DeclareBoxRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cmd/declare-box``: a box without chips is in play for so much; 0 takes it back before the first card."""

    spot: Number
    cents: OrderCents
    who: str
    why: str
    transaction: Any = None


class AdjustRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cmd/adjust``: what a wager is due, the player's net in cents."""

    round: Number
    spot: Number
    bet: str
    net_cents: OrderCents
    who: str
    why: str
    case: CaseNumber = ""
    transaction: Any = None


class AckRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cmd/ack``: a named person has seen an alert; ``note`` is what they made of it."""

    alert: Number
    who: str
    note: str = ""
    transaction: Any = None


class InventoryRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cmd/inventory``: a count of the rack or the drop box; ``chips`` gives how many of each value in cents.

    ``gaming_day`` (a date, ``today`` or ``yesterday``) and ``shift`` say what a count entered later belongs to.
    """

    kind: Count
    cents: OrderCents
    who: str
    why: str
    chips: Annotated[dict[ChipValue, Number], msgspec.Meta(max_length=VALUES_LIMIT)] = {}
    slip: Annotated[str, msgspec.Meta(max_length=WORDS_LIMIT)] = ""
    gaming_day: GamingDate = ""
    shift: Annotated[str, msgspec.Meta(max_length=WORDS_LIMIT)] = ""
    transaction: Any = None


class NewShoeRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cmd/new-shoe``: a new shoe is in use; ``left`` is how many cards were counted in the old one."""

    who: str
    left: Annotated[int, msgspec.Meta(ge=0, le=8 * 52)] | None = None
    transaction: Any = None


FloorRequest = (
    AnswerRequest
    | AckRequest
    | NewShoeRequest
    | InventoryRequest
    | VoidRequest
    | SetCardRequest
    | AssignCardRequest
    | DeclareBoxRequest
    | AdjustRequest
    | MeterRequest
)

VERBS: Final[dict[str, tuple[type[FloorRequest], str]]] = {
    "answer": (AnswerRequest, '{"question": 1, "answer": "no", "who": "name"}'),
    "ack": (AckRequest, '{"alert": 1, "who": "name"}'),
    "new-shoe": (NewShoeRequest, '{"who": "name"}'),
    "inventory": (InventoryRequest, '{"kind": "fill", "cents": 50000, "who": "name", "why": "rack low"}'),
    "void": (VoidRequest, '{"round": 1, "who": "name", "why": "misdeal"}'),
    "set-card": (SetCardRequest, '{"card": 17, "face": "8h", "who": "name", "why": "seen on the felt"}'),
    "assign-card": (AssignCardRequest, '{"card": 17, "spot": 3, "who": "name", "why": "seen on the felt"}'),
    "declare-box": (DeclareBoxRequest, '{"spot": 3, "cents": 2500, "who": "name", "why": "plays cash"}'),
    "adjust": (
        AdjustRequest,
        '{"round": 1, "spot": 3, "bet": "main", "net_cents": 0, "who": "name", "why": "dead hand"}',
    ),
    **METER_VERBS,
}
"""What each verb asks for, and an example of it."""


class Reply(msgspec.Struct, frozen=True):
    """``status`` is ``accepted`` or ``refused``; ``text`` says why it was refused, or what is still to be done.

    ``reason_code``: of a refusal alone, for programs; ``text`` may be worded anew.
    ``epoch``, in the answer to ``status`` alone: of the table's journal, as a signed order names it.
    """

    status: str
    text: str
    transaction: Any = None
    epoch: int | msgspec.UnsetType = msgspec.UNSET
    reason_code: RefusalCode | None = None


def is_signed(payload: bytes) -> bool:
    """Whether a request is a signed order: it then stands or falls by its signature, whoever brings it."""
    return _outermost(payload, "signature") is not None


def named_in(payload: bytes) -> str:
    """The name in which a request asks; empty: it gives none."""
    who = _outermost(payload, "who")
    return who if isinstance(who, str) else ""


def _outermost(payload: bytes, key: str) -> Any:  # noqa: ANN401 - any JSON value
    return outermost(payload, key, REQUEST_LIMIT_BYTES, REQUEST_LIMIT_VALUES)


@reads_outside(CommandRefused)
def read_command(verb: str, payload: bytes) -> FloorRequest:
    """What a request asks for.

    Raises:
        CommandRefused: an unknown verb, not JSON, an unknown field, a wrong type, nobody named, no reason given, or
            words and counts that no order has.
    """
    wanted = order_in_form(verb, payload)
    _refuse_unfit(wanted)
    return wanted


@reads_outside(CommandRefused)
def order_in_form(verb: str, payload: bytes) -> FloorRequest:
    """What a request asks for, whether or not it would be taken now: an order on record was taken by the rules of then.

    Raises:
        CommandRefused: an unknown verb, not JSON, an unknown field or a wrong type.
    """
    if verb not in VERBS:
        raise CommandRefused(f"unknown command {verb[:40]!r}; expected one of {', '.join(VERBS)}", "unknown_verb")
    kind, example = VERBS[verb]
    try:
        wanted: FloorRequest = json_as(
            payload, kind, limit_bytes=REQUEST_LIMIT_BYTES, limit_values=REQUEST_LIMIT_VALUES
        )
    except DataRefused as error:
        field = _MISSHAPEN.search(str(error))
        if field is not None and field[1] in _PATTERNED:
            raise CommandRefused(f"{field[1]}: expected {_PATTERNED[field[1]]}") from error
        raise CommandRefused(f"{error}; expected {example}") from error
    return wanted


def _refuse_unfit(wanted: FloorRequest) -> None:
    """Refuse words and counts that no order has.

    Raises:
        CommandRefused: with the field, and what was expected.
    """
    for key in ("who", "why"):
        words = getattr(wanted, key, "-")
        if is_too_long(words) or not is_seen(words):
            raise CommandRefused(f"{key}: expected 1 to {WORDS_LIMIT} characters that can be seen")
    case = getattr(wanted, "case", "")
    if case and not is_seen(case):
        raise CommandRefused("case: expected a number that can be seen")
    _refuse_no_name(wanted.who)
    if isinstance(wanted, InventoryRequest):
        refuse_miscounted(wanted)
        refuse_no_day(wanted)
        refuse_disguised_slip(wanted.slip)
    refuse_long_words(wanted)
    refuse_unprintable(wanted)


def _refuse_no_name(who: str) -> None:
    """Refuse a name that is another than it seems, or is none.

    Raises:
        CommandRefused: with what was expected.
    """
    if holds_no_letter(who) or divided_unseen(who):
        raise CommandRefused("who: expected plain spaces and characters that can be seen")
    if len(words_of(who)) > NAME_LIMIT:
        raise CommandRefused(f"who: expected at most {NAME_LIMIT} words")
    if wrong := mixed_scripts(who):
        raise CommandRefused(f"who: expected {wrong}")


def is_too_long(words: str) -> bool:
    """Whether words have too many characters, or stand for too many: one ligature may be a sentence."""
    return len(words) > WORDS_LIMIT or len(folded(words)) > WORDS_LIMIT


def refuse_disguised_slip(slip: str) -> None:
    """Refuse a slip's number that nobody sees, or that is written in other letters than it seems.

    Raises:
        CommandRefused: with what to write.
    """
    if is_too_long(slip):
        raise CommandRefused(f"slip: expected at most {WORDS_LIMIT} characters")
    if slip and (holds_no_letter(slip) or not is_seen(slip)):
        raise CommandRefused("slip: expected a number that can be seen")
    if marks_figure(slip):
        raise CommandRefused("slip: expected a number without marks on its figures")
    if wrong := mixed_scripts(slip):
        raise CommandRefused(f"slip: expected a number{wrong.removeprefix('a name')}")
    if disguised(slip):
        raise CommandRefused("slip: expected the plain letters that it looks like")


def refuse_long_words(wanted: FloorRequest) -> None:
    """Refuse words that would fill the journal; ``transaction``, which goes into the reply alone, may be longer.

    Raises:
        CommandRefused: with the field that is too long.
    """
    for key in wanted.__struct_fields__:
        if key != "transaction" and any(len(words) > WORDS_LIMIT for words in words_in(getattr(wanted, key))):
            raise CommandRefused(f"{key}: expected at most {WORDS_LIMIT} characters")


def refuse_unprintable(wanted: FloorRequest) -> None:
    """Refuse words that are shown as others than they are: a page and a printed account give them as they came.

    Raises:
        CommandRefused: with the character, and what to do.
    """
    for key in wanted.__struct_fields__:
        if key != "transaction" and (wrong := misread_reason("".join(words_in(getattr(wanted, key))))):
            raise CommandRefused(f"{key}: {wrong}")


def words_in(value: object) -> Iterator[str]:
    """Every text of a field, however deep it lies."""
    match value:
        case str():
            yield value
        case dict():
            yield from (words for pair in value.items() for one in pair for words in words_in(one))
        case list() | tuple():
            yield from (words for one in value for words in words_in(one))
        case msgspec.Struct():
            yield from (words for key in value.__struct_fields__ for words in words_in(getattr(value, key)))
        case _:
            pass


def refuse_miscounted(wanted: InventoryRequest) -> None:
    """Refuse chips of which there are none, that go the other way than the rest, or do not come to the amount.

    Raises:
        CommandRefused: with what is wrong.
    """
    for value, count in wanted.chips.items():
        if not count:
            raise CommandRefused(f"chips: expected how many of {value} cents, got 0")
    total = sum(int(value) * count for value, count in wanted.chips.items())
    side = "less" if total < 0 else "more"
    for value, count in wanted.chips.items():
        if (count < 0) != (total < 0):
            text = f"chips: expected {side} than 0 of {value} cents, as of the whole count, got {count}"
            raise CommandRefused(f"{text}; enter what goes the other way as a count of its own")
    if wanted.chips and total != wanted.cents:
        raise CommandRefused(f"chips: come to {total} cents, and cents says {wanted.cents}")


def refuse_no_day(wanted: InventoryRequest) -> None:
    """Refuse a date that no calendar has, and a shift of no day.

    Raises:
        CommandRefused: with what is wrong.
    """
    if wanted.shift and not wanted.gaming_day:
        raise CommandRefused('shift: expected gaming_day with it, such as "yesterday"')
    if wanted.gaming_day[:1].isdigit():
        try:
            date.fromisoformat(wanted.gaming_day)
        except ValueError as error:
            raise CommandRefused(f"gaming_day: expected a date such as 2026-11-21, got {wanted.gaming_day}") from error


def set_card_of(wanted: SetCardRequest, at_ns: int) -> SetCard:
    """The ruling on a card's face; a name that is no card's is refused by the table, as any other ruling may be."""
    card, who, why = wanted.card, wanted.who, wanted.why
    if wanted.face.strip().casefold() == UNREAD:
        return SetCard(at_ns, card, None, who, why)
    face = card_named(wanted.face)
    misnamed = "" if face is not None else wanted.face[:WORDS_LIMIT] or "''"
    return SetCard(at_ns, card, face, who, why, misnamed=misnamed)


def to_the_letter(wanted: FloorRequest, given: object) -> object:
    """``given``, which ``input_of`` made of ``wanted``, as it was recorded when words were taken to the letter."""
    if isinstance(wanted, AnswerRequest) and isinstance(given, AnswerQuestion):
        return msgspec.structs.replace(given, answer=wanted.answer)
    if isinstance(wanted, SetCardRequest) and isinstance(given, SetCard) and wanted.face not in {UNREAD, *DECK}:
        return msgspec.structs.replace(given, face=None, misnamed=wanted.face[:WORDS_LIMIT] or "''")
    return given


def inventory_of(wanted: InventoryRequest, at_ns: int) -> EnterInventory:
    """The count as the table is given it, the highest value first."""
    chips = tuple(ChipCount(int(value), count) for value, count in wanted.chips.items())
    ordered = tuple(sorted(chips, key=lambda one: -one.value_cents))
    of_time = (wanted.gaming_day, wanted.shift)
    return EnterInventory(at_ns, wanted.kind, wanted.cents, ordered, wanted.slip, wanted.who, wanted.why, *of_time)


def input_of(
    wanted: FloorRequest, at_ns: int, vouched: Authentication = UNAUTHENTICATED
) -> AnswerQuestion | AcknowledgeAlert | ShoeChanged | EnterInventory | Ruling | MeterRuling:
    """What the table is given; ``vouched``: how the channel knows who asks."""
    match wanted:
        case AnswerRequest(question, answer, who):
            # Choices are written without capital letters.
            return AnswerQuestion(at_ns, question, answer.strip().casefold(), who, vouched)
        case AckRequest(alert, who, note):
            return AcknowledgeAlert(at_ns, alert, who, note, vouched)
        case NewShoeRequest(who, left):
            return ShoeChanged(at_ns, -1 if left is None else left, who, vouched)
        case InventoryRequest():
            return msgspec.structs.replace(inventory_of(wanted, at_ns), vouched=vouched)
        case VoidRequest(number, who, why, case):
            return VoidRound(at_ns, number, who, why, vouched, case)
        case SetCardRequest():
            return msgspec.structs.replace(set_card_of(wanted, at_ns), vouched=vouched)
        case AssignCardRequest(card, spot, who, why):
            return AssignCard(at_ns, card, spot, who, why, vouched)
        case DeclareBoxRequest(spot, cents, who, why):
            return DeclareBox(at_ns, spot, cents, who, why, vouched)
        case AdjustRequest(number, spot, bet, net_cents, who, why, case):
            return AdjustWager(at_ns, number, spot, bet, net_cents, who, why, vouched, case)
        case _:
            return meter_input(wanted, at_ns, vouched)


def reply_bytes(
    request: bytes,
    refusal: RefusalReason | None = None,
    remark: str = "",
    epoch: int | msgspec.UnsetType = msgspec.UNSET,
) -> bytes:
    """The reply to a request; ``refusal`` is None where it was accepted, ``remark`` what is to be said of it then."""
    transaction = _outermost(request, "transaction")
    if refusal is None:
        return msgspec.json.encode(Reply("accepted", remark, transaction, epoch))
    return msgspec.json.encode(Reply("refused", refusal.text, transaction, epoch, refusal.code))
