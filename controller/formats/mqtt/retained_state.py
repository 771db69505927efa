"""Retained pictures of the table: what it is, and the round as it stands. Nothing in them tells a closed card."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from controller.core.betting.closed_meters import returnable_wagers
from controller.core.messages.advice import AdviceLine
from controller.core.messages.house import GamingDay, House
from controller.core.table.layout import cents_at
from controller.core.table.readiness import block_reason
from controller.core.table.state import State
from controller.formats.journal.stream import StreamNow
from controller.formats.mqtt.retained_alerts import AlertsNow
from controller.formats.mqtt.retained_layout import FeltNow
from controller.formats.mqtt.retained_machine import MachineNow
from controller.formats.mqtt.retained_meters import MetersNow
from controller.formats.mqtt.retained_orders import OrdersNow
from firmware_protocols.values import Value


class PostedRules(msgspec.Struct, frozen=True):
    """The rules that a sign at the table tells players.

    ``natural_pays`` and ``insurance_pays`` are odds: ``[3, 2]`` is 3 to 2; null: insurance is not offered. ``soft_17``:
    whether the dealer stands or hits on it. ``tie``: what becomes of a wager whose hand equals the dealer's.
    """

    natural_pays: tuple[int, int]
    soft_17: Literal["stand", "hit"]
    tie: Literal["push", "loses"]
    insurance_pays: tuple[int, int] | None


class Info(msgspec.Struct, frozen=True):
    """Retained on ``info``. ``minimum_cents`` and ``maximum_cents``: of a main wager, by the table's sign; 0: none.

    ``side_maximum_cents``: likewise the highest side wager. ``time_zone``: the house's, by its name in the IANA
    database; it and ``rules`` are null from a program before they were published.
    """

    version: str
    profile: str
    profile_hash: str
    formats: dict[str, str]
    minimum_cents: int = 0
    maximum_cents: int = 0
    side_maximum_cents: int = 0
    rules: PostedRules | None = None
    time_zone: str | None = None


class SpotNow(msgspec.Struct, frozen=True):
    """What lies at a spot, in cents."""

    spot: int
    main_cents: int
    insurance_cents: int


class ClosedBet(msgspec.Struct, frozen=True):
    """A side wager on a closed meter that can still be handed back, for no card has come."""

    spot: int
    bet: str


class RoundNow(msgspec.Struct, frozen=True):
    """Retained on ``state/round``. ``phase``: ``bets_open``, ``dealing``, ``playing``, ``closing``, ``irregular``.

    Or ``closed``: no round may begin.

    ``seq`` is the last event this picture reflects; ``cards`` counts the round's cards.
    """

    seq: int
    round: int
    phase: str
    question: int
    cards: int
    spots: tuple[SpotNow, ...]
    on_closed_meters: tuple[ClosedBet, ...] = ()


class Hold(msgspec.Struct, frozen=True):
    """Retained on ``state/hold``: why the table does not go on by itself; nothing is retained when it does."""

    reason: str


class AdviceNow(msgspec.Struct, frozen=True):
    """Retained on ``state/advice``: what to take and pay, in order, of one round until the next lock; 0: of none yet.

    ``seq`` is the last event it reflects.
    """

    seq: int
    round: int
    lines: tuple[AdviceLine, ...]


class DeviceFigures(Value, frozen=True, tag=False):
    """A device for the pit."""

    device: str
    state: str
    faults: int
    down_seconds: int
    alarms: int
    damaged_messages: int


class BetFigures(Value, frozen=True, tag=False):
    """A bet for the pit, in cents: its handle, what the house won, and what its edge would have won.

    ``theoretical_cents`` is null where the bet's edge is not at hand. Of the handle, ``wager_cents`` is what lay when
    betting closed, without doubles and splits, on this number of ``wagers``.
    """

    bet: str
    handle_cents: int
    win_cents: int
    theoretical_cents: int | None
    wagers: int = 0
    wager_cents: int = 0


class PaceFigures(Value, frozen=True, tag=False):
    """What the pit wants to know. Rates are per hour of the time looked at, rounded to whole ones."""

    seconds: int
    rounds: int
    rounds_per_hour: int
    irregular: int
    phase_ms: dict[str, int]
    """The mean length of each phase; empty while no whole round was seen."""
    questions: int
    questions_open: int
    answer_ms: int
    """The mean wait for an answer; 0 without one."""
    alerts: dict[str, int]
    alerts_per_hour: int
    starts: int
    devices: tuple[DeviceFigures, ...]
    bets: tuple[BetFigures, ...] = ()
    """Of the settled wagers of the rounds that closed in this time, as they stand."""
    average_bet_cents: int | None = None
    """Of their main wagers, as they lay when betting closed; null without one."""
    side_bet_per_mille: int | None = None
    """What of their handle was on side wagers, insurance not among them; null without a handle."""
    open_rounds: int = 0
    """Rounds that closed with a wager open, whether or not it was settled since."""
    void_rounds: int = 0
    """Rounds that the floor voided, whenever they were played."""


class PaceNow(msgspec.Struct, frozen=True):
    """Retained on ``state/pace``: how the table ran in the last hour, published once a minute. No player is in it.

    ``seq`` is the last event it reflects; ``figures.seconds`` is from the hour's first event to its last. ``time`` (RFC
    3339, UTC) is when the figures were made; empty: a table of before, which does not say.
    """

    seq: int
    figures: PaceFigures
    time: str = ""


STATES: Final[dict[str, type[msgspec.Struct]]] = {
    "advice": AdviceNow,
    "alerts": AlertsNow,
    "felt": FeltNow,
    "hold": Hold,
    "machine": MachineNow,
    "meters": MetersNow,
    "orders": OrdersNow,
    "pace": PaceNow,
    "round": RoundNow,
    "stream": StreamNow,
}
"""What is retained below ``state/``, by its last word."""


def info_bytes(house: House, version: str) -> bytes:
    """The payload of ``info``."""
    formats = {"envelope": "CloudEvents 1.0", "events": "v1"}
    rules, options = house.rules, house.rules.options
    limits = options.minimum_cents, options.maximum_cents, options.side_maximum_cents
    insurance = rules.insurance_pays if rules.insurance else None
    zone = GamingDay().time_zone if house.gaming_day is None else house.gaming_day.time_zone
    posted = PostedRules(rules.natural_pays, rules.soft_17, rules.tie, insurance)
    return msgspec.json.encode(Info(version, rules.name, house.profile_hash, formats, *limits, posted, zone))


def hold_bytes(reason: str) -> bytes:
    """The payload of ``state/hold``: why the table does not go on by itself; empty clears the topic."""
    return msgspec.json.encode(Hold(reason)) if reason else b""


def advice_bytes(state: State) -> bytes:
    """The payload of ``state/advice``."""
    return msgspec.json.encode(AdviceNow(state.seq, state.advice.round, state.advice.lines))


def phase(state: State) -> str:
    """Where the round stands, as a person would say it."""
    now = state.round
    if now is None:
        return "closed" if block_reason(state) else "bets_open"
    if now.is_published_irregular():
        return "irregular"
    if now.ending.closing:
        return "closing"
    return "playing" if now.is_dealt() else "dealing"


def round_bytes(house: House, state: State) -> bytes:
    """The payload of ``state/round``."""
    spots = sorted({zone.spot for zone in state.felt.values() if zone.cents})
    now = state.round
    return msgspec.json.encode(
        RoundNow(
            seq=state.seq,
            round=now.number if now else state.rounds,
            phase=phase(state),
            question=now.first_blocking() if now else 0,
            cards=len(now.cards.drawn) if now else 0,
            spots=tuple(
                SpotNow(spot, cents_at(state.felt, spot, "main"), cents_at(state.felt, spot, "insurance"))
                for spot in spots
            ),
            on_closed_meters=tuple(ClosedBet(spot, bet) for bet, spot in returnable_wagers(house, state)),
        )
    )
