"""``tableside reconstruct``: a round from lines of evidence."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final, assert_never

import click

from controller.commands.terminal import say

if TYPE_CHECKING:
    from controller.core.game.rules import Rules
    from controller.core.inference.case import RoundCase
    from controller.formats.cases.reconstruct_input import EvidenceLine, TableLine

READS: Final = ("on_draw", "ahead")
"""When a shoe reads a card. It changes nothing here: every card of these lines has left the shoe."""

HERE: Final = Path()
"""The folder in which the program was started."""

LINE_LIMIT: Final = 65_536
"""Bytes of a line: several times the longest that says anything. It distinguishes a round from what has no lines."""

LINES_LIMIT: Final = 1_000
"""Lines of a file: several times those of the longest round."""


@click.command("reconstruct")
@click.argument("evidence", metavar="FILE")
@click.option("--each", is_flag=True, help="An answer after every line, as an observer may see it at that moment.")
def command(evidence: str, *, each: bool) -> None:
    """Reconstruct a round from FILE, one JSON object per line (- for standard input).

    Prints one JSON object: how many legal plays explain the evidence, and everything they agree on. A profile's path is
    relative to FILE's folder.

    Exit status: 0 answered, 2 a line is not evidence.
    """
    from controller.core.inference.case import recounted_bytes
    from controller.formats.cases.reconstruct_input import EvidenceRefused, read_lines
    from controller.formats.text.safe_parse import one_line

    recount: RoundCase | None = None
    try:
        folder = Path() if evidence == "-" else Path(evidence).parent
        for so_far in recounts(read_lines(lines_of(evidence)), folder):
            recount = so_far
            if each:
                say(recounted_bytes(recount.account(outside=True)))
    except EvidenceRefused as refused:
        say(f"tableside: {evidence}: {one_line(str(refused))}", err=True)
        sys.exit(2)
    if recount is not None and not each:
        say(recounted_bytes(recount.account()))


def lines_of(evidence: str) -> Iterator[str]:
    """The lines of a file, or of standard input for ``-``, each as it comes.

    Raises:
        EvidenceRefused: it cannot be read, or a line is no UTF-8 text.
    """
    from controller.formats.cases.reconstruct_input import EvidenceRefused
    from controller.io.files.plain_files import opened

    number = 1
    try:
        with nullcontext(sys.stdin.buffer) if evidence == "-" else opened(evidence, None) as lines:
            while line := lines.readline(LINE_LIMIT + 1):
                if len(line) > LINE_LIMIT:
                    raise EvidenceRefused(f"line {number}: longer than {LINE_LIMIT} bytes: expected one JSON object")
                if number > LINES_LIMIT:
                    raise EvidenceRefused(f"line {number}: more than {LINES_LIMIT} lines: expected one round")
                # Some editors begin a file with a byte order mark.
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
                number += 1
    except UnicodeDecodeError as error:
        raise EvidenceRefused(f"line {number}: not UTF-8 text") from error
    except OSError as error:
        raise EvidenceRefused(f"cannot be read: {error.strerror}") from error


def recounts(lines: Iterable[tuple[int, TableLine | EvidenceLine]], folder: Path = HERE) -> Iterator[RoundCase]:
    """The round after each line; a profile's relative path is relative to ``folder``.

    Raises:
        EvidenceRefused: a line that is none, after those before it have been given.
    """
    from controller.core.inference.case import RoundCase
    from controller.formats.cases.reconstruct_input import DeclareLine, TableLine

    heard: list[tuple[int, TableLine | EvidenceLine]] = []
    recount: RoundCase | None = None
    for number, line in lines:
        heard.append((number, line))
        if isinstance(line, DeclareLine) and recount is not None and recount.hypotheses is not None:
            # The box was in play from the first card on, whenever it is said.
            first, *others = heard
            declared = [one for one in others if isinstance(one[1], DeclareLine)]
            *_, recount = recounts([first, *declared, *(one for one in others if one not in declared)], folder)
        elif isinstance(line, TableLine):
            recount = RoundCase(rules_of(line, number, folder), line.wagers)
        elif recount is not None:
            take(recount, line, number)
        if recount is not None:
            yield recount


def rules_of(table: TableLine, number: int, folder: Path) -> Rules:
    """The rules of the first line, whose file is in ``folder``.

    Raises:
        EvidenceRefused: no such profile, option or zone.
    """
    from controller.formats.cases.reconstruct_input import EvidenceRefused
    from controller.formats.config.profiles import ProfileError
    from controller.io.files import profile_files

    options = dict(table.options)
    reads = options.pop("reads", "on_draw")
    if reads not in READS:
        raise EvidenceRefused(f"line {number}: options.reads: expected one of {', '.join(READS)}, got {reads!r}")
    try:
        rules = profile_files.load(profile_files.beside(folder, table.profile), options).rules
    except ProfileError as error:
        # Of a profile that comes with the program it is the options of this line that do not fit it.
        where = re.compile(rf"{re.escape(table.profile)}\.toml(:\d+)?: (\[(options|rules)\] )?")
        said = "; ".join(where.sub(lambda found: "options." if found[2] else "", line) for line in error.lines)
        raise EvidenceRefused(f"line {number}: {said}") from error
    for zones in table.wagers.values():
        for zone in zones:
            check_zone(rules, zone, number)
    return rules


def check_zone(rules: Rules, zone: str, number: int) -> None:
    """Refuse a zone that the profile does not have.

    Raises:
        EvidenceRefused: it does not.
    """
    from controller.formats.cases.reconstruct_input import EvidenceRefused

    zones = ("main", *(("insurance",) if rules.insurance else ()), *rules.side_bets)
    if zone not in zones:
        raise EvidenceRefused(f"line {number}: zone: expected one of {', '.join(zones)}, got {zone!r}")


def take(recount: RoundCase, line: EvidenceLine, number: int) -> None:
    """Add a line to the round.

    Raises:
        EvidenceRefused: a zone that the profile does not have.
    """
    from controller.formats.cases.reconstruct_input import (
        AnswerLine,
        CardLine,
        ChipsLine,
        CloseLine,
        DeclareLine,
        HealthLine,
        KeyLine,
    )

    match line:
        case CardLine(at_ns, face):
            recount.card(face, at_ns)
        case ChipsLine(spot, zone, cents, first_ns, last_ns):
            check_zone(recount.rules, zone, number)
            recount.chips(spot, zone, cents, first_ns, last_ns)
        case KeyLine(at_ns, key, spot):
            recount.key(key, spot, at_ns)
        case AnswerLine(spot, fields):
            recount.answer(spot, fields)
        case DeclareLine(spot, cents):
            recount.declare(spot, cents)
        case HealthLine(device, from_ns, to_ns):
            recount.health(device, from_ns, to_ns)
        case CloseLine():
            recount.close()
        case _:
            assert_never(line)
