"""A campaign's round as lines of evidence, and what the oracle and the recount say of them."""

from __future__ import annotations

import json
import signal
from types import FrameType
from typing import Any, Final, NamedTuple

from bench.truth import TimedRig
from controller.commands.reconstruct import recounts
from controller.core.messages.inputs import StampedInput
from controller.core.table.keymap import DIGITS, EVIDENCE
from controller.formats.cases.reconstruct_input import read_lines
from firmware_protocols import readings
from tests.oracle.house import DOUBTS
from tests.oracle.oracle import Answer
from tests.oracle.oracle import readings as all_readings
from tests.oracle.search import TooWide

ORACLE_SECONDS: Final = 120
"""Processor time the oracle may take for one round."""

PLAYED: Final = frozenset({"main", "insurance", "ez_bust"})
"""Zones whose chips say something of the play."""

Line = dict[str, Any]
Key = tuple[int, int, str]


class Settled(NamedTuple):
    """A wager, its net as it was settled, on what basis, and the reading at which that was published."""

    key: Key
    net_cents: int
    basis: str
    number: int

    def fits(self, nets: list[int]) -> bool:
        """Whether it is the one net of all legal rounds; of one that people decided, whether it is one of them."""
        return nets == [self.net_cents] if self.basis == "evidence" else self.net_cents in nets


class Evidence(NamedTuple):
    """A round's lines; the moments at which the chips they report truly moved; the readings they come from.

    ``moments`` and ``numbers`` go with the lines between the header and the close; 0 where no chips moved.
    """

    lines: list[Line]
    moments: list[int]
    numbers: list[int]

    def sharp(self) -> list[Line]:
        """The same lines with every change of chips dated exactly."""
        first, *between, last = self.lines
        dated = zip(between, self.moments, strict=True)
        return [first, *(line | {"t": moment / 1e9} if moment else line for line, moment in dated), last]

    def until(self, number: int, ended_by: int = 0) -> list[Line]:
        """The lines up to a reading; ``ended_by``: the card that ended the round (0: none did)."""
        between = zip(self.lines[1:-1], self.numbers, strict=True)
        last, close = (ended_by - 1, [self.lines[-1]]) if ended_by else (number, [])
        return [self.lines[0], *(line for line, reading in between if reading <= last), *close]


def evidence(stamped: list[StampedInput], rig: TimedRig, burned: frozenset[int] = frozenset()) -> Evidence:
    """A round's readings as lines of evidence, from the last lock on; the header's profile is put in later.

    ``burned`` are the readings of cards that were announced as burns, which are none of the round's.
    """
    keys = rig.house.keys
    locks = [
        at
        for at, one in enumerate(stamped)
        if isinstance(one.input, readings.KeyPressed) and keys.get(one.input.key) == "no_more_bets"
    ]
    felt: dict[tuple[int, str], int] = rig.content
    found = Evidence([], [], [])
    wagers: dict[str, dict[str, int]] = {}
    named = 0
    start = locks[-1] if locks else len(stamped)
    for at, one in enumerate(stamped):
        item, line, moment = one.input, None, 0
        if isinstance(item, readings.ChipsSeen):
            felt[item.spot, item.zone] = sum(rig.values.get(chip, 0) for chip in item.chips)
        if at == start:
            wagers = locked(felt)
        if at <= start or one.number in burned:
            continue
        match item:
            case readings.CardDrawn(at_ns=at_ns, face=face):
                line = {"card": str(face or "??"), "t": at_ns / 1e9}
            case readings.ChipsSeen(spot=spot, zone=zone) if zone in PLAYED:
                times = [item.after_ns / 1e9, item.by_ns / 1e9]
                line, moment = {"spot": spot, "zone": zone, "cents": felt[spot, zone], "t": times}, rig.moved(one)
            case readings.KeyPressed(at_ns=at_ns, key=key):
                meaning = keys.get(key, "")
                if meaning in DIGITS:
                    named = int(meaning)
                elif meaning in EVIDENCE:
                    line, named = {"key": meaning, "t": at_ns / 1e9} | ({"spot": named} if named else {}), 0
            case _:
                pass
        if line is not None:
            found.lines.append(line)
            found.moments.append(moment)
            found.numbers.append(one.number)
    return found._replace(lines=[{"options": {}, "wagers": wagers}, *found.lines, {"close": True}])


def locked(felt: dict[tuple[int, str], int]) -> dict[str, dict[str, int]]:
    """The wagers at the lock of every spot with a main wager."""
    spots = {spot for (spot, zone), cents in felt.items() if zone == "main" and cents}
    return {
        str(spot): {zone: cents for (other, zone), cents in sorted(felt.items()) if other == spot and cents}
        for spot in sorted(spots)
    }


def headed(lines: list[Line], profile: str, options: dict[str, Any]) -> list[Line]:
    """The lines with their profile."""
    return [{"profile": profile, "options": options, "wagers": lines[0]["wagers"]}, *lines[1:]]


class TooLong(Exception):  # noqa: N818 - a limit
    """The oracle would take too long."""


def too_long(_number: int, _frame: FrameType | None) -> None:
    raise TooLong


ORACLES: Final = frozenset({"main", "lucky_ladies", "twenty_one_plus_three", "blazing7s", "five_card_progressive"})
"""What was wagered before the deal and the oracle knows."""

METERED: Final = "blazing7s"
"""What a meter may pay: then the oracle gives no net."""


def oracle_on(lines: list[Line]) -> Answer | None:
    """What the oracle says; None if that would take too long."""
    signal.signal(signal.SIGVTALRM, too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, ORACLE_SECONDS)
    try:
        return all_readings(lines, doubts=DOUBTS)
    except (TooLong, TooWide):
        return None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def judged(lines: list[Line], settlements: list[Settled]) -> str:
    """What a silent error is, by what was settled wrong in the round.

    ``indistinguishable``: the evidence is that of some legal round, and every legal round that gives it comes to what
    was settled (of what rests on an answer or on payments, one does). ``mistake``: else, and so ours.
    """
    answer = oracle_on([headed_for_oracle(lines[0]), *lines[1:]])
    if answer is None:
        return "oracle too slow"
    if not answer.plays or answer.dropped:
        return "mistake"
    for one in settlements:
        nets = answer.possible_cents.get(str(one.key[1]), {}).get(one.key[2])
        if nets is not None and (nets or one.key[2] != METERED) and not one.fits(nets):
            return "mistake"
    return "indistinguishable"


def headed_for_oracle(header: Line) -> Line:
    """The header with the wagers that the oracle knows."""
    wagers = {
        spot: {bet: cents for bet, cents in staked.items() if bet in ORACLES}
        for spot, staked in header["wagers"].items()
    }
    return header | {"wagers": wagers}


def explained(round_evidence: Evidence, table: tuple[str, dict[str, Any]], settled: Settled, ended_by: int) -> str:
    """What is to be said of a wager that was settled wrong in a round that was found out.

    ``legal until then``: at the reading that settled it the evidence was that of some legal round, and every legal
    round that gives it came to what was settled: nothing better could be said. ``legal but for dropped chips``: the
    same of the evidence without the changes of chips that nothing explained and an alert had named. Else ``mistake``.

    ``ended_by`` is the card that ended the round before the wager was settled (0: none did): a round in which payment
    has begun can take no card, so it is judged as one that is over, without that card.
    """
    _, spot, bet = settled.key
    header, *lines = headed(round_evidence.until(settled.number, ended_by), *table)
    answer = oracle_on([headed_for_oracle(header), *lines])
    if answer is None:
        return "oracle too slow"
    nets = answer.possible_cents.get(str(spot), {}).get(bet)
    unknown_to_it = (nets is None and bet not in {"main", "insurance"}) or (not nets and bet == METERED)
    if not answer.plays or not (unknown_to_it or settled.fits(nets or [])):
        return "mistake"
    legal = "legal but for dropped chips" if answer.dropped else "legal until then"
    return f"{legal}, ended by a card" if ended_by else legal


def cause(round_evidence: Evidence, profile: str, options: dict[str, Any], missing: set[Key]) -> str:
    """Why wagers of a round were not settled on evidence though every decision was keyed.

    ``overlapping intervals``: were each change of chips dated exactly, evidence alone would say what each comes to.
    Else the wagers that it would still leave open.
    """
    *_, recount = recounts(read_lines(map(json.dumps, headed(round_evidence.sharp(), profile, options))))
    due = recount.account().due_cents
    if due is None:
        return "else: no legal play"
    still = sorted({bet for _, spot, bet in missing if due.get(str(spot), {}).get(bet) is None})
    return f"else: {', '.join(still)}" if still else "overlapping intervals"
