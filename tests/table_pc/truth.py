"""What the table settled held against what the people know.

The people number the rounds they play, the table those it saw, so rounds are paired by their wagers, in order. Where
rounds with the same wagers lie beside each other and the table missed one, the pairing in which most agrees is taken:
only what agrees in no pairing is different.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import msgspec

from controller.formats.cases.accounts import CaseAccounts, RoundAccount, account_of, compare
from controller.formats.mqtt.envelope import own_event

Wagered = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Held:
    """How many rounds the people played, the table closed, and both know; the wagers of these, and what differs."""

    played: int
    closed: int
    paired: int
    wagers: int
    equal: int
    still_open: int
    different: tuple[str, ...]


def events_wrong(lines: Iterable[bytes]) -> list[str]:
    """What is wrong with events as they were published: numbers must follow each other."""
    numbers = [msgspec.json.decode(line)["seq"] for line in lines]
    return [f"event {two} follows event {one}" for one, two in pairwise(numbers) if two != one + 1]


def held(truth: bytes, lines: Iterable[bytes]) -> Held:
    """Hold the events of a journal (a line each) against the people's account."""
    people = msgspec.json.decode(truth, type=CaseAccounts)
    table = account_of(own_event(line).event for line in lines)
    pairs = paired(people, table)
    compared = compare(
        CaseAccounts(tuple(_numbered(one, number) for number, (one, _) in enumerate(pairs))),
        CaseAccounts(tuple(_numbered(other, number) for number, (_, other) in enumerate(pairs))),
    )
    counts = (len(people.rounds), len(table.rounds), len(pairs), compared.wagers, compared.equal, compared.open)
    return Held(*counts, compared.different)


def paired(people: CaseAccounts, table: CaseAccounts) -> list[tuple[RoundAccount, RoundAccount]]:
    """The rounds that both know: as many as there can be, and of these pairings the one with most equal wagers."""
    best: dict[tuple[int, int], tuple[int, int]] = {}
    for one in reversed(range(len(people.rounds))):
        for other in reversed(range(len(table.rounds))):
            best[one, other] = max(
                best.get((one + 1, other), (0, 0)),
                best.get((one, other + 1), (0, 0)),
                _with(people.rounds[one], table.rounds[other], best.get((one + 1, other + 1), (0, 0))),
            )
    pairs, one, other = [], 0, 0
    while (one, other) in best:
        here, after = best[one, other], best.get((one + 1, other + 1), (0, 0))
        if here > after and here == _with(people.rounds[one], table.rounds[other], after):
            pairs.append((people.rounds[one], table.rounds[other]))
            one, other = one + 1, other + 1
        elif here == best.get((one + 1, other), (0, 0)):
            one += 1
        else:
            other += 1
    return pairs


def _with(one: RoundAccount, other: RoundAccount, after: tuple[int, int]) -> tuple[int, int]:
    """Pairs and equal wagers with these two rounds paired; nothing where they are no pair."""
    if _wagered(one) != _wagered(other):
        return (0, 0)
    return after[0] + 1, after[1] + sum(wager in other.wagers for wager in one.wagers)


def _wagered(one: RoundAccount) -> Wagered:
    return tuple((wager.spot, wager.wager_cents) for wager in one.wagers if wager.bet == "main")


def _numbered(one: RoundAccount, number: int) -> RoundAccount:
    return msgspec.structs.replace(one, round=number)
