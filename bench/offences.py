"""Planted offences at human timing: how many are found of those that can be, and false alarms of honest rounds.

    .venv/bin/python -m bench.offences --count 1000 --clean 10000 --seed 1

After each planted round comes an honest one, and what is raised in either counts. *Findable* is what the evidence shows
to anybody: a change of chips that lasted until two looks of the reader agreed on it, and whose interval does not begin
before the lock where it is the lock that makes it an offence. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

from bench.house_offences import SETTINGS, Committed, Setting, ShoeLog
from bench.opening_offences import plant_openings
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from simulators.people.acts import Act, Draw, Lay, Pause, Press, by_round
from simulators.people.dealer import play
from simulators.people.offenders import OFFENCES, OWN_CHIPS, STOLEN, Contents, Script, carried_on
from simulators.people.rack import Rack
from simulators.people.simulated_table import KEY_NO_MORE_BETS
from tests.core.houses import chips_of
from tests.core.human import CYCLE_MS, Done, HumanRig

ANY_KIND = next(iter(OFFENCES))
"""Of a kind that is planted at the usual house."""

PAYMENTS = ("mispay", "losing", "winning")

SHOWN = ("mid_shoe_entry", "sensor_disagrees")
"""Offences that no reader can miss: what they rest on lies there for many looks, or is reported by somebody else."""

AFTER_THE_LOCK = {"past_posting", "capping", "pinching", "bet_touched"}
"""Offences that only the lock makes one of."""


@dataclass
class Found:
    """What became of the offences of one kind."""

    rounds: int = 0
    planted: int = 0
    findable: int = 0
    found: int = 0
    named: int = 0
    others: Counter[str] = field(default_factory=Counter)

    def counts(self) -> dict[str, object]:
        return {
            "rounds": self.rounds,
            "planted": self.planted,
            "findable": self.findable,
            "found": self.found,
            "found_of_findable": round(self.found / self.findable, 4) if self.findable else None,
            "named_exactly": self.named,
            "raised_beside": dict(self.others),
        }


def rig_of(seed: int, cycle_ms: int, setting: Setting, *, single_looks: bool = True) -> tuple[HumanRig, Rack]:
    """A table and its people's chips; ``single_looks``: as ``HumanRig`` has it."""
    rack = Rack()
    chips = {**chips_of(rack), **{chip: value for value, chip in OWN_CHIPS.items()}, STOLEN: 2500}
    rig = HumanRig(setting.rules, chips, seed, cycle_ms)
    rig.single_looks = single_looks
    rig.change_house(elsewhere={STOLEN: "vault"}, sensors=dict(setting.sensors), shoe_claims_checked=True)
    return rig, rack


def rounds_of(rack: Rack, seed: int, boxes: tuple[int, int], setting: Setting) -> Iterator[list[Act]]:
    """Honest rounds without end, each with its truth at the end."""
    acts = play(setting.dealer, Random(seed), rack, boxes, stand_key="always", fumbles_per_mille=60, touching=False)
    return by_round(acts)


def raised(rig: HumanRig) -> list[AlertRaised]:
    """The alerts since the last time, and forget everything published."""
    found = [event for event in rig.events if isinstance(event, AlertRaised)]
    rig.events.clear()
    rig.stamped.clear()
    return found


def after(contents: Contents, acts: Sequence[Done]) -> Contents:
    laid = {(act.spot, act.zone): act.chips for act in acts if isinstance(act, Lay)}
    return {**contents, **laid}


@dataclass
class Timed:
    """When an offence was done, and when the bets of its round were locked."""

    done_ns: int = 0
    locked_ns: int = 0
    lay: tuple[str, ...] = ()
    """What lay at its place when the round began."""


def perform(rig: HumanRig, planted: Committed) -> Timed:
    """Carry out a round with an offence."""
    timed = Timed()
    for at, act in enumerate(planted.acts):
        rig.perform([act])
        if at == planted.at:
            timed.done_ns = rig.now_ns
        if isinstance(act, Press) and act.key == KEY_NO_MORE_BETS and not timed.locked_ns:
            timed.locked_ns = rig.now_ns
    return timed


def is_findable(rig: HumanRig, kind: str, planted: Committed, timed: Timed) -> bool:
    """Whether what was reported of the chips shows the offence to anybody."""
    if kind.startswith(PAYMENTS):
        return not changed_late(rig, planted, timed.lay)
    if planted.zone == "" or kind.startswith(SHOWN):
        return True
    shown = [
        (first_ns, last_ns)
        for place, first_ns, last_ns in rig.seen
        if place == (planted.spot, planted.zone) and first_ns <= timed.done_ns <= last_ns
    ]
    return any(kind not in AFTER_THE_LOCK or first_ns > timed.locked_ns for first_ns, _ in shown)


def changed_late(rig: HumanRig, planted: Committed, lay: tuple[str, ...]) -> bool:
    """Whether all chips of a zone were changed for others of the same value once no card was to come.

    Those that came may have been the payment and those that went the wager, or the other way round: nobody can tell.
    """
    cards = max(at for at, act in enumerate(planted.acts) if isinstance(act, Draw))
    place = (planted.spot, planted.zone)
    acts = enumerate(planted.acts)
    here = [(at, act.chips) for at, act in acts if isinstance(act, Lay) and (act.spot, act.zone) == place]
    before = [lay, *(chips for at, chips in here if at < cards)][-1]
    return any(
        one and set(one).isdisjoint(other) and cents_of(rig, one) == cents_of(rig, other)
        for one, other in pairwise([before, *(chips for at, chips in here if at > cards)])
    )


def cents_of(rig: HumanRig, chips: tuple[str, ...]) -> int:
    return sum(rig.values[chip] for chip in chips)


def expected(kind: str) -> set[AlertKind]:
    """The kinds that say what happened; of a dealer's slip also that no play explains the round.

    Chips that are laid in the last moment before the lock are first seen after it.
    """
    name = AlertKind(kind.partition(":")[0])
    match name:
        case AlertKind.DEALER_AGAINST_RULE:
            return {name, AlertKind.ROUND_IRREGULAR, AlertKind.CARD_OUT_OF_TURN}
        case AlertKind.WAGER_OUTSIDE_LIMITS:
            return {name, AlertKind.CAPPING}
        case AlertKind.SIDE_BET_REFUSED:
            return {name, AlertKind.PAST_POSTING}
        case _:
            return {name}


def plant(
    kind: str,
    most: int,
    seed: int,
    cycle_ms: int = CYCLE_MS,
    most_rounds: int = 60_000,
    *,
    single_looks: bool = True,
) -> Found:
    """Plant up to ``most`` offences of a kind."""
    setting = SETTINGS[kind]
    rig, rack = rig_of(seed, cycle_ms, setting, single_looks=single_looks)
    chance, found, contents, log = Random(seed + 1), Found(), Contents(), ShoeLog(setting.dealer.decks)
    rounds = rounds_of(rack, seed, (2, 4), setting)
    for acts in rounds:
        if found.planted >= most or found.rounds >= most_rounds:
            break
        script = Script(acts, contents)
        planted = setting.offence(script, chance, log)
        found.rounds += 1
        contents = after(contents, acts)
        log.observe(acts)
        if planted is None:
            rig.perform(acts)
            found.others.update(f"honest: {alert.kind}" for alert in raised(rig))
            continue
        place = (planted.spot, planted.zone)
        timed = perform(rig, planted)
        timed.lay = script.before.get(place, ())
        next_acts = next(rounds)
        forgotten = script.content(place, planted.at) if kind == "losing_bet_left" else ()
        rig.perform(carried_on(next_acts, place, forgotten) if forgotten else next_acts)
        contents = after(contents, next_acts)
        log.observe(next_acts)
        if forgotten:
            rig.perform([Pause(1500), Lay(*place, contents.get(place, ())), Pause(1500)])
        judge(found, rig, kind, planted, timed)
        found.rounds += 1
        rig.seen.clear()
    return found


def judge(found: Found, rig: HumanRig, kind: str, planted: Committed, timed: Timed) -> None:
    """Count one offence."""
    wanted = expected(kind)
    alerts = raised(rig)
    own = [
        one
        for one in alerts
        if one.kind in wanted and (not planted.spot or kind == "duplicated_chip" or one.spot == planted.spot)
    ]
    found.planted += 1
    found.findable += is_findable(rig, kind, planted, timed)
    found.found += bool(own)
    found.named += any(one.kind == kind.partition(":")[0] for one in own)
    found.others.update(str(one.kind.value) for one in alerts if one not in own)


def clean(
    rounds: int, seed: int, cycle_ms: int = CYCLE_MS, kind: str = ANY_KIND, *, single_looks: bool = True
) -> dict[str, object]:
    """Honest rounds at the house of a kind of offence: what is raised all the same."""
    setting = SETTINGS[kind]
    rig, rack = rig_of(seed, cycle_ms, setting, single_looks=single_looks)
    chance, log = Random(seed + 1), ShoeLog(setting.dealer.decks)
    counted: Counter[str] = Counter()
    texts: list[str] = []
    for number, acts in enumerate(rounds_of(rack, seed, (1, 7), setting), start=1):
        rig.perform(setting.habit(acts, chance, log))
        log.observe(acts)
        for alert in raised(rig):
            counted[alert.kind.value] += 1
            texts.append(f"round {number}: {alert.text}")
        rig.seen.clear()
        if number == rounds:
            break
    return {"rounds": rounds, "false_alarms": dict(counted), "first": texts[:5]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="offences of each kind")
    parser.add_argument("--clean", type=int, default=10_000, help="honest rounds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cycle-ms", type=int, default=CYCLE_MS, help="between two looks at a zone")
    parser.add_argument("--kind", action="append", choices=list(SETTINGS), help="only this kind; may be repeated")
    parser.add_argument(
        "--paired-looks",
        action="store_true",
        help="tell a change between as many looks as readers that want two to agree",
    )
    given = parser.parse_args()
    gc.freeze()
    single = not given.paired_looks
    results: dict[str, object] = {"cycle_ms": given.cycle_ms, "seed": given.seed, "single_looks": single}
    if given.clean:
        results["clean"] = clean(given.clean, given.seed, given.cycle_ms, single_looks=single)
        print(json.dumps(results["clean"]), file=sys.stderr, flush=True)
    for kind in given.kind or list(SETTINGS):
        if given.clean and kind not in OFFENCES and not SETTINGS[kind].unasked:
            results[f"clean: {kind}"] = clean(given.clean // 10, given.seed, given.cycle_ms, kind, single_looks=single)
            print(kind, json.dumps(results[f"clean: {kind}"]), file=sys.stderr, flush=True)
        if given.count:
            results[kind] = plant(kind, given.count, given.seed, given.cycle_ms, single_looks=single).counts()
            print(kind, json.dumps(results[kind]), file=sys.stderr, flush=True)
    if given.count and not given.kind:
        rig, rack = rig_of(given.seed, given.cycle_ms, SETTINGS[ANY_KIND], single_looks=single)
        rounds = rounds_of(rack, given.seed, (2, 4), SETTINGS[ANY_KIND])
        results["commitment_wrong"] = plant_openings(rig, rounds, given.count, given.seed)
        print("commitment_wrong", json.dumps(results["commitment_wrong"]), file=sys.stderr, flush=True)
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
