"""The lock: which of the chips that lie there are the bets of a round, also where chips moved before its report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from controller.core.betting import acceptance, bet_sensors, closed_meters
from controller.core.certainty import deal_confirmation, face_down, shared_chips, uncertain_wagers
from controller.core.certainty.agreed_dues import confirmed_until_ns, lock_confirmation_ns
from controller.core.certainty.reader_zones import spot_and_zone
from controller.core.certainty.rebuild import is_keypad_away, reader_lost, rebuild
from controller.core.certainty.side_wagers import after_deal_bets
from controller.core.game.wager import LockedWager
from controller.core.messages.alerts import CardOutsideRound, SpotReaderLost
from controller.core.messages.events import RoundClosed, RoundStarted
from controller.core.table import readiness
from controller.core.table.layout import ZoneChange, zone_name
from controller.core.table.round_state import Round, RoundBets, RoundCards, RoundEvidence
from controller.core.table.state import empty_lattice
from controller.core.table.transaction import Transaction

_NOTHING_MOVED: Final[Mapping[str, int]] = {}
"""No zone's chips have moved since a lock."""


def lock(transaction: Transaction, lock_ns: int, moved: Mapping[str, int] = _NOTHING_MOVED) -> bool:
    """No more bets: the wagers are what lies there. False: there is no main wager, or the table is closed.

    ``moved`` is what lay there in zones whose chips have moved since.
    """
    if readiness.block_reason(transaction.state):
        return False
    closed = closed_meters.closed_meters(transaction.state)
    bets = _in_play(transaction, transaction.state.declared, closed, moved)
    if not bets.spots:
        return False
    lost = {
        reader: spots for reader, spots in transaction.house.readers.items() if not transaction.state.is_ready(reader)
    }
    number = transaction.state.rounds + 1
    rules, state = transaction.rules, transaction.state
    round_now = Round(
        number,
        RoundBets(
            lock_ns,
            bets.spots,
            bets.wagers,
            bets.declared,
            bets.refused,
            moved=dict(moved),
            lost_at_lock=tuple(name for reader, spots in lost.items() for name in _seen_by(transaction, reader, spots)),
            closed_meters=closed,
        ),
        transaction.house.profile_hash,
        RoundCards(hole_dealt=rules.has_hole_card(), face_down=rules.player_cards == "face_down"),
        deal_confirmation.begin(transaction),
        RoundEvidence(
            keys_unheard=state.keypad_lost or _are_keys_forgotten(transaction),
            shoe_away=transaction.shoe_is_away(),
            keys_slip=transaction.house.slips_awaited,
        ),
    )
    transaction.change(rounds=number, declared=(), unheard_before_deal="", round=round_now, keyless=state.keyless + 1)
    transaction.change(keypad_lost=is_keypad_away(transaction))
    transaction.change_lattice(empty_lattice(transaction.rules, transaction.round()))
    shared_chips.note_shared(transaction)
    transaction.emit(
        RoundStarted(number, transaction.state.shoe.shoe or None, bets.spots, transaction.state.gaming_day or None)
    )
    for reader, watched in lost.items():
        _unwatched(transaction, reader, watched, lock_ns)
        _keep_unread_zones(transaction, reader)
    return True


def _are_keys_forgotten(transaction: Transaction) -> bool:
    """Whether no key at all has come in the last two rounds locked, of a house that always presses *stand*.

    That one is missing then says nothing, as where the keypad is lost.
    """
    return transaction.rules.options.stand_key == "always" and transaction.state.keyless >= _KEYLESS


def may_keys_be_forgotten(transaction: Transaction) -> bool:
    """Whether the open round is the second without any key of such a house, still read as if none were missing."""
    return _are_keys_forgotten(transaction) and not transaction.round().evidence.keys_unheard


_KEYLESS: Final = 2
"""Rounds without any key after which a missing one says nothing: in one alone naturals may leave none to press."""


class Bets(NamedTuple):
    """What is in play at a lock: the boxes' spots, the wagers that stand, the boxes without chips, what is refused."""

    spots: tuple[int, ...]
    wagers: tuple[LockedWager, ...]
    declared: tuple[int, ...]
    refused: tuple[LockedWager, ...]


def _in_play(
    transaction: Transaction,
    boxes: tuple[LockedWager, ...],
    closed: Mapping[str, str],
    moved: Mapping[str, int] = _NOTHING_MOVED,
) -> Bets:
    """What lay there at the lock with declared ``boxes``, which chips overtake.

    ``closed``: the meters closed then; ``moved``: what lay in zones whose chips have moved since.
    """
    open_round = transaction.state.round
    known = () if open_round is None else tuple(open_round.bets.uncertain)
    wagers = tuple(
        wager for wager in bets_on_layout(transaction, moved) if zone_name(wager.spot, wager.bet) not in known
    )
    with_chips = {wager.spot for wager in wagers if wager.bet == "main"}
    more = tuple(box for box in boxes if box.spot not in with_chips)
    everything = sorted((*wagers, *more), key=LockedWager.sort_key)
    stand, refused = acceptance.accepted_wagers(transaction.house, tuple(everything), closed)
    spots = tuple(wager.spot for wager in stand if wager.bet == "main")
    return Bets(spots, stand, tuple(box.spot for box in more), refused)


def _seen_by(transaction: Transaction, device: str, spots: tuple[int, ...]) -> tuple[str, ...]:
    """The zones that a reader sees; its spots where the house did not say."""
    return transaction.house.zones.get(device, ()) or tuple(map(str, spots))


def _unwatched(transaction: Transaction, device: str, spots: tuple[int, ...], at_ns: int) -> None:
    """A reader of boxes in play is lost: what chips would have shown there may happen unseen.

    A reader that sees nothing but side wagers made before the deal hides nothing of the play.
    """
    played = ("main", "insurance", *after_deal_bets(transaction.rules.side_bets))
    unwatched: dict[int, tuple[str, ...]] = {}
    for spot in spots:
        seen = transaction.house.zones_at(device, spot)
        hidden = tuple(zone for zone in seen if zone in played)
        if hidden or not seen:
            unwatched[spot] = () if "main" in hidden else hidden
    for spot in reader_lost(transaction, device, unwatched, at_ns):
        transaction.emit(SpotReaderLost(transaction.round().number, spot, device))


def note_reader_lost(transaction: Transaction, device: str, spots: tuple[int, ...], at_ns: int) -> None:
    """A reader is lost in the middle of a round, perhaps before it has reported what lay there at the lock."""
    _unwatched(transaction, device, spots, at_ns)
    _keep_unread_zones(transaction, device)


def _keep_unread_zones(transaction: Transaction, device: str) -> None:
    """Keep the zones of wagers that a lost reader has not looked at since the bets were locked."""
    round_now, names = transaction.round(), transaction.house.zones.get(device, ())
    missed = {name for name in names if transaction.state.known_until_ns(*spot_and_zone(name)) < round_now.bets.lock_ns}
    wagers = {
        name
        for name in missed
        if spot_and_zone(name)[1] == "main" or uncertain_wagers.is_before_deal_zone(transaction, spot_and_zone(name)[1])
    }
    if not wagers.issubset(round_now.bets.lost_zones):
        transaction.change_bets(
            lost_zones=tuple(sorted({*round_now.bets.lost_zones, *wagers})),
            lost_at_lock=tuple(sorted({*round_now.bets.lost_at_lock, *missed})),
        )


def bets_on_layout(transaction: Transaction, moved: Mapping[str, int] = _NOTHING_MOVED) -> tuple[LockedWager, ...]:
    """What lies in the zones and on the sensors, or lay there before it was ``moved``.

    What is offered after the deal is no wager yet. A chip that a main zone shares with one of another bet counts at
    both until it is known where it lies: the box may be dealt to.
    """
    later = after_deal_bets(transaction.rules.side_bets)
    found: list[LockedWager] = []
    for name, zone in transaction.state.felt.items():
        cents = moved[name] if name in moved else zone.cents + shared_chips.main_cents_elsewhere(transaction, zone)
        if cents and zone.name != "insurance" and zone.name not in later:
            found.append(LockedWager(zone.spot, zone.name, cents))
    found.sort(key=LockedWager.sort_key)
    sensed = () if transaction.state.round is None else bet_sensors.counted_wagers(transaction, transaction.round())
    return (*found, *sensed)


def has_main_wager(transaction: Transaction) -> bool:
    """Whether chips of a main wager lie anywhere."""
    return any(
        zone.name == "main" and (zone.cents or shared_chips.main_cents_elsewhere(transaction, zone))
        for zone in transaction.state.felt.values()
    )


def lock_again(transaction: Transaction, *, ended: bool = False) -> None:
    """A reader reports late what lay there in time: the round is the same, with the wagers as they were.

    Where nothing is left of them another reader may still tell where they lay: a stack that was slid through a
    neighbour's zone is seen to leave it first. Once the round has ``ended`` nobody waits for that.
    """
    shared_chips.note_shared(transaction)
    is_known = ended or confirmed_until_ns(transaction) >= lock_confirmation_ns(transaction.round())
    bets = _lying_at_lock(transaction)
    if is_known or bets.spots or not _may_wait_for_bets(transaction):
        replace_bets(transaction, bets)


def _lying_at_lock(transaction: Transaction) -> Bets:
    """What lay there at the lock of the open round, as it is known by now."""
    before = transaction.round()
    return _in_play(transaction, before.declared_boxes(), before.bets.closed_meters, before.bets.moved)


def is_without_bets(transaction: Transaction) -> bool:
    """Whether no main wager is left of a lock that has still to be published."""
    return _may_wait_for_bets(transaction) and not _lying_at_lock(transaction).spots


def _may_wait_for_bets(transaction: Transaction) -> bool:
    """Whether a lock has still to be published, so that the readers may tell of more."""
    return transaction.house.moves_reconsidered and not transaction.round().bets.locked


def replace_bets(transaction: Transaction, bets: Bets) -> None:
    """The open round is one of these bets; without any it is none."""
    before = transaction.round()
    if not bets.spots:
        transaction.emit(*(CardOutsideRound(card.number) for card in before.cards.drawn))
        if before.cards.drawn:
            face_down.keep_closed(transaction)
        transaction.emit(RoundClosed(before.number, (), 0, "void"))
        transaction.leave_round()
        transaction.change(declared=before.declared_boxes())
        return
    transaction.change_bets(spots=bets.spots, wagers=bets.wagers, declared=bets.declared, refused=bets.refused)
    if before.bets.locked:
        deal_confirmation.deal_corrected(transaction, "its boxes were corrected")
    # With other boxes another card is the hole card.
    rebuild(transaction, before, bounded=True)


def keep_moved_zone(transaction: Transaction, change: ZoneChange, first_ns: int) -> None:
    """Keep what lay in a zone at a lock that has still to be published, or put off, once its chips move after it."""
    round_now, name = transaction.round(), zone_name(change.spot, change.zone)
    if not round_now.bets.locked:
        transaction.change_bets(moved={name: change.before, **round_now.bets.moved})
    elif 0 <= round_now.ending.next_lock_ns <= first_ns:
        transaction.change_ending(next_moved={name: change.before, **round_now.ending.next_moved})
