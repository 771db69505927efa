"""A round whose hole card nobody said was turned, as the keypad was lost: the floor has it, its wagers open."""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import KeyRefused, RoundIrregular
from controller.core.messages.events import BettingClosed, HoleCardRevealed, WagerUnresolved
from controller.io.files import profile_files
from firmware_protocols.readings import ChipsSeen, DeviceComplained, DeviceHealth, HealthState
from tests.core.rig import MS, Rig

FORGOTTEN = "it ended with its hole card not said to be turned"
UNTURNED = f"{FORGOTTEN}: the keypad was lost"


@pytest.mark.parametrize(
    ("lost_draws", "reason"),
    [(False, UNTURNED), (True, "cards were drawn while the table was not listening")],
    ids=["in order", "irregular before"],
)
def test_the_next_deal_hands_it_to_the_floor_for_one_reason(reason: str, *, lost_draws: bool) -> None:
    rig = Rig(profile_files.load("borgata", {"stand_key": "always", "turn_key": "always"}).rules)
    rig.talk("1 main 10 \n 2 main 10 \n key no_more_bets \n Th 9h 6c Td 8h 5s")
    rig.pass_ms(2_000)
    if lost_draws:
        rig.give(DeviceComplained("shoe", "draws_missing", "draws 7 to 8 never came", rig.now_ns))
        rig.key("yes")
    for state in (HealthState.LOST, HealthState.READY):
        rig.give(DeviceHealth("keypad", state, rig.now_ns))
        rig.pass_ms(100)
    rig.talk("1 main 0 \n 2 main 20 \n 2 main 0")
    rig.pass_ms(60_000)
    rig.talk("1 main 30 \n key no_more_bets \n Kh Kc Kd Ks")
    assert rig.outcomes() == ["irregular"]
    assert [event.reason for event in rig.events_of(RoundIrregular)] == [reason]
    assert [event.wager_cents for event in rig.events_of(WagerUnresolved)] == [
        1000,
        1000,
    ]


def forgetful(profile: str, paid: str, *, looked_ms: int = 4_000) -> Rig:
    """Twenty against a nine: it stands, is paid or not, and the key of the turn is forgotten."""
    rig = Rig(profile_files.load(profile, {"stand_key": "always", "turn_key": "always"}).rules)
    rig.talk("1 main 10 \n key no_more_bets \n Th 9h Td 8s")
    rig.pass_ms(looked_ms)
    rig.talk(f"key stand \n {paid}")
    rig.pass_ms(2 * looked_ms)
    return rig


def rounds_ended(rig: Rig) -> tuple[list[str], list[str], int]:
    """Why rounds are irregular, how they ended, and how many were begun."""
    reasons = [event.reason for event in rig.events_of(RoundIrregular)]
    return reasons, rig.outcomes(), len(rig.events_of(BettingClosed))


@pytest.mark.parametrize(
    ("profile", "paid"),
    [
        ("borgata", "1 main 20 \n 1 main 0"),
        ("borgata", "1 main 20 \n 1 main 0 \n key round_closed"),
        ("pitch-h17", "1 main 20 \n key round_closed"),
    ],
    ids=["with round closed", "alone", "face down with chips let lie"],
)
def test_a_dealer_who_forgot_the_turn_ends_the_round_by_locking_the_next_bets(profile: str, paid: str) -> None:
    rig = forgetful(profile, paid)
    rig.talk("1 main 30 \n key no_more_bets \n Kh 2c Kd Ks")
    assert rounds_ended(rig) == ([FORGOTTEN], ["irregular"], 2)
    assert rig.events_of(HoleCardRevealed) == []
    assert [event.wager_cents for event in rig.events_of(WagerUnresolved)] == [1000]


def test_so_it_does_where_no_reader_has_reported_the_bets_yet() -> None:
    rig = forgetful("borgata", "1 main 20 \n 1 main 0")
    since_ns, rig.late = rig.now_ns, True
    rig.values["AA"] = 3000
    rig.talk("key no_more_bets \n Kh")
    rig.give(ChipsSeen(1, "main", ("AA",), since_ns, since_ns + 50 * MS))
    rig.late = False
    rig.talk("2c Kd Ks")
    assert rounds_ended(rig) == ([FORGOTTEN], ["irregular"], 2)
    assert rig.events_of(KeyRefused) == []


@pytest.mark.parametrize(
    ("paid", "looked_ms"),
    [("1 main 20", 500), ("1 main 20 \n 1 main 0", 4_000), ("", 4_000)],
    ids=["just after the last card", "no next bets", "nothing paid"],
)
def test_a_slip_of_the_finger_ends_nothing(paid: str, looked_ms: int) -> None:
    rig = forgetful("borgata", paid, looked_ms=looked_ms)
    rig.talk("key no_more_bets")
    assert rounds_ended(rig) == ([], [], 1)
    assert rig.events_of(HoleCardRevealed) == []
