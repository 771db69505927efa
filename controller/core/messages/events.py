"""What the table publishes: facts. Nothing published is ever taken back.

Raw facts go out with the reading they rest on; inferred facts when every legal play agrees on them. Money is integer
cents; ``card`` is the number of the reading that brought the card; spots count from 1, hands from 0, left to right.
"""

from __future__ import annotations

from controller.core.game.wager import Basis, LockedWager
from controller.core.messages.advice import PaymentAdvised
from controller.core.messages.alerts import Alert
from controller.core.messages.floor_events import (
    BoxDeclared,
    CardAssigned,
    CardSet,
    CorrectionEntered,
    InventoryEntered,
    RoundResumed,
    RoundVoided,
    RulingProposed,
)
from controller.core.messages.gaming_day import GamingDay
from controller.core.messages.meter_events import MeterEvent
from controller.core.messages.software_events import SoftwareChecked
from firmware_protocols.values import Value

# --- the process ------------------------------------------------------------------------------------


class TableStarted(Value, frozen=True, omit_defaults=True, tag="table_started"):
    """The daemon runs (again). ``restart``: it ran before in this epoch; ``round_open``: in the middle of a round."""

    version: str
    profile: str
    profile_hash: str
    restart: bool
    round_open: bool
    unpaired: tuple[str, ...] = ()
    """Devices whose line ought to be paired and is not."""
    currency: str = ""
    """What a cent is the hundredth part of, by ISO 4217; empty: the house did not say."""
    gaming_day: GamingDay | None = None
    """The house's day and shifts; None: it did not say, and days are days of UTC."""


class InternalError(Value, frozen=True, tag="internal_error"):
    """Our own code failed on this reading; the daemon ends, and the next one holds the table until it is mended."""

    reason: str


class DeviceStatusChanged(Value, frozen=True, tag="device_status_changed"):
    """A device became ready, was lost, or is faulty."""

    device: str
    state: str
    detail: str


# --- raw facts --------------------------------------------------------------------------------------


class CardDrawn(Value, frozen=True, tag="card_drawn"):
    """A card left the shoe. ``position`` counts the round's cards from 0. The face stays closed.

    ``round`` and ``position`` are null outside a round.
    """

    round: int | None
    card: int
    position: int | None
    commitment: str


class CardOpened(Value, frozen=True, tag="card_opened"):
    """A card lies face up: its face and the 32 bytes that open the commitment of its ``CardDrawn``, in hex."""

    card: int
    face: str
    nonce: str


class CardBurned(Value, frozen=True, tag="card_burned"):
    """A card went to the discard rack unseen."""

    card: int


class ShoeBegun(Value, frozen=True, tag="shoe_begun"):
    """A new shoe of ``decks`` decks was announced; ``shoe`` counts them in the epoch."""

    shoe: int
    decks: int
    who: str


class ShoeEnded(Value, frozen=True, tag="shoe_ended"):
    """A shoe is over: what left it, ``burned`` and ``unread`` among it. ``left`` is null if nobody counted it.

    ``cut_card``: how many cards had been drawn when the cut card came, null if nobody said. ``penetration_per_mille``
    is the part of the shoe that was drawn, ``running_count`` the Hi-Lo count of all that lay open.
    """

    shoe: int
    decks: int
    drawn: int
    burned: int
    unread: int
    left: int | None
    cut_card: int | None
    penetration_per_mille: int
    running_count: int
    who: str


class ChipsChanged(Value, frozen=True, tag="chips_changed"):
    """The value of a zone changed between two inventories."""

    spot: int
    zone: str
    before_cents: int
    after_cents: int
    chips: int


class KeyRead(Value, frozen=True, tag="key_read"):
    """The dealer pressed a key; ``meaning`` by the table's key map."""

    key: str
    meaning: str


class KeyUndone(Value, frozen=True, tag="key_undone"):
    """The dealer took back a key press: ``reading`` is the number of the input that brought it.

    It counts no more. ``round`` is null if no round was open. What was told of it stays told; what was
    settled is adjusted.
    """

    round: int | None
    reading: int
    meaning: str


# --- the round --------------------------------------------------------------------------------------


class RoundStarted(Value, frozen=True, tag="round_started"):
    """A round has begun, by the key *no more bets* or its first card. ``shoe``: as in ``shoe_begun``; None: none was.

    ``boxes`` are the spots where a main wager lay, as far as the readers had told. ``betting_closed`` says what stands.
    ``gaming_day`` is the house's day by its date, in which the round began; None in journals of before.
    """

    round: int
    shoe: int | None
    boxes: tuple[int, ...]
    gaming_day: str | None = None


class BettingClosed(Value, frozen=True, tag="betting_closed"):
    """No more bets. ``wagers`` by spot; zones without chips are left out. ``profile_hash`` names the rules in force."""

    round: int
    wagers: tuple[LockedWager, ...]
    profile_hash: str = ""


class CardDealt(Value, frozen=True, tag="card_dealt"):
    """Whose a card is, in every legal play. ``spot`` 0 is the dealer.

    ``hand``: in which of the spot's hands it lay when this was told, from 0 on the left; None: the dealer's, or legal
    plays differ.
    """

    round: int
    card: int
    spot: int
    hand: int | None = None


class DealUnconfirmed(Value, frozen=True, tag="deal_unconfirmed"):
    """Which card of a deal is the hole card is not certain: its second pass stays closed until the turn, and why."""

    round: int
    reason: str


class InsuranceTaken(Value, frozen=True, tag="insurance_taken"):
    """The insurance wager counted when the offer closed."""

    round: int
    spot: int
    cents: int


class HandDoubled(Value, frozen=True, tag="hand_doubled"):
    """A hand was doubled for ``cents`` more."""

    round: int
    spot: int
    hand: int
    cents: int


class HandsSplit(Value, frozen=True, tag="hands_split"):
    """A spot was split into ``hands`` hands."""

    round: int
    spot: int
    hands: int


class HandCompleted(Value, frozen=True, tag="hand_completed"):
    """A hand is over, and every legal play agrees how: its cards by number, its best total, its whole stake."""

    round: int
    spot: int
    hand: int
    cards: tuple[int, ...]
    total: int
    stake_cents: int


class SpotSurrendered(Value, frozen=True, tag="spot_surrendered"):
    """The player gave up the hand for half the wager."""

    round: int
    spot: int


class HoleCardRevealed(Value, frozen=True, tag="hole_card_revealed"):
    """The hole card lies face up."""

    round: int
    card: int


class WagerSettled(Value, frozen=True, tag="wager_settled"):
    """What a wager is due: ``net_cents`` is the player's net. ``readings`` are the numbers of the inputs it rests on.

    ``why`` is one sentence naming the rule; ``jackpot_cents`` is what of the net the awards of meters are.
    """

    round: int
    spot: int
    bet: str
    wager_cents: int
    net_cents: int
    basis: Basis
    readings: tuple[int, ...]
    why: str
    jackpot_cents: int = 0


class WagerUnresolved(Value, frozen=True, tag="wager_unresolved"):
    """A wager the evidence leaves open at the end of its round: the nets that remain possible."""

    round: int
    spot: int
    bet: str
    wager_cents: int
    possible_cents: tuple[int, ...]


class WagerAdjusted(Value, frozen=True, tag="wager_adjusted"):
    """What a settled wager is due was corrected: ``before_cents`` no longer holds. Both are the player's net.

    ``basis`` is ``floor`` where people ruled on this very wager; else the round was corrected (its cards, boxes or
    keys) and the wager settled anew on that basis. The two nets are the same where a settlement in doubt is confirmed.
    """

    round: int
    spot: int
    bet: str
    wager_cents: int
    before_cents: int
    net_cents: int
    who: str
    why: str
    basis: Basis
    jackpot_cents: int = 0


class QuestionAsked(Value, frozen=True, tag="question_asked"):
    """What the table asks people. ``choices`` are the answers it takes.

    ``round`` and ``spot`` are null where the question is about none.
    """

    question: int
    round: int | None
    spot: int | None
    text: str
    choices: tuple[str, ...]


class QuestionAnswered(Value, frozen=True, tag="question_answered"):
    """A person answered."""

    question: int
    answer: str
    who: str


class QuestionWithdrawn(Value, frozen=True, tag="question_withdrawn"):
    """A question nobody needs to answer any more."""

    question: int


class RoundPending(Value, frozen=True, tag="round_pending"):
    """A round is over and wagers of it are open until a question is answered. The next round may begin."""

    round: int
    question: int


class RoundClosed(Value, frozen=True, tag="round_closed"):
    """A round is over. ``dealer``: the dealer's cards by number where every legal play agrees on them, else empty.

    ``outcome``: ``settled``, ``open`` (wagers left open), ``void`` (no card was dealt) or ``irregular`` (the floor must
    rule). ``legal_plays`` is their number, 0 when irregular or void.
    """

    round: int
    dealer: tuple[int, ...]
    legal_plays: int
    outcome: str


Event = (
    TableStarted
    | InternalError
    | SoftwareChecked
    | DeviceStatusChanged
    | CardDrawn
    | CardOpened
    | CardBurned
    | ShoeBegun
    | ShoeEnded
    | ChipsChanged
    | KeyRead
    | KeyUndone
    | RoundStarted
    | BettingClosed
    | CardDealt
    | DealUnconfirmed
    | InsuranceTaken
    | HandDoubled
    | HandsSplit
    | HandCompleted
    | SpotSurrendered
    | HoleCardRevealed
    | WagerSettled
    | WagerUnresolved
    | WagerAdjusted
    | RulingProposed
    | RoundVoided
    | InventoryEntered
    | CorrectionEntered
    | CardSet
    | CardAssigned
    | BoxDeclared
    | RoundResumed
    | QuestionAsked
    | QuestionAnswered
    | QuestionWithdrawn
    | PaymentAdvised
    | RoundPending
    | RoundClosed
    | MeterEvent
    | Alert
)
"""Everything the table may say."""
