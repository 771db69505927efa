"""What a card has settled before play: naturals against 2 to 9, and the side wagers that the deal decides.

Reported only where it is certain: the readers saw the chips unmoved after play had begun. A change that may have come
before, a wager no reader sees and a reader that was lost say nothing.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from controller.core.game.side_bet import find, terms_of
from controller.core.inference.observation import CardObserved, KeyObserved
from controller.core.messages.events import WagerSettled
from controller.core.messages.raised_alerts import AlertKind
from controller.core.table.alert_list import raise_alert
from controller.core.table.payments import RoundPayments, ZoneHistory
from controller.core.table.round_state import Round
from controller.core.table.transaction import Transaction

_DECISIONS: Final = frozenset({"hit", "stand", "double", "split"})


def is_settled_before_play(transaction: Transaction, paid: RoundPayments, event: WagerSettled) -> bool:
    """Whether a wager that has just been settled is one that the card has settled before play (A40)."""
    said, round_now = transaction.rules.settled_before_play, transaction.state.round
    if said == "not_said" or round_now is None or round_now.number != event.round or round_now.cards.turned:
        return False
    if event.bet == "main":
        return event.spot in paid.naturals and event.net_cents > 0
    # A win that the aggregate limit may lower is not known before the last side wager is.
    decided = event.net_cents < 0 or (event.net_cents > 0 and not transaction.rules.aggregate_limit_cents)
    decided = decided and event.bet in transaction.rules.side_bets and said == "naturals_and_side_wagers"
    return decided and find(event.bet).placed == "before_deal" and _paid_in_chips(transaction, event.bet)


def _paid_in_chips(transaction: Transaction, bet: str) -> bool:
    """Whether a wager is taken and paid in its zone: the stake of a meter's wager is collected before the deal."""
    terms = terms_of(transaction.rules, bet)
    return bool(terms.pays) and not (terms.awards_cents or terms.meter_shares)


def review(transaction: Transaction, paid: RoundPayments) -> RoundPayments:
    """The round once what play has overtaken is reported; what cannot be known any more is awaited no longer."""
    round_now = transaction.state.round
    if not paid.first or round_now is None or round_now.number != paid.round:
        return paid
    left: list[str] = []
    for name in paid.first:
        watch = paid.watches.get(name)
        begun = None if watch is None else _begun_ns(round_now, by_card=watch.zone == "main")
        if (
            watch is None
            or watch.spoilt
            or round_now.evidence.trouble
            or (begun is not None and _moved_by(watch, begun[1]))
        ):
            continue
        if begun is None or transaction.state.known_until_ns(watch.spot, watch.zone) < begun[1]:
            left.append(name)
            continue
        before = "a card was drawn after the deal" if watch.zone == "main" else "play began"
        what = "the natural had not been paid" if watch.zone == "main" else "the wager had not been settled"
        text = f"spot {watch.spot} {watch.zone}: {what} when {before}"
        raise_alert(transaction, AlertKind.PROCEDURE_LATE, text, round=paid.round, spot=watch.spot, zone=watch.zone)
    return paid if len(left) == len(paid.first) else replace(paid, first=tuple(left))


def _begun_ns(round_now: Round, *, by_card: bool) -> tuple[int, int] | None:
    """The first and the last moment at which play began: ``by_card`` with the first card, else with a decision too."""
    cards = [one for one in round_now.evidence.observations if isinstance(one.item, CardObserved)]
    keys = [
        one
        for one in round_now.evidence.observations
        if isinstance(one.item, KeyObserved) and one.item.action in _DECISIONS
    ]
    begins = [*cards[round_now.deal_cards() :][:1], *([] if by_card else keys[:1])]
    return min(((one.first_ns, one.last_ns) for one in begins), key=lambda span: span[1], default=None)


def _moved_by(watch: ZoneHistory, begun_ns: int) -> bool:
    """Whether the chips may have been touched by then."""
    return any(look.first_ns < begun_ns for look in watch.looks[1:])
