"""Why something is refused, as a code for programs: in the event, and on the page that says what each code means."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from controller.core.messages.alerts import KeyRefused, OrderRefused
from controller.core.messages.inputs import AdjustWager, VoidRound, WithdrawOrder
from controller.core.refusal_reason import RefusalCode
from tests.core.rig import Rig, penn

PAGE = Path(__file__).resolve().parents[2] / "docs/reference/events.md"


def test_the_page_says_what_each_code_means() -> None:
    part = PAGE.read_text(encoding="utf-8").partition("## Reason codes")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE) == list(get_args(RefusalCode))


def test_an_order_that_cannot_be_carried_out_says_so_in_a_code() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.give(VoidRound(rig.now_ns, 7, "M. Okafor", "misdeal"))
    rig.give(AdjustWager(rig.now_ns, 7, 1, "main", 100, "M. Okafor", "misread"))
    rig.give(WithdrawOrder(rig.now_ns, 3, "M. Okafor", "typed wrong"))
    refused = [event for event in rig.events if isinstance(event, OrderRefused)]
    assert [event.reason_code for event in refused] == ["no_such_round", "no_such_round", "no_such_order"]


def test_a_key_without_effect_says_so_in_a_code() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk("key undo \n key yes \n key round_closed \n key hit \n key no_more_bets")
    refused = [event for event in rig.events if isinstance(event, KeyRefused)]
    found = [event.reason_code for event in refused]
    assert found == ["nothing_to_undo", "nothing_asked", "no_round", "no_cards", "no_wager"]
