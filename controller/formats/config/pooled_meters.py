"""The section of a table file about linked meters: pools of many tables, whose ledgers ``tableside link`` keeps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Final

import msgspec

from controller.core.game.rules import Rules
from controller.core.game.side_bet import find, names, terms_of
from controller.core.meters.pooled_meter import PooledTerms, WhileClosed
from controller.formats.config.meters import MeterName, MeterSection
from controller.formats.text.moments import HOUR_NS
from controller.formats.text.struct_decoder import Mistake, shown
from controller.formats.text.toml_positions import Path as KeyPath
from controller.formats.text.toml_schema import File, HostPort, Name, PublicKey, Section, Text, ZoneName

LONG_OUTAGE_HOURS: Final = 24
"""Mich. Admin. Code R 432.1841(2)(e)."""

HoursOrNever = Annotated[int, msgspec.Meta(ge=0, le=8760, description="hours, 0 for never")]


class OtherLink(Section, frozen=True):
    """Another link process of the same pool's ledger: where it is reached, and its public key."""

    link: HostPort
    link_key: PublicKey


class LinkedMeterSection(Section, frozen=True):
    """``[[linked_meters]]``: a pool that this table shares with others, and how its link is reached.

    ``link_key`` is the link's public key, ``key_file`` has the table's secret one. ``other_links`` are tried in turn
    when that link is silent. After ``long_outage_hours`` without any of them a person must reopen it; 0: nobody.
    What the pool runs on is the link's.
    """

    name: MeterName
    pool: Name
    fed_by: Annotated[tuple[ZoneName, ...], msgspec.Meta(min_length=1, description="a list of side wagers")]
    link: HostPort
    link_key: PublicKey
    key_file: File
    title: Text | None = None
    other_links: tuple[OtherLink, ...] = ()
    long_outage_hours: HoursOrNever = LONG_OUTAGE_HOURS
    while_closed: WhileClosed = "stand"


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
        yield from address_checks(one, path)
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


def address_checks(one: LinkedMeterSection, path: KeyPath) -> Iterable[Mistake]:
    """Addresses that are none, or given twice."""
    ways = [((*path, "link"), one.link)]
    ways += [((*path, "other_links", place, "link"), other.link) for place, other in enumerate(one.other_links)]
    taken: set[str] = set()
    for where, address in ways:
        if int(address.rpartition(":")[2]) > 65535:
            yield Mistake(where, f"expected HOST:PORT with a port of at most 65535, got {shown(address)}")
        if address in taken:
            yield Mistake(where, f"{address} is given twice; another link process of the pool has another address")
        taken.add(address)


def linked_profile_checks(linked: Sequence[LinkedMeterSection], rules: Rules) -> Iterable[str]:
    """What does not fit the profile."""
    for one in linked:
        for bet in one.fed_by:
            if bet not in rules.side_bets:
                yield f"[[linked_meters]] {one.name}: fed_by: profile {rules.name} does not offer {bet}"
        if not any(bet in rules.side_bets and terms_of(rules, bet).meter_shares for bet in one.fed_by):
            yield f"[[linked_meters]] {one.name}: fed_by: no row of these wagers pays a part of a meter"


def linked_terms(linked: Sequence[LinkedMeterSection]) -> tuple[PooledTerms, ...]:
    """The linked meters as the table feeds them."""
    return tuple(
        PooledTerms(
            one.name, one.pool, one.fed_by, one.title or one.name, one.long_outage_hours * HOUR_NS, one.while_closed
        )
        for one in linked
    )
