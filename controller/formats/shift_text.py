"""The account of a shift as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from controller.formats.printing import printable
from controller.formats.shift import BetLine, Shift
from controller.formats.telling import dollars


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


def _lines(shift: Shift) -> Iterator[str]:
    yield f"{shift.site}/{shift.table}, epoch {shift.epoch}"
    yield f"{shift.started} to {shift.ended}"
    pace = f"{shift.rounds_per_hour} an hour over {shift.playing_seconds // 60} minutes of play"
    yield f"{shift.rounds} rounds, {pace}"
    yield ""
    yield f"{'bet':24}{'wagers':>8}{'handle':>14}{'win':>14}{'hold':>10}{'expected':>14}   95 % band"
    for line in shift.bets:
        yield _bet(line)
    yield ""
    yield f"basis       {_counts(shift.bases)}"
    yield f"questions   {shift.questions}"
    yield f"open        {shift.open_wagers} wagers; adjusted {shift.adjusted}; rounds voided {shift.voided}"
    yield f"alerts      {_counts(shift.alerts)}"
    yield f"devices     {_counts(shift.device_faults)}"
    yield f"by hour     {_counts(shift.rounds_by_hour)}"


def _bet(line: BetLine) -> str:
    money = f"{dollars(line.handle_cents):>14}{dollars(line.win_cents):>14}{percent(line.hold_basis_points):>10}"
    head = f"{line.bet:24}{line.wagers:>8}{money}"
    if line.expected_cents is None or line.low_cents is None or line.high_cents is None:
        return f"{head}{'-':>14}   no theory"
    band = f"{dollars(line.low_cents)} to {dollars(line.high_cents)}: {verdict(line)}"
    return f"{head}{dollars(line.expected_cents):>14}   {band}"


def _counts(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counted.items()) or "none"
