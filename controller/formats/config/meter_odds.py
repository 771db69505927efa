"""The odds of a table file's meters: what is refused, and what ``tableside check`` says of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from controller.core.analysis.meter_odds import LONGEST_ODDS, Chance, must_hit_by_chances, row_chances
from controller.core.analysis.par import ParError
from controller.core.game.rules import Rules
from controller.formats.config.meters import MeterSection, parameters_of
from controller.formats.config.pooled_meters import LinkedMeterSection

MeterSections = Sequence[MeterSection | LinkedMeterSection]


def chances(meter: MeterSection | LinkedMeterSection, rules: Rules) -> Iterator[Chance]:
    """What a meter may be won by.

    Raises:
        ParError: the rows of a wager cannot be counted.
    """
    if isinstance(meter, MeterSection) and meter.pays == "mystery":
        return must_hit_by_chances(rules, meter.fed_by, parameters_of(meter, rules))
    return row_chances(rules, meter.fed_by)


def odds_checks(meters: MeterSections, rules: Rules) -> Iterable[str]:
    """A line for each way to win a meter that is longer than the regulation allows, or that cannot be counted."""
    for meter in meters:
        section = "meters" if isinstance(meter, MeterSection) else "linked_meters"
        try:
            for one in chances(meter, rules):
                if one.too_long:
                    how = f"one wager in {one.one_in:,} wins it" if one.one_in else "no wager ever wins it"
                    rule = f"no more than {LONGEST_ODDS:,} to 1 is allowed (N.J.A.C. 13:69D-1.52(e)4)"
                    yield f"[[{section}]] {meter.name}: {one.bet}, {one.by}: {how}, and {rule}{remedy(one)}"
        except ParError as error:
            yield f"[[{section}]] {meter.name}: its odds cannot be counted: {error}"


def remedy(one: Chance) -> str:
    """What would put it right."""
    if one.by == "must hit by":
        return ": a higher rate, a narrower meter, or a larger smallest chip (chip_unit_cents)"
    return ": let another row pay the meter"


def odds_lines(meters: MeterSections, rules: Rules) -> Iterator[str]:
    """For people: how likely one wager is to win each meter."""
    for meter in meters:
        for one in chances(meter, rules):
            least = " (the least wager, over a cycle)" if one.by == "must hit by" else ""
            yield f"meter {meter.name}: {one.bet}, {one.by.replace('_', ' ')}: one wager in {one.one_in:,}{least}"
