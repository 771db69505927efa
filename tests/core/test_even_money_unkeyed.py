"""Even money that the dealer paid without its key: the next players insure as ever, and the wager stays open."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.messages.events import WagerUnresolved
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.core.table.state import Table
from controller.io.files import profile_files
from tests.core.rig import Rig


def even_money(*, awaited: bool = True, then: str = "", **options: object) -> Rig:
    """Spot 1 has a natural against an ace and is paid even money; spot 3 then insures. The dealer has a natural."""
    rig = Rig(profile_files.load("borgata", {"turn_key": "always", **options}).rules)
    rig.table = Table(replace(rig.house, slips_awaited=awaited), rig.table.state, rig.table.lattice)
    rig.talk("1 main 10 \n 3 main 10 \n key no_more_bets \n Ah 9s As Kc 9d Kd")
    rig.pass_ms(2_000)
    rig.talk(f"1 main 20 \n {then} \n 3 insurance 5")
    rig.leave_lying()
    rig.talk("key insurance_closed stand hole_turned \n 3 insurance 15 \n 3 main 0 \n 3 insurance 0 \n 1 main 0")
    rig.talk("key round_closed")
    return rig


def kinds(rig: Rig) -> list[AlertKind]:
    return [one.kind for one in rig.events if isinstance(one, AlertRaised)]


@pytest.mark.parametrize("stand_key", ["always", "sometimes"])
def test_even_money_paid_without_its_key_accuses_nobody_and_stays_open(stand_key: str) -> None:
    rig = even_money(stand_key=stand_key)
    assert kinds(rig) == []
    assert sorted(rig.postings()) == ["1: spot 3 insurance +10.00", "1: spot 3 main -10.00"]
    left = [(one.spot, one.possible_cents) for one in rig.events if isinstance(one, WagerUnresolved)]
    assert left == [(1, (0, 1_000))]


def test_the_key_that_comes_later_decides() -> None:
    rig = even_money(stand_key="always", then="key 1 even_money")
    assert kinds(rig) == []
    assert "1: spot 1 main +10.00" in rig.postings()


def test_so_do_the_chips_that_go_while_others_play() -> None:
    """A natural that waits for the hole card is not taken from the layout."""
    rig = even_money(stand_key="always", then="1 main 0")
    assert kinds(rig) == []
    assert "1: spot 1 main +10.00" in rig.postings()


def test_in_journals_of_before_no_play_had_the_next_players_insurance() -> None:
    rig = even_money(awaited=False, stand_key="sometimes")
    assert kinds(rig) != []
    assert rig.outcomes() == ["irregular"]
