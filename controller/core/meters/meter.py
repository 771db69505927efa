"""One progressive meter: a fold over contributions, awards, resets and adjustments, exact to the last part of a unit.

A meter counts in units of 1/10,000 cent. What a wager's share leaves below one unit is owed and carried, never dropped.
Its parameters and accounts are those of N.J.A.C. 13:69E-1.39A: base, reset, rate, limit, hidden rate, unreasonable
contribution. Nothing here knows a table: the pool of many tables folds the same way.

Every step ends with ``audited``: the accounts agree to the unit, or the step fails. A meter goes down for the reasons
of ``FELL`` and no others (N.J.A.C. 13:69D-1.52(f)).
"""

from __future__ import annotations

from math import gcd, lcm
from typing import Final, Literal, NamedTuple, assert_never

from msgspec.structs import replace

from controller.core.refusal_reason import RefusalReason
from firmware_protocols.values import Value

UNITS: Final = 10_000
"""Units in a cent."""

CENTS_LIMIT: Final = 10**14
"""No meter and no total comes near this many cents: 14 digits are what the standards ask a meter to hold, and 64 bits
hold 10,000 times as much."""

MeterPart = Literal["meter", "reserve"]
"""The meter itself, or the reserve that pays for its next reset value."""

AdjustmentReason = Literal["equipment_correction", "over_limit_correction", "seed_recovery", "funding"]
"""Why people may move a meter."""

FELL: Final = ("award", "equipment_correction", "over_limit_correction", "seed_recovery")
"""The closed list of reasons for which a meter may go down."""

ROSE: Final = ("funding", "equipment_correction")
"""Why people may raise one: the house puts money in, or puts right what the equipment did."""


class Parameters(Value, frozen=True, tag=False):
    """What a meter runs on. Changed between jackpots only."""

    base_cents: int
    """Where it starts when it is first opened; the house pays it in."""
    reset_cents: int
    """Where it starts again after its whole amount was won."""
    rate: tuple[int, int]
    """The part of each wager that raises it: [17, 100] is 17 per cent."""
    unreasonable_cents: int
    """One wager may raise meter and reserve by no more than this; more is a fault and is not counted."""
    limit_cents: int = 0
    """The most it shows and pays; what lies above is overflow and waits for the next one. 0: none."""
    hidden_rate: tuple[int, int] = (0, 1)
    """The part of each wager that goes to the reserve, which pays for the next reset value before the house does."""

    def mistakes(self) -> list[tuple[str, str]]:
        """What is wrong with them: key and sentence; none if a meter can run on them."""
        found = []
        for key in ("base_cents", "reset_cents", "limit_cents"):
            if not 0 <= getattr(self, key) < CENTS_LIMIT:
                found.append((key, "expected cents, 0 or more and at most 14 digits"))
        for key in ("rate", "hidden_rate"):
            part, of = getattr(self, key)
            if not 0 <= part <= of <= 1_000_000 or of == 0:
                found.append((key, "expected a part of the wager such as [17, 100], not more than the whole"))
        if not found and self.rate[0] == 0:
            found.append(("rate", "a meter that nothing raises is none"))
        if not found and _more_than_all(self):
            found.append(("hidden_rate", "with rate it takes more than the whole wager"))
        if not 0 < self.unreasonable_cents < CENTS_LIMIT:
            found.append(("unreasonable_cents", "expected the most cents that one wager may add"))
        if 0 < self.limit_cents <= max(self.base_cents, self.reset_cents):
            found.append(("limit_cents", "the meter would start at or above its limit"))
        return found


class Accrual(Value, frozen=True, tag=False):
    """A constant part of all wagers, as whole units given and the part of a unit still owed (``owed`` / ``over``)."""

    rate: tuple[int, int]
    over: int
    owed: int = 0
    units: int = 0
    """Given since the meter was opened."""
    cents: int = 0
    """Wagered at this rate."""
    began: tuple[int, int] = (0, 0)
    """Units given and parts owed when this rate began."""

    def at(self, rate: tuple[int, int]) -> Accrual:
        """The stream at another rate; what is owed stays owed."""
        over = lcm(self.over // gcd(self.over, self.owed), rate[1])
        owed = self.owed * over // self.over
        return Accrual(rate, over, owed, self.units, 0, (self.units, owed))

    def exact(self) -> bool:
        """Whether units given and part owed are the rate times the wagers, to the last part of a unit."""
        part, of = self.rate
        units, owed = self.began
        due = owed + self.cents * UNITS * part * (self.over // of)
        return 0 <= self.owed < self.over and (self.units - units) * self.over + self.owed == due


def _stream(rate: tuple[int, int]) -> Accrual:
    """A stream from which nothing has flowed yet."""
    return Accrual(rate, rate[1])


class Meter(Value, frozen=True, tag=False):
    """A meter with its accounts. All totals count from the day it was opened and never go down."""

    name: str
    parameters: Parameters
    main: Accrual
    hidden: Accrual
    current_units: int
    """What stands in it: shown and overflow."""
    reserve_units: int = 0
    funded_units: int = 0
    """Paid in by the house: base, and reset values as far as the reserve did not reach."""
    moved_units: int = 0
    """Paid in by the reserve."""
    recovered_units: int = 0
    """Reset values taken back to the house when a jackpot was refused, or by people."""
    moved_back_units: int = 0
    """Reset values put back into the reserve when a jackpot was refused."""
    won_units: int = 0
    """Taken out by awards, those still to be paid included."""
    returned_units: int = 0
    """Put back from awards that were refused."""
    raised_units: int = 0
    """Put in by equipment corrections."""
    lowered_units: int = 0
    """Taken out by equipment and over-limit corrections."""
    reserve_raised_units: int = 0
    reserve_lowered_units: int = 0
    wagers: int = 0
    hits: int = 0
    resets: int = 0
    touched: bool = False
    """Whether anything was contributed or won since the last reset: then its parameters stand until the next one."""
    reset_by: tuple[int, int] = (0, 0)
    """What the house and the reserve paid for the present reset value, in units; what may be taken back again."""
    winners: int = 1
    """How many shared the whole amount at the last reset and have not been refused since."""
    queued: Parameters | None = None
    """Parameters that come into force with the next reset."""

    def limit_units(self) -> int:
        """The most it shows; 0: no limit."""
        return self.parameters.limit_cents * UNITS

    def shown_cents(self) -> int:
        """What a sign shows and an award is taken from: whole cents, up to the limit."""
        whole = self.current_units // UNITS
        limit = self.parameters.limit_cents
        return min(whole, limit) if limit else whole

    def overflow_units(self) -> int:
        """What stands above the limit."""
        limit = self.limit_units()
        return max(self.current_units - limit, 0) if limit else 0

    def audited(self) -> Meter:
        """The meter itself, once its accounts agree to the unit.

        Raises:
            AssertionError: they do not; nothing may be paid from it.
        """
        put_in = self.funded_units + self.moved_units + self.main.units + self.raised_units + self.returned_units
        taken = self.won_units + self.lowered_units + self.recovered_units + self.moved_back_units
        assert put_in - taken == self.current_units >= 0, (
            f"meter {self.name}: its accounts do not make what it stands at"
        )
        put_by = self.hidden.units + self.reserve_raised_units + self.moved_back_units
        assert put_by - self.reserve_lowered_units - self.moved_units == self.reserve_units >= 0, (
            f"meter {self.name}: the accounts of its reserve do not make what it holds"
        )
        assert self.main.exact(), f"meter {self.name}: its contributions are not its rate times the wagers"
        assert self.hidden.exact(), f"meter {self.name}: its reserve's contributions are not its rate times the wagers"
        assert self.main.cents == self.hidden.cents
        assert self.current_units < CENTS_LIMIT * UNITS, f"meter {self.name}: more than 14 digits"
        return self

    def after_wager(self, wager_cents: int) -> MeterContribution | Unreasonable:
        """The meter after a qualifying wager, or why it is none that can be believed."""
        main, hidden = self.main, self.hidden
        step = wager_cents * UNITS
        units, owed = divmod(main.owed + step * main.rate[0] * (main.over // main.rate[1]), main.over)
        put_by, put_by_owed = divmod(hidden.owed + step * hidden.rate[0] * (hidden.over // hidden.rate[1]), hidden.over)
        most = self.parameters.unreasonable_cents * UNITS
        if wager_cents <= 0 or units + put_by > most:
            return Unreasonable(units + put_by, most)
        after = replace(
            self,
            main=replace(main, owed=owed, units=main.units + units, cents=main.cents + wager_cents),
            hidden=replace(hidden, owed=put_by_owed, units=hidden.units + put_by, cents=hidden.cents + wager_cents),
            current_units=self.current_units + units,
            reserve_units=self.reserve_units + put_by,
            wagers=self.wagers + 1,
            touched=True,
        )
        return MeterContribution(units, put_by, after.audited())

    def after_award(self, cents: int, *, hits: int = 1) -> Meter:
        """The meter after an award of ``cents`` out of what it shows; ``hits``: how many share it.

        Raises:
            AssertionError: it does not show so much.
        """
        assert 0 <= cents <= self.shown_cents(), f"meter {self.name} shows {self.shown_cents()} cents, not {cents}"
        units = cents * UNITS
        return replace(
            self,
            current_units=self.current_units - units,
            won_units=self.won_units + units,
            hits=self.hits + hits,
            touched=True,
        ).audited()

    def after_reset(self, *, winners: int = 1) -> Meter:
        """The meter started again after ``winners`` won its whole amount, on the parameters that waited for this.

        The reset value comes out of the reserve as far as that reaches and out of the house for the rest. Overflow,
        parts of a cent and what did not divide among winners are carried into the new one.
        """
        begun = self if self.queued is None else self.with_queued_parameters(self.queued)
        value = begun.parameters.reset_cents * UNITS
        reserved = min(value, begun.reserve_units)
        return replace(
            begun,
            current_units=begun.current_units + value,
            reserve_units=begun.reserve_units - reserved,
            moved_units=begun.moved_units + reserved,
            funded_units=begun.funded_units + value - reserved,
            resets=begun.resets + 1,
            reset_by=(value - reserved, reserved),
            winners=winners,
            touched=False,
        ).audited()

    def after_return(self, cents: int, resets: int | None) -> tuple[Meter, tuple[int, int]]:
        """The meter with a refused award put back, and the units taken out of it again for house and reserve.

        ``resets``: what the meter's ``resets`` was once the award had started it again (None: a part of it only was
        won). While the meter has not been won since, and no award that shared it still stands, that reset value was
        never needed: it goes back to where it came from. The meter goes up by the award and down by the value, for the
        reason ``seed_recovery``.
        """
        units = cents * UNITS
        back = replace(self, current_units=self.current_units + units, returned_units=self.returned_units + units)
        if resets is None or resets != self.resets:
            return back.audited(), (0, 0)
        back = replace(back, winners=self.winners - 1)
        if back.winners or back.current_units < sum(self.reset_by):
            return back.audited(), (0, 0)
        house, reserve = self.reset_by
        recovered = replace(
            back,
            current_units=back.current_units - house - reserve,
            reserve_units=back.reserve_units + reserve,
            recovered_units=back.recovered_units + house,
            moved_back_units=back.moved_back_units + reserve,
            reset_by=(0, 0),
        )
        return recovered.audited(), (house, reserve)

    def after_adjustment(self, pool: MeterPart, units: int, reason: AdjustmentReason) -> Meter | RefusalReason:
        """The meter moved by people, or why it may not be: the list of reasons is closed."""
        refused = _refused(self, pool, units, reason)
        if refused is not None:
            return refused
        if pool == "reserve":
            return replace(
                self,
                reserve_units=self.reserve_units + units,
                reserve_raised_units=self.reserve_raised_units + max(units, 0),
                reserve_lowered_units=self.reserve_lowered_units + max(-units, 0),
            ).audited()
        moved = replace(self, current_units=self.current_units + units)
        match reason:
            case "funding":
                return replace(moved, funded_units=self.funded_units + units).audited()
            case "seed_recovery":
                return replace(moved, recovered_units=self.recovered_units - units).audited()
            case "over_limit_correction":
                return replace(moved, lowered_units=self.lowered_units - units).audited()
            case "equipment_correction":
                return replace(
                    moved,
                    raised_units=self.raised_units + max(units, 0),
                    lowered_units=self.lowered_units + max(-units, 0),
                ).audited()
            case _:
                assert_never(reason)

    def with_parameters(self, parameters: Parameters) -> Meter:
        """The meter on other parameters: at once if nothing has happened since its reset, else with the next one."""
        if self.touched:
            return replace(self, queued=parameters)
        return self.with_queued_parameters(parameters)

    def with_queued_parameters(self, parameters: Parameters) -> Meter:
        """The meter on ``parameters`` from here on; what it stands at is left alone."""
        return replace(
            self,
            parameters=parameters,
            main=self.main.at(parameters.rate),
            hidden=self.hidden.at(parameters.hidden_rate),
            queued=None,
        ).audited()


class Unreasonable(NamedTuple):
    """A wager that would raise a meter by more than anything reasonable: nothing was counted."""

    units: int
    most_units: int


class MeterContribution(NamedTuple):
    """A wager's contribution to the meter and to its reserve, in units, and the meter after it."""

    units: int
    hidden_units: int
    meter: Meter


def opened(name: str, parameters: Parameters) -> Meter:
    """A meter at its base value."""
    base = parameters.base_cents * UNITS
    main, hidden = _stream(parameters.rate), _stream(parameters.hidden_rate)
    return Meter(name, parameters, main, hidden, base, funded_units=base).audited()


def _refused(meter: Meter, pool: MeterPart, units: int, reason: AdjustmentReason) -> RefusalReason | None:
    stands = meter.current_units if pool == "meter" else meter.reserve_units
    if units == 0:
        return RefusalReason("invalid_value", "nothing is to be moved")
    if abs(units) >= CENTS_LIMIT * UNITS or stands + units >= CENTS_LIMIT * UNITS:
        return RefusalReason("invalid_value", "no meter holds so much")
    if units > 0 and reason not in ROSE:
        return RefusalReason("meter_rules", f"a meter is raised for {' or '.join(ROSE)} only")
    if units < 0 and reason not in FELL:
        return RefusalReason("meter_rules", f"a meter goes down for {', '.join(FELL)} only")
    if stands + units < 0:
        return RefusalReason("invalid_value", f"there is not so much in the {pool}: it stands at {stands} units")
    if pool == "reserve":
        if reason == "equipment_correction":
            return None
        return RefusalReason("meter_rules", "a reserve is moved for equipment_correction only")
    if reason == "over_limit_correction" and -units > meter.overflow_units():
        return RefusalReason("meter_rules", f"only {meter.overflow_units()} units lie above the limit")
    if reason == "seed_recovery" and -units > meter.funded_units - meter.recovered_units:
        return RefusalReason("meter_rules", f"the house has {meter.funded_units - meter.recovered_units} units in it")
    return None


def _more_than_all(parameters: Parameters) -> bool:
    (part, of), (hidden, hidden_of) = parameters.rate, parameters.hidden_rate
    return part * hidden_of + hidden * of > of * hidden_of
