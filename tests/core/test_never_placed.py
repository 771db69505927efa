"""Where a wager's chip lay never became known: what moved in that round accuses nobody, also once it has ended."""

from __future__ import annotations

import pytest

from controller.core.messages.events import BettingClosed
from controller.core.messages.inputs import DeadlinePassed
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, ChipsConfirmed, ChipsSeen
from tests.core.quick_readers import QuickReaders
from tests.core.rig import MS, SPOTS

CHIPS = {"E1": 500, "E2": 500, "E3": 500, "S": 600, "T": 2500, "H": 10000, "P": 10000}
ACCUSED = {AlertKind.CAPPING, AlertKind.PINCHING, AlertKind.PAST_POSTING, AlertKind.BET_TOUCHED, AlertKind.MISPAY}

ROUND = "0 6:E1 / 8000 4:S / 9300 8d Kd Tc 8c 2s / 13900 7s"
"""The round before; two boxes have bet."""

NEXT = (
    "30400 7:E2 / 31500 6:E2,T / 31600 2:H / 33000 Jh 7d Ac 3s 4s 4c Js Qs / 39400 6: / 39450 7: / 40100 Kh / 42100 Qs"
    " / 44500 2:H,P / 46000 2: / 60700 4:E3 / 64000 2s"
)
"""Spot 7 hears a chip of spot 6 first, whose natural is taken away before anybody knew; spot 2 wins a hundred."""


def dealt(text: str, *, excused: bool = True) -> QuickReaders:
    """A table where no keys are pressed: at these milliseconds zones show chips, or cards come, 400 ms apart."""
    rig = QuickReaders(profile_files.load("borgata", {"turn_key": "sometimes"}).rules, dict(CHIPS))
    rig.change_house(wagers_followed=excused)
    begun_ns, rig.late = rig.now_ns, True
    for piece in text.split(" / "):
        at_ms, *what = piece.split()
        rig.now_ns = begun_ns + int(at_ms) * MS
        for one in what:
            spot, is_zone, chips = one.partition(":")
            if is_zone:
                by_ns = rig.now_ns - (210 * MS if chips else 0)
                lying = tuple(chips.split(",")) if chips else ()
                rig.give(ChipsSeen(int(spot), "main", lying, rig.now_ns - 660 * MS, by_ns))
            else:
                rig.give(CardDrawn(rig.now_ns, Card(one)))
                rig.now_ns += 400 * MS
    rig.now_ns += 5_000 * MS
    rig.give(DeadlinePassed(rig.now_ns))
    rig.give(ChipsConfirmed(SPOTS, rig.now_ns - 1_000 * MS))
    return rig


@pytest.mark.parametrize("excused", [True, False])
def test_a_winner_who_takes_his_chips_in_that_round_is_not_accused_as_it_ends(*, excused: bool) -> None:
    rig = dealt(f"{ROUND} / {NEXT}", excused=excused)
    assert rig.outcomes() == ["open", "irregular"]
    assert rig.postings() == []
    raised = [one for one in rig.events if isinstance(one, AlertRaised) and one.round == 2]
    assert [one.text for one in raised if one.kind in ACCUSED] == (
        []
        if excused
        else ["spot 2 main: 200.00 became 0.00 after the lock", "spot 4 main: 6.00 became 5.00 after the lock"]
    )
    unplaced = [one.text for one in raised if one.text.endswith("while a chip lies between two zones")]
    assert len(unplaced) == (3 if excused else 1)


DOUBLED = (
    "30400 1:H / 31000 6:E2 / 31300 7:E2 / 31500 2:H / 33000 Jh 7d Ac 3s 4s 4c Js Qs / 39400 2:H,P / 40100 5c"
    " / 40700 1: / 44000 9s / 48000 2:H,P,E3 / 51000 2:H / 60000 8d Kd Tc 8c 2s 3d 4h 5h"
)
"""Spot 1 hears the chip of spot 2, which doubles, spot 7 that of spot 6; the next deal comes before anybody knew."""


@pytest.mark.parametrize(("excused", "outcome", "spots"), [(True, "irregular", [1, 4, 6]), (False, "open", [1, 4, 7])])
def test_where_the_next_deal_ends_that_round_the_floor_rules_on_all_of_it(
    outcome: str, spots: list[int], *, excused: bool
) -> None:
    """Of the wagers at the lock one may be another spot's: left open they would be said to be these."""
    rig = dealt(f"{ROUND} / {DOUBLED}", excused=excused)
    assert rig.outcomes() == ["open", outcome]
    assert rig.postings() == []
    closed = next(one for one in rig.events if isinstance(one, BettingClosed) and one.round == 2)
    assert [one.spot for one in closed.wagers] == spots
