"""The five rule sets twice: as the table is given them, and as the simulated dealer reads them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from msgspec.structs import replace

from controller.core.game.rules import Options, Rules
from simulators.people.acts import RoundPlayed
from simulators.people.dealer import play
from simulators.people.house import House
from simulators.people.rack import Rack
from simulators.people.simulated_table import StandKey
from tests.core.rig import Rig

RULES: Final[dict[str, Rules]] = {
    "hollywood-penn-national": Rules(
        name="hollywood-penn-national", max_hands=3, surrender="late", insurance_until="card"
    ),
    "hollywood-perryville": Rules(
        name="hollywood-perryville", insurance_cap="half_up_to_next_chip", insurance_until="card"
    ),
    "borgata": Rules(name="borgata", even_money=True, surrender_turn="own"),
    "classic-shoe-and-pitch": Rules(name="classic-shoe-and-pitch", resplit_aces=True, double_on="any"),
    "pitch-h17": Rules(name="pitch-h17", soft_17="hit", split_by="rank", double_on="nine_to_eleven"),
}

DEALERS: Final[dict[str, House]] = {
    "hollywood-penn-national": House(),
    "hollywood-perryville": House(max_hands=4, surrender="none", insurance_cap="half_up_to_next_chip"),
    "borgata": House(max_hands=4, surrender="none", surrender_turn="own", even_money=True),
    "classic-shoe-and-pitch": House(max_hands=4, resplit_aces=True, double_on="any", surrender="none"),
    "pitch-h17": House(soft_17="hit", max_hands=4, split_by="rank", double_on="nine_to_eleven", surrender="none"),
}

HABITS: Final[tuple[StandKey, ...]] = ("always", "sometimes", "never")


def rules_of(name: str, **options: Any) -> Rules:
    """The rules of a profile, with table options."""
    return replace(RULES[name], options=Options(**options))


def chips_of(rack: Rack) -> dict[str, int]:
    """The value in cents of each chip of a rack."""
    lines = rack.registry_csv().splitlines()[1:]
    return {chip: int(cents) for chip, cents in (line.split(",") for line in lines)}


def simulated(
    name: str,
    seed: int,
    rounds: int,
    stand_key: StandKey,
    *,
    make: Callable[[Rules, dict[str, int]], Rig] = Rig,
    **habits: Any,
) -> tuple[Rig, list[RoundPlayed]]:
    """Rounds of simulated people at a table with these rules, and what truly happened."""
    rack = Rack()
    rules = rules_of(name, stand_key="always" if stand_key == "always" else "sometimes")
    rig = make(rules, chips_of(rack))
    acts = play(DEALERS[name], Random(seed), rack, rounds=rounds, stand_key=stand_key, **habits)
    return rig, rig.perform(acts)
