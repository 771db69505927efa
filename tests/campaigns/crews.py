"""Works a long campaign off in pieces, several at once, so that it may be stopped at any time and gone on with.

Each finished piece is a line of a file; begun again with the same file, a campaign leaves out the pieces it has.
"""

from __future__ import annotations

import argparse
import gc
import json
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

import structlog


class Piece(NamedTuple):
    """A part of a campaign that is done by itself: its seed, and how much there is to do."""

    seed: int
    size: int


def pieces(total: int, seed: int, size: int) -> list[Piece]:
    """``total`` in pieces of ``size``; the last may be smaller."""
    starts = range(0, total, size)
    return [Piece(seed + place, min(size, total - start)) for place, start in enumerate(starts)]


def options(parser: argparse.ArgumentParser) -> None:
    """The options of every campaign in pieces."""
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=4, help="pieces worked at at once; much of each is waiting")
    parser.add_argument("--file", type=Path, help="where finished pieces are written, and looked for")


def work_off(
    wanted: Sequence[Piece], work: Callable[[Piece], dict[str, Any]], jobs: int, file: Path | None
) -> list[dict[str, Any]]:
    """Do every piece that ``file`` does not have; what came of each, in the order of the pieces."""
    done = finished(file)
    todo = [piece for piece in wanted if piece not in done]
    with ProcessPoolExecutor(jobs, initializer=_begin) as crew:
        waiting = {crew.submit(work, piece): piece for piece in todo}
        for one in as_completed(waiting):
            if one.exception() is not None:
                crew.shutdown(wait=False, cancel_futures=True)
            piece = waiting[one]
            done[piece] = one.result()
            line = json.dumps(piece._asdict() | done[piece])
            print(line, flush=True)
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
                with file.open("a", encoding="utf-8") as lines:
                    lines.write(f"{line}\n")
    return [done[piece] for piece in wanted]


def finished(file: Path | None) -> dict[Piece, dict[str, Any]]:
    """The pieces that a file has; a line cut short by a kill counts as none."""
    if file is None or not file.exists():
        return {}
    found = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.endswith("}")]
    return {Piece(one.pop("seed"), one.pop("size")): one for one in found}


def _begin() -> None:
    gc.freeze()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
