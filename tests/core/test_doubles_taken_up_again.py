"""Tables whose dealers key every decision, and players who lay a double before their hand's turn."""

from __future__ import annotations

from typing import Any

import pytest

from controller.core.messages.alerts import SettlementDisputed
from controller.core.messages.events import QuestionAsked, RoundClosed
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.io.files import profile_files
from tests.core.human import HumanRig
from tests.core.quick_readers import accused

OF_BEFORE = {"keyed_doubles_kept": False}
"""What a journal of before lacks."""

WITHOUT_A_KEY_SO_FAR = (
    "5 main 10 / wait 1 / 2 main 50 / wait 8 / deal Tc 5d 9d 2s 4d 3h / wait 3.7 / 5 main 20 / wait 0.9 / 6c / wait 2.2"
    " / key stand / wait 0.3 / 7d / wait 7.7 / key hole_turned / wait 0.3 / Kh / wait 10 / 5 main 40 / wait 0.5"
    " / 2 main 100 / wait 0.6 / 2 main 50 / wait 1.4 / 5 main 0 / wait 1.5 / key round_closed / wait 4"
)
"""Nine is doubled while twelve draws a six, in the first round of a night: no key has been pressed yet."""

CHANGED_AND_DOUBLED = (
    "6 main 20 / wait 0.5 / 3 main 20 / wait 7 / deal Ks 9d 8c 4d 2s Tc / wait 4 / 6 main = 20 / 6 main 40 / wait 0.4"
    " / 9h / wait 1.9 / 3 main 0 / wait 1.7 / Kd / wait 4.5 / key hole_turned / wait 1.6 / 6 main 80 / wait 1"
    " / 6 main = 40 / wait 2.2 / 3 main 20 / wait 5"
)
"""Eleven changes its chips and doubles at once, while fourteen breaks."""

BROKEN_BEFORE_THE_LOOK = (
    "3 main 10 / wait 1 / 1 main 20 / wait 5 / key no_more_bets / wait 1 / deal 4c Th 8d 7c 3h Th / wait 2.6"
    " / 1 main 40 / wait 1.6 / 6h / wait 0.6 / 3 main 20 / wait 1.2 / Qc / wait 0.7 / 3 main 0 / wait 3.4 / 3 main 10"
    " / wait 1.4 / key hole_turned / wait 7 / 1 main 0 / wait 1.2 / key round_closed / wait 5"
)
"""Thirteen is doubled and breaks, and is taken, before it is known that the card before it began no deal."""

WRONG_KEY = (
    "4 main 20 / wait 0.2 / 3 main 50 / wait 1.1 / 1 main 20 / wait 6.5 / key no_more_bets / wait 1.1"
    " / deal 8d 2c 5h 8h 7c 7c As 7d / wait 4.2 / 3 main 100 / wait 0.4 / key hit / wait 0.6 / 8s / wait 3.4 / 1 main 0"
    " / wait 1.5 / key stand / wait 1.3 / key undo / wait 0.6 / key double / wait 0.5 / 4d / wait 3.8 / 8h / wait 2.8"
    " / key hit / wait 0.5 / 7d / wait 5.6 / key hole_turned / wait 1.2 / 3s / wait 2.6 / 4 main 40 / wait 0.7"
    " / 3 main 0 / wait 2 / key round_closed / wait 5"
)
"""Nine is doubled while fifteen hits and breaks; then the dealer presses *stand* for it, and takes that back."""


LAID_AGAIN = (
    "5 main 50 / wait 0.1 / 1 main 20 / wait 0.4 / 4 main 60 / wait 8 / key no_more_bets / wait 1.8"
    " / deal 2d 4c 6h Jh 3c Tc 3d Kh / wait 4.2 / 5 main = 100 / wait 2.7 / 5 main 50 / wait 0.7 / key hit / wait 0.6"
    " / Kh / wait 1.6 / key hit / wait 0.4 / 5h / wait 3.2 / key stand / wait 0.8 / 5 main 100 / wait 1.1 / key hit"
    " / wait 0.4 / 6d / wait 2.9 / key stand / wait 0.2 / key double / wait 0.3 / Ac / wait 3"
    " / key hole_turned / wait 3"
)
"""Hands lie face down: nine lays a double while five draws, takes it back, and lays it again while fourteen draws."""


def played(profile: str, text: str, *, facts: dict[str, bool] | None = None, **options: Any) -> HumanRig:
    """A table with keys whose readers look every 350 ms; ``facts``: what a journal of before lacks."""
    rules = profile_files.load(profile, {"new_shoe_burns": 0, "stand_key": "always", **options}).rules
    rig = HumanRig(rules, {})
    rig.change_house(**(facts or {}))
    rig.reads_display = False
    rig.play(text)
    return rig


def test_a_double_waits_for_its_card_before_any_key_was_pressed() -> None:
    rig = played("classic-shoe-and-pitch", WITHOUT_A_KEY_SO_FAR, turn_key="sometimes")
    assert rig.postings() == ["1: spot 2 main +50.00", "1: spot 5 main +20.00"]
    assert accused(rig) == []


def test_by_a_journal_of_before_it_was_asked_whose_cards_these_are() -> None:
    rig = played("classic-shoe-and-pitch", WITHOUT_A_KEY_SO_FAR, facts=OF_BEFORE, turn_key="sometimes")
    assert [asked.text[:40] for asked in rig.events_of(QuestionAsked)] == ["Cards came that may be the next deal's: "]
    assert accused(rig) == [AlertKind.CAPPING]


def test_so_does_one_in_changed_chips() -> None:
    rig = played("pitch-h17", CHANGED_AND_DOUBLED, turn_key="sometimes", busts_taken="at_once")
    assert rig.postings() == ["1: spot 3 main -20.00", "1: spot 6 main +40.00"]
    assert accused(rig) == []


def test_by_a_journal_of_before_its_player_capped_the_bet() -> None:
    rig = played("pitch-h17", CHANGED_AND_DOUBLED, facts=OF_BEFORE, turn_key="sometimes", busts_taken="at_once")
    assert rig.postings() == ["1: spot 3 main -20.00", "1: spot 6 main +20.00"]
    assert accused(rig) == [AlertKind.CAPPING]


@pytest.mark.parametrize(("facts", "due", "disputed"), [({}, "-20.00", 0), (OF_BEFORE, "-10.00", 1)])
def test_no_look_confirms_chips_that_move_while_cards_wait(facts: dict[str, bool], due: str, disputed: int) -> None:
    rig = played("borgata", BROKEN_BEFORE_THE_LOOK, facts=facts, turn_key="sometimes", no_more_bets="always")
    assert f"1: spot 3 main {due}" in rig.postings()
    assert len(rig.events_of(SettlementDisputed)) == disputed


def test_a_key_that_is_taken_back_accuses_nobody() -> None:
    rig = played("hollywood-penn-national", WRONG_KEY, turn_key="always", busts_taken="at_once")
    assert rig.postings() == ["1: spot 1 main -20.00", "1: spot 3 main -100.00", "1: spot 4 main +20.00"]
    assert accused(rig) == []
    assert [closed.outcome for closed in rig.events_of(RoundClosed)] == ["settled"]


def test_by_a_journal_of_before_the_double_was_lost_with_the_key() -> None:
    rig = played("hollywood-penn-national", WRONG_KEY, facts=OF_BEFORE, turn_key="always", busts_taken="at_once")
    assert accused(rig) == [AlertKind.CAPPING]
    assert [closed.outcome for closed in rig.events_of(RoundClosed)] == ["irregular"]


def test_a_double_that_is_taken_back_and_laid_again_face_down_is_no_offence() -> None:
    rig = played("pitch-h17", LAID_AGAIN, turn_key="sometimes", no_more_bets="always")
    assert "1: spot 5 main +0.00" in rig.postings()
    assert [alert.kind for alert in rig.events_of(AlertRaised)] == [AlertKind.CHIPS_UNEXPLAINED]
