"""Uncertain hardware: readers that are lost, keys that come early or late."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from controller.core.game.rules import Rules
from controller.core.game.wager import Basis
from controller.core.inference.case import RoundCase
from controller.core.messages.alerts import RoundIrregular, SpotReaderLost
from controller.core.messages.events import CardDealt, QuestionAsked, WagerSettled, WagerUnresolved
from controller.core.messages.inputs import AdjustWager
from controller.core.step import step
from controller.core.table.state import State, restore
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, ChipsConfirmed, ChipsSeen, DeviceHealth, HealthState, KeyPressed
from tests.core.houses import rules_of
from tests.core.rig import KEY_OF, MS, SPOTS, Rig, penn
from tests.core.summaries import summary

KEYED = penn(stand_key="always")
PENN = profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules


class Dark(Rig):
    """A table on which readers can be lost: those report nothing and confirm nothing."""

    def __init__(self, rules: Rules, chips: dict[str, int] | None = None) -> None:
        self.dead: set[int] = set()
        super().__init__(rules, chips)

    def pass_ms(self, milliseconds: int) -> None:
        self.now_ns += milliseconds * MS
        if self.desired.confirm_ns and not self.late:
            self.give(ChipsConfirmed(tuple(spot for spot in SPOTS if spot not in self.dead), self.now_ns))

    def lose(self, spot: int) -> None:
        self.dead.add(spot)
        self.give(DeviceHealth(f"bet_spots/{spot}", HealthState.LOST, self.now_ns))
        self.pass_ms(100)

    def find(self, spot: int) -> None:
        self.dead.discard(spot)
        self.give(DeviceHealth(f"bet_spots/{spot}", HealthState.READY, self.now_ns))
        self.pass_ms(100)


DEAL = "1 main 10 \n 2 main 20 \n 6h Th 9c 5d 9h 8s"
"""Spot 1 has 11, spot 2 has 19, the dealer 17."""


def dark(talk: str, rules: Rules = KEYED) -> Dark:
    rig = Dark(rules)
    rig.talk(talk)
    return rig


def test_the_spot_of_a_lost_reader_goes_by_hand_and_the_rest_goes_on() -> None:
    rig = dark(DEAL)
    rig.lose(1)
    assert rig.events_of(SpotReaderLost) == [SpotReaderLost(1, 1, "bet_spots/1")]
    rig.talk("Td \n key stand hole_turned")
    assert rig.events_of(RoundIrregular) == []
    assert summary(rig).settled == ["2 main +20.00"]
    asked = rig.events_of(QuestionAsked)
    assert [event.text for event in asked] == ["Did spot 1 double?"]


def test_the_answer_that_it_did_not_double_settles_it() -> None:
    rig = dark(DEAL)
    rig.lose(1)
    rig.talk("Td \n key stand hole_turned no round_closed")
    (first, second) = rig.events_of(WagerSettled)
    assert (first.spot, first.basis) == (2, Basis.EVIDENCE)
    assert (second.spot, second.net_cents, second.basis) == (1, 1000, Basis.ANSWER)
    assert rig.outcomes() == ["settled"]


def test_that_it_did_leaves_the_amount_to_the_floor() -> None:
    rig = dark(DEAL)
    rig.lose(1)
    rig.talk("Td \n key stand hole_turned yes round_closed")
    (left,) = rig.events_of(WagerUnresolved)
    assert isinstance(left, WagerUnresolved)
    assert (left.spot, left.possible_cents) == (1, (1001, 2000))
    rig.give(AdjustWager(rig.now_ns, 1, 1, "main", 1500, "floor", "doubled for five"))
    assert rig.postings()[-1] == "1: spot 1 main +15.00"


def test_a_wager_that_nothing_unseen_could_change_is_settled_on_evidence() -> None:
    rig = dark("1 main 10 \n 2 main 20 \n Ah Th 9c Kd 9h 8s")
    rig.lose(1)
    rig.talk("key stand hole_turned round_closed")
    assert summary(rig).settled == ["1 main +15.00", "2 main +20.00"]


def test_a_surrender_that_nobody_saw_is_asked_about() -> None:
    rig = dark("1 main 10 \n 2 main 20 \n 6h Th 9c Td 9h 8s", penn())
    rig.lose(1)
    rig.talk("key hole_turned round_closed")
    assert [event.text for event in rig.events_of(QuestionAsked)] == ["Did spot 1 surrender?"]
    assert summary(rig).settled == ["2 main +20.00"]
    assert summary(rig).open == ["1 main -10.00 or -5.00"]


def test_chips_that_must_be_taken_at_once_are_not_waited_for_where_nobody_sees_them() -> None:
    rig = dark("1 main 10 \n 2 main 20 \n Th 9c 9d 6h 9h 8s", penn(stand_key="always", busts_taken="at_once"))
    rig.lose(1)
    rig.talk("8d \n 3c \n key hole_turned round_closed")
    assert rig.events_of(RoundIrregular) == []
    assert summary(rig).settled == ["2 main +20.00"]


def test_nothing_is_taken_for_paid_where_nobody_looked() -> None:
    rig = dark("1 main 10 \n 6h 9c 5d 8s")
    rig.lose(1)
    rig.talk("6d \n key stand hole_turned round_closed")
    assert [event.basis for event in rig.events_of(WagerSettled)] == [Basis.EVIDENCE]
    rig = dark("1 main 10 \n 6h 9c 5d 8s")
    rig.lose(1)
    rig.talk("Td \n key hole_turned round_closed")
    assert rig.events_of(WagerSettled) == []


def test_a_reader_that_comes_back_reports_what_it_missed() -> None:
    rig = dark(DEAL)
    rig.lose(1)
    rig.now_ns += 2_000 * MS
    rig.find(1)
    rig.chips(1, "main", 2000, spread_ms=2_000)
    rig.talk("Td \n key stand hole_turned round_closed")
    assert "1 doubled 0 for 10" in summary(rig).moves
    assert sorted(summary(rig).settled) == ["1 main +20.00", "2 main +20.00"]


def test_a_reader_lost_between_rounds_makes_its_spot_one_by_hand() -> None:
    rig = dark("1 main 10 \n 2 main 20")
    rig.lose(1)
    rig.talk("6h Th 9c 5d 9h 8s \n Td \n key stand hole_turned")
    assert rig.events_of(SpotReaderLost) == [SpotReaderLost(1, 1, "bet_spots/1")]
    assert summary(rig).settled == ["2 main +20.00"]


@pytest.mark.parametrize(("drawn", "settled"), [("Td", ["1 insurance -5.00"]), ("", [])])
def test_insurance_is_known_where_its_reader_was_lost_only_after_the_offer(drawn: str, settled: list[str]) -> None:
    """The first card after the deal ends the offer: what is laid unseen from there on is no insurance."""
    rig = dark("1 main 10 \n 2 main 20 \n 5h Th As 5c 9h 8s \n 1 insurance 5")
    rig.talk(drawn)
    rig.lose(1)
    rig.talk(f"{'' if drawn else 'Td'} \n key stand stand hole_turned")
    assert [one for one in summary(rig).settled if "insurance" in one] == settled


@pytest.mark.parametrize(("pressed", "settled"), [("key stand", ["2 ez_bust +5.00"]), ("", [])])
def test_the_first_decision_ends_the_offer_too(pressed: str, settled: list[str]) -> None:
    """A reader that is lost between the key *stand* and the next card has missed no wager offered after the deal."""
    rig = dark("1 main 10 \n 2 main 20 \n Th Td 6c 9d 9h Ts \n 2 ez_bust 5", PENN)
    rig.talk(pressed)
    rig.pass_ms(500)
    rig.lose(2)
    rig.talk(f"key {'stand' if pressed else 'stand stand'} hole_turned \n Kc")
    assert [one for one in summary(rig).settled if "ez_bust" in one] == settled


def test_what_a_reader_missed_may_have_lain_there_until_its_first_inventory() -> None:
    rig = dark("1 main 10 \n 6h 6c 5d Ts", penn())
    lost_ns = rig.now_ns
    rig.lose(1)
    rig.talk("9d")
    rig.give(DeviceHealth("bet_spots/1", HealthState.READY, rig.now_ns))
    # It answers again, but has not looked yet when the dealer draws to 21 and takes what lies there.
    rig.talk("5c")
    rig.give(ChipsSeen(1, "main", (), lost_ns, rig.now_ns))
    rig.find(1)
    rig.talk("key round_closed")
    assert summary(rig).settled == []
    (left,) = rig.events_of(QuestionAsked)
    assert left.text == "Did spot 1 double?"


def test_a_table_restored_in_a_silence_goes_on_the_same() -> None:
    straight, restored = dark(DEAL), dark(DEAL)
    for rig in (straight, restored):
        rig.lose(1)
        rig.talk("Td")
        if rig is restored:
            state = msgspec.json.decode(msgspec.json.encode(rig.table.state), type=State)
            rig.table = restore(rig.house, state)
        rig.talk("key stand hole_turned no round_closed")
    assert restored.events == straight.events


# --- the same in lines of evidence ------------------------------------------------------------------


def recounted(*, lost: bool, **options: Any) -> dict[str, list[int]]:
    """Spot 1 may double 11 at second 9; its reader is lost from 7 to 12 or not at all."""
    recount = RoundCase(rules_of("hollywood-penn-national", **options), {1: {"main": 1000}, 2: {"main": 2000}})
    for at, face in enumerate(("6h", "Th", "9c", "5d", "9h", "8s"), start=1):
        recount.card(Card(face), at * 1_000_000_000)
    recount.card(Card("Td"), 10_000_000_000)
    recount.key("stand", None, 11_000_000_000)
    if lost:
        recount.health("reader 1", 7_000_000_000, 12_000_000_000)
    recount.close()
    possible = recount.account().possible_cents
    assert possible is not None
    return {spot: bets["main"] for spot, bets in possible.items()}


def test_lines_of_evidence_know_silence_too() -> None:
    always = {"stand_key": "always"}
    assert recounted(lost=False, **always) == {"1": [1000], "2": [2000]}
    assert recounted(lost=True, **always) == {"1": [1000, 1001, 2000], "2": [2000]}


# --- keys -------------------------------------------------------------------------------------------


def hurried(slack: int, *keys_and_cards: str) -> Rig:
    """Keys and cards in the order of their times, after a deal with 12 at spot 1, 12 at spot 2 and 17 of the dealer."""
    rig = Rig(penn(stand_key="always", key_slack=slack))
    rig.talk("1 main 10 \n 2 main 20 \n 6h 7h 9c 6d 5h 8s")
    for word in keys_and_cards:
        rig.now_ns += 200 * MS
        item = KeyPressed(rig.now_ns, KEY_OF[word]) if word in KEY_OF else CardDrawn(rig.now_ns, Card(word))
        rig.give(item)
        rig.pass_ms(100)
    rig.talk("key hole_turned round_closed round_closed")
    return rig


IN_TIME = ("hit", "9d", "hit", "9s")
LATE = ("9d", "hit", "9s", "hit")
EARLY = ("hit", "hit", "9d", "9s")
TOO_LATE = ("9d", "9s", "hit", "hit")


@pytest.mark.parametrize("order", [IN_TIME, LATE, EARLY])
def test_a_press_may_be_one_card_early_or_late_with_slack(order: tuple[str, ...]) -> None:
    rig = hurried(1, *order)
    assert rig.events_of(RoundIrregular) == []
    assert sorted(summary(rig).settled) == ["1 main +10.00", "2 main +20.00"]


def test_without_slack_a_late_press_is_irregular_and_an_early_one_asks_for_its_card() -> None:
    assert len(hurried(0, *LATE).events_of(RoundIrregular)) == 1
    (asked,) = hurried(0, *EARLY).events_of(QuestionAsked)
    assert isinstance(asked, QuestionAsked)
    assert asked.text == "Was a card missed for spot 1?"
    assert sorted(summary(hurried(0, *IN_TIME)).settled) == ["1 main +10.00", "2 main +20.00"]


def test_two_cards_late_is_too_late() -> None:
    assert len(hurried(1, *TOO_LATE).events_of(RoundIrregular)) == 1


def test_nothing_is_published_that_a_late_press_could_change() -> None:
    rig = Rig(penn(stand_key="always", key_slack=1))
    rig.talk("1 main 10 \n 2 main 20 \n 6h 7h 9c 6d 5h 8s \n 5d")
    owner = [event.spot for event in rig.events_of(CardDealt)][6:]
    assert owner == []
    rig.talk("key stand \n 9d \n key hole_turned round_closed")
    assert rig.events_of(RoundIrregular) == []
    assert summary(rig).open == ["1 main -10.00 or +0.00", "2 main -20.00 or +20.00"]


def test_slack_lives_through_a_checkpoint() -> None:
    straight = hurried(1, *LATE)
    table = Rig(straight.house.rules).table
    for stamped in straight.stamped[1:]:
        state = msgspec.json.decode(msgspec.json.encode(table.state), type=State)
        table = step(restore(straight.house, state), stamped).table
    assert table.state == straight.table.state
