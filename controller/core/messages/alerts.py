"""Alerts an operator should see. They are published like all other events and once more under ``alert/``.

Money is integer cents; spots count from 1.
"""

from __future__ import annotations

from controller.core.messages.meter_events import MeterAlert
from controller.core.messages.raised_alerts import AlertAcknowledged, AlertRaised
from controller.core.refusal_reason import RefusalCode
from firmware_protocols.values import Value


class BetIncreasedAfterLock(Value, frozen=True, tag="bet_increased_after_lock"):
    """A wager rose after the lock; the locked wager stands."""

    round: int
    spot: int
    zone: str
    before_cents: int
    after_cents: int


class BetDecreasedAfterLock(Value, frozen=True, tag="bet_decreased_after_lock"):
    """A wager fell after the lock; the locked wager stands."""

    round: int
    spot: int
    zone: str
    before_cents: int
    after_cents: int


class ChipsUnexplained(Value, frozen=True, tag="chips_unexplained"):
    """No legal play explains this change of chips; it was left out of the account."""

    round: int
    spot: int
    zone: str
    before_cents: int
    after_cents: int


class ChipsExchanged(Value, frozen=True, tag="chips_exchanged"):
    """Other chips of the same value: no meaning in the game."""

    spot: int
    zone: str
    cents: int


class InsuranceTooLarge(Value, frozen=True, tag="insurance_too_large"):
    """More on the insurance line than the card allows; ``counted_cents`` count."""

    round: int
    spot: int
    cents: int
    counted_cents: int


class WagerOutsideLimits(Value, frozen=True, tag="wager_outside_limits"):
    """A wager below or above what the table's sign allows (null: no such limit). Dealt to, it stands in its entirety.

    COMAR 36.05.03.14 C.
    """

    round: int
    spot: int
    bet: str
    cents: int
    least_cents: int | None
    most_cents: int | None


class SideBetWithoutMain(Value, frozen=True, tag="side_bet_without_main"):
    """Chips where a side wager lies, and no main wager at the spot: no wager, to be returned."""

    round: int
    spot: int
    bet: str
    cents: int


class WagerUncertain(Value, frozen=True, tag="wager_uncertain"):
    """The readers cannot say what a side wager was at the lock: ``possible_cents`` is what it may have been, ascending.

    Its chips moved between two looks with the first card between them. It is not among the wagers of the lock, and is
    open at the end of the round.
    """

    round: int
    spot: int
    bet: str
    possible_cents: tuple[int, ...]


class SideBetRefused(Value, frozen=True, tag="side_bet_refused"):
    """Chips where a side wager lies that the card does not allow: no wager, to be returned. ``rule`` is its key."""

    round: int
    spot: int
    bet: str
    cents: int
    rule: str
    reason: str


class MidShoeEntry(Value, frozen=True, tag="mid_shoe_entry"):
    """A main wager at a spot that did not bet the last round, where such a wager waits for the shuffle.

    The table asks whether the spot was dealt in.
    """

    round: int
    spot: int
    cents: int


class UnknownChip(Value, frozen=True, tag="unknown_chip"):
    """A chip that is not in the registry: it counts as nothing."""

    spot: int
    zone: str
    chip: str


class ChipSeenTwice(Value, frozen=True, tag="chip_seen_twice"):
    """One chip seen at two zones: it counts where it was seen first, until only one of them sees it."""

    chip: str
    zones: tuple[str, ...]


class CardUnreadable(Value, frozen=True, tag="card_unreadable"):
    """A card left the shoe and could not be read."""

    card: int


class CardOutsideRound(Value, frozen=True, tag="card_outside_round"):
    """A card left the shoe with no wager on the table."""

    card: int


class CardsMayBeMissing(Value, frozen=True, tag="cards_may_be_missing"):
    """We were not listening and this shoe does not number its cards: some may have been drawn meanwhile.

    ``round`` is null if none is open.
    """

    round: int | None
    reason: str


class RoundIrregular(Value, frozen=True, tag="round_irregular"):
    """No legal play explains the round. It is not settled by us; the floor must rule.

    ``probable_cause`` is the one irregularity that would explain everything; null if there is none or more than one.
    """

    round: int
    reason: str
    probable_cause: str | None = None


class SettlementDisputed(Value, frozen=True, tag="settlement_disputed"):
    """A wager was settled, and what its round has shown since leaves no legal play that comes to it.

    Also: its round was ended by a card before it was paid as is due, and the round so begun is irregular.

    What was published stands until a person rules: ``adjust`` with the same amount confirms it, ``void`` returns it,
    and a correction of a card or box that explains the round adjusts it, to the same amount if it was right.
    """

    round: int
    spot: int
    bet: str
    wager_cents: int
    net_cents: int
    """The player's net as it was settled."""
    reason: str


class SpotReaderLost(Value, frozen=True, tag="spot_reader_lost"):
    """The reader of a box in play is lost: what happens to its chips is not seen, and its wagers go by hand."""

    round: int
    spot: int
    device: str


class OrderRefused(Value, frozen=True, tag="order_refused"):
    """A correction of the floor's that cannot be carried out."""

    what: str
    reason: str
    who: str
    reason_code: RefusalCode | None = None
    """Null in journals from before there were codes."""


class AssistanceRequested(Value, frozen=True, tag="assistance_requested"):
    """The dealer calls the floor. ``round`` is null if none is open."""

    round: int | None


class DeviceAlarm(Value, frozen=True, tag="device_alarm"):
    """A device complains."""

    device: str
    code: str
    text: str


class LineErrors(Value, frozen=True, tag="line_errors"):
    """Bytes from a device that are no message of its protocol; ``data`` in hex."""

    device: str
    reason: str
    data: str


class CloseRefused(Value, frozen=True, tag="close_refused"):
    """The round was closed by key while no legal play can be over."""

    round: int
    reason: str
    reason_code: RefusalCode | None = None
    """Null in journals from before there were codes."""


class PlayBlocked(Value, frozen=True, tag="play_blocked"):
    """No round may begin until ``PlayUnblocked``; ``round_open``: the one in play is finished like any other.

    ``cause``: ``storage`` (the disk is nearly full) or ``consumers`` (events lie unacknowledged for too long).
    """

    cause: str
    reason: str
    round_open: bool


class PlayUnblocked(Value, frozen=True, tag="play_unblocked"):
    """What had closed the table is over; rounds may begin unless another cause still closes it."""

    cause: str


class KeyRefused(Value, frozen=True, tag="key_refused"):
    """A key that means nothing now."""

    key: str
    meaning: str
    reason: str
    reason_code: RefusalCode | None = None
    """Null in journals from before there were codes."""


class AnswerRefused(Value, frozen=True, tag="answer_refused"):
    """An answer that fits no open question."""

    question: int
    answer: str
    reason: str
    reason_code: RefusalCode | None = None
    """Null in journals from before there were codes."""


Alert = (
    BetIncreasedAfterLock
    | BetDecreasedAfterLock
    | ChipsUnexplained
    | ChipsExchanged
    | InsuranceTooLarge
    | WagerOutsideLimits
    | SideBetWithoutMain
    | WagerUncertain
    | SideBetRefused
    | MidShoeEntry
    | UnknownChip
    | ChipSeenTwice
    | CardUnreadable
    | CardOutsideRound
    | CardsMayBeMissing
    | RoundIrregular
    | SettlementDisputed
    | SpotReaderLost
    | OrderRefused
    | AssistanceRequested
    | DeviceAlarm
    | LineErrors
    | CloseRefused
    | PlayBlocked
    | PlayUnblocked
    | KeyRefused
    | AnswerRefused
    | AlertRaised
    | AlertAcknowledged
    | MeterAlert
)
"""Every alert."""
