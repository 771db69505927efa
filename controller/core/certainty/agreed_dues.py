"""What the lattice says of a round's money: facts and dues that every legal play agrees on, published once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import msgspec

from controller.core.certainty.agreed_facts import RoundNames, inferred
from controller.core.certainty.reader_zones import spots_watched
from controller.core.certainty.shared_chips import ambiguous_since_ns
from controller.core.game.settlement import Net
from controller.core.game.side_bet import find
from controller.core.game.wager import Basis
from controller.core.inference.dues import Due, certain_main_nets, insurance_due, main_due
from controller.core.inference.lattice import Frontier, Lattice
from controller.core.inference.observation import NEVER_ENDS, ChipsObserved
from controller.core.messages.events import WagerAdjusted, WagerSettled
from controller.core.table.ledger import book_of
from controller.core.table.round_state import Round
from controller.core.table.transaction import Transaction
from controller.core.table.workings import ChipsHorizon, are_identical


def confirmed_until_ns(transaction: Transaction) -> int:
    """The moment up to which the chips of every box are confirmed.

    Until the lock has been published any spot may turn out to be a box; of a reader that is lost nothing can be
    awaited.
    """
    state, round_now = transaction.state, transaction.round()
    bets, evidence = round_now.bets, round_now.evidence
    rests_on = (state.confirmed, state.felt, state.devices, bets.spots, bets.locked, evidence.outages)
    if not are_identical(transaction.looked.rests_on, rests_on):
        transaction.looked = ChipsHorizon(rests_on, _looked_until(transaction))
    return transaction.looked.known_ns


def _looked_until(transaction: Transaction) -> int:
    """The same, gone over spot by spot."""
    state, round_now = transaction.state, transaction.round()
    spots: Collection[int] = round_now.bets.spots
    if not round_now.bets.locked:
        spots = {*round_now.bets.spots, *spots_watched(transaction.house, state)}
    if round_now.evidence.outages:
        unwatched = (one for one in round_now.evidence.outages if one.open() and one.hides("main"))
        spots = set(spots).difference(round_now.bets.spots[one.box] for one in unwatched)
    confirmed = state.confirmed
    until = min([confirmed.get(name, -1) for name in map(str, spots)], default=NEVER_ENDS)
    return min(until, ambiguous_since_ns(state.felt, spots))


def confirmation_needed_ns(transaction: Transaction) -> int:
    """The moment the readers should confirm: the last evidence that came from elsewhere, the lock, or the close."""
    round_now = transaction.round()
    keyed_ns = round_now.ending.close_keyed_ns if round_now.ending.closing else -1
    return max(lock_confirmation_ns(round_now), transaction.times().elsewhere_ns, keyed_ns)


def lock_confirmation_ns(round_now: Round) -> int:
    """The moment the readers must have confirmed before the lock is published."""
    return max(round_now.bets.lock_ns, round_now.bets.shared.changed_ns)


class AgreedPlays(msgspec.Struct, frozen=True):
    """A lattice, the nodes of it that agree with the hole card, and what that counts.

    None: it has not been turned, or no hole card is dealt.
    """

    lattice: Lattice
    frontier: Frontier
    points: int | None

    def dues(self, box: int) -> Iterator[tuple[str, Due]]:
        """The wagers of a box and what they may be due."""
        yield "main", main_due(self.lattice, self.frontier, box, self.points)
        insured = insurance_due(self.lattice, self.frontier, box, self.points)
        if insured is not None:
            yield "insurance", insured

    def wager_cents(self, box: int, bet: str) -> int | None:
        """The wager in cents; None where plays differ on the insurance counted."""
        if bet == "main":
            return self.lattice.wagers[box]
        counted = {node.insured[box] if node.insured else 0 for node in self.frontier}
        return counted.pop() if len(counted) == 1 else None


def consistent_with_hole(frontier: Frontier, points: int | None) -> Frontier:
    """The nodes that agree with the hole card."""
    if points is None:
        return frontier
    return {node: outcomes for node, outcomes in frontier.items() if node.hole >> points & 1}


def publish(transaction: Transaction, judged: AgreedPlays) -> None:
    """Facts and dues that hold in every play."""
    view, frontier = judged.lattice, judged.frontier
    round_now = transaction.round()
    names = RoundNames(round_now.number, round_now.bets.spots, tuple([card.number for card in round_now.cards.drawn]))
    shown = view.cards[: view.cuts[-1].cards]
    known = transaction.facts()
    fresh = dict.fromkeys(inferred(shown, view.game, frontier, names, known))
    unpublished = [fact for fact in fresh if fact not in known.every]
    if unpublished:
        transaction.emit(*unpublished)
        transaction.change_evidence(published=(*round_now.evidence.published, *unpublished))
    if len(shown) < view.game.deal_cards or not frontier:
        return
    insurable = view.game.insurance_offered()
    open_mains = [
        box for box, spot in enumerate(round_now.bets.spots) if (spot, "main") not in round_now.ending.settled
    ]
    certain = certain_main_nets(view, frontier, open_mains, judged.points)
    for box, spot in enumerate(round_now.bets.spots):
        if box in certain:
            _settle(transaction, judged, box, "main", certain[box])
        if insurable and (spot, "insurance") not in transaction.round().ending.settled:
            insured = insurance_due(view, frontier, box, judged.points)
            if insured is not None:
                _settle(transaction, judged, box, "insurance", insured.certain())
    _return_offered(transaction, judged)


def _return_offered(transaction: Transaction, judged: AgreedPlays) -> None:
    """Wagers on the books that were made after the deal, and that no play has any more, go back.

    A correction of the up card takes the offer away, or a later one replaces it.
    """
    play, round_now = judged.lattice.game, transaction.round()
    book = book_of(transaction.state.books, round_now.number)
    for row in () if book is None else book.rows:
        made_later = row.bet == "insurance" or (row.bet != "main" and find(row.bet).placed == "after_deal")
        if not made_later or (row.spot, row.bet) in round_now.ending.settled or row.spot not in round_now.bets.spots:
            continue
        box = round_now.bets.spots.index(row.spot)
        counted = any(node.offers or (node.insured and node.insured[box]) for node in judged.frontier)
        if row.bet == play.offered_zone and counted:
            continue
        basis = Basis.ANSWER if round_now.rests_on_people() else Basis.EVIDENCE
        place = (round_now.number, row.spot, row.bet, row.wager_cents, 0, basis)
        why = f"{row.bet} was not offered, or not made: it goes back"
        publish_settlement(transaction, WagerSettled(*place, readings_relied_on(judged.lattice, box), why))


def _settle(transaction: Transaction, judged: AgreedPlays, box: int, bet: str, net: Net | None) -> None:
    """Publish a wager's due once every play agrees on it."""
    if net is None:
        return
    wager_cents = judged.wager_cents(box, bet)
    spot = transaction.round().bets.spots[box]
    unseen = bet == "insurance" and may_differ_from_chips(judged.lattice, box, bet, net.cents)
    if wager_cents is None or unseen or transaction.round().is_wager_unread(spot, bet):
        return
    readings = readings_relied_on(judged.lattice, box)
    number = transaction.round().number
    basis = Basis.ANSWER if transaction.round().rests_on_people() else Basis.EVIDENCE
    publish_settlement(transaction, WagerSettled(number, spot, bet, wager_cents, net.cents, basis, readings, net.why))


def may_differ_from_chips(lattice: Lattice, box: int, bet: str, net_cents: int) -> bool:
    """Whether a wager made after the deal may be another than the chips show.

    It was made, or raised, while its box's reader was lost; or it is paid, and what was seen of it may be wager and
    payment together.
    """
    is_unwatched = any(one.box == box for one in lattice.unwatched_offers(bet))
    return is_unwatched or may_include_payment(lattice, box, bet, (net_cents,))


def may_include_payment(lattice: Lattice, box: int, bet: str, nets: Iterable[int]) -> bool:
    """Whether a wager made after the deal, of these nets, may have been seen together with its payment."""
    return any(cents > 0 for cents in nets) and lattice.may_show_payment(box, bet)


def publish_settlement(transaction: Transaction, event: WagerSettled) -> None:
    """Publish a settlement; of a wager settled before the floor corrected the round, what changed or was doubted."""
    transaction.change_ending(settled=(*transaction.round().ending.settled, (event.spot, event.bet)))
    book = book_of(transaction.state.books, event.round)
    row = None if book is None else book.row(event.spot, event.bet)
    if row is None or row.net_cents is None:
        transaction.emit(event)
    elif row.net_cents != event.net_cents or row.doubted:
        # The last word is the cause: an answer since the correction, else the correction.
        round_now = transaction.round()
        is_answered = any(round_now.said)
        who, why = round_now.said if is_answered else round_now.corrected
        fields = (event.round, event.spot, event.bet, event.wager_cents, row.net_cents, event.net_cents)
        rests = (event.basis, event.jackpot_cents, round_now.said_by if is_answered else round_now.corrected_by)
        transaction.emit(WagerAdjusted(*fields, who, why, *rests))


def dispute_reopened(transaction: Transaction) -> None:
    """Doubt what was settled before a correction and is not certain after it: legal plays differ on it now."""
    marks = transaction.round().ending.settled
    reason = "the round was corrected since, and legal plays differ on it now"
    transaction.emit(*transaction.disputes(reason, lambda row: (row.spot, row.bet) not in marks))


def has_open_wagers(transaction: Transaction) -> bool:
    """Whether a wager of the open round is not settled, as far as that can be known without judging again."""
    settled, spots = transaction.round().ending.settled, transaction.round().bets.spots
    if any((spot, "main") not in settled for spot in spots):
        return True
    lattice = transaction.lattice()
    made_later = {box for node in lattice.frontier for box, cents in enumerate(node.insured) if cents}
    return any((spots[box], lattice.game.offered_zone) not in settled for box in made_later)


def readings_relied_on(view: Lattice, box: int) -> tuple[int, ...]:
    """The readings a settlement rests on: all cards and keys so far, and the chips of its own spot."""
    found = [(dated.number, dated.item) for dated in view.evidence[: view.cuts[-1].used]]
    return tuple(
        [one for one, item in found if not isinstance(item, ChipsObserved) or (item.box == box and not item.idle)]
    )
