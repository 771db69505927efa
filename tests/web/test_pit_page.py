"""The pit in a real browser: which table needs somebody, and why, from six tables to sixty."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

import msgspec
import pytest
from msgspec.structs import replace
from playwright.async_api import expect

from controller.formats.mqtt.retained_layout import CardNow
from controller.formats.mqtt.retained_state import PaceNow
from controller.formats.orders.operators import Role
from controller.io.mqtt.connection import Broker, connected
from controller.web.table_view import TableView
from controller.web.visibility import sight_of
from tests.web.conftest import Window
from tests.web.floor import (
    BETS,
    FELT,
    PLAYED,
    Floor,
    TablePictures,
    alerted,
    asks,
    irregular,
    metered,
    phase,
    sixty,
)
from tests.web.stage import pages
from tests.web.test_accessibility import findings

HOSTILE: Final = '<img src=x onerror="window.pwned=1"></script><script>window.pwned=1</script>${7*7}\'"><svg onload=1>'


@contextlib.asynccontextmanager
async def pit(broker: Broker, window: Window, tables: Mapping[str, TablePictures]) -> AsyncIterator[Floor]:
    """These tables, and the pit page that shows all of them."""
    async with connected(broker, "5", "") as client, pages(broker) as at:
        floor = Floor(client)
        for name, shown in tables.items():
            await floor.show(name, shown)
        await window.page.goto(f"{at}/pit?target=50")
        await expect(window.page.locator(".tile")).to_have_count(len(tables))
        yield floor


async def order(window: Window) -> list[str]:
    """The tables as they lie, with what each needs."""
    tiles = await window.page.locator(".tile").all()
    return [f"{await tile.locator('.number').text_content()} {await tile.get_attribute('data-need')}" for tile in tiles]


EVENING: Final = {
    "bj-1": TablePictures(),
    "bj-2": TablePictures(pace=replace(PLAYED, rounds_per_hour=31)),
    "bj-3": TablePictures(devices=(("shoe", "lost", "no answer on /dev/shoe"),)),
    "bj-4": metered(order="A. Ames"),
    "bj-5": alerted("spot 3 main: 50.00 became 25.00"),
    "bj-6": metered(jackpot=True),
    "bj-7": TablePictures(hold="record 50 could not be stepped"),
    "bj-8": irregular("no legal play explains the evidence"),
    "bj-9": asks("Spot 2, first hand: how many cards lie?"),
    "bj-10": TablePictures(round=phase("closed")),
    "bj-11": TablePictures(state="offline"),
}


async def test_the_table_that_needs_somebody_comes_first_and_says_why(broker: Broker, window: Window) -> None:
    async with pit(broker, window, EVENING) as floor:
        needs = (
            "asks",
            "irregular",
            "held",
            "jackpot",
            "alert",
            "proposal",
            "device",
            "away",
            "slow",
            "closed",
            "fine",
        )
        wanted = [
            f"bj-{number} {need}" for number, need in zip((9, 8, 7, 6, 5, 4, 3, 11, 2, 10, 1), needs, strict=True)
        ]
        await expect(window.page.locator(".tile").first).to_contain_text("how many cards lie?")
        assert await order(window) == wanted
        first = window.page.locator(".tile").first
        await expect(first).to_contain_text("min $25")
        await expect(first).to_contain_text("hollywood-penn-national")
        await expect(first).to_contain_text("2 boxes")
        await expect(first).to_contain_text("62 rounds/h of 50")
        counts = ["1 question", "last hour: 1 left open, 3 irregular, 2 void"]
        await expect(first.locator(".counts li")).to_have_text(counts)
        await expect(window.page.locator(".tile.need-jackpot")).to_contain_text("$10,000.85")
        await expect(window.page.locator(".tile.need-proposal")).to_contain_text("A. Ames: change Blazing 7's")
        await expect(window.page.locator(".tile.need-slow")).to_contain_text("31 rounds an hour, 50 expected")
        await expect(first).to_contain_text("Last hour: won $485.00 of $12,720.00")
        await expect(first).to_contain_text("theoretical win $45.56, without Lucky Ladies")
        await expect(first.locator(".win time")).to_have_text("as of 21:14:07 UTC")
        await expect(first).to_contain_text("average bet $45.00, side wagers 1.7 %")
        await window.picture("pit")
        await floor.show("bj-1", asks("Spot 5: did the player surrender?"))
        await expect(window.page.locator(".tile").first).to_contain_text("bj-1")


@pytest.mark.parametrize(
    ("alarm", "word"),
    [("consumer surveillance is 1200 events behind, more than 1000", "consumer"), ("the disk fills", "program")],
)
async def test_an_alarm_of_the_program_or_of_a_consumer_is_no_device(
    alarm: str, word: str, broker: Broker, window: Window
) -> None:
    async with pit(broker, window, {"bj-1": TablePictures(alarms=(alarm,))}):
        need = window.page.locator(f".tile.need-{word} .need")
        await expect(need).to_contain_text(alarm)
        await expect(need.locator("b")).to_have_text(word)
        assert await findings(window) == []


async def test_a_critical_alert_is_red_and_comes_before_the_others(broker: Broker, window: Window) -> None:
    tables = {
        "bj-1": alerted("spot 3 main: 50.00 became 25.00"),
        "bj-2": alerted("round 60 spot 3 main was paid 100.00 and is due 50.00", "critical"),
        "bj-3": irregular("no legal play explains the evidence"),
    }
    async with pit(broker, window, tables):
        assert await order(window) == ["bj-3 irregular", "bj-2 critical", "bj-1 alert"]
        look = "one => [getComputedStyle(one).color, getComputedStyle(one.parentElement).borderLeftColor]"
        irregularly, critically, otherwise = [
            await window.page.locator(f".tile.need-{need} .need").evaluate(look)
            for need in ("irregular", "critical", "alert")
        ]
        assert critically == irregularly
        assert not set(critically) & set(otherwise)
        await expect(window.page.locator(".tile.need-critical .need b")).to_have_text("critical alert")
        assert await findings(window) == []


async def test_a_table_without_a_main_wager_has_no_average(broker: Broker, window: Window) -> None:
    nothing = replace(PLAYED, bets=BETS[:1], average_bet_cents=None, side_bet_per_mille=1_000)
    older = replace(PLAYED, average_bet_cents=None, side_bet_per_mille=None)
    tables = {"bj-1": TablePictures(pace=nothing), "bj-2": TablePictures(pace=older)}
    async with pit(broker, window, tables):
        await expect(window.page.locator(".tile .win")).to_have_count(2)
        assert await window.page.locator(".tile .mix").count() == 0


@pytest.mark.parametrize(("role", "money"), [("technician", False), ("floor", True)])
def test_what_a_table_takes_is_for_the_floor(role: Role, money: bool) -> None:
    view = TableView("harbour/bj-1")
    view.take(("state", "pace"), msgspec.json.encode(PaceNow(812, PLAYED)), 0, "")
    shown = dict(sight_of((role,)).shown(view, 0, frozenset({"pace"})))
    figures = msgspec.json.decode(msgspec.json.encode(shown["pace"]))["figures"]
    assert figures["rounds_per_hour"] == PLAYED.rounds_per_hour
    assert bool(figures["bets"]) is money
    assert (figures["average_bet_cents"] is not None, figures["side_bet_per_mille"] is not None) == (money, money)


async def test_no_tile_moves_under_a_hand(broker: Broker, window: Window) -> None:
    tables = {name: EVENING[name] for name in ("bj-1", "bj-5", "bj-9")}
    async with pit(broker, window, tables) as floor:
        before = ["bj-9 asks", "bj-5 alert", "bj-1 fine"]
        assert await order(window) == before
        await window.page.locator(".tile").last.hover()
        await floor.show("bj-1", irregular("no legal play explains the evidence"))
        await expect(window.page.locator(".tile.need-irregular")).to_have_count(1)
        assert await order(window) == ["bj-9 asks", "bj-5 alert", "bj-1 irregular"]
        await window.page.mouse.move(5, 5)
        await expect(window.page.locator(".tile").nth(1)).to_contain_text("irregular")
        assert await order(window) == ["bj-9 asks", "bj-1 irregular", "bj-5 alert"]


async def test_sixty_tables_fit_a_wall_and_a_phone(broker: Broker, window: Window) -> None:
    await window.page.set_viewport_size({"width": 3840, "height": 2160})
    async with pit(broker, window, sixty()):
        assert (await order(window))[:3] == ["bj-07 asks", "bj-12 irregular", "bj-23 held"]
        assert await window.page.evaluate("document.documentElement.scrollWidth") == 3840
        assert await window.page.evaluate("document.documentElement.scrollHeight") <= 2160
        await window.picture("pit-wall", scale=0.5)
        await window.page.set_viewport_size({"width": 320, "height": 640})
        assert await window.page.evaluate("document.documentElement.scrollWidth") == 320
        await window.picture("pit-phone")


@pytest.mark.parametrize("colours", ["dark", "light"])
async def test_nothing_serious_is_found_in_the_pit(colours: Any, broker: Broker, window: Window) -> None:
    await window.page.emulate_media(color_scheme=colours)
    async with pit(broker, window, EVENING):
        assert await findings(window) == []


async def test_the_pit_is_sent_no_card_and_runs_no_text(broker: Broker, window: Window) -> None:
    cards = (CardNow(1, 1, "Th", 0), CardNow(2, 0, "7d"), CardNow(3, 0, None))
    shown = asks(HOSTILE)
    hostile = replace(
        shown,
        felt=replace(shown.felt, cards=cards, irregular=HOSTILE),
        info=replace(shown.info, profile=HOSTILE),
        alerts=alerted(HOSTILE, HOSTILE).alerts,
        meters=metered(order=HOSTILE).meters,
        devices=(("shoe", HOSTILE, HOSTILE),),
        alarms=(HOSTILE,),
    )
    tables = {
        "bj-1": hostile,
        "bj-2": replace(hostile, felt=replace(FELT, irregular=HOSTILE)),
        "bj-3": replace(hostile, felt=FELT, alerts=(), hold=HOSTILE),
        "bj-4": replace(hostile, felt=FELT, alerts=()),
        "bj-5": replace(hostile, felt=FELT),
        "bj-6": replace(hostile, felt=FELT, alerts=(), meters=None),
    }
    async with pit(broker, window, tables):
        kinds = {one.rpartition(" ")[2] for one in await order(window)}
        assert kinds == {"asks", "irregular", "held", "proposal", "alert", "device"}
        for tile in await window.page.locator(".tile .need").all():
            await expect(tile).to_contain_text(HOSTILE)
        assert await window.page.evaluate("window.pwned") is None
        assert await window.page.locator("img").count() == 0
        frames = "".join(window.frames)
        assert HOSTILE.replace('"', '\\"') in frames.replace('\\\\"', '\\"')
        assert '"face"' not in frames
        assert "Th" not in frames.replace(HOSTILE, "")
