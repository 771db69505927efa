"""A reader that is lost when the bets are locked reports them when it is back: nobody is accused, nothing guessed."""

from __future__ import annotations

from controller.core.messages.alerts import WagerUncertain
from controller.core.messages.events import WagerUnresolved
from controller.core.messages.raised_alerts import AlertRaised
from controller.io.files import profile_files
from firmware_protocols.readings import ChipsSeen, DeviceHealth, HealthState
from tests.core.rig import MS, Rig

LOCK = "key no_more_bets"


def health(rig: Rig, spot: int, state: HealthState) -> None:
    rig.give(DeviceHealth(f"bet_spots/{spot}", state, rig.now_ns))
    rig.pass_ms(200)


def lost(bets: str, spot: int) -> Rig:
    """Bets that the readers have seen; then that of one spot is lost."""
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules)
    rig.talk(bets)
    health(rig, spot, HealthState.LOST)
    return rig


def back(rig: Rig, spot: int, zone: str, cents: int, *, since_ms: int) -> None:
    """The reader is back, and finds chips that have come since so long before."""
    health(rig, spot, HealthState.READY)
    chip = f"E0045{cents:07X}{spot:02X}{len(zone):02X}"
    rig.values[chip] = cents
    rig.give(ChipsSeen(spot, zone, (chip,), rig.now_ns - since_ms * MS, rig.now_ns))
    rig.pass_ms(2_000)


def alerts(rig: Rig) -> list[str]:
    return [str(event.kind) for event in rig.events_of(AlertRaised)]


UNKNOWN = "what lay at spot 2 when the bets were locked is not known: its reader was lost"


def test_a_box_that_was_dealt_to_unseen_leaves_the_round_to_the_floor_and_accuses_nobody() -> None:
    rig = lost("1 main 10", 2)
    rig.talk(f"{LOCK} \n Th 5h 9c")
    back(rig, 2, "main", 2_000, since_ms=60_000)
    rig.talk("9d 6d 8s")
    assert rig.irregularities() == [UNKNOWN]
    assert set(alerts(rig)) == {"round_irregular"}


def test_so_does_a_wager_whose_amount_was_changed_unseen() -> None:
    rig = lost("2 main 10", 2)
    rig.talk(f"{LOCK} \n Th 9c")
    back(rig, 2, "main", 2_000, since_ms=60_000)
    assert rig.irregularities() == [UNKNOWN]
    assert set(alerts(rig)) == {"round_irregular"}


def test_a_side_wager_laid_unseen_stays_open_between_both_amounts() -> None:
    rig = lost("2 main 10", 2)
    rig.talk(f"{LOCK} \n Th 9c")
    back(rig, 2, "lucky_ladies", 500, since_ms=60_000)
    rig.talk("6d 8s \n key stand hole_turned \n 2 main 0 \n 2 lucky_ladies 0 \n key round_closed")
    uncertain = rig.events_of(WagerUncertain)
    assert [(event.spot, event.bet, event.possible_cents) for event in uncertain] == [(2, "lucky_ladies", (0, 500))]
    opened = [(event.bet, event.possible_cents) for event in rig.events_of(WagerUnresolved)]
    assert ("lucky_ladies", (-500, 0)) in opened
    assert alerts(rig) == []


def test_without_a_main_wager_it_is_none() -> None:
    rig = lost("1 main 10", 2)
    rig.talk(f"{LOCK} \n Th 9c")
    back(rig, 2, "lucky_ladies", 500, since_ms=60_000)
    assert rig.events_of(WagerUncertain) == []
    assert (rig.irregularities(), alerts(rig)) == ([], [])


def test_chips_that_came_after_the_lock_are_reported_as_ever() -> None:
    rig = lost("1 main 10", 2)
    rig.talk(f"{LOCK} \n Th 9c")
    back(rig, 2, "main", 2_000, since_ms=500)
    rig.leave_lying()
    assert (rig.irregularities(), alerts(rig)) == ([], ["past_posting"])
