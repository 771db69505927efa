"""Rounds after a card was burned, where a hole card is dealt and where none is, and the burned card is any card.

A burned card lies face down until the shoe is over: of two runs that differ in nothing but its face, every byte that
leaves the table must be the same for as long as the shoe goes on.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any, Final, NamedTuple

from controller.core.messages.events import CardOpened
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn
from simulators.people.acts import Act, Draw, Pause, Press, RoundPlayed, by_round
from simulators.people.dealer import play
from simulators.people.house import House, house_from
from simulators.people.rack import Rack
from simulators.people.simulated_table import KEY_BURN, KEY_HOLE_TURNED, KEY_NO_MORE_BETS, StandKey
from tests.core.hole_doings import DOINGS
from tests.core.hole_rig import HoleRig, rig_for
from tests.core.hole_rounds import DRAWS, IRREGULARITIES, PROFILES, RANKS, Done, Script, carry_out, is_key

HOLE_CARDS: Final = ("dealt", "none")

WRONG: Final = tuple(IRREGULARITIES)
"""What may be wrong with a deal; the shoe goes on, also where *burn* is pressed in vain."""

MEANWHILE: Final = tuple(DOINGS)
"""What people may do while it goes on; that a new one is in use may be said in vain."""


class Burned(NamedTuple):
    """Two rounds after a burn, what is wrong with the first one's deal, and what somebody does at which moment."""

    profile: str
    hole_card: str
    irregularity: str = "honest"
    doings: tuple[str, ...] = ()
    seed: int = 1
    stand_key: StandKey = "always"
    turn_key: str = "always"
    boxes: tuple[int, int] = (1, 3)


def house_of(profile: str, hole_card: str) -> House:
    """The house of the profile's people, with or without a hole card."""
    raw: dict[str, Any] = dict(profile_files.raw(profile))
    if hole_card == "none":
        raw["rules"] = {**raw["rules"], "hole_card": "none", "hole_check": "none"}
    return house_from(raw)


def rig_of(case: Burned) -> HoleRig:
    """A table of that house."""
    if case.hole_card == "dealt":
        return rig_for(case.profile, case.stand_key, case.turn_key, case.seed)
    return rig_for(case.profile, case.stand_key, "", case.seed, hole_card="none", hole_check="none")


def script_of(case: Burned) -> tuple[list[Act], Script]:
    """Two rounds, and then the script of two more, the first of them from its lock on."""
    house = house_of(case.profile, case.hole_card)
    acts: Iterable[Act] = play(house, Random(case.seed), Rack(), case.boxes, rounds=4, stand_key=case.stand_key)
    if case.hole_card == "none" or case.turn_key == "sometimes":
        acts = (act for act in acts if not is_key(act, KEY_HOLE_TURNED))
    first, second, third, fourth = by_round(acts)
    truth, rest = third[-1], [*third, *fourth]
    lock = next(at for at, act in enumerate(rest) if is_key(act, KEY_NO_MORE_BETS))
    assert isinstance(truth, RoundPlayed)
    spots = tuple(sorted(int(spot) for spot in truth.hands))
    draws = [at for at, act in enumerate(rest[lock:]) if isinstance(act, Draw)]
    deal = draws[2 * len(spots)] + 1
    return [*first, *second], Script(tuple(rest[lock:]), deal, spots, tuple(rest[:lock]))


def assert_closed(case: Burned, faces: Iterable[Card] = RANKS, *, announced: bool = True) -> None:
    """Play on after each face was burned; nothing that leaves the table may differ.

    Not ``announced``: nobody pressed *burn*, and the card is the first after the lock, as of a deal.
    """
    rng = Random(case.seed)
    before, script = script_of(case)
    for irregularity in case.irregularity.split(" and "):
        script = (IRREGULARITIES | DRAWS)[irregularity](script, rng)
    moments = sorted(rng.randrange(len(script.acts) + 1) for _ in case.doings)
    doings = [Done(at, DOINGS[name], rng.randrange(1 << 30)) for at, name in zip(moments, case.doings, strict=True)]
    rig = rig_of(case)
    rig.perform([*before, Pause(500), *([Press(KEY_BURN)] if announced else []), Pause(300)])
    if not announced:
        rig.perform([*script.before, script.acts[0]])
        script = script._replace(before=(), acts=script.acts[1:])
    first: list[bytes] | None = None
    for face in faces:
        run = rig.fork()
        run.emitted, run.events = [], []
        run.perform([Draw(face)])
        burned = next(one.number for one in reversed(run.stamped) if isinstance(one.input, CardDrawn))
        run.perform(script.before)
        carry_out(run, script.acts, doings, 0)
        carry_out(run, (), doings, len(script.acts))
        assert not [event for event in run.events if isinstance(event, CardOpened) and event.card == burned], case
        first = run.emitted if first is None else first
        assert run.emitted == first, (case, face)


def random_case(rng: Random) -> Burned:
    """A case."""
    irregularity = rng.choice(WRONG)
    if rng.randrange(3) == 0:
        irregularity = f"{irregularity} and {rng.choice(list(DRAWS))}"
    doings = tuple(rng.choice(MEANWHILE) for _ in range(rng.randrange(3)))
    habit: StandKey = rng.choice(("always", "sometimes", "never"))
    boxes = rng.choice(((1, 1), (1, 2), (2, 4)))
    turn_key = rng.choice(("always", "sometimes"))
    return Burned(
        rng.choice(PROFILES),
        rng.choice(HOLE_CARDS),
        irregularity,
        doings,
        rng.randrange(1 << 30),
        habit,
        turn_key,
        boxes,
    )
