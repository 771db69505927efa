"""Moments of play that people must have seen once, each as the table's page shows it."""

from __future__ import annotations

from typing import Final

import pytest
from playwright.async_api import expect

from controller.io.mqtt.connection import Broker
from tests.core.rig import Rig, penn
from tests.core.test_face_down import HAND, pitch
from tests.web.conftest import Window
from tests.web.stage import pages, staged
from tests.web.test_accessibility import findings
from tests.web.test_table_page import CHIPS, HERE, dealt, faces

SMALL: Final = 0.5
"""Pictures of one moment are smaller in the docs than those of a page."""


async def test_a_split_of_nines_and_a_double(broker: Broker, window: Window) -> None:
    rig = Rig(penn(stand_key="always"), dict(CHIPS))
    rig.talk("1 main 50\n2 main 25\nkey no_more_bets\n9c 6h 6d 9h 5s Tc")
    async with staged(broker, rig) as stage, pages(broker) as at:
        await window.page.goto(at + HERE)
        await stage.talk("1 main 100\nkey split\n2c\n1 main 150\nkey double\nTd\nKd\nkey stand")
        await expect(window.page.locator('[aria-label^="Spot 1"] [data-card]')).to_have_count(5)
        await stage.talk("2 main 50\nkey double\nTs\nkey hole_turned\n8c\nkey round_closed")
        await expect(window.page.get_by_role("button", name="Spot 1 main: +$150.00, certain")).to_be_visible()
        await expect(window.page.get_by_role("button", name="Spot 2 main: +$50.00, certain")).to_be_visible()
        assert await faces(window, "Dealer") == ["six of diamonds", "ten of clubs", "eight of clubs"]
        await window.picture("moment-split", SMALL)


async def test_insurance_and_a_dealers_natural(broker: Broker, window: Window) -> None:
    rig = Rig(penn(), dict(CHIPS))
    rig.talk("1 main 100\n2 main 50\nkey no_more_bets\nTh 9h As 9d 8s Kd")
    async with staged(broker, rig) as stage, pages(broker) as at:
        await window.page.goto(at + HERE)
        await expect(window.page.locator("[aria-label='hole card, closed']")).to_have_count(1)
        await stage.talk("1 insurance 50\nkey insurance_closed\nkey hole_turned\nkey round_closed")
        await expect(window.page.get_by_role("button", name="Spot 1 insurance: ins. +$100.00, certain")).to_be_visible()
        await expect(window.page.get_by_role("button", name="Spot 2 main: −$50.00, certain")).to_be_visible()
        assert await faces(window, "Dealer") == ["ace of spades", "king of diamonds"]
        await window.picture("moment-insurance", SMALL)


async def test_a_surrender(broker: Broker, window: Window) -> None:
    rig = Rig(penn(stand_key="always"), dict(CHIPS))
    rig.talk("1 main 100\nkey no_more_bets\nTh 9d 6s 8d")
    async with staged(broker, rig) as stage, pages(broker) as at:
        await window.page.goto(at + HERE)
        await stage.talk("key surrender")
        await expect(window.page.locator('[aria-label^="Spot 1"]').first).to_have_attribute("aria-label", SURRENDERED)
        await expect(window.page.locator(".due")).to_have_text(["−$50.00"])
        await window.picture("moment-surrender", SMALL)


SURRENDERED: Final = "Spot 1; $100.00; ten of hearts, six of spades; main −$50.00; surrendered"


async def test_a_pitch_hand_lies_closed_until_it_is_shown(broker: Broker, window: Window) -> None:
    rig = Rig(pitch())
    rig.talk(HAND)
    async with staged(broker, rig) as stage, pages(broker) as at:
        await window.page.goto(at + HERE)
        await expect(window.page.locator("[data-card]")).to_have_count(6)
        frames = "".join(window.frames)
        assert [face for face in ("Th", "9h", "8d", "9d", "Ts") if f'"{face}"' in frames] == []
        await window.picture("moment-pitch-closed", SMALL)
        await stage.talk("key stand stand hole_turned\n5c\nkey round_closed")
        await expect(window.page.locator(".due.certain")).to_have_text(["−$10.00", "−$20.00"])
        assert await faces(window, "Spot 1") == ["ten of hearts", "eight of diamonds"]
        assert await faces(window, "Spot 2") == ["nine of hearts", "nine of diamonds"]
        await window.picture("moment-pitch-shown", SMALL)


async def test_the_table_on_hold_with_its_shoe_unplugged(broker: Broker, window: Window) -> None:
    async with staged(broker, dealt()) as stage, pages(broker) as at:
        await window.page.goto(at + HERE)
        await stage.device("shoe", "lost", "no answer on /dev/shoe")
        await stage.hold("record 50 could not be stepped; see its event internal_error")
        await expect(window.page.locator(".notice.held")).to_be_visible()
        await expect(window.page.locator(".devices .lost")).to_have_text("shoe lost")
        await window.picture("moment-hold", SMALL)


@pytest.mark.parametrize(("media", "name"), [("screen", "light"), ("print", "printed")])
async def test_in_the_light_and_on_paper(media: str, name: str, broker: Broker, window: Window) -> None:
    async with staged(broker, dealt()), pages(broker) as at:
        await window.page.emulate_media(color_scheme="light", media="print" if media == "print" else "screen")
        await window.page.goto(at + HERE)
        await expect(window.page.locator(".due.pays")).to_be_visible()
        assert await window.page.locator(".head nav").is_visible() == (media == "screen")
        assert await findings(window) == []
        await window.picture(f"moment-{name}", SMALL)


async def test_a_screen_reader_hears_the_dealer_then_the_boxes_in_dealing_order(broker: Broker, window: Window) -> None:
    async with staged(broker, dealt()), pages(broker) as at:
        await window.page.goto(at + HERE)
        await expect(window.page.locator(".due.pays")).to_be_visible()
        groups = window.page.locator('svg.felt [role="group"][aria-label]')
        names = await groups.evaluate_all("all => all.map((one) => one.getAttribute('aria-label').split(';')[0])")
        assert names[0].startswith("Dealer"), names
        boxes = [name for name in names if name.startswith("Spot")]
        assert boxes == sorted(boxes) == [f"Spot {number}" for number in range(1, 8)]
