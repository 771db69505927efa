"""What is stepped: readings of devices and words of people, stamped on the impure floor."""

from __future__ import annotations

from enum import StrEnum

from controller.core.game.wager import RoundBook
from controller.core.messages.floor_events import ChipCount, Count
from controller.core.messages.house import House
from controller.core.meters.pool_postings import TablePostingOutcome
from controller.core.meters.state import MeterChange
from controller.core.persons import UNAUTHENTICATED, Authentication, SignedText
from firmware_protocols.cards import Card
from firmware_protocols.readings import Reading
from firmware_protocols.values import Value


class DaemonStarted(Value, frozen=True, tag="started"):
    """The daemon started. The first of an epoch finds no table; every later one is a restart.

    It brings the ``house`` that holds until the next start, so that a journal can be replayed with nothing beside it.
    ``version`` is the code's.
    """

    at_ns: int
    version: str
    house: House


class AnswerQuestion(Value, frozen=True, tag="answered"):
    """A person answered question ``question``; ``who`` as the operator channel knows them."""

    at_ns: int
    question: int
    answer: str
    who: str
    vouched: Authentication = UNAUTHENTICATED


class VoidRound(Value, frozen=True, tag="void_round"):
    """The floor voids a round: every wager goes back. ``who`` and ``why`` as the operator channel knows them."""

    at_ns: int
    round: int
    who: str
    why: str
    vouched: Authentication = UNAUTHENTICATED
    case: str = ""
    """The house's own number for the matter; a round that was recalled needs one."""


class SetCard(Value, frozen=True, tag="set_card"):
    """The floor names the face of the card of reading ``card``; None: it was no card of the round.

    ``misnamed`` is what was said where it is the name of no card; nothing else of it counts then.
    """

    at_ns: int
    card: int
    face: Card | None
    who: str
    why: str
    misnamed: str = ""
    vouched: Authentication = UNAUTHENTICATED


class AssignCard(Value, frozen=True, tag="assign_card"):
    """The floor says whose the card of reading ``card`` is; ``spot`` 0 is the dealer."""

    at_ns: int
    card: int
    spot: int
    who: str
    why: str
    vouched: Authentication = UNAUTHENTICATED


class DeclareBox(Value, frozen=True, tag="declare_box"):
    """The floor says that a box without chips is in play for ``cents``; 0 takes it back before the first card."""

    at_ns: int
    spot: int
    cents: int
    who: str
    why: str
    vouched: Authentication = UNAUTHENTICATED


class AdjustWager(Value, frozen=True, tag="adjust_wager"):
    """The floor rules what a wager is due: the player's net in cents."""

    at_ns: int
    round: int
    spot: int
    bet: str
    net_cents: int
    who: str
    why: str
    vouched: Authentication = UNAUTHENTICATED
    case: str = ""
    """The house's own number for the matter; a round that was recalled needs one."""


class AcknowledgeAlert(Value, frozen=True, tag="acknowledged"):
    """A named person has seen alert ``alert``; ``note`` is what they made of it, and may be empty."""

    at_ns: int
    alert: int
    who: str
    note: str
    vouched: Authentication = UNAUTHENTICATED


class ShoeChanged(Value, frozen=True, tag="shoe_changed"):
    """A person announces a new shoe; ``left`` is how many cards they counted in the old one, -1: not counted."""

    at_ns: int
    left: int
    who: str
    vouched: Authentication = UNAUTHENTICATED


class EnterInventory(Value, frozen=True, tag="enter_inventory"):
    """The floor enters what was counted: ``cents`` in all, of which ``chips`` by value where they were counted so.

    ``slip`` is the number on the paper, and may be empty. A negative amount takes back an earlier one. ``gaming_day``
    and ``shift`` say what a count that is entered later belongs to: a date, ``today`` or ``yesterday``, and a name of
    the table file; empty: the time at which it is entered.
    """

    at_ns: int
    kind: Count
    cents: int
    chips: tuple[ChipCount, ...]
    slip: str
    who: str
    why: str
    gaming_day: str = ""
    shift: str = ""
    vouched: Authentication = UNAUTHENTICATED


class BookRecalled(Value, frozen=True, tag="book_recalled"):
    """The journal gives back what the wagers of a round came to, so that people can still rule on it."""

    at_ns: int
    book: RoundBook


class VerifyJackpot(Value, frozen=True, tag="verify_jackpot"):
    """A person found an award of a meter to be in order."""

    at_ns: int
    jackpot: int
    who: str
    why: str
    vouched: Authentication = UNAUTHENTICATED


class PayJackpot(Value, frozen=True, tag="pay_jackpot"):
    """Another person says that an award was paid."""

    at_ns: int
    jackpot: int
    who: str
    why: str
    vouched: Authentication = UNAUTHENTICATED


class ProposeMeterChange(Value, frozen=True, tag="propose_move"):
    """A person proposes to move a meter, or to refuse an award."""

    at_ns: int
    meter: str
    move: MeterChange
    who: str
    why: str
    vouched: Authentication = UNAUTHENTICATED


class ApproveOrder(Value, frozen=True, tag="approve_order"):
    """Another person approves a proposal: it is carried out."""

    at_ns: int
    order: int
    who: str
    vouched: Authentication = UNAUTHENTICATED


class WithdrawOrder(Value, frozen=True, tag="withdraw_order"):
    """A person takes a proposal back."""

    at_ns: int
    order: int
    who: str
    why: str
    vouched: Authentication = UNAUTHENTICATED


class ReopenMeter(Value, frozen=True, tag="reopen_meter"):
    """A person lets a linked meter be won again after a long outage of its link."""

    at_ns: int
    meter: str
    who: str
    why: str
    vouched: Authentication = UNAUTHENTICATED


MeterRuling = VerifyJackpot | PayJackpot | ProposeMeterChange | ApproveOrder | WithdrawOrder | ReopenMeter
"""What people do with meters and jackpots."""


class PoolStateRead(Value, frozen=True, tag="link_heard"):
    """What the link says of a linked meter: what its pool shows, None where that is not known, and why it is closed."""

    at_ns: int
    meter: str
    shown_cents: int | None
    closed: str


class PoolEntryRead(Value, frozen=True, tag="link_entered"):
    """The ledger's answer to posting ``seq`` of this journal: its place in the ledger, and what came of it."""

    at_ns: int
    meter: str
    seq: int
    entry: int
    shown_cents: int
    outcome: TablePostingOutcome


PoolReading = PoolStateRead | PoolEntryRead
"""What comes from the pools of many tables."""


class OpeningRefuted(Value, frozen=True, tag="opening_refuted"):
    """The daemon found that a card it opened with ``face`` was committed to as another when it was drawn."""

    at_ns: int
    card: int
    face: str


class RevealRefuted(Value, frozen=True, tag="reveal_refuted"):
    """The daemon found that what the trigger box revealed of ``cycle`` cannot be; ``text``: why."""

    at_ns: int
    cycle: int
    text: str


class FitnessLevel(StrEnum):
    """How fit the table is for another round in one respect."""

    FIT = "fit"
    WARNED = "warned"
    CLOSED = "closed"


class FitnessReported(Value, frozen=True, tag="fitness_told"):
    """The process found out how fit the table is in one respect, ``cause``; ``text`` is the finding, for display."""

    at_ns: int
    cause: str
    level: FitnessLevel
    text: str


class SoftwareInspected(Value, frozen=True, tag="software_looked"):
    """The daemon compared its program with the list of its files; ``when`` is ``start``, ``hour`` or ``draw``.

    ``digest`` is of the list of the program as it is, ``files`` how many were compared with the list, ``signed_by`` the
    public key that vouches for it (empty: no signer). Where it did not pass, ``detail`` names what is wrong.
    """

    at_ns: int
    when: str
    passed: bool
    digest: str
    files: int
    signed_by: str
    detail: str


class ReadingsHeld(Value, frozen=True, tag="readings_held"):
    """The process was held back for ``held_ns`` and then read cards and keys at once: their order is not known."""

    at_ns: int
    held_ns: int


Ruling = VoidRound | SetCard | AssignCard | DeclareBox | AdjustWager
"""What the floor may correct."""


class DeadlinePassed(Value, frozen=True, tag="deadline_passed"):
    """The clock: up to ``at_ns`` no reading had come but those before this input. The table asks for it."""

    at_ns: int


class DayBegan(Value, frozen=True, tag="day_began"):
    """The house's gaming day is another from here on, or the daemon started in it. ``day`` is its date."""

    at_ns: int
    day: str


Input = (
    Reading
    | DaemonStarted
    | AnswerQuestion
    | AcknowledgeAlert
    | ShoeChanged
    | EnterInventory
    | BookRecalled
    | OpeningRefuted
    | RevealRefuted
    | FitnessReported
    | SoftwareInspected
    | ReadingsHeld
    | DeadlinePassed
    | DayBegan
    | Ruling
    | MeterRuling
    | PoolReading
)
"""Everything that may be stepped."""


class SignedOrder(Value, frozen=True, tag=False):
    """An order as its operator signed it, and the ``number`` in it: a number of one key is carried out only once."""

    signed: SignedText
    number: int


class StampedInput(Value, frozen=True, tag="stamped"):
    """An input with what it was given when it came in.

    ``number`` counts inputs of the epoch from 1 without a gap. ``at_ns`` is monotonic, ``wall_ns`` since 1970 UTC, for
    people. ``nonce`` is 32 random bytes. For a card, ``commitment`` is the HMAC-SHA-256 of its face under ``nonce``, in
    hex, and ``closed`` says that face and nonce are withheld (replay without the key): the face then reads as None.
    ``order`` is the signed order that this input was made of.
    """

    number: int
    at_ns: int
    wall_ns: int
    nonce: bytes
    input: Input
    commitment: str = ""
    closed: bool = False
    order: SignedOrder | None = None
