"""The account of a shift in a real browser: the figures of ``tableside report``, live and on paper."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner
from playwright.async_api import expect

from controller.cli import main
from controller.core.messages.floor_events import Count
from controller.core.messages.inputs import AdjustWager, EnterInventory
from controller.core.persons import Authentication
from controller.io.mqtt.connection import Broker
from controller.web.accounts import MAKING_SECONDS, AccountRefused, Accounts, ShiftChoice
from tests.core.journals import journal_of
from tests.core.rig import Rig, penn
from tests.progressive.live import MeterRig
from tests.web.conftest import Window
from tests.web.stage import pages
from tests.web.test_accessibility import findings
from tests.web.test_secrecy import HOSTILE

HERE: Final = "/shift/harbour/bj-1"
SHEET_PIXELS: Final = 680
"""An A4 sheet between margins of 15 mm."""

SEVENS: Final = "7d 7d 7d 8c\nkey stand hole_turned\n5c\n1 main 0\n1 blazing7s 0\nkey round_closed"
LOST: Final = "1 main 25\nkey no_more_bets\nTh 7d Qs Td\nkey stand hole_turned\n1 main 0\nkey round_closed"


def journal(folder: Path, who: str = "A. Ames", why: str = "dead hand") -> Path:
    """Two rounds, the counts of a table from opener to drop, a correction."""
    rig = Rig(penn(stand_key="always"))
    rig.talk(LOST)
    counts = ((Count.OPENER, 500_000), (Count.FILL, 50_000), (Count.CLOSER, 480_000), (Count.DROP, 90_000))
    for kind, cents in counts:
        rig.give(EnterInventory(rig.now_ns, kind, cents, (), "4711", who, why))
    vouched = Authentication("key", ("floor",))
    rig.give(AdjustWager(rig.now_ns, 1, 1, "main", 0, who, why, vouched=vouched))
    return journal_of(rig, folder / "journal.sqlite")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return journal(tmp_path_factory.mktemp("shift"))


async def test_the_page_has_the_figures_of_the_report(kept: Path, broker: Broker, window: Window) -> None:
    async with pages(broker, kept) as at:
        await window.page.goto(at + HERE)
        paper = window.page.locator(".paper")
        await expect(paper).to_be_visible(timeout=MAKING_SECONDS * 1_000)
        await expect(paper.locator(".bets tbody tr")).to_contain_text("main")
        await expect(paper.locator(".sum")).to_have_text("1 round")
        await expect(paper.locator(".mix")).to_have_text("Average bet $25.00; side wagers 0.0 % of the handle")
        await expect(paper.locator(".counts-of-table")).to_contain_text("Hold (table win by drop)22.22 %")
        await expect(paper.locator(".rulings").last).to_contain_text("A. Ames: round 1 spot 1 main")
        await expect(paper.locator(".signatures")).to_contain_text("Shift manager")
        await expect(paper.locator(".running")).to_contain_text("Not over.")
        assert await findings(window) == []
        await window.page.set_viewport_size({"width": 320, "height": 640})
        assert await window.page.evaluate("document.documentElement.scrollWidth") == 320
        heads = await paper.locator(".bets thead th").evaluate_all("all => all.map((one) => one.offsetHeight)")
        assert len(set(heads)) == 1, "a word of the table is broken"
        assert heads[0] < 40
        assert await findings(window) == []
        await window.page.set_viewport_size({"width": 794, "height": 1123})
        await window.page.emulate_media(media="print")
        await expect(window.page.locator(".head")).to_be_hidden()
        await window.picture("shift-printed")
        pdf = await window.page.pdf(prefer_css_page_size=True, format="A4")
        assert pdf.startswith(b"%PDF")
        assert pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") <= 2


BROKEN: Final = """() => [...document.querySelectorAll(".paper td, .paper dd")].filter((one) => {
    const text = document.createRange();
    text.selectNodeContents(one);
    return new Set([...text.getClientRects()].map((box) => Math.round(box.top))).size > 1;
}).map((one) => one.textContent)"""
"""What stands in more than one line."""


async def test_no_amount_is_broken_and_the_sheet_has_what_meters_awarded(
    tmp_path: Path, broker: Broker, window: Window
) -> None:
    rig = MeterRig()
    rig.talk(f"1 main 1250000\n1 blazing7s 5\nkey no_more_bets\n{SEVENS}")
    rig.talk("3 main 1250000\n3 blazing7s 5\nkey no_more_bets\nTh 7d Qs Td\nkey stand hole_turned\nkey round_closed")
    async with pages(broker, await asyncio.to_thread(journal_of, rig, tmp_path / "journal.sqlite")) as at:
        await window.page.goto(at + HERE)
        paper = window.page.locator(".paper")
        await expect(paper).to_be_visible(timeout=MAKING_SECONDS * 1_000)
        await expect(paper.locator(".awards")).to_contain_text("$10,000.85 of meters were awarded")
        await expect(paper.locator(".spots tbody tr").first).to_contain_text("$1,250,005.00")
        await expect(paper.locator(".settled")).to_contain_text("by evidence4")
        assert await window.page.evaluate(BROKEN) == []
        assert await findings(window) == []
        await window.page.set_viewport_size({"width": SHEET_PIXELS, "height": 1000})
        await window.page.emulate_media(media="print")
        assert await window.page.evaluate(BROKEN) == []
        assert await window.page.evaluate("document.documentElement.scrollWidth") == SHEET_PIXELS


@pytest.mark.parametrize("who", ["A. Ames", "Bartholomew Featherstonehaugh-Cholmondeley"])
async def test_the_report_as_a_file_fits_a_sheet(tmp_path: Path, window: Window, who: str) -> None:
    path = await asyncio.to_thread(journal, tmp_path, who, "counted again at the cage after the count room had called")
    page = tmp_path / "account.html"
    found = await asyncio.to_thread(CliRunner().invoke, main, ["report", str(path), "--html", str(page)])
    assert found.exit_code == 0, found.output
    await window.page.set_viewport_size({"width": SHEET_PIXELS, "height": 1000})
    await window.page.emulate_media(media="print")
    await window.page.goto(page.as_uri())
    assert await window.page.evaluate("document.documentElement.scrollWidth") == SHEET_PIXELS


async def test_what_people_wrote_is_text(tmp_path: Path, broker: Broker, window: Window) -> None:
    path = await asyncio.to_thread(journal, tmp_path, HOSTILE, HOSTILE)
    async with pages(broker, path) as at:
        await window.page.goto(at + HERE)
        await expect(window.page.locator(".rulings").last).to_contain_text(f"{HOSTILE}: round 1 spot 1 main")
        assert await window.page.evaluate("window.pwned") is None
        assert await window.page.locator("img, script:not([src])").count() == 0


async def test_a_table_whose_journal_was_not_named_has_no_account(broker: Broker, window: Window) -> None:
    async with pages(broker) as at:
        await window.page.goto(at + HERE)
        await expect(window.page.get_by_role("alert")).to_contain_text("no journal of harbour/bj-1 was named")
        window.complaints.clear()


async def test_a_day_that_is_none_is_refused_in_the_reports_own_words(
    kept: Path, broker: Broker, window: Window
) -> None:
    async with pages(broker, kept) as at:
        await window.page.goto(f"{at}{HERE}?day=someday")
        await expect(window.page.get_by_role("alert")).to_contain_text("expected a day such as")
        await window.page.get_by_label("Day").fill("")
        await window.page.get_by_role("button", name="Show").click()
        await expect(window.page.locator(".bets")).to_be_visible()
        window.complaints.clear()


@pytest.mark.parametrize("word", ["--html=/tmp/x", "-x", "../x", "a" * 33, "a\nb", "a\n"])
async def test_no_word_of_a_browser_is_an_option(word: str, kept: Path) -> None:
    accounts = Accounts((kept,), lambda: 0.0)
    for asked in (ShiftChoice(day=word), ShiftChoice(shift=word)):
        with pytest.raises(AccountRefused, match="expected a name such as"):
            await accounts.account("harbour/bj-1", asked)


async def test_an_account_is_made_once_for_all_who_ask(kept: Path) -> None:
    now = 0.0
    clock: Callable[[], float] = lambda: now  # noqa: E731 - a clock that the test moves
    accounts = Accounts((kept,), clock)
    first, second = await asyncio.gather(*(accounts.account("harbour/bj-1", ShiftChoice()) for _ in range(2)))
    assert first is second
    now = 6.0
    later = await accounts.account("harbour/bj-1", ShiftChoice())
    assert later is not first
    assert (later.hold, later.is_running) == (2222, True)
