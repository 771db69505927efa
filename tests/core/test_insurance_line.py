"""The insurance line: wagers are laid in parts, corrected, taken and paid there; only an excess that stays is said."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.game.wager import Basis
from controller.core.messages.events import WagerSettled, WagerUnresolved
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.core.table.state import Table
from controller.io.files import profile_files
from firmware_protocols.readings import ChipsSeen
from tests.core.human import HumanRig
from tests.core.quick_readers import alerts
from tests.core.rig import Rig, penn

NATURAL = "Qc 9h Ah Th Kd Kh"
"""Nineteen at spot 4 and at spot 6, and the dealer has a natural."""

LOST = "Qc 9h Ah Th Kd 7h"
"""The same against eighteen."""


def insured(cards: str, *, awaited: bool = True, **options: object) -> Rig:
    """Spot 6 bets 30.00, and an ace comes up."""
    rig = Rig(penn(**options))
    rig.table = Table(replace(rig.house, slips_awaited=awaited), rig.table.state, rig.table.lattice)
    rig.talk(f"4 main 10 \n 6 main 30 \n key no_more_bets \n {cards}")
    rig.pass_ms(3_000)
    return rig


def next_round(rig: Rig) -> None:
    rig.pass_ms(6_000)
    rig.talk("4 main 10 \n 6 main 15 \n 2c 3c 4c 5c 6c 7c")
    rig.pass_ms(6_000)


def kinds(rig: Rig) -> list[AlertKind]:
    return [one.kind for one in rig.events if isinstance(one, AlertRaised)]


def insurance(rig: Rig) -> list[tuple[int, int, Basis]]:
    """Its settlements: wager, net and basis."""
    settlements = [
        one for one in rig.events if isinstance(one, WagerSettled) and (one.round, one.bet) == (1, "insurance")
    ]
    return [(one.wager_cents, one.net_cents, one.basis) for one in settlements]


def still_open(rig: Rig) -> list[tuple[int, ...]]:
    unresolved = [
        one for one in rig.events if isinstance(one, WagerUnresolved) and (one.round, one.bet) == (1, "insurance")
    ]
    return [one.possible_cents for one in unresolved]


def paid_beside(wager_cents: int, *, awaited: bool = True) -> Rig:
    """The dealer, who has a natural, pays insurance 2 to 1 on its line and takes the main wagers; no key is pressed."""
    rig = insured(NATURAL, awaited=awaited)
    rig.chips(6, "insurance", wager_cents)
    rig.pass_ms(6_000)
    rig.chips(6, "insurance", 3 * wager_cents)
    rig.pass_ms(600)
    rig.talk("6 insurance 0 \n 6 main 0 \n 4 main 0")
    next_round(rig)
    return rig


def test_insurance_paid_on_its_line_is_a_payment() -> None:
    rig = paid_beside(1_500)
    assert kinds(rig) == []
    assert insurance(rig) == [(1_500, 3_000, Basis.PAID)]


def test_journals_of_before_keep_what_was_said_of_it() -> None:
    rig = paid_beside(1_500, awaited=False)
    assert kinds(rig) == [AlertKind.INSURANCE_TOO_LARGE]
    assert insurance(rig) == []


def test_three_times_as_much_may_be_a_greater_wager_where_the_card_allows_it() -> None:
    """15.00 laid in place of 5.00 may have been withdrawn, or have been the payment of 5.00."""
    rig = paid_beside(500)
    assert kinds(rig) == []
    assert insurance(rig) == []
    assert 0 in still_open(rig)[-1]
    assert 1_000 in still_open(rig)[-1]


@pytest.mark.parametrize("amounts", [(500, 1_000, 1_500), (3_000, 1_500), (1_500, 4_000, 1_500), (2_000, 0)])
def test_insurance_laid_in_parts_or_corrected_before_it_closes_is_no_alert(amounts: tuple[int, ...]) -> None:
    rig = insured(LOST, stand_key="always")
    for cents in amounts:
        rig.chips(6, "insurance", cents)
        rig.pass_ms(2_000)
    rig.talk("key insurance_closed stand stand hole_turned \n 6 insurance 0 \n 4 main 20 \n 6 main 60")
    rig.talk("key round_closed")
    assert kinds(rig) == []
    counted = min(amounts[-1], 1_500)
    assert insurance(rig) == ([(counted, -counted, Basis.EVIDENCE)] if counted else [])


@pytest.mark.parametrize(
    ("play", "closes"), [("key insurance_closed", True), ("2h", True), ("4 main 20", True), ("4 main 0", False)]
)
def test_more_than_the_card_allows_is_too_large_once_the_offer_closes(play: str, *, closes: bool) -> None:
    """By its key, a card of the first player's, or his double; his surrender closes nothing."""
    rig = insured("6c 9h Ah 5h Kd 7h", stand_key="always")
    rig.chips(6, "insurance", 2_000)
    assert kinds(rig) == []
    rig.talk(play)
    assert kinds(rig) == [AlertKind.INSURANCE_TOO_LARGE] * closes


def test_what_a_reader_reports_late_lay_there_when_the_offer_closed() -> None:
    rig = insured(LOST, stand_key="always")
    rig.late, since_ns = True, rig.now_ns
    rig.pass_ms(500)
    laid_ns = rig.now_ns
    rig.key("insurance_closed")
    rig.values["E1"] = 2_000
    rig.give(ChipsSeen(6, "insurance", ("E1",), since_ns, laid_ns))
    rig.late = False
    rig.leave_lying()
    assert kinds(rig) == [AlertKind.INSURANCE_TOO_LARGE]


def test_chips_that_come_after_it_are_past_posting_and_nothing_else() -> None:
    rig = insured(LOST, stand_key="always")
    rig.key("insurance_closed")
    rig.chips(6, "insurance", 2_000)
    rig.leave_lying()
    assert kinds(rig) == [AlertKind.PAST_POSTING]


def test_it_is_no_offence_that_lost_insurance_is_taken_before_any_key_or_card() -> None:
    """Nor is it known whether it was taken, or withdrawn: it stays open."""
    rig = insured(LOST)
    rig.chips(6, "insurance", 1_500)
    rig.pass_ms(6_000)
    rig.talk("6 insurance 0 \n 6 main 60 \n 4 main 20 \n 6 main 0 \n 4 main 0")
    next_round(rig)
    assert kinds(rig) == []
    assert still_open(rig) == [(-1_500, 0)]


UNREAD_HIT = (
    "1 main 50 / wait 4 / key no_more_bets / deal 9h Ad 7h Kc / wait 2 / 1 insurance {laid} / wait 1"
    " / key insurance_closed / wait 2 / key hit / wait 1 / ?? / wait 2 / key hole_turned / wait 2 / {settled} / wait 1"
    " / 1 main 0 / wait 1 / key round_closed / wait 1 / key round_closed / wait 8"
)
"""The hit card could not be read, and the floor does not name it."""

PAID = "1 insurance 75 / wait 1 / 1 insurance 0"


def unread_hit(laid: int, settled: str, *, awaited: bool = True) -> HumanRig:
    rules = profile_files.load("hollywood-perryville", {"stand_key": "always", "new_shoe_burns": 0}).rules
    rig = HumanRig(rules, {}, cycle_ms=350)
    rig.change_house(names_awaited=awaited)
    rig.play(UNREAD_HIT.format(laid=laid, settled=settled))
    return rig


@pytest.mark.parametrize("settled", [PAID, "1 insurance 0"])
def test_insurance_paid_or_taken_while_a_card_waits_for_its_name_is_no_alert(settled: str) -> None:
    rig = unread_hit(25, settled)
    assert [one.kind for one in rig.events if isinstance(one, AlertRaised)] == [AlertKind.ROUND_IRREGULAR]


def test_more_than_the_card_allows_as_the_offer_closes_is_too_large_all_the_same() -> None:
    assert alerts(unread_hit(30, "1 insurance 0"), AlertKind.INSURANCE_TOO_LARGE)


def test_in_journals_of_before_the_payment_was_too_large_and_its_player_pinched() -> None:
    rig = unread_hit(25, PAID, awaited=False)
    assert alerts(rig, AlertKind.INSURANCE_TOO_LARGE)
    assert alerts(rig, AlertKind.PINCHING)
