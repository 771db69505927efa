"""What the table does when it, its shoe or its readers were away."""

from __future__ import annotations

from msgspec.structs import replace

from controller.core.messages.alerts import AnswerRefused, CardsMayBeMissing, SpotReaderLost
from controller.core.messages.events import DeviceStatusChanged, QuestionAnswered, QuestionAsked, TableStarted
from controller.core.messages.inputs import AnswerQuestion, DaemonStarted
from controller.core.round.missed_cards import MISSED_CARDS
from controller.core.table.state import restore
from firmware_protocols.readings import ChipsSeen, DeviceHealth, HealthState
from tests.core.rig import MS, Rig, penn, rig_with
from tests.core.summaries import summary

KEYED = penn(stand_key="always")
DEAL = "1 main 10 \n Th 9c 6d 8s"
END = "key stand hole_turned round_closed"


def restarted(rig: Rig, *, at_ns: int | None = None, profile_hash: str | None = None) -> int:
    """The daemon ends, comes back from its checkpoint, and reads the chips afresh.

    Gives the moment of the new clock up to which the readers are asked to confirm.
    """
    house = rig.house if profile_hash is None else replace(rig.house, profile_hash=profile_hash)
    rig.table = restore(house, rig.table.state)
    rig.now_ns = rig.now_ns + 5_000 * MS if at_ns is None else at_ns
    started_ns = rig.now_ns
    rig.give(DaemonStarted(started_ns, "test", house))
    asked_ns = rig.desired.confirm_ns
    rig.now_ns += 500 * MS
    for (spot, zone), chips in rig.lying.items():
        rig.give(ChipsSeen(spot, zone, tuple(sorted(chips)), started_ns, rig.now_ns))
    rig.pass_ms(100)
    return asked_ns


def test_the_first_start_is_no_restart() -> None:
    rig = Rig(KEYED)
    (started,) = rig.events
    assert started == TableStarted("test", "hollywood-penn-national", "0" * 64, restart=False, round_open=False)


def test_between_rounds_nobody_need_answer() -> None:
    rig = rig_with(f"{DEAL} \n {END}")
    restarted(rig)
    assert rig.events_of(CardsMayBeMissing) == [CardsMayBeMissing(None, "the daemon was not running")]
    assert rig.events_of(QuestionAsked) == []
    rig.talk(f"1 main 20 \n Th 9c 6d 8s \n {END}")
    assert rig.outcomes() == ["settled", "settled"]


def test_in_a_round_people_are_asked() -> None:
    rig = rig_with(DEAL)
    restarted(rig)
    assert rig.events_of(QuestionAsked) == [QuestionAsked(1, 1, None, MISSED_CARDS, ("no", "yes"))]
    assert rig.desired.display == "Cards drawn meanwhile? yes/no"


def test_answered_no_by_key_the_round_goes_on() -> None:
    rig = rig_with(DEAL)
    restarted(rig)
    rig.talk(f"key no \n {END}")
    assert rig.events_of(QuestionAnswered) == [QuestionAnswered(1, "no", "dealer")]
    assert summary(rig).settled == ["1 main -10.00"]


def test_answered_no_by_the_floor_too() -> None:
    rig = rig_with(DEAL)
    restarted(rig)
    rig.answer("no")
    rig.talk(END)
    assert rig.events_of(QuestionAnswered) == [QuestionAnswered(1, "no", "floor")]
    assert summary(rig).settled == ["1 main -10.00"]


def test_answered_yes_the_round_goes_to_the_floor_and_the_next_one_on() -> None:
    rig = rig_with(DEAL)
    restarted(rig)
    rig.talk(f"key yes \n {END} \n 1 main 20 \n Th 9c 6d 8s \n {END}")
    assert rig.irregularities() == ["cards were drawn while the table was not listening"]
    assert rig.outcomes() == ["irregular", "settled"]
    assert rig.postings() == ["2: spot 1 main -20.00"]


def test_nothing_is_settled_while_the_question_is_open() -> None:
    rig = rig_with(DEAL)
    restarted(rig)
    rig.talk("key stand hole_turned")
    assert summary(rig).settled == []
    rig.talk("key no")
    rig.pass_ms(100)
    assert summary(rig).settled == ["1 main -10.00"]


def test_a_question_that_nobody_answers_leaves_the_round_to_the_floor() -> None:
    rig = rig_with(DEAL)
    restarted(rig)
    rig.talk(f"{END} \n 1 main 20 \n Th 9c 6d 8s \n {END}")
    assert rig.irregularities() == ["nobody said whether cards were missed"]
    assert rig.outcomes() == ["irregular", "settled"]


def test_answers_that_fit_no_question_are_refused() -> None:
    rig = rig_with(DEAL)
    rig.give(AnswerQuestion(rig.now_ns, 1, "no", "floor"))
    restarted(rig)
    rig.give(AnswerQuestion(rig.now_ns, 2, "no", "floor"))
    rig.give(AnswerQuestion(rig.now_ns, 1, "perhaps", "floor"))
    assert [event.reason for event in rig.events_of(AnswerRefused)] == [
        "no such question is open",
        "no such question is open",
        "the answers are yes and no",
    ]
    assert rig.events_of(QuestionAnswered) == []


def test_chips_that_changed_meanwhile_changed_at_any_moment_since() -> None:
    """The double was laid while the daemon was down; the card that came before it went down still is the first hit."""
    rig = rig_with("1 main 10 \n 6h 9c 5d 8s")
    chip = "E0DD"
    rig.values[chip] = 2000
    rig.lying[1, "main"] = (chip,)
    restarted(rig)
    rig.talk("key no \n Td \n key hole_turned round_closed")
    assert summary(rig).moves == ["1 doubled 0 for 10"]
    assert summary(rig).settled == ["1 main +20.00"]


def test_a_shoe_that_numbers_its_cards_asks_nobody() -> None:
    rig = Rig(KEYED)
    rig.change_house(shoe_numbers_cards=True)
    rig.talk(DEAL)
    restarted(rig)
    assert rig.events_of(CardsMayBeMissing, QuestionAsked) == []


def test_a_reboot_sets_the_clock_back_but_not_the_table() -> None:
    rig = rig_with(DEAL)
    last_ns = rig.table.state.last_ns
    confirm_wanted_ns = restarted(rig, at_ns=3 * MS)
    assert rig.table.state.last_ns > last_ns
    assert 0 < confirm_wanted_ns <= rig.now_ns
    rig.talk(f"key no \n {END} \n 1 main 20 \n Th 9c 6d 8s \n {END}")
    assert rig.postings() == ["1: spot 1 main -10.00", "2: spot 1 main -20.00"]


def test_a_profile_changed_in_a_round_leaves_it_to_the_floor() -> None:
    rig = rig_with(DEAL)
    restarted(rig, profile_hash="1" * 64)
    assert rig.irregularities() == ["the profile changed in the middle of the round"]


def test_a_profile_changed_between_rounds_holds_from_the_next() -> None:
    rig = rig_with(f"{DEAL} \n {END}")
    restarted(rig, profile_hash="1" * 64)
    rig.talk(f"1 main 20 \n Th 9c 6d 8s \n {END}")
    assert rig.outcomes() == ["settled", "settled"]


def test_a_shoe_that_was_away_in_a_round_raises_the_question() -> None:
    rig = rig_with(DEAL)
    rig.give(DeviceHealth("shoe", HealthState.LOST, rig.now_ns, "unplugged"))
    assert rig.events_of(CardsMayBeMissing) == []
    rig.give(DeviceHealth("shoe", HealthState.READY, rig.now_ns))
    assert rig.events_of(CardsMayBeMissing) == [CardsMayBeMissing(1, "the shoe was not connected")]
    assert rig.events_of(DeviceStatusChanged) == [
        DeviceStatusChanged("shoe", "lost", "unplugged"),
        DeviceStatusChanged("shoe", "ready", ""),
    ]
    rig.talk(f"key no \n {END}")
    assert rig.outcomes() == ["settled"]


def test_a_shoe_that_was_ready_all_along_raises_none() -> None:
    rig = rig_with(DEAL)
    rig.give(DeviceHealth("shoe", HealthState.READY, rig.now_ns))
    assert rig.events_of(CardsMayBeMissing) == []


def test_an_answer_to_no_question_answers_none() -> None:
    rig = Rig(KEYED)
    rig.talk("1 main 10 \n Th 9c")
    rig.give(AnswerQuestion(rig.now_ns, 0, "yes", "floor"))
    assert rig.events_of(AnswerRefused) == [AnswerRefused(0, "yes", "no such question is open", "no_such_question")]
    assert rig.table.state.round is not None
    assert not rig.table.state.round.evidence.trouble


def test_two_doubts_are_one_question() -> None:
    rig = rig_with(DEAL)
    restarted(rig)
    rig.give(DeviceHealth("shoe", HealthState.LOST, rig.now_ns))
    rig.give(DeviceHealth("shoe", HealthState.READY, rig.now_ns))
    assert len(rig.events_of(QuestionAsked)) == 1


def test_a_reader_lost_in_a_round_leaves_its_spot_to_the_floor() -> None:
    rig = rig_with(DEAL)
    rig.give(DeviceHealth("bet_spots/1", HealthState.LOST, rig.now_ns))
    assert rig.events_of(SpotReaderLost) == [SpotReaderLost(1, 1, "bet_spots/1")]
    assert rig.irregularities() == []


def test_a_reader_of_another_spot_does_not() -> None:
    rig = rig_with(DEAL)
    rig.give(DeviceHealth("bet_spots/2", HealthState.FAULTY, rig.now_ns))
    rig.give(DeviceHealth("keypad", HealthState.LOST, rig.now_ns))
    rig.talk(END)
    assert rig.outcomes() == ["settled"]


def test_a_reader_that_came_back_between_rounds_does_not() -> None:
    rig = Rig(KEYED)
    rig.give(DeviceHealth("bet_spots/1", HealthState.LOST, rig.now_ns))
    rig.give(DeviceHealth("bet_spots/1", HealthState.READY, rig.now_ns))
    rig.talk(f"{DEAL} \n {END}")
    assert rig.outcomes() == ["settled"]
