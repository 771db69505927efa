"""``tableside par``: what a profile's game returns."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

import click

from controller.commands.main_edge import edge_of
from controller.commands.profile import loaded
from controller.commands.suggestions import profiles
from controller.commands.terminal import progress, say, say_text
from controller.core.game.side_bet import names

if TYPE_CHECKING:
    from controller.core.game.rules import Rules
    from controller.reports.par_report import MainSimulation
    from firmware_protocols.cards import Card

MAIN: Final = "main"
MOST_ROUNDS: Final = 100_000_000
"""Hours of work; more is a slip of the hand."""

ROUNDS: Final = 20_000
SEED: Final = 1


@click.command("par")
@click.argument("profile", shell_complete=profiles)
@click.option("--decks", type=click.IntRange(1, 8), help="Decks in the shoe. Default: the profile's.")
@click.option(
    "--bet", "bets", type=click.Choice([MAIN, *names()]), multiple=True, help="Only this wager; may be repeated."
)
@click.option("--simulate", is_flag=True, help="Also deal rounds of the main game, as a check of the computed edge.")
@click.option("--rounds", type=click.IntRange(2, MOST_ROUNDS), help=f"Rounds dealt by --simulate. Default: {ROUNDS:,}.")
@click.option("--seed", type=int, help=f"Seed of --simulate. Default: {SEED}. The same seed deals the same rounds.")
@click.option("--format", "form", type=click.Choice(["text", "json", "csv"]), default="text", show_default=True)
@click.option("--json", "form", flag_value="json", help="The same as --format json.")
def command(
    *,
    profile: str,
    decks: int | None,
    bets: tuple[str, ...],
    simulate: bool,
    rounds: int | None,
    seed: int | None,
    form: Literal["text", "json", "csv"],
) -> None:
    """Print the exact return of each side wager of PROFILE, and the computed edge of the main game.

    Both use the code that settles live rounds. PROFILE is a name or a TOML file.

    Exit status: 0 printed, 2 the profile cannot be used, a side wager cannot be counted, or an option does not apply.
    """
    from msgspec.structs import replace

    from controller.core.analysis.par import ParError, par_of
    from controller.reports.par_report import MainComputation, ParReport, SideBetPar, as_csv, as_json, as_text

    refuse_useless(main=not bets or MAIN in bets, simulate=simulate, rounds=rounds, seed=seed)
    rules = loaded(profile).rules
    rules = rules if decks is None else replace(rules, decks=decks)
    wanted = bets or (*rules.side_bets, MAIN)
    try:
        counted = tuple(SideBetPar(name, remark(rules, name), par_of(rules, name)) for name in wanted if name != MAIN)
    except ParError as error:
        say(f"tableside: {error}", err=True)
        sys.exit(2)
    check = simulated(rules, rounds or ROUNDS, SEED if seed is None else seed) if simulate else None
    main = MainComputation(edge_of(rules), check) if MAIN in wanted else None
    writers = {"text": as_text, "json": as_json, "csv": as_csv}
    say_text(writers[form](ParReport(rules.name, rules.decks, counted, main)), nl=form == "json")


def refuse_useless(*, main: bool, simulate: bool, rounds: int | None, seed: int | None) -> None:
    """End with one line where an option would have no effect."""
    text = ""
    if simulate and not main:
        text = f"--simulate deals rounds of the main game; add --bet {MAIN}"
    elif not simulate and (rounds is not None or seed is not None):
        text = f"{'--seed' if rounds is None else '--rounds'} is for --simulate; the edge itself is computed"
    if text:
        say(f"tableside: {text}", err=True)
        sys.exit(2)


def simulated(rules: Rules, rounds: int, seed: int) -> MainSimulation:
    """Rounds of one box, each from a shoe of its own."""
    from controller.core.analysis.simulated_edge import simulate as dealt
    from controller.reports.par_report import MainSimulation

    shoe = Shuffler(rules.decks, seed)
    numbers = itertools.count(1)
    with progress("rounds dealt") as done:

        def deal() -> Sequence[Card]:
            done(next(numbers), rounds)
            return shoe()

        return MainSimulation(seed, dealt(rules, deal, rounds))


def remark(rules: Rules, name: str) -> str:
    """Why a table with these rules does not offer a side wager; empty: it does."""
    from controller.core.analysis.scripted_account import refused_side_bet
    from controller.core.game.side_bet import find, terms_of

    if find(name).placed == "after_deal" and name in rules.side_bets:
        return ""
    refused = refused_side_bet(rules, name, terms_of(rules, name).stake_cents)
    return "" if refused is None else refused.sentence


class Shuffler:
    """A full shoe shuffled anew for each round; equal seeds deal equal rounds."""

    def __init__(self, decks: int, seed: int) -> None:
        import random

        from firmware_protocols.cards import DECK

        self._shoe = DECK * decks
        self._chance = random.Random(seed)  # noqa: S311 - a simulated shoe; the same seed must deal the same cards

    def __call__(self) -> Sequence[Card]:
        """The first cards of the next shoe; a single deck gives all it has."""
        from controller.core.analysis.simulated_edge import ROUND_CARDS

        return self._chance.sample(self._shoe, min(ROUND_CARDS, len(self._shoe)))
