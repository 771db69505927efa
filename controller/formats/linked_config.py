"""The section of a table file about linked meters: pools of many tables, whose ledgers ``tableside link`` keeps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec

from controller.core.linked import LinkedTerms
from controller.core.rules import Rules
from controller.core.side_bet import find, names, terms_of
from controller.formats.decoding import Mistake, shown
from controller.formats.meter_config import MeterName, MeterSection
from controller.formats.sections import Address, File, Name, PublicKey, Section, Text, ZoneName
from controller.formats.toml_lines import Path as KeyPath


class LinkedMeterSection(Section, frozen=True):
    """``[[linked_meters]]``: a pool that this table shares with others, and how its link is reached.

    ``link_key`` is the link's public key, ``key_file`` has the table's secret one. What the pool runs on is the link's.
    """

    name: MeterName
    pool: Name
    fed_by: Annotated[tuple[ZoneName, ...], msgspec.Meta(min_length=1, description="a list of side wagers")]
    link: Address
    link_key: PublicKey
    key_file: File
    title: Text | None = None


def linked_checks(linked: Sequence[LinkedMeterSection], meters: Sequence[MeterSection]) -> Iterable[Mistake]:
    """What does not fit together, as far as it can be known without the profile."""
    taken = {meter.name: "another meter" for meter in meters}
    pools: set[str] = set()
    bets = {bet: meter.name for meter in meters if meter.pays == "rows" for bet in meter.fed_by}
    for place, one in enumerate(linked):
        path: KeyPath = ("linked_meters", place)
        if one.name in taken:
            yield Mistake((*path, "name"), f"{one.name} is the name of {taken[one.name]}")
        if one.pool in pools:
            yield Mistake((*path, "pool"), f"pool {one.pool} is given twice; one meter may be fed by several wagers")
        if int(one.link.rpartition(":")[2]) > 65535:
            yield Mistake((*path, "link"), f"expected HOST:PORT with a port of at most 65535, got {shown(one.link)}")
        for bet in one.fed_by:
            if bet not in names():
                yield Mistake((*path, "fed_by"), f"expected some of {', '.join(names())}, got {shown(bet)}")
            elif find(bet).placed != "before_deal":
                yield Mistake((*path, "fed_by"), f"{bet} is made after the deal and feeds no meter")
            elif bet in bets:
                yield Mistake((*path, "fed_by"), f"rows of {bet} are paid by meter {bets[bet]} already")
            bets.setdefault(bet, one.name)
        taken[one.name] = "another linked meter"
        pools.add(one.pool)


def linked_profile_checks(linked: Sequence[LinkedMeterSection], rules: Rules) -> Iterable[str]:
    """What does not fit the profile."""
    for one in linked:
        for bet in one.fed_by:
            if bet not in rules.side_bets:
                yield f"[[linked_meters]] {one.name}: fed_by: profile {rules.name} does not offer {bet}"
        if not any(bet in rules.side_bets and terms_of(rules, bet).meter_shares for bet in one.fed_by):
            yield f"[[linked_meters]] {one.name}: fed_by: no row of these wagers pays a part of a meter"


def linked_terms(linked: Sequence[LinkedMeterSection]) -> tuple[LinkedTerms, ...]:
    """The linked meters as the table feeds them."""
    return tuple(LinkedTerms(one.name, one.pool, one.fed_by, one.title or one.name) for one in linked)
