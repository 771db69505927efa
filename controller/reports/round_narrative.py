"""A round in words out of a journal's events, with the readings that each conclusion rests on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

import msgspec

from controller.core.messages.advice import PaymentAdvised
from controller.core.messages.alerts import DeviceAlarm, RoundIrregular
from controller.core.messages.events import (
    BettingClosed,
    CardBurned,
    CardDealt,
    CardDrawn,
    CardOpened,
    ChipsChanged,
    DealUnconfirmed,
    DeviceStatusChanged,
    Event,
    HandCompleted,
    HandDoubled,
    HandsSplit,
    HoleCardRevealed,
    InsuranceTaken,
    KeyRead,
    QuestionAnswered,
    QuestionAsked,
    QuestionWithdrawn,
    RoundClosed,
    RoundPending,
    RoundStarted,
    SpotSurrendered,
    WagerAdjusted,
    WagerSettled,
    WagerUnresolved,
)
from controller.core.messages.floor_events import BoxDeclared, CardAssigned, CardSet, RoundResumed, RoundVoided
from controller.core.messages.meter_events import ContributionMade, ContributionRefused, JackpotHit
from controller.core.messages.raised_alerts import AlertAcknowledged, AlertRaised
from controller.core.table.alert_list import money
from controller.formats.mqtt.envelope import event_name
from controller.formats.text.printable import many
from controller.reports.revenue_rows import RoundRow, Takings


class JournalEvent(NamedTuple):
    """An event of a journal, with its seq, the number of the reading that caused it, and its time (RFC 3339)."""

    seq: int
    reading: int
    time: str
    event: Event


class NarrativeLine(msgspec.Struct, frozen=True):
    """One thing that happened or was concluded. ``readings`` are the numbers of the inputs it rests on."""

    seq: int
    time: str
    event: str
    text: str
    readings: tuple[int, ...]


class RoundLine(msgspec.Struct, frozen=True):
    """A round in one line: what was staked and what it came to, by the last word of the table or the floor.

    ``staked_cents`` includes doubles and splits, and wagers still open; what went back with a void round is not staked.
    ``settled``, ``open`` and ``void`` count its wagers.
    """

    round: int
    locked: str
    closed: str
    outcome: str
    boxes: int
    staked_cents: int
    net_cents: int
    settled: int
    open: int
    void: int
    adjusted: int
    alerts: int


DEALER: Final = 0


def story(events: Iterable[JournalEvent], number: int) -> tuple[NarrativeLine, ...]:
    """Everything about one round, in order; empty if the journal has no such round."""
    all_events = list(events)
    faces = {one.event.card: one.event.face for one in all_events if isinstance(one.event, CardOpened)}
    questions = {
        one.event.question for one in all_events if isinstance(one.event, QuestionAsked) and one.event.round == number
    }
    alerts = {one.event.alert for one in all_events if isinstance(one.event, AlertRaised) and one.event.round == number}
    lines: list[NarrativeLine] = []
    within = False
    for one in all_events:
        match one.event:
            case RoundStarted(other) | BettingClosed(other):
                within = other == number
            case CardDrawn(other) if other and not within:
                within = other == number
            # What moves on the felt from here on are the next round's bets.
            case RoundPending(other) | RoundClosed(other) if other == number:
                within = False
            case _:
                pass
        if belongs(one.event, number, questions, alerts, within=within):
            text = sentence(one.event, faces)
            if text:
                readings = resting_on(one.event) or (one.reading,)
                lines.append(NarrativeLine(one.seq, one.time, event_name(one.event), text, readings))
        if isinstance(one.event, CardSet) and one.event.after:
            faces[one.event.card] = one.event.after
    return tuple(lines)


def belongs(event: Event, number: int, questions: set[int], alerts: set[int], *, within: bool) -> bool:
    """Whether an event is about a round, or happened while it was in play."""
    match event:
        case QuestionAnswered(question) | QuestionWithdrawn(question):
            return question in questions
        case AlertAcknowledged(alert):
            return alert in alerts
        case ChipsChanged() | KeyRead() | CardBurned() | DeviceStatusChanged() | DeviceAlarm():
            return within
        case _:
            return getattr(event, "round", None) == number


def resting_on(event: Event) -> tuple[int, ...]:
    """The readings that an event names; empty where it rests on the reading that gave it."""
    match event:
        case WagerSettled() | AlertRaised():
            return event.readings
        case CardDealt(_, card) | HoleCardRevealed(_, card):
            return (card,)
        case HandCompleted(_, _, _, cards):
            return cards
        case RoundClosed(_, dealer):
            return dealer
        case _:
            return ()


def sentence(event: Event, faces: dict[int, str]) -> str:
    """What an event says, for people; empty for what has no part in the story."""
    words = of_cards(event, faces) or of_hands(event, faces) or of_money(event) or of_meters(event)
    return words or of_people(event) or of_course(event)


def named(card: int, faces: dict[int, str]) -> str:
    """A card by its face and its number."""
    return f"{faces.get(card, 'a closed card')} (card {card})"


def card_owner(spot: int) -> str:
    """The owner of a card in words: the dealer or a spot."""
    return "the dealer" if spot == DEALER else f"spot {spot}"


def of_cards(event: Event, faces: dict[int, str]) -> str:
    """What left the shoe and whose it is."""
    match event:
        case CardDrawn(_, card, int(position)):
            return f"{named(card, faces)} left the shoe, number {position + 1} of the round"
        case CardBurned(card):
            return f"{named(card, faces)} was burned"
        case CardDealt(_, card, spot, hand):
            return f"{named(card, faces)} belongs to {card_owner(spot)}{f', hand {hand + 1}' if hand else ''}"
        case HoleCardRevealed(_, card):
            return f"the hole card was turned: {named(card, faces)}"
        case CardSet(_, card, before, after, who, why):
            now = after or "no card of the round"
            return f"{who} named card {card}: {before or 'closed'} before, {now} now ({why})"
        case CardAssigned(_, card, spot, who, why):
            return f"{who} said that {named(card, faces)} is {card_owner(spot)}'s ({why})"
        case _:
            return ""


def of_hands(event: Event, faces: dict[int, str]) -> str:
    """What the players did."""
    match event:
        case InsuranceTaken(_, spot, cents):
            return f"spot {spot} insured for {money(cents)}"
        case HandDoubled(_, spot, hand, cents):
            return f"spot {spot} doubled hand {hand + 1} for {money(cents)}"
        case HandsSplit(_, spot, hands):
            return f"spot {spot} split to {hands} hands"
        case SpotSurrendered(_, spot):
            return f"spot {spot} surrendered"
        case HandCompleted(_, spot, hand, cards, total, stake):
            shown = " ".join(faces.get(card, "??") for card in cards)
            end = "broke" if total > 21 else f"stands at {total}"
            return f"spot {spot} hand {hand + 1}: {shown}, {end}, {money(stake)} at stake"
        case _:
            return ""


def of_money(event: Event) -> str:
    """What lies where, what is due, and what was paid otherwise."""
    match event:
        case RoundStarted(number, shoe, boxes):
            of_shoe = "" if shoe is None else f", shoe {shoe}"
            return f"round {number} started: spots {', '.join(map(str, boxes))}{of_shoe}"
        case BettingClosed(_, wagers):
            bets = ", ".join(f"spot {one.spot} {one.bet} {money(one.cents)}" for one in wagers)
            return f"bets locked: {bets}"
        case ChipsChanged(spot, zone, before, after):
            return f"spot {spot} {zone}: {money(before)} became {money(after)}"
        case WagerSettled(_, spot, bet, wager, due, basis, _, why):
            return f"spot {spot} {bet}: {money(wager)}, due {signed(due)}: {why} [{basis}]"
        case WagerUnresolved(_, spot, bet, wager, possible):
            nets = " or ".join(signed(cents) for cents in possible)
            return f"spot {spot} {bet}: {money(wager)} is open: {nets or 'the floor rules on it'}"
        case WagerAdjusted(_, spot, bet, _, before, due, who, why):
            return f"{who} adjusted spot {spot} {bet} from {signed(before)} to {signed(due)} ({why})"
        case PaymentAdvised(_, lines):
            return "advised: " + ", ".join(
                f"{one.move} {money(one.cents)} at spot {one.spot} {one.bet}" for one in lines
            )
        case _:
            return ""


def of_meters(event: Event) -> str:
    """What a wager raised and won, in cents as the sign shows them."""
    match event:
        case ContributionMade(meter, _, spot, bet, wager):
            return f"spot {spot} {bet}: {money(wager)} staked, meter {meter} shows {money(event.shown_cents)}"
        case ContributionRefused(meter, _, spot, bet, wager, reason):
            return f"spot {spot} {bet}: {money(wager)} staked, not counted for meter {meter}: {reason}"
        case JackpotHit(jackpot, meter, _, spot, bet, row, cents):
            return f"spot {spot} {bet}: {row.replace('_', ' ')} wins {money(cents)} of meter {meter}, jackpot {jackpot}"
        case _:
            return ""


def signed(cents: int) -> str:
    """A due with its sign."""
    return f"+{money(cents)}" if cents > 0 else money(cents)


def of_people(event: Event) -> str:
    """Keys, questions, and what the floor said of the round."""
    match event:
        case KeyRead(_, meaning):
            return f"the dealer pressed {meaning.replace('_', ' ')}"
        case QuestionAsked(question, _, _, text):
            return f"question {question}: {text}"
        case QuestionAnswered(question, answer, who):
            return f"{who} answered question {question}: {answer}"
        case QuestionWithdrawn(question):
            return f"question {question} was withdrawn"
        case BoxDeclared(_, spot, cents, who, why):
            said = f"declared a box of {money(cents)} at spot {spot}" if cents else f"took back the box at spot {spot}"
            return f"{who} {said} ({why})"
        case RoundVoided(_, who, why):
            return f"{who} voided the round ({why})"
        case _:
            return ""


def of_course(event: Event) -> str:
    """What became of the round, alerts, and devices; any other event by its name and fields."""
    match event:
        case DealUnconfirmed(_, reason):
            return f"the hole card was not confirmed by the deal: {reason}"
        case RoundIrregular(_, reason, cause):
            return f"the round is irregular: {reason}{f'; probable cause: {cause}' if cause else ''}"
        case RoundResumed():
            return "a correction explains the round: it goes on"
        case RoundPending(_, question):
            return f"the round waits for the answer to question {question}"
        case RoundClosed(_, _, plays, outcome):
            return f"closed: {outcome}, {many(plays, 'legal play')} of the evidence"
        case AlertRaised(alert, kind, severity, text):
            return f"alert {alert}, {severity} {kind}: {text}"
        case AlertAcknowledged(alert, _, who, note):
            return f"{who} acknowledged alert {alert}{f' ({note})' if note else ''}"
        case DeviceStatusChanged(device, state, detail):
            became = {"ready": "is back", "lost": "was lost"}.get(state, f"is {state}")
            return f"{device} {became}{f': {detail}' if detail else ''}"
        case DeviceAlarm(device, _, text):
            return f"{device} reports: {text}"
        case _:
            return of_trouble(event)


def of_trouble(event: Event) -> str:
    """Any other event of the round, by its name and fields."""
    every = msgspec.structs.asdict(event).items()
    fields = [f"{name} {value}" for name, value in every if name != "round" and value is not None]
    words = event_name(event).replace("_", " ")
    return f"{words}: {', '.join(fields)}" if fields else words


# --- rounds -----------------------------------------------------------------------------------------


def rounds(found: Takings) -> tuple[RoundLine, ...]:
    """Every round of a journal in one line, in order, the running ones too."""
    return tuple(_line(row) for row in sorted((*found.rounds, *found.running), key=lambda row: row.round))


def _line(row: RoundRow) -> RoundLine:
    return RoundLine(
        round=row.round,
        locked=row.started,
        closed=row.closed,
        outcome=row.outcome,
        boxes=row.spots,
        staked_cents=row.handle_cents + row.open_cents,
        net_cents=-row.win_cents,
        settled=row.settled_wagers,
        open=row.open_wagers,
        void=row.void_wagers,
        adjusted=row.adjusted,
        alerts=row.alerts,
    )
