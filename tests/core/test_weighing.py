"""A search for the likely cause that is made again after every line: the same answers, for much less work."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from controller.commands.reconstruct import command
from controller.core.inference.fault_search import Search, single_fault
from controller.core.inference.faults import ObservedRound, RankedObservation, cards_of
from controller.core.inference.feasibility import SearchMemory
from controller.core.inference.lattice import PlayAnswer
from controller.core.inference.observation import CardObserved, DatedObservation
from tests.core.test_floor_properties import CAUSES, LEGAL, ONE_KIND

ACCOUNTS = [LEGAL, ONE_KIND, *CAUSES.values()]


def growing(whole: ObservedRound) -> list[ObservedRound]:
    """The account line by line, still open, then closed."""
    counts = range(1, len(whole.pieces) + 1)
    so_far = [whole._replace(pieces=whole.pieces[:count], closed=False, turned=False) for count in counts]
    return [*(account._replace(names=whole.names[: len(cards_of(account))]) for account in so_far), whole]


def weighed_anew(memory: SearchMemory) -> int:
    """How much the last search worked out that the one before had not."""
    return len(memory.now.keys() - memory.before.keys())


@pytest.mark.parametrize("whole", ACCOUNTS)
@pytest.mark.parametrize("effort", [200, 100_000])
def test_with_a_memory_every_search_ends_as_it_does_without(whole: ObservedRound, effort: int) -> None:
    memory = SearchMemory()
    for account in growing(whole):
        with_memory, alone = Search(effort, memory), Search(effort)
        assert single_fault(account, with_memory) == single_fault(account, alone)
        assert with_memory.left == alone.left


def test_a_search_made_again_works_nothing_out_anew() -> None:
    memory, whole = SearchMemory(), ONE_KIND
    single_fault(whole, Search(100_000, memory))
    first = weighed_anew(memory)
    single_fault(whole, Search(100_000, memory))
    assert (first > 100, weighed_anew(memory)) == (True, 0)


def test_other_answers_are_another_account() -> None:
    memory, whole = SearchMemory(), ONE_KIND
    single_fault(whole, Search(100_000, memory))
    single_fault(whole._replace(answers=(PlayAnswer(box=0, cards=2),)), Search(100_000, memory))
    assert weighed_anew(memory) > 100


def test_what_two_searches_did_not_need_is_forgotten() -> None:
    memory = SearchMemory()
    single_fault(ONE_KIND, Search(100_000, memory))
    for _ in range(2):
        single_fault(LEGAL, Search(100_000, memory))
    fresh = SearchMemory()
    single_fault(LEGAL, Search(100_000, fresh))
    assert len(memory.now) == len(memory.before) == len(fresh.now)


@pytest.mark.parametrize("whole", ACCOUNTS)
@pytest.mark.parametrize("effort", [200, 100_000])
def test_what_is_hopeless_stays_so_whatever_cards_follow(whole: ObservedRound, effort: int) -> None:
    more = [
        RankedObservation(DatedObservation(at, at, CardObserved(0)), rank)
        for at, rank in enumerate((5, 1, 10, 2, 5, 13), start=10_000)
    ]
    names = (*whole.names, *(f"more {number}" for number in range(len(more))))
    accounts = growing(whole._replace(pieces=(*whole.pieces, *more), names=names))[:-1]
    hopeless = False
    for account in accounts:
        search = Search(effort)
        named = single_fault(account, search)
        assert not (hopeless and named), account
        hopeless = hopeless or search.hopeless
    assert hopeless


def test_a_round_is_not_hopeless_while_a_change_waits_for_its_second_card() -> None:
    stood = ONE_KIND._replace(closed=False, turned=False)
    without = stood._replace(pieces=stood.pieces[:-3], names=stood.names[:-1])
    assert not Search().explains(stood)
    for account in (without, stood, ONE_KIND):
        search = Search()
        single_fault(account, search)
        assert not search.hopeless


def test_line_by_line_each_answer_to_an_irregular_round_is_that_to_its_lines_so_far() -> None:
    table = {"profile": "hollywood-penn-national", "wagers": {"1": {"main": 1000}, "2": {"main": 2000}}}
    spoken = [{"key": "stand"}, {"key": "hit"}, {"key": "surrender", "spot": 1}, {"key": "hole_turned"}]
    faces = [{"card": face} for face in ("Th", "9h", "9c", "9d", "9s", "8s")]
    lines = [json.dumps(line) for line in (table, *faces, *spoken, {"card": "5c"}, {"close": True})]

    def answers(count: int, *flags: str) -> list[str]:
        return CliRunner().invoke(command, ["-", *flags], input="\n".join(lines[:count])).output.splitlines()

    each = answers(len(lines), "--each")
    irregular = [count for count, answer in enumerate(each, start=1) if json.loads(answer)["plays"] == 0]
    assert len(irregular) >= 4
    assert [each[count - 1] for count in irregular] == [answers(count)[0] for count in irregular]
