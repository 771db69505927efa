"""What the table publishes: facts. Nothing published is ever taken back.

Raw facts go out with the reading they rest on; inferred facts when every legal play agrees on them. Money is integer
cents; ``card`` is the number of the reading that brought the card; spots count from 1, hands from 0, left to right.
"""

from __future__ import annotations

import msgspec

from controller.core.game.wager import Basis, LockedWager
from controller.core.messages.advice import PaymentAdvised
from controller.core.messages.alerts import Alert
from controller.core.messages.floor_events import (
    BoxDeclared,
    CardAssigned,
    CardSet,
    CorrectionEntered,
    InventoryEntered,
    OrderProposed,
    RoundResumed,
    RoundVoided,
    RulingProposed,
    Vouched,
)
from controller.core.messages.house import GamingDay
from controller.core.messages.meter_events import MeterEvent
from firmware_protocols.values import Value

# --- the process ------------------------------------------------------------------------------------


class TableStarted(Value, frozen=True, omit_defaults=True, tag="table_started"):
    """The daemon has started."""

    version: str
    """The program's version."""
    profile: str
    """The house's rules by name."""
    profile_hash: str
    """SHA-256 of the rules and options in force, hex."""
    restart: bool
    """Whether it ran before in this epoch."""
    round_open: bool
    """Whether a round is open."""
    unpaired: tuple[str, ...] = ()
    """Devices whose line should be paired and is not (``docs/reference/mystery-trigger.md#a-paired-line``); left out
    where there is no such device.
    """
    currency: str = ""
    """The currency of amounts (ISO 4217); left out where the table file does not name one."""
    gaming_day: GamingDay | None = None
    """The house's day; left out where the table file does not say."""


class SoftwareChecked(Value, frozen=True, tag="software_checked"):
    """The program was compared with the list of its files.

    If the check did not pass, the daemon ends.

    A table whose file names no list never publishes this event (``docs/guide/operations.md#the-program-itself``).
    """

    when: str
    """``start``; ``hour``: while it runs; ``draw``: before the number of a must-hit-by meter was drawn."""
    passed: bool
    """Whether it is the program listed."""
    digest: str
    """SHA-256 of the list of the program as it is, hex."""
    files: int
    """How many files were compared with the list, libraries included."""
    signed_by: str
    """The public key that vouches for the list, hex; empty: no signer."""
    detail: str
    """The fault, with the names of files; empty: no fault."""


class InternalError(Value, frozen=True, tag="internal_error"):
    """The program itself failed on a reading.

    The daemon ends; at its next start the table is on hold (``state/hold``).
    """

    reason: str


class DeviceStatusChanged(Value, frozen=True, tag="device_status_changed"):
    """A device became ready, was lost, or is faulty."""

    device: str
    state: str
    """``ready``, ``lost`` or ``faulty``."""
    detail: str
    """The fault, or the software version that the device reports, for display."""


# --- raw facts --------------------------------------------------------------------------------------


class CardDrawn(Value, frozen=True, tag="card_drawn"):
    """A card left the shoe. The event does not contain its face."""

    round: int | None
    """The round it belongs to; null: no round was open."""
    card: int
    position: int | None
    """The card's place among the round's cards, from 0 in the order drawn; null: no round was open."""
    commitment: str
    """HMAC-SHA-256 of the card's face, hex."""


class CardOpened(Value, frozen=True, tag="card_opened"):
    """A card lies face up in every legal play of the round."""

    card: int
    face: str
    """Rank and suit; ``??``: it could not be read."""
    nonce: str
    """The 32 bytes that open the commitment, hex."""


class CardBurned(Value, frozen=True, tag="card_burned"):
    """A card went to the discard rack unseen: the dealer had announced a burn. Its ``card_drawn`` precedes it."""

    card: int


class ShoeBegun(Value, frozen=True, tag="shoe_begun"):
    """A new shoe was announced: by the burn key between two rounds, or by ``tableside new-shoe``."""

    shoe: int
    """The shoe's number, counted from 1 within the epoch."""
    decks: int
    """How many decks the shoe was loaded with, by the profile."""
    who: str


class ShoeEnded(Value, frozen=True, tag="shoe_ended"):
    """A shoe is over.

    Before this event, nothing is published about the remaining cards of a shoe. Its burns are opened once as many cards
    have been drawn after them as a shoe is loaded with, for until then it may still be in use, whoever announced the
    next.
    """

    shoe: int
    """The shoe's number."""
    decks: int
    """How many decks the shoe was loaded with."""
    drawn: int
    """How many cards left the shoe."""
    burned: int
    """How many of them were burned."""
    unread: int
    """How many could not be read."""
    left: int | None
    """How many cards a person counted in the shoe afterwards; null: not counted."""
    cut_card: int | None
    """How many had been drawn when the cut card came; null: the cut card was not reported."""
    penetration_per_mille: int
    """The part of the shoe that was drawn, in thousandths, rounded down."""
    running_count: int
    """The Hi-Lo count of every card that lay open."""
    who: str


class ShoeCounted(Value, frozen=True, tag="shoe_counted"):
    """A person has counted the cards that are left in a shoe that is over; every count is published.

    One that differs from an earlier one of the same shoe raises the alert ``shoe_counts_differ``.
    """

    shoe: int
    """The shoe's number."""
    loaded: int
    """How many cards the shoe was loaded with."""
    drawn: int
    """How many cards left the shoe."""
    left: int
    """How many cards this person counted in it."""
    who: str
    vouched: str


class ChipsChanged(Value, frozen=True, tag="chips_changed"):
    """The value of a zone changed between two inventories."""

    spot: int
    zone: str
    before_cents: int
    after_cents: int
    chips: int
    """How many chips lie there now, unknown ones included."""


class KeyRead(Value, frozen=True, tag="key_read"):
    """The dealer pressed a key."""

    key: str
    """``A`` to ``Y``, row by row."""
    meaning: str
    """The key's meaning by the table's key map (``docs/reference/configuration.md#the-keys``)."""


class KeyUndone(Value, frozen=True, tag="key_undone"):
    """The dealer took back a key press with *undo*.

    The press no longer counts. Events published because of it remain published; a wager that was settled on it and now
    comes to another amount is adjusted (``wager_adjusted``, by ``dealer``).
    """

    round: int | None
    """The round; null: no round was open."""
    reading: int
    """The number of the reading that brought the key."""
    meaning: str
    """The key's meaning."""


# --- the round --------------------------------------------------------------------------------------


class RoundStarted(Value, frozen=True, tag="round_started"):
    """A round has begun, by the key *no more bets* or by its first card.

    The event is published before that card, and once for each round. The round ends with ``round_closed``, as ``void``
    where the key was taken back or there was no bet. Accounts count a round in the gaming day in which it closed.
    """

    round: int
    shoe: int | None
    """The shoe it is dealt from, as in ``shoe_begun``; null: none was announced in this epoch."""
    boxes: tuple[int, ...]
    """The spots where a main wager lay, ascending, as far as the readers had reported; ``betting_closed`` has the final
    wagers.
    """
    gaming_day: str | None = None
    """The date of the house's day in which it began, by its hour and time zone (``table_started``); null in older
    journals.
    """


class BettingClosed(Value, frozen=True, tag="betting_closed"):
    """Betting has closed. Published once every working reader has confirmed the moment of the lock."""

    round: int
    wagers: tuple[LockedWager, ...]
    """The wagers; ``bet`` is the zone. Zones without chips are not listed."""
    profile_hash: str = ""
    """SHA-256, in hex, of the rules and options the round is played and settled by."""


class CardDealt(Value, frozen=True, tag="card_dealt"):
    """The owner of a card.

    The initial deal's order is certain; the owner of a later card is published when every play agrees.
    """

    round: int
    card: int
    spot: int
    """The card's owner; 0: the dealer."""
    hand: int | None = None
    """In which of the spot's hands the card lies at this moment, from 0 on the left; null: it is the dealer's, or plays
    differ. A later split moves the hands to its right, and the right card of the pair: ``hand_completed`` names each
    hand's cards.
    """


class DealUnconfirmed(Value, frozen=True, tag="deal_unconfirmed"):
    """It is not certain which card of a deal is the hole card.

    The facts that the deal's second pass decides therefore stay closed until the dealer turns the hole card. This is
    not an alert: a pause in the deal is enough to cause it (``docs/reference/evidence.md#the-hole-card``).
    """

    round: int
    reason: str
    """The irregularity in the deal, in words; it does not depend on any face."""


class InsuranceTaken(Value, frozen=True, tag="insurance_taken"):
    """The insurance that counts, published when the offer has closed."""

    round: int
    spot: int
    cents: int
    """The amount that counts: at most what the rules allow."""


class HandDoubled(Value, frozen=True, tag="hand_doubled"):
    """A hand was doubled for ``cents`` more."""

    round: int
    spot: int
    hand: int
    cents: int
    """The amount added to the hand's stake; less than the wager: doubled for less."""


class HandsSplit(Value, frozen=True, tag="hands_split"):
    """A spot was split into ``hands`` hands."""

    round: int
    spot: int
    hands: int
    """How many hands the spot has now."""


class HandCompleted(Value, frozen=True, tag="hand_completed"):
    """A hand is over, and every legal play agrees on its result."""

    round: int
    spot: int
    hand: int
    cards: tuple[int, ...]
    """The hand's cards by number, in the order dealt."""
    total: int
    """The hand's best total; above 21: it broke."""
    stake_cents: int
    """Everything wagered on this hand."""


class SpotSurrendered(Value, frozen=True, tag="spot_surrendered"):
    """The player gave up the hand for half the wager."""

    round: int
    spot: int


class HoleCardRevealed(Value, frozen=True, tag="hole_card_revealed"):
    """The hole card lies face up; its ``card_opened`` follows."""

    round: int
    card: int
    """The hole card."""


class WagerSettled(Value, frozen=True, tag="wager_settled"):
    """The amount a wager is due.

    One settlement of the main wager covers all doubles and splits of the spot.

    ``evidence``: every legal play that explains the readings agrees, and the round rests on no person's word.
    ``answer``: every legal play agrees, and the round rests on a person's word too, be it an answer or an order: a
    question about its cards or its play was answered; one of its cards was named, struck or assigned; a box was
    declared for it or in it, or taken back; a spot was said to be dealt in or not, in this round or in those before it;
    a shoe was announced by an order before its deal, or a burn, and then it was asked if the cards are those counted;
    it was said from elsewhere than the keypad that a round is over, or that none had begun. All wagers of the round
    that are settled from then on have it, also those for which the word changes nothing. ``paid``: the legal
    plays differ, and the dealer's payment at the spot fits exactly one of the possible nets; published only at the end
    of the round. ``floor``: the floor ruled on this very wager, or two people granted its award.
    """

    round: int
    spot: int
    bet: str
    wager_cents: int
    """The wager as locked, or the insurance that counts; doubles and splits not included."""
    net_cents: int
    """The player's net: above 0 the house pays it, below 0 the player loses it, 0 is a push."""
    basis: Basis
    """``evidence``, ``answer`` or ``paid``, as above; ``floor``: the floor ruled the due."""
    readings: tuple[int, ...]
    """The numbers of the readings it rests on: all cards and keys of the round so far, and this spot's chips."""
    why: str
    """One sentence naming the rule; several hands are separated by ``;``, and ``; or:`` stands between the ways legal
    plays come to the same due.
    """
    jackpot_cents: int = 0
    """The part of ``net_cents`` that meters award; usually 0."""


class WagerUnresolved(Value, frozen=True, tag="wager_unresolved"):
    """The evidence leaves a wager open at the end of its round, because the legal plays differ.

    If the round waits for an answer (``round_pending``), a ``wager_settled`` may still follow; otherwise people must
    decide. In a round that ends ``irregular``, every wager that was not settled before has this event, with no nets,
    because its result is unknown.
    """

    round: int
    spot: int
    bet: str
    wager_cents: int
    """The wager; 0 for insurance whose amount itself is open."""
    possible_cents: tuple[int, ...]
    """The nets that remain possible, ascending; empty where the round is irregular."""


class WagerAdjusted(Value, frozen=True, tag="wager_adjusted"):
    """A settled wager comes to another amount, because of a ruling or a correction.

    The floor ruled on the wager, or the cards, boxes or keys it rested on were corrected. The earlier settlement
    remains published; this event replaces it. A wager made after the deal that the corrected up card does not offer is
    returned: its net becomes 0. The two nets are equal where the floor confirms a disputed settlement.
    """

    round: int
    spot: int
    bet: str
    wager_cents: int
    before_cents: int
    """The net until now: the player's gain in cents."""
    net_cents: int
    """The net from now on: the player's gain in cents."""
    who: str
    why: str
    basis: Basis
    """``floor``: people ruled on this very wager, and no later correction of the round changes it; otherwise its
    present basis, as in ``wager_settled``.
    """
    jackpot_cents: int = 0
    """The part of ``net_cents`` that meters award."""
    vouched: Vouched = msgspec.UNSET


class QuestionAsked(Value, frozen=True, tag="question_asked"):
    """The table asks people a question.

    It asks whether cards were missed, or, once the dealer's hand is complete and legal plays differ in the amounts due,
    for the one fact about the play whose answer helps most. ``docs/guide/operations.md#questions`` lists the questions.
    """

    question: int
    """The question's number; answers name it."""
    round: int | None
    """The round it is about; null: no round is open."""
    spot: int | None
    """The spot it is about; null: the whole table, or several spots."""
    text: str
    """The question, for display."""
    choices: tuple[str, ...]
    """The answers it takes."""


class DeniedWagers(Value, frozen=True, tag=False):
    """What lay at a spot in a round, and was no wager of it as a person said."""

    round: int
    wagers: tuple[LockedWager, ...]
    """The main wager and those beside it, as they lay there."""


class QuestionAnswered(Value, frozen=True, tag="question_answered"):
    """A person answered."""

    question: int
    answer: str
    """The answer given."""
    who: str
    vouched: str | msgspec.UnsetType = msgspec.UNSET
    """How the table knows who answered, as in ``order_approved``; left out where the dealer's keypad answered."""
    denied: DeniedWagers | msgspec.UnsetType = msgspec.UNSET
    """What lay at a spot that was not dealt in, as this answer says: it is no wager, unless the floor rules that it is
    one (``adjust``); left out where the answer denies none."""


class QuestionWithdrawn(Value, frozen=True, tag="question_withdrawn"):
    """A question no longer needs an answer: everything has been settled, or the floor must rule."""

    question: int


class RoundPending(Value, frozen=True, tag="round_pending"):
    """A round is over, and some of its wagers stay open until a question is answered.

    The next round may begin. At most three rounds wait; the oldest is then closed as ``open``.
    """

    round: int
    question: int
    """The question it waits for."""


class RoundClosed(Value, frozen=True, tag="round_closed"):
    """No further conclusions about this round follow; corrections may."""

    round: int
    dealer: tuple[int, ...]
    """The dealer's cards by number where every legal play agrees on them, otherwise empty."""
    legal_plays: int
    """How many legal plays explain the readings; 0 where the round is void or irregular."""
    outcome: str
    """``settled``, ``open`` (some wager is open), ``void`` (no card or no bets after all), ``irregular`` (the floor).
    """


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
    | ShoeCounted
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
    | OrderProposed
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
