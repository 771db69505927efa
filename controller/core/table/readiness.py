"""Whether the table is fit for another round: its disk has room, and what it says is kept somewhere else too.

What makes it unfit (a *cause*) is found out by the impure floor and reported here. While a cause closes the table the
round in play is finished like any other, and no other begins: its cards would be settled on a journal that may not hold
them, or that only this machine would ever know. Cards that are dealt all the same belong to no round.
"""

from __future__ import annotations

from typing import Final

from controller.core.messages.alerts import PlayBlocked, PlayUnblocked
from controller.core.messages.inputs import FitnessLevel, FitnessReported
from controller.core.messages.raised_alerts import AlertKind, Severity
from controller.core.table.alert_list import raise_alert
from controller.core.table.state import FitnessProblem, State
from controller.core.table.transaction import Transaction

_KINDS: Final = {
    "storage": AlertKind.STORAGE_LOW,
    "consumers": AlertKind.EVENTS_UNACKNOWLEDGED,
    "second_copy": AlertKind.SECOND_COPY_LOST,
}
"""What an alert about each cause is called."""


def block_reason(state: State) -> str:
    """Why no round may begin, in words; empty while one may."""
    return "; ".join(one.text for one in state.unfit.values() if one.level is FitnessLevel.CLOSED)


def take_fitness(transaction: Transaction, report: FitnessReported) -> None:
    """Take the process's report of how fit the table is in one respect; emits when play is blocked or unblocked."""
    before = transaction.state.unfit.get(report.cause)
    was = FitnessLevel.FIT if before is None else before.level
    others = {cause: one for cause, one in transaction.state.unfit.items() if cause != report.cause}
    if report.level is FitnessLevel.FIT:
        transaction.change(unfit=others)
    else:
        transaction.change(unfit={**others, report.cause: FitnessProblem(report.level, report.text)})
    if report.level is was:
        return
    kind = _KINDS[report.cause]
    if report.level is FitnessLevel.CLOSED:
        transaction.emit(PlayBlocked(report.cause, report.text, transaction.state.round is not None))
        raise_alert(transaction, kind, f"no round may begin: {report.text}", severity=Severity.CRITICAL)
    elif was is FitnessLevel.CLOSED:
        transaction.emit(PlayUnblocked(report.cause))
    if report.level is FitnessLevel.WARNED and was is FitnessLevel.FIT:
        raise_alert(transaction, kind, report.text)


def dealt(transaction: Transaction, card: int) -> None:
    """A card was drawn that would have begun a round: said once, until somebody has acknowledged it."""
    if any(one.kind is AlertKind.DEALT_WHILE_CLOSED for one in transaction.state.alerts.listed):
        return
    text = (
        f"card {card} was drawn while no round may begin: {block_reason(transaction.state)}; no such round is settled"
    )
    raise_alert(transaction, AlertKind.DEALT_WHILE_CLOSED, text, readings=(card,))
