"""What of a table waits for a person, and since when: what a page of many tables is sorted by.

Made of the table's pictures and events. A picture does not say since when it stands; where the event was not heard,
something waits at least since it was first seen (``exact`` is false).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from controller.core.messages.alerts import RoundIrregular
from controller.core.messages.events import QuestionAsked
from controller.core.messages.floor_events import OrderProposed, RulingProposed
from controller.core.messages.meter_events import MeterChangeProposed, OrderApproved, OrderWithdrawn
from controller.core.meters.state import MeterChange
from controller.formats.mqtt.envelope import Published, Status
from controller.formats.mqtt.retained_layout import FeltNow
from controller.formats.mqtt.retained_meters import MetersNow
from controller.formats.mqtt.retained_orders import OrdersNow
from controller.formats.mqtt.retained_state import Hold

OFFLINE: Final = "offline"

ORDERS_LIMIT: Final = 100
"""Proposals of one table that are kept; it has a handful."""


class WaitingSince(msgspec.Struct, frozen=True):
    """Since when something waits (RFC 3339, UTC); ``exact``: it was heard as it began, else it waits longer."""

    since: str
    exact: bool


class QuestionNeed(msgspec.Struct, frozen=True):
    """A question that has not been answered."""

    question: int
    round: int | None
    text: str
    waits: WaitingSince


class IrregularNeed(msgspec.Struct, frozen=True):
    """A round that no legal play explains."""

    round: int
    reason: str
    waits: WaitingSince


class PendingProposal(msgspec.Struct, frozen=True):
    """What one person proposes and another must approve: of a meter, or a ruling.

    ``spot``, ``bet`` and ``net_cents`` (the player's) are null for a whole round, ``before_cents`` of an open one too.
    ``move``: of a meter, what is proposed; null where it is none that this version knows.
    """

    order: int
    who: str
    why: str
    waits: WaitingSince
    meter: str = ""
    round: int | None = None
    spot: int | None = None
    bet: str | None = None
    before_cents: int | None = None
    net_cents: int | None = None
    move: MeterChange | None = None
    text: str = ""
    """Of another order than on a wager, a round or a meter: what it is, in words."""
    case: str = ""
    """The house's number for the matter of a ruling."""


class TableNeeds(msgspec.Struct, frozen=True):
    """All of it. ``open_wagers`` and ``doubted_wagers``: of the last round, left open, and in doubt since.

    ``proposals``: all that wait.
    """

    questions: tuple[QuestionNeed, ...] = ()
    irregular: IrregularNeed | None = None
    hold: WaitingSince | None = None
    offline: WaitingSince | None = None
    open_wagers: int = 0
    doubted_wagers: int = 0
    proposals: tuple[PendingProposal, ...] = ()


class NeedBook:
    """What is known of one table so far. Times are those of events, or of the moment something is first seen."""

    def __init__(self) -> None:
        self._needs = TableNeeds()
        self._asked: dict[int, str] = {}
        self._irregular: dict[int, str] = {}
        self._proposals: dict[int, PendingProposal] = {}
        self._epoch = 0

    def now(self) -> TableNeeds:
        """What waits."""
        listed = tuple(self._proposals[order] for order in sorted(self._proposals))
        return msgspec.structs.replace(self._needs, proposals=listed)

    def follow(self, one: Published) -> None:
        """An event was heard."""
        if one.identity.epoch != self._epoch:
            self._epoch = one.identity.epoch
            self._asked, self._irregular, self._proposals = {}, {}, {}
        exactly = WaitingSince(one.time, exact=True)
        match one.event:
            case QuestionAsked(question):
                self._asked[question] = one.time
            case RoundIrregular(number):
                self._irregular = {number: one.time}
            case RulingProposed(order, number, spot, bet, net_cents, who, why):
                place, case = (number, spot, bet, None, net_cents), one.event.case or ""
                self._propose(PendingProposal(order, who, why, exactly, "", *place, case=case))
            case OrderProposed(order, _, text, number, who=who, why=why):
                self._propose(PendingProposal(order, who, why, exactly, "", number, text=text))
            case MeterChangeProposed(order, meter, move, who, why):
                self._propose(PendingProposal(order, who, why, exactly, meter, move=move))
            case OrderApproved(order) | OrderWithdrawn(order):
                self._proposals.pop(order, None)
            case _:
                pass

    def take(self, picture: object, now_text: str) -> None:
        """A picture was heard at this time; None: the table is no longer on hold."""
        old = self._needs
        match picture:
            case None:
                self._needs = msgspec.structs.replace(old, hold=None)
            case Hold():
                self._needs = msgspec.structs.replace(old, hold=old.hold or WaitingSince(now_text, exact=False))
            case Status(state):
                offline = (old.offline or WaitingSince(now_text, exact=False)) if state == OFFLINE else None
                self._needs = msgspec.structs.replace(old, offline=offline)
            case MetersNow():
                self._take_meters(picture, now_text)
            case OrdersNow():
                self._take_rulings(picture, now_text)
            case FeltNow():
                self._take_felt(picture, now_text)
            case _:
                pass

    def _propose(self, one: PendingProposal) -> None:
        if one.order in self._proposals or len(self._proposals) < ORDERS_LIMIT:
            self._proposals[one.order] = one

    def _take_meters(self, picture: MetersNow, now_text: str) -> None:
        """The picture has every proposal of a meter, and none of a ruling."""
        waiting = {one.order: one for one in picture.orders}
        self._proposals = {order: one for order, one in self._proposals.items() if not one.meter or order in waiting}
        for order, one in waiting.items():
            since, move = self._since(order, now_text), move_of(one.move)
            self._propose(PendingProposal(order, one.who, one.why, since, one.meter, move=move))

    def _take_rulings(self, picture: OrdersNow, now_text: str) -> None:
        """The picture has every proposed ruling, and none of a meter."""
        waiting = {*(one.order for one in picture.rulings), *(one.order for one in picture.orders)}
        self._proposals = {order: one for order, one in self._proposals.items() if one.meter or order in waiting}
        for one in picture.rulings:
            place = one.round, one.spot, one.bet, one.before_cents, one.net_cents
            since = self._since(one.order, now_text)
            self._propose(PendingProposal(one.order, one.who, one.why, since, "", *place, case=one.case))
        for other in picture.orders:
            since = self._since(other.order, now_text)
            self._propose(PendingProposal(other.order, other.who, other.why, since, "", other.round, text=other.text))

    def _since(self, order: int, now_text: str) -> WaitingSince:
        """Since when a proposal waits: as is known, or from now on."""
        known = self._proposals.get(order)
        return WaitingSince(now_text, exact=False) if known is None else known.waits

    def _take_felt(self, felt: FeltNow, now_text: str) -> None:
        before = {one.question: one.waits for one in self._needs.questions}
        questions = tuple(
            QuestionNeed(
                one.question, one.round, one.text, waits(self._asked, one.question, before.get(one.question), now_text)
            )
            for one in felt.questions
        )
        irregular = self._needs.irregular
        known = irregular.waits if irregular is not None and irregular.round == felt.round else None
        self._needs = msgspec.structs.replace(
            self._needs,
            questions=questions,
            irregular=IrregularNeed(felt.round, felt.irregular, waits(self._irregular, felt.round, known, now_text))
            if felt.irregular and felt.open
            else None,
            open_wagers=0 if felt.open else count(one.net_cents is None for one in felt.wagers),
            doubted_wagers=count(one.disputed for one in felt.wagers),
        )


def move_of(said: dict[str, Any]) -> MeterChange | None:
    """What a picture says of a proposed move; None: it is none that this version knows."""
    try:
        known: MeterChange = msgspec.convert(said, MeterChange)
    except msgspec.ValidationError:
        return None
    return known


def waits(heard: Mapping[int, str], number: int, known: WaitingSince | None, now_text: str) -> WaitingSince:
    """Since when: as its event said, as was known before, or from now on."""
    time = heard.get(number)
    return WaitingSince(time, exact=True) if time is not None else known or WaitingSince(now_text, exact=False)


def count(said: Iterable[bool]) -> int:
    """How many are true."""
    return sum(said)
