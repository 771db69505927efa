"""A block of a truth campaign at a table where nobody presses anything: no key of the play, none of the procedure.

The table is an unkind one (``habit_blocks.py``), for only there do looks span cards, which is what makes it hard. What
came of a block is named in the truth campaign's words.
"""

from __future__ import annotations

from collections import Counter
from math import log10
from typing import Any, Final

from bench import habit_blocks
from bench.habit_blocks import ACCUSATIONS, PROFILES, Account
from bench.truth_blocks import Block
from controller.core.messages.raised_alerts import AlertKind

BARE: Final = "bare"

MAIN: Final = frozenset({"main", "insurance"})
"""The wagers that are counted apart from the side wagers."""


def played_bare(block: Block) -> dict[str, Any]:
    """Play a block."""
    profile = PROFILES[block.number // 28 % len(PROFILES)]
    table = habit_blocks.Block(block.number, block.seed, block.rounds, block.boxes, BARE, profile)
    account, rig = habit_blocks.sat(table)
    result = habit_blocks.result(table, account, rig)
    # The last round is not judged: nothing ends it.
    last = max(account.numbers, default=0)
    truth = {key: due for key, due in account.truth.items() if key[0] != last}
    bases = {main: Counter[str]() for main in (True, False)}
    for key in truth:
        if key in account.settlements:
            bases[key[2] in MAIN][account.settlements[key][2]] += 1
    mains = sum(key[2] in MAIN for key in truth)
    wrong = [key for key, due in truth.items() if key in account.settlements and account.settlements[key][:2] != due]
    wrong += [key for key, one in account.settlements.items() if key not in account.truth and one[1]]
    return {
        **block._asdict(),
        "profile": profile,
        "limit_cents": 0,
        "held": 0,
        "wagers": mains,
        "side_wagers": len(truth) - mains,
        "bets": Counter(key[2] for key in truth),
        "wrong": len({key[0] for key in wrong}) if not result["silent"] else 0,
        "found_out": Counter[str](),
        "open": mains - sum(bases[True].values()),
        "side_open": len(truth) - mains - sum(bases[False].values()),
        "basis": bases[True],
        "side_basis": bases[False],
        **rounds_by_basis(account, truth),
        "questions": result["questions"],
        "asked": result["questions"],
        "over": 0,
        "readings": len(rig.micros),
        "micros": Counter(int(20 * log10(max(one, 1))) for one in rig.micros),
        "worst": max(rig.micros),
        "largest": rig.largest,
        "flagged": flagged(account),
        "silent": Counter({"mistake": faults}) if (faults := mistakes(result)) else Counter[str](),
        "stuck": result["unended"] + result["lost"],
        "examples": [{"block": block, "said": one} for one in result["examples"]],
    }


def mistakes(result: dict[str, Any]) -> int:
    """What must not be: settled wrong and nothing said, neither settled nor open, an honest person accused."""
    return int(result["silent"] + result["neither"] + sum(result["accused"].values()))


def flagged(account: Account) -> Counter[str]:
    """What was said to be wrong at this table: chips between antennas, cards in pockets, rounds that did not end."""
    kinds = (alert.kind for alert in account.alerts if alert.kind not in {*ACCUSATIONS, AlertKind.PROCEDURE_LATE})
    return Counter(str(kind) for kind in kinds)


def rounds_by_basis(account: Account, truth: dict[habit_blocks.Key, tuple[int, int]]) -> dict[str, Counter[str]]:
    """How many rounds were settled on evidence alone; the others for one reason."""
    rounds: dict[int, bool] = {}
    for key in truth:
        on_evidence = key in account.settlements and account.settlements[key][2] == "evidence"
        rounds[key[0]] = rounds.get(key[0], True) and on_evidence
    counts = Counter("evidence" if on_evidence else "other" for on_evidence in rounds.values())
    return {"rounds_on": counts, "causes": Counter({"decisions without a key": counts["other"]})}
