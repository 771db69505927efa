"""Alerts an operator should see. They are published like all other events and once more under ``alert/``.

Money is integer cents; spots count from 1.
"""

from __future__ import annotations

import msgspec

from controller.core.messages.meter_events import MeterAlert
from controller.core.messages.raised_alerts import AlertAcknowledged, AlertRaised
from controller.core.refusal_reason import RefusalCode
from firmware_protocols.values import Value


class BetIncreasedAfterLock(Value, frozen=True, tag="bet_increased_after_lock"):
    """A wager rose between the lock and the hole card, or chips came to a spot that is not in the round.

    The locked wagers stand.
    """

    round: int
    spot: int
    zone: str
    before_cents: int
    after_cents: int


class BetDecreasedAfterLock(Value, frozen=True, tag="bet_decreased_after_lock"):
    """A wager fell between the lock and the hole card. The locked wagers stand."""

    round: int
    spot: int
    zone: str
    before_cents: int
    after_cents: int


class ChipsUnexplained(Value, frozen=True, tag="chips_unexplained"):
    """After the deal, a change of chips that no legal play explains. The table left it out of the account."""

    round: int
    spot: int
    zone: str
    before_cents: int
    after_cents: int


class ChipsExchanged(Value, frozen=True, tag="chips_exchanged"):
    """Chips were replaced by others of the same value. This has no meaning in the game."""

    spot: int
    zone: str
    cents: int
    """The amount that lies there, as before."""


class InsuranceTooLarge(Value, frozen=True, tag="insurance_too_large"):
    """More chips lie on the insurance line than the rules allow, and the offer is over.

    Journals from before chips that are put right were waited for have it while the offer was open.
    """

    round: int
    spot: int
    cents: int
    """The amount that lies there."""
    counted_cents: int
    """The amount that counts."""


class WagerOutsideLimits(Value, frozen=True, tag="wager_outside_limits"):
    """A wager at the lock, or one made after the deal, is below or above the limits on the table's sign.

    If cards are dealt to it, it was accepted and is settled in its entirety (COMAR 36.05.03.14 C).
    """

    round: int
    spot: int
    bet: str
    cents: int
    """The amount that lies there."""
    least_cents: int | None
    """The least allowed; null: no such limit."""
    most_cents: int | None
    """The most allowed; null: no such limit."""


class SideBetWithoutMain(Value, frozen=True, tag="side_bet_without_main"):
    """Chips lie where a side wager is placed, and the spot has no main wager.

    They are not a wager and are to be returned.
    """

    round: int
    spot: int
    bet: str
    cents: int
    """The amount that lies there."""


class WagerUncertain(Value, frozen=True, tag="wager_uncertain"):
    """The readers cannot say what a side wager was when the bets were locked.

    It is published with the lock. The chips of the wager moved between two looks, with the first card between them. The
    wager is not among those of ``betting_closed``, accuses no player, and becomes a ``wager_unresolved`` at the end of
    the round.
    """

    round: int
    spot: int
    bet: str
    possible_cents: tuple[int, ...]
    """The amounts it may have been, ascending; 0: there was no wager."""


class SideBetRefused(Value, frozen=True, tag="side_bet_refused"):
    """Chips lie where a side wager is placed, and the house's card does not allow the wager.

    A main wager lies beside them, but the amount is not the bet's one stake, the shoe has too few decks, or the bet is
    not offered against this up card. The chips are not a wager and are to be returned.
    """

    round: int
    spot: int
    bet: str
    cents: int
    """The amount that lies there."""
    rule: str
    """The key of the profile that refuses the wager."""
    reason: str
    """The same rule in a sentence."""


class MidShoeEntry(Value, frozen=True, tag="mid_shoe_entry"):
    """A main wager lies at a spot that did not bet the last round, where such a wager waits for the shuffle.

    A ``question_asked`` follows: was the spot dealt in? Until it is answered, the table publishes no conclusions about
    the round.
    """

    round: int
    spot: int
    cents: int
    """The amount that lies there."""


class UnknownChip(Value, frozen=True, tag="unknown_chip"):
    """A chip that is not in the registry. It counts as nothing."""

    spot: int
    zone: str
    chip: str
    """The chip's id, upper-case hex."""


class ChipSeenTwice(Value, frozen=True, tag="chip_seen_twice"):
    """One chip is seen at two zones.

    It counts where it was seen first, until it has left one of them; if bets are locked meanwhile, they are published
    only then.
    """

    chip: str
    """The chip's id, upper-case hex."""
    zones: tuple[str, ...]
    """The zones that see the chip, as ``SPOT/ZONE``."""


class CardUnreadable(Value, frozen=True, tag="card_unreadable"):
    """A card left the shoe, and the shoe could not read it."""

    card: int


class CardOutsideRound(Value, frozen=True, tag="card_outside_round"):
    """A card left the shoe without a wager on the table and without an announced burn."""

    card: int


class CardsMayBeMissing(Value, frozen=True, tag="cards_may_be_missing"):
    """Cards may have been drawn that the table does not know of.

    If a round is open, a question follows.

    The table was not listening, or could not read the shoe's message, and this shoe does not number its cards.
    """

    round: int | None
    """The open round; null: no round is open."""
    reason: str
    """The incident, for display."""


class RoundIrregular(Value, frozen=True, tag="round_irregular"):
    """No legal play explains the round, or the table cannot determine whether one does.

    From here on the table settles nothing of the round. Earlier settlements stand and are in doubt
    (``settlement_disputed``). A correction by the floor, or chips that are heard where they belong, may resume the
    round (``round_resumed``).
    """

    round: int
    reason: str
    probable_cause: str | None = None
    """The one kind of irregularity that would explain everything, with every card or box it may be about; null:
    no kind would, or several.
    """


class SettlementDisputed(Value, frozen=True, tag="settlement_disputed"):
    """A wager was settled, and later readings of its round leave no legal play that leads to the settlement.

    A shoe without check or number may lose or misread a card in a way that only a later card shows. Settlements are
    also disputed in two other cases. First, a card ended the round before it was paid the amounts due, and the round
    that this card began is irregular. Second, only a card's wrong name, or a key since taken back, had made the
    settlement certain, and legal plays differ on it again.

    Every such wager is named, even one that a person will find to be right. The published settlement stands until a
    person rules: ``adjust`` with another amount corrects it, ``adjust`` with the same amount confirms it
    (``wager_adjusted``, before and after the same), and ``void`` returns it. Where a correction of a card or box
    explains the round, that correction adjusts it.
    """

    round: int
    spot: int
    bet: str
    wager_cents: int
    net_cents: int
    """The player's net as it was settled."""
    reason: str
    """The contradiction, for display."""


class SpotReaderLost(Value, frozen=True, tag="spot_reader_lost"):
    """The reader of a box in play's main wager is lost or faulty.

    Changes of chips there may happen unseen. The table asks about a wager that such a change could affect, or leaves it
    to the floor (``docs/guide/floor.md``). The other spots go on.
    """

    round: int
    spot: int
    device: str


class OrderRefused(Value, frozen=True, tag="order_refused"):
    """A correction by the floor cannot be carried out. The reply to the command says the same."""

    what: str
    """The requested correction."""
    reason: str
    who: str
    reason_code: RefusalCode | None = None


class AssistanceRequested(Value, frozen=True, tag="assistance_requested"):
    """The dealer pressed the key that calls the floor."""

    round: int | None
    """The open round; null: no round is open."""


class DeviceAlarm(Value, frozen=True, tag="device_alarm"):
    """A device reports a fault."""

    device: str
    code: str
    """The device's own code, or one of ours, such as ``stuck_key`` or ``stepped`` (the clock jumped)."""
    text: str
    """The fault, for display."""


class LineErrors(Value, frozen=True, tag="line_errors"):
    """Bytes came from a device that are not a message of its protocol, or a message that was not asked for.

    The rest of a shoe's damaged message may be a card that must stay secret. So for the shoe, ``reason`` is always the
    same and ``data`` is empty; the bytes are in the journal, sealed under the table's key.
    """

    device: str
    reason: str
    data: str
    """The bytes in hex, at most 64 of them; empty for a complete message that was not asked for, and for the shoe."""


class CloseRefused(Value, frozen=True, tag="close_refused"):
    """The dealer closed the round at a moment when no legal play of it can be over.

    Pressed again, the key hands the round to the floor.
    """

    round: int
    reason: str
    reason_code: RefusalCode | None = None


class PlayBlocked(Value, frozen=True, tag="play_blocked"):
    """No round may begin until ``play_unblocked``. The round in play is finished and settled like any other."""

    cause: str
    """``storage``: the disk is nearly full; ``consumers``: events lie unacknowledged for too long."""
    reason: str
    round_open: bool
    """Whether a round is in play now."""


class PlayUnblocked(Value, frozen=True, tag="play_unblocked"):
    """The cause that closed the table has ended. Rounds may begin, unless another cause still closes it."""

    cause: str
    """As in ``play_blocked``."""


class KeyRefused(Value, frozen=True, tag="key_refused"):
    """The dealer pressed a key that has no meaning now."""

    key: str
    """``A`` to ``Y``."""
    meaning: str
    """The key's meaning by the key map; empty: it has none."""
    reason: str
    reason_code: RefusalCode | None = None


class AnswerRefused(Value, frozen=True, tag="answer_refused"):
    """An answer fits no open question."""

    question: int
    answer: str
    """The answer given."""
    reason: str
    reason_code: RefusalCode | None = None
    who: str | msgspec.UnsetType = msgspec.UNSET
    """Who gave it; left out in journals of before."""


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
