"""One block of a truth campaign: some hundred rounds at one table, and what came of each wager."""

from __future__ import annotations

import csv
import io
import random
import signal
from collections import Counter
from math import log10
from types import FrameType
from typing import Any, Final, NamedTuple

from bench.shoe_lines import LineRig
from bench.truth import TimedRig
from controller.core.alerts import (
    CardsMayBeMissing,
    LateWager,
    Pinched,
    RoundIrregular,
    UnexplainedChange,
    UnreadCard,
)
from controller.core.events import (
    QuestionAsked,
    RoundClosed,
    WagerSettled,
)
from controller.core.game_alerts import AlertRaised
from controller.core.inputs import Stamped
from controller.core.keypad import DIGITS, EVIDENCE
from controller.io import profile_files
from firmware_protocols import readings
from simulators.acts import RoundPlayed
from simulators.dealer import play
from simulators.house import house_from
from simulators.rack import Rack
from tests.oracle.oracle import readings as all_readings

PROFILES: Final = ("hollywood-penn-national", "hollywood-perryville", "borgata", "classic-shoe-and-pitch", "pitch-h17")
FLAGS: Final = (
    AlertRaised,
    CardsMayBeMissing,
    LateWager,
    Pinched,
    RoundIrregular,
    UnexplainedChange,
    UnreadCard,
)
"""What says of a round that something about it is wrong. Rubbish on a line alone does not."""

ORACLE_SECONDS: Final = 120
"""Processor time the oracle may take for one round."""

CLOSES: Final = 4
"""How often a dealer presses *round closed* before the round counts as wedged."""


class Block(NamedTuple):
    """A block. ``shoe``: ``ideal``, or the line its cards come over."""

    number: int
    seed: int
    rounds: int
    boxes: int
    keypad: str
    shoe: str


class Tally:
    """What came of the rounds of a block."""

    def __init__(self) -> None:
        self.truth: dict[tuple[int, int, str], tuple[int, int]] = {}
        self.said: dict[tuple[int, int, str], tuple[int, int]] = {}
        self.basis: dict[tuple[int, int, str], str] = {}
        self.flags: dict[int, Counter[str]] = {}
        self.asked: dict[int, set[int]] = {}
        self.outcomes: dict[int, str] = {}
        self.lines: dict[int, list[dict[str, Any]]] = {}
        self.stuck = 0


def rig_of(block: Block, conditions: dict[str, Any], profile: Any, chips: dict[str, int]) -> TimedRig:  # noqa: ANN401
    """The table of a block."""
    if block.shoe == "ideal":
        rig = TimedRig(profile.rules, chips, block.seed, sharp=False)
    else:
        rig = LineRig(profile.rules, chips, block.seed, block.shoe, conditions)
    rig.last_look_ms, rig.told_ms = conditions["readers"]["last_look_ms"], tuple(conditions["readers"]["told_ms"])
    return rig


def played(block: Block, conditions: dict[str, Any]) -> dict[str, Any]:
    """Play a block."""
    name = PROFILES[block.number // 21 % len(PROFILES)]
    profile = profile_files.load(name, {"stand_key": "always" if block.keypad == "always" else "sometimes"})
    rack = Rack()
    chips = {row["id"]: int(row["value_cents"]) for row in csv.DictReader(io.StringIO(rack.registry_csv()))}
    rig = rig_of(block, conditions, profile, chips)
    people, house = conditions["people"], house_from(profile_files.raw(name))
    # Some layouts have six boxes.
    block = block._replace(boxes=min(block.boxes, house.boxes))
    acts = play(
        house,
        random.Random(block.seed),
        rack,
        (block.boxes, block.boxes),
        people["decks"],
        rounds=block.rounds,
        stand_key=block.keypad,  # type: ignore[arg-type]
        hit_key_per_mille=people["hit_key_per_mille"],
        whims_per_mille=people["whims_per_mille"],
    )
    tally = Tally()
    for act in acts:
        told = rig.perform([act])
        take(tally, rig)
        for one in told:
            end_round(tally, rig, one)
    return told_of(block, name, tally, rig)


def take(tally: Tally, rig: TimedRig) -> None:
    """What the table has said since."""
    for event in rig.events:
        match event:
            case WagerSettled():
                key = event.round, event.spot, event.bet
                tally.said[key], tally.basis[key] = (event.wager_cents, event.due_cents), str(event.basis)
            case QuestionAsked():
                tally.asked.setdefault(event.round, set()).add(event.question)
            case RoundClosed():
                tally.outcomes[event.round] = event.outcome
            case _ if isinstance(event, FLAGS):
                number = getattr(event, "round", 0) or rig.table.state.rounds
                kind = event.kind if isinstance(event, AlertRaised) else type(event).__name__
                tally.flags.setdefault(number, Counter())[str(kind)] += 1
            case _:
                pass
    rig.events = [event for event in rig.events if isinstance(event, QuestionAsked)][-3:]


def end_round(tally: Tally, rig: TimedRig, told: RoundPlayed) -> None:
    """The people are done: the truth, and the round's evidence."""
    number = rig.table.state.rounds
    for _ in range(CLOSES):
        if rig.table.state.round is None:
            break
        if isinstance(rig, LineRig):
            rig.answer_missing()
        rig.pass_ms(1000)
        rig.key("round_closed")
        take(tally, rig)
    else:
        tally.stuck += rig.table.state.round is not None
    for wager in told.wagers:
        tally.truth[number, wager.spot, wager.bet] = wager.wager_cents, wager.due_cents
    tally.lines[number] = evidence(rig.stamped, rig)
    rig.stamped.clear()


def evidence(stamped: list[Stamped], rig: TimedRig) -> list[dict[str, Any]]:
    """A round's readings as lines of evidence, from the last lock on; the header's profile is put in later."""
    keys = rig.house.keys
    locks = [
        at
        for at, one in enumerate(stamped)
        if isinstance(one.input, readings.KeyPressed) and keys.get(one.input.key) == "no_more_bets"
    ]
    felt: dict[tuple[int, str], int] = rig.content
    wagers: dict[str, dict[str, int]] = {}
    lines: list[dict[str, Any]] = []
    named = 0
    start = locks[-1] if locks else len(stamped)
    for at, one in enumerate(stamped):
        item = one.input
        if isinstance(item, readings.ChipsSeen):
            felt[item.spot, item.zone] = sum(rig.values.get(chip, 0) for chip in item.chips)
        if at == start:
            wagers = {str(spot): {"main": cents} for (spot, zone), cents in felt.items() if zone == "main" and cents}
        if at <= start:
            continue
        match item:
            case readings.CardDrawn(at_ns=at_ns, face=face):
                lines.append({"card": str(face or "??"), "t": at_ns / 1e9})
            case readings.ChipsSeen(spot=spot, zone=zone) if zone in {"main", "insurance"}:
                times = [item.after_ns / 1e9, item.by_ns / 1e9]
                lines.append({"spot": spot, "zone": zone, "cents": felt[spot, zone], "t": times})
            case readings.KeyPressed(at_ns=at_ns, key=key):
                meaning = keys.get(key, "")
                if meaning in DIGITS:
                    named = int(meaning)
                elif meaning in EVIDENCE:
                    lines.append({"key": meaning, "t": at_ns / 1e9} | ({"spot": named} if named else {}))
                    named = 0
            case _:
                pass
    return [{"options": {}, "wagers": wagers}, *lines, {"close": True}]


class TooLong(Exception):  # noqa: N818 - a limit
    """The oracle would take too long."""


def too_long(_number: int, _frame: FrameType | None) -> None:
    raise TooLong


def judged(lines: list[dict[str, Any]], profile: str, options: dict[str, Any]) -> str:
    """Whether a silent error's evidence is that of some legal round (``indistinguishable``) or ours (``mistake``)."""
    signal.signal(signal.SIGVTALRM, too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, ORACLE_SECONDS)
    try:
        answer = all_readings([lines[0] | {"profile": profile, "options": options}, *lines[1:]])
    except TooLong:
        return "oracle too slow"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return "indistinguishable" if answer.plays and not answer.dropped else "mistake"


def told_of(block: Block, profile: str, tally: Tally, rig: TimedRig) -> dict[str, Any]:
    """A block's result, as JSON has it."""
    wrong = {key for key, due in tally.truth.items() if key in tally.said and tally.said[key] != due}
    wrong |= {key for key in tally.said if key not in tally.truth and tally.said[key][1]}
    silent: Counter[str] = Counter()
    examples: list[dict[str, Any]] = []
    options = {"stand_key": "always"} if block.keypad == "always" else {}
    for number in sorted({key[0] for key in wrong if not tally.flags.get(key[0])}):
        kind = judged(tally.lines.get(number, []), profile, options) if number in tally.lines else "no evidence kept"
        silent[kind] += 1
        examples.append({"kind": kind, "block": block, "round": number, "lines": tally.lines.get(number)})
    rounds_on: Counter[str] = Counter()
    causes: Counter[str] = Counter()
    for number in tally.lines:
        keys = [key for key in tally.truth if key[0] == number]
        bases = {tally.basis.get(key, "open") for key in keys}
        rounds_on["evidence" if bases <= {"evidence"} else "other"] += 1
        if not bases <= {"evidence"}:
            causes[cause(tally, number)] += 1
    micros = Counter(int(20 * log10(max(one, 1))) for one in rig.micros)
    flagged: Counter[str] = Counter(kind for flags in tally.flags.values() for kind in flags)
    return {
        **block._asdict(),
        "profile": profile,
        "wagers": len(tally.truth),
        "wrong": len({key[0] for key in wrong if tally.flags.get(key[0])}),
        "open": sum(key not in tally.said for key in tally.truth),
        "basis": Counter(tally.basis[key] for key in tally.truth if key in tally.basis),
        "rounds_on": rounds_on,
        "causes": causes,
        "questions": sum(map(len, tally.asked.values())),
        "asked": len(tally.asked),
        "over": sum(len(asked) > 1 for asked in tally.asked.values()),
        "readings": len(rig.micros),
        "micros": micros,
        "worst": max(rig.micros),
        "largest": rig.largest,
        "flagged": flagged,
        "silent": silent,
        "stuck": tally.stuck,
        "examples": examples[:3],
    }


def cause(tally: Tally, number: int) -> str:
    """Why a round was not settled on evidence alone, as far as its flags say."""
    if flags := tally.flags.get(number):
        return "flagged: " + ", ".join(sorted(flags))
    return overlap(tally.lines[number])


def overlap(lines: list[dict[str, Any]]) -> str:
    """Whether a change of main chips could lie on either side of a card or key."""
    moments = [line["t"] for line in lines if "card" in line or "key" in line]
    spans = [line["t"] for line in lines if line.get("zone") == "main"]
    if any(first <= moment <= last for first, last in spans for moment in moments):
        return "overlapping intervals"
    return "no key, no overlap"
