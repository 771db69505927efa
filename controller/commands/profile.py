"""``tableside profile``: list, show, compare and check profiles."""

from __future__ import annotations

import sys

import click

from controller.commands.main_edge import edge_of
from controller.commands.terminal import Column, say, say_table
from controller.formats.profile_text import compared, shown
from controller.formats.profiles import Profile, ProfileError
from controller.io import profile_files


@click.group("profile")
def command() -> None:
    """List, show, compare and check profiles: a house's rules as data.

    A profile is one that comes with the program, by its name, or a TOML file. Exit status 2: it cannot be used.
    """


@command.command("list")
def list_profiles() -> None:
    """List the profiles that come with the program."""
    say_table((Column("profile"), Column("house")), ((name, loaded(name).title) for name in profile_files.names()))


@command.command("show")
@click.argument("profile")
def show(profile: str) -> None:
    """Write every rule of PROFILE with the card or regulation it comes from, its hash and the main wager's edge."""
    found = loaded(profile)
    for line in shown(found, edge_of(found.rules)):
        say(line)


@command.command("diff")
@click.argument("one")
@click.argument("other")
def diff(one: str, other: str) -> None:
    """Write what ONE and OTHER choose differently.

    Exit status: 0 nothing, 1 something.
    """
    lines = compared(loaded(one), loaded(other))
    for line in lines:
        say(line)
    sys.exit(1 if lines else 0)


@command.command("check")
@click.argument("file")
def check(file: str) -> None:
    """Check the profile FILE: every mistake with its line, doubtful choices as warnings.

    Exit status: 0 fit to play, 2 mistakes.
    """
    profile = loaded(file)
    for warning in profile.warnings:
        say(f"tableside: warning: {warning}", err=True)
    say(f"{file}: {profile.rules.name}, {profile.title}: fit to play, hash {profile.hash}")


def loaded(name: str) -> Profile:
    """A profile by name or from a file; one line for each mistake and exit status 2 if it cannot be used."""
    try:
        return profile_files.load(name)
    except ProfileError as error:
        for line in error.lines:
            say(f"tableside: {line}", err=True)
        sys.exit(2)
