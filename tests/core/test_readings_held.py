"""Cards and keys that were read at once after the program was held back: an alert in a round, and nothing else."""

from __future__ import annotations

from controller.core.messages.inputs import ReadingsHeld
from tests.core.alerting import kinds, raised
from tests.core.rig import Rig, penn

DEAL = "1 main 25\nkey no_more_bets\nTh 7d Qs"
REST = "Td\nkey stand hole_turned round_closed"


def held(rig: Rig) -> None:
    rig.give(ReadingsHeld(rig.now_ns, 412_000_000))


def test_in_a_round_it_is_an_alert_that_says_since_when_and_the_round_goes_on() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk(DEAL)
    held(rig)
    assert kinds(rig) == ["readings_held"]
    (alert,) = raised(rig)
    assert (alert.severity, alert.round) == ("warning", 1)
    assert " UTC for 412 ms, the table read cards and keys at once" in alert.text
    rig.talk(REST)
    assert rig.outcomes() == ["settled"]
    assert rig.postings() == ["1: spot 1 main +25.00"]


def test_between_rounds_it_is_nothing() -> None:
    rig = Rig(penn(stand_key="always"))
    held(rig)
    rig.talk(f"{DEAL}\n{REST}")
    held(rig)
    assert kinds(rig) == []
