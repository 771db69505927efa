"""What the program made of an independent table's rounds, held against what its people know.

Three things must never be: a settlement that is not true and that nothing flags, a wager neither settled nor open, an
honest person accused. And every round ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from tests.independent.heard import (
    ACCUSING,
    ADJUSTED,
    ALERT,
    ASKED,
    CLOSED,
    DOUBTED,
    IRREGULAR,
    LOCKED,
    OPEN,
    SETTLED,
    UNCERTAIN,
    UNWATCHED,
    WAITS,
    Heard,
)
from tests.independent.rounds import Round, Wager

Key = tuple[int, int, str]
"""The program's round, spot, bet."""


@dataclass
class Verdict:
    """Counts of one or several sittings, and a sentence for each thing that must not be."""

    rounds: int = 0
    wagers: int = 0
    right: int = 0
    open: int = 0
    unseen: int = 0
    """Wagers that no reader ever reported, at spots that were published as unwatched in that round."""
    lost: int = 0
    """Rounds none of whose cards was heard."""
    irregular: int = 0
    doubted: int = 0
    questions: int = 0
    bases: Counter[str] = field(default_factory=Counter)
    alerts: Counter[str] = field(default_factory=Counter)
    silent: list[str] = field(default_factory=list)
    neither: list[str] = field(default_factory=list)
    accused: list[str] = field(default_factory=list)
    unended: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    """What befell the program itself: events missing, an exit status."""

    @property
    def faults(self) -> list[str]:
        """Everything that must not be."""
        return [*self.silent, *self.neither, *self.accused, *self.unended, *self.broken]

    def add(self, other: Verdict) -> None:
        """Another sitting's."""
        for name, value in vars(other).items():
            if isinstance(value, list):
                getattr(self, name).extend(value)
            elif isinstance(value, Counter):
                getattr(self, name).update(value)
            else:
                setattr(self, name, getattr(self, name) + value)

    def line(self) -> str:
        """One line for people."""
        return (
            f"{self.rounds} rounds, {self.wagers} wagers: {self.right} settled right, {self.open} open, "
            f"{len(self.silent)} silent errors, {len(self.neither)} neither settled nor open, "
            f"{len(self.accused)} accused, {len(self.unended)} rounds that did not end; "
            f"{self.irregular} irregular, {self.doubted} doubted, {self.questions} questions, "
            f"{self.lost} lost with the shoe, {self.unseen} wagers unseen"
        )


def judged(rounds: Sequence[Round], heard: Heard, missed: Collection[int] = ()) -> Verdict:
    """Hold what was heard against these rounds; the last one heard is not judged, for nothing may have ended it.

    Nor is the one before it while the program asks whether both are one: the next deal would say.

    ``missed`` are rounds of which cards left the shoe while nobody could hear it.
    """
    verdict = Verdict()
    lost = frozenset(missed) | heard.unheard()
    whose = heard.rounds()
    last = max((now.number for now in rounds if now.number in whose.values() or now.number not in lost), default=0)
    by_ours: dict[int, list[int]] = {}
    for number, ours in whose.items():
        by_ours.setdefault(ours, []).append(number)
    outcomes = {event.data["round"]: event.data["outcome"] for event in heard.events(CLOSED)}
    waiting = {event.data["round"] for event in heard.events(WAITS)} - set(outcomes)
    unjudged, given_way = {last, *heard.in_doubt()}, heard.given_way()
    parts = Counter(number for numbers in given_way.values() for number in numbers)
    judge = _Judge(heard, outcomes, waiting, {number for number, count in parts.items() if count > 1})
    for now in rounds[:-1]:
        if now.number in unjudged:
            continue
        verdict.rounds += 1
        numbers = by_ours.get(now.number, [])
        if not numbers and now.number in lost:
            # Its cards left a shoe that nobody heard, and the table has said so.
            verdict.lost += 1
            continue
        numbers = numbers or given_way.get(now.number, [])
        if not numbers:
            verdict.unended.append(f"round {now.number} was never published")
        for wager in now.wagers():
            judge.wager(verdict, wager, numbers)
        for number in numbers:
            if number not in outcomes and number not in waiting:
                verdict.unended.append(f"round {now.number} ({number}) has no end")
    known = {number for number, ours in whose.items() if ours not in unjudged}
    judge.phantoms(verdict, {number: rounds[whose[number] - 1] for number in known if whose[number]})
    verdict.irregular = len({e.data["round"] for e in heard.events(IRREGULAR)} & known)
    verdict.questions = len(heard.events(ASKED))
    for event in heard.events(ALERT):
        verdict.alerts[event.data["kind"]] += 1
        if event.data["kind"] in ACCUSING:
            verdict.accused.append(f"round {event.data['round']} {event.data['kind']}: {event.data['text']}")
    if not heard.complete:
        verdict.broken.append("events are missing")
    return verdict


class _Judge:
    """What was said of each wager."""

    def __init__(self, heard: Heard, outcomes: dict[int, str], waiting: set[int], mixed: set[int]) -> None:
        self._outcomes = outcomes
        self._mixed = mixed
        """Rounds left to people that have cards of several of ours."""
        self._waiting = waiting
        self._settlements: dict[Key, tuple[int, int, str]] = {}
        for event in heard.events(SETTLED, ADJUSTED):
            data = event.data
            self._settlements[_key(data)] = data["wager_cents"], data["net_cents"], data["basis"]
        self._open = {_key(event.data) for event in heard.events(OPEN, UNCERTAIN)}
        self._unwatched = {(event.data["round"], event.data["spot"]) for event in heard.events(UNWATCHED)}
        raised = (event.data for event in heard.events(ALERT) if event.data["kind"] == "wagers_unseen")
        self._unseen = {data["spot"]: data["round"] for data in reversed([*raised])}
        """By spot the first round in which the table said that nobody looks there; it says so once."""
        self._reasons = {event.data["round"]: event.data["reason"] for event in heard.events(IRREGULAR)}
        self._doubted = {_key(event.data) for event in heard.events(DOUBTED)}
        self._locked = {
            (event.data["round"], wager["spot"], wager["bet"]): wager["cents"]
            for event in heard.events(LOCKED)
            for wager in event.data["wagers"]
        }

    def _is_handed_over(self, number: int, wager: Wager) -> bool:
        """Whether a round is left to people, and of one that may be two it is said that this wager is of either."""
        if self._outcomes.get(number) not in {"irregular", "void"}:
            return False
        locked = self._locked.get((number, wager.spot, wager.bet)) == wager.cents
        named = f"spot {wager.spot} {wager.bet} {wager.cents // 100}.{wager.cents % 100:02}"
        listed = locked or wager.bet == "insurance" or named in self._reasons.get(number, "")
        return listed or number not in self._mixed

    def wager(self, verdict: Verdict, wager: Wager, numbers: Sequence[int]) -> None:
        """Judge a wager by the rounds that it may be published in."""
        verdict.wagers += 1
        keys = [(number, wager.spot, wager.bet) for number in numbers]
        settlement = next(((key, self._settlements[key]) for key in keys if key in self._settlements), None)
        if settlement is None:
            verdict.open += 1
            irregular = any(self._is_handed_over(number, wager) for number in numbers)
            waits = any(number in self._waiting for number in numbers)
            if wager.due is None or irregular or waits or any(key in self._open for key in keys):
                return
            if any(
                (number, wager.spot) in self._unwatched or self._unseen.get(wager.spot, number + 1) <= number
                for number in numbers
            ):
                verdict.unseen += 1
            else:
                verdict.neither.append(f"{_name(keys[0] if keys else (0, *wager[:2]))}: {wager.cents} {wager.due}")
            return
        key, (cents, due, basis) = settlement
        verdict.bases[basis] += 1
        if (cents, due) == (wager.cents, wager.due):
            verdict.right += 1
        elif key in self._doubted:
            verdict.doubted += 1
        else:
            verdict.silent.append(
                f"{_name(key)}: {cents} settled {due} on {basis}, truly {wager.cents} due {wager.due}"
            )

    def phantoms(self, verdict: Verdict, rounds: dict[int, Round]) -> None:
        """What was locked or settled and was on no felt, or of another amount, in these rounds."""
        for key, (cents, due, basis) in self._settlements.items():
            if key[0] in rounds and due and key not in self._doubted and not _made(rounds[key[0]], key):
                verdict.silent.append(f"{_name(key)}: {cents} settled {due} on {basis}, and never laid")
        for key, cents in self._locked.items():
            if key[0] not in rounds or self._outcomes.get(key[0]) in {"irregular", "void"} or key in self._settlements:
                continue
            if cents != _made(rounds[key[0]], key) and key not in self._open:
                verdict.silent.append(f"{_name(key)}: {cents} locked, truly {_made(rounds[key[0]], key)}")


def _made(now: Round, key: Key) -> int:
    """What was wagered there; 0: nothing."""
    return next((wager.cents for wager in now.wagers() if (wager.spot, wager.bet) == key[1:]), 0)


def _key(data: dict[str, int | str]) -> Key:
    return int(data["round"]), int(data["spot"]), str(data["bet"])


def _name(key: Key) -> str:
    return f"round {key[0]} spot {key[1]} {key[2]}"
