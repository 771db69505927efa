"""Chips that move twice within a moment: one double, one wager, and nobody's offence."""

from __future__ import annotations

from typing import Any

import pytest

from controller.core.messages.events import ChipsChanged, HandDoubled, HandsSplit, SpotSurrendered
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.core.table.state import restore
from controller.formats.replay import read_state, state_bytes
from controller.io.files import profile_files
from firmware_protocols.readings import ChipsSeen, DeviceHealth, HealthState
from tests.core.rig import MS, Rig

PROFILES = ["hollywood-penn-national", "hollywood-perryville", "borgata", "classic-shoe-and-pitch", "pitch-h17"]
KEYED = {"stand_key": "always", "turn_key": "always"}
CHANGED_HANDS = (HandDoubled, HandsSplit, SpotSurrendered)


class QuickReaders(Rig):
    """A rig whose readers see every movement of a hand."""

    gathers_moves = True


def table(deal: str, profile: str = "hollywood-penn-national", **options: Any) -> QuickReaders:
    rig = QuickReaders(profile_files.load(profile, {"turn_key": "sometimes", **options}).rules)
    rig.talk(deal)
    rig.pass_ms(3_000)
    return rig


def lift(rig: Rig, spot: int, milliseconds: int, *, same: bool = True) -> None:
    """A wager leaves its place and is laid back, in its own chips or in another."""
    chips = rig.lying[spot, "main"]
    cents = sum(rig.values[chip] for chip in chips)
    rig.lay(spot, "main", ())
    rig.pass_ms(milliseconds)
    if same:
        rig.lay(spot, "main", chips)
    else:
        rig.exchange(spot, "main", cents)


def lay(rig: Rig, spot: int, *dollars: int, gap_ms: int = 400) -> None:
    """Chips come to a box in several movements."""
    for amount in dollars:
        rig.talk(f"{spot} main {amount}")
        rig.pass_ms(gap_ms)


def end(rig: Rig, *acts: str) -> None:
    """The wagers are taken and paid, and the next deal begins."""
    for act in acts:
        rig.talk(act)
        rig.pass_ms(1_300)
    rig.pass_ms(5_000)
    rig.talk("1 main 25 \n 7 main 25 \n 9s 8s 9d 9c 7d Td")
    rig.pass_ms(3_000)


def accused(rig: Rig) -> list[AlertKind]:
    kinds = {AlertKind.CAPPING, AlertKind.PINCHING, AlertKind.PAST_POSTING, AlertKind.BET_TOUCHED}
    return [one.kind for one in rig.events if isinstance(one, AlertRaised) and one.kind in kinds]


@pytest.mark.parametrize("same", [True, False], ids=["the same chips", "others"])
@pytest.mark.parametrize("profile", PROFILES[:3])
def test_a_wager_lifted_and_laid_back_is_neither_surrendered_nor_doubled(profile: str, *, same: bool) -> None:
    rig = table("1 main 5 \n 7 main 100 \n 8h 7s Kh Kd 6s 9h", profile)
    lift(rig, 1, 300, same=same)
    rig.pass_ms(2_000)
    rig.talk("key 7 hit \n 4s \n key hole_turned")
    end(rig, "7 main 0", "1 main 0", "key round_closed")
    assert rig.told(*CHANGED_HANDS) == []
    assert "1: spot 1 main -5.00" in rig.postings()
    assert accused(rig) == []


def test_it_may_be_away_while_another_hand_draws() -> None:
    rig = table("1 main 5 \n 7 main 100 \n 8h 7s Kh Kd 6s 9h", **KEYED)
    chips = rig.lying[1, "main"]
    rig.talk("key stand \n 1 main 0 \n key 7 hit \n 4s")
    rig.lay(1, "main", chips)
    rig.pass_ms(3_000)
    rig.talk("key stand hole_turned")
    end(rig, "7 main 0", "1 main 0", "key round_closed")
    assert rig.postings() == ["1: spot 1 main -5.00", "1: spot 7 main -100.00"]
    assert (rig.told(*CHANGED_HANDS), accused(rig)) == ([], [])


def test_what_stays_away_is_a_surrender() -> None:
    rig = table("1 main 10 \n 7 main 100 \n Th 7s 9d 6d 6s 9h", **KEYED)
    rig.talk("1 main 5")
    rig.pass_ms(2_000)
    assert [one.after_cents for one in rig.events if isinstance(one, ChipsChanged)] == [1_000, 10_000]
    rig.pass_ms(1_000)
    assert [one.after_cents for one in rig.events if isinstance(one, ChipsChanged)] == [1_000, 10_000, 500]
    rig.talk("key hit \n 4s \n key stand hole_turned")
    end(rig, "7 main 0", "1 main 0", "key round_closed")
    assert rig.postings() == ["1: spot 1 main -5.00", "1: spot 7 main -100.00"]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("gap_ms", [100, 400, 1_100])
@pytest.mark.parametrize("keys", [KEYED, {}], ids=["keys", "no keys"])
def test_a_double_laid_in_two_movements_is_one_double(profile: str, gap_ms: int, keys: dict[str, str]) -> None:
    rig = table("1 main 50 \n 9s Jh 2c 9d", profile, **keys)
    lay(rig, 1, 75, 100, gap_ms=gap_ms)
    if keys:
        rig.talk("key double")
    rig.talk("Th")
    rig.pass_ms(4_500)
    if keys:
        rig.talk("key hole_turned")
    end(rig, "1 main 200", "1 main 0", *(["key round_closed"] if keys else []))
    assert [one.cents for one in rig.events if isinstance(one, HandDoubled) and one.round == 1] == [5_000]
    assert rig.postings()[0] == "1: spot 1 main +100.00"
    assert accused(rig) == []


def test_a_split_laid_in_two_movements_is_one_split() -> None:
    rig = table("1 main 50 \n 8s Jh 8c 9d", **KEYED)
    lay(rig, 1, 75, 100)
    rig.talk("key split \n Th \n key stand \n Kd \n key stand hole_turned")
    end(rig, "1 main 0", "key round_closed")
    assert len(rig.told(HandsSplit)) == 1
    assert (rig.postings()[0], accused(rig)) == ("1: spot 1 main -100.00", [])


def test_a_chip_too_many_that_is_handed_back_is_none_of_the_double() -> None:
    rig = table("1 main 50 \n 4 main 30 \n 9s 3h Jh 2c 6h 4d")
    lay(rig, 1, 101, 100, gap_ms=1_000)
    rig.talk("Th")
    rig.pass_ms(2_000)
    lay(rig, 4, 60)
    rig.talk("Kh")
    rig.pass_ms(2_500)
    rig.talk("8s")
    end(rig, "4 main 120", "1 main 200", "1 main 0", "4 main 0")
    assert sorted(rig.postings())[:2] == ["1: spot 1 main +100.00", "1: spot 4 main +60.00"]
    assert accused(rig) == []


def test_a_double_lifted_to_be_proved_is_a_double_still() -> None:
    rig = table("5 main 25 \n 4h 8d 7c Qs", "classic-shoe-and-pitch")
    lay(rig, 5, 50)
    lift(rig, 5, 800)
    rig.talk("Ts")
    rig.pass_ms(4_500)
    end(rig, "5 main 100", "5 main 0")
    assert rig.postings()[0] == "1: spot 5 main +50.00"


def test_a_key_of_before_does_not_say_that_a_hand_is_off_what_came_after_it() -> None:
    """The wager is lifted and laid back, the double is keyed, and its chips come in two movements after that."""
    rig = table("1 main 50 \n 9s Jh 2c 9d", **KEYED)
    lift(rig, 1, 200)
    rig.talk("key double")
    lay(rig, 1, 75, 100, gap_ms=700)
    rig.talk("Th")
    rig.pass_ms(4_500)
    rig.talk("key hole_turned")
    end(rig, "1 main 200", "1 main 0", "key round_closed")
    assert rig.postings()[0] == "1: spot 1 main +100.00"
    assert accused(rig) == []


@pytest.mark.parametrize(("cents", "kind"), [(9_000, AlertKind.CAPPING), (100, AlertKind.PINCHING)])
def test_chips_that_stay_changed_where_no_play_explains_it_are_an_offence(cents: int, kind: AlertKind) -> None:
    rig = table("1 main 10 \n Th Ts 9d 7c", **KEYED)
    rig.chips(1, "main", cents)
    rig.pass_ms(4_000)
    rig.talk("key stand hole_turned")
    end(rig, "1 main 0", "key round_closed")
    assert kind in accused(rig)


@pytest.mark.parametrize("ending", ["key round_closed", "reader lost"])
def test_the_wait_ends_with_the_round_and_with_the_reader(ending: str) -> None:
    rig = table("1 main 50 \n 9s Jh 2c 9d", **KEYED)
    rig.talk("1 main 75")
    assert [one.after_cents for one in rig.events if isinstance(one, ChipsChanged)] == [5_000]
    if ending == "reader lost":
        rig.give(DeviceHealth("bet_spots/1", HealthState.LOST, rig.now_ns))
    else:
        rig.talk(ending)
    assert [one.after_cents for one in rig.events if isinstance(one, ChipsChanged)] == [5_000, 7_500]


def test_chips_that_carry_their_value_come_and_leave_as_those_of_the_registry_do() -> None:
    rig = table("1 main 50 \n 9s Jh 2c 9d", **KEYED)
    came = (*rig.lying[1, "main"], "E0040000000000AA")
    rig.give(ChipsSeen(1, "main", came, rig.now_ns - 100 * MS, rig.now_ns, {"E0040000000000AA": 2_500}))
    rig.pass_ms(1_600)
    assert [one.after_cents for one in rig.events if isinstance(one, ChipsChanged)] == [5_000, 7_500]


def test_a_checkpoint_keeps_chips_that_move() -> None:
    rig = table("1 main 50 \n 9s Jh 2c 9d", **KEYED)
    rig.talk("1 main 75")
    again = restore(rig.house, read_state(state_bytes(rig.table.state)))
    assert again.state == rig.table.state
    assert [one.spot for one in again.state.moving] == [1]


def test_the_next_bet_of_a_box_that_broke_is_no_exchange() -> None:
    rig = table("1 main 50 \n 4 main 30 \n Ts 3h Jh 6c 6h 4d", **KEYED)
    rig.talk("key hit \n Kc \n 1 main 0")
    rig.pass_ms(300)
    rig.exchange(1, "main", 2_500)
    rig.talk("key stand hole_turned")
    assert rig.postings()[0] == "1: spot 1 main -50.00"
    assert accused(rig) == []


@pytest.mark.parametrize("profile", PROFILES)
def test_how_long_chips_wait_says_nothing_of_the_hole_card(profile: str) -> None:
    """A player has twenty; the dealer's hand is complete with a ten below it and not with a five."""
    seen: set[tuple[Any, ...]] = set()
    for hole in ("Td", "5d", "9d"):
        rig = table(f"1 main 10 \n Th 9s Td {hole}", profile)
        for dollars in (0, 10, 20):
            rig.talk(f"1 main {dollars}")
            rig.pass_ms(300)
        published = tuple(type(event).__name__ for event in rig.events)
        seen.add((published, rig.desired.deadline_ns, rig.desired.confirm_ns, len(rig.table.state.moving)))
    assert len(seen) == 1
