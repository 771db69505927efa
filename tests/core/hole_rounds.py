"""Rounds of simulated people in which something is wrong with the deal, and the hole card is any card.

What is physically the hole card, and when the dealer's hand turns it, the people's script says and not the table: of
two runs that differ in nothing but the hole card's face, every byte that leaves the table must be the same until then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from random import Random
from typing import Final, NamedTuple

from msgspec.structs import replace

from controller.core.messages.events import CardOpened
from controller.io.files import profile_files
from firmware_protocols.cards import DECK, Card
from firmware_protocols.readings import CardDrawn
from simulators.people.acts import Act, Draw, Lay, Pause, Press, RoundPlayed, by_round
from simulators.people.dealer import play
from simulators.people.house import house_from
from simulators.people.rack import Rack
from simulators.people.simulated_table import KEY_BURN, KEY_HOLE_TURNED, KEY_NO_MORE_BETS, MAIN, StandKey
from tests.core.hole_doings import DOINGS, Doing, propose, propose_and_approve, propose_and_withdraw, restart
from tests.core.hole_rig import CHIP, MORE_CHIPS, HoleRig, rig_for
from tests.core.rig import SPOTS

PROFILES: Final = profile_files.names()

RANKS: Final = tuple(
    Card(face) for face in ("Ah", "2d", "3c", "4s", "5h", "6d", "7c", "8s", "9h", "Td", "Jc", "Qh", "Ks")
)
"""A face of every rank, of every suit."""


class Script(NamedTuple):
    """What people do from the lock of a round until its hole card is physically turned."""

    acts: tuple[Act, ...]
    hole: int
    """Where the hole card is drawn."""
    boxes: tuple[int, ...]
    before: tuple[Act, ...] = ()
    """What they did before that: the rounds before, and the bets."""


def script_of(profile: str, seed: int, stand_key: StandKey, boxes: tuple[int, int], *, keyed: bool = True) -> Script:
    """The third round of people at a table; not ``keyed``: the dealer's key says nothing of the turn."""
    house = house_from(profile_files.raw(profile))
    first, second, (*whole, truth) = by_round(play(house, Random(seed), Rack(), boxes, rounds=3, stand_key=stand_key))
    assert isinstance(truth, RoundPlayed)
    lock = next(at for at, act in enumerate(whole) if is_key(act, KEY_NO_MORE_BETS))
    turn = next(at for at, act in enumerate(whole) if is_key(act, KEY_HOLE_TURNED))
    round_acts = whole[lock:turn]
    draws = [at for at, act in enumerate(round_acts) if isinstance(act, Draw)]
    spots = tuple(sorted(int(spot) for spot in truth.hands))
    before = (*first, *second, *whole[:lock])
    if not keyed:
        before = tuple(act for act in before if not is_key(act, KEY_HOLE_TURNED))
    return Script(tuple(round_acts), draws[2 * len(spots) + 1], spots, before)


def is_key(act: Act, key: str) -> bool:
    return isinstance(act, Press) and act.key == key


def insert(script: Script, at: int, *acts: Act) -> Script:
    """The script with acts put in before the act at a place."""
    hole = script.hole + (len(acts) if at <= script.hole else 0)
    return script._replace(acts=(*script.acts[:at], *acts, *script.acts[at:]), hole=hole)


def first_card(script: Script) -> int:
    """Where the first card is drawn, with the pause before it."""
    return next(at for at, act in enumerate(script.acts) if isinstance(act, Draw)) - 1


def card_within(script: Script, rng: Random) -> int:
    """Where some card of the deal is drawn that is not the hole card."""
    return rng.choice([at for at, act in enumerate(script.acts[: script.hole]) if isinstance(act, Draw)])


def honest(script: Script, rng: Random) -> Script:
    return script


def chip_on_undealt_box(script: Script, rng: Random) -> Script:
    free = [spot for spot in SPOTS if spot not in script.boxes]
    if not free:
        return script
    return script._replace(before=(*script.before, Pause(700), Lay(rng.choice(free), MAIN, (CHIP,)), Pause(1500)))


def chips_on_undealt_boxes(script: Script, rng: Random) -> Script:
    free = [spot for spot in SPOTS if spot not in script.boxes]
    thrown = zip(rng.sample(free, len(free)), MORE_CHIPS, strict=False)
    laid = (act for spot, chip in thrown for act in (Pause(700), Lay(spot, MAIN, (chip,))))
    return script._replace(before=(*script.before, *laid, Pause(1500)))


def chip_handed_back(script: Script, rng: Random) -> Script:
    thrown = chip_on_undealt_box(script, rng)
    spot = next((act.spot for act in reversed(thrown.before) if isinstance(act, Lay) and act.chips == (CHIP,)), 0)
    return insert(thrown, card_within(thrown, rng), Lay(spot, MAIN, ()), Pause(200)) if spot else script


def unannounced_burn(script: Script, rng: Random) -> Script:
    return insert(script, first_card(script), Pause(450), Draw(rng.choice(DECK)))


def card_read_twice(script: Script, rng: Random) -> Script:
    at = card_within(script, rng)
    return insert(script, at + 1, Pause(120), script.acts[at])


def card_missed(script: Script, rng: Random) -> Script:
    at = card_within(script, rng)
    return script._replace(acts=(*script.acts[:at], *script.acts[at + 1 :]), hole=script.hole - 1)


def box_without_chips(script: Script, rng: Random) -> Script:
    if len(script.boxes) < 2:
        return script
    spot = rng.choice(script.boxes)

    def without(acts: Iterable[Act]) -> Iterator[Act]:
        # As many acts as before: the places stay.
        for act in acts:
            yield Pause(0) if isinstance(act, Lay) and act.spot == spot else act

    return script._replace(acts=tuple(without(script.acts)), before=tuple(without(script.before)))


def burn_in_vain(script: Script, rng: Random) -> Script:
    return insert(script, first_card(script), Press(KEY_BURN), Pause(300))


IRREGULARITIES: Final[dict[str, Callable[[Script, Random], Script]]] = {
    "honest": honest,
    "a chip on a box that is not dealt to": chip_on_undealt_box,
    "such a chip handed back in the deal": chip_handed_back,
    "chips on boxes that are not dealt to": chips_on_undealt_boxes,
    "an unannounced burn": unannounced_burn,
    "a card read twice": card_read_twice,
    "a card missed": card_missed,
    "a box without chips": box_without_chips,
    "burn pressed in vain": burn_in_vain,
}

# --- what a player may do about it ------------------------------------------------------------------


def draw_at_once(script: Script, rng: Random, cards: int) -> Script:
    """A player draws as soon as the deal is done, faster than any dealer waits and slower than any deals."""
    acts = (act for _ in range(cards) for act in (Pause(rng.randrange(750, 1250)), Draw(rng.choice(DECK))))
    return insert(script, script.hole + 1, *acts)


def draw_in_rhythm(script: Script, rng: Random) -> Script:
    """A player draws as fast as the dealer deals."""
    return insert(script, script.hole + 1, Pause(450), Draw(rng.choice(DECK)))


DRAWS: Final[dict[str, Callable[[Script, Random], Script]]] = {
    "a card drawn at once": partial(draw_at_once, cards=1),
    "two cards drawn at once": partial(draw_at_once, cards=2),
    "a card drawn in the dealer's rhythm": draw_in_rhythm,
}


class Case(NamedTuple):
    """A round, what is wrong with its deal, and what somebody does at which moment before the turn.

    Two irregularities are written with an "and" between them, what a player does about them too.
    """

    profile: str
    irregularity: str
    doings: tuple[str, ...]
    seed: int
    stand_key: StandKey = "always"
    turn_key: str = "always"
    boxes: tuple[int, int] = (1, 3)


def assert_secret(case: Case, faces: Iterable[Card] = RANKS) -> None:
    """Play the round with each face in the hole; nothing that leaves before the dealer turns it may differ."""
    rng = Random(case.seed)
    script = script_of(case.profile, case.seed, case.stand_key, case.boxes, keyed=case.turn_key == "always")
    for irregularity in case.irregularity.split(" and "):
        script = (IRREGULARITIES | DRAWS)[irregularity](script, rng)
    moments = sorted(rng.randrange(len(script.acts) + 1) for _ in case.doings)
    doings = [Done(at, DOINGS[name], rng.randrange(1 << 30)) for at, name in zip(moments, case.doings, strict=True)]
    rig = rig_for(case.profile, case.stand_key, case.turn_key, case.seed)
    if any(done.doing in (propose, propose_and_approve, propose_and_withdraw) for done in doings):
        rig.house = replace(rig.house, two_persons=True)
        restart(rig, rng)
    rig.perform(script.before)
    carry_out(rig, script.acts[: script.hole], doings, 0)
    carry_out(rig, (), doings, script.hole)
    draw = script.acts[script.hole]
    assert isinstance(draw, Draw)
    rig.is_deaf = False
    first: list[bytes] | None = None
    for face in faces:
        run = rig.fork()
        run.emitted, run.events = [], []
        run.perform([replace(draw, card=face)])
        hole = next(one.number for one in reversed(run.stamped) if isinstance(one.input, CardDrawn))
        later = [one for one in doings if one.at > script.hole]
        carry_out(run, script.acts[script.hole + 1 :], later, script.hole + 1)
        carry_out(run, (), later, len(script.acts))
        opened = [event for event in run.events if isinstance(event, CardOpened) and event.card == hole]
        assert not opened, (case, face)
        first = run.emitted if first is None else first
        assert run.emitted == first, (case, face)


class Done(NamedTuple):
    """What somebody does before the act at a place."""

    at: int
    doing: Doing
    seed: int


def carry_out(rig: HoleRig, acts: tuple[Act, ...], doings: list[Done], first: int) -> None:
    """People's acts, the first of them at place ``first``, with what somebody does between; all there is at the end."""
    for at, one in enumerate((*acts, None), start=first):
        if one is None and acts:
            return
        for done in doings:
            if done.at == at:
                done.doing(rig, Random(done.seed))
        if one is not None:
            rig.perform([one])
