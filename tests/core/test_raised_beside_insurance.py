"""Chips that raise a wager while the insurance line hears one of them: a split, a double, insurance or capping."""

from __future__ import annotations

from controller.core.messages.events import HandsSplit, InsuranceTaken, WagerUnresolved
from controller.core.messages.raised_alerts import AlertKind
from controller.io.files import profile_files
from tests.core.rig import Rig
from tests.core.test_heard_twice import CHIPS, accused


def raised_beside_insurance(deal: str, key: str = "", *, by: str = "E2", **options: str) -> Rig:
    """Ten dollars are raised by two chips, one of which the insurance line hears before the main zone reports both."""
    rig = Rig(profile_files.load("hollywood-penn-national", dict(options)).rules, dict(CHIPS))
    rig.lay(1, "main", ("E5",))
    rig.talk(f"key no_more_bets \n {deal} \n key {key}")
    rig.late = True
    rig.lay(1, "insurance", ("E1",))
    rig.lay(1, "main", ("E1", by, "E5"))
    rig.late = False
    rig.pass_ms(1_000)
    return rig


def test_a_split_of_which_one_chip_was_heard_beside_is_a_split() -> None:
    rig = raised_beside_insurance("8d 9c 8s 4c", "split", stand_key="always")
    rig.talk("2c Kd \n key stand \n Qd \n key stand")
    rig.lay(1, "insurance", ())
    rig.talk("key hole_turned \n Jh \n 1 main 40 \n 1 main 0 \n key round_closed")
    assert len(rig.events_of(HandsSplit)) == 1
    assert rig.postings() == ["1: spot 1 main +20.00"]
    assert (rig.outcomes(), accused(rig)) == (["settled"], [])


def test_more_that_explains_nothing_once_that_chip_counts_is_capping() -> None:
    rig = raised_beside_insurance("8d 9c 9s 4c", by="E4", stand_key="always")
    assert accused(rig) == []
    rig.lay(1, "insurance", ())
    rig.leave_lying()
    assert [(one.kind, one.before_cents, one.after_cents) for one in accused(rig)] == [(AlertKind.CAPPING, 1000, 3000)]


def test_or_once_that_chip_turns_out_to_lie_beside() -> None:
    rig = raised_beside_insurance("8d 9c 8s 4c", "split", stand_key="always")
    rig.lay(1, "main", ("E2", "E5"))
    rig.leave_lying()
    assert (AlertKind.CAPPING, 1000, 1500) in {(one.kind, one.before_cents, one.after_cents) for one in accused(rig)}


def test_no_insurance_was_taken_with_a_chip_that_lay_in_the_main_zone() -> None:
    rig = raised_beside_insurance("5h Ac 6d 8s", stand_key="sometimes")
    rig.talk("Th")
    rig.lay(1, "insurance", ())
    rig.talk("key hole_turned \n 1 main 40 \n 1 main 0 \n key round_closed")
    assert rig.events_of(InsuranceTaken) == []
    assert rig.postings() == ["1: spot 1 main +20.00"]
    assert (rig.outcomes(), accused(rig)) == (["settled"], [])


def test_insurance_that_the_main_zone_heard_too_is_taken_all_the_same() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules, dict(CHIPS))
    rig.lay(1, "main", ("E5",))
    rig.talk("key no_more_bets \n Th Ac 9d 8s")
    rig.late = True
    rig.lay(1, "insurance", ("E1",))
    rig.lay(1, "main", ("E1", "E5"))
    rig.late = False
    rig.talk("key insurance_closed stand")
    rig.late = True
    rig.lay(1, "insurance", ())
    rig.lay(1, "main", ("E5",))
    rig.late = False
    rig.talk("key hole_turned \n 1 main 0 \n key round_closed")
    assert len(rig.events_of(InsuranceTaken)) == 1
    assert rig.events_of(WagerUnresolved) == [WagerUnresolved(1, 1, "insurance", 500, (-500,))]
    assert rig.postings() == ["1: spot 1 main +0.00"]
