"""What the table settled held against what the people know.

The people number the rounds they play, the table those it saw, so rounds are paired by their wagers, in order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

import msgspec

from controller.formats.accounts import Account, RoundAccount, account_of, compare
from controller.formats.payloads import own_event

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
    people = msgspec.json.decode(truth, type=Account)
    table = account_of(own_event(line).event for line in lines)
    pairs = paired(people, table)
    said = compare(
        Account(tuple(_numbered(one, number) for number, (one, _) in enumerate(pairs))),
        Account(tuple(_numbered(other, number) for number, (_, other) in enumerate(pairs))),
    )
    counts = (len(people.rounds), len(table.rounds), len(pairs), said.wagers, said.equal, said.open)
    return Held(*counts, said.different)


def paired(people: Account, table: Account) -> list[tuple[RoundAccount, RoundAccount]]:
    """The rounds that both know."""
    played, closed = ([_wagered(one) for one in account.rounds] for account in (people, table))
    blocks = SequenceMatcher(None, played, closed, autojunk=False).get_matching_blocks()
    places = [(block.a + step, block.b + step) for block in blocks for step in range(block.size)]
    return [(people.rounds[one], table.rounds[other]) for one, other in places]


def _wagered(one: RoundAccount) -> Wagered:
    return tuple((wager.spot, wager.wager_cents) for wager in one.wagers if wager.bet == "main")


def _numbered(one: RoundAccount, number: int) -> RoundAccount:
    return msgspec.structs.replace(one, round=number)
