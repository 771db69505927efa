"""Polling by phase: only what is watched is asked for, and still nothing gets past the session."""

from __future__ import annotations

from devices.chips.bet_spots import MOST_CHIPS
from firmware_protocols.codec import Codec
from firmware_protocols.messages import ChipsInventoried, ReadSoftware, SoftwareRead, TakeInventory
from firmware_protocols.readings import ChipsConfirmed, ChipsSeen, HealthState
from simulators.devices.bet_spots import BetSpotsSimulator
from tests.devices.bus import LOST, READY, Bus, S, Table, Zones, both_codecs, chips

SPOTS = range(1, 8)
ALL: Zones = {
    (spot, antenna): (spot, zone)
    for antenna, zone in enumerate(("main", "insurance", "pairs", "poker", "ez_bust"), start=1)
    for spot in SPOTS
}
PLAY = frozenset({"main", "insurance"})


def looks(readers: BetSpotsSimulator, zone: str) -> int:
    return sum(readers.inventories(spot, name) for spot, name in readers.places if name == zone)


def looks_in(table: Table, for_ns: int) -> dict[str, int]:
    zones = {name for _, name in ALL.values()}
    before = {zone: looks(table.readers, zone) for zone in zones}
    table.run(for_ns)
    return {zone: looks(table.readers, zone) - before[zone] for zone in zones}


@both_codecs
def test_only_watched_zones_are_asked_for_and_the_more_often(codec: Codec) -> None:
    table = Table(ALL, codec)
    table.start()
    everywhere = looks_in(table, 2 * S)
    table.session.watch(PLAY)
    table.run(S)
    watched = looks_in(table, 2 * S)
    assert watched["pairs"] == watched["poker"] == watched["ez_bust"] == 0
    assert watched["main"] > 2 * everywhere["main"]
    assert watched["insurance"] > 2 * everywhere["insurance"]
    table.session.watch(None)
    assert min(looks_in(table, 2 * S).values()) > 0


def test_a_change_nobody_watched_is_reported_later_with_the_true_moment_inside() -> None:
    table = Table(ALL)
    table.start()
    table.session.watch(PLAY)
    table.run(S)
    laid_ns = table.modem.now_ns
    table.readers.lay(4, "pairs", chips(2))
    table.run(3 * S)
    assert table.seen() == []
    table.session.watch(None)
    table.run(2 * S)
    (seen,) = [reading for reading in table.modem.readings if isinstance(reading, ChipsSeen)]
    assert (seen.spot, seen.zone, seen.chips) == (4, "pairs", chips(2))
    assert seen.after_ns < laid_ns < seen.by_ns


def test_a_confirmation_asks_every_zone() -> None:
    table = Table(ALL)
    table.start()
    table.session.watch(PLAY)
    table.run(S)
    table.readers.lay(4, "pairs", chips(2))
    upto_ns = table.modem.now_ns
    table.session.confirm(upto_ns)
    table.run(3 * S)
    seen, confirmed = table.modem.readings
    assert isinstance(seen, ChipsSeen)
    assert confirmed == ChipsConfirmed(tuple(SPOTS), upto_ns)
    assert looks_in(table, 2 * S)["pairs"] == 0


def test_after_a_loss_every_zone_is_known_before_it_is_left_alone() -> None:
    table = Table(ALL)
    table.start()
    table.session.watch(PLAY)
    table.run(S)
    table.modem.disconnect()
    table.readers.lay(4, "pairs", chips(2))
    table.modem.connect()
    table.run(3 * S)
    assert table.seen() == [(4, "pairs", chips(2))]
    assert looks_in(table, 2 * S)["pairs"] == 0


@both_codecs
def test_a_reader_of_which_nothing_is_watched_is_still_missed_within_two_seconds(codec: Codec) -> None:
    table = Table({(1, 1): (1, "main"), (2, 1): (1, "pairs"), (2, 2): (1, "poker")}, codec)
    table.start()
    table.session.watch(frozenset({"main"}))
    table.run(S)
    table.readers.power(2, on=False)
    table.run(2 * S)
    assert table.health("bet_spots/2") == [LOST]
    table.readers.lay(1, "pairs", chips(1))
    table.readers.power(2, on=True)
    table.run(12 * S)
    assert table.health("bet_spots/2") == [LOST, READY]
    assert table.seen() == [(1, "pairs", chips(1))]


def test_a_bus_on_which_nothing_is_watched_only_hears_who_is_there() -> None:
    bus = Bus({(1, 1): (1, "main")})
    bus.identify()
    bus.session.watch(frozenset())
    asked = []
    for _ in range(8):
        message = bus.asked()
        asked.append(type(message))
        match message:
            case TakeInventory():
                bus.answer(ChipsInventoried(1, ()))
            case _:
                bus.answer(SoftwareRead(1, "0303"))
    assert asked == [TakeInventory] * 2 + [ReadSoftware] * 6


ALONE: Zones = {(1, None): (1, "main"), (2, None): (1, "pairs"), (3, None): (2, "main")}
"""A reader for each zone."""


def test_a_spot_is_confirmed_but_for_the_zones_whose_readers_are_lost() -> None:
    table = Table(ALONE)
    table.start()
    table.readers.power(2, on=False)
    table.run(3 * S)
    upto_ns = table.modem.now_ns
    table.session.confirm(upto_ns)
    table.run(3 * S)
    assert table.modem.readings[-1] == ChipsConfirmed((1, 2), upto_ns, ("1/pairs",))


def test_a_reader_that_is_faulty_holds_up_no_confirmation_of_other_spots() -> None:
    """More chips than a stack can have: what lies in its zone is not known, however often it is asked."""
    table = Table(ALONE)
    table.start()
    table.readers.lay(2, "main", chips(MOST_CHIPS + 1))
    table.run(20 * S)
    assert table.health("bet_spots/3") == [HealthState.FAULTY]
    upto_ns = table.modem.now_ns
    table.session.confirm(upto_ns)
    table.run(20 * S)
    assert table.modem.readings[-1] == ChipsConfirmed((1,), upto_ns)
