"""Side wagers of the open round: settled as soon as the cards that lie open decide them in every play."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from controller.core.certainty import uncertain_wagers
from controller.core.certainty.agreed_dues import (
    AgreedPlays,
    may_differ_from_chips,
    may_include_payment,
    publish_settlement,
    readings_relied_on,
)
from controller.core.game.side_bet import SideNet, find, terms_of
from controller.core.game.wager import Basis
from controller.core.inference.lattice import Frontier, Lattice
from controller.core.inference.outcome_classes import Sides
from controller.core.inference.side_dues import SideEvidence, sides
from controller.core.inference.unread_cards import HoleHypothesis, Judgement
from controller.core.messages.events import WagerSettled, WagerUnresolved
from controller.core.progressives import mystery
from controller.core.progressives.live_meters import award_rows, awarded, mystery_cents
from controller.core.table.transaction import Transaction


def is_after_deal_bet(bet: str) -> bool:
    """Whether a side wager is placed after the deal."""
    return find(bet).placed == "after_deal"


@lru_cache(maxsize=64)
def after_deal_bets(bets: tuple[str, ...]) -> tuple[str, ...]:
    """Those of a house's side wagers that are placed after the deal, in alphabetical order."""
    return tuple(sorted(bet for bet in bets if is_after_deal_bet(bet)))


def _dues(
    transaction: Transaction, judged: AgreedPlays, *, closed: bool
) -> Iterator[tuple[int, str, int, set[SideNet | None]]]:
    """Each unsettled side wager of the boxes: box, bet, what was staked, and what it may come to."""
    round_now, staked = transaction.round(), _staked_open(transaction)
    if not staked and not _may_be_made_later(transaction, judged.lattice, judged.frontier):
        return
    felt = _felt_of(transaction, judged, closed=closed)._replace(awards=_awards(transaction))
    for (box, bet), nets in uncertain_wagers.dues_together(transaction, felt, staked).items():
        if (round_now.bets.spots[box], bet) not in round_now.ending.settled:
            yield box, bet, _wager_cents(judged, box, staked.get((box, bet), 0)), nets


def _staked_open(transaction: Transaction) -> dict[tuple[int, str], int]:
    """Of what was staked before the deal that which must be judged together with what is not settled yet."""
    round_now, staked = transaction.round(), _staked_before(transaction)
    if not staked or transaction.rules.aggregate_limit_cents:
        return staked
    # Where no limit binds wagers to one another those that are settled say nothing of the rest.
    marks = {
        (round_now.bets.spots.index(spot), bet)
        for spot, bet in round_now.ending.settled
        if spot in round_now.bets.spots
    }
    return {wager: cents for wager, cents in staked.items() if wager not in marks}


def _may_be_made_later(transaction: Transaction, lattice: Lattice, frontier: Frontier) -> bool:
    """Whether in some play a side wager made after the deal is not settled, or may still be made."""
    bet = lattice.game.offered_zone
    if bet not in transaction.rules.side_bets:
        return False
    made = {box for node in frontier for box, cents in enumerate(node.insured) if cents}
    spots, settled = transaction.round().bets.spots, transaction.round().ending.settled
    return any(node.offers for node in frontier) or any((spots[box], bet) not in settled for box in made)


def _staked_before(transaction: Transaction) -> dict[tuple[int, str], int]:
    """What the side wagers placed before the deal staked, in cents by box and bet."""
    round_now = transaction.round()
    return {
        (round_now.bets.spots.index(wager.spot), wager.bet): wager.cents
        for wager in round_now.bets.wagers
        if wager.bet in transaction.rules.side_bets
        and wager.spot in round_now.bets.spots
        and not round_now.is_wager_uncertain(wager.spot, wager.bet)
    }


def _felt_of(transaction: Transaction, judged: AgreedPlays, *, closed: bool) -> SideEvidence:
    """The open round as its side wagers see it."""
    round_now = transaction.round()
    faces = [card.ruled or card.face for card in round_now.cards.drawn]
    ended = HoleHypothesis(judged.lattice, judged.frontier, judged.points, 1)
    return SideEvidence(
        transaction.rules, faces, len(round_now.bets.spots), round_now.hole_place(), Judgement((ended,), closed)
    )


def sides_of(transaction: Transaction) -> Sides:
    """What the side wagers of the open round come to where it has ended."""
    round_now = transaction.round()
    faces = [card.ruled or card.face for card in round_now.cards.drawn]
    ended = HoleHypothesis(transaction.lattice(), {}, transaction.hole_points(), 1)
    felt = SideEvidence(
        transaction.rules, faces, len(round_now.bets.spots), round_now.hole_place(), Judgement((ended,), closed=True)
    )
    return sides(felt, _staked_before(transaction), transaction.lattice().game.offered_zone)


def _wager_cents(judged: AgreedPlays, box: int, staked_cents: int) -> int:
    """What was staked before the deal, or what the plays count of a wager placed after it."""
    return staked_cents or max(node.insured[box] for node in judged.frontier if node.insured)


def settle_sides(transaction: Transaction, judged: AgreedPlays, *, closed: bool) -> None:
    """Publish every side wager on which all plays agree."""
    _award_sides(transaction, judged, closed=closed)
    for box, bet, staked_cents, nets in _dues(transaction, judged, closed=closed):
        if None in nets or len({net.cents for net in nets if net is not None}) != 1:
            continue
        net = min((net for net in nets if net is not None), key=lambda one: (one.row, one.limited))
        if is_after_deal_bet(bet) and may_differ_from_chips(transaction.lattice(), box, bet, net.cents):
            continue
        if transaction.round().is_wager_unread(transaction.round().bets.spots[box], bet):
            continue
        place = (transaction.round().number, transaction.round().bets.spots[box], bet)
        if transaction.state.progressives.awaits(*place):
            # The trigger box has still to say whether the wager won the must-hit-by meter too.
            mystery.note_decided_wager(transaction, place, net.cents, _row_cents(transaction, box, net))
            continue
        bonus = mystery_cents(transaction.state.progressives, *place)
        basis = Basis.ANSWER if transaction.round().rests_on_people() else Basis.EVIDENCE
        why = f"{net.why}; must-hit-by mystery" if bonus else net.why
        fields = (*place, staked_cents, net.cents + bonus, basis, readings_relied_on(judged.lattice, box), why)
        publish_settlement(transaction, WagerSettled(*fields, _row_cents(transaction, box, net) + bonus))


def _row_cents(transaction: Transaction, box: int, net: SideNet) -> int:
    """What of a side wager's net the meter pays its row."""
    if net.row not in terms_of(transaction.rules, net.bet).meter_shares:
        return 0
    return _awards(transaction).get((box, net.bet), 0)


def _award_sides(transaction: Transaction, judged: AgreedPlays, *, closed: bool) -> None:
    """Award the rows that a meter pays, once every wager of that kind in the round is certain of its row.

    The winners of one round are evaluated together, so one row in doubt keeps all of them waiting.
    """
    round_now = transaction.round()
    staked = {wager.bet for wager in round_now.bets.wagers}
    for bet in transaction.rules.side_bets:
        if bet not in staked or not transaction.house.won_by_rows(bet):
            continue
        felt = _felt_of(transaction, judged, closed=closed)
        spots = [
            wager.spot for wager in round_now.bets.wagers if wager.bet == bet and wager.spot in round_now.bets.spots
        ]
        # Whether an uncertain wager shares in an award is uncertain, too.
        alone = all(won != bet for (_, won), _ in uncertain_wagers.uncertain_wagers(round_now))
        alone = alone and not any(round_now.is_wager_unread(spot, bet) for spot in round_now.bets.spots)
        rows = {spot: felt.rows_of(round_now.bets.spots.index(spot), bet) for spot in spots}
        known = {spot: next(iter(one)) for spot, one in rows.items() if len(one) == 1}
        certain = {spot: row for spot, row in known.items() if row is not None}
        if rows and alone and len(certain) == len(rows):
            award_rows(transaction, bet, certain)


def _awards(transaction: Transaction) -> dict[tuple[int, str], int]:
    """What meters have awarded to rows of this round, by box and bet."""
    boxes = {spot: box for box, spot in enumerate(transaction.round().bets.spots)}
    won = ((bet, *one) for bet in transaction.rules.side_bets for one in awarded(transaction, bet))
    return {(boxes[spot], bet): cents for bet, spot, cents in won if spot in boxes}


def row_known(transaction: Transaction, spot: int, bet: str) -> bool:
    """Whether the first cards decide a side wager placed before the deal, whatever the limit leaves of it."""
    felt = _felt_of(transaction, AgreedPlays(transaction.lattice(), transaction.lattice().frontier, None), closed=False)
    rows = felt.rows_of(transaction.round().bets.spots.index(spot), bet)
    return len(rows) == 1 and None not in rows


def sides_differ(transaction: Transaction) -> bool:
    """Whether plays that are over differ on what a side wager of the open round comes to."""
    points, lattice = transaction.hole_points(), transaction.lattice()
    if points is None:
        return False
    if not (_staked_open(transaction) or _may_be_made_later(transaction, lattice, lattice.frontier)):
        return False
    judged = AgreedPlays(lattice, lattice.ends(points), points)
    return any(len(nets) > 1 for _, _, _, nets in _dues(transaction, judged, closed=True))


def sides_open(transaction: Transaction, judged: AgreedPlays) -> Iterator[WagerUnresolved]:
    """Side wagers that no settlement has been found for; a row of a meter waits for the progressive."""
    for box, bet, staked_cents, nets in _dues(transaction, judged, closed=True):
        spot, possible = (
            transaction.round().bets.spots[box],
            tuple(sorted({net.cents for net in nets if net is not None})),
        )
        is_doubtful = is_after_deal_bet(bet) and may_include_payment(transaction.lattice(), box, bet, possible)
        if is_doubtful or transaction.round().is_wager_unread(spot, bet):
            possible = ()
        yield WagerUnresolved(transaction.round().number, spot, bet, staked_cents, possible)
    felt = _felt_of(transaction, judged, closed=True)._replace(awards=_awards(transaction))
    yield from uncertain_wagers.unresolved_at_end(transaction, felt)
