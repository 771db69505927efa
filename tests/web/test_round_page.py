"""A round of a journal in a real browser: found, stepped through, and each statement with what it rests on."""

from __future__ import annotations

import asyncio
import gc
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from aiohttp import ClientSession
from msgspec.structs import replace
from playwright.async_api import expect

from controller.core.messages.house import GamingDay
from controller.core.messages.inputs import AcknowledgeAlert, AdjustWager, DaemonStarted, VoidRound
from controller.core.messages.raised_alerts import AlertKind, AlertRaised, Severity
from controller.core.persons import Authentication
from controller.formats.journal.records import Identity
from controller.io.mqtt.connection import Broker
from controller.reports.playback.round_index import RoundIndex, people_of
from controller.web.journals import LISTED, JournalRefused, Journals
from firmware_protocols.readings import DeviceComplained, DeviceHealth, HealthState
from tests.core.journals import HERE, journal_of
from tests.core.rig import Rig, penn
from tests.core.test_waiting_rounds import WHO_GOT_THE_NINE
from tests.web.conftest import Window
from tests.web.stage import pages
from tests.web.test_accessibility import findings
from tests.web.test_table_page import CHIPS, dealt

JOURNAL: Final = f"{HERE.site}/{HERE.table}/{HERE.epoch}"
OWN_KEY: Final = Authentication("key", ("floor",))
REST: Final = "key stand\nkey stand\nkey hit\nTd\nkey hit\n4c\nkey stand\nkey hole_turned\nkey round_closed"


def two_rounds() -> Rig:
    """Five boxes and their end, then a round of which nobody saw who took the nine."""
    rig = dealt()
    rig.talk(REST)
    rig.talk("\n".join(f"{spot} main 0" for spot in (1, 2, 4, 6, 7)))
    rig.talk("1 main 30\nkey no_more_bets\n8h 7d Qs Td\nkey stand\nkey hole_turned\nkey round_closed")
    return rig


def nine() -> Rig:
    rig = Rig(penn())
    rig.talk(WHO_GOT_THE_NINE)
    rig.answer("3")
    return rig


async def test_a_journal_that_is_not_there_leaves_nothing_behind_however_often_it_is_asked_for(tmp_path: Path) -> None:
    """An address may name any: what is kept for each would fill the memory of the program."""
    journals = Journals([await kept(two_rounds(), tmp_path)])
    before = indexes()
    for epoch in range(1, 50):
        with pytest.raises(JournalRefused, match="no journal of"):
            await journals.found(Identity("harbour", "bj-9", epoch), {})
    assert len((await journals.found(HERE, {})).rounds) == 2
    assert indexes() == before + 1


def in_zone(rig: Rig, zone: str) -> Rig:
    """What a rig was given, at a house of this time zone."""
    start = rig.stamped[0]
    assert isinstance(start.input, DaemonStarted)
    house = replace(start.input.house, gaming_day=GamingDay(zone))
    rig.stamped[0] = replace(start, input=replace(start.input, house=house))
    return rig


def indexes() -> int:
    """How many indexes of rounds are in memory."""
    return sum(isinstance(one, RoundIndex) for one in gc.get_objects())


async def kept(rig: Rig, folder: Path) -> Path:
    await asyncio.to_thread(folder.mkdir, exist_ok=True)
    return await asyncio.to_thread(journal_of, rig, folder / "journal.sqlite")


async def test_a_round_goes_forwards_backwards_and_to_a_moment(broker: Broker, window: Window, tmp_path: Path) -> None:
    path = await kept(two_rounds(), tmp_path)
    async with pages(broker, path) as at:
        await window.page.goto(f"{at}/round/{JOURNAL}/1")
        page = window.page
        await expect(page.locator(".account")).to_contain_text("closed: settled, 1 legal play")
        await expect(page.locator(".trust .opened.good")).to_contain_text("14 of 14 cards opened")
        await page.keyboard.press("Home")
        await expect(page.locator(".account [aria-current]")).to_contain_text("round 1 started")
        assert await page.locator("svg.felt [data-card]").count() == 0
        await page.locator(".account").get_by_role("button", name="the hole card was turned").click()
        await expect(page.locator("[aria-label='hole card, closed']")).to_have_count(1)
        await page.keyboard.press("End")
        await expect(page.locator("[aria-label='hole card, closed']")).to_have_count(0)
        await expect(page.locator("[aria-label='queen of spades']")).to_have_count(1)
        assert re.search(r"\?at=\d+$", page.url)
        await page.locator(".account").get_by_role("button", name="spot 2 main: 50.00, due").click()
        await expect(page.locator(".account .rests").first).to_be_visible()
        moment = re.compile(r"event \d+ at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$")
        await expect(page.locator(".controls time")).to_have_text(moment)
        await window.picture("round")
        link = page.url
        await page.goto(f"{at}/round")
        await page.goto(link)
        await expect(page.locator(".account [aria-current]")).to_contain_text("spot 2 main: 50.00, due")
        assert await findings(window) == []
        await page.keyboard.press("End")
        await page.get_by_role("button", name="Spot 2 main: −$50.00, certain").press("Enter")
        await expect(page.locator(".account [aria-current]")).to_contain_text("spot 2 main: 50.00, due")
        await page.set_viewport_size({"width": 320, "height": 640})
        await page.get_by_role("button", name="−$50.00").first.click()
        await expect(page.locator(".account [aria-current]")).to_contain_text("spot 2 main: 50.00, due")
        assert await page.evaluate("document.documentElement.scrollWidth") == 320
        assert await findings(window) == []


def split_while_the_keypad_was_lost() -> Rig:
    """A split and a double at two spots, and in between a device that was lost and came back."""
    rig = Rig(penn(stand_key="always"), dict(CHIPS))
    rig.talk("1 main 50\n2 main 25\nkey no_more_bets\n9c 6h 6d 9h 5s Tc\n1 main 100\nkey split\n2c\n1 main 150")
    for state, detail in ((HealthState.LOST, "no answer"), (HealthState.READY, "")):
        rig.give(DeviceHealth("keypad", state, rig.now_ns, detail))
    rig.give(DeviceComplained("keypad", "stuck_key", "a key is stuck", rig.now_ns))
    rig.talk("key double\nTd\nKd\nkey stand\n2 main 50\nkey double\nTs\nkey hole_turned\n8c\nkey round_closed")
    return rig


async def test_lanes_are_walked_with_the_keyboard_and_named_for_a_screen_reader(
    broker: Broker, window: Window, tmp_path: Path
) -> None:
    async with pages(broker, await kept(split_while_the_keypad_was_lost(), tmp_path)) as at:
        page = window.page
        await page.goto(f"{at}/round/{JOURNAL}/1")
        groups = page.locator(".timeline [role=group]")
        await expect(groups.first).to_be_visible()
        names = await groups.evaluate_all("all => all.map((one) => one.getAttribute('aria-label').split(':')[0])")
        assert names == ["cards", "chips, spot 1", "chips, spot 2", "keys", "devices", "statements"]
        lost = page.locator(".timeline").get_by_role(
            "button", name=re.compile(r"\d\d:\d\d:\d\d UTC keypad was lost: no answer")
        )
        await lost.click()
        await expect(page.locator(".account [aria-current]")).to_contain_text("keypad was lost: no answer")
        await expect(lost).to_be_focused()
        await expect(page.locator(".timeline .devices title")).to_contain_text(
            ["keypad was lost: no answer", "keypad is back", "keypad reports: a key is stuck"]
        )
        walked = []
        for press in ("Shift+ArrowRight", "ArrowUp", "ArrowUp", "ArrowUp", "Shift+ArrowLeft", "ArrowDown", "ArrowLeft"):
            await page.keyboard.press(press)
            await expect(page.locator(".timeline :focus[aria-current=step]")).to_have_count(1)
            walked.append(await page.evaluate("document.activeElement.classList[1]"))
        assert walked[:4] == ["devices", "keys", "chips", "chips"]
        assert walked[4:6] == ["chips", "chips"]
        assert await page.locator(".timeline [tabindex='0']").count() == 1
        await page.locator(".timeline .dot.keys").first.focus()
        await page.keyboard.press("Enter")
        await expect(page.locator(".account [aria-current]")).to_contain_text("the dealer pressed")
        await page.keyboard.press("Shift+Tab")
        assert await page.evaluate("document.activeElement.closest('.timeline') === null")
        assert await findings(window) == []
        await window.picture("round-lanes")


async def test_the_ways_that_remain_shrink_as_evidence_comes(broker: Broker, window: Window, tmp_path: Path) -> None:
    path = await kept(nine(), tmp_path)
    journals = Journals((path,))
    counts = [one.plays for one in await journals.plays(HERE, 1)]
    assert counts[-1] == 2
    assert max(counts) == 3
    async with pages(broker, path) as at:
        await window.page.goto(f"{at}/round/{JOURNAL}/1")
        await expect(window.page.locator(".plays .count")).to_have_text("2")
        await expect(window.page.locator(".timeline .ways")).to_have_count(1)
        await window.picture("round-open")


async def test_what_the_floor_rules_later_leaves_the_plays_as_they_were(tmp_path: Path) -> None:
    before, rig = two_rounds(), two_rounds()
    rig.give(VoidRound(rig.now_ns, 1, "floor", "misdeal"))
    for folder in ("before", "after"):
        (tmp_path / folder).mkdir()
    counts = [
        await Journals((await kept(one, tmp_path / folder),)).plays(HERE, 1)
        for one, folder in ((before, "before"), (rig, "after"))
    ]
    assert counts[0] == counts[1]
    assert counts[0][-1].plays == 1


async def test_rounds_are_found_by_what_happened_in_them(broker: Broker, window: Window, tmp_path: Path) -> None:
    async with pages(broker, await kept(two_rounds(), tmp_path)) as at:
        await window.page.goto(f"{at}/round")
        await window.page.get_by_role("link", name="harbour/bj-1").click()
        await expect(window.page.locator(".tables a b")).to_have_text(["Round 2", "Round 1"])
        await window.page.get_by_label("Amount").fill("37.50")
        await window.page.get_by_role("button", name="Search").click()
        await expect(window.page.locator(".tables a b")).to_have_text(["Round 1"])
        assert "amount=3750" in window.page.url
        await window.page.get_by_label("Amount").fill("")
        await window.page.get_by_label("Card").fill("8h")
        await window.page.get_by_label("Spot").fill("1")
        await window.page.get_by_label("Spot").press("Enter")
        await expect(window.page.locator(".tables a b")).to_have_text(["Round 2", "Round 1"])
        assert await findings(window) == []


@pytest.mark.parametrize(
    ("wanted", "rounds"),
    [
        ({}, [2, 1]),
        ({"spot": "7"}, [1]),
        ({"amount": "3000"}, [2]),
        ({"card": "Td"}, [2, 1]),
        ({"card": "4c"}, [1]),
        ({"outcome": "irregular"}, []),
        ({"at": "2026-01-01T00:00:00.000000Z"}, []),
        ({"lang": "de"}, [2, 1]),
    ],
)
async def test_a_search_finds_what_fits_and_nothing_else(
    wanted: dict[str, str], rounds: list[int], tmp_path: Path
) -> None:
    journals = Journals((await kept(two_rounds(), tmp_path),))
    assert [one.round for one in (await journals.found(HERE, wanted)).rounds] == rounds


def with_people() -> Rig:
    """A round whose alerts one person acknowledged once the next had begun, and whose due another ruled on."""
    rig = two_rounds()
    rig.give(AcknowledgeAlert(rig.now_ns, 1, "M. Okafor", "seen"))
    rig.give(AdjustWager(rig.now_ns, 2, 1, "main", 0, "Juan Reyes", "dead hand", vouched=OWN_KEY))
    return rig


@pytest.mark.parametrize(
    ("person", "rounds"),
    [("okafor", [1]), ("M. Okafor", [1]), ("J. Reyes", [2]), ("K. Okafor", []), ("Reyes", [2])],
)
async def test_a_round_is_found_by_who_acknowledged_and_who_ruled(
    person: str, rounds: list[int], tmp_path: Path
) -> None:
    journals = Journals((await kept(with_people(), tmp_path),))
    found = await journals.found(HERE, {"person": person})
    assert [one.round for one in found.rounds] == rounds
    if person == "okafor":
        # What was said of its alert once the next round had begun belongs to its account.
        course = await journals.course(HERE, 1)
        assert course.moments[-1].text.startswith("M. Okafor acknowledged alert 1")


async def test_a_round_is_found_by_who_answered_its_question(tmp_path: Path) -> None:
    journals = Journals((await kept(nine(), tmp_path),))
    assert [one.round for one in (await journals.found(HERE, {"person": "floor"})).rounds] == [1]
    assert (await journals.found(HERE, {"person": "nine"})).rounds == []


def test_whom_an_alert_is_about_has_done_nothing() -> None:
    raised = AlertRaised(1, AlertKind.CORRECTED_ALONE, Severity.WARNING, "text", 1, who="M. Okafor")
    assert people_of(raised) == set()


async def test_of_more_rounds_than_are_listed_the_page_says_so(broker: Broker, window: Window, tmp_path: Path) -> None:
    rig = Rig(penn())
    for _ in range(LISTED + 1):
        rig.talk("1 main 25\nkey no_more_bets\nTh 7d Qs Td\nkey stand hole_turned\n1 main 0\nkey round_closed")
    async with pages(broker, await kept(rig, tmp_path)) as at:
        await window.page.goto(f"{at}/round/{JOURNAL}")
        await expect(window.page.get_by_role("status")).to_contain_text(f"the latest {LISTED} of the rounds")
        await expect(window.page.locator(".tables li")).to_have_count(LISTED)
        await window.page.get_by_label("Person").fill("Okafor")
        await window.page.get_by_label("Person").press("Enter")
        await expect(window.page.get_by_text("No round matches.")).to_be_visible()
        await expect(window.page.get_by_role("status")).to_have_count(0)
        assert "person=Okafor" in window.page.url
        assert await findings(window) == []


async def test_a_round_is_found_at_every_moment_it_was_played(tmp_path: Path) -> None:
    journals = Journals((await kept(two_rounds(), tmp_path),))
    first, second = sorted((await journals.found(HERE, {})).rounds, key=lambda one: one.round)
    for one in (first, second):
        for moment in (one.began, one.ended):
            assert one.round in [found.round for found in (await journals.found(HERE, {"at": moment})).rounds]


async def test_an_open_round_shows_no_card_and_counts_no_play(tmp_path: Path) -> None:
    journals = Journals((await kept(dealt(), tmp_path),))
    course = await journals.course(HERE, 1)
    assert [one.face for one in course.commitments if one.face is None] == [None]
    with pytest.raises(JournalRefused, match="round 1 is open"):
        await journals.plays(HERE, 1)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda journals: journals.course(HERE, 9), "has no round 9"),
        (
            lambda journals: journals.found(Identity("other", "bj-1", 1), {}),
            "no journal of other/bj-1/1 was named",
        ),
    ],
)
async def test_what_is_not_there_is_said(ask: Callable[[Journals], object], message: str, tmp_path: Path) -> None:
    journals = Journals((await kept(nine(), tmp_path), tmp_path / "missing.sqlite"))
    with pytest.raises(JournalRefused, match=message):
        await ask(journals)  # type: ignore[misc]
    assert "refused" in (await journals.listed())[1]


async def test_the_text_of_a_round_says_what_the_page_says(broker: Broker, tmp_path: Path) -> None:
    path = await kept(nine(), tmp_path)
    async with pages(broker, path) as at, ClientSession() as client:
        async with client.get(f"{at}/api/journals/{JOURNAL}/rounds/1?as=text") as answer:
            text = await answer.text()
        async with client.get(f"{at}/api/journals/{JOURNAL}/rounds/1") as answer:
            account = await answer.json()
        assert [one["text"] in line for one, line in zip(account["moments"], text.splitlines()[1:], strict=True)] == [
            True for _ in account["moments"]
        ]
        async with client.get(f"{at}/api/journals/{JOURNAL}/rounds/77") as answer:
            assert (answer.status, await answer.text()) == (404, f"{JOURNAL} has no round 77\n")
