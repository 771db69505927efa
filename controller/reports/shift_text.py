"""The account of a shift as lines of text, and the words that its page has in common with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from controller.core.messages.floor_events import Count
from controller.core.people.table_inventory import Recount, TableInventory
from controller.formats.text.moments import zone_of
from controller.formats.text.printable import dollars, many, printable
from controller.reports.shift import BetLine, IrregularRound, Shift
from controller.reports.shift_inventory import InventoryEntry
from controller.reports.shift_rulings import ShiftRuling

MISSING: Final = "not entered"
OTHER_TIME: Final = " (round of another time)"
"""Of a ruling that changes no figure of the account."""

TABLE: Final = "the table itself"
"""Who settled a wager where no person did."""

IN_DOLLARS: Final = ("", "USD")
"""Currencies whose amounts have a dollar sign; of another the head of the account says which it is."""


class AccountFormat(NamedTuple):
    """How an account is worded: its money and its clock."""

    currency: str
    time_zone: str

    def money(self, cents: int | None) -> str:
        """``-$1,250.00``; without the sign where the house pays in no dollars. None: it was not entered."""
        if cents is None:
            return MISSING
        return dollars(cents) if self.currency in IN_DOLLARS else dollars(cents).replace("$", "")

    def gain(self, cents: int) -> str:
        """An amount with its sign: ``+$5.00``, ``-$5.00``, ``$0.00``."""
        return f"{'+' if cents > 0 else ''}{self.money(cents)}"

    def clock(self, time: str) -> str:
        """A moment by the house's clock, to the second: ``2026-11-21 18:00:03 EST``."""
        return self._local(time, "%Y-%m-%d %H:%M:%S %Z")

    def hour(self, time: str) -> str:
        """An hour by the house's clock: ``2026-11-21 18:00 EST``."""
        return self._local(time, "%Y-%m-%d %H:%M %Z")

    def _local(self, time: str, form: str) -> str:
        return datetime.fromisoformat(time).astimezone(zone_of(self.time_zone)).strftime(form)

    def ruled(self, ruling: ShiftRuling) -> str:
        """What a ruling changed: ``round 12 spot 3 main: -$10.00 -> $0.00 (case 2026-117)``."""
        case = f" (case {ruling.case})" if ruling.case else ""
        remark = f"{case}{OTHER_TIME if ruling.elsewhere else ''}"
        if not ruling.spot:
            return f"round {ruling.round} void{remark}"
        wager = f"round {ruling.round} spot {ruling.spot} {ruling.bet}"
        if ruling.confirms:
            return f"{wager}: {self._net(ruling.net_cents)} confirmed{remark}"
        return f"{wager}: {self._net(ruling.before_cents)} -> {self._net(ruling.net_cents)}{remark}"

    def _net(self, cents: int | None) -> str:
        return "open" if cents is None else self.money(cents)


def words_of(shift: Shift) -> AccountFormat:
    """How this account is worded."""
    return AccountFormat(shift.currency, shift.time_zone)


def shift_text(shift: Shift) -> str:
    """The account for people, each line ended by a line feed."""
    return "".join(f"{printable(line)}\n" for line in _lines(shift, words_of(shift)))


def percent(basis_points: int) -> str:
    """``1234`` -> ``12.34 %``."""
    sign = "-" if basis_points < 0 else ""
    return f"{sign}{abs(basis_points) // 100}.{abs(basis_points) % 100:02d} %"


def average(shift: Shift) -> str:
    """The average main wager, what of the handle was on side wagers: ``$27.50; side wagers 8.4 % of the handle``."""
    share = shift.side_bet_per_mille or 0
    aside = f"side wagers {share // 10}.{share % 10} % of the handle"
    return f"{words_of(shift).money(shift.average_bet_cents)}; {aside}"


def verdict(line: BetLine) -> str:
    """What the band says of a bet."""
    if line.inside is None:
        return "not given"
    return "within" if line.inside else "OUTSIDE"


def span(shift: Shift) -> str:
    """The time of the account: what was asked for, or its first and last event where it has no such end."""
    words = words_of(shift)
    return f"{words.clock(shift.since or shift.started)} to {words.clock(shift.until or shift.ended)}"


def made(shift: Shift) -> str:
    """When the account was written, by which version, and which versions ran the table."""
    ran = f"the table ran version {', '.join(shift.versions) or 'unknown'}"
    if not shift.written:
        return ran
    return f"written {words_of(shift).clock(shift.written)} by Tableside {shift.version}; {ran}"


def is_running(shift: Shift) -> bool:
    """Whether the time of the account was not over when it was written."""
    return bool(shift.until and shift.written) and not shift.is_over


def stands(one: IrregularRound) -> str:
    """How an irregular round stands: ``irregular, 2 wagers open``."""
    if not one.outcome:
        return "not over in this time"
    return f"{one.outcome}, {many(one.open_wagers, 'wager')} open" if one.open_wagers else one.outcome


class CountLine(NamedTuple):
    """A line of the table's inventory; ``slips``: the papers behind it."""

    name: str
    amount: str
    slips: str = ""


def counts(shift: Shift) -> Iterator[CountLine]:
    """The table's inventory by the words of the pit, and the table win beside what the wagers won."""
    words, kept = words_of(shift), shift.inventory
    yield from _racks(words, kept, shift.entries)
    for one in kept.recounts:
        yield CountLine(BETWEEN, _recount(words, one))
    if kept.win_cents is not None:
        yield CountLine("win on wagers", words.money(shift.win_cents))
        yield CountLine("table win less win on wagers", words.gain(kept.win_cents - shift.win_cents))
    yield _hold(shift.hold)


def _racks(words: AccountFormat, kept: TableInventory, entries: Sequence[InventoryEntry]) -> Iterator[CountLine]:
    """What was counted, and the win that follows from it."""
    amounts = (
        (Count.OPENER, "opener", kept.opener_cents),
        (Count.FILL, "fills", kept.fill_cents),
        (Count.CREDIT, "credits", kept.credit_cents),
        (Count.CLOSER, "closer", kept.closer_cents),
        (Count.DROP, "drop", kept.drop_cents),
    )
    for kind, name, cents in amounts:
        yield CountLine(name, words.money(cents), slips(words, entries, kind))
    yield CountLine("table win", words.money(kept.win_cents))


def _hold(points: int | None) -> CountLine:
    return CountLine("hold (table win by drop)", MISSING if points is None else percent(points))


BETWEEN: Final = "closed and opened between"


def _recount(words: AccountFormat, one: Recount) -> str:
    """A closer, the opener that followed, and the difference."""
    gap = words.gain(one.opener_cents - one.closer_cents)
    return f"{words.money(one.closer_cents)}, then {words.money(one.opener_cents)}: {gap}"


class RecountLine(NamedTuple):
    """A count that was entered later changed this: its name, as it was at the end of the time, and now."""

    name: str
    then: str
    now: str


def restated_counts(shift: Shift) -> Iterator[RecountLine]:
    """The lines of the inventory that entries after the end have changed."""
    after = shift.restated
    if after is None or not after.entries:
        return
    words = words_of(shift)
    before = (*_racks(words, shift.inventory, ()), _hold(shift.hold))
    now = (*_racks(words, after.inventory, ()), _hold(after.hold))
    for old, new in zip(before, now, strict=True):
        if old != new:
            yield RecountLine(old.name, old.amount, new.amount)
    between = ["; ".join(_recount(words, one) for one in kept.recounts) for kept in (shift.inventory, after.inventory)]
    if between[0] != between[1]:
        yield RecountLine(BETWEEN, *(said or MISSING for said in between))


def counts_for(one: InventoryEntry) -> str:
    """What an entry belongs to where it says so: ``gaming day 2026-11-21, swing shift``."""
    shift = f", {one.shift} shift" if one.shift else ""
    return f"gaming day {one.gaming_day}{shift}" if one.gaming_day else ""


def slips(words: AccountFormat, entries: Sequence[InventoryEntry], kind: Count) -> str:
    """The slips of a kind that stand, and what was entered without one: ``slips 4711, 4713; $50.00 without a slip``."""
    standing: dict[str, int] = {}
    for entry in entries:
        if entry.kind is kind and not entry.elsewhere:
            standing[entry.slip] = standing.get(entry.slip, 0) + entry.cents
    loose = standing.pop("", 0)
    numbers = [slip for slip, cents in standing.items() if cents]
    said = [f"slip{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"] if numbers else []
    if loose and kind in {Count.FILL, Count.CREDIT}:
        said.append(f"{words.money(loose)} without a slip")
    return "; ".join(said)


def _lines(shift: Shift, words: AccountFormat) -> Iterator[str]:
    yield f"{shift.site}/{shift.table}, epoch {shift.epoch}{f', {shift.name}' if shift.name else ''}"
    money = f", amounts in {shift.currency}" if shift.currency else ""
    yield f"{span(shift)}{money}"
    yield made(shift)
    if is_running(shift):
        yield f"NOT OVER    its last event so far: {words.clock(shift.ended)}"
    yield from _restated(shift, words)
    # Of less than a minute no pace is told: it would be that of a few rounds.
    is_paced = shift.playing_seconds >= 60
    pace = f", {shift.rounds_per_hour} an hour over {many(shift.playing_seconds // 60, 'minute')} of play"
    yield f"{many(shift.rounds, 'round')}{pace if is_paced else ''}"
    yield ""
    yield f"{'bet':24}{'wagers':>8}{'handle':>14}{'win':>14}{'win/handle':>12}{'expected':>14}   95 % band"
    for line in shift.bets:
        yield _bet(line, words)
    sums = f"{words.money(shift.handle_cents):>14}{words.money(shift.win_cents):>14}"
    yield f"{'all':24}{sum(line.wagers for line in shift.bets):>8}{sums}"
    if shift.average_bet_cents is not None:
        yield f"average bet {average(shift)}"
    if shift.jackpot_cents:
        yield f"jackpots    {words.money(shift.jackpot_cents)} of meters were awarded; the win is less by them"
    yield ""
    yield from _inventory(shift, words)
    yield ""
    for spot in shift.spots:
        money = f"handle {words.money(spot.handle_cents)}, win {words.money(spot.win_cents)}"
        yield f"spot {spot.spot}      {many(spot.wagers, 'wager')}, {money}"
    yield ""
    yield from _attention(shift, words)
    faults = ", ".join(f"{name}: {many(count, 'fault')}" for name, count in shift.device_faults.items())
    yield f"devices     {faults or 'none'}"
    yield f"by hour     {_counts({words.hour(hour): count for hour, count in shift.rounds_by_hour.items()})}"
    if shift.before is not None:
        then = shift.before
        figures = f"handle {words.money(then.handle_cents)}, win {words.money(then.win_cents)}"
        still = f"{many(then.open_wagers, 'wager')} open"
        yield f"beside it   {then.name}: {many(then.rounds, 'round')}, {figures}, {still}"


def _restated(shift: Shift, words: AccountFormat) -> Iterator[str]:
    """What was ruled after the end: before everything, for no figure below has it."""
    now = shift.restated
    if now is None:
        return
    lines, recounts = list(restated_lines(shift)), list(restated_counts(shift))
    if not lines and not recounts:
        yield "RESTATED    by later rulings or entries that changed no figure"
    else:
        yield "RESTATED    by later rulings or entries; the figures further below are those at the end of the period"
        for name, *figures in (RESTATED, *lines) if lines else ():
            yield f"{'':12}{name:14}{''.join(f'{one:>14}' for one in figures)}".rstrip()
    for recount in recounts:
        yield f"{'':12}{recount.name:30}{recount.then:>14} -> {recount.now}"
    for ruling in now.rulings:
        yield _ruling("later", ruling, words)
    for entry in now.entries:
        yield _entered("later", entry, words)
    yield ""


RESTATED: Final = ("", "handle", "win", "open", "in doubt", "void rounds")
"""The heads of the figures that are restated."""


def restated_lines(shift: Shift) -> Iterator[tuple[str, ...]]:
    """The figures at the end, restated, and what changed; nothing where none did."""
    now, words = shift.restated, words_of(shift)
    if now is None:
        return
    then = (shift.handle_cents, shift.win_cents, shift.open_wagers, shift.doubted_wagers, shift.void_rounds)
    restated = (now.handle_cents, now.win_cents, now.open_wagers, now.doubted_wagers, now.void_rounds)
    if then == restated:
        return
    changes = [after - before for before, after in zip(then, restated, strict=True)]
    for name, row in (("at the end", then), ("restated", restated)):
        yield name, *map(words.money, row[:2]), *map(str, row[2:])
    yield "change", *map(words.gain, changes[:2]), *(f"{one:+}" if one else "0" for one in changes[2:])


def _ruling(label: str, one: ShiftRuling, words: AccountFormat) -> str:
    house = "" if one.elsewhere else f", house {words.gain(one.win_cents)}"
    return f"{label:12}{words.clock(one.time)} {words.ruled(one)}{house}, {one.who or TABLE}: {one.why}"


def _attention(shift: Shift, words: AccountFormat) -> Iterator[str]:
    yield f"basis       {_counts(shift.bases)}"
    yield f"questions   {shift.questions}"
    yield f"open        {many(shift.open_wagers, 'wager')}, {words.money(shift.open_cents)}"
    yield f"in doubt    {many(shift.doubted_wagers, 'settled wager')}"
    for wager in shift.unsettled:
        state = "open" if wager.net_cents is None else f"in doubt, settled for {words.money(wager.net_cents)}"
        place = f"round {wager.round} spot {wager.spot} {wager.bet}, {words.money(wager.staked_cents)} staked"
        yield f"unsettled   {place}: {state}: {wager.why}"
    returned = f"{many(shift.void_wagers, 'wager')}, {words.money(shift.void_cents)} returned"
    yield f"void        {many(shift.void_rounds, 'round')}, {returned}"
    for ruling in shift.rulings:
        yield _ruling("ruled", ruling, words)
    for said in shift.corrections:
        yield f"corrected   {words.clock(said.time)} {said.text}, {said.who}: {said.why}"
    for one in shift.irregular:
        cause = f"; likely {one.probable_cause}" if one.probable_cause else ""
        yield f"irregular   round {one.round}: {one.reason}{cause}; {stands(one)}"
    for alert in shift.alerts:
        yield f"alerts      {alert.count} {alert.severity} {alert.kind}"


def _inventory(shift: Shift, words: AccountFormat) -> Iterator[str]:
    for line in counts(shift):
        yield f"inventory   {f'{line.name:30}{line.amount:>14}   {line.slips}'.rstrip()}"
    for one in shift.entries:
        yield _entered("entered", one, words)


def _entered(label: str, one: InventoryEntry, words: AccountFormat) -> str:
    slip = f", slip {one.slip}" if one.slip else ""
    of_time = f" ({counts_for(one)}{', not this account' if one.elsewhere else ''})" if one.gaming_day else ""
    what = f"{one.entry}: {one.kind} {words.money(one.cents)}{slip}{of_time}"
    return f"{label:12}{words.clock(one.time)} {what}, {one.who}: {one.why}"


def _bet(line: BetLine, words: AccountFormat) -> str:
    money = f"{words.money(line.handle_cents):>14}{words.money(line.win_cents):>14}{percent(line.win_per_handle):>12}"
    head = f"{line.bet:24}{line.wagers:>8}{money}"
    if line.expected_cents is None or line.low_cents is None or line.high_cents is None:
        return f"{head}{'-':>14}   not given"
    band = f"{words.money(line.low_cents)} to {words.money(line.high_cents)}: {verdict(line)}"
    return f"{head}{words.money(line.expected_cents):>14}   {band}"


def _counts(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counted.items()) or "none"
