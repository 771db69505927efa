"""One block of a truth campaign: some hundred rounds at one table, and what came of each wager."""

from __future__ import annotations

import csv
import io
import random
from collections import Counter
from math import log10
from typing import Any, Final, NamedTuple

from bench.shoe_lines import LineRig
from bench.truth import TimedRig
from bench.truth_evidence import Evidence, Key, Settled, cause, evidence, explained, headed, judged
from controller.core.messages.alerts import (
    AssistanceRequested,
    BetDecreasedAfterLock,
    BetIncreasedAfterLock,
    CardsMayBeMissing,
    CardUnreadable,
    ChipsUnexplained,
    RoundIrregular,
    SettlementDisputed,
)
from controller.core.messages.events import CardBurned, CardDrawn, QuestionAsked, RoundClosed, WagerSettled
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.core.meters.meter import UNITS, Parameters
from controller.core.meters.state import MeterTerms
from controller.core.table.keymap import DEFAULT_KEYS
from controller.io.files import profile_files
from controller.io.files.table_file import guarding
from simulators.people.acts import Draw, Press, RoundPlayed
from simulators.people.dealer import play
from simulators.people.deck import LoadedShoe
from simulators.people.house import house_from
from simulators.people.progressive_bets import SevensMeter
from simulators.people.rack import Rack
from simulators.people.side_bettors import SEVENS, STAKES_CENTS, SideBetHabits, with_side_bets
from simulators.people.simulated_table import KEY_NO_MORE_BETS

PROFILES: Final = ("hollywood-penn-national", "hollywood-perryville", "borgata", "classic-shoe-and-pitch", "pitch-h17")
FLAGS: Final = (
    AlertRaised,
    CardsMayBeMissing,
    AssistanceRequested,
    BetIncreasedAfterLock,
    BetDecreasedAfterLock,
    RoundIrregular,
    ChipsUnexplained,
    CardUnreadable,
)
"""What says of a round that something about it is wrong. Rubbish on a line alone does not."""

METER: Final = MeterTerms(
    "sevens",
    "rows",
    (SEVENS,),
    Parameters(base_cents=1_000_000, reset_cents=500_000, rate=(17, 100), unreasonable_cents=500),
)
"""What pays the rows of Blazing 7's that a meter pays. On a damaged line there is none: a card that is missed would
leave the people's meter and the table's apart for good. The must-hit-by meter is the trigger box's, not played for."""

Table = tuple[str, dict[str, Any]]
"""A profile and its options."""

LOCKED: Final = -1

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
        self.truth: dict[Key, tuple[int, int]] = {}
        self.settlements: dict[Key, tuple[int, int]] = {}
        self.basis: dict[Key, str] = {}
        self.at: dict[Key, int] = {}
        """The reading at which a wager was settled."""
        self.doubted: set[Key] = set()
        self.flags: dict[int, Counter[str]] = {}
        self.asked: dict[int, set[int]] = {}
        self.outcomes: dict[int, str] = {}
        self.lines: dict[int, Evidence] = {}
        self.round_of: dict[int, int] = {}
        """The round the table takes a card for, by the card's reading; 0: none."""
        self.burned: set[int] = set()
        self.held = 0
        """Wins that the aggregate limit has lowered."""
        self.stuck = 0
        self.played = 0
        """The round people play, as the table numbers it; ``LOCKED`` until its first card, 0 between rounds."""

    def settled(self, key: Key) -> Settled:
        """How a wager was settled."""
        return Settled(key, self.settlements[key][1], self.basis[key], self.at[key])

    def ended_by(self, key: Key) -> int:
        """The reading of the card that ended a wager's round before it was settled; 0: none did."""
        numbers = (number for number in self.lines[key[0]].numbers if number <= self.at[key])
        return next((number for number in numbers if self.round_of.get(number, key[0]) != key[0]), 0)


def rig_of(block: Block, conditions: dict[str, Any], profile: Any, chips: dict[str, int]) -> TimedRig:  # noqa: ANN401
    """The table of a block."""
    if block.shoe == "ideal":
        meters = (METER,) if SEVENS in profile.rules.side_bets else ()
        rig = TimedRig(profile.rules, chips, block.seed, sharp=False, meters=meters)
    else:
        rig = LineRig(profile.rules, chips, block.seed, block.shoe, conditions)
    rig.last_look_ms, rig.report_ms = conditions["readers"]["last_look_ms"], tuple(conditions["readers"]["report_ms"])
    return rig


def played(block: Block, conditions: dict[str, Any]) -> dict[str, Any]:
    """Play a block."""
    name = PROFILES[block.number // 21 % len(PROFILES)]
    options = options_of(block, name, conditions["house"])
    profile = profile_files.load(name, options)
    rack = Rack()
    chips = {row["id"]: int(row["value_cents"]) for row in csv.DictReader(io.StringIO(rack.registry_csv()))}
    rig = rig_of(block, conditions, profile, chips)
    people, house = conditions["people"], house_from(profile_files.raw(name))
    # Some layouts have six boxes.
    block = block._replace(boxes=min(block.boxes, house.boxes))
    chance = random.Random(block.seed)
    shoe = LoadedShoe(chance, house.decks)
    acts = play(
        house,
        chance,
        rack,
        (block.boxes, block.boxes),
        rounds=block.rounds,
        shoe=shoe,
        stand_key=block.keypad,  # type: ignore[arg-type]
        hit_key_per_mille=people["hit_key_per_mille"],
        whims_per_mille=people["whims_per_mille"],
        bust_bets_per_mille=people["side_bets_per_mille"],
    )
    bets = tuple(bet for bet in STAKES_CENTS if bet in profile.rules.side_bets)
    if bets:
        rates = people["side_bets_per_mille"], people["stacked_per_mille"]
        side_habits = SideBetHabits(bets, *rates, house.hole_card == "dealt", profile.rules.aggregate_limit_cents)
        acts = with_side_bets(
            acts, random.Random(~block.seed), rack, shoe, side_habits=side_habits, meter=people_meter()
        )
    tally = Tally()
    for act in acts:
        rounds = rig.perform([act])
        take(tally, rig)
        if act == Press(KEY_NO_MORE_BETS):
            tally.played = LOCKED
        elif isinstance(act, Draw) and tally.played == LOCKED and rig.table.state.round is not None:
            tally.played = rig.table.state.rounds
        for one in rounds:
            end_round(tally, rig, one)
    return block_result(block, (name, options), tally, rig)


def options_of(block: Block, profile: str, house: dict[str, Any]) -> dict[str, Any]:
    """The options of a block's table."""
    options: dict[str, Any] = {"stand_key": "always"} if block.keypad == "always" else {}
    if house["guarded"]:
        options = guarding(options, DEFAULT_KEYS)
    # A stream of its own: a block without a limit is what it was before there were any.
    limit_cents = random.Random(f"limit {block.seed}").choice(house["aggregate_limits_cents"])
    if limit_cents and profile_files.load(profile).rules.side_bets:
        options["aggregate_limit_cents"] = limit_cents
    return options


def people_meter() -> SevensMeter:
    """The sevens' meter as the people count it."""
    terms = METER.parameters
    part, of = terms.rate
    return SevensMeter(
        terms.base_cents * UNITS, terms.reset_cents * UNITS, STAKES_CENTS[SEVENS][0] * UNITS * part // of
    )


def take(tally: Tally, rig: TimedRig) -> None:
    """What the table has said since."""
    for event in rig.events:
        match event:
            case WagerSettled():
                key = event.round, event.spot, event.bet
                tally.settlements[key], tally.basis[key] = (event.wager_cents, event.net_cents), str(event.basis)
                tally.at[key] = rig.number
                tally.held += "aggregate limit" in event.why
            case CardDrawn():
                tally.round_of[event.card] = event.round or 0
            case CardBurned():
                tally.burned.add(event.card)
            case SettlementDisputed():
                tally.doubted.add((event.round, event.spot, event.bet))
            case QuestionAsked():
                tally.asked.setdefault(event.round or 0, set()).add(event.question)
            case RoundClosed():
                tally.outcomes[event.round] = event.outcome
            case AlertRaised(kind=AlertKind.PROCEDURE_LATE):
                # Simulated people take and pay side wagers when the round is over; it says nothing of money.
                pass
            case _ if isinstance(event, FLAGS):
                number = getattr(event, "round", 0) or rig.table.state.rounds
                kind = event.kind if isinstance(event, AlertRaised) else type(event).__name__
                tally.flags.setdefault(number, Counter())[str(kind)] += 1
            case _:
                pass
    rig.events[:] = [event for event in rig.events if isinstance(event, QuestionAsked)][-3:]


def end_round(tally: Tally, rig: TimedRig, truth: RoundPlayed) -> None:
    """The people are done: the truth, and the round's evidence."""
    if isinstance(rig, LineRig):
        rig.answer_newcomers({int(spot) for spot in truth.hands})
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
    # A card that is lost or reported twice may have the table close a round and open another before the people are
    # done.
    number, tally.played = tally.played if tally.played > 0 else rig.table.state.rounds, 0
    for wager in truth.wagers:
        tally.truth[number, wager.spot, wager.bet] = wager.wager_cents, wager.net_cents
    tally.lines[number] = evidence(rig.stamped, rig, frozenset(tally.burned))
    rig.stamped.clear()
    rig.moved_ns.clear()


def block_result(block: Block, table: Table, tally: Tally, rig: TimedRig) -> dict[str, Any]:
    """A block's result, as JSON has it."""
    wrong = {key for key, due in tally.truth.items() if key in tally.settlements and tally.settlements[key] != due}
    wrong |= {key for key in tally.settlements if key not in tally.truth and tally.settlements[key][1]}
    silent, examples = silent_errors(block, tally, wrong, table)
    rounds_on, causes = bases(block, tally, table)
    micros = Counter(int(20 * log10(max(one, 1))) for one in rig.micros)
    flagged: Counter[str] = Counter(kind for flags in tally.flags.values() for kind in flags)
    main = {key: key[2] in {"main", "insurance"} for key in tally.truth}
    return {
        **block._asdict(),
        "profile": table[0],
        "limit_cents": table[1].get("aggregate_limit_cents", 0),
        "held": tally.held,
        "wagers": sum(main.values()),
        "side_wagers": len(main) - sum(main.values()),
        "bets": Counter(bet for _, _, bet in tally.truth),
        "wrong": len({key[0] for key in wrong if tally.flags.get(key[0])}),
        "found_out": found_out(tally, wrong, table),
        "open": sum(key not in tally.settlements for key, one in main.items() if one),
        "side_open": sum(key not in tally.settlements for key, one in main.items() if not one),
        "basis": Counter(tally.basis[key] for key, one in main.items() if one and key in tally.basis),
        "side_basis": Counter(tally.basis[key] for key, one in main.items() if not one and key in tally.basis),
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


def silent_errors(
    block: Block, tally: Tally, wrong: set[Key], table: Table
) -> tuple[Counter[str], list[dict[str, Any]]]:
    """What nobody said anything about in rounds where a wager was settled otherwise than it truly ended."""
    kinds: Counter[str] = Counter()
    examples: list[dict[str, Any]] = []
    for number in sorted({key[0] for key in wrong if not tally.flags.get(key[0])}):
        kind, lines = "no evidence kept", None
        if number in tally.lines:
            lines = headed(tally.lines[number].lines, *table)
            kind = judged(lines, [tally.settled(key) for key in sorted(wrong) if key[0] == number])
        kinds[kind] += 1
        settled_as = {f"{spot} {bet}": tally.settlements[number, spot, bet] for _, spot, bet in wrong if _ == number}
        truly = {f"{spot} {bet}": due for (_, spot, bet), due in tally.truth.items() if _ == number}
        examples.append(
            {"kind": kind, "block": block, "round": number, "said": settled_as, "truth": truly, "lines": lines}
        )
    return kinds, examples


def found_out(tally: Tally, wrong: set[Key], table: Table) -> Counter[str]:
    """Wagers settled wrong in rounds that something was said about: whether they were named, and the oracle's word."""
    kinds: Counter[str] = Counter()
    for key in sorted(key for key in wrong if tally.flags.get(key[0])):
        others = ", ".join(sorted(tally.flags[key[0]]))
        named = "named in doubt" if key in tally.doubted else f"alert only: {others}"
        explanation = "no evidence kept"
        if key[0] in tally.lines:
            explanation = explained(tally.lines[key[0]], table, tally.settled(key), tally.ended_by(key))
        kinds[f"{named}; {explanation}"] += 1
    return kinds


def bases(block: Block, tally: Tally, table: Table) -> tuple[Counter[str], Counter[str]]:
    """How many rounds were settled on evidence alone, and why the others were not."""
    rounds_on: Counter[str] = Counter()
    causes: Counter[str] = Counter()
    truths: dict[int, set[Key]] = {}
    for key in tally.truth:
        truths.setdefault(key[0], set()).add(key)
    for number, round_evidence in tally.lines.items():
        missing = {key for key in truths.get(number, ()) if tally.basis.get(key, "open") != "evidence"}
        rounds_on["other" if missing else "evidence"] += 1
        if missing and (flags := tally.flags.get(number)):
            causes["flagged: " + ", ".join(sorted(flags))] += 1
        elif missing and block.keypad != "always":
            causes["decisions without a key"] += 1
        elif missing:
            causes[cause(round_evidence, *table, missing)] += 1
    return rounds_on, causes
