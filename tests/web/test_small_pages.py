"""The dealer's screen and the players' sign."""

from __future__ import annotations

import re

import msgspec
import pytest
from playwright.async_api import expect

from controller.core.messages.advice import AdviceLine, DealerAction, Stack
from controller.core.messages.inputs import PayJackpot, VerifyJackpot
from controller.formats.mqtt.retained_state import AdviceNow, info_bytes
from controller.io.mqtt.connection import Broker
from tests.core.rig import Rig, penn
from tests.core.test_waiting_rounds import WHO_GOT_THE_NINE
from tests.progressive.live import MeterRig
from tests.progressive.test_live_meters import DIAMONDS
from tests.web.conftest import Window
from tests.web.stage import pages, staged
from tests.web.test_table_page import dealt


async def test_the_dealer_is_shown_one_thing_at_a_time(broker: Broker, window: Window) -> None:
    async with staged(broker, Rig(penn())) as stage, pages(broker) as at:
        await window.page.set_viewport_size({"width": 1024, "height": 600})
        await window.page.goto(f"{at}/dealer/harbour/bj-1")
        await expect(window.page.get_by_text("Bets open")).to_be_visible()
        await stage.talk(WHO_GOT_THE_NINE)
        await expect(window.page.locator(".question")).to_contain_text("how many cards in hand 1?")
        await window.picture("dealer")
        assert await window.page.locator("button, input, select, a").count() == 0


async def test_the_dealer_sees_what_to_take_and_pay_in_order(broker: Broker, window: Window) -> None:
    async with staged(broker, dealt()) as stage, pages(broker) as at:
        await window.page.goto(f"{at}/dealer/harbour/bj-1")
        await stage.talk("key stand\nkey stand\nkey hit\nTd\nkey hit\n4c\nkey stand\nkey hole_turned")
        await expect(window.page.locator(".advice li .where")).to_have_text(
            ["spot 7", "spot 6", "spot 4", "spot 2", "spot 1"]
        )


@pytest.mark.parametrize(("width", "height"), [(1024, 600), (1280, 800), (3840, 2160)])
@pytest.mark.parametrize("wagers", [1, 3, 4])
async def test_the_dealer_sees_all_there_is_to_take_and_pay_without_scrolling(
    wagers: int, width: int, height: int, broker: Broker, window: Window
) -> None:
    bets = ("main", "lucky_ladies", "five_card_progressive", "insurance")[:wagers]
    stacks = (Stack(2_500, 2), Stack(500, 1), Stack(100, 4))
    lines = tuple(
        AdviceLine(spot, bet, None, DealerAction.PAY, 5_900, stacks, 0) for spot in range(7, 0, -1) for bet in bets
    )
    async with staged(broker, Rig(penn())) as stage, pages(broker) as at:
        await stage.retain(stage.topics.state("advice"), msgspec.json.encode(AdviceNow(1, 1, lines)))
        await window.page.set_viewport_size({"width": width, "height": height})
        await window.page.goto(f"{at}/dealer/harbour/bj-1")
        await expect(window.page.locator(".advice li")).to_have_count(len(lines))
        root = "document.documentElement"
        whole = await window.page.evaluate(f"[{root}.scrollHeight, {root}.scrollWidth]")
        assert all(most <= room for most, room in zip(whole, (height, width), strict=True)), whole
        if (wagers, width) == (3, 1024):
            await window.picture("dealer-all")


async def test_the_sign_rolls_up_to_what_is_certain_and_never_past_it(broker: Broker, window: Window) -> None:
    rig = MeterRig()
    async with staged(broker, rig) as stage, pages(broker) as at:
        await window.page.goto(f"{at}/sign/harbour/bj-1")
        await expect(window.page.get_by_label("$10,000.00", exact=True)).to_be_visible()
        await window.page.evaluate(
            """() => {
                window.seen = [];
                const look = () => {
                    window.seen.push(document.querySelector('.digits')?.textContent);
                    requestAnimationFrame(look);
                };
                look();
            }"""
        )
        await stage.talk(DIAMONDS.replace("7d 7d 7d 8c", "9h 6c 8s Tc"))
        await expect(window.page.locator(".digits").first).to_have_text("$10,000.85")
        seen = [int(re.sub(r"\D", "", text)) for text in await window.page.evaluate("window.seen")]
        assert seen == sorted(seen)
        assert seen[-1] <= 1_000_085


async def test_the_sign_shows_limits_and_rules_as_any_tables_sign_does(broker: Broker, window: Window) -> None:
    rig = Rig(penn(minimum_cents=1_000, maximum_cents=50_000))
    async with staged(broker, rig), pages(broker) as at:
        await window.page.goto(f"{at}/sign/harbour/bj-1")
        await expect(window.page.locator(".posted p")).to_have_text(
            [
                "Minimum $10 · Maximum $500",
                "Blackjack pays 3 to 2 · Dealer stands on all 17s",
                "Insurance pays 2 to 1",
            ]
        )


async def test_of_a_table_whose_program_publishes_no_rules_the_sign_shows_the_limits(
    broker: Broker, window: Window
) -> None:
    rig = Rig(penn(minimum_cents=1_050))
    async with staged(broker, rig) as stage, pages(broker) as at:
        info = msgspec.json.decode(info_bytes(rig.house, "0.0.9"))
        earlier = {name: value for name, value in info.items() if name not in ("rules", "side_maximum_cents")}
        await stage.retain(stage.topics.info, msgspec.json.encode(earlier))
        await window.page.goto(f"{at}/sign/harbour/bj-1")
        await expect(window.page.locator(".posted p")).to_have_text(["Minimum $10.50"])


async def test_the_sign_says_at_least_where_the_truth_is_not_known_and_names_nobody(
    broker: Broker, window: Window
) -> None:
    rig = MeterRig()
    async with staged(broker, rig) as stage, pages(broker) as at:
        await window.page.goto(f"{at}/sign/harbour/bj-1")
        await stage.talk(DIAMONDS)
        rig.give(VerifyJackpot(rig.now_ns, 1, "A. Ames", "cards seen"))
        rig.give(PayJackpot(rig.now_ns, 1, "B. Bell", "hand pay"))
        await stage.publish()
        await expect(window.page.locator(".last")).to_contain_text("Last won: $10,000.85, Blazing 7's")
        assert "Ames" not in await window.page.content()
        await window.picture("sign")
        await stage.hold("record 50 could not be stepped")
        await expect(window.page.locator(".least").first).to_have_text("at least")


@pytest.mark.parametrize("patience", ["1", "soon"])
async def test_the_sign_says_nothing_after_the_time_that_was_asked_for(
    patience: str, broker: Broker, window: Window
) -> None:
    async with staged(broker, MeterRig()) as stage, pages(broker) as at:
        await window.page.goto(f"{at}/sign/harbour/bj-1?patience={patience}")
        await expect(window.page.locator(".digits")).to_have_text("$10,000.00")
        await stage.hold("record 50 could not be stepped")
        await expect(window.page.locator(".least")).to_have_text("at least" if patience == "soon" else [])
        await expect(window.page.locator("h1.house")).to_have_count(0 if patience == "soon" else 1)
