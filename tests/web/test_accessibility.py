"""Every page held against axe-core, in the dark and in the light, wide and narrow, and worked by keys alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
from playwright.async_api import expect

from controller.core.messages.inputs import AdjustWager
from controller.core.persons import Authentication
from controller.io.mqtt.connection import Broker
from tests.core.rig import Rig
from tests.progressive.live import MeterRig
from tests.progressive.test_live_meters import BONUS, DIAMONDS
from tests.web.conftest import Window
from tests.web.stage import pages, staged
from tests.web.test_table_page import dealt

AXE: Final = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"


def jackpot() -> Rig:
    rig = MeterRig()
    rig.talk(DIAMONDS)
    return rig


def irregular() -> Rig:
    rig = dealt()
    rig.talk("key hole_turned\nkey hit\n4c\n3c")
    return rig


async def findings(window: Window) -> list[str]:
    """What axe-core finds, however small it calls it."""
    if not AXE.exists():
        pytest.skip("no axe-core here: install nodejs and npm, then run .ci/servers")
    # The page's own policy forbids scripts of others: axe is run in a world of its own.
    await window.page.evaluate(AXE.read_text(encoding="utf-8"))
    found: dict[str, Any] = await window.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [f"{one['id']}: {node['html'][:160]}" for one in found["violations"] for node in one["nodes"]]


@pytest.mark.parametrize("colours", ["dark", "light"])
@pytest.mark.parametrize("width", [1440, 360])
@pytest.mark.parametrize("page", ["table", "dealer", "sign", ""])
async def test_nothing_is_found(page: str, width: int, colours: Any, broker: Broker, window: Window) -> None:
    rig = jackpot() if page == "sign" else irregular() if colours == "dark" else dealt()
    async with staged(broker, rig), pages(broker) as at:
        await window.page.emulate_media(color_scheme=colours)
        await window.page.set_viewport_size({"width": width, "height": 900})
        await window.page.goto(f"{at}/{page}/harbour/bj-1" if page else at)
        shown = {"table": ".felt, .felt-list", "dealer": ".panel, .large", "sign": ".digits", "": ".tables a"}
        await expect(window.page.locator(shown[page]).first).to_be_visible()
        assert await findings(window) == []


async def test_what_is_written_at_a_side_wager_and_at_a_correction_is_in_its_name(
    broker: Broker, window: Window
) -> None:
    rig = MeterRig()
    rig.talk(BONUS)
    rig.give(
        AdjustWager(rig.now_ns, 1, 1, "main", 0, "M. Okafor", "dead hand", vouched=Authentication("key", ("floor",)))
    )
    async with staged(broker, rig), pages(broker) as at:
        await window.page.goto(f"{at}/table/harbour/bj-1")
        await expect(window.page.locator(".due.side").first).to_be_visible()
        assert await findings(window) == []
        names = await window.page.locator(".due [role=button]").evaluate_all("dues => dues.map((one) => one.ariaLabel)")
        assert names == [
            "Spot 1 main: push, corrected; before: −$10.00",
            "Spot 1 Five Card Progressive: 5 card −$5.00, open",
        ]


async def test_a_due_and_the_settings_are_reached_by_keys(broker: Broker, window: Window) -> None:
    async with staged(broker, dealt()), pages(broker) as at:
        await window.page.goto(f"{at}/table/harbour/bj-1")
        await expect(window.page.locator(".due.pays")).to_be_visible()
        focused = set()
        for _ in range(12):
            await window.page.keyboard.press("Tab")
            focused.add(
                await window.page.evaluate(
                    "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
                )
            )
        assert {"Spot 1 main: +$37.50, certain", "Display", "harbour/bj-1", "Dealer", "Sign"} <= focused
