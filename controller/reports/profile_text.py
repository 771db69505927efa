"""Profiles as lines for people: every rule in force with its source, and what two profiles choose differently."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from controller.core.analysis.computed_edge import MainEdge
from controller.core.game.rules import Options, Rules
from controller.core.game.side_bet import find
from controller.formats.config.profiles import RULE_KEYS, Profile
from controller.reports.par_report import edge_text

NOTHING = "-"


class ProfileRow(NamedTuple):
    """One key of a profile: as a table file's ``[options]`` names it, its value as TOML writes it, its source."""

    key: str
    value: str
    source: str


def rows(profile: Profile) -> Iterator[ProfileRow]:
    """Every key of a profile in the order of the rules; a side wager's keys begin with its name."""
    rules = profile.rules
    for key in Rules.__struct_fields__:
        if key in RULE_KEYS:
            yield ProfileRow(key, toml(getattr(rules, key)), profile.sources.get(key, ""))
    for key in Options.__struct_fields__:
        yield ProfileRow(key, toml(getattr(rules.options, key)), "the table's own")
    for name in rules.side_bets:
        usual = f"usual terms of {find(name).title} ({find(name).source})"
        for term, value in msgspec.to_builtins(rules.side_bet_terms[name]).items():
            source = profile.sources.get(f"{name}.{term}", profile.sources.get(name, usual))
            if isinstance(value, dict):
                # A choice is named alone, as in a table file.
                shown = "" if term == "choices" else f"{term}."
                for key, worth in value.items():
                    yield ProfileRow(f"{name}.{shown}{key}", toml(worth), source)
            else:
                yield ProfileRow(f"{name}.{term}", toml(value), source)


def toml(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml(one) for one in value)}]"
    return str(value)


def shown(profile: Profile, edge: MainEdge) -> list[str]:
    """A profile for people: title, hash, the main wager's edge, and a line for each key."""
    head = [profile.rules.name, profile.title, f"hash {profile.hash}", f"main wager: {edge_text(edge)}", ""]
    return head + [f"{row.key} = {row.value}" + (f"  # {row.source}" if row.source else "") for row in rows(profile)]


class ProfileDifference(NamedTuple):
    """A key that two profiles choose differently; None where one of them has no such key."""

    key: str
    one: str | None
    other: str | None

    def text(self) -> str:
        """``key: this -> that``."""
        return f"{self.key}: {self.one or NOTHING} -> {self.other or NOTHING}"


def compared(one: Profile, other: Profile) -> list[ProfileDifference]:
    """What two profiles choose differently."""
    left = {row.key: row.value for row in rows(one)}
    right = {row.key: row.value for row in rows(other)}
    keys = [*left, *(key for key in right if key not in left)]
    return [ProfileDifference(key, left.get(key), right.get(key)) for key in keys if left.get(key) != right.get(key)]
