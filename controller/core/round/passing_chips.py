"""Chips that passed through a box on their way to another: pushed across the layout, they lay in its zone for a moment.

A reader tells them as a rise and a fall, which look like a double taken back, or like a hand that was split and taken.
Once the same chips are heard at another spot both are taken back, and what happened at the box meanwhile counts as
unseen: it may have been doubled all the same.

Chips that came and went before anything was done about them are forgotten too. Chips of a main wager that the insurance
line heard for a while are reported as insurance made and taken back; once it is known that they lay in the main zone,
that is forgotten.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from msgspec.structs import replace

from controller.core.certainty.rebuild import rebuild_corrected, rebuild_with_outages
from controller.core.inference.observation import ChipsObserved, DatedObservation
from controller.core.messages.alerts import ChipsUnexplained
from controller.core.table.layout import Zone, ZoneChange
from controller.core.table.round_state import ChipVisit
from controller.core.table.transaction import Transaction

_LONGEST_NS: Final = 10_000_000_000
"""Chips are not left on their way longer than that, or held in the hand."""


def follow_passing_chips(
    transaction: Transaction, before: Zone | None, after: Zone, first_ns: int, last_ns: int
) -> bool:
    """Keep which chips came to a box of the open round and left it again; whether a change only says that they passed.

    ``before`` and ``after`` are its main zone, whose content changed between ``first_ns`` and ``last_ns``.
    """
    if transaction.state.round is None or not transaction.round().cards.drawn:
        return False
    _keep(transaction, before, after, first_ns, last_ns)
    passed = [one for one in transaction.round().evidence.visits if _passed(transaction, one)]
    for visit in passed:
        _take_back(transaction, visit)
    return after.name == "main" and any(visit.spot == after.spot for visit in passed)


def are_in_transit(transaction: Transaction, spot: int) -> bool:
    """Whether chips that came to a box have left it as it was, and no reader has reported them elsewhere yet."""
    visits = () if transaction.state.round is None else transaction.round().evidence.visits
    return any((one.spot, one.zone) == (spot, "main") and one.to_ns >= 0 for one in visits)


def _keep(transaction: Transaction, before: Zone | None, after: Zone, first_ns: int, last_ns: int) -> None:
    """Begin and end the visits of a box's chips."""
    known = transaction.round().evidence.visits
    lay, lies = frozenset(before.chips if before else ()), frozenset(after.chips)
    if not (known or lies > lay):
        return
    visits = [one for one in known if last_ns - one.from_ns <= 2 * _LONGEST_NS]
    if after.name in {"main", "insurance"} and after.spot in transaction.round().bets.spots:
        here = [one for one in visits if (one.spot, one.zone) == (after.spot, after.name) and one.to_ns < 0]
        ended = [replace(one, to_ns=last_ns) for one in here if lies == set(one.lay)]
        visits = [*(one for one in visits if one not in here), *(one for one in ended if _is_short(one))]
        if lies > lay:
            visits.append(
                ChipVisit(after.spot, tuple(sorted(lay)), tuple(sorted(lies - lay)), first_ns, zone=after.name)
            )
    if tuple(visits) != known:
        transaction.change_evidence(visits=tuple(visits))


def _is_short(visit: ChipVisit) -> bool:
    return visit.to_ns - visit.from_ns <= _LONGEST_NS


def _passed(transaction: Transaction, visit: ChipVisit) -> bool:
    """Whether a visit is over and its chips are heard at other spots now."""
    if visit.zone != "main" or visit.to_ns < 0:
        return False
    elsewhere = {chip for zone in transaction.state.felt.values() if zone.spot != visit.spot for chip in zone.chips}
    return elsewhere.issuperset(visit.came)


def heard_at_insurance(transaction: Transaction, spot: int, chips: Collection[str]) -> None:
    """Chips of a box lay in its main zone while the insurance line heard them too: no insurance was made with them."""
    for visit in transaction.round().evidence.visits:
        if (visit.spot, visit.zone) == (spot, "insurance") and visit.to_ns >= 0 and set(visit.came) <= set(chips):
            _take_back(transaction, visit, unseen=False)
            _forget_unexplained(transaction, spot, "insurance")


def forget_overheard(transaction: Transaction, before: Zone, after: Zone) -> None:
    """An antenna hears no more chips that lie in another zone: what is kept back of their coming here is nobody's."""
    if transaction.round().cards.kept_back and before.chips and not after.chips:
        elsewhere = {chip for zone in transaction.state.felt.values() for chip in zone.chips}
        if elsewhere.issuperset(before.chips):
            _forget_unexplained(transaction, after.spot, after.name)


def _forget_unexplained(transaction: Transaction, spot: int, zone: str) -> None:
    """What is kept back until the cards are shown says nothing of chips that did not lie in this zone."""
    known = transaction.round().cards.kept_back
    kept = tuple(
        one for one in known if not (isinstance(one, ChipsUnexplained) and (one.spot, one.zone) == (spot, zone))
    )
    if kept != known:
        transaction.change_cards(kept_back=kept)


def withdrawn_rise(transaction: Transaction, change: ZoneChange) -> DatedObservation | None:
    """The rise that an unexplained fall takes back, if neither card nor key came between; None: there is none.

    Both are forgotten: no box was dealt to on these chips, and it was never said what they were.
    """
    evidence = transaction.round().evidence
    here = (one for one in evidence.visits if (one.spot, one.zone) == (change.spot, change.zone) and one.to_ns >= 0)
    visit = max(here, key=lambda one: one.to_ns, default=None)
    if visit is None or change.zone != "main" or evidence.trouble:
        return None
    meanwhile = [one for one in evidence.observations if visit.from_ns <= one.last_ns and one.first_ns <= visit.to_ns]
    box = transaction.round().bets.spots.index(visit.spot)
    moves = [one for one in meanwhile if one.chips_at(box, visit.zone) is not None]
    rise, said = moves[0] if moves else None, any(not isinstance(one.item, ChipsObserved) for one in meanwhile)
    if rise is None or said or not isinstance(rise.item, ChipsObserved) or rise.item.idle:
        return None
    if rise.item.before != change.after or rise.first_ns < visit.from_ns:
        return None
    _take_back(transaction, visit, unseen=False)
    return rise


def _take_back(transaction: Transaction, visit: ChipVisit, *, unseen: bool = True) -> None:
    """Forget what a visit showed of a box; ``unseen``: what happened meanwhile in its main zone was not seen."""
    round_now = transaction.round()
    box = round_now.bets.spots.index(visit.spot)
    observations = tuple(
        one
        for one in round_now.evidence.observations
        if not (
            (moved := one.chips_at(box, visit.zone)) is not None
            and visit.from_ns <= one.first_ns <= visit.to_ns
            and (moved.early or one.last_ns <= visit.to_ns)
        )
    )
    visits = tuple(one for one in round_now.evidence.visits if one != visit)
    transaction.change_evidence(observations=observations, visits=visits)
    more = (round_now.main_zone_outage(box, visit.from_ns, visit.to_ns),) if unseen else ()
    outages = (*round_now.evidence.outages, *more)
    if round_now.evidence.trouble and round_now.evidence.curable:
        # The card that no play explained beside them may be explained without them.
        transaction.change_evidence(outages=outages)
        rebuild_corrected(transaction, transaction.round())
    else:
        rebuild_with_outages(transaction, outages)
