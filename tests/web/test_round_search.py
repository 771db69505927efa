"""What people type into the search of a journal's rounds: found however it is written, and never missed in silence."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import expect

from controller.core.game.wager import LockedWager
from controller.core.messages.events import BettingClosed
from controller.io.mqtt.connection import Broker
from controller.reports.playback.round_index import OUTCOMES, RoundIndex, RoundQuery, is_named
from controller.reports.playback.round_search import search_of
from controller.reports.round_narrative import JournalEvent
from controller.web.journals import Journals
from tests.core.journals import HERE
from tests.web.conftest import Window
from tests.web.stage import pages
from tests.web.test_accessibility import findings
from tests.web.test_round_page import JOURNAL, in_zone, kept, two_rounds, with_people

NEW_YORK: Final = "America/New_York"


@pytest.mark.parametrize(
    ("query", "rounds"),
    [
        ({"card": "4C"}, [1]),
        ({"card": "4♣"}, [1]),
        ({"card": "10d"}, [2, 1]),
        ({"card": "TD"}, [2, 1]),
        ({"card": "as"}, [1]),
        ({"bet": "Main"}, [2, 1]),
        ({"alert": "Winning bet taken"}, [1]),
        ({"alert": "winning_bet_taken"}, [1]),
        ({"outcome": "Corrected"}, [2]),
        ({"outcome": "settled"}, [2, 1]),
        ({"outcome": "running"}, []),
        ({"state": "corrected"}, [2]),
        ({"at": "2026-11-21T11:17:09"}, [1]),
        ({"at": "2026-11-21 11:17:12"}, [2]),
        ({"at": "2026-11-21T11:17"}, [2, 1]),
        ({"at": "2026-11-21T11:17:11"}, []),
        ({"at": "2026-11-21T11:17:11.500000"}, []),
        ({"at": "2026-11-21T06:17:09-05:00"}, [1]),
    ],
)
async def test_it_is_found_however_it_is_written(query: dict[str, str], rounds: list[int], tmp_path: Path) -> None:
    found = await Journals((await kept(with_people(), tmp_path),)).found(HERE, query)
    assert ([one.round for one in found.rounds], found.mistakes) == (rounds, {})


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"card": "11h"}, {"card": ()}),
        ({"card": "10"}, {"card": ()}),
        ({"spot": "three"}, {"spot": ("1", "2", "4", "6", "7")}),
        ({"spot": "5"}, {"spot": ("1", "2", "4", "6", "7")}),
        ({"bet": "pairs"}, {"bet": ("main",)}),
        ({"amount": "$ten"}, {"amount": ()}),
        ({"alert": "capping"}, {"alert": ("winning_bet_taken",)}),
        ({"person": "."}, {"person": ("Juan Reyes", "M. Okafor")}),
        ({"person": "O"}, {"person": ("Juan Reyes", "M. Okafor")}),
        ({"outcome": "lost"}, {"outcome": OUTCOMES}),
        ({"at": "noon"}, {"at": ()}),
        ({"at": "2026-11-21"}, {"at": ()}),
        ({"card": "4c", "spot": "0"}, {"spot": ("1", "2", "4", "6", "7")}),
    ],
)
async def test_what_is_not_understood_is_said_and_finds_nothing(
    query: dict[str, str], expected: dict[str, tuple[str, ...]], tmp_path: Path
) -> None:
    found = await Journals((await kept(with_people(), tmp_path),)).found(HERE, query)
    assert ([one.round for one in found.rounds], found.mistakes) == ([], expected)


@pytest.mark.parametrize(
    ("wanted", "is_found"),
    [("okafor", True), ("M. OKAFOR", True), ("Mary Okafor", True), ("K. Okafor", False), ("M.", False), ("Oka", False)],
)
def test_a_person_is_found_by_a_whole_name(wanted: str, is_found: bool) -> None:
    assert is_named("M. Okafor", wanted) == is_found


def test_a_name_of_initials_alone_is_found_as_it_stands() -> None:
    assert is_named("J. R.", "j. r.")


def test_a_side_bet_is_found_by_its_words_in_any_case() -> None:
    locked = BettingClosed(1, (LockedWager(3, "lucky_ladies", 500),))
    index = RoundIndex()
    index.take([JournalEvent(1, 1, "2026-11-21T11:17:12.000000Z", locked)])
    for text in ("Lucky Ladies", "lucky-ladies", "LUCKY_LADIES"):
        assert search_of({"bet": text}, index) == (RoundQuery(bet="lucky_ladies"), {})


def test_of_a_journal_without_rounds_no_value_is_expected() -> None:
    mistakes = search_of({"bet": "main", "spot": "1", "person": "Okafor", "at": "18:00"}, RoundIndex()).mistakes
    assert mistakes == {"bet": (), "spot": (), "person": (), "at": ()}


async def test_a_time_is_the_houses(tmp_path: Path) -> None:
    journals = Journals((await kept(in_zone(two_rounds(), NEW_YORK), tmp_path),))
    found = await journals.found(HERE, {"at": "2026-11-21T06:17:09"})
    assert ([one.round for one in found.rounds], found.time_zone) == ([1], NEW_YORK)
    unknown = Journals((await kept(in_zone(two_rounds(), "Nowhere/Here"), tmp_path / "x"),))
    assert [one.round for one in (await unknown.found(HERE, {"at": "2026-11-21T11:17:09"})).rounds] == [1]


async def test_a_time_that_is_filled_in_by_half_is_not_dropped(broker: Broker, window: Window, tmp_path: Path) -> None:
    async with pages(broker, await kept(with_people(), tmp_path)) as at:
        page = window.page
        await page.goto(f"{at}/round/{JOURNAL}")
        await expect(page.locator(".tables a")).to_have_count(2)
        await page.get_by_label("At").press_sequentially("11212026")
        await page.get_by_label("Card").press("Enter")
        message = "Expected a date and a time by the house's clock, such as 2026-11-21 14:16:52."
        await expect(page.get_by_role("alert")).to_have_text([message])
        await expect(page.locator(".tables a")).to_have_count(0)
        await page.get_by_label("At").fill("2026-11-21T11:17:12")
        await page.get_by_label("Card").press("Enter")
        await expect(page.locator(".tables a b")).to_have_text(["Round 2"])
        await expect(page.get_by_role("alert")).to_have_count(0)


async def test_the_page_says_beside_the_field_what_was_expected(broker: Broker, window: Window, tmp_path: Path) -> None:
    async with pages(broker, await kept(with_people(), tmp_path)) as at:
        page = window.page
        await page.goto(f"{at}/round/{JOURNAL}?state=corrected")
        await expect(page.get_by_label("Outcome")).to_have_value("corrected")
        await expect(page.locator(".tables a b")).to_have_text(["Round 2"])
        await page.get_by_label("Outcome").select_option("any")
        for field, typed, message in (
            ("Card", "1h", "Expected a card, such as 8h, Th, 10h or AS."),
            ("Amount", "12,5", "Expected an amount, such as 25.00."),
            ("Bet", "Lucky Ladies", "No round here has this bet. Expected one of: main."),
            ("Alert", "capping", "No round here has this alert. Expected one of: winning bet taken."),
            ("Person", ".", "No round here names this person. Expected one of: Juan Reyes, M. Okafor."),
        ):
            await page.get_by_label(field).fill(typed)
            await page.get_by_label(field).press("Enter")
            await expect(page.get_by_role("alert")).to_have_text([message])
            await expect(page.get_by_label(field)).to_have_accessible_description(message)
            await expect(page.get_by_label(field)).to_have_value(typed)
            await expect(page.locator(".tables a")).to_have_count(0)
            assert await findings(window) == []
            await page.get_by_label(field).fill("")
        await page.get_by_label("Card").fill("10D")
        await page.get_by_label("At").fill("2026-11-21T11:17:12")
        await page.get_by_label("Card").press("Enter")
        await expect(page.locator(".tables a b")).to_have_text(["Round 2"])
        await expect(page.get_by_role("alert")).to_have_count(0)
        await page.reload()
        await expect(page.locator(".tables a b")).to_have_text(["Round 2"])
        await expect(page.get_by_label("At")).to_have_value("2026-11-21T11:17:12")
