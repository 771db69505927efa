"""The simulated people against a referee who knows the rules and sees their acts only."""

from __future__ import annotations

from collections import Counter
from itertools import islice, pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from firmware_protocols.cards import DECK, Card, Rank
from simulators.people.acts import Act, Draw, Lay, Pause, Press, RoundPlayed
from simulators.people.dealer import play
from simulators.people.house import House
from simulators.people.rack import Rack
from simulators.people.simulated_table import LOOK_PAUSE_MS, StandKey
from tests.simulators.referee import Referee
from tests.simulators.seen import values_of

HOUSES = {
    "hollywood-penn-national": House(),
    "hollywood-perryville": House(max_hands=4, surrender="none", insurance_cap="half_up_to_next_chip"),
    "borgata": House(max_hands=4, surrender="late", surrender_turn="own", even_money=True),
    "classic-shoe-and-pitch": House(max_hands=4, resplit_aces=True, double_on="any", surrender="none"),
    "pitch-h17": House(soft_17="hit", max_hands=4, split_by="rank", double_on="nine_to_eleven", surrender="none"),
    "no hole card": House(hole_card="none"),
    "a device that checks the hole card": House(hole_check="device"),
    "nobody enters in mid shoe": House(mid_shoe_entry="refused", decks=2, boxes=6),
    "six to five, nothing else": House(
        natural_pays=(6, 5), insurance=False, double_for_less=False, double_after_split=False, surrender="none"
    ),
}


def watched(house: House, seed: int, rounds: int, **habits: Any) -> Counter[str]:
    rack = Rack()
    referee = Referee(house, values_of(rack.registry_csv()))
    for act in play(house, Random(seed), rack, rounds=rounds, **habits):
        referee.see(act)
    assert referee.rounds == rounds
    return referee.seen


def acts_of(seed: int, rounds: int, **habits: Any) -> list[Act]:
    return list(play(House(), Random(seed), Rack(), rounds=rounds, **habits))


class Stacked(Random):
    """Chance whose shuffled shoes come out rank by rank, aces first, so that pairs never end."""

    def shuffle(self, x: Any, /) -> None:
        super().shuffle(x)
        if isinstance(x[0], Card):
            x.sort(key=lambda card: list(Rank).index(card.rank), reverse=True)


@pytest.mark.parametrize("name", HOUSES)
def test_every_round_obeys_the_rules_of_the_house(name: str) -> None:
    seen = watched(HOUSES[name], seed=7, rounds=600, fumbles_per_mille=100)

    assert seen["split to 2"] > 0
    assert seen["touched or swapped in the deal"] > 0
    assert seen["swapped"] > 0


@pytest.mark.parametrize("name", HOUSES)
def test_pairs_are_split_to_the_limit_and_not_beyond(name: str) -> None:
    house = HOUSES[name]
    rack = Rack()
    referee = Referee(house, values_of(rack.registry_csv()))

    for act in play(house, Stacked(5), rack, (2, 4), rounds=300, whims_per_mille=300):
        referee.see(act)

    assert referee.seen[f"split to {house.max_hands}"] > 20
    assert referee.seen[f"split to {house.max_hands + 1}"] == 0
    assert (referee.seen["aces split again"] > 0) == house.resplit_aces


def test_everything_that_happens_at_a_table_happens() -> None:
    seen = watched(House(), seed=1, rounds=2500)

    for happening in (
        "natural paid",
        "natural pushed",
        "double",
        "double for less",
        "double after split",
        "split to 2",
        "split to 3",
        "aces split",
        "split hand taken",
        "bust",
        "push",
        "hit",
        "insurance won",
        "insurance lost",
        "surrender",
        "surrender lost to a natural",
        "only the original lost",
    ):
        assert seen[happening] > 0, happening
    assert seen["burn"] > 80, "a new shoe is burned every two dozen rounds or so"
    assert seen["swapped"] == seen["touched or swapped in the deal"] == 0, "nobody fumbles unless asked to"


def tampered(acts: list[Act], how: str) -> list[Act]:
    """The same acts with one thing wrong, in the first place after the start where it can be."""
    match how:
        case "a stand without its key":
            place = acts.index(Press("L"))
            return acts[:place] + acts[place + 1 :]
        case "a card too many":
            place = next(place for place, act in enumerate(acts) if act == Press("S"))
            return [*acts[:place], Draw(Card.C2), *acts[place:]]
        case "chips of another spot":
            place = next(place for place, act in enumerate(acts) if isinstance(act, Lay) and act.chips)
            first = acts[place]
            assert isinstance(first, Lay)
            return [*acts[: place + 1], Lay(first.spot % 7 + 1, "main", first.chips), *acts[place + 1 :]]
        case "a payment left out":
            turned = acts.index(Press("S"))
            place = next(place for place in range(turned, len(acts)) if isinstance(acts[place], Lay))
            return acts[:place] + acts[place + 1 :]
        case "a cent too much":
            place = next(place for place, act in enumerate(acts) if isinstance(act, RoundPlayed))
            truth = acts[place]
            assert isinstance(truth, RoundPlayed)
            more = replace(truth.wagers[0], net_cents=truth.wagers[0].net_cents + 1)
            return [*acts[:place], replace(truth, wagers=(more, *truth.wagers[1:])), *acts[place + 1 :]]
        case _:
            return [act for act in acts if act != Press(how)]


@pytest.mark.parametrize(
    "how",
    [
        "a stand without its key",
        "a card too many",
        "chips of another spot",
        "a payment left out",
        "a cent too much",
        *"MNOPQSTX",
    ],
)
def test_the_referee_sees_what_is_wrong(how: str) -> None:
    rack = Rack()
    referee = Referee(House(), values_of(rack.registry_csv()))
    acts = list(play(House(), Random(2), rack, rounds=60, boxes=(4, 4)))
    assert tampered(acts, how) != acts

    with pytest.raises(AssertionError):  # noqa: PT012  which act shows it depends on what is wrong
        for act in tampered(acts, how):
            referee.see(act)


def test_even_money_is_taken_where_the_house_has_it() -> None:
    assert watched(HOUSES["borgata"], seed=5, rounds=1200)["even money"] > 0
    assert watched(HOUSES["hollywood-perryville"], seed=5, rounds=300)["even money"] == 0


@settings(max_examples=100)
@example(  # a payment that takes thirteen chips at the fewest
    seed=4870,
    house=House(
        double_on="any",
        max_hands=3,
        split_by="value",
        double_for_less=True,
        double_after_split=True,
        soft_17="stand",
        resplit_aces=False,
        surrender="none",
        even_money=False,
        insurance=False,
        natural_pays=(3, 2),
        hole_card="none",
    ),
    people={"decks": 8, "boxes": (5, 6), "whims_per_mille": 55, "fumbles_per_mille": 119},
)
@given(
    seed=st.integers(min_value=0),
    house=st.builds(
        House,
        soft_17=st.sampled_from(["stand", "hit"]),
        max_hands=st.integers(2, 5),
        resplit_aces=st.booleans(),
        split_by=st.sampled_from(["value", "rank"]),
        double_on=st.sampled_from(["any", "any_but_21", "nine_to_eleven"]),
        double_for_less=st.booleans(),
        double_after_split=st.booleans(),
        surrender=st.sampled_from(["none", "late"]),
        surrender_turn=st.sampled_from(["own", "any"]),
        even_money=st.booleans(),
        insurance=st.booleans(),
        natural_pays=st.sampled_from([(3, 2), (6, 5), (1, 1), (2, 1)]),
        hole_card=st.sampled_from(["dealt", "none"]),
    ),
    people=st.fixed_dictionaries(
        {
            "decks": st.integers(2, 8),
            "boxes": st.tuples(st.integers(1, 7), st.integers(1, 7)).map(lambda ends: (min(ends), max(ends))),
            "whims_per_mille": st.integers(0, 1000),
            "fumbles_per_mille": st.integers(0, 300),
        }
    ),
)
def test_any_house_and_any_people_obey_the_rules(seed: int, house: House, people: dict[str, Any]) -> None:
    watched(house, seed, rounds=15, **people)


def test_the_same_seed_gives_the_same_acts_and_another_seed_others() -> None:
    assert acts_of(11, 40, fumbles_per_mille=50) == acts_of(11, 40, fumbles_per_mille=50)
    assert acts_of(11, 40) != acts_of(12, 40)


def test_rounds_go_on_without_end_and_only_as_they_are_asked_for() -> None:
    class Counting(Random):
        asked = 0

        def randrange(self, *args: Any, **more: Any) -> int:
            self.asked += 1
            return super().randrange(*args, **more)

    rng = Counting(3)
    acts = play(House(), rng, Rack())
    assert rng.asked == 0
    list(islice(acts, 10))
    asked = rng.asked
    list(islice(acts, 5000))
    assert 0 < asked < 100 < rng.asked
    assert isinstance(next(acts), Draw | Lay | Pause | Press | RoundPlayed)


@pytest.mark.parametrize(("fewest", "most"), [(1, 1), (3, 3), (7, 7), (2, 5)])
def test_as_many_boxes_as_asked_for(fewest: int, most: int) -> None:
    rounds = [act for act in acts_of(2, 120, boxes=(fewest, most)) if isinstance(act, RoundPlayed)]

    counts = {len(act.hands) for act in rounds}
    assert min(counts) >= fewest
    assert max(counts) <= most
    assert fewest == most or len(counts) > 1, "players come and go"


def test_bets_are_left_on_the_felt_too() -> None:
    rack = Rack()
    left = 0
    zones: dict[int, tuple[str, ...]] = {}
    for act in play(House(), Random(4), rack, rounds=200):
        if isinstance(act, Lay) and act.zone == "main":
            zones[act.spot] = act.chips
        elif isinstance(act, RoundPlayed):
            left += sum(1 for chips in zones.values() if chips)
    assert left > 50


@pytest.mark.parametrize("stand_key", ["sometimes", "never"])
def test_keys_are_pressed_as_is_the_habit(stand_key: StandKey) -> None:
    acts = acts_of(9, 300, stand_key=stand_key, hit_key_per_mille=1000)

    keys = Counter(act.key for act in acts if isinstance(act, Press))
    play_keys = {key for key in keys if key in "ABCDEFGKLMNOR"}
    assert keys["P"] == keys["S"] == keys["T"] == 300
    assert play_keys == set() if stand_key == "never" else {"K", "L", "M", "N", "O"} <= play_keys
    stands = Counter(act.key for act in acts_of(9, 300) if isinstance(act, Press))["L"]
    assert keys["L"] < stands * 3 // 4


def test_without_keys_chips_still_agree_with_the_truth() -> None:
    rack = Rack()
    values = values_of(rack.registry_csv())
    zones: dict[tuple[int, str], tuple[str, ...]] = {}
    locked: dict[tuple[int, str], int] = {}
    for act in play(House(), Random(21), rack, rounds=400, stand_key="never"):
        if isinstance(act, Lay):
            zones[act.spot, act.zone] = act.chips
            lying = [chip for chips in zones.values() for chip in chips]
            assert len(lying) == len(set(lying))
        elif isinstance(act, Press) and act.key == "P":
            locked = {place: sum(values[chip] for chip in chips) for place, chips in zones.items() if chips}
        elif isinstance(act, RoundPlayed):
            assert {(w.spot, w.bet): w.wager_cents for w in act.wagers if w.bet == "main"} == locked


def test_hit_keys_come_as_often_as_asked_for() -> None:
    def hits(per_mille: int) -> int:
        return sum(isinstance(act, Press) and act.key == "K" for act in acts_of(6, 100, hit_key_per_mille=per_mille))

    assert hits(0) == 0 < hits(300) < hits(1000)


def test_pauses_are_human() -> None:
    acts = acts_of(13, 100)
    before_card = [a.milliseconds for a, b in pairwise(acts) if isinstance(a, Pause) and type(b) is Draw]

    assert all(300 <= ms <= 1200 for ms in before_card), "a deal goes twice as fast as the play"
    assert all(300 <= act.milliseconds <= 2100 for act in acts if isinstance(act, Pause))
    assert all(isinstance(a, Pause) or isinstance(b, Pause) for a, b in pairwise(acts)), "a pause before every act"
    two = [a.milliseconds for a, b in pairwise(acts) if isinstance(a, Pause) and isinstance(b, Pause)]
    assert two == [LOOK_PAUSE_MS] * 100, "and once a round everybody looks at the deal"


def test_a_shoe_holds_its_decks_and_is_changed_with_less_than_a_quarter_left() -> None:
    shoes: list[list[Any]] = []
    for act in acts_of(8, 150, decks=6):
        if isinstance(act, Press) and act.key == "X":
            shoes.append([])
        elif isinstance(act, Draw):
            shoes[-1].append(act.card)
    for cards in shoes:
        assert max(Counter(cards).values()) <= 6
        assert len(cards) <= 6 * len(DECK)
    assert all(312 - len(cards) < 78 for cards in shoes[:-1])
    assert len(shoes) > 3


@pytest.mark.parametrize(
    "wrong",
    [{"boxes": (0, 3)}, {"boxes": (4, 3)}, {"boxes": (1, 8)}, {"decks": 1}, {"decks": 9}, {"whims_per_mille": 1001}],
)
def test_numbers_out_of_range_are_refused_at_once(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"boxes|decks|per mille"):
        play(House(), Random(1), Rack(), **wrong)
