"""What people do with meters and jackpots: one verifies and another pays; what moves a meter takes two, one proposing.

Nothing is moved by a proposal. It is judged again when the second person approves it, for the meter may have moved;
who is a second person, and what becomes of the proposal, is ``people.dual_control``'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, assert_never

from msgspec.structs import replace

from controller.core.game.side_bet import terms_of
from controller.core.game.wager import Basis
from controller.core.messages.events import WagerAdjusted, WagerSettled
from controller.core.messages.inputs import PayJackpot, ProposeMeterChange, ReopenMeter, VerifyJackpot
from controller.core.messages.meter_events import (
    JackpotPaid,
    JackpotRefused,
    JackpotVerified,
    MeterAdjusted,
    MeterChangeProposed,
    ParametersChanged,
    ParametersQueued,
)
from controller.core.meters.awards import Jackpot, Winner, pay_winners
from controller.core.meters.meter import Meter
from controller.core.meters.pool_postings import ClaimPosting, WinningRow
from controller.core.meters.pooled_meter import PooledMeter
from controller.core.meters.state import (
    ORDERS_LIMIT,
    Adjustment,
    Grant,
    JackpotRefusal,
    MeterChange,
    MeterOrder,
    MeterTerms,
    NewParameters,
    terms_named,
)
from controller.core.persons import Person, not_second_reason, same_proof, unvouched_reason
from controller.core.progressives.live_meters import MYSTERY_ROW, freeze_award, publish_reset
from controller.core.progressives.live_meters import change_meter as remember
from controller.core.progressives.pool_outbox import OrderedBy, post_claim, post_verdict, release
from controller.core.refusal_reason import RefusalReason
from controller.core.table.ledger import book_of
from controller.core.table.state import ProposedRuling
from controller.core.table.transaction import Transaction

_AT_THE_LINK = RefusalReason(
    "at_the_pool", "the pool is moved at the link, by two people: tableside link adjust, tableside link change"
)

_NO_JACKPOT: Final = RefusalReason("no_such_jackpot", "there is no such jackpot, or it is no longer kept")


def take_meter_order(
    transaction: Transaction, ruling: VerifyJackpot | PayJackpot | ProposeMeterChange | ReopenMeter
) -> None:
    """Carry out what a person asks, or say why it cannot be."""
    match ruling:
        case VerifyJackpot():
            what, refused = f"verify jackpot {ruling.jackpot}", _verify(transaction, ruling)
        case PayJackpot():
            what, refused = f"pay jackpot {ruling.jackpot}", _pay(transaction, ruling)
        case ProposeMeterChange():
            what, refused = f"move meter {ruling.meter}", _propose(transaction, ruling)
        case ReopenMeter():
            what, refused = f"reopen meter {ruling.meter}", release(transaction, ruling)
        case _:
            assert_never(ruling)
    if refused is not None:
        transaction.refuse(what, ruling.who, refused)


def _verify(transaction: Transaction, ruling: VerifyJackpot) -> RefusalReason | None:
    """An award is in order; why that cannot be said; None: it is done."""
    jackpot = transaction.state.progressives.jackpot(ruling.jackpot)
    after = _NO_JACKPOT if jackpot is None else jackpot.verified(ruling.who, ruling.vouched)
    if isinstance(after, RefusalReason):
        return after
    if unknown := unvouched_reason(Person(ruling.who, ruling.vouched)):
        return unknown
    remember(transaction, transaction.state.progressives.with_jackpot(after))
    transaction.emit(JackpotVerified(after.number, after.cents, ruling.who, ruling.why, ruling.vouched.text()))
    post_verdict(transaction, after, "verified")
    return None


def _pay(transaction: Transaction, ruling: PayJackpot) -> RefusalReason | None:
    """An award was paid; why that cannot be; None: it is done."""
    jackpot = transaction.state.progressives.jackpot(ruling.jackpot)
    if jackpot is None:
        return _NO_JACKPOT
    after = jackpot.paid(ruling.who)
    if isinstance(after, RefusalReason):
        return after
    book = book_of(transaction.state.books, jackpot.round)
    if book is not None and book.void:
        return RefusalReason(
            "round_void",
            f"round {jackpot.round} is void and its wagers go back: two people must refuse the jackpot instead",
        )
    verifier, payer = Person(jackpot.who, jackpot.vouched), Person(ruling.who, ruling.vouched)
    alike = transaction.house.names_alike() if transaction.house.orders_bounded else None
    if refused := not_second_reason(verifier, payer, "verified it", alike=alike):
        return refused
    remember(transaction, transaction.state.progressives.with_jackpot(after))
    transaction.emit(JackpotPaid(after.number, after.cents, ruling.who, jackpot.who, ruling.why, ruling.vouched.text()))
    post_verdict(transaction, after, "paid")
    return None


_ORDERS_OF_ONE: Final = 4
"""Orders that wait for a second person and may be one person's."""

_TOO_MANY: Final = RefusalReason("too_many_waiting", f"{ORDERS_LIMIT} orders wait already; approve or withdraw some")
_TOO_MANY_OF_ONE: Final = RefusalReason(
    "too_many_waiting", f"{_ORDERS_OF_ONE} orders of yours wait already; have some approved, or withdraw some"
)


def no_room(
    transaction: Transaction, person: Person, waiting: Sequence[ProposedRuling | MeterOrder]
) -> RefusalReason | None:
    """Why another order of a person's cannot wait among ``waiting``; None: it can.

    One person has a few places alone, of rulings and meters together, so that nobody takes them all. They are counted
    by the proof with which an order came: what one key has proposed takes no place at a socket whose role it has too.
    In journals of before it did.
    """
    if len(waiting) >= ORDERS_LIMIT:
        return _TOO_MANY
    if not transaction.house.orders_bounded:
        return None
    makers = [proposer(one) for one in waiting_orders(transaction)]
    if transaction.house.words_confirmed:
        mine = [one for one in makers if same_proof(one, person)]
    else:
        mine = [one for one in makers if not_second_reason(one, person, "") is not None]
    return _TOO_MANY_OF_ONE if len(mine) >= _ORDERS_OF_ONE else None


def waiting_orders(transaction: Transaction) -> tuple[ProposedRuling | MeterOrder, ...]:
    """Every order that waits for a second person."""
    return (*transaction.state.proposed, *transaction.state.progressives.orders)


def proposer(waits: ProposedRuling | MeterOrder) -> Person:
    """Who made a proposal."""
    made = waits if isinstance(waits, MeterOrder) else waits.ruling
    return Person(made.who, made.vouched)


# --- orders -----------------------------------------------------------------------------------------


def _propose(transaction: Transaction, ruling: ProposeMeterChange) -> RefusalReason | None:
    """Keep what one person proposes; why it could not be carried out anyway; None: it is done."""
    known = transaction.state.progressives
    if full := no_room(transaction, Person(ruling.who, ruling.vouched), known.orders):
        return full
    order = MeterOrder(known.ordered + 1, ruling.meter, ruling.move, ruling.who, ruling.why, ruling.vouched)
    meter = _meter_of(transaction, ruling.meter)
    if meter is None:
        names = [*(one.name for one in known.meters), *(one.name for one in known.linked)]
        return RefusalReason(
            "no_such_meter", f"there is no meter {ruling.meter}; there are: {', '.join(names) or 'none'}"
        )
    refused = unvouched_reason(Person(ruling.who, ruling.vouched)) or _impossible(transaction, meter, ruling.move)
    if refused is not None:
        return refused
    remember(transaction, replace(known, orders=(*known.orders, order), ordered=order.number))
    transaction.emit(
        MeterChangeProposed(order.number, order.meter, order.move, order.who, order.why, order.vouched.text())
    )
    return None


def refusal_of_order(transaction: Transaction, order: MeterOrder) -> RefusalReason | None:
    """Why a proposal that waits could not be carried out now; None: it could."""
    meter = _meter_of(transaction, order.meter)
    if meter is None:
        return RefusalReason("no_such_meter", f"there is no meter {order.meter} any more")
    return _impossible(transaction, meter, order.move)


def carry_out_approved(transaction: Transaction, order: MeterOrder, second: str) -> None:
    """Carry out what two people ordered."""
    meter = _meter_of(transaction, order.meter)
    assert meter is not None, "an order that is possible names a meter"
    if isinstance(meter, PooledMeter):
        _carry_out_pooled(transaction, meter, order, second)
    else:
        _carry_out(transaction, meter, order, second)


def _meter_of(transaction: Transaction, name: str) -> Meter | PooledMeter | None:
    """The meter of this name, the table's own or linked."""
    known = transaction.state.progressives
    return known.meter(name) or known.linked_meter(name)


def _carry_out(transaction: Transaction, meter: Meter, order: MeterOrder, second: str) -> None:
    """Do what two people ordered of a meter of the table's own."""
    match order.move:
        case Adjustment():
            _adjust(transaction, meter, order.move, order, second)
        case NewParameters(parameters):
            _put_on(transaction, meter.with_parameters(parameters), meter, order, second)
        case JackpotRefusal(number):
            jackpot = transaction.state.progressives.jackpot(number)
            assert jackpot is not None, "an order that is possible names a jackpot"
            _refuse(transaction, meter, jackpot, order, second)
        case Grant():
            _grant(transaction, meter, order.move, order, second)
        case _:
            assert_never(order.move)


def _impossible(transaction: Transaction, meter: Meter | PooledMeter, move: MeterChange) -> RefusalReason | None:
    """Why a move could not be carried out now; None: it could."""
    if isinstance(meter, PooledMeter):
        why = _refusal_of_pooled(transaction, meter, move)
        return _ungrantable(transaction, meter, move) if isinstance(move, Grant) and why is None else why
    match move:
        case Adjustment(pool, units, reason):
            after = meter.after_adjustment(pool, units, reason)
            return after if isinstance(after, RefusalReason) else None
        case NewParameters(parameters):
            wrong = "; ".join(f"{key}: {text}" for key, text in parameters.mistakes())
            return _wrong_parameters(transaction, meter, move) or (
                RefusalReason("meter_rules", wrong) if wrong else None
            )
        case JackpotRefusal(number):
            jackpot = transaction.state.progressives.jackpot(number)
            if jackpot is None or jackpot.meter != meter.name:
                return _NO_JACKPOT
            refused = jackpot.refused("")
            return refused if isinstance(refused, RefusalReason) else None
        case Grant():
            return _ungrantable(transaction, meter, move)
        case _:
            assert_never(move)


def _wrong_parameters(transaction: Transaction, meter: Meter, move: NewParameters) -> RefusalReason | None:
    """Bounds of a must-hit-by meter are the trigger box's."""
    terms, now = terms_named(transaction.house.meters, meter.name), meter.parameters
    wanted = (move.parameters.reset_cents, move.parameters.limit_cents)
    if terms is not None and terms.kind == "mystery" and wanted != (now.reset_cents, now.limit_cents):
        return RefusalReason(
            "meter_rules", "reset value and limit of a must-hit-by meter are those the trigger box draws between"
        )
    return None


def _adjust(transaction: Transaction, meter: Meter, move: Adjustment, order: MeterOrder, second: str) -> None:
    """Move a meter or its reserve."""
    after = meter.after_adjustment(move.pool, move.units, move.reason)
    assert isinstance(after, Meter), after
    remember(transaction, transaction.state.progressives.with_meter(after))
    stands = (after.current_units, after.shown_cents())
    people = (order.who, second, order.why)
    transaction.emit(MeterAdjusted(meter.name, move.pool, move.units, move.reason, *stands, *people))
    _settle_dispute(transaction, meter)


def _settle_dispute(transaction: Transaction, meter: Meter) -> None:
    """Two people have looked at the must-hit-by meter: box and table compare again from here on."""
    terms = terms_named(transaction.house.meters, meter.name)
    if terms is not None and terms.kind == "mystery":
        remember(transaction, replace(transaction.state.progressives, dispute=""))


def _put_on(transaction: Transaction, after: Meter, before: Meter, order: MeterOrder, second: str) -> None:
    """Other parameters: now, or with the next reset."""
    remember(transaction, transaction.state.progressives.with_meter(after))
    wanted = after.queued or after.parameters
    transaction.emit(ParametersQueued(after.name, wanted, order.who, second, order.why))
    if after.queued is None:
        transaction.emit(ParametersChanged(after.name, before.parameters, after.parameters))


def _refuse(transaction: Transaction, meter: Meter, jackpot: Jackpot, order: MeterOrder, second: str) -> None:
    """Put an award back into its meter, and out of the wager's account."""
    after, (house, reserve) = meter.after_return(jackpot.cents, jackpot.resets)
    refused = jackpot.refused(second)
    assert isinstance(refused, Jackpot), refused
    remember(transaction, transaction.state.progressives.with_meter(after).with_jackpot(refused))
    stands = (house, reserve, after.name, after.current_units, after.shown_cents())
    transaction.emit(JackpotRefused(jackpot.number, jackpot.cents, *stands, order.who, second, order.why))
    take_back_award(transaction, jackpot, f"{order.who}, {second}", order.why)


def take_back_award(transaction: Transaction, jackpot: Jackpot, people: str, why: str) -> None:
    """An award that was refused is out of its wager's account, if what the wager is due now contains it."""
    book = book_of(transaction.state.books, jackpot.round)
    row = None if book is None or book.void else book.row(jackpot.spot, jackpot.bet)
    if row is not None and row.net_cents is not None and row.jackpot_cents >= jackpot.cents:
        place = (jackpot.round, jackpot.spot, jackpot.bet, row.wager_cents)
        due, left = row.net_cents - jackpot.cents, row.jackpot_cents - jackpot.cents
        # The floor has not ruled on the wager itself: it goes on resting on what it rested on.
        transaction.emit(WagerAdjusted(*place, row.net_cents, due, people, why, row.basis or Basis.FLOOR, left))


def _ungrantable(transaction: Transaction, meter: Meter | PooledMeter, move: Grant) -> RefusalReason | None:
    """Why a row cannot be awarded by people; None: it can."""
    terms = terms_named(transaction.house.meters, meter.name) or terms_named(transaction.house.linked, meter.name)
    book = book_of(transaction.state.books, move.round)
    if terms is None or move.bet not in terms.fed_by:
        return RefusalReason("meter_rules", f"{move.bet} does not feed meter {meter.name}")
    row = None if book is None or book.void else book.row(move.spot, move.bet)
    if row is None:
        return RefusalReason(
            "no_such_wager", f"there is no wager {move.bet!r} at spot {move.spot} in round {move.round} on the books"
        )
    mystery = isinstance(terms, MeterTerms) and terms.kind == "mystery"
    rows = [MYSTERY_ROW] if mystery else sorted(terms_of(transaction.rules, move.bet).meter_shares)
    if move.row not in rows:
        return RefusalReason("meter_rules", f"meter {meter.name} pays {', '.join(rows)}, not {move.row}")
    if transaction.state.progressives.won(move.round, move.spot, move.bet):
        return RefusalReason("already_done", "the wager has won from a meter already")
    if row.net_cents is None and transaction.state.round is not None and transaction.state.round.number == move.round:
        return RefusalReason(
            "round_in_play", "its round is being played: what its cards make of the wager is not known yet"
        )
    return None


def _grant(transaction: Transaction, meter: Meter, move: Grant, order: MeterOrder, second: str) -> None:
    """Award a row's part of the meter on two people's word, and settle or adjust the wager."""
    share = (1, 1) if move.row == MYSTERY_ROW else terms_of(transaction.rules, move.bet).meter_shares[move.row]
    (won,), after = pay_winners(meter, [Winner(move.spot, share)], shared=False)
    place = (move.round, move.spot, move.bet)
    jackpot = Jackpot(0, meter.name, *place, move.row, won.cents, won.resets)
    freeze_award(transaction, jackpot, won, f"granted by {order.who} and {second}")
    remember(transaction, transaction.state.progressives.with_meter(after))
    if won.resets is not None:
        publish_reset(transaction, meter, after)
    _settle_dispute(transaction, meter)
    settle_grant(transaction, jackpot, f"{order.who}, {second}", order.why)


def settle_grant(transaction: Transaction, granted: Jackpot, people: str, why: str) -> None:
    """Settle or adjust the wager to which two people granted an award."""
    place, cents = (granted.round, granted.spot, granted.bet), granted.cents
    book = book_of(transaction.state.books, granted.round)
    row = None if book is None else book.row(granted.spot, granted.bet)
    if row is None:
        return
    if row.net_cents is None:
        due, rests = cents - row.wager_cents, (transaction.stamped.number,)
        transaction.emit(WagerSettled(*place, row.wager_cents, due, Basis.FLOOR, rests, f"{people}: {why}", cents))
        return
    added = granted.row == MYSTERY_ROW
    due = cents + (row.net_cents if added else -row.wager_cents)
    jackpots = cents + (row.jackpot_cents if added else 0)
    transaction.emit(WagerAdjusted(*place, row.wager_cents, row.net_cents, due, people, why, Basis.FLOOR, jackpots))


# --- linked meters: an award is refused or granted here, the rest is the link's ----------------------


def _refusal_of_pooled(transaction: Transaction, linked: PooledMeter, move: MeterChange) -> RefusalReason | None:
    """Why a move could not be carried out now; None: it could."""
    match move:
        case Adjustment() | NewParameters():
            return _AT_THE_LINK
        case JackpotRefusal(number):
            jackpot = transaction.state.progressives.jackpot(number)
            if jackpot is None or jackpot.meter != linked.name:
                return _NO_JACKPOT
            refused = jackpot.refused("")
            return refused if isinstance(refused, RefusalReason) else None
        case Grant(number, spot, bet):
            claims = (one.deed for one in linked.owed if isinstance(one.deed, ClaimPosting) and one.round == number)
            if any((one.spot, one.bet) == (spot, bet) for deed in claims for one in deed.winners):
                return RefusalReason("already_done", "the wager's claim waits for the link")
            return None
        case _:
            assert_never(move)


def _carry_out_pooled(transaction: Transaction, linked: PooledMeter, order: MeterOrder, second: str) -> None:
    """Do what two people ordered: at once at the table, and owed to the ledger."""
    people = OrderedBy(order.who, second, order.why)
    match order.move:
        case JackpotRefusal(number):
            jackpot = transaction.state.progressives.jackpot(number)
            refused = None if jackpot is None else jackpot.refused(f"{order.who}, {second}")
            assert isinstance(refused, Jackpot), "an order that is possible names an open jackpot"
            transaction.change(progressives=transaction.state.progressives.with_jackpot(refused))
            post_verdict(transaction, refused, "refused", people)
        case Grant(number, spot, bet, row):
            winners = (WinningRow(spot, bet, row, terms_of(transaction.rules, bet).meter_shares[row]),)
            post_claim(
                transaction,
                linked,
                ClaimPosting(number, winners, shared=False),
                f"granted by {order.who} and {second}",
                people,
            )
        case Adjustment() | NewParameters():
            raise AssertionError(_AT_THE_LINK.text)
        case _:
            assert_never(order.move)
