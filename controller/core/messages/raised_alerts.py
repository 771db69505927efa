"""What surveillance and the floor must look at: alerts with a kind, a severity, their evidence, and who has seen them.

An alert is raised once and stays listed until a named person acknowledges it; nothing else takes it off the list. Money
is integer cents; spots count from 1; null stands where an alert is about none.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec
from msgspec.structs import replace

from controller.core.persons import UNAUTHENTICATED, Authentication, Person, same_proof
from firmware_protocols.values import Value

LISTED_LIMIT: Final = 500
"""Alerts listed at once. A table where this many wait is not watched: the list's last place then says so."""


RESERVED_EACH: Final = 8
"""Alerts of each kind, and of one person's orders, that are listed however many others wait: no flood hides them."""


ACKNOWLEDGED_LIMIT: Final = 20
"""Alerts that stay readable after somebody has acknowledged them; the journal has all."""


class Severity(StrEnum):
    """How much of a hurry there is."""

    CRITICAL = "critical"
    """Money or cards are being tampered with: now, and look at the recording."""
    WARNING = "warning"
    """Something is wrong that can be put right while the round is on the felt."""
    NOTICE = "notice"
    """To be looked at in the course of the shift."""


class AlertKind(StrEnum):
    """What an alert is about. ``docs/guide/protection.md`` tells of each what it means and what to do."""

    PAST_POSTING = "past_posting"
    CAPPING = "capping"
    PINCHING = "pinching"
    BET_TOUCHED = "bet_touched"
    CHIPS_UNEXPLAINED = "chips_unexplained"
    WAGER_OUTSIDE_LIMITS = "wager_outside_limits"
    SIDE_BET_WITHOUT_MAIN = "side_bet_without_main"
    SIDE_BET_REFUSED = "side_bet_refused"
    INSURANCE_TOO_LARGE = "insurance_too_large"
    EZ_BUST_WRONG_UP_CARD = "ez_bust_wrong_up_card"
    METER_CLOSED_AT_LOCK = "meter_closed_at_lock"
    MID_SHOE_ENTRY = "mid_shoe_entry"
    PROCEDURE_LATE = "procedure_late"
    MISPAY = "mispay"
    LOSING_BET_LEFT = "losing_bet_left"
    WINNING_BET_TAKEN = "winning_bet_taken"
    UNKNOWN_CHIP = "unknown_chip"
    FOREIGN_CHIP = "foreign_chip"
    DUPLICATED_CHIP = "duplicated_chip"
    CHIP_ELSEWHERE = "chip_elsewhere"
    IMPOSSIBLE_CARD = "impossible_card"
    CARDS_MISSING = "cards_missing"
    CARDS_EXTRA = "cards_extra"
    SHOE_COUNTS_DIFFER = "shoe_counts_differ"
    SHOE_ENDED_EARLY = "shoe_ended_early"
    BURNED_IN_PLAY = "burned_in_play"
    CARD_OUT_OF_TURN = "card_out_of_turn"
    DEALER_AGAINST_RULE = "dealer_against_rule"
    ROUND_IRREGULAR = "round_irregular"
    ROUND_UNENDED = "round_unended"
    SETTLEMENT_DISPUTED = "settlement_disputed"
    RULING_BEYOND_RULES = "ruling_beyond_rules"
    CORRECTED_ALONE = "corrected_alone"
    INVENTORY_UNLIKELY = "inventory_unlikely"
    COMMITMENT_WRONG = "commitment_wrong"
    SENSOR_DISAGREES = "sensor_disagrees"
    SENSORS_SILENT = "sensors_silent"
    WAGERS_UNSEEN = "wagers_unseen"
    DEVICE_SWAPPED = "device_swapped"
    STORAGE_LOW = "storage_low"
    EVENTS_UNACKNOWLEDGED = "events_unacknowledged"
    SECOND_COPY_LOST = "second_copy_lost"
    DEALT_WHILE_CLOSED = "dealt_while_closed"
    READINGS_HELD = "readings_held"
    ALERTS_UNREAD = "alerts_unread"


SEVERITY: Final[dict[AlertKind, Severity]] = {
    AlertKind.PAST_POSTING: Severity.CRITICAL,
    AlertKind.CAPPING: Severity.CRITICAL,
    AlertKind.PINCHING: Severity.CRITICAL,
    AlertKind.BET_TOUCHED: Severity.WARNING,
    AlertKind.CHIPS_UNEXPLAINED: Severity.WARNING,
    AlertKind.WAGER_OUTSIDE_LIMITS: Severity.WARNING,
    AlertKind.SIDE_BET_WITHOUT_MAIN: Severity.WARNING,
    AlertKind.SIDE_BET_REFUSED: Severity.WARNING,
    AlertKind.INSURANCE_TOO_LARGE: Severity.WARNING,
    AlertKind.EZ_BUST_WRONG_UP_CARD: Severity.WARNING,
    AlertKind.METER_CLOSED_AT_LOCK: Severity.WARNING,
    AlertKind.MID_SHOE_ENTRY: Severity.WARNING,
    AlertKind.PROCEDURE_LATE: Severity.NOTICE,
    AlertKind.MISPAY: Severity.CRITICAL,
    AlertKind.LOSING_BET_LEFT: Severity.CRITICAL,
    AlertKind.WINNING_BET_TAKEN: Severity.CRITICAL,
    AlertKind.UNKNOWN_CHIP: Severity.WARNING,
    AlertKind.FOREIGN_CHIP: Severity.WARNING,
    AlertKind.DUPLICATED_CHIP: Severity.CRITICAL,
    AlertKind.CHIP_ELSEWHERE: Severity.CRITICAL,
    AlertKind.IMPOSSIBLE_CARD: Severity.CRITICAL,
    AlertKind.CARDS_MISSING: Severity.CRITICAL,
    AlertKind.CARDS_EXTRA: Severity.CRITICAL,
    AlertKind.SHOE_COUNTS_DIFFER: Severity.CRITICAL,
    AlertKind.SHOE_ENDED_EARLY: Severity.WARNING,
    AlertKind.BURNED_IN_PLAY: Severity.CRITICAL,
    AlertKind.CARD_OUT_OF_TURN: Severity.WARNING,
    AlertKind.DEALER_AGAINST_RULE: Severity.WARNING,
    AlertKind.ROUND_IRREGULAR: Severity.WARNING,
    AlertKind.ROUND_UNENDED: Severity.WARNING,
    AlertKind.SETTLEMENT_DISPUTED: Severity.WARNING,
    AlertKind.RULING_BEYOND_RULES: Severity.CRITICAL,
    AlertKind.CORRECTED_ALONE: Severity.WARNING,
    AlertKind.INVENTORY_UNLIKELY: Severity.WARNING,
    AlertKind.COMMITMENT_WRONG: Severity.CRITICAL,
    AlertKind.SENSOR_DISAGREES: Severity.WARNING,
    AlertKind.SENSORS_SILENT: Severity.WARNING,
    AlertKind.WAGERS_UNSEEN: Severity.WARNING,
    AlertKind.DEVICE_SWAPPED: Severity.CRITICAL,
    AlertKind.STORAGE_LOW: Severity.WARNING,
    AlertKind.EVENTS_UNACKNOWLEDGED: Severity.WARNING,
    AlertKind.SECOND_COPY_LOST: Severity.WARNING,
    AlertKind.DEALT_WHILE_CLOSED: Severity.CRITICAL,
    AlertKind.READINGS_HELD: Severity.WARNING,
    AlertKind.ALERTS_UNREAD: Severity.CRITICAL,
}
"""How severe each kind is. What happens at a spot that is not in the round is a notice, whatever its kind."""


class AlertRaised(Value, frozen=True, tag="alert_raised"):
    """Chips, cards, rules or devices disagree.

    The alert stays on ``state/alerts`` until a person acknowledges it. ``docs/guide/protection.md#kinds`` explains the
    kinds.
    """

    alert: int
    """Its number, counted from 1 within the epoch."""
    kind: AlertKind
    """One of those in ``docs/guide/protection.md#kinds``."""
    severity: Severity
    """``critical``, ``warning`` or ``notice``."""
    text: str
    """A sentence for display."""
    round: int | None = None
    """The round; null: the alert is not about a round."""
    spot: int | None = None
    """Where; null: not at a spot."""
    zone: str | None = None
    """Where; null: not in a zone."""
    before_cents: int | None = None
    """The value of the zone's chips before; null: the alert is not about a zone."""
    after_cents: int | None = None
    """The value after; null: the alert is not about a zone."""
    before: tuple[str, ...] = ()
    """The ids of the zone's chips before."""
    after: tuple[str, ...] = ()
    """The ids of the zone's chips after."""
    net_cents: int | None = None
    """For a wrong payment: the player's net as it is due; null: the alert is not about a payment."""
    paid_cents: int | None = None
    """The player's net as it was paid; null: the alert is not about a payment."""
    readings: tuple[int, ...] = ()
    """The numbers of the readings it rests on."""
    who: str | msgspec.UnsetType = msgspec.UNSET
    """Whose order or answer it is about or rests on, and who approved it: another acknowledges; left out: of nobody."""
    listed: bool | msgspec.UnsetType = msgspec.UNSET
    """While too many alerts wait: whether it is on ``state/alerts`` all the same; left out: it is there."""


class AlertAcknowledged(Value, frozen=True, tag="alert_acknowledged"):
    """A named person has seen an alert, and it leaves the list."""

    alert: int
    """Its number."""
    kind: AlertKind
    """Its kind."""
    who: str
    note: str
    """That person's remark; may be empty."""
    vouched: str | msgspec.UnsetType = msgspec.UNSET


class UnacknowledgedAlert(Value, frozen=True, tag=False):
    """An alert that has not been acknowledged."""

    alert: int
    kind: AlertKind
    severity: Severity
    text: str
    round: int | None
    spot: int | None
    zone: str | None
    raised_ns: int
    """When the reading that gave it was stamped: nanoseconds since 1970 UTC, for people."""
    who: str = ""
    """Whose order it is about; empty: it is about no person's order."""
    vouched: Authentication = UNAUTHENTICATED
    """How the channel knew who that was."""
    others: tuple[Person, ...] = ()
    """Who is in it beside that person, as who approved the order."""

    def people(self) -> tuple[Person, ...]:
        """All whose order it is about; none of them acknowledges it."""
        return (Person(self.who, self.vouched), *self.others) if self.who else ()

    def about(self, people: tuple[Person, ...]) -> UnacknowledgedAlert:
        """The alert about more people; at a socket, where anybody may give any name, about a few names."""
        known = self.people()
        for one in people:
            if one not in known and sum(same_proof(one, other) for other in known) < RESERVED_EACH:
                known = (*known, one)
        if not known:
            return self
        first, *others = known
        return replace(self, who=first.name, vouched=first.vouched, others=tuple(others))


class AcknowledgedAlert(Value, frozen=True, tag=False):
    """An alert that ``who`` acknowledged, and when: nanoseconds since 1970 UTC, for people."""

    alert: UnacknowledgedAlert
    who: str
    note: str
    seen_ns: int


class AlertList(Value, frozen=True, tag=False):
    """Every alert that waits for a person, oldest first, and how many were ever raised; ``seen``: the last that do not.

    ``seen`` has the oldest first, too.
    """

    raised: int = 0
    listed: tuple[UnacknowledgedAlert, ...] = ()
    seen: tuple[AcknowledgedAlert, ...] = ()

    def find(self, alert: int) -> UnacknowledgedAlert | None:
        """An alert of the list by its number."""
        return next((one for one in self.listed if one.alert == alert), None)

    def with_raised(self, event: AlertRaised, raised_ns: int, by: tuple[Person, ...] = ()) -> AlertList:
        """The list with one more alert; ``by``: whose order it is about."""
        fields = (event.alert, event.kind, event.severity, event.text, event.round, event.spot, event.zone, raised_ns)
        listed = UnacknowledgedAlert(*fields)
        if by:
            first, *others = by
            listed = UnacknowledgedAlert(*fields, first.name, first.vouched, tuple(others))
        return AlertList(event.alert, (*self.listed, listed), self.seen)

    def with_unlisted(self, alert: int, by: tuple[Person, ...] = ()) -> AlertList:
        """The list while it is full and one more alert is counted; ``by``: people whom it is about."""
        listed = tuple(one.about(by) if one.kind is AlertKind.ALERTS_UNREAD else one for one in self.listed)
        return replace(self, raised=alert, listed=listed)

    def with_acknowledged(self, seen: AcknowledgedAlert) -> AlertList:
        """The list without an alert that somebody has acknowledged, which is kept beside it."""
        waiting = tuple(one for one in self.listed if one.alert != seen.alert.alert)
        return AlertList(self.raised, waiting, (*self.seen, seen)[-ACKNOWLEDGED_LIMIT:])
