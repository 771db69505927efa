"""A change of chips that no play explained when it was reported, taken up again once another box's chips explain it.

Readers tell of their own boxes alone, and each in its own time: a double may be reported before the split of the box
that was played first. Without that split other cards are the double's, and it looks like chips that mean nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from controller.core.inference.observation import ChipsObserved, DatedObservation
from controller.core.messages.alerts import ChipsUnexplained
from controller.core.table.transaction import Transaction


def take_up_again(transaction: Transaction, observation: DatedObservation) -> None:
    """Let a change count that was left out, if some play explains it with what another box's reader reports now.

    Only one that may have come after what is reported now: what came before it was judged with all there was.
    """
    if not transaction.house.moves_reconsidered:
        return
    for at, counted in tuple(_left_out(transaction, observation)):
        known = transaction.round().evidence.observations
        count_if_explained(transaction, counted, (*known[:at], counted, *known[at + 1 :]))


def count_if_explained(
    transaction: Transaction, counted: DatedObservation, evidence: tuple[DatedObservation, ...]
) -> None:
    """Let a change count that was left out, if some play explains the evidence with it."""
    lattice = transaction.lattice().with_evidence(evidence)
    if lattice is not None and transaction.legal(lattice):
        transaction.change_evidence(observations=evidence)
        transaction.change_lattice(lattice)
        forget_unexplained(transaction, counted)


def forget_unexplained(transaction: Transaction, counted: DatedObservation) -> None:
    """Say no more of a change than has been said: what is kept back until the cards are shown, or waits for a look."""
    round_now, item = transaction.round(), counted.item
    assert isinstance(item, ChipsObserved), "chips moved"
    said = ChipsUnexplained(round_now.number, round_now.bets.spots[item.box], item.zone, item.before, item.after)
    transaction.change_cards(kept_back=tuple(one for one in round_now.cards.kept_back if one != said))
    waiting = tuple(one for one in transaction.state.suspected if one.number != counted.number)
    transaction.change(suspected=waiting)


def _left_out(transaction: Transaction, observation: DatedObservation) -> Iterator[tuple[int, DatedObservation]]:
    """Such changes as ones that count, with their places in the round's evidence."""
    now, evidence = observation.item, transaction.round().evidence
    if not isinstance(now, ChipsObserved) or evidence.trouble or transaction.has_unread_card(observation):
        return
    for at, known in enumerate(evidence.observations):
        item = known.item
        if not isinstance(item, ChipsObserved) or not item.idle or item.zone != "main":
            continue
        if item.box != now.box and observation.first_ns <= known.last_ns:
            yield at, replace(known, item=replace(item, idle=False))
