"""A wager made after the deal and paid before its reader looks again is reported as one pile: it is not that much."""

from __future__ import annotations

import pytest

from controller.core.messages.events import WagerSettled, WagerUnresolved
from controller.io.files import profile_files
from firmware_protocols.readings import ChipsSeen
from tests.core.rig import Rig

CHIPS = {"A": 2_500, "B": 500, "C": 500, "D": 500}


def laid(rig: Rig, zone: str, chips: tuple[str, ...], since_ns: int) -> None:
    """A reader that looked at ``since_ns`` looks again and reports what lies there now."""
    rig.give(ChipsSeen(1, zone, chips, since_ns, rig.now_ns))


def came_to(rig: Rig, bet: str) -> list[tuple[int, int] | tuple[int, ...]]:
    """What was said of a wager: staked and net, or what it is open between."""
    settled = [(e.wager_cents, e.net_cents) for e in rig.events if isinstance(e, WagerSettled) and e.bet == bet]
    return [*settled, *(e.possible_cents for e in rig.events if isinstance(e, WagerUnresolved) and e.bet == bet)]


def table(deal: str) -> Rig:
    rules = profile_files.load("hollywood-penn-national", {"no_more_bets": "always", "stand_key": "always"}).rules
    rig = Rig(rules, dict(CHIPS))
    rig.lay(1, "main", ("A",))
    rig.talk(f"key no_more_bets \n {deal}")
    return rig


@pytest.mark.parametrize(("looks_before", "possible"), [(False, ()), (True, (500, 500))])
def test_ez_bust_seen_first_with_its_payment_stays_open(looks_before: bool, possible: tuple[int, ...]) -> None:
    rig = table("Qs 3h Kc Qh")
    since_ns, rig.late = rig.now_ns, True
    rig.talk("key stand hole_turned")
    if looks_before:
        laid(rig, "ez_bust", ("B",), since_ns)
        since_ns = rig.now_ns
    rig.talk("Js")
    laid(rig, "ez_bust", ("B", "C"), since_ns)
    rig.late = False
    rig.talk("1 ez_bust 0 \n 1 main 0 \n key round_closed")
    assert came_to(rig, "ez_bust") == [possible]
    assert came_to(rig, "main") == [(2_500, 2_500)]


def test_ez_bust_that_loses_is_what_lay_there() -> None:
    rig = table("Qs 3h Kc Qh")
    since_ns, rig.late = rig.now_ns, True
    rig.talk("key stand hole_turned \n 5s")
    laid(rig, "ez_bust", ("B", "C"), since_ns)
    rig.late = False
    rig.talk("1 ez_bust 0 \n 1 main 0 \n key round_closed")
    assert came_to(rig, "ez_bust") == [(1_000, -1_000)]


@pytest.mark.parametrize(("seconds", "possible"), [(3, ()), (1, (500, 1_000))])
def test_insurance_seen_first_seconds_after_the_look_before_may_be_paid_already(
    seconds: int, possible: tuple[int, ...]
) -> None:
    rig = table("Qs Ah Kc Qh")
    since_ns, rig.late = rig.now_ns, True
    rig.pass_ms(1_000 * seconds)
    laid(rig, "insurance", ("B",) if seconds == 1 else ("B", "C", "D"), since_ns)
    rig.late = False
    rig.talk("key stand hole_turned \n 1 insurance 0 \n 1 main 0 \n key round_closed")
    assert came_to(rig, "insurance") == [possible]
