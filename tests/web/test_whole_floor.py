"""The whole floor out of a real PostgreSQL: for whom, how often it is asked, and how the pages show it."""

from __future__ import annotations

import asyncio
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from aiohttp import ClientSession
from click.testing import CliRunner
from playwright.async_api import expect

from controller.cli import main
from controller.commands.web import reader_of
from controller.formats.text.moments import NoMoment
from controller.io.mqtt.connection import Broker
from controller.reports.floor_day import FloorDay
from controller.web.sign_in import COOKIE
from controller.web.whole_floor import KEPT_SECONDS, FloorRefused, FloorUnread, ReadFloor, WholeFloor
from tests.collector.conftest import Database, made
from tests.collector.recorded import bodies
from tests.collector.test_floor_rows import collect
from tests.link.server import Server
from tests.web.conftest import Window
from tests.web.operators import ITO, LEE, OKAFOR, REYES, SIGNERS, sign_in
from tests.web.stage import pages
from tests.web.test_accessibility import findings
from tests.web.test_sign_in import entered

ROOT: Final = Path(__file__).parents[2]
NOW: Final = datetime(2026, 11, 21, 20, tzinfo=UTC)
PATIENCE_MS: Final = 30_000
SHEET_PIXELS: Final = 1_000
"""An A4 sheet on its side, between margins."""

UNREAD: Final = "the collected database cannot be read now; the log of tableside web says why"


@pytest.fixture
def database(postgresql: Server) -> Database:
    """Two tables of the floor, collected."""
    found = made(postgresql)
    collect(found, bodies("night-1"), "bj-1")
    collect(found, bodies("night-57"), "bj-2")
    return found


def reader(where: str) -> ReadFloor:
    """Reads the floor as the program does, on the evening of the nights that were recorded."""
    found = reader_of(where, lambda: NOW)
    assert found is not None
    return found


class Counted:
    """A database that counts how often it is asked, and fails while it is away."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.is_away = False

    def read(self, day: str) -> FloorDay:
        """See ``ReadFloor``."""
        self.asked.append(day)
        if self.is_away:
            raise FloorUnread("PostgreSQL: gone")
        if day == "someday":
            raise NoMoment("'someday': expected a day")
        return FloorDay(f"read {len(self.asked)}", "", (day,), True, (), (), ())


async def test_the_database_is_asked_once_in_five_seconds_however_many_pages_ask() -> None:
    source, now = Counted(), [0.0]
    floor = WholeFloor(source.read, lambda: now[0])
    found = await asyncio.gather(*(floor.day("") for _ in range(50)))
    assert (source.asked, len(set(map(id, found)))) == (["today"], 1)
    now[0] = KEPT_SECONDS - 0.1
    assert await floor.day("today") is found[0]
    await floor.day("yesterday")
    assert source.asked == ["today", "yesterday"]
    now[0] = KEPT_SECONDS
    assert (await floor.day("")).written == "read 3"


async def test_a_database_that_is_away_is_asked_no_oftener_and_found_again() -> None:
    source, now = Counted(), [0.0]
    floor = WholeFloor(source.read, lambda: now[0])
    source.is_away = True
    for _ in range(3):
        with pytest.raises(FloorUnread, match="gone"):
            await floor.day("")
    source.is_away = False
    with pytest.raises(FloorUnread):
        await floor.day("")
    assert source.asked == ["today"]
    now[0] = KEPT_SECONDS
    assert (await floor.day("")).written == "read 2"


async def test_a_day_that_is_none_is_refused_and_a_floor_that_was_not_named() -> None:
    with pytest.raises(FloorRefused, match="expected a day"):
        await WholeFloor(Counted().read, lambda: 0.0).day("someday")
    with pytest.raises(FloorRefused, match="see: tableside web --collected"):
        await WholeFloor(None, lambda: 0.0).day("")
    assert reader_of("") is None


async def test_the_floor_is_for_those_who_may_see_journals(broker: Broker, database: Database) -> None:
    read = reader(database.reader)
    async with pages(broker, signers=SIGNERS, read_floor=read) as at, ClientSession() as client:
        for who, status in ((None, 403), (LEE, 403), (ITO, 403), (REYES, 200), (OKAFOR, 200)):
            cookie = {} if who is None else {COOKIE: await entered(client, at, who)}
            async with client.get(f"{at}/api/shift", cookies=cookie) as answer:
                assert answer.status == status
                if status == 200:
                    answered = await answer.json()
                    assert [one["table"] for one in answered["tables"]] == ["bj-1", "bj-2"]
                    assert answered["gaming_days"] == ["2026-11-21"]
            async with client.get(f"{at}/api/session", cookies=cookie) as answer:
                assert (await answer.json())["collected"] is (status == 200)


async def test_without_a_database_there_is_no_whole_floor(broker: Broker) -> None:
    async with pages(broker) as at, ClientSession() as client:
        async with client.get(f"{at}/api/shift") as answer:
            assert (answer.status, (await answer.text()).count("\n")) == (404, 1)
        async with client.get(f"{at}/api/session") as answer:
            assert (await answer.json())["collected"] is False


async def test_what_a_database_says_of_itself_is_not_for_pages(broker: Broker) -> None:
    async with pages(broker, read_floor=reader("host=/nonexistent user=pit")) as at, ClientSession() as client:
        async with client.get(f"{at}/api/shift") as answer:
            assert (answer.status, await answer.text()) == (503, f"{UNREAD}\n")
        async with client.get(f"{at}/api/shift?day=someday") as answer:
            assert (answer.status, "expected a day such as" in await answer.text()) == (404, True)


@pytest.mark.parametrize(
    ("zones", "written"),
    [
        (("America/New_York",), "2026-11-21 06:16:54 UTC−5"),
        (("America/New_York", "Europe/Vienna"), "2026-11-21 11:16:54 UTC"),
    ],
)
async def test_the_floors_times_are_the_houses_and_of_several_those_of_utc(
    zones: tuple[str, ...], written: str, broker: Broker, window: Window
) -> None:
    day = FloorDay("2026-11-21T11:16:54Z", "0.1.0", ("2026-11-21",), False, (), (), (), zones)
    async with pages(broker, read_floor=lambda _: day) as at:
        await window.page.goto(f"{at}/shift")
        await expect(window.page.locator(".paper")).to_contain_text(f"Written {written} by Tableside")


async def test_the_page_and_the_pit_show_the_floor_live(broker: Broker, database: Database, window: Window) -> None:
    page = window.page
    async with pages(broker, read_floor=reader(database.reader)) as at:
        await page.goto(f"{at}/pit")
        line = page.locator(".whole-floor")
        await expect(line).to_contain_text("5 rounds, handle $632.00, win $385.50, hold not entered")
        await expect(line).to_contain_text("Collected up to")
        assert await findings(window) == []
        await page.get_by_role("link", name="Whole floor").click()
        await expect(page.locator(".paper h2")).to_have_text("Gaming day 2026-11-21")
        await expect(page.locator(".bets tbody tr")).to_have_count(2)
        await expect(page.locator(".bets tfoot tr")).to_contain_text("all 2 tables")
        cells = await page.locator(".bets tfoot td").all_text_contents()
        assert cells[:6] == ["5", "2", "2", "1", "$632.00", "$385.50"]
        assert await findings(window) == []
        await asyncio.to_thread(collect, database, bodies("night-14"), "bj-3")
        await expect(page.locator(".bets tbody tr")).to_have_count(3, timeout=PATIENCE_MS)
        await window.picture("whole-floor")
        await page.set_viewport_size({"width": SHEET_PIXELS, "height": 700})
        await page.emulate_media(media="print")
        assert await page.locator(".wide").evaluate("all => all.scrollWidth - all.clientWidth") == 0
        await page.emulate_media(media="screen")
        await page.set_viewport_size({"width": 320, "height": 640})
        assert await page.evaluate("document.documentElement.scrollWidth") == 320
        assert await findings(window) == []


async def test_the_pit_says_that_the_database_cannot_be_read_and_shows_it_again(
    broker: Broker, database: Database, window: Window
) -> None:
    async with pages(broker, read_floor=reader(database.reader)) as at:
        await window.page.goto(f"{at}/pit")
        line = window.page.locator(".whole-floor")
        await expect(line).to_contain_text("5 rounds")
        await asyncio.to_thread(database.server.kill)
        try:
            await expect(line).to_contain_text(UNREAD, timeout=PATIENCE_MS)
            await expect(line).to_contain_text("5 rounds")
        finally:
            await asyncio.to_thread(database.server.start)
        await expect(line).not_to_contain_text(UNREAD, timeout=PATIENCE_MS)
        window.complaints.clear()


async def test_a_hand_of_the_pit_without_a_role_is_shown_no_floor(
    broker: Broker, database: Database, window: Window
) -> None:
    async with pages(broker, signers=SIGNERS, read_floor=reader(database.reader)) as at:
        await window.page.goto(f"{at}/pit")
        await expect(window.page.get_by_role("link", name="Tables")).to_be_visible()
        assert await window.page.locator(".whole-floor").count() == 0
        await sign_in(window, OKAFOR)
        await expect(window.page.locator(".whole-floor")).to_contain_text("5 rounds")


async def test_the_program_takes_the_database_from_its_setting(broker: Broker, database: Database) -> None:
    """As a service does: by an environment variable; the pages are there whether or not the database is."""
    words = (sys.executable, "-m", "controller", "web", "--broker", f"{broker.host}:{broker.port}")
    process = await asyncio.create_subprocess_exec(
        *(*words, "--listen", "127.0.0.1:0"),
        cwd=ROOT,
        env={**os.environ, "TABLESIDE_WEB_COLLECTED": database.reader},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(PATIENCE_MS / 1000):
            while not (line := (await process.stdout.readline()).decode()).startswith("pages at "):
                assert line
        async with ClientSession() as client, client.get(f"{line.split()[-1]}api/shift?day=2026-11-21") as answer:
            assert [one["table"] for one in (await answer.json())["tables"]] == ["bj-1", "bj-2"]
    finally:
        process.kill()
        await process.communicate()


def test_a_database_that_is_named_as_none_can_be_is_refused() -> None:
    done = CliRunner().invoke(main, ["web", "--collected", "harbour"])
    assert (done.exit_code, done.output.count("\n")) == (2, 1), done.output
    assert "--collected: expected a database as libpq names one" in done.output
