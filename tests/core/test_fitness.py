"""A table that is not fit for another round finishes the one in play and begins no other."""

from __future__ import annotations

from controller.core.messages.alerts import KeyRefused, PlayBlocked, PlayUnblocked
from controller.core.messages.events import BettingClosed, CardDrawn, CardOpened
from controller.core.messages.inputs import AcknowledgeAlert, DaemonStarted, FitnessLevel, FitnessReported
from controller.core.table.state import restore
from controller.formats.mqtt.retained_state import phase
from controller.formats.replay import read_state, state_bytes
from tests.core.alerting import kinds, raised
from tests.core.rig import Rig, penn

DEAL = "1 main 25\nkey no_more_bets\nTh 7d Qs"
REST = "Td\nkey stand hole_turned round_closed"
FULL = "disk of journal.sqlite: 3 % free (40 MiB)"


def report(rig: Rig, level: FitnessLevel, cause: str = "storage", text: str = FULL) -> None:
    rig.give(FitnessReported(rig.now_ns, cause, level, text))


def test_the_round_in_play_is_finished_and_settled_and_no_other_begins() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk(DEAL)
    report(rig, FitnessLevel.CLOSED)
    assert rig.events_of(PlayBlocked) == [PlayBlocked("storage", FULL, round_open=True)]
    assert phase(rig.table.state) == "dealing"
    rig.talk(REST)
    assert rig.postings() == ["1: spot 1 main +25.00"]
    assert rig.outcomes() == ["settled"]
    assert rig.desired.display == "Table closed: call floor"
    assert phase(rig.table.state) == "closed"
    rig.talk("2 main 50\nkey no_more_bets")
    (refused,) = rig.events_of(KeyRefused)
    assert refused.reason == f"no round may begin: {FULL}"
    assert len(rig.events_of(BettingClosed)) == 1


def test_cards_dealt_all_the_same_belong_to_no_round_and_are_reported_once() -> None:
    rig = Rig(penn(stand_key="always"))
    report(rig, FitnessLevel.CLOSED)
    rig.talk("1 main 25\nTh 7d Qs Td")
    assert kinds(rig) == ["storage_low", "dealt_while_closed"]
    drawn = rig.events_of(CardDrawn)
    assert [(one.round, one.position) for one in drawn] == [(None, None)] * 4
    assert rig.events_of(CardOpened) == []
    assert rig.postings() == []
    rig.give(AcknowledgeAlert(rig.now_ns, raised(rig)[-1].alert, "J. Reyes", ""))
    rig.talk("5h")
    assert kinds(rig)[2:] == ["dealt_while_closed"]


def test_bets_locked_while_a_round_still_waited_for_its_readers_are_no_round_of_a_closed_table() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk(DEAL)
    rig.late = True
    rig.talk("Td\nkey stand hole_turned round_closed no_more_bets")
    assert rig.table.state.round is not None
    assert rig.table.state.round.ending.next_lock_ns > 0
    report(rig, FitnessLevel.CLOSED)
    rig.late = False
    rig.pass_ms(100)
    assert rig.outcomes() == ["settled"]
    assert rig.table.state.round is None


def test_it_opens_again_once_nothing_closes_it() -> None:
    rig = Rig(penn(stand_key="always"))
    report(rig, FitnessLevel.CLOSED)
    report(rig, FitnessLevel.CLOSED, "consumers", "consumer surveillance lacks event 1 for 7 days")
    report(rig, FitnessLevel.WARNED, text="8 % free")
    assert phase(rig.table.state) == "closed"
    assert rig.events_of(PlayUnblocked) == [PlayUnblocked("storage")]
    report(rig, FitnessLevel.FIT, "consumers", "")
    assert phase(rig.table.state) == "bets_open"
    rig.talk(f"{DEAL}\n{REST}")
    assert rig.outcomes() == ["settled"]


def test_what_is_reported_again_is_no_news_and_a_warning_is_raised_once() -> None:
    rig = Rig(penn())
    for _ in range(2):
        report(rig, FitnessLevel.WARNED, "consumers", "consumer surveillance lacks event 1 for 1 day")
    assert kinds(rig) == ["events_unacknowledged"]
    assert raised(rig)[0].severity == "warning"
    report(rig, FitnessLevel.CLOSED, "consumers", "7 days")
    report(rig, FitnessLevel.CLOSED, "consumers", "8 days")
    assert kinds(rig)[1:] == ["events_unacknowledged"]
    assert raised(rig)[1].severity == "critical"
    assert rig.table.state.unfit["consumers"].text == "8 days"


def test_a_closed_table_is_closed_after_a_restart_until_it_is_reported_fit() -> None:
    rig = Rig(penn())
    report(rig, FitnessLevel.CLOSED)
    rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    rig.talk("1 main 25\nTh")
    assert rig.events_of(BettingClosed) == []
    report(rig, FitnessLevel.FIT, text="")
    assert rig.events_of(PlayUnblocked) == [PlayUnblocked("storage")]
