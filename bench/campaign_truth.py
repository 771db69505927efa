"""Very many rounds of simulated people against their truth, in blocks that may be stopped and resumed.

    make campaign-truth ROUNDS=200000
    .venv/bin/python -m bench.campaign_truth --rounds 20000 --shoe bee_tek --jobs 2

Blocks go round every number of boxes and every habit with keys, so that a campaign cut short covers them all. Each
finished block is a line of FILE; begun again with the same FILE, seed and size the campaign goes on after the last one.
The conditions (how late readers report, how people err, what befalls the shoe's line) are in ``conditions.toml``.

With ``--shoe`` the cards come over a damaged line. A settlement that is not the true one and that nothing flags is a
silent error; the oracle in ``tests/oracle`` then says whether the round's evidence is that of some legal round
(*indistinguishable*) or not (*a mistake of ours*).

Times are processor time of this thread. Exit status 1 if there was any mistake.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench.truth_bare import BARE, played_bare
from bench.truth_blocks import Block, played

KEYPADS: Final = ("always", "sometimes", "never", BARE)
"""How often the keys of the play are pressed; the first three press those of the procedure, ``bare`` presses none."""

COUNTED: Final = (
    *("rounds", "wagers", "side_wagers", "wrong", "open", "side_open"),
    *("questions", "asked", "readings", "over", "stuck", "held"),
)
ADDED_UP: Final = ("basis", "side_basis", "bets", "rounds_on", "flagged", "silent", "causes", "found_out")
BLOCK: Final = 100
"""Rounds of a block."""


def blocks(rounds: int, seed: int, shoe: str) -> Iterator[Block]:
    """The campaign's blocks: every number of boxes with every habit, again and again.

    On a damaged line there is no bare table: a card that is lost there is lost in a round that nothing has begun.
    """
    keypads = KEYPADS if shoe == "ideal" else KEYPADS[:-1]
    for number in range(-(-rounds // BLOCK)):
        keypad = keypads[number // 7 % len(keypads)]
        yield Block(number, seed * 1_000_003 + number, BLOCK, 1 + number % 7, keypad, shoe)


def block_played(block: Block, conditions: dict[str, Any]) -> dict[str, Any]:
    """Play a block at the table that it asks for."""
    return played_bare(block) if block.keypad == BARE else played(block, conditions)


class Cell(NamedTuple):
    """What is reported together."""

    keypad: str
    boxes: str


def merged(results: list[dict[str, Any]]) -> dict[str, Any]:
    """Several blocks as one."""
    total: dict[str, Any] = {"micros": Counter(), "worst": 0.0, "largest": 0, "causes": Counter(), "examples": []}
    for name in COUNTED:
        total[name] = sum(result[name] for result in results)
    for name in ADDED_UP:
        total[name] = sum((Counter(result[name]) for result in results), Counter())
    for result in results:
        total["micros"].update({int(bucket): count for bucket, count in result["micros"].items()})
        total["worst"] = max(total["worst"], result["worst"])
        total["largest"] = max(total["largest"], result["largest"])
        total["examples"] += result["examples"]
    return total


def percentile(micros: Counter[int], share: float) -> float:
    """The upper end of the bucket (twentieths of a decade) in which the share lies, in microseconds."""
    left = share * sum(micros.values())
    for bucket in sorted(micros):
        left -= micros[bucket]
        if left <= 0:
            return float(10 ** ((bucket + 1) / 20))
    return 0.0


def table(results: list[dict[str, Any]]) -> Iterator[str]:
    """The report, as a table of Markdown."""
    yield (
        "| keys | boxes | rounds | main wagers and insurance | side wagers | silent errors | main: evidence | answer "
        "| paid | open | side: evidence | answer | open | rounds on evidence | rounds asked | questions in each "
        "| median µs | p99 µs | worst ms | largest lattice |"
    )
    yield "|" + "---|" * 20
    cells: dict[Cell, list[dict[str, Any]]] = {}
    for result in results:
        for boxes in (str(result["boxes"]), "1-7"):
            cells.setdefault(Cell(result["keypad"], boxes), []).append(result)
    for cell in sorted(cells, key=lambda cell: (KEYPADS.index(cell.keypad), cell.boxes == "1-7", cell.boxes)):
        total = merged(cells[cell])
        rounds = total["rounds"] or 1
        main = [total["basis"][basis] for basis in ("evidence", "answer", "paid")]
        sides = [total["side_basis"][basis] for basis in ("evidence", "answer")]
        yield (
            f"| {cell.keypad} | {cell.boxes} | {total['rounds']} | {total['wagers']} | {total['side_wagers']} "
            f"| {sum(total['silent'].values())} "
            f"| {shares([*main, total['open']], total['wagers'])} "
            f"| {shares([*sides, total['side_open']], total['side_wagers'])} "
            f"| {100 * total['rounds_on']['evidence'] / rounds:.2f} % | {total['asked']} "
            f"| {total['questions'] / total['asked'] if total['asked'] else 0:.2f} "
            f"| {percentile(total['micros'], 0.5):.0f} | {percentile(total['micros'], 0.99):.0f} "
            f"| {total['worst'] / 1000:.0f} | {total['largest']} |"
        )
    whole = merged(results)
    yield ""
    for keypad in KEYPADS:
        causes = merged([result for result in results if result["keypad"] == keypad])["causes"]
        yield f"rounds not on evidence, keys {keypad}: {dict(causes.most_common(8))}"
    yield f"wagers: {dict(whole['bets'])}; wins lowered by an aggregate limit: {whole['held']}"
    yield f"flagged rounds: {dict(whole['flagged'])}; wrong and flagged: {whole['wrong']}; wedged: {whole['stuck']}"
    yield f"settled wrong in flagged rounds: {dict(whole['found_out'])}"
    yield f"silent errors: {dict(whole['silent'])}"
    yield from (json.dumps(example) for example in whole["examples"][:10])


def shares(counts: list[int], whole: int) -> str:
    """Parts of a whole as cells of a table."""
    return " | ".join(f"{100 * count / (whole or 1):.2f} %" for count in counts)


def finished(path: Path, seed: int, shoe: str) -> dict[int, dict[str, Any]]:
    """The blocks of this campaign that the file already has."""
    if not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.endswith("}")]
    return {line["number"]: line for line in lines if (line["campaign"], line["shoe"]) == (seed, shoe)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shoe", choices=["ideal", "bee_tek", "reference"], default="ideal")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--file", type=Path, default=Path("build/campaign-truth.jsonl"))
    parser.add_argument("--report", action="store_true", help="only report what the file has")
    asked = parser.parse_args()
    conditions = tomllib.loads((Path(__file__).parent / "conditions.toml").read_text(encoding="utf-8"))
    asked.file.parent.mkdir(parents=True, exist_ok=True)
    done = finished(asked.file, asked.seed, asked.shoe)
    todo = [one for one in blocks(asked.rounds, asked.seed, asked.shoe) if one.number not in done]
    if not asked.report:
        with ProcessPoolExecutor(asked.jobs, initializer=gc.freeze) as pool, asked.file.open("a") as file:
            waiting = [pool.submit(block_played, block, conditions) for block in todo]
            for one in as_completed(waiting):
                if one.exception() is not None:
                    pool.shutdown(wait=False, cancel_futures=True)
                result = one.result() | {"campaign": asked.seed}
                done[result["number"]] = result
                file.write(json.dumps(result) + "\n")
                file.flush()
    print("\n".join(table([done[number] for number in sorted(done)])))
    return int(any(result["silent"].get("mistake") for result in done.values()))


if __name__ == "__main__":
    sys.exit(main())
