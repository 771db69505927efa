"""One stand whose key was forgotten, in a house where a surrender may go without a sign: the two look alike."""

from __future__ import annotations

import pytest

from controller.core.messages.events import QuestionAsked, WagerSettled
from controller.io.files import profile_files
from tests.core.rig import Rig

HOUSE = {"stand_key": "always", "turn_key": "always", "no_more_bets": "always", "surrender": "late"}


def played(profile: str, *, dealer_breaks: bool, surrender_shown: str) -> Rig:
    """Sixteen against a six stands, and no key says so; the next box's eighteen stands by its key."""
    rig = Rig(profile_files.load(profile, {**HOUSE, "surrender_shown": surrender_shown}).rules)
    rig.talk(f"1 main 15 \n 3 main 10 \n key no_more_bets \n Th Tc 6s 6h 8c {'Th' if dealer_breaks else '9h'}")
    rig.pass_ms(3_000)
    rig.talk(f"key 3 stand hole_turned \n {'9s' if dealer_breaks else '3h'}")
    rig.pass_ms(1_500)
    rig.talk("3 main 20 \n 1 main 30 \n 1 main 0 \n 3 main 0" if dealer_breaks else "1 main 0 \n 3 main 0")
    rig.key("round_closed")
    rig.pass_ms(5_000)
    return rig


def dues(rig: Rig) -> dict[int, int]:
    """What the boxes are due, in cents, by spot."""
    return {one.spot: one.net_cents for one in rig.events if isinstance(one, WagerSettled)}


def asked(rig: Rig) -> list[str]:
    return [one.text for one in rig.events if isinstance(one, QuestionAsked)]


@pytest.mark.parametrize("profile", ["hollywood-penn-national", "borgata"])
@pytest.mark.parametrize("dealer_breaks", [True, False])
def test_it_is_asked_about(profile: str, *, dealer_breaks: bool) -> None:
    rig = played(profile, dealer_breaks=dealer_breaks, surrender_shown="sometimes")
    assert asked(rig) == ["Did spot 1 surrender?"]
    assert dues(rig) == {3: 1_000 if dealer_breaks else 0}
    rig.answer("no")
    assert dues(rig)[1] == (1_500 if dealer_breaks else -1_500)


def test_where_every_surrender_is_shown_a_missing_stand_is_for_the_floor() -> None:
    rig = played("hollywood-penn-national", dealer_breaks=True, surrender_shown="always")
    assert (asked(rig), rig.outcomes()) == ([], ["irregular"])
