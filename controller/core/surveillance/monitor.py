"""Game protection: at the end of each step, what the chips, the cards and the rules say against one another.

A fold over what the table has just said and what lay on the felt before and after. It changes nothing of the round: an
alert settles nothing and holds nothing up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, assert_never

from msgspec.structs import replace

from controller.core.betting.acceptance import is_after_deal_zone
from controller.core.certainty.reader_zones import spot_and_zone
from controller.core.certainty.round_end import turn_keyed_after
from controller.core.game.hand import deal_cards, points_of, seen
from controller.core.inference.fault_search import CLOSED_EARLY, DEALERS_RULE
from controller.core.inference.faults import OUT_OF_TURN, STOOD, STRAY, WRONG_ORDER
from controller.core.messages.alerts import (
    BetDecreasedAfterLock,
    BetIncreasedAfterLock,
    CardOutsideRound,
    ChipSeenTwice,
    ChipsUnexplained,
    DeviceAlarm,
    InsuranceTooLarge,
    MidShoeEntry,
    RoundIrregular,
    SettlementDisputed,
    SideBetRefused,
    SideBetWithoutMain,
    UnknownChip,
    WagerOutsideLimits,
)
from controller.core.messages.events import (
    CardDrawn,
    ChipsChanged,
    DeviceStatusChanged,
    Event,
    QuestionAnswered,
    SoftwareChecked,
)
from controller.core.messages.inputs import (
    AcknowledgeAlert,
    FitnessReported,
    OpeningRefuted,
    ReadingsHeld,
    ShoeChanged,
    SoftwareInspected,
)
from controller.core.messages.raised_alerts import AlertKind
from controller.core.persons import Person
from controller.core.round.missed_cards import BURNED
from controller.core.surveillance import pay_advice, payment_check, shoe_check
from controller.core.surveillance.insurance_line import insurance_lowered, insurance_too_large
from controller.core.surveillance.unexplained_moves import (
    cards_unheard,
    chips_before_and_after,
    raise_confirmed,
    suspect_move,
)
from controller.core.table import readiness
from controller.core.table.alert_list import acknowledge, money, raise_alert, raise_alert_about
from controller.core.table.desired import Desired
from controller.core.table.disputes import disputes_of_overtaken
from controller.core.table.layout import zone_name
from controller.core.table.state import Table
from controller.core.table.transaction import Transaction
from firmware_protocols.readings import ChipsSeen, HealthState

EXCHANGED: Final = "shoe_exchanged"
"""A shoe session's complaint that another shoe answers."""

CHANGED: Final = "shoe_changed"
"""Its word that another answers of those that the table file names."""

_TWO_CHIPS_NS: Final = 3_000_000_000
"""How long two zones must hear a chip for it to be two. A hand carries a chip across the layout in less than two
seconds, and a reader may need two looks of half a second each to miss it; what lies between two antennas for longer has
been left lying there, and has to be moved apart whatever it is."""

_MAKER_DIGITS: Final = 4
"""Hex digits of a chip's id that name the standard and the tag's maker (ISO/IEC 15693-3: E0 and a maker's code)."""


_LOOKED_INTO: Final = frozenset(
    {
        *(BetIncreasedAfterLock, BetDecreasedAfterLock, ChipsUnexplained, UnknownChip, ChipSeenTwice, ChipsChanged),
        *(InsuranceTooLarge, WagerOutsideLimits, SideBetWithoutMain, SideBetRefused, MidShoeEntry),
        *(CardDrawn, CardOutsideRound, RoundIrregular, DeviceAlarm, DeviceStatusChanged),
    }
)
"""The events that may mean something to surveillance: the others are passed over at every reading."""


def raise_alerts(before: Table, transaction: Transaction) -> None:
    """Raise what this step shows."""
    insurance_too_large(before, transaction)
    events = tuple(transaction.events)
    for event in events:
        if type(event) in _LOOKED_INTO:
            _look_into(before, transaction, event)
    _doubted(transaction, [event for event in events if type(event) is SettlementDisputed])
    insurance_lowered(before, transaction)
    _wagers_unseen(before, transaction)
    _chips_from_elsewhere(before, transaction)
    _duplicates(transaction)
    raise_confirmed(transaction)
    shoe_check.count(before, transaction)
    pay_advice.advise(before, transaction)
    for wrong in payment_check.follow(before, transaction):
        _mispaid(transaction, wrong)
        if wrong.finding.kind is AlertKind.CHIPS_UNEXPLAINED:
            continue
        if transaction.state.round is not None and transaction.state.round.overtook == wrong.round:
            _overtook_unpaid(transaction)


def _look_into(before: Table, transaction: Transaction, event: Event) -> None:
    """What an event means to surveillance."""
    match event:
        case CardDrawn(number, _, position):
            _laid_too_early(before, transaction, number, position)
        case ChipsChanged(spot, "main", lay, lies):
            _lowered_in_irregular(transaction, spot, lay, lies)
        case BetIncreasedAfterLock() | BetDecreasedAfterLock() | ChipsUnexplained():
            suspect_move(before, transaction, event)
        case InsuranceTooLarge(number, spot, cents, counted):
            text = f"{money(cents)} lie there, {money(counted)} is the most that counts"
            _wager_refused(before, transaction, AlertKind.INSURANCE_TOO_LARGE, (number, spot, "insurance", cents), text)
        case WagerOutsideLimits(number, spot, bet, cents, least, most):
            bounds = (("at least", least), ("at most", most))
            limits = " and ".join(f"{words} {money(bound)}" for words, bound in bounds if bound is not None)
            text = f"a wager of {money(cents)}, where the sign allows {limits}"
            _wager_refused(before, transaction, AlertKind.WAGER_OUTSIDE_LIMITS, (number, spot, bet, cents), text)
        case SideBetWithoutMain(number, spot, bet, cents):
            text = f"{money(cents)} and no main wager at the spot"
            _wager_refused(before, transaction, AlertKind.SIDE_BET_WITHOUT_MAIN, (number, spot, bet, cents), text)
        case SideBetRefused(number, spot, bet, cents, rule, reason):
            kind = AlertKind.EZ_BUST_WRONG_UP_CARD if rule.endswith(".up_cards") else AlertKind.SIDE_BET_REFUSED
            _wager_refused(
                before, transaction, kind, (number, spot, bet, cents), f"{money(cents)} are no wager: {reason}"
            )
        case MidShoeEntry(number, spot, cents):
            spot_text = "that did not bet the last round of this shoe"
            if spot in transaction.state.unproven:
                spot_text = "that bet the last round, of which nothing showed that it was dealt to"
            text = f"{money(cents)} at a spot {spot_text}"
            _wager_refused(before, transaction, AlertKind.MID_SHOE_ENTRY, (number, spot, "main", cents), text)
        case UnknownChip(spot, zone, chip):
            _unknown(before, transaction, spot, zone, chip)
        case ChipSeenTwice(chip):
            transaction.change(disputes={**transaction.state.disputes, chip: _chips_seen_ns(transaction)})
            payment_check.exclude_zones_hearing(transaction, chip)
        case RoundIrregular():
            _irregular(before, transaction, event)
        case CardOutsideRound(card):
            text = f"card {card} was drawn {_why_outside(transaction)}"
            raise_alert(transaction, AlertKind.CARD_OUT_OF_TURN, text, readings=(card,))
        case DeviceAlarm() | DeviceStatusChanged():
            _of_devices(transaction, event)
        case _:
            pass


def _why_outside(transaction: Transaction) -> str:
    """Why a card belongs to no round, in words: wagers may lie there where a person has said so."""
    said = next((one.who for one in transaction.events if type(one) is QuestionAnswered), "")
    if said and transaction.house.floor_claims_checked:
        return f"and is of no round, as {said} answered"
    return "with no wager on the table and no burn announced"


def _of_devices(transaction: Transaction, event: DeviceAlarm | DeviceStatusChanged) -> None:
    """What an event says of who a device is."""
    match event:
        case DeviceAlarm(device, code, text) if code == EXCHANGED:
            _swapped(transaction, device, text)
            transaction.change(identities={**transaction.state.identities, device: ""})
        case DeviceAlarm(device, code, _) if code == CHANGED:
            transaction.change(identities={**transaction.state.identities, device: ""})
        case DeviceStatusChanged(device, state, detail) if state == HealthState.READY and detail:
            known = transaction.state.identities.get(device, "")
            if known and known != detail:
                _swapped(transaction, device, f"{known} before, {detail} now")
            transaction.change(identities={**transaction.state.identities, device: detail})
        case _:
            pass


def _swapped(transaction: Transaction, device: str, text: str) -> None:
    """Another device answers where one did before."""
    raise_alert(transaction, AlertKind.DEVICE_SWAPPED, f"{device}: {text}")


def take_report(
    transaction: Transaction,
    given: AcknowledgeAlert | ShoeChanged | OpeningRefuted | FitnessReported | SoftwareInspected | ReadingsHeld,
) -> None:
    """What people, or the daemon about itself, say that concerns game protection alone."""
    match given:
        case AcknowledgeAlert():
            acknowledge(transaction, given)
        case ShoeChanged():
            shoe_check.announced(transaction, given)
        case OpeningRefuted():
            _opening_refuted(transaction, given)
        case FitnessReported():
            readiness.take_fitness(transaction, given)
        case SoftwareInspected():
            transaction.emit(
                SoftwareChecked(given.when, given.passed, given.digest, given.files, given.signed_by, given.detail)
            )
        case ReadingsHeld():
            _readings_held(transaction, given)
        case _:
            assert_never(given)


def _opening_refuted(transaction: Transaction, given: OpeningRefuted) -> None:
    """A card that lies open is not the one that was committed to."""
    text = f"card {given.card} was opened as {given.face}, which is not what was committed to when it was drawn"
    raise_alert(transaction, AlertKind.COMMITMENT_WRONG, text, readings=(given.card, transaction.stamped.number))


def _readings_held(transaction: Transaction, given: ReadingsHeld) -> None:
    """The order of some cards and keys of a round is not known."""
    round_now = transaction.state.round
    if round_now is None:
        return
    held_ms = given.held_ns // 1_000_000
    seconds, since_ms = divmod((transaction.stamped.wall_ns - given.held_ns) // 1_000_000, 1000)
    hours, minutes = divmod(seconds % 86_400 // 60, 60)
    since = f"{hours:02}:{minutes:02}:{seconds % 60:02}.{since_ms:03} UTC"
    text = f"held back since {since} for {held_ms} ms, the table read cards and keys at once: their order is not known"
    raise_alert(transaction, AlertKind.READINGS_HELD, text, round=round_now.number)


# --- chips ------------------------------------------------------------------------------------------


def _wager_refused(
    before: Table, transaction: Transaction, kind: AlertKind, wager: tuple[int, int, str, int], why: str
) -> None:
    """Chips that are no wager, or one that should not have been taken: round, spot, bet and cents."""
    number, spot, bet, cents = wager
    was = before.state.felt.get(zone_name(spot, bet))
    amounts = {"before_cents": 0 if was is None else was.cents, "after_cents": cents}
    fields = {"round": number, "spot": spot, "zone": bet}
    evidence = {**fields, **amounts, **chips_before_and_after(before, transaction, spot, bet)}
    text, declarers = f"spot {spot} {bet}: {why}", _declarers(transaction, kind, spot)
    if declarers:
        raise_alert_about(transaction, declarers, kind, text, **evidence)
    else:
        raise_alert(transaction, kind, text, **evidence)


def _declarers(transaction: Transaction, kind: AlertKind, spot: int) -> tuple[Person, ...]:
    """Who declared the box of a spot whose amount the lock is raising; empty: chips made it one."""
    round_now = transaction.state.round
    if kind is not AlertKind.WAGER_OUTSIDE_LIMITS or round_now is None or spot not in round_now.bets.declared:
        return ()
    return next((one.people for one in transaction.state.declarers if one.spot == spot), ())


def _laid_too_early(before: Table, transaction: Transaction, number: int | None, position: int | None) -> None:
    """Chips that lay before the lock where a wager is made after the deal, and the up card is not one it is made on."""
    round_now = transaction.state.round
    if (
        round_now is None
        or round_now.number != number
        or position != deal_cards(len(round_now.bets.spots), hole=False) - 1
        or transaction.open_lattice is None
    ):
        return
    up_card = round_now.cards.drawn[len(round_now.bets.spots)].shown()
    if up_card is None:
        return
    offered = transaction.rules.offered_after_deal(points_of(seen(0, up_card)))
    for zone in transaction.state.felt.values():
        if zone.cents and is_after_deal_zone(transaction.rules, zone.name) and zone.name != offered:
            why = f"{money(zone.cents)} are no wager: it is not offered against this up card"
            wager = (round_now.number, zone.spot, zone.name, zone.cents)
            _wager_refused(before, transaction, AlertKind.EZ_BUST_WRONG_UP_CARD, wager, why)


def _wagers_unseen(before: Table, transaction: Transaction) -> None:
    """Zones of wagers that no reader looked at when the bets were locked: said once, until somebody has seen it."""
    was, now = before.state.round, transaction.state.round
    if now is None or not now.bets.lost_zones:
        return
    known = was.bets.lost_zones if was is not None and was.number == now.number else ()
    by_spot: dict[int, list[str]] = {}
    for name in sorted({*now.bets.lost_zones}.difference(known)):
        where, _, zone = name.partition("/")
        by_spot.setdefault(int(where), []).append(zone)
    waits = {(one.spot, one.text) for one in transaction.state.alerts.listed if one.kind is AlertKind.WAGERS_UNSEEN}
    for spot, zones in by_spot.items():
        nobody = f"no reader looked at {', '.join(zones)} when the bets were locked"
        text = f"spot {spot}: {nobody}; what is wagered there is on no list"
        if (spot, text) not in waits:
            only = zones[0] if len(zones) == 1 else None
            raise_alert(transaction, AlertKind.WAGERS_UNSEEN, text, round=now.number, spot=spot, zone=only)


def _lowered_in_irregular(transaction: Transaction, spot: int, before_cents: int, after_cents: int) -> None:
    """A main wager that loses a part of its chips while no legal play explains the round.

    A broken hand of a split box may be taken so, and a surrender: nobody is accused. But what makes a round irregular
    may be meant to divert from it.
    """
    round_now = transaction.state.round
    if round_now is None or not round_now.is_published_irregular() or spot not in round_now.bets.spots:
        return
    if 0 < after_cents < before_cents:
        lowered = f"{money(before_cents)} became {money(after_cents)}"
        fields = {"before_cents": before_cents, "after_cents": after_cents}
        text = f"spot {spot} main: {lowered} in a round that no legal play explains"
        raise_alert(
            transaction, AlertKind.CHIPS_UNEXPLAINED, text, round=round_now.number, spot=spot, zone="main", **fields
        )


def _unknown(before: Table, transaction: Transaction, spot: int, zone: str, chip: str) -> None:
    """A chip that is not in the registry: of another make than any of the house's it is foreign."""
    makers = {known[:_MAKER_DIGITS] for known in transaction.house.chips}
    foreign = chip[:_MAKER_DIGITS] not in makers
    kind = AlertKind.FOREIGN_CHIP if foreign else AlertKind.UNKNOWN_CHIP
    text = f"spot {spot} {zone}: chip {chip} is not in the registry{', nor is any of its make' if foreign else ''}"
    raise_alert(
        transaction, kind, text, spot=spot, zone=zone, **chips_before_and_after(before, transaction, spot, zone)
    )
    payment_check.exclude_zone(transaction, zone_name(spot, zone))


def _chips_from_elsewhere(before: Table, transaction: Transaction) -> None:
    """Chips that came to this table although the house keeps them somewhere else."""
    reading = transaction.stamped.input
    if not isinstance(reading, ChipsSeen) or not transaction.house.elsewhere:
        return
    lain = {chip for zone in before.state.felt.values() for chip in zone.chips}
    for chip in sorted(set(reading.chips) - lain):
        place = transaction.house.elsewhere.get(chip)
        if place is not None:
            text = f"spot {reading.spot} {reading.zone}: chip {chip} should be elsewhere: {place}"
            fields = chips_before_and_after(before, transaction, reading.spot, reading.zone)
            raise_alert(transaction, AlertKind.CHIP_ELSEWHERE, text, spot=reading.spot, zone=reading.zone, **fields)


def _chips_seen_ns(transaction: Transaction) -> int:
    """When this step's chips were seen, in table time."""
    reading = transaction.stamped.input
    return transaction.table_ns(reading.by_ns) if isinstance(reading, ChipsSeen) else transaction.state.last_ns


def _duplicates(transaction: Transaction) -> None:
    """A chip seen in two zones is two chips once the readers have looked at both again and still see it in both.

    A chip that is carried from one zone to another is for a moment seen in both.
    """
    if not transaction.state.disputes:
        return
    there = transaction.heard().heard_twice
    kept: dict[str, int] = {}
    for chip, since_ns in transaction.state.disputes.items():
        if chip not in there:
            continue
        looked = min(transaction.state.known_until_ns(*spot_and_zone(name)) for name in there[chip])
        proven = 0 <= since_ns <= looked - _two_chips_after_ns(transaction)
        if proven:
            text = f"chip {chip} lies in {' and in '.join(there[chip])} at once"
            where = there[chip][0].partition("/")
            raise_alert(transaction, AlertKind.DUPLICATED_CHIP, text, spot=int(where[0]), zone=where[2])
        kept[chip] = -1 if proven else since_ns
    if kept != transaction.state.disputes:
        transaction.change(disputes=kept)


def _two_chips_after_ns(transaction: Transaction) -> int:
    """How long two zones must hear a chip for it to be two."""
    return _TWO_CHIPS_NS if transaction.house.slips_awaited else 0


def with_second_looks(transaction: Transaction, wanted: Desired) -> Desired:
    """What the devices should be sent, and to look again at chips seen in two zones or where nothing explains it.

    Where chips must lie for a while first the clock says when: a look that is asked for ahead would keep all else
    waiting that the readers are to confirm.
    """
    wait_ns = _two_chips_after_ns(transaction)
    moments = [since_ns + wait_ns for since_ns in transaction.state.disputes.values() if since_ns >= 0]
    moments += [one.since_ns() for one in transaction.state.suspected]
    moments += [since_ns for zone in transaction.state.felt.values() for since_ns in zone.released.values()]
    if not moments:
        return wanted
    now_ns, offset_ns = transaction.table_ns(transaction.stamped.at_ns), transaction.state.offset_ns
    past = [since_ns for since_ns in moments if since_ns <= now_ns or not transaction.house.slips_awaited]
    if past:
        wanted = replace(wanted, confirm_ns=max(wanted.confirm_ns, max(past) - offset_ns, 1))
    if len(past) == len(moments):
        return wanted
    next_ns = max(min(since_ns for since_ns in moments if since_ns > now_ns) - offset_ns, 1)
    return replace(wanted, deadline_ns=min(wanted.deadline_ns or next_ns, next_ns))


# --- cards and payments -----------------------------------------------------------------------------

_SUSPECTED: Final = (
    (OUT_OF_TURN, AlertKind.CARD_OUT_OF_TURN),
    (WRONG_ORDER, AlertKind.CARD_OUT_OF_TURN),
    (STOOD, AlertKind.DEALER_AGAINST_RULE),
)
"""What the likely cause of an irregular round is called."""


def _irregular(before: Table, transaction: Transaction, event: RoundIrregular) -> None:
    """No legal play explains a round. Its likely cause says whether a card or the dealer went against the rules.

    Where a card of it may have gone unheard nothing says so of anybody.
    """
    reason, likely, round_now = event.reason, event.probable_cause or "", transaction.round_known(event.round)
    if reason.startswith(BURNED):
        # The burn itself has been an alert.
        return
    text = f"{reason}; likely: {likely}" if likely else reason
    if cards_unheard(round_now):
        raise_alert(transaction, AlertKind.ROUND_IRREGULAR, text, round=event.round)
        return
    found = next((kind for words, kind in _SUSPECTED if words in likely), None)
    if STRAY in likely:
        turned = round_now is not None and round_now.cards.turned
        found = AlertKind.DEALER_AGAINST_RULE if turned else AlertKind.CARD_OUT_OF_TURN
    if found is None:
        dealers = not likely and (reason == DEALERS_RULE or (reason == CLOSED_EARLY and _players_finished(before)))
        found = AlertKind.DEALER_AGAINST_RULE if dealers else AlertKind.ROUND_IRREGULAR
    raise_alert(transaction, found, text, round=event.round)


def _doubted(transaction: Transaction, doubts: Sequence[SettlementDisputed]) -> None:
    """What was settled and is contradicted since: one alert for all wagers of a round."""
    for number in dict.fromkeys(one.round for one in doubts):
        of_round = [one for one in doubts if one.round == number]
        wagers = ", ".join(_disputed(transaction, one) for one in of_round)
        text = f"settled before the round contradicted it, to be confirmed or adjusted: {wagers}"
        raise_alert(transaction, AlertKind.SETTLEMENT_DISPUTED, text, round=number)


def _disputed(transaction: Transaction, doubted: SettlementDisputed) -> str:
    """A disputed wager in words: what it was settled as, and what lies there where that is more than was staked."""
    text = f"spot {doubted.spot} {doubted.bet} {money(doubted.net_cents)}"
    zone = transaction.state.felt.get(zone_name(doubted.spot, doubted.bet))
    if not transaction.house.orders_traced or zone is None or zone.cents <= doubted.wager_cents:
        return text
    early = _CAME_UNTURNED if _came_unturned(transaction, doubted) else ""
    return f"{text} ({money(zone.cents)} lie there{early})"


_CAME_UNTURNED: Final = "; they came before the hole card was turned: capping, or paid before the key"


def _came_unturned(transaction: Transaction, doubted: SettlementDisputed) -> bool:
    """Whether the last chips came to a main wager before the key that turned the hole card.

    Who raises a wager then and a dealer who pays before that key look alike: the text names both and accuses nobody.
    """
    round_now, paid = transaction.round_known(doubted.round), transaction.state.payments_of(doubted.round)
    if not transaction.house.floor_claims_checked or round_now is None or paid is None or doubted.bet != "main":
        return False
    watch = paid.watches.get(zone_name(doubted.spot, doubted.bet))
    rises = [] if watch is None else [look.last_ns for look in watch.looks[1:] if look.rise()]
    return bool(rises) and turn_keyed_after(round_now, rises[-1])


def _overtook_unpaid(transaction: Transaction) -> None:
    """The round that the first card of the open one ended was not paid as is due: in doubt if this one is irregular."""
    transaction.change_round(overtook_unpaid=True)
    before = len(transaction.events)
    for doubt in disputes_of_overtaken(transaction.state.books, transaction.round()):
        transaction.emit_when_shown(doubt)
    _doubted(transaction, [event for event in transaction.events[before:] if isinstance(event, SettlementDisputed)])


def _players_finished(before: Table) -> bool:
    """Whether only the dealer could still have drawn when the round was closed."""
    lattice = before.lattice
    if lattice is None or not lattice.frontier or len(lattice.cards) < lattice.game.deal_cards:
        return False
    return all(lattice.game.finished(node) for node in lattice.frontier)


def _mispaid(transaction: Transaction, wrong: payment_check.RoundMispay) -> None:
    """A wager was not paid as it is due."""
    owed, found = wrong.owed, wrong.finding
    fields = {"round": wrong.round, "spot": owed.spot, "zone": owed.zone}
    what = {
        AlertKind.LOSING_BET_LEFT: "lost and was not taken",
        AlertKind.WINNING_BET_TAKEN: "won and was taken",
        AlertKind.CHIPS_UNEXPLAINED: "had more beside it than was due, which left and was not bet",
    }.get(found.kind, "was not paid as it is due")
    paid = "came" if found.kind is AlertKind.CHIPS_UNEXPLAINED else "paid"
    sums = f"due {money(owed.net_cents)}, {paid} {money(found.paid_cents)}"
    text = f"spot {owed.spot} {owed.zone}: the wager of {money(owed.wager_cents)} {what}: {sums}"
    amounts = {"before_cents": found.before.cents, "after_cents": found.after.cents}
    chips = {"before": found.before.chips, "after": found.after.chips}
    nets = {"net_cents": owed.net_cents, "paid_cents": found.paid_cents}
    readings = tuple(sorted({one for one in (found.before.number, found.after.number, owed.number) if one}))
    raise_alert(transaction, found.kind, text, **fields, **amounts, **chips, **nets, readings=readings)
