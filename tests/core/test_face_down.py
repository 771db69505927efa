"""Players' cards dealt face down: nothing that leaves the process depends on them before they are shown."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from random import Random

import pytest
from msgspec.structs import replace

from controller.core.game.rules import Rules
from controller.core.messages.advice import PaymentAdvised
from controller.core.messages.alerts import ChipsUnexplained, CloseRefused, OrderRefused, RoundIrregular
from controller.core.messages.events import (
    BettingClosed,
    CardDealt,
    CardDrawn,
    CardOpened,
    Event,
    HoleCardRevealed,
    QuestionAsked,
    RoundClosed,
    WagerSettled,
)
from controller.core.messages.inputs import AssignCard, SetCard, StampedInput, VoidRound
from controller.core.step import step
from controller.core.table.state import State, Table
from controller.formats.mqtt.retained_state import round_bytes
from controller.io.files import profile_files
from firmware_protocols.cards import DECK, Card
from simulators.people.acts import RoundPlayed
from simulators.people.dealer import play
from simulators.people.house import house_from
from simulators.people.rack import Rack
from simulators.people.simulated_table import StandKey
from tests.core.houses import HABITS
from tests.core.rig import Rig, coded, settled
from tests.core.test_secrecy import with_face
from tests.core.test_truth import assert_account, assert_facts, true_account


def pitch(**options: object) -> Rules:
    return profile_files.load("pitch-h17", {"stand_key": "always", **options}).rules


def rig_with(talk: str, **options: object) -> Rig:
    rig = Rig(pitch(**options))
    rig.talk(talk)
    return rig


def people(
    seed: int, rounds: int, stand_key: StandKey, boxes: tuple[int, int] = (1, 6)
) -> tuple[Rig, list[RoundPlayed]]:
    rack = Rack()
    chips = {row["id"]: int(row["value_cents"]) for row in csv.DictReader(io.StringIO(rack.registry_csv()))}
    rig = Rig(pitch(stand_key="always" if stand_key == "always" else "sometimes"), chips)
    house = house_from(profile_files.raw("pitch-h17"))
    return rig, rig.perform(play(house, Random(seed), rack, boxes, rounds=rounds, stand_key=stand_key))


def opened(rig: Rig) -> list[str]:
    return [event.face for event in rig.events_of(CardOpened)]


# --- secrecy ----------------------------------------------------------------------------------------


def hidden_cards(rig: Rig) -> list[int]:
    """The readings that brought players' cards of the deal."""
    boxes = {e.round: sum(wager.bet == "main" for wager in e.wagers) for e in rig.events_of(BettingClosed)}
    found: list[int] = []
    for event in rig.events_of(CardDrawn):
        match event:
            case CardDrawn(int(number), card, int(position)) if number in boxes:
                if position < 2 * boxes[number] + 1 and position != boxes[number]:
                    found.append(card)
            case _:
                pass
    return found


def before_it_is_shown(table: Table, rest: list[StampedInput], card: int) -> Iterator[bytes]:
    """What leaves the process step by step, up to the opening of any card of the players."""
    for stamped in rest:
        stepped = step(table, stamped)
        table = stepped.table
        kinds = [isinstance(event, CardOpened) and event.card == card for event in stepped.events]
        shown = any(kinds) or table.state.round is None or not table.state.round.hides_faces()
        published: tuple[Event, ...] = () if shown else stepped.events
        yield coded((published, stepped.desired, round_bytes(table.house, table.state))) if not shown else b"shown"
        if shown:
            return


def assert_hands_are_secret(rig: Rig, every: int) -> int:
    """Try all faces in each ``every``-th hidden card; how many were tried."""
    table, tables = Table(rig.house, State()), {}
    for index, stamped in enumerate(rig.stamped):
        tables[index] = table
        table = step(table, stamped).table
    cards = hidden_cards(rig)[::every]
    for number in cards:
        rest = rig.stamped[number - 1 :]
        published = [
            list(before_it_is_shown(tables[number - 1], [with_face(rest[0], f), *rest[1:]], number)) for f in DECK
        ]
        # Payment that has begun is seen on the felt with the hands turned over; until then not a byte differs.
        shortest = min(len(one) for one in published) - 1
        assert len({tuple(one[:shortest]) for one in published}) == 1
        assert shortest > 3
    return len(cards)


@pytest.mark.parametrize("stand_key", HABITS)
def test_no_byte_depends_on_a_hidden_card_before_it_is_shown(stand_key: StandKey) -> None:
    rig, _ = people(61, 5, stand_key, (3, 4))
    assert assert_hands_are_secret(rig, 3) > 8


def test_with_the_key_of_the_turn_every_hand_is_shown_at_the_same_moment() -> None:
    rig = rig_with("1 main 10 \n 2 main 10 \n Ah 5h 6c Kd 6d Ts \n key hit \n 9h \n 5c \n key hole_turned \n 3d")
    for number in hidden_cards(rig):
        table = Table(rig.house, State())
        for stamped in rig.stamped[: number - 1]:
            table = step(table, stamped).table
        rest = rig.stamped[number - 1 :]
        published = {tuple(before_it_is_shown(table, [with_face(rest[0], f), *rest[1:]], number)) for f in DECK}
        assert len(published) == 1


def bet_anew(face: str) -> Rig:
    """Two hands of which the first takes a card, and then other chips lie there: the next bet, if the hand broke."""
    rig = Rig(pitch(turn_key="always"))
    rig.talk(f"1 main 10 \n 2 main 10 \n Th 9h 8c {face} 9d Ts \n key hit \n 9c")
    rig.talk("1 main 0")
    rig.pass_ms(2_000)
    rig.talk("1 main 5")
    rig.pass_ms(6_000)
    return rig


def advised(rig: Rig) -> list[int]:
    return [line.spot for event in rig.events_of(PaymentAdvised) for line in event.lines]


@pytest.mark.parametrize("heeded", [True, False])
def test_nor_what_is_advised_once_the_floor_has_voided_the_round(*, heeded: bool) -> None:
    """With a two the hand goes on, with a king it broke."""
    for face, spots in (("2d", [2, 1]), ("Kc", [2, 1] if heeded else [2])):
        rig = bet_anew(face)
        rig.change_house(turns_keyed=heeded)
        rig.give(VoidRound(rig.now_ns, rig.table.state.rounds, "floor", "misdeal"))
        assert advised(rig) == spots


def test_where_the_hands_are_shown_nothing_is_advised_of_a_next_bet() -> None:
    rig = bet_anew("Kc")
    rig.talk("key stand hole_turned")
    assert rig.postings() == ["1: spot 1 main -10.00", "1: spot 2 main +0.00"]
    assert advised(rig) == [2]


# --- what is published, and when -------------------------------------------------------------------------

HAND = "1 main 10 \n 2 main 20 \n Th 9h 6c 8d 9d Ts"


def test_until_the_turn_only_the_up_card_lies_open() -> None:
    rig = rig_with(f"{HAND} \n key stand stand")
    assert opened(rig) == ["6c"]
    assert rig.events_of(HoleCardRevealed, WagerSettled, QuestionAsked) == []
    assert [event.spot for event in rig.events_of(CardDealt)] == [1, 2, 0, 1, 2, 0]
    assert rig.desired.display == "Round 1"


def test_the_dealers_draws_open_at_once_and_the_hands_with_the_last_of_them() -> None:
    rig = rig_with(f"{HAND} \n key stand stand hole_turned")
    assert opened(rig) == ["6c", "Ts"]
    rig.talk("5c")
    assert opened(rig) == ["6c", "Ts", "Th", "9h", "8d", "9d", "5c"]
    assert rig.postings() == ["1: spot 1 main -10.00", "1: spot 2 main -20.00"]
    assert rig.desired.display == "Round 1: take and pay"


def test_soft_seventeen_is_not_the_end_where_it_is_hit() -> None:
    rig = rig_with("1 main 10 \n Th 6c 8d As \n key stand hole_turned")
    assert opened(rig) == ["6c", "As"]
    rig.talk("4c")
    assert rig.postings() == ["1: spot 1 main -10.00"]


def test_without_the_key_taking_and_paying_shows_them() -> None:
    rig = rig_with(f"{HAND} \n key stand stand \n 5c")
    assert opened(rig) == ["6c"]
    rig.talk("2 main 0")
    assert sorted(opened(rig)) == sorted(["6c", "Ts", "Th", "9h", "8d", "9d", "5c"])
    assert rig.postings() == ["1: spot 1 main -10.00", "1: spot 2 main -20.00"]


def test_or_the_close_does() -> None:
    rig = rig_with("1 main 10 \n Th 6c 8d Ts \n key hit \n 9c \n 1 main 0 \n key round_closed")
    assert [event.reason for event in rig.events_of(CloseRefused)] == [
        "the hole card has not been turned; pressed again it hands the round to the floor"
    ]
    rig.key("round_closed")
    assert rig.outcomes() == ["settled"]
    assert rig.postings() == ["1: spot 1 main -10.00"]
    assert len(opened(rig)) == 5


def test_chips_that_the_cards_make_puzzling_are_reported_when_they_are_shown() -> None:
    rig = rig_with("1 main 10 \n Th 6c 8d Ts \n 1 main 20 \n 1 main 10 \n key stand hole_turned")
    assert rig.events_of(ChipsUnexplained) == []
    rig.talk("2c \n key round_closed")
    assert [event.after_cents for event in rig.events_of(ChipsUnexplained)][:1] == [2000]
    assert rig.outcomes() == ["settled"]


def test_a_round_that_no_play_explains_is_irregular_once_the_hands_are_shown() -> None:
    rig = rig_with("1 main 10 \n Th 6c 8d Ts \n key stand stand hole_turned")
    assert rig.events_of(RoundIrregular) == []
    assert rig.desired.display == "Round 1"
    rig.talk("2c")
    assert len(rig.events_of(RoundIrregular)) == 1
    assert rig.desired.display == "Call the floor"


def test_what_is_asked_is_asked_when_the_hands_are_shown() -> None:
    rig = rig_with("1 main 10 \n Th 6c 8d 7s 5c", stand_key="sometimes")
    assert rig.events_of(QuestionAsked) == []
    rig = rig_with("1 main 10 \n Th 6c 8d 7s 5c \n 1 main 10", stand_key="sometimes")
    rig.talk("key round_closed round_closed")
    assert len(rig.events_of(QuestionAsked)) == 1


def test_a_card_that_could_not_be_read_is_named_once_it_is_shown() -> None:
    rig = rig_with("1 main 10 \n Th 6c")
    rig.card(None)
    rig.talk("Ts \n key stand")
    number = [event.card for event in rig.events_of(CardDrawn)][2]
    rig.give(SetCard(rig.now_ns, number, Card("8d"), "floor", "seen"))
    rig.give(AssignCard(rig.now_ns, number, 1, "floor", "seen"))
    assert [event.reason for event in rig.events_of(OrderRefused)] == [
        "a card dealt face down is named once it is shown",
        "the players' cards have not been shown yet",
    ]
    rig.talk("key hole_turned \n 2c")
    assert rig.desired.display == "Card not read: call the floor"
    rig.give(SetCard(rig.now_ns, number, Card("8d"), "floor", "seen"))
    rig.key("round_closed")
    assert rig.postings() == ["1: spot 1 main +0.00"]


def test_a_voided_round_shows_its_cards() -> None:
    rig = rig_with(HAND)
    rig.give(VoidRound(rig.now_ns, 1, "floor", "misdeal"))
    assert len(opened(rig)) == 6
    assert rig.events_of(RoundClosed) == [RoundClosed(1, (), 0, "void")]


# --- against the truth ------------------------------------------------------------------------------


@pytest.mark.parametrize("stand_key", HABITS)
def test_nothing_is_settled_or_published_but_the_truth(stand_key: StandKey) -> None:
    rig, rounds = people(71, 30, stand_key)
    assert_account(rig, rounds)
    assert_facts(rig, rounds)


def test_with_a_key_for_each_decision_everything_is_settled() -> None:
    rig, rounds = people(72, 60, "always")
    assert settled(rig.events) == true_account(rounds)
    dealt = {event.card for event in rig.events_of(CardDrawn) if event.round}
    shown = [event.card for event in rig.events_of(CardOpened) if event.card in dealt]
    assert sorted(shown) == sorted(dealt)


def test_a_face_up_table_opens_every_card_at_once() -> None:
    rig = Rig(replace(pitch(), player_cards="face_up"))
    rig.talk(HAND)
    assert opened(rig) == ["Th", "9h", "6c", "8d", "9d"]


def test_a_close_before_the_turn_is_refused_at_once_though_the_readers_are_slow() -> None:
    """A dealer who hears of it seconds later has dealt the next round into this one."""
    rig = rig_with("1 main 10 \n key no_more_bets \n Th 9c 6d 8s")
    rig.late = True
    rig.talk("1 main 0 \n key round_closed")
    assert len(rig.events_of(CloseRefused)) == 1
    assert rig.events_of(RoundClosed) == []
    rig.talk("key round_closed")
    rig.late = False
    rig.pass_ms(100)
    assert rig.outcomes() == ["irregular"]


def test_nor_does_a_close_wait_that_comes_after_the_turn() -> None:
    rig = rig_with("1 main 10 \n key no_more_bets \n Th 9c 6d 8s \n key stand hole_turned")
    rig.late = True
    rig.talk("1 main 0 \n key round_closed")
    assert rig.events_of(CloseRefused) == []
    rig.late = False
    rig.pass_ms(100)
    assert rig.outcomes() == ["settled"]


def test_a_double_with_other_chips_for_the_whole_of_it_is_no_payment() -> None:
    """None of the chips lies there any more that lay there at the deal; the card that follows is the doubled hand's."""
    options = {"turn_key": "sometimes", "new_shoe_burns": 0, "even_money_shown": "chips"}
    rig = Rig(profile_files.load("pitch-h17", options).rules, {"A": 10_000, "B": 10_000, "C": 2_500, "D": 250})
    rig.lay(6, "main", ("A",))
    rig.talk("6s 9d 4d 9s")
    rig.pass_ms(1_500)
    rig.lay(6, "main", ("B", "C", "D"))
    rig.pass_ms(3_000)
    rig.talk("7h")
    assert rig.table.state.rounds == 1
    rig.pass_ms(5_000)
    rig.lay(6, "main", ())
    rig.lay(6, "main", ("A",))
    rig.talk("Th")
    dues = [(event.round, event.net_cents) for event in rig.events if isinstance(event, WagerSettled)]
    assert (1, -10_000) not in dues
