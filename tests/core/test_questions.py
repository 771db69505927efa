"""What the table asks: the answers are those of the plays, each helps, and a comparison is one look and one key."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from controller.core.game.rules import Rules
from controller.core.inference.lattice import Lattice
from controller.core.inference.outcome_classes import LatticeCase, OutcomeClass, VisibleBox, classes_of
from controller.core.inference.paths import narrowed
from controller.core.inference.question import COMPARED, Question, candidates
from controller.core.messages.events import QuestionAnswered, QuestionAsked, RoundClosed, WagerSettled
from controller.io.files import profile_files
from simulators.people.acts import AnswerQuestions
from simulators.people.display_reader import answer_key
from tests.core.houses import simulated
from tests.core.rig import Rig, penn


class Asked:
    """A question as it was asked, the lattice it was chosen by, and what stood on the display."""

    def __init__(self, question: Question, lattice: Lattice, points: int, shown: str) -> None:
        self.question = question
        self.lattice = lattice
        self.points = points
        self.shown = shown
        self.classes = classes_of([LatticeCase(lattice, points)])

    def dues_left(self, question: Question) -> list[int]:
        """How many different dues each answer leaves."""
        answers: dict[int, set[int]] = {}
        for outcome in self.classes:
            for value in values(question, outcome):
                answers.setdefault(value, set()).add(outcome.dues)
        return [len(dues) for dues in answers.values()]


def values(question: Question, outcome: OutcomeClass) -> list[int]:
    """The answers an outcome class gives; exactly one, or the question is none."""
    if question.kind != COMPARED:
        return [question.value(outcome.sights[question.box])]
    return [
        number
        for number, line in enumerate(question.lines, start=1)
        if all(looks(outcome.sights[box], mark) for box, mark in zip(question.boxes, line, strict=True))
    ]


def looks(sight: VisibleBox, mark: str) -> bool:
    """Whether a box looks as a mark says, written down once more."""
    if mark == "*":
        return True
    if sight.surrendered or mark == "s":
        return sight.surrendered and mark == "s"
    counts = [int(count) for count in mark.strip("()")]
    return list(sight.cards) == counts and mark.startswith("(") == (len(counts) > 1)


class AskedRig(Rig):
    """Readers look only now and then, and every question is kept before it is answered."""

    def __init__(self, rules: Rules, chips: dict[str, int]) -> None:
        self.asked: list[Asked] = []
        super().__init__(rules, chips)
        self.reads_display = True

    def lay(self, spot: int, zone: str, chips: tuple[str, ...], spread_ms: int = 100) -> None:
        super().lay(spot, zone, chips, 300 + spread_ms + 700 * (len(self.stamped) % 2))

    def answer_questions(self, act: AnswerQuestions) -> None:
        self.pass_ms(500)
        while (now := self.table.state.round) is not None and now.questions.asked is not None:
            lattice, hole = self.table.lattice, now.cards.drawn[now.hole_place()].shown()
            assert lattice is not None
            assert hole is not None
            points = {"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10}.get(str(hole)[0]) or int(str(hole)[0])
            self.asked.append(Asked(now.questions.asked.question, lattice, points, self.desired.display))
            super().answer_questions(act)


@pytest.fixture(scope="module")
def table() -> AskedRig:
    rig, rounds = simulated("hollywood-penn-national", 5, 40, "never", make=AskedRig, boxes=(5, 7))
    assert isinstance(rig, AskedRig)
    assert len(rounds) == 40
    return rig


def test_people_are_asked_seldom_and_never_for_nothing(table: AskedRig) -> None:
    asked = [event.round for event in table.events if isinstance(event, QuestionAsked)]
    assert len(set(asked)) > 20
    assert len(asked) <= 1.3 * len(set(asked))
    assert any(each.question.kind == COMPARED for each in table.asked)
    assert any(each.question.kind == "cards" for each in table.asked)
    assert {event.outcome for event in table.events_of(RoundClosed)} == {"settled"}


def test_every_play_gives_one_of_the_answers_and_some_answer_changes_money(table: AskedRig) -> None:
    for each in table.asked:
        open_dues = len({outcome.dues for outcome in each.classes})
        assert all(len(values(each.question, outcome)) == 1 for outcome in each.classes)
        assert {value for outcome in each.classes for value in values(each.question, outcome)} == set(
            each.question.values
        )
        assert min(each.dues_left(each.question)) < open_dues


def test_no_question_about_one_box_has_a_better_worst_answer(table: AskedRig) -> None:
    for each in table.asked:
        worst = max(each.dues_left(each.question))
        assert all(worst <= max(each.dues_left(other)) for other in useful(each))


def useful(each: Asked) -> Iterator[Question]:
    open_dues = len({outcome.dues for outcome in each.classes})
    return (one for one in candidates(each.classes) if min(each.dues_left(one)) < open_dues)


def test_an_answer_leaves_what_weaving_the_round_again_with_it_leaves(table: AskedRig) -> None:
    for each in table.asked:
        for value in each.question.values:
            answers = (*each.lattice.answers, *each.question.answers(value))
            short, long = narrowed(each.lattice, answers), each.lattice.replayed_with(answers)
            assert [cut.frontier for cut in short.cuts] == [cut.frontier for cut in long.cuts]
            assert classes_of([LatticeCase(short, each.points)]) == classes_of([LatticeCase(long, each.points)])
            kept = {outcome.sights for outcome in each.classes if value in values(each.question, outcome)}
            after = {outcome.sights for outcome in classes_of([LatticeCase(short, each.points)])}
            # Who is said to have surrendered need not have shown it, so that his chips may mean something else.
            answered = any(answer.surrendered for answer in answers)
            assert kept <= after if answered else kept == after


def test_a_display_of_four_rows_of_twenty_holds_every_question(table: AskedRig) -> None:
    for each in table.asked:
        rows = [each.shown[at : at + 20] for at in range(0, len(each.shown), 20)]
        assert len(each.shown) <= 80
        if each.question.kind == COMPARED:
            assert rows[0].rstrip().endswith("?")
            entries = [entry for row in rows[1:] for entry in row.split()]
            expected = [f"{number}:{line}" for number, line in enumerate(each.question.choices(), start=1)]
            assert entries == expected


def test_a_comparison_is_shown_in_an_order_that_gives_nothing_away(table: AskedRig) -> None:
    for each in table.asked:
        if each.question.kind == COMPARED:
            assert list(each.question.choices()) == sorted(each.question.choices())


THREE_STOPPED = """
    1 main 10
    2 main 10
    3 main 10
    Tc Td 5h 6s 2c 3c 7d Th
    2s 3s 2d 2h
    key hole_turned
    2c
"""
"""Three spots that may each have drawn: nobody saw who. The dealer has eighteen."""


def asked_round() -> tuple[Rig, QuestionAsked]:
    rig = Rig(penn())
    rig.talk(THREE_STOPPED)
    (asked,) = [event for event in rig.events if isinstance(event, QuestionAsked)]
    return rig, asked


def test_a_comparison_is_answered_by_its_line_or_the_line_s_number() -> None:
    rig, asked = asked_round()
    other, _ = asked_round()
    assert asked.spot is None
    assert re.fullmatch(r"How many cards lie at spots [1-3](,[1-3])+\?", asked.text)
    rig.answer(asked.choices[1])
    other.answer("2")
    assert rig.postings() == other.postings()
    assert rig.events_of(QuestionAnswered) == other.events_of(QuestionAnswered)
    assert rig.events_of(QuestionAnswered) == [QuestionAnswered(asked.question, asked.choices[1], "floor")]


def test_a_comparison_that_waits_names_its_round() -> None:
    rig, asked = asked_round()
    rig.key("round_closed")
    rig.key("round_closed")
    assert rig.desired.display.startswith("R1 ")
    assert rig.desired.display[20:].startswith(f"1:{asked.choices[0]} ")


def test_a_dealer_finds_what_lies_there_among_the_lines() -> None:
    shown = "Cards at 1,2,4?     1:2(23)s 2:2(32)s   3:3*2"
    felt = AnswerQuestions({"1": (2,), "2": (3, 2), "4": (2,)}, (), (4,))
    assert answer_key(shown, felt) == "B"
    assert answer_key(shown, AnswerQuestions({"1": (3,), "2": (9,), "4": (2,)}, (), ())) == "C"
    assert answer_key(shown, AnswerQuestions({"1": (4,), "2": (9,), "4": (2,)}, (), ())) is None


EZ_BUST_ALONE = """
    1 main 10
    Tc 6s 6c 5h
    1 ez_bust 5
    Kh
"""
"""The spot stood and the dealer drew 21, or it broke: it loses either way, but EZ Bust is lost only if it stood."""


@pytest.mark.parametrize(("cards", "due"), [("2", "-5.00"), ("3", "+0.00")])
def test_what_only_a_side_wager_depends_on_is_asked_too(cards: str, due: str) -> None:
    rig = Rig(profile_files.load("hollywood-penn-national", {}).rules)
    rig.talk(EZ_BUST_ALONE)
    rig.key("round_closed")
    assert rig.postings() == ["1: spot 1 main -10.00"]
    rig.answer(cards)
    assert rig.postings() == ["1: spot 1 main -10.00", f"1: spot 1 ez_bust {due}"]
    assert rig.outcomes() == ["settled"]


def test_the_basis_of_what_follows_from_an_answer_is_the_answer() -> None:
    rig, asked = asked_round()
    rig.answer(asked.choices[0])
    after = [event for event in rig.events if isinstance(event, WagerSettled)]
    assert {event.basis for event in after} == {"answer"}
