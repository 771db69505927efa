"""How many questions a round needs, and how few it could: the same rounds by several ways of asking.

    .venv/bin/python -m bench.questions --rounds 300 --boxes 7 --seed 5

``single``: the best question about one box, again and again. ``compared``: as the table asks. ``clairvoyant``: the
fewest questions about one box whose true answers leave one set of dues, chosen by somebody who knows the truth; no way
of asking about one box at a time can need fewer. Prints one JSON object: questions in each round that needs any.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from functools import reduce
from itertools import combinations
from operator import and_

from bench.truth import TimedRig, chips_by_id
from controller.core.game.hand import points_of, seen
from controller.core.inference.outcome_classes import LatticeCase, OutcomeClass, VisibleBox, classes_of
from controller.core.inference.question import best_of, candidates
from controller.io.files import profile_files
from simulators.people.acts import AnswerQuestions
from simulators.people.dealer import play
from simulators.people.house import house_from
from simulators.people.rack import Rack


class ListeningRig(TimedRig):
    """Keeps what is open in each round before anything is answered."""

    def answer_questions(self, act: AnswerQuestions) -> None:
        self.pass_ms(500)
        now, found = self.table.state.round, self.table.lattice
        if now is not None and found is not None and now.questions.asked is not None:
            hole = now.cards.drawn[now.hole_place()].shown()
            assert hole is not None, "the hole card has been turned"
            known = classes_of([LatticeCase(found, points_of(seen(0, hole)))])
            true = tuple(
                VisibleBox(act.cards[str(spot)], spot in act.doubled, spot in act.surrendered)
                for spot in now.bets.spots
            )
            self.rounds.append((known, true))
        super().answer_questions(act)

    rounds: list[tuple[list[OutcomeClass], tuple[VisibleBox, ...]]]


def questions_needed(known: list[OutcomeClass], true: tuple[VisibleBox, ...], *, compared: bool) -> int:
    """The number of questions until the dues are certain."""
    count = 0
    while (question := best_of(known, compared=compared)) is not None:
        count += 1
        answer = question.answer_in(true)
        known = [outcome_class for outcome_class in known if question.answer_in(outcome_class.sights) == answer]
    return count


def fewest(known: list[OutcomeClass], true: tuple[VisibleBox, ...]) -> int:
    """The fewest true answers about one box that leave one set of dues, whichever of those the true class has."""
    dues = {outcome_class.dues for outcome_class in known if outcome_class.sights == true}
    others = [outcome_class for outcome_class in known if outcome_class.dues not in dues]
    left = {
        sum(
            1 << at
            for at, outcome_class in enumerate(others)
            if one.answer_in(outcome_class.sights) == one.answer_in(true)
        )
        for one in candidates(known)
    }
    for count in range(1, len(left) + 1):
        if any(reduce(and_, chosen) == 0 for chosen in combinations(left, count)):
            return count
    return len(left)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--boxes", type=int, default=7)
    parser.add_argument("--profile", default="hollywood-penn-national")
    arguments = parser.parse_args()
    rack = Rack()
    rules = profile_files.load(arguments.profile, {"stand_key": "sometimes"}).rules
    rig = ListeningRig(rules, chips_by_id(rack), arguments.seed, sharp=False)
    rig.rounds = []
    house = house_from(profile_files.raw(arguments.profile))
    boxes = (arguments.boxes, arguments.boxes)
    for act in play(house, random.Random(arguments.seed), rack, boxes, rounds=arguments.rounds, stand_key="never"):
        rig.perform([act])
        rig.events.clear()
        rig.stamped.clear()
    counts = {
        "clairvoyant": Counter(fewest(*one) for one in rig.rounds),
        "single": Counter(questions_needed(*one, compared=False) for one in rig.rounds),
        "compared": Counter(questions_needed(*one, compared=True) for one in rig.rounds),
    }
    rounds = len(rig.rounds)
    means = {name: round(sum(k * n for k, n in found.items()) / rounds, 3) for name, found in counts.items()}
    dues = sorted(len({outcome_class.dues for outcome_class in known}) for known, _ in rig.rounds)
    print(
        json.dumps(
            {
                "boxes": arguments.boxes,
                "rounds": arguments.rounds,
                "rounds_asked": rounds,
                **means,
                "questions": {name: dict(sorted(found.items())) for name, found in counts.items()},
                "dues_median": dues[rounds // 2],
                "dues_p90": dues[rounds * 9 // 10],
                "dues_most": dues[-1],
            }
        )
    )


if __name__ == "__main__":
    main()
