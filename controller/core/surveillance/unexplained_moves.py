"""Chips that moved where nothing explains it: what it looks like, and where it accuses no player."""

from __future__ import annotations

from typing import Final, TypeAlias, TypeGuard

from msgspec.structs import replace

from controller.core.certainty import deal_confirmation, shared_chips
from controller.core.certainty.reader_zones import spots_watched
from controller.core.certainty.round_end import some_play_was_over, turn_keyed_after
from controller.core.certainty.shared_chips import lies_in_one
from controller.core.inference.dues import main_due
from controller.core.inference.observation import NEVER_ENDS, ChipsObserved
from controller.core.messages.alerts import (
    BetDecreasedAfterLock,
    BetIncreasedAfterLock,
    ChipsUnexplained,
    RoundIrregular,
)
from controller.core.messages.inputs import ApproveOrder, AssignCard, DeclareBox, Input, SetCard
from controller.core.messages.raised_alerts import SEVERITY, AlertKind, Severity
from controller.core.round import early_doubles, passing_chips, unheard_chips
from controller.core.surveillance import payment_check
from controller.core.table.alert_list import money, raise_alert
from controller.core.table.keymap import DECISIONS
from controller.core.table.layout import Felt, conflicts, zone_name
from controller.core.table.round_state import Round
from controller.core.table.state import Table
from controller.core.table.transaction import Transaction
from controller.core.table.unexplained_chips import Suspicion
from firmware_protocols.readings import ChipsSeen, KeyPressed

_STAYS_NS: Final = 4_000_000_000
"""How long chips that came where nothing explains them may lie before they are taken back: who put a double or a
payment at the wrong spot sees it and carries it on within that time. Who caps a bet leaves the chips to be paid."""

MoveUnexplained: TypeAlias = BetIncreasedAfterLock | BetDecreasedAfterLock | ChipsUnexplained
"""What is published of chips that moved where no play explains it."""

_UNHEARD_NS: Final = 20_000_000_000
"""How long an antenna may miss a chip that lies there."""

_CAME_AND_WENT: Final = 2
"""Moves of chips that came and left again."""

_MAY_BE_SLIPS: Final = frozenset({AlertKind.CAPPING, AlertKind.PAST_POSTING})
_CORRECTIONS: Final = (DeclareBox, SetCard, AssignCard, ApproveOrder)
"""Orders by which chips that were explained may be so no longer."""

_OFFENCES: Final = frozenset({*_MAY_BE_SLIPS, AlertKind.PINCHING})
"""What accuses a player."""


def chips_before_and_after(before: Table, transaction: Transaction, spot: int, zone: str) -> dict[str, tuple[str, ...]]:
    """The chips of a zone before this step and after it."""
    name = zone_name(spot, zone)
    return {"before": _chips_at(before.state.felt, name), "after": _chips_at(transaction.state.felt, name)}


def _chips_at(felt: Felt, name: str) -> tuple[str, ...]:
    """The chips of a zone."""
    zone = felt.get(name)
    return () if zone is None else zone.chips


def _lay_before(felt: Felt, name: str, cents: int) -> tuple[str, ...]:
    """The chips that lay in a zone before a change; empty where it is reported later and they are no longer known."""
    zone = felt.get(name)
    return zone.chips if zone is not None and zone.cents == cents else ()


def suspect_move(before: Table, transaction: Transaction, event: MoveUnexplained) -> None:
    """Chips moved where nothing explains it: what it looks like, compared with what lay there before it began."""
    name = zone_name(event.spot, event.zone)
    paid = transaction.state.payments_of(event.round)
    lay = paid.touched.get(name, event.before_cents) if paid is not None else event.before_cents
    round_now = transaction.round_known(event.round)
    kind, text = _looks_like(before, transaction, event, lay)
    withheld = _is_withheld_slip(transaction, event)
    thought_better = kind in {AlertKind.CAPPING, AlertKind.BET_TOUCHED} and (
        withheld or _is_taken_back(transaction, event)
    )
    if thought_better and kind is AlertKind.CAPPING:
        kind, text = AlertKind.CHIPS_UNEXPLAINED, f"{text}, and they were taken back before a card or key"
    in_play = round_now is None or event.spot in round_now.bets.spots
    severity = SEVERITY[kind] if in_play else Severity.NOTICE
    suspicion = Suspicion(
        number=transaction.stamped.number,
        seen_ns=_found_ns(transaction, event),
        kind=str(kind),
        severity=str(severity),
        text=text,
        round=event.round,
        spot=event.spot,
        zone=event.zone,
        before_cents=event.before_cents,
        after_cents=event.after_cents,
        before=_lay_before(before.state.felt, name, event.before_cents),
        after=_chips_at(transaction.state.felt, name),
        stays_ns=_STAYS_NS if kind in _MAY_BE_SLIPS and _came_just_now(transaction, name) else 0,
    )
    # Chips that came and left again may be on their way to another spot, where no reader has reported them yet.
    leaves = event.after_cents < event.before_cents
    taken_back = kind is AlertKind.BET_TOUCHED and (thought_better or _puts_slip_right(transaction, name))
    taken_back = taken_back or (withheld and leaves)
    passing = leaves and (kind is AlertKind.BET_TOUCHED or passing_chips.are_in_transit(transaction, event.spot))
    passing = passing or (kind is AlertKind.PINCHING and _may_be_lifted(transaction, event))
    if kind in _MAY_BE_SLIPS or (passing and kind in {AlertKind.BET_TOUCHED, AlertKind.PINCHING} and not taken_back):
        transaction.change(suspected=(*transaction.state.suspected, suspicion))
    elif not _explained_away(transaction, name) and not taken_back:
        raise_confirmed(transaction)
        _tell(transaction, suspicion)
    if paid is not None:
        kept = {other: cents for other, cents in paid.touched.items() if other != name}
        now = kept if event.after_cents == lay else {**kept, name: lay}
        payment_check.change_payments(
            transaction, replace(paid, touched=now).spoilt(frozenset({event.spot}), event.zone)
        )


def _came_just_now(transaction: Transaction, name: str) -> bool:
    """Whether a change is reported as it happens, so that it may be put right; else the chips have lain there.

    So may a key of a decision be taken back by which no play explains them any more.
    """
    given = transaction.stamped.input
    if transaction.house.keyed_doubles_kept and isinstance(given, KeyPressed):
        return transaction.house.keys.get(given.key) in DECISIONS
    return transaction.house.slips_awaited and _is_reading_of(given, name)


def _found_ns(transaction: Transaction, event: MoveUnexplained) -> int:
    """When chips are found that nothing explains: those that waited for their hand's turn were reported before."""
    given = transaction.stamped.input
    seen_ns = transaction.table_ns(transaction.stamped.at_ns)
    if not transaction.house.keyed_doubles_kept or not isinstance(given, ChipsSeen):
        return seen_ns
    waited = early_doubles.was_laid_early(transaction, given, event.before_cents, event.after_cents)
    return max(seen_ns, transaction.state.last_ns) if waited else seen_ns


def _is_explained(transaction: Transaction, one: Suspicion) -> bool:
    """Whether a play explains by now what none did: a key was taken back since, or the turn of its hand has come."""
    round_now = transaction.state.round
    if not transaction.house.keyed_doubles_kept or round_now is None or round_now.number != one.round:
        return False
    if one.spot not in round_now.bets.spots or round_now.evidence.trouble:
        return False
    amounts, box = (one.before_cents, one.after_cents), round_now.bets.spots.index(one.spot)
    known = (each.chips_at(box, one.zone) for each in round_now.evidence.observations)
    return any(item is not None and not item.idle and (item.before, item.after) == amounts for item in known)


def _looks_like(
    before: Table,
    transaction: Transaction,
    event: MoveUnexplained,
    lay: int,
) -> tuple[AlertKind, str]:
    """The kind and the text of an alert about a change of a zone where ``lay`` cents lay before it was touched."""
    name = zone_name(event.spot, event.zone)
    where, what = f"spot {event.spot} {event.zone}", f"{money(event.before_cents)} became {money(event.after_cents)}"
    round_now = transaction.round_known(event.round)
    if not_all_heard(round_now, event.spot, event.zone):
        return AlertKind.CHIPS_UNEXPLAINED, f"{where}: {what}, and the table did not hear all of this round"
    if event.after_cents > lay and _is_irregular(transaction, event.round):
        return AlertKind.CHIPS_UNEXPLAINED, f"{where}: {what}, in a round that no legal play explains"
    if transaction.house.causes_named and isinstance(transaction.stamped.input, _CORRECTIONS):
        # A play explained them until then; had none, they would have been reported as they moved.
        who = transaction.stamped.input.who
        return AlertKind.CHIPS_UNEXPLAINED, f"{where}: {what}, which no play explains since the order of {who}"
    heard_by_two = _heard_by_two(before.state.felt, transaction.state.felt, name, event.before_cents)
    heard_by_two = heard_by_two or _is_overheard(transaction, round_now, event)
    if heard_by_two or _may_be_shared_chip(round_now, event):
        return AlertKind.CHIPS_UNEXPLAINED, f"{where}: {what}, by a chip that two antennas heard"
    if _is_between_zones(transaction, round_now):
        # How many boxes are dealt to is not known yet: a natural's payment, say, cannot be distinguished from a capped
        # bet.
        return AlertKind.CHIPS_UNEXPLAINED, f"{where}: {what}, while a chip lies between two zones"
    if _may_be_next_bets(transaction, event):
        return AlertKind.CHIPS_UNEXPLAINED, f"{where}: {what}, while it is asked whether a new round has begun"
    if _may_be_another_deal(transaction, event):
        return AlertKind.CHIPS_UNEXPLAINED, f"{where}: {what}, while it is asked whether the deal is what was counted"
    if _moved_before_turn(transaction, event):
        # A dealer who keys the turn late has taken or paid by then.
        return AlertKind.CHIPS_UNEXPLAINED, f"{where}: {what}, before the turn of the hole card was keyed"
    if event.after_cents > lay and _came_once_settled(transaction, event):
        # Chips that came once its due was published are the dealer's payment, whatever was keyed since.
        return AlertKind.CHIPS_UNEXPLAINED, f"{where}: {what} once the wager was settled, which is disputed since"
    if event.after_cents == lay:
        return AlertKind.BET_TOUCHED, f"{where}: {what}, which is what lay there before it was touched"
    if _lay_until_lock(before, transaction, event):
        return AlertKind.CHIPS_UNEXPLAINED, f"{where}: {what}, by chips that lay there until just before the lock"
    if event.after_cents < lay:
        if _may_be_taken_as_lost(transaction, event):
            return AlertKind.CHIPS_UNEXPLAINED, f"{where}: {what} just before it may have been taken as lost"
        if transaction.house.keyed_doubles_kept and transaction.state.felt[name].cents >= event.before_cents:
            # What is kept back until the cards lie open is reported once the chips may have been laid again.
            return AlertKind.CHIPS_UNEXPLAINED, f"{where}: {what} after the lock, and as much lies there again"
        return AlertKind.PINCHING, f"{where}: {what} after the lock"
    if lay:
        return AlertKind.CAPPING, f"{where}: {what} after the lock"
    return AlertKind.PAST_POSTING, f"{where}: a wager of {money(event.after_cents)} after the lock"


def _lay_until_lock(before: Table, transaction: Transaction, event: MoveUnexplained) -> bool:
    """Whether chips that came are those that left the zone just before the bets were locked, and may have lain there.

    An antenna that misses a chip for a while shows the same as a hand that takes it off and lays it again.
    """
    round_now, name = transaction.round_known(event.round), zone_name(event.spot, event.zone)
    if round_now is None or event.after_cents <= event.before_cents:
        return False
    seen_ns = transaction.table_ns(transaction.stamped.at_ns)
    away_ns = unheard_chips.away_at_lock_ns(before.state, round_now, transaction.state.felt[name], seen_ns)
    return away_ns is not None and away_ns <= _UNHEARD_NS


def _is_between_zones(transaction: Transaction, round_now: Round | None) -> bool:
    """Whether the lock of a round waits for a chip to lie in one zone, or the round ended before it did."""
    if round_now is None:
        return False
    if round_now is transaction.state.round and shared_chips.lock_waits(transaction):
        return True
    return transaction.house.wagers_followed and round_now.evidence.trouble == shared_chips.UNPLACED


def _may_be_next_bets(transaction: Transaction, event: MoveUnexplained) -> bool:
    """Whether the round may not have begun, as it is asked whether its first card began one.

    If that card was a burn nobody announced, players still bet, raise and go home. What moves once the deal is whole
    says nothing before the answer.
    """
    round_now = transaction.state.round
    is_asked = round_now is not None and round_now.number == event.round and round_now.questions.unkeyed
    return transaction.house.payments_bounded and bool(is_asked)


def _may_be_another_deal(transaction: Transaction, event: MoveUnexplained) -> bool:
    """Whether it is asked if the deal has other cards than were counted: a hand that is doubled may be another one."""
    round_now = transaction.state.round
    if not transaction.house.doubles_awaited or round_now is None or round_now.number != event.round:
        return False
    asked = round_now.questions
    return bool(asked.miscounted) and asked.doubt == asked.miscounted


def _came_once_settled(transaction: Transaction, event: MoveUnexplained) -> bool:
    """Whether an earlier step had published the wager's due, which a later reading or key made open again.

    What moved before and is published only now, in the step that settles the wager, did not come once it was settled.
    """
    paid = transaction.state.payments_of(event.round) if transaction.house.orders_traced else None
    return paid is not None and any((one.spot, one.zone) == (event.spot, event.zone) for one in paid.owed)


def _moved_before_turn(transaction: Transaction, event: MoveUnexplained) -> bool:
    """Whether chips moved when all players may have finished and the dealer had not keyed the turn of the hole card."""
    by_ns, open_round = _moved_by_ns(transaction, event), transaction.state.round
    if not transaction.house.moves_gathered or open_round is None or open_round.number != event.round or by_ns < 0:
        return False
    return turn_keyed_after(open_round, by_ns) and some_play_was_over(transaction, by_ns)


def _may_be_taken_as_lost(transaction: Transaction, event: MoveUnexplained) -> bool:
    """Whether a wager that was away at some looks may have been laid back, and taken as lost before the next ones.

    Some play was over within such a time as the reader had taken to see it gone.
    """
    house, seen, round_now = transaction.house, transaction.stamped.input, transaction.state.round
    if not (house.moves_reconsidered and house.moves_gathered) or event.after_cents or event.zone != "main":
        return False
    if round_now is None or round_now.number != event.round or round_now.evidence.trouble:
        return False
    if event.spot not in round_now.bets.spots or not _is_reading_of(seen, zone_name(event.spot, "main")):
        return False
    # What nobody saw between two looks took less time than from one to the other.
    if not some_play_was_over(transaction, transaction.table_ns(2 * seen.by_ns - seen.after_ns)):
        return False
    lattice, points = transaction.lattice(), transaction.hole_points()
    due = main_due(lattice, lattice.ends(points), round_now.bets.spots.index(event.spot), points)
    return any(cents < 0 for cents in due.cents())


def _moved_by_ns(transaction: Transaction, event: MoveUnexplained) -> int:
    """By when a zone had come to what an event says of it, in table time; -1: it is no longer known."""
    seen, name = transaction.stamped.input, zone_name(event.spot, event.zone)
    if _is_reading_of(seen, name):
        return transaction.table_ns(seen.by_ns)
    paid = transaction.state.payments_of(event.round)
    watch = None if paid is None else paid.watches.get(name)
    looks = () if watch is None else watch.looks
    return next((look.last_ns for look in reversed(looks) if look.cents == event.after_cents), -1)


def _is_reading_of(given: Input, name: str) -> TypeGuard[ChipsSeen]:
    """Whether an input reports the chips of a zone."""
    return isinstance(given, ChipsSeen) and zone_name(given.spot, given.zone) == name


def _is_taken_back(transaction: Transaction, event: MoveUnexplained) -> bool:
    """Whether a reading says of chips that came at once that they left, with neither card nor key between.

    What a player lays for a double, say, and takes back is no bet: nothing has become known meanwhile.
    """
    if not transaction.house.moves_reconsidered:
        return False
    if not _is_reading_of(transaction.stamped.input, zone_name(event.spot, event.zone)):
        return False
    place = event.round, event.spot, event.zone, event.after_cents, event.before_cents
    others = (one for one in transaction.events if isinstance(one, MoveUnexplained))
    return any((one.round, one.spot, one.zone, one.before_cents, one.after_cents) == place for one in others)


def _is_withheld_slip(transaction: Transaction, event: MoveUnexplained) -> bool:
    """Whether what is said now that it is certain is that chips came to a wager and left, neither card nor key between.

    An antenna, say, heard what lay beside it as the bets were locked.
    """
    # What is said as the round closes is of one that is open no more.
    round_now = transaction.round_known(event.round) if transaction.house.parts_reckoned else transaction.state.round
    if not transaction.house.moves_reconsidered or round_now is None or round_now.number != event.round:
        return False
    if isinstance(transaction.stamped.input, ChipsSeen) or event.spot not in round_now.bets.spots:
        return False
    box, evidence = round_now.bets.spots.index(event.spot), round_now.evidence.observations
    said = [
        ChipsObserved(box, event.zone, one.before_cents, one.after_cents, idle=True)
        for one in transaction.events
        if isinstance(one, MoveUnexplained) and (one.round, one.spot, one.zone) == (event.round, event.spot, event.zone)
    ]
    moves = [one for one in evidence if one.item in said]
    if len(said) != _CAME_AND_WENT or not 0 < said[0].before == said[1].after < said[0].after:
        return False
    if transaction.house.doubles_awaited and not moves:
        # What was taken back before a card or key is no evidence any more.
        return True
    if [one.item for one in moves] != said:
        return False
    came, went = moves
    between = (one for one in evidence if came.last_ns < one.last_ns and one.first_ns < went.first_ns)
    return all(isinstance(one.item, ChipsObserved) for one in between)


def _may_be_lifted(transaction: Transaction, event: MoveUnexplained) -> bool:
    """Whether a main wager may be in its player's hand for a moment, again and again, as its reader has it lately."""
    place = zone_name(event.spot, "main")
    return transaction.house.moves_reconsidered and _is_reading_of(transaction.stamped.input, place)


def _is_back(transaction: Transaction, one: Suspicion) -> bool:
    """Whether a wager that was away lies in its place again before its reader has seen it gone once more."""
    if not transaction.house.moves_reconsidered or one.kind != AlertKind.PINCHING:
        return False
    return frozenset(one.before) == frozenset(_chips_at(transaction.state.felt, zone_name(one.spot, one.zone)))


def _puts_slip_right(transaction: Transaction, name: str) -> bool:
    """Whether the chips that leave a zone came there so lately that they say no more than that somebody erred."""
    here = _chips_at(transaction.state.felt, name)
    return any(
        zone_name(one.spot, one.zone) == name
        and (_is_back(transaction, one) or (bool(one.gone(here)) and _as_left(transaction, one).is_put_right))
        for one in transaction.state.suspected
    )


def _as_left(transaction: Transaction, one: Suspicion) -> Suspicion:
    """A suspicion once its chips are seen to be gone: put right in time, or before anything was said of them."""
    here = _chips_at(transaction.state.felt, zone_name(one.spot, one.zone))
    left = one.left(transaction.table_ns(transaction.stamped.at_ns), here)
    return replace(left, is_put_right=left.is_put_right or _left_before_said(transaction, one))


def _left_before_said(transaction: Transaction, one: Suspicion) -> bool:
    """Whether a reading says of chips whose coming was said late that they left again, neither card nor key between.

    Until the hole card is turned nothing is said of what no play explains. As much as before lies there.
    """
    seen, round_now, name = transaction.stamped.input, transaction.state.round, zone_name(one.spot, one.zone)
    if not transaction.house.parts_reckoned or one.stays_ns or not _is_reading_of(seen, name):
        return False
    if round_now is None or round_now.number != one.round or one.spot not in round_now.bets.spots:
        return False
    box, evidence = round_now.bets.spots.index(one.spot), round_now.evidence.observations
    item = ChipsObserved(box, one.zone, one.before_cents, one.after_cents, idle=True)
    came = next((known for known in reversed(evidence) if known.item == item), None)
    if came is None or transaction.state.felt[name].cents != one.before_cents:
        return False
    others = (known for known in evidence if not isinstance(known.item, ChipsObserved))
    left_ns = transaction.table_ns(seen.after_ns)
    return not any(came.last_ns < known.first_ns and known.last_ns < left_ns for known in others)


def _explained_away(transaction: Transaction, name: str) -> bool:
    """Whether chips that left a zone had come there only as its antenna heard what lies at another; nothing is left."""
    suspicion = next((one for one in transaction.state.suspected if zone_name(one.spot, one.zone) == name), None)
    if suspicion is None or not _lies_elsewhere(transaction.state.felt, suspicion):
        return False
    transaction.change(suspected=tuple(one for one in transaction.state.suspected if one is not suspicion))
    return True


def _lies_elsewhere(felt: Felt, suspicion: Suspicion) -> bool:
    """Whether chips that came to a zone, or left it, are not there and lie in another."""
    gone = suspicion.gone(felt[zone_name(suspicion.spot, suspicion.zone)].chips)
    return bool(gone) and all(any(chip in zone.chips for zone in felt.values()) for chip in gone)


def raise_confirmed(transaction: Transaction) -> None:
    """Raise the suspicions that stand: every reader has looked round since, and no other antenna hears the chips."""
    if not transaction.state.suspected:
        return
    heard_twice, known_ns = transaction.heard().heard_twice, _looked_round(transaction)
    now_ns = transaction.table_ns(transaction.stamped.at_ns)
    kept: list[Suspicion] = []
    for one in transaction.state.suspected:
        if _is_explained(transaction, one):
            continue
        if _is_back(transaction, one):
            _tell(transaction, replace(one, is_put_right=True))
            continue
        if one.left_ns < 0 and one.gone(transaction.state.felt[zone_name(one.spot, one.zone)].chips):
            one = _as_left(transaction, one)  # noqa: PLW2901
        if _lies_elsewhere(transaction.state.felt, one) or one.left_while_shared(known_ns):
            # By the time that every reader has looked round it may be gone from there too. Of chips that two antennas
            # heard until they were picked up nobody knows at which of them they lay.
            continue
        if not one.moved().isdisjoint(heard_twice):
            kept.append(one if one.is_shared else replace(one, is_shared=True, shared_ns=-1))
        elif one.is_shared:
            kept.append(replace(one, is_shared=False, shared_ns=now_ns))
        elif known_ns < one.since_ns():
            kept.append(one)
        else:
            _tell(transaction, one)
    transaction.change(suspected=tuple(kept))


def _tell(transaction: Transaction, one: Suspicion) -> None:
    """Raise what a suspicion says."""
    said = {name: getattr(one, name) for name in ("round", "spot", "zone", "before_cents", "after_cents")}
    chips = {"before": one.before, "after": one.after}
    kind, severity, text = AlertKind(one.kind), Severity(one.severity), one.text
    if reason := _no_offence_reason(transaction, one):
        kind, text = AlertKind.CHIPS_UNEXPLAINED, f"{text}, {reason}"
        severity = severity if severity is Severity.NOTICE else SEVERITY[kind]
    raise_alert(
        transaction,
        kind,
        text,
        severity=severity,
        readings=(one.number,),
        **said,
        **chips,
    )


def _no_offence_reason(transaction: Transaction, one: Suspicion) -> str:
    """Why a suspicion accuses nobody after all, in words; empty: it does."""
    if one.is_put_right:
        return "and was put right within moments"
    round_now = transaction.round_known(one.round)
    if one.kind in _OFFENCES and round_now is not None and deal_confirmation.rests_on_word(transaction, round_now):
        return "in a deal whose cards only a person's word has counted"
    if transaction.house.doubles_awaited and one.kind in _MAY_BE_SLIPS and _is_irregular(transaction, one.round):
        return "in a round that no legal play explains"
    return ""


def _looked_round(transaction: Transaction) -> int:
    """The moment up to which every spot is known whose reader works."""
    spots = spots_watched(transaction.house, transaction.state)
    return min((transaction.state.confirmed.get(str(spot), -1) for spot in spots), default=NEVER_ENDS)


def not_all_heard(round_now: Round | None, spot: int, zone: str) -> bool:
    """Whether a card of a round, or what happened at a spot, may have gone unheard: so nobody is accused there.

    A payment, say, after a card of which the table never heard. What was kept back until the cards lie open is reported
    as the round ends, and looks like what it is in that round, not in the next.
    """
    outages = () if round_now is None else round_now.evidence.outages
    unwatched = round_now is not None and any(
        round_now.bets.spots[one.box] == spot and one.hides(zone) for one in outages
    )
    return cards_unheard(round_now) or unwatched


def _heard_by_two(was: Felt, now: Felt, name: str, before_cents: int) -> bool:
    """Whether a zone's content has changed by nothing but chips that it shared with another zone until now.

    A change reported whole, with what came while such a chip did not count, began with other ``before_cents``.
    """
    old, new = was.get(name), now.get(name)
    if old is None or new is None or old.cents == new.cents or old.cents != before_cents:
        return False
    moved, shared = set(old.chips) ^ set(new.chips), conflicts(was)
    # Where no chip came or went, one that was heard twice has been placed.
    return all(name in shared.get(chip, ()) for chip in moved)


def _may_be_shared_chip(round_now: Round | None, event: MoveUnexplained) -> bool:
    """Whether a change comes to a chip that two antennas heard at the lock; what is kept back is reported late."""
    amounts = {} if round_now is None else round_now.bets.shared.amounts
    without, with_it = amounts.get(zone_name(event.spot, event.zone), (0, 0))
    return 0 < with_it - without == abs(event.after_cents - event.before_cents)


def _is_overheard(transaction: Transaction, round_now: Round | None, event: MoveUnexplained) -> bool:
    """Whether two antennas have heard a chip of a zone in this round, and it is not known in which it lies, or lay."""
    overheard = {} if round_now is None else round_now.evidence.overheard
    name, felt = zone_name(event.spot, event.zone), transaction.state.felt
    return any(name in zones and not lies_in_one(felt, chip, zones) for chip, zones in overheard.items())


def _is_irregular(transaction: Transaction, number: int) -> bool:
    """Whether a round is one that no play explains, as this step may have found: what was laid may be another's.

    A deal that was taken for more cards of the round before brought wagers of its own.
    """
    round_now = transaction.round_known(number)
    found = (event.round == number for event in transaction.events if isinstance(event, RoundIrregular))
    return any(found) or (round_now is not None and bool(round_now.evidence.trouble))


def cards_unheard(round_now: Round | None) -> bool:
    """Whether a card of a round may have gone unheard."""
    return round_now is not None and (round_now.evidence.unheard or round_now.evidence.shoe_away)
