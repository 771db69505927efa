"""Devices that are exchanged and cards that are opened as something else."""

from __future__ import annotations

from msgspec.structs import replace

from controller.core.messages.events import CardDrawn, CardOpened
from controller.core.messages.inputs import DaemonStarted, OpeningRefuted
from controller.core.step import step
from controller.core.table.state import State, Table, restore
from controller.formats.replay import read_state, state_bytes
from controller.reports.audit.commitment_check import OwnOpenings
from firmware_protocols.readings import DeviceComplained, DeviceHealth, HealthState
from tests.core.alerting import kinds, raised
from tests.core.journals import HERE, stamped_here
from tests.core.rig import Rig, penn

ONE = "Acme S-8 0001, firmware 2.1"
OTHER = "Acme S-8 0002, firmware 2.1"


def ready(rig: Rig, detail: str) -> None:
    rig.give(DeviceHealth("shoe", HealthState.LOST, rig.now_ns, "unplugged"))
    rig.give(DeviceHealth("shoe", HealthState.READY, rig.now_ns, detail))


def test_another_shoe_on_the_same_port_is_published_also_after_a_restart() -> None:
    rig = Rig(penn())
    ready(rig, ONE)
    ready(rig, ONE)
    assert kinds(rig) == []
    rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    ready(rig, OTHER)
    (alert,) = raised(rig)
    assert alert.kind == "device_swapped"
    assert alert.text == f"shoe: {ONE} before, {OTHER} now"


def test_a_shoe_session_that_finds_another_shoe_is_believed_once() -> None:
    rig = Rig(penn())
    ready(rig, ONE)
    rig.give(DeviceComplained("shoe", "shoe_exchanged", f"this is another shoe: {OTHER}", rig.now_ns))
    ready(rig, OTHER)
    assert kinds(rig) == ["device_swapped"]


def test_a_device_that_does_not_say_who_it_is_is_not_swapped() -> None:
    rig = Rig(penn())
    ready(rig, "")
    ready(rig, ONE)
    assert kinds(rig) == []


def opened_events() -> list[CardDrawn | CardOpened]:
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 25\nkey no_more_bets\nTh 7d Qs Td\nkey stand hole_turned")
    table = Table(rig.house, State())
    events: list[CardDrawn | CardOpened] = []
    for stamped in rig.stamped:
        stepped = step(table, stamped_here(stamped))
        table = stepped.table
        events += [event for event in stepped.events if isinstance(event, CardDrawn | CardOpened)]
    return events


def test_every_card_the_table_opens_is_the_one_it_committed_to() -> None:
    events = opened_events()
    assert sum(isinstance(event, CardOpened) for event in events) == 4
    assert list(OwnOpenings(HERE).refuted(events)) == []


def test_a_card_opened_as_another_is_refuted_and_raised() -> None:
    events = opened_events()
    at = next(at for at, event in enumerate(events) if isinstance(event, CardOpened))
    first = events[at]
    assert isinstance(first, CardOpened)
    wrong = replace(first, face="2c")
    damaged = replace(first, nonce="zz")
    for bad in (wrong, damaged):
        assert list(OwnOpenings(HERE).refuted([*events[:at], bad])) == [bad]
    rig = Rig(penn())
    rig.give(OpeningRefuted(rig.now_ns, first.card, "2c"))
    assert kinds(rig) == ["commitment_wrong"]
