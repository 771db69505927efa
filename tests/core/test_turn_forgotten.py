"""The dealer forgets to turn the hole card by key: *round closed* is refused, and the next deal is another round's."""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import CloseRefused
from controller.io.files import profile_files
from tests.core.rig import Rig
from tests.core.test_next_deal import deal


@pytest.mark.parametrize(("cleared", "rounds"), [("1 main 0", 2), ("", 1)])
def test_round_closed_refused_and_every_chip_taken_ends_the_round_with_the_next_card(cleared: str, rounds: int) -> None:
    """The dealer forgot the key of the turn, and then that of the next bets; while the bet lies it may be a hit."""
    keyed = {"stand_key": "always", "turn_key": "always"}
    rig = Rig(profile_files.load("hollywood-penn-national", keyed).rules)
    rig.talk(f"1 main 10 \n key no_more_bets \n Th 9c 6d 8s \n key stand \n {cleared} \n key round_closed")
    assert len(rig.events_of(CloseRefused)) == 1
    rig.pass_ms(6_000)
    rig.talk("2 main 20" if cleared else "")
    deal(rig, "5h 6c Td 8s", 0)
    assert rig.table.state.round is not None
    assert rig.table.state.round.number == rounds
    assert rig.outcomes() == ["irregular"] * (rounds - 1)
    assert rig.postings() == []
    if rounds == 2:
        rig.talk("key stand hole_turned \n Ts \n 2 main 40 \n 2 main 0 \n key round_closed")
        assert rig.outcomes() == ["irregular", "settled"]
        assert rig.postings() == ["2: spot 2 main +20.00"]
