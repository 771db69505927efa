"""A must-hit-by meter counted again from its events: each must say what follows from the one before.

After a complaint it goes on with what the event says, so that one mistake is one complaint.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple, assert_never

from controller.core.messages.meter_events import (
    ContributionMade,
    JackpotHit,
    JackpotRefused,
    MeterAdjusted,
    MeterOpened,
    MeterReset,
    ParametersChanged,
)
from controller.core.meters.meter import UNITS, Parameters
from controller.reports.audit.sequence_audit import Complaint, Range

Moved = MeterOpened | ContributionMade | JackpotHit | MeterReset | JackpotRefused | MeterAdjusted | ParametersChanged
"""What is published of a meter's movements."""


class _Won(NamedTuple):
    """An award that has still to start the meter again."""

    seq: int
    left_units: int | None
    restart: tuple[int, int]
    """Where the award says the meter starts again: its amount in units, and the cents that it shows."""


class _Part:
    """A constant part of all wagers: whole units given, and what of a unit is still owed."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._owed: Fraction | None = Fraction(0)
        """None: not known after an event that is missing or wrong."""

    def lost(self) -> None:
        """Something is missing here."""
        self._owed = None

    def take(self, rate: Fraction, wager_cents: int, units: int) -> str:
        """What a wager added; why it cannot have been that, or an empty text."""
        due = rate * wager_cents * UNITS
        if self._owed is None:
            fits = abs(units - due) < 1
            return "" if fits else f"{units} units to the {self._name}, {wager_cents} cents at {rate} are {due}"
        whole, owed = divmod(self._owed + due, 1)
        self._owed = owed if units == whole else None
        if units == whole:
            return ""
        return f"{units} units to the {self._name}, {wager_cents} cents at {rate} and what was owed are {whole}"


class MeterFold:
    """One meter. ``whole``: the events begin with the table's first, else the meter is taken as first published."""

    def __init__(self, *, whole: bool) -> None:
        self._whole = whole
        self.units: int | None = None
        """What stands in it; None: not published yet."""
        self.parameters: Parameters | None = None
        self.unrated = 0
        """Contributions that came before the parameters were published."""
        self._reserve: int | None = None
        self._main, self._hidden = _Part("meter"), _Part("reserve")
        self._won: _Won | None = None
        if not whole:
            self._lost()

    def take(self, seq: int, event: Moved, *, after_gap: bool) -> Iterator[Complaint]:
        """The next event of the meter; ``after_gap``: events are missing between the last one taken and this."""
        if after_gap:
            self._lost()
        for text in self._taken(seq, event, after_gap=after_gap):
            yield Complaint(Range(seq, seq), f"event {seq}: {text}")

    def _lost(self) -> None:
        self._main.lost()
        self._hidden.lost()
        self._reserve = None

    def _taken(self, seq: int, event: Moved, *, after_gap: bool) -> Iterator[str]:
        won, self._won = self._won, None
        if won is not None and not isinstance(event, MeterReset) and not after_gap:
            yield f"the award of event {won.seq} has not started the meter again"
            self.units = won.restart[0]
        match event:
            case MeterOpened():
                yield from self._opened(event)
            case ContributionMade():
                yield from self._contributed(event, after_gap=after_gap)
            case JackpotHit():
                left = None if self.units is None else self.units - event.cents * UNITS
                self._won = _Won(seq, left, (event.meter_units, event.shown_cents))
            case MeterReset():
                yield from self._reset(event, won, after_gap=after_gap)
            case JackpotRefused():
                moved = event.cents * UNITS - event.house_units - event.reserve_units
                yield from self._discrepancies(
                    event.meter_units, event.shown_cents, moved, "refused", after_gap=after_gap
                )
                self._put_by(event.reserve_units)
            case MeterAdjusted():
                moved = event.units if event.pool == "meter" else 0
                yield from self._discrepancies(
                    event.meter_units, event.shown_cents, moved, "adjusted", after_gap=after_gap
                )
                self._put_by(event.units - moved)
            case ParametersChanged():
                if self.parameters not in {None, event.before}:
                    yield "the parameters it changes are not those that were in force"
                self.parameters = event.after
            case _:
                assert_never(event)

    def _opened(self, event: MeterOpened) -> Iterator[str]:
        if self.units is not None:
            yield "the meter is opened a second time"
        elif self._whole:
            self._reserve = 0
        self.parameters, self.units = event.parameters, event.meter_units
        base = event.parameters.base_cents * UNITS
        if event.meter_units != base:
            yield f"the meter is opened at {event.meter_units} units, its base value is {base}"
        yield from self._shows(event.shown_cents)

    def _contributed(self, event: ContributionMade, *, after_gap: bool) -> Iterator[str]:
        what = f"contribution {event.number}"
        yield from self._discrepancies(event.meter_units, event.shown_cents, event.units, what, after_gap=after_gap)
        self._put_by(event.hidden_units)
        if self.parameters is None:
            self.unrated += 1
            return
        rate, hidden = Fraction(*self.parameters.rate), Fraction(*self.parameters.hidden_rate)
        for wrong in (
            self._main.take(rate, event.wager_cents, event.units),
            self._hidden.take(hidden, event.wager_cents, event.hidden_units),
        ):
            if wrong:
                yield f"{what} adds {wrong}"

    def _reset(self, event: MeterReset, won: _Won | None, *, after_gap: bool) -> Iterator[str]:
        value = event.house_units + event.reserve_units
        if won is None and not after_gap:
            yield "the meter starts again, and nothing was won before"
        if self.parameters is not None and value != self.parameters.reset_cents * UNITS:
            yield f"the reset value paid in is {value} units, it is {self.parameters.reset_cents * UNITS}"
        if self._reserve is not None and event.reserve_units != min(value, self._reserve):
            yield f"the reserve paid {event.reserve_units} units of the reset value, and held {self._reserve}"
        if won is not None and won.restart != (event.meter_units, event.shown_cents):
            yield (
                f"event {won.seq} says it starts again at {won.restart[0]} units and shows {won.restart[1]} cents,"
                f" this one {event.meter_units} and {event.shown_cents}"
            )
        self.units = None if won is None else won.left_units
        yield from self._discrepancies(event.meter_units, event.shown_cents, value, "the reset", after_gap=after_gap)
        self._put_by(-event.reserve_units)

    def _discrepancies(self, units: int, shown_cents: int, moved: int, what: str, *, after_gap: bool) -> Iterator[str]:
        before, self.units = self.units, units
        if before is not None and units != before + moved:
            if after_gap:
                yield f"the meter stands at {units} units: what is missing before moved it by {units - before - moved}"
            else:
                yield f"the meter stands at {units} units; {before} before and {moved} by {what} make {before + moved}"
        yield from self._shows(shown_cents)

    def _shows(self, shown_cents: int) -> Iterator[str]:
        if self.parameters is None or self.units is None:
            return
        limit, whole = self.parameters.limit_cents, self.units // UNITS
        shows = min(whole, limit) if limit else whole
        if shown_cents != shows:
            yield f"it shows {shown_cents} cents, {self.units} units are {shows}"

    def _put_by(self, units: int) -> None:
        if self._reserve is not None:
            self._reserve += units
