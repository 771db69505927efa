"""Through one round: the rounds beside it, the felt once it is over, its times, and the timeline under a pointer."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Locator, Page, expect

from controller.io.mqtt.connection import Broker
from controller.web.journals import Journals
from tests.core.journals import HERE
from tests.core.rig import Rig, penn
from tests.core.test_waiting_rounds import WHO_GOT_THE_NINE
from tests.web.conftest import Window
from tests.web.operators import SIGNERS
from tests.web.stage import pages, staged
from tests.web.test_accessibility import findings
from tests.web.test_round_page import JOURNAL, in_zone, kept, nine, two_rounds, with_people
from tests.web.test_table_page import dealt

NOW: Final = ".account [aria-current]"


async def test_a_round_that_is_not_there_is_no_link(broker: Broker, window: Window, tmp_path: Path) -> None:
    async with pages(broker, await kept(two_rounds(), tmp_path)) as at:
        await window.page.goto(f"{at}/round/{JOURNAL}/1")
        beside = window.page.get_by_role("navigation", name="Other rounds")
        await expect(beside).to_contain_text("first round")
        await expect(beside.get_by_role("link")).to_have_text(["Rounds", "round after"])
        await beside.get_by_role("link", name="round after").click()
        await expect(window.page.locator(".head")).to_contain_text("Round 2")
        await expect(beside.get_by_role("link")).to_have_text(["Rounds", "round before"])
        await expect(beside).to_contain_text("latest round")
        await beside.get_by_role("link", name="Rounds").click()
        await expect(window.page.locator(".tables a b")).to_have_text(["Round 2", "Round 1"])


async def test_one_gets_from_the_tables_to_the_rounds_by_links(broker: Broker, window: Window, tmp_path: Path) -> None:
    path = await kept(two_rounds(), tmp_path)
    async with staged(broker, dealt()), pages(broker, path) as at:
        page = window.page
        await page.goto(at)
        await page.get_by_role("link", name="Journals").click()
        await page.get_by_role("link", name="harbour/bj-1").click()
        await expect(page.locator(".tables a b")).to_have_text(["Round 2", "Round 1"])
        await page.get_by_role("link", name="Table", exact=True).click()
        await page.get_by_role("link", name="Rounds").click()
        await expect(page).to_have_url(f"{at}/round/{JOURNAL}?")
        await expect(page.locator(".tables a b")).to_have_text(["Round 2", "Round 1"])
        await page.goto(f"{at}/shift/harbour/bj-1")
        await page.get_by_role("link", name="Rounds").click()
        await expect(page.locator(".tables a b")).to_have_text(["Round 2", "Round 1"])
        await page.goto(f"{at}/pit")
        await page.get_by_role("link", name="Journals").click()
        await expect(page).to_have_url(f"{at}/round")


async def test_no_link_leads_to_journals_that_are_not_served_or_not_for_this_visitor(
    broker: Broker, window: Window, tmp_path: Path
) -> None:
    path = await kept(two_rounds(), tmp_path)
    async with staged(broker, dealt()), pages(broker) as without, pages(broker, path, signers=SIGNERS) as signed:
        for at in (without, signed):
            for address in (at, f"{at}/table/harbour/bj-1", f"{at}/pit"):
                await window.page.goto(address)
                await expect(window.page.locator(".state.live").first).to_be_visible()
                await expect(window.page.locator("a[href^='/round']")).to_have_count(0)


async def test_the_felt_of_a_round_that_is_over_shows_its_own_chips(tmp_path: Path) -> None:
    course = await Journals((await kept(with_people(), tmp_path),)).course(HERE, 1)
    last = course.moments[-1]
    assert last.name == "alert_acknowledged"
    lying = {one.spot: one.cents for one in course.felts[last.felt].zones}
    # The next round's bet at spot 1 is 30.00.
    assert lying == {1: 2_500, 2: 5_000, 4: 10_000, 6: 1_500, 7: 1_000}


async def test_the_felt_of_a_round_that_waits_shows_its_own_chips(tmp_path: Path) -> None:
    rig = Rig(penn())
    rig.talk(WHO_GOT_THE_NINE)
    rig.talk("1 main 90")
    rig.answer("3")
    course = await Journals((await kept(rig, tmp_path),)).course(HERE, 1)
    assert "round_closed" in [one.name for one in course.moments]
    assert 9_000 not in {one.cents for felt in course.felts for one in felt.zones}


async def test_the_end_of_another_round_hides_no_chips_of_this_one(tmp_path: Path) -> None:
    """The round before waited for its answer, which came while this one was played."""
    rig = Rig(penn())
    rig.talk(WHO_GOT_THE_NINE)
    rig.talk("1 main 90\nkey no_more_bets\n6h 7d 5s Td")
    rig.answer("3")
    rig.talk("1 main 180\nkey double\n9h\nkey hole_turned\nkey round_closed")
    course = await Journals((await kept(rig, tmp_path),)).course(HERE, 2)
    assert 18_000 in {one.cents for felt in course.felts for one in felt.zones}


async def test_the_plays_are_counted_to_the_moment_and_of_the_whole_round(
    broker: Broker, window: Window, tmp_path: Path
) -> None:
    async with pages(broker, await kept(nine(), tmp_path)) as at:
        page = window.page
        await page.goto(f"{at}/round/{JOURNAL}/1")
        await expect(page.locator(".head")).to_contain_text("2 legal plays explain the round")
        await expect(page.locator(".plays")).to_contain_text("ways this round may have gone, by all its cards")
        await expect(page.locator(".timeline .most")).to_have_text("3 legal plays")
        await page.locator(".account").get_by_role("button", name="the dealer pressed").first.click()
        await expect(page.locator(".plays")).to_contain_text("up to this moment")
        await expect(page.locator(".head")).to_contain_text("legal plays up to this moment")


async def test_of_a_round_that_is_not_closed_the_page_says_when_plays_are_counted(
    broker: Broker, window: Window, tmp_path: Path
) -> None:
    async with pages(broker, await kept(dealt(), tmp_path)) as at:
        await window.page.goto(f"{at}/round/{JOURNAL}/1")
        await expect(window.page.locator(".head")).to_contain_text("not closed")
        await expect(window.page.locator(".plays")).to_contain_text("counted once the round is closed")


async def test_every_time_is_the_houses_and_says_so(broker: Broker, window: Window, tmp_path: Path) -> None:
    async with pages(broker, await kept(in_zone(two_rounds(), "America/New_York"), tmp_path)) as at:
        page = window.page
        await page.goto(f"{at}/round/{JOURNAL}")
        await expect(page.locator(".tables time").first).to_have_text("2026-11-21 06:17:12 UTC−5")
        await expect(page.get_by_label("At, America/New_York (UTC−5)")).to_be_visible()
        await page.goto(f"{at}/round/{JOURNAL}/1")
        await expect(page.locator(".account h2")).to_have_text("In words times in America/New_York (UTC−5)")
        await expect(page.locator(f"{NOW} time")).to_have_text("06:17:12")
        await page.keyboard.press("Home")
        await expect(page.locator(f"{NOW} time")).to_have_text("06:16:54")
        await expect(page.locator(f"{NOW} time")).to_have_attribute("title", "2026-11-21 06:16:54 UTC−5 (11:16:54 UTC)")
        await expect(page.locator(".controls time")).to_have_text("event 8 at 2026-11-21 06:16:54 UTC−5 (11:16:54 UTC)")
        await expect(page.locator(".timeline text.lane", has_text="UTC−5")).to_have_count(1)
        await page.get_by_label("Time, UTC−5").fill("06:17:05")
        await expect(page.locator(f"{NOW} time")).to_have_text("06:17:05")
        await expect(page.locator(".felt .round-phase")).to_have_text("06:17:05 UTC−5")
        assert await findings(window) == []


async def test_the_table_page_shows_times_in_the_zone_that_the_table_publishes(broker: Broker, window: Window) -> None:
    rig = at_the_zone("Europe/Vienna")
    async with staged(broker, rig) as stage, pages(broker) as at:
        await window.page.goto(f"{at}/table/harbour/bj-1")
        await stage.talk("1 main 25\nkey no_more_bets\nTh 7d Qs Td")
        await expect(window.page.locator(".log h2")).to_contain_text("times in Europe/Vienna (UTC+")


def at_the_zone(zone: str) -> Rig:
    """A table of a house of this time zone."""
    rig = Rig(penn())
    start = in_zone(rig, zone).stamped[0].input
    rig.house = start.house  # type: ignore[union-attr]
    return rig


async def middle(one: Locator) -> tuple[float, float]:
    """Where something is on the screen."""
    box = await one.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


async def seq_shown(page: Page) -> int:
    """The event of the moment that the page is at."""
    return int((await page.locator(".controls time").inner_text()).split()[1])


async def test_a_drag_on_the_timeline_moves_the_moment(broker: Broker, window: Window, tmp_path: Path) -> None:
    async with pages(broker, await kept(two_rounds(), tmp_path)) as at:
        page = window.page
        await page.goto(f"{at}/round/{JOURNAL}/1")
        await expect(page.locator(NOW)).to_be_visible()
        await page.keyboard.press("Home")
        dots = page.locator(".timeline .dot.cards")
        left, top = await middle(dots.nth(2))
        right, _ = await middle(dots.nth(20))
        # Between two lanes, where no dot is.
        await page.mouse.move(left, top + 12)
        await page.mouse.down()
        pressed = await page.locator(NOW).inner_text()
        assert "left the shoe" in pressed or "belongs to" in pressed
        shown = []
        for step in range(1, 6):
            await page.mouse.move(left + (right - left) * step / 5, top + 300)
            shown.append(await seq_shown(page))
        assert shown == sorted(shown)
        assert len(set(shown)) > 2
        await expect(dots.nth(20)).to_have_attribute("aria-current", "step")
        await page.mouse.up()
        await page.mouse.move(left, top)
        assert await seq_shown(page) == shown[-1]
        await page.keyboard.press("ArrowLeft")
        assert await seq_shown(page) < shown[-1]
        await dots.nth(4).click()
        await expect(dots.nth(4)).to_have_attribute("aria-current", "step")
        await expect(dots.nth(4)).to_be_focused()
        await page.mouse.move(*await middle(dots.nth(4)))
        await page.mouse.down(button="right")
        await page.mouse.move(right, top)
        await expect(dots.nth(4)).to_have_attribute("aria-current", "step")
        await page.mouse.up(button="right")
        assert await findings(window) == []


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1440, 900), (3840, 2160)])
async def test_the_letters_of_the_timeline_are_as_large_as_those_beside_it(
    width: int, height: int, broker: Broker, window: Window, tmp_path: Path
) -> None:
    async with pages(broker, await kept(two_rounds(), tmp_path)) as at:
        page = window.page
        await page.goto(f"{at}/round/{JOURNAL}/1")
        await page.set_viewport_size({"width": width, "height": height})
        heights = "one => one.getBoundingClientRect().height"
        # A line of text is 1.35 letters high in the page, some less in a drawing.
        beside = await page.locator(".account time").first.evaluate(heights)
        await expect(page.locator(".timeline text.lane").first).to_be_visible()
        assert 0.6 < await page.locator(".timeline text.lane").first.evaluate(heights) / beside < 1.2
        assert await clocks(page) == (3 if width == 390 else 5)
        assert await page.evaluate("document.documentElement.scrollWidth") == width
        await page.set_viewport_size({"width": 320, "height": 568})
        await expect(page.locator(".timeline text.lane", has_text=":")).to_have_count(2)
        assert await clocks(page) == 2


async def clocks(page: Page) -> int:
    """How many clocks stand below the timeline, each apart from the next."""
    boxes = [await one.bounding_box() for one in await page.locator(".timeline text.lane", has_text=":").all()]
    edges = [(box["x"], box["x"] + box["width"]) for box in boxes if box is not None]
    assert all(earlier[1] < later[0] for earlier, later in pairwise(edges))
    return len(edges)


async def test_a_finger_moves_the_moment_and_still_scrolls_the_page(
    broker: Broker, window: Window, tmp_path: Path
) -> None:
    async with pages(broker, await kept(two_rounds(), tmp_path)) as at:
        page = window.page
        await page.set_viewport_size({"width": 390, "height": 844})
        await page.goto(f"{at}/round/{JOURNAL}/1")
        await expect(page.locator(NOW)).to_be_visible()
        await page.keyboard.press("Home")
        line = page.locator(".timeline")
        await line.scroll_into_view_if_needed()
        assert await line.evaluate("one => getComputedStyle(one).touchAction") == "pan-y"
        dots = page.locator(".timeline .dot.cards")
        left, top = await middle(dots.nth(2))
        right, _ = await middle(dots.nth(20))
        touch = await page.context.new_cdp_session(page)
        for kind, across in (("touchStart", left), ("touchMove", (left + right) / 2), ("touchMove", right)):
            points = [{"x": across, "y": top + 6}]
            await touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        await touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        await expect(dots.nth(20)).to_have_attribute("aria-current", "step")
