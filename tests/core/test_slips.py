"""What people put right within moments: chips at the wrong spot, between two antennas, and a key left out."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.messages.raised_alerts import AlertKind, AlertRaised, Severity
from controller.core.table.state import Table
from tests.core.rig import Rig, penn

CHIPS = {"A": 2_500, "B": 2_500, "C": 2_500, "D": 2_500}


def dealt(*, awaited: bool = True) -> Rig:
    """Eleven at spot 1 and eleven at spot 2, 25.00 each, against a six; every stand is keyed."""
    rig = Rig(penn(stand_key="always"), dict(CHIPS))
    rig.table = Table(replace(rig.house, slips_awaited=awaited), rig.table.state, rig.table.lattice)
    rig.lay(1, "main", ("A",))
    rig.lay(2, "main", ("B",))
    rig.talk("key no_more_bets \n 6d 6h 6s 5h 5d 9c")
    return rig


def alerts(rig: Rig) -> list[tuple[AlertKind, Severity]]:
    return [(one.kind, one.severity) for one in rig.events if isinstance(one, AlertRaised)]


# --- chips at the wrong spot ----------------------------------------------------------------------


def put_down(rig: Rig, milliseconds: int, *after: str) -> None:
    """The double of spot 1 lies at spot 2 for a while, and readers look round meanwhile."""
    rig.lay(2, "main", ("B", "C"))
    rig.pass_ms(milliseconds)
    rig.lay(2, "main", ("B", *after))


def test_a_double_laid_on_the_neighbours_box_for_a_moment_is_no_offence() -> None:
    rig = dealt()
    put_down(rig, 500)
    rig.lay(1, "main", ("A", "C"))
    rig.talk("Th Th \n key hole_turned \n 5s")
    rig.leave_lying()
    assert alerts(rig) == []


def test_it_was_one_where_a_look_round_was_enough() -> None:
    rig = dealt(awaited=False)
    put_down(rig, 500)
    rig.lay(1, "main", ("A", "C"))
    assert (AlertKind.CAPPING, Severity.CRITICAL) in alerts(rig)


def test_chips_that_go_back_to_the_rack_are_named_once() -> None:
    rig = dealt()
    put_down(rig, 2_000)
    rig.leave_lying()
    assert alerts(rig) == [(AlertKind.CHIPS_UNEXPLAINED, Severity.WARNING)]


def test_chips_that_stay_are_capping_and_that_they_are_lifted_then_belongs_to_it() -> None:
    rig = dealt()
    put_down(rig, 5_000)
    rig.leave_lying()
    assert [kind for kind, _ in alerts(rig)] == [AlertKind.CAPPING, AlertKind.BET_TOUCHED]


def test_chips_that_leave_at_once_with_the_wager_were_not_put_right() -> None:
    rig = dealt()
    rig.lay(2, "main", ("B", "C"))
    rig.pass_ms(1_000)
    rig.lay(2, "main", ())
    rig.leave_lying()
    assert [kind for kind, _ in alerts(rig)] == [AlertKind.CAPPING]


@pytest.mark.parametrize("milliseconds", [500, 5_000])
def test_a_naturals_payment_at_the_wrong_spot_is_no_offence_until_it_stays(milliseconds: int) -> None:
    """Spot 1 has a natural against a seven, and the dealer puts its payment at spot 2 first."""
    rig = Rig(penn(stand_key="always"), {**CHIPS, "E": 3_750})
    rig.lay(1, "main", ("A",))
    rig.lay(2, "main", ("B",))
    rig.talk("key no_more_bets \n As 6h 7s Kh 5d 9c")
    rig.lay(2, "main", ("B", "E"))
    rig.pass_ms(milliseconds)
    rig.lay(2, "main", ("B",))
    rig.lay(1, "main", ("A", "E"))
    rig.leave_lying()
    accusing = {AlertKind.CAPPING, AlertKind.PINCHING, AlertKind.BET_TOUCHED}
    assert bool(accusing.intersection(kind for kind, _ in alerts(rig))) == (milliseconds > 4_000)


def test_the_clock_is_asked_and_no_confirmation_waits_for_what_lies_there() -> None:
    """A look asked for ahead would keep the lock, or a settlement, waiting for as long."""
    rig = dealt()
    rig.lay(2, "main", ("B", "C"))
    assert rig.desired.deadline_ns > rig.now_ns
    assert rig.desired.confirm_ns <= rig.now_ns


# --- a chip between two antennas ------------------------------------------------------------------


@pytest.mark.parametrize("milliseconds", [100, 700, 2_500])
def test_a_chip_that_two_antennas_read_for_a_moment_is_one_chip(milliseconds: int) -> None:
    rig = Rig(penn(), dict(CHIPS))
    rig.lay(1, "main", ("A", "B"))
    rig.lay(2, "main", ("B",))
    rig.pass_ms(milliseconds)
    rig.lay(1, "main", ("A",))
    rig.leave_lying()
    assert alerts(rig) == []


def test_a_chip_that_two_antennas_read_again_and_again_is_one_chip_each_time() -> None:
    rig = Rig(penn(), dict(CHIPS))
    rig.lay(1, "main", ("A", "B"))
    for _ in range(4):
        rig.lay(2, "main", ("B",))
        rig.pass_ms(1_500)
        rig.lay(2, "main", ())
        rig.pass_ms(200)
    assert alerts(rig) == []


def test_one_that_both_read_for_longer_is_two_chips_and_that_is_said_once() -> None:
    rig = Rig(penn(), dict(CHIPS))
    rig.lay(1, "main", ("A", "B"))
    rig.lay(2, "main", ("B",))
    rig.leave_lying()
    rig.leave_lying()
    assert alerts(rig) == [(AlertKind.DUPLICATED_CHIP, Severity.CRITICAL)]
