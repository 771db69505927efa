"""The account of a shift as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

from controller.core.people.table_inventory import TableInventory
from controller.formats.text.moments import zone_of
from controller.formats.text.printable import printable
from controller.reports.live_narrative import dollars
from controller.reports.shift import BetLine, Ruling, Shift

MISSING: Final = "not entered"
OTHER_TIME: Final = " (round of another time)"
"""Of a ruling that changes no figure of the account."""


def shift_text(shift: Shift) -> str:
    """The account for people, each line ended by a line feed."""
    return "".join(f"{printable(line)}\n" for line in _lines(shift))


def percent(basis_points: int) -> str:
    """``1234`` -> ``12.34 %``."""
    sign = "-" if basis_points < 0 else ""
    return f"{sign}{abs(basis_points) // 100}.{abs(basis_points) % 100:02d} %"


def verdict(line: BetLine) -> str:
    """What the band says of a bet."""
    if line.inside is None:
        return "no theory"
    return "within" if line.inside else "OUTSIDE"


def clock(time: str, zone: str) -> str:
    """A moment by the house's clock, to the second: ``2026-11-21 18:00:03 EST``."""
    return datetime.fromisoformat(time).astimezone(zone_of(zone)).strftime("%Y-%m-%d %H:%M:%S %Z")


def ruled(ruling: Ruling) -> str:
    """What a ruling changed: ``round 12 spot 3 main -$10.00 -> $0.00 (case 2026-117)``."""
    case = f" (case {ruling.case})" if ruling.case else ""
    remark = f"{case}{OTHER_TIME if ruling.elsewhere else ''}"
    if not ruling.spot:
        return f"round {ruling.round} void{remark}"
    before = "open" if ruling.before_cents is None else dollars(ruling.before_cents)
    assert ruling.net_cents is not None, "only a void round has no net of its own"
    return f"round {ruling.round} spot {ruling.spot} {ruling.bet} {before} -> {dollars(ruling.net_cents)}{remark}"


def amount(cents: int | None) -> str:
    """An amount that may not have been entered."""
    return MISSING if cents is None else dollars(cents)


def counts(inventory: TableInventory) -> Iterator[tuple[str, str]]:
    """The table's inventory by the words of the pit."""
    yield "opener", amount(inventory.opener_cents)
    yield "fills", dollars(inventory.fill_cents)
    yield "credits", dollars(inventory.credit_cents)
    yield "closer", amount(inventory.closer_cents)
    yield "drop", amount(inventory.drop_cents)
    yield "table win", amount(inventory.win_cents)


def _lines(shift: Shift) -> Iterator[str]:
    yield f"{shift.site}/{shift.table}, epoch {shift.epoch}{f', {shift.name}' if shift.name else ''}"
    money = f", amounts in {shift.currency}" if shift.currency else ""
    yield f"{clock(shift.started, shift.time_zone)} to {clock(shift.ended, shift.time_zone)}{money}"
    pace = f"{shift.rounds_per_hour} an hour over {shift.playing_seconds // 60} minutes of play"
    yield f"{shift.rounds} rounds, {pace}"
    yield ""
    yield f"{'bet':24}{'wagers':>8}{'handle':>14}{'win':>14}{'win/handle':>12}{'expected':>14}   95 % band"
    for line in shift.bets:
        yield _bet(line)
    sums = f"{dollars(shift.handle_cents):>14}{dollars(shift.win_cents):>14}"
    yield f"{'all':24}{sum(line.wagers for line in shift.bets):>8}{sums}"
    yield ""
    yield from _inventory(shift)
    for spot in shift.spots:
        money = f"handle {dollars(spot.handle_cents)}, win {dollars(spot.win_cents)}"
        yield f"spot {spot.spot}      {spot.wagers} wagers, {money}"
    yield ""
    yield f"basis       {_counts(shift.bases)}"
    yield f"questions   {shift.questions}"
    yield f"open        {shift.open_wagers} wagers, {dollars(shift.open_cents)}"
    yield f"in doubt    {shift.doubted_wagers} settled wagers"
    yield f"void        {shift.void_rounds} rounds"
    for ruling in shift.rulings:
        yield f"ruled       {clock(ruling.time, shift.time_zone)} {ruled(ruling)}, {ruling.who}: {ruling.why}"
    for one in shift.irregular:
        cause = f"; likely {one.probable_cause}" if one.probable_cause else ""
        yield f"irregular   round {one.round}: {one.reason}{cause}"
    for alert in shift.alerts:
        yield f"alerts      {alert.count} {alert.severity} {alert.kind}"
    yield f"devices     {_counts(shift.device_faults)}"
    yield f"by hour     {_counts(shift.rounds_by_hour)}"
    yield from _beside(shift)


def _inventory(shift: Shift) -> Iterator[str]:
    yield f"inventory   {', '.join(f'{name} {value}' for name, value in counts(shift.inventory))}"
    hold = MISSING if shift.hold is None else percent(shift.hold)
    yield f"hold        {hold} (table win by drop)"
    for one in shift.entries:
        slip = f", slip {one.slip}" if one.slip else ""
        what = f"{one.entry}: {one.kind} {dollars(one.cents)}{slip}"
        yield f"entered     {clock(one.time, shift.time_zone)} {what}, {one.who}: {one.why}"


def _beside(shift: Shift) -> Iterator[str]:
    if shift.before is not None:
        then = shift.before
        figures = f"{then.rounds} rounds, handle {dollars(then.handle_cents)}, win {dollars(then.win_cents)}"
        yield f"day before  {figures}, {then.open_wagers} wagers open"
    if shift.restated is not None:
        now = shift.restated
        yield f"RESTATED    handle {dollars(now.handle_cents)}, win {dollars(now.win_cents)}, {now.open_wagers} open"
        for ruling in now.rulings:
            yield f"later       {clock(ruling.time, shift.time_zone)} {ruled(ruling)}, {ruling.who}: {ruling.why}"


def _bet(line: BetLine) -> str:
    money = f"{dollars(line.handle_cents):>14}{dollars(line.win_cents):>14}{percent(line.win_per_handle):>12}"
    head = f"{line.bet:24}{line.wagers:>8}{money}"
    if line.expected_cents is None or line.low_cents is None or line.high_cents is None:
        return f"{head}{'-':>14}   no theory"
    band = f"{dollars(line.low_cents)} to {dollars(line.high_cents)}: {verdict(line)}"
    return f"{head}{dollars(line.expected_cents):>14}   {band}"


def _counts(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counted.items()) or "none"
