"""Zones that no working reader looks at when the bets are locked: said, and what lay there before settles nothing."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from controller.core.messages.alerts import SpotReaderLost, WagerUncertain
from controller.core.messages.events import WagerUnresolved
from controller.core.messages.inputs import AcknowledgeAlert, AdjustWager, DeclareBox
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.io.files import profile_files
from firmware_protocols.readings import ChipsSeen, DeviceHealth, HealthState
from tests.core.rig import MS, SPOTS, Rig

ZONES = ("main", "insurance", "lucky_ladies", "twenty_one_plus_three")
SINGLE = {f"bet_spots/{spot}{at}": (f"{spot}/{zone}",) for spot in SPOTS for at, zone in enumerate(ZONES)}
"""A reader for each zone."""

PLAY = "Th 9c 6d 8s \n key stand hole_turned"
"""Spot 2 stands on 16 and loses to 17; its first two cards win nothing beside."""


class Watched(Rig):
    """A table that knows which zones each reader sees; readers that are lost confirm nothing."""

    def __init__(self, zones: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self.dark: set[int] = set()
        self.dark_zones: set[str] = set()
        zones = zones or {f"bet_spots/{spot}": tuple(f"{spot}/{zone}" for zone in ZONES) for spot in SPOTS}
        rules = profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules
        super().__init__(rules, zones=zones)

    def watched(self) -> tuple[int, ...]:
        return tuple(spot for spot in SPOTS if spot not in self.dark)

    def unseen_zones(self) -> tuple[str, ...]:
        return tuple(sorted(self.dark_zones))

    def lose(self, device: str, spot: int) -> None:
        """Its reader is lost; that of other zones of the spot goes on."""
        if len(self.house.zones[device]) == len(ZONES):
            self.dark.add(spot)
        else:
            self.dark_zones.update(self.house.zones[device])
        self.give(DeviceHealth(device, HealthState.LOST, self.now_ns))
        self.pass_ms(200)

    def find(self, device: str, spot: int, *, since_ns: int | None = None, **cents: int) -> None:
        """It is back; what it reports has come since it was lost, if nothing else is said a minute ago."""
        since_ns = self.now_ns - 60_000 * MS if since_ns is None else since_ns
        self.dark.discard(spot)
        self.dark_zones.difference_update(self.house.zones[device])
        self.give(DeviceHealth(device, HealthState.READY, self.now_ns))
        for zone, amount in cents.items():
            chip = f"E0046{amount:07X}{spot:02X}{len(zone):02X}"
            self.values[chip] = amount
            self.give(ChipsSeen(spot, zone, (chip,) if amount else (), since_ns, self.now_ns))
        self.pass_ms(2_000)

    def unseen(self) -> list[str]:
        raised = (event for event in self.events_of(AlertRaised))
        return [event.text.partition(";")[0] for event in raised if event.kind is AlertKind.WAGERS_UNSEEN]

    def left(self) -> list[tuple[int, str, tuple[int, ...]]]:
        unresolved = (event for event in self.events_of(WagerUnresolved))
        return [(event.spot, event.bet, event.possible_cents) for event in unresolved]


SAID = "spot 2: no reader looked at lucky_ladies, main, twenty_one_plus_three when the bets were locked"


def test_what_lay_there_before_the_reader_was_lost_settles_nothing() -> None:
    """Between the loss and the lock people took these chips and laid others, which nobody saw."""
    rig = Watched()
    rig.talk("1 main 10 \n 2 main 10 \n 2 lucky_ladies 5")
    rig.lose("bet_spots/2", 2)
    rig.talk("key no_more_bets \n Th 5h 9c 9d 6d 8s \n key stand stand hole_turned round_closed")
    assert rig.unseen() == [SAID]
    assert rig.postings() == ["1: spot 1 main +10.00"]
    assert rig.left() == [(2, "main", ()), (2, "lucky_ladies", ())]
    rig.give(AdjustWager(rig.now_ns, 1, 2, "main", -1_000, "floor", "seen on the recording"))
    assert rig.postings()[-1] == "1: spot 2 main -10.00"


def test_once_it_is_back_and_finds_the_same_chips_they_are_the_wager() -> None:
    rig = Watched()
    rig.talk("2 main 10 \n 2 lucky_ladies 5")
    rig.lose("bet_spots/2", 2)
    rig.talk("key no_more_bets \n Th 9c")
    rig.find("bet_spots/2", 2)
    rig.talk("6d 8s \n key stand hole_turned round_closed")
    assert rig.postings() == ["1: spot 2 lucky_ladies -5.00", "1: spot 2 main -10.00"]


def test_a_side_wager_that_it_then_finds_changed_is_open_and_was_not_settled_before() -> None:
    rig = Watched()
    rig.talk("2 main 10 \n 2 lucky_ladies 5")
    rig.lose("bet_spots/2", 2)
    rig.talk(f"key no_more_bets \n {PLAY}")
    assert rig.postings() == []
    rig.find("bet_spots/2", 2, lucky_ladies=0)
    rig.talk("key round_closed")
    uncertain = rig.events_of(WagerUncertain)
    assert [(event.spot, event.bet, event.possible_cents) for event in uncertain] == [(2, "lucky_ladies", (0, 500))]
    assert "1: spot 2 lucky_ladies -5.00" not in rig.postings()


def test_the_dead_reader_of_a_side_zone_leaves_the_main_wager_as_it_is() -> None:
    rig = Watched(SINGLE)
    rig.talk("2 main 10")
    rig.lose("bet_spots/22", 2)
    rig.talk(f"key no_more_bets \n {PLAY} \n key round_closed")
    assert rig.unseen() == ["spot 2: no reader looked at lucky_ladies when the bets were locked"]
    assert rig.postings() == ["1: spot 2 main -10.00"]


DOUBLED = "5h 9c 6d 8s \n 2 main 20 \n key double \n Th \n key hole_turned \n 2 main 40 \n 2 main 0 \n key round_closed"
"""Spot 2 doubles eleven and wins, as its chips show."""


@pytest.mark.parametrize("then", ["before the lock", "after it"])
def test_what_is_done_with_the_main_wager_is_seen_while_the_reader_of_a_side_zone_is_dead(then: str) -> None:
    rig = Watched(SINGLE)
    rig.talk("2 main 10 \n 2 lucky_ladies 5")
    if then == "before the lock":
        rig.lose("bet_spots/22", 2)
    rig.talk("key no_more_bets")
    if then == "after it":
        rig.lose("bet_spots/22", 2)
    rig.talk(DOUBLED)
    assert rig.events_of(SpotReaderLost) == []
    assert "1: spot 2 main +20.00" in rig.postings()
    assert [event.kind for event in rig.events_of(AlertRaised)] == (
        [AlertKind.WAGERS_UNSEEN] if then == "before the lock" else []
    )
    # What lay there once nobody looked any more is the floor's; what had been looked at was the wager.
    assert rig.left() == ([(2, "lucky_ladies", ())] if then == "before the lock" else [])
    assert ("1: spot 2 lucky_ladies -5.00" in rig.postings()) == (then == "after it")


def test_once_the_side_zone_is_seen_again_before_the_lock_its_wager_counts() -> None:
    rig = Watched(SINGLE)
    rig.talk("2 main 10")
    rig.lose("bet_spots/22", 2)
    rig.find("bet_spots/22", 2, lucky_ladies=500)
    rig.talk(f"key no_more_bets \n {DOUBLED}")
    assert rig.unseen() == []
    assert rig.postings() == ["1: spot 2 lucky_ladies -5.00", "1: spot 2 main +20.00"]


def test_the_dead_reader_of_the_insurance_line_leaves_insurance_open_and_nothing_else() -> None:
    rig = Watched(SINGLE)
    rig.talk("2 main 10")
    rig.lose("bet_spots/21", 2)
    rig.talk(f"key no_more_bets \n {DOUBLED.replace('9c', 'Ac')}")
    assert rig.events_of(SpotReaderLost) == []
    assert "1: spot 2 main +20.00" in rig.postings()


def test_the_dead_reader_of_a_main_zone_is_the_whole_spots() -> None:
    rig = Watched(SINGLE)
    rig.talk("2 main 10 \n key no_more_bets")
    rig.lose("bet_spots/20", 2)
    rig.talk("5h 9c 6d 8s \n key double \n Th \n key hole_turned round_closed")
    assert [event.spot for event in rig.events_of(SpotReaderLost)] == [2]


def test_the_return_of_a_side_zones_reader_does_not_open_the_eyes_of_the_main_zones() -> None:
    rig = Watched(SINGLE)
    rig.talk("2 main 10 \n key no_more_bets")
    rig.lose("bet_spots/20", 2)
    rig.lose("bet_spots/22", 2)
    rig.find("bet_spots/22", 2)
    assert rig.table.state.round is not None
    assert [one.open() for one in rig.table.state.round.evidence.outages] == [True]


def test_a_spot_that_is_in_no_round_as_far_as_anybody_saw_is_said_too() -> None:
    rig = Watched()
    rig.lose("bet_spots/2", 2)
    rig.talk("1 main 10 \n key no_more_bets")
    assert rig.unseen() == [SAID]


def test_a_reader_lost_before_it_has_reported_the_lock_has_not_looked() -> None:
    rig = Watched()
    rig.talk("1 main 10 \n 2 main 10")
    rig.late = True
    rig.talk("key no_more_bets")
    rig.lose("bet_spots/2", 2)
    rig.late = False
    rig.talk("Th 5h 9c 9d 6d 8s \n key stand stand hole_turned round_closed")
    assert rig.unseen() == [SAID]
    assert rig.postings() == ["1: spot 1 main +10.00"]


def test_one_lost_after_it_has_looked_leaves_the_wager_known() -> None:
    rig = Watched()
    rig.talk("1 main 10 \n 2 main 10 \n key no_more_bets \n Th 5h 9c 9d 6d 8s")
    rig.lose("bet_spots/2", 2)
    rig.talk("key stand stand hole_turned round_closed")
    assert rig.unseen() == []
    assert rig.postings() == ["1: spot 1 main +10.00", "1: spot 2 main -10.00"]


def test_a_box_that_the_floor_declared_is_settled_by_what_it_said() -> None:
    rig = Watched()
    rig.lose("bet_spots/2", 2)
    rig.give(DeclareBox(rig.now_ns, 2, 1_000, "floor", "no chips read"))
    rig.talk("1 main 10 \n key no_more_bets \n Th 5h 9c 9d 6d 8s \n key stand stand hole_turned round_closed")
    assert "1: spot 2 main -10.00" in rig.postings()


@pytest.mark.parametrize("acknowledged", [True, False])
def test_it_is_said_once_until_somebody_has_seen_it(*, acknowledged: bool) -> None:
    rig = Watched()
    rig.lose("bet_spots/2", 2)
    for _ in range(2):
        rig.talk("1 main 10 \n key no_more_bets \n Th 9c 6d 8s \n key stand hole_turned round_closed \n 1 main 0")
        if acknowledged:
            (one,) = (one for one in rig.table.state.alerts.listed if one.kind is AlertKind.WAGERS_UNSEEN)
            rig.give(AcknowledgeAlert(rig.now_ns, one.alert, "J. Weber", "the reader is being changed"))
    assert rig.unseen() == [SAID] * (2 if acknowledged else 1)


def test_two_unseen_doubles_of_which_one_was_for_less_are_open_between_both() -> None:
    rig = Watched()
    rig.talk("2 main 25 \n key no_more_bets \n 4d 9h 4s 6d \n 2 main 50 \n 7c")
    lost_ns = rig.now_ns
    rig.lose("bet_spots/2", 2)
    rig.talk("7h 7h Qs")
    rig.find("bet_spots/2", 2, since_ns=lost_ns, main=7_950)
    rig.talk("key hole_turned \n 3s \n key round_closed")
    ((spot, bet, possible),) = rig.left()
    assert ((spot, bet), {2_950, 5_000}.issubset(possible)) == ((2, "main"), True)
