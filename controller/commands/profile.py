"""``tableside profile``: list, show, compare and check profiles."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from controller.commands.main_edge import edge_of
from controller.commands.suggestions import profiles
from controller.commands.terminal import AS_JSON, Column, refuse, say, say_json, say_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from controller.core.game.rules import Rules
    from controller.formats.config.profiles import Profile


@click.group("profile")
def command() -> None:
    """List, show, compare and check profiles: a house's rules as data.

    A profile is one that comes with the program, by its name, or a TOML file. Exit status 2: it cannot be used.
    """


@command.command("list")
@AS_JSON
def list_profiles(*, as_json: bool) -> None:
    """List the profiles that come with the program."""
    from controller.io.files import profile_files

    if as_json:
        say_json([{"name": name, "title": loaded(name).title} for name in profile_files.names()])
        return
    say_table((Column("profile"), Column("house")), ((name, loaded(name).title) for name in profile_files.names()))


@command.command("show")
@click.argument("profile", shell_complete=profiles)
@AS_JSON
def show(profile: str, *, as_json: bool) -> None:
    """Print every rule of PROFILE with the card or regulation it comes from, its hash and the main wager's edge."""
    from controller.reports.par_report import EDGE_DIGITS, decimal
    from controller.reports.profile_text import rows, shown

    found = loaded(profile)
    edge = edge_of(found.rules)
    if as_json:
        keys = [row._asdict() for row in rows(found)]
        head = {
            "name": found.rules.name,
            "title": found.title,
            "hash": found.hash,
            "edge": decimal(edge.edge, EDGE_DIGITS),
        }
        say_json({**head, "keys": keys})
        return
    for line in shown(found, edge):
        say(line)


@command.command("diff")
@click.argument("one", shell_complete=profiles)
@click.argument("other", shell_complete=profiles)
@AS_JSON
def diff(one: str, other: str, *, as_json: bool) -> None:
    """Print where ONE and OTHER differ.

    Exit status: 0 no difference, 1 at least one.
    """
    from controller.reports.profile_text import compared

    found = compared(loaded(one), loaded(other))
    if as_json:
        say_json([key._asdict() for key in found])
    for key in () if as_json else found:
        say(key.text())
    sys.exit(1 if found else 0)


@command.command("check")
@click.argument("file")
@AS_JSON
def check(file: str, *, as_json: bool) -> None:
    """Check the profile FILE: every mistake with its line, doubtful choices as warnings.

    Doubtful is also a side wager that returns more than is staked, which takes seconds to count.

    Exit status: 0 fit to play, 2 mistakes.
    """
    profile = loaded(file)
    warnings = (*profile.warnings, *favourable_side_bets(profile.rules, file))
    if as_json:
        head = {"name": profile.rules.name, "title": profile.title, "hash": profile.hash}
        say_json({"fit": True, **head, "warnings": warnings})
        return
    for warning in warnings:
        say(f"tableside: warning: {warning}", err=True)
    say(f"{file}: {profile.rules.name}, {profile.title}: fit to play, hash {profile.hash}")


def favourable_side_bets(rules: Rules, file: str) -> Iterator[str]:
    """A warning of each side wager that the house can only lose by, as far as its rows can be counted."""
    from controller.core.analysis.par import ParError, favourable_return
    from controller.reports.par_report import decimal

    for name in rules.side_bets:
        try:
            returned = favourable_return(rules, name)
        except ParError:
            continue
        if returned is not None:
            percent = f"{decimal(100 * returned, 1)} %"
            yield f"{file}: [side_bets] {name}: returns {percent} of what is staked; tableside par lists its rows"


def loaded(name: str) -> Profile:
    """A profile by name or from a file; one line for each mistake and exit status 2 if it cannot be used."""
    from controller.formats.config.profiles import ProfileError
    from controller.io.files import profile_files

    try:
        return profile_files.load(name)
    except ProfileError as error:
        refuse(*error.lines)
