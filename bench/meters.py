"""Random wagers, hits, refusals, corrections and changes of rate on one meter: do its accounts agree to the last unit?

    .venv/bin/python -m bench.meters --wagers 10000000 --seed 1

The sum of all contributions is compared with rate x wagers, kept beside it as an exact fraction, after every step in
which something other than a wager happened and at the end. The meter audits itself after every step. Exit status 1 if
anything disagrees.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from fractions import Fraction

from controller.core.meters.awards import Winner, pay_winners
from controller.core.meters.meter import UNITS, Meter, MeterContribution, Parameters, opened

STAKES_CENTS = (100, 500, 500, 500, 1_000, 2_500, 33, 7)
ONE_IN = 2_000
"""Wagers after which, on average, something other than a wager happens: far more often than at any table."""


def parameters(chance: random.Random) -> Parameters:
    """Rates that leave remainders of every size."""
    rate = (chance.randint(1, 300), chance.randint(1_000, 9_973))
    hidden = (chance.randint(0, 100), chance.randint(1_000, 9_973))
    limit = chance.choice((0, 60_000_000))
    return Parameters(5_000_000, chance.choice((0, 1_000_000, 5_000_000)), rate, 100_000, limit, hidden)


class Account:
    """The meter, and what it should be, kept apart from it."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.meter: Meter = opened("m", parameters(self.chance))
        self.exact = self.exact_hidden = Fraction(0)
        self.since_cents = 0
        self.open: list[tuple[int, int | None]] = []
        self.counts = {"hits": 0, "refused": 0, "corrected": 0, "changed": 0, "rejected": 0}
        self.broken = 0

    def settle_rate(self) -> None:
        """Bring the exact account up to date, at the rate in force."""
        self.exact += Fraction(*self.meter.parameters.rate) * self.since_cents * UNITS
        self.exact_hidden += Fraction(*self.meter.parameters.hidden_rate) * self.since_cents * UNITS
        self.since_cents = 0
        main, hidden = self.exact - self.meter.main.units, self.exact_hidden - self.meter.hidden.units
        self.broken += not (0 <= main < 1 and 0 <= hidden < 1)

    def wager(self) -> None:
        """One wager; now and then one that no sensor can have meant."""
        cents = self.chance.choice(STAKES_CENTS) if self.chance.random() > 1e-4 else 10**9
        given = self.meter.after_wager(cents)
        if isinstance(given, MeterContribution):
            self.meter = given.meter
            self.since_cents += cents
        else:
            self.counts["rejected"] += 1

    def event(self) -> None:
        """Something other than a wager."""
        self.settle_rate()
        match self.chance.randrange(4):
            case 0:
                spots = self.chance.sample(range(1, 8), self.chance.randint(1, 2))
                winners = [Winner(spot, self.chance.choice(((1, 1), (1, 10)))) for spot in spots]
                won, self.meter = pay_winners(self.meter, winners, shared=self.chance.random() < 0.5)
                self.open = [*self.open, *((one.cents, one.resets) for one in won)][-5:]
                self.counts["hits"] += len(won)
            case 1 if self.open:
                cents, resets = self.open.pop()
                self.meter, _ = self.meter.after_return(cents, resets)
                self.counts["refused"] += 1
            case 2:
                moved = self.meter.after_adjustment("meter", self.chance.randint(-UNITS, UNITS), "equipment_correction")
                if isinstance(moved, Meter):
                    self.meter = moved
                    self.counts["corrected"] += 1
            case _:
                self.meter = self.meter.with_parameters(parameters(self.chance))
                self.counts["changed"] += 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--wagers", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    account = Account(given.seed)
    began = time.perf_counter()
    for _ in range(given.wagers):
        account.wager()
        if account.chance.random() * ONE_IN < 1:
            account.event()
    account.settle_rate()
    seconds = time.perf_counter() - began
    meter = account.meter.audited()
    print(f"wagers {given.wagers}, seed {given.seed}; {account.counts}; resets {meter.resets}")
    print(
        f"contributed {meter.main.units} units; rate x wagers less that: {float(account.exact - meter.main.units):.6f}"
    )
    print(
        f"reserved    {meter.hidden.units} units; rate x wagers less that: "
        f"{float(account.exact_hidden - meter.hidden.units):.6f}"
    )
    print(
        f"accounts that did not agree: {account.broken}; {seconds:.1f} s, {given.wagers / seconds:.0f} wagers a second"
    )
    return 1 if account.broken else 0


if __name__ == "__main__":
    sys.exit(main())
