"""What no page may hold: a face before its card is opened; and what no page may obey: text as a program."""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec
from playwright.async_api import BrowserContext, expect

from controller.formats.mqtt.retained_alerts import AlertNow, AlertsNow
from controller.formats.mqtt.retained_layout import FeltNow, QuestionNow, WagerNow, ZoneNow
from controller.io.mqtt.connection import Broker
from firmware_protocols.cards import Card
from tests.core.rig import Rig, penn
from tests.web.conftest import Window
from tests.web.stage import pages, staged

RANKS: Final = {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "ten", "9": "nine", "8": "eight"}
RANKS_BELOW: Final = {"7": "seven", "6": "six", "5": "five", "4": "four", "3": "three", "2": "two"}
SUITS: Final = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}
FACES: Final = tuple(str(card.value) for card in Card)
SIGNS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}

EVERYTHING: Final = """async () => {
    const done = (asked) => new Promise((resolve, reject) => {
        asked.onsuccess = () => resolve(asked.result);
        asked.onerror = () => reject(asked.error);
    });
    const kept = [];
    for (const { name } of await indexedDB.databases()) {
        const base = await done(indexedDB.open(name));
        for (const store of base.objectStoreNames) {
            kept.push(name, store, await done(base.transaction(store).objectStore(store).getAll()));
        }
        base.close();
    }
    return JSON.stringify([
        document.documentElement.outerHTML, Object.entries(localStorage), Object.entries(sessionStorage),
        document.cookie, performance.getEntries().map((one) => one.name), kept, await caches.keys()]);
}"""

PAGES: Final = ("/dealer/harbour/bj-1", "/sign/harbour/bj-1", "/technician/harbour/bj-1", "/pit", "/")
"""Every page that shows a table live, besides the table's own."""


def spellings(face: str) -> set[str]:
    """Every way in which a page, or a message to it, would say a face."""
    rank = {**RANKS, **RANKS_BELOW}[face[0]]
    return {f'"{face}"', f"{rank} of {SUITS[face[1]]}", f"{'10' if face[0] == 'T' else face[0]}{SIGNS[face[1]]}"}


class Deal(NamedTuple):
    """The cards of one round at one box, none of which is the hole card of this round or of the two after it."""

    player: str
    up: str
    second: str
    drawn: str


def deal(soon: tuple[str, ...]) -> Deal:
    """A round's other cards; what was open a moment ago is still shown on the page."""

    def free(*cards: str) -> str:
        return next(card for card in cards if card not in soon)

    up = free("7d", "7h", "7s", "7c")
    return Deal(free("Th", "Td", "Js", "Jd"), up, free("Qs", "Qh", "Kc", "Kh"), free("Tc", "Ts", "Jc"))


async def test_the_hole_card_is_nowhere_until_it_is_turned_for_all_fifty_two(
    broker: Broker, window: Window, context: BrowserContext
) -> None:
    async with staged(broker, Rig(penn(stand_key="always"))) as stage, pages(broker) as at:
        await window.page.goto(f"{at}/table/harbour/bj-1")
        others = [Window(await context.new_page()) for _ in PAGES]
        for other, path in zip(others, PAGES, strict=True):
            await other.page.goto(at + path)
        for number, hole in enumerate(FACES, start=1):
            dealt = deal(FACES[number - 1 : number + 2])
            for one in (window, *others):
                one.frames.clear()
            await stage.talk(f"1 main 25\nkey no_more_bets\n{dealt.player} {dealt.up} {dealt.second} {hole}")
            await stage.device("keypad", "ready", f"round {number} is dealt")
            await expect(window.page.locator(".round-number")).to_have_text(f"Round {number}")
            await expect(window.page.locator("[aria-label='hole card, closed']")).to_have_count(1)
            for one in (window, *others):
                await one.until_sent(f"round {number} is dealt")
                held = await one.page.evaluate(EVERYTHING)
                frames = "".join(one.frames)
                for spelling in spellings(hole):
                    assert spelling not in frames, (hole, one.page.url)
                    assert spelling not in held, (hole, one.page.url)
            assert '"open":true' in "".join(window.frames)
            await stage.talk(f"key stand\nkey hole_turned\n{drawn(hole, dealt)}\nkey round_closed\n1 main 0")
            await expect(window.page.locator("[aria-label='hole card, closed']")).to_have_count(0)
        assert [other.complaints for other in others] == [[]] * len(others)


def drawn(hole: str, dealt: Deal) -> str:
    """What ends the dealer's hand: a seven and this hole card."""
    points = {"A": 11, "T": 10, "J": 10, "Q": 10, "K": 10}.get(hole[0]) or int(hole[0])
    return "" if points >= 10 else dealt.drawn


HOSTILE: Final = (
    '<img src=x onerror="window.pwned=1"></script><script>window.pwned=1</script>{{7*7}}${7*7}\'"><svg onload=alert(1)>'
)


async def test_text_is_shown_as_text_wherever_it_comes_from(broker: Broker, window: Window) -> None:
    async with staged(broker, Rig(penn())) as stage, pages(broker) as at:
        wager = WagerNow(2, HOSTILE, 5_000, 100, 50, (), HOSTILE, HOSTILE, HOSTILE, disputed=True)
        main = WagerNow(2, "main", 5_000, -5_000, 5_000, (), "floor", HOSTILE, HOSTILE)
        question = QuestionNow(7, 1, 2, HOSTILE, (HOSTILE, "3"))
        lying = (ZoneNow(2, "main", 5_000), ZoneNow(2, HOSTILE, 500))
        felt = FeltNow(9_000, 1, True, (), (), (), (), lying, (main, wager), (), (question,), HOSTILE, HOSTILE)
        await stage.retain(stage.topics.state("felt"), msgspec.json.encode(felt))
        alert = AlertNow(1, HOSTILE, HOSTILE, HOSTILE, 1, 2, HOSTILE, HOSTILE)
        await stage.retain(stage.topics.state("alerts"), msgspec.json.encode(AlertsNow(9_000, 1, (alert,))))
        await stage.device("shoe", HOSTILE, HOSTILE)
        await window.page.goto(f"{at}/table/harbour/bj-1")
        await expect(window.page.locator(".question .text")).to_have_text(HOSTILE)
        await expect(window.page.get_by_role("alert")).to_contain_text(HOSTILE)
        await expect(window.page.locator(".alerts li")).to_contain_text(HOSTILE)
        await window.page.get_by_role("button", name="Spot 2 main").focus()
        await window.page.keyboard.press("Enter")
        await expect(window.page.get_by_role("dialog")).to_contain_text(HOSTILE)
        await stage.hold(HOSTILE)
        await expect(window.page.locator(".notice.held")).to_contain_text(HOSTILE)
        assert await window.page.evaluate("window.pwned") is None
        assert await window.page.locator("script").count() == 1
        assert await window.page.locator("img").count() == 0


async def test_no_text_becomes_markup_even_where_a_page_would_let_it(broker: Broker, window: Window) -> None:
    async with staged(broker, Rig(penn())), pages(broker) as at:
        await window.page.goto(f"{at}/table/harbour/bj-1")
        await expect(window.page.locator(".head .state.live")).to_be_visible()
        async with window.page.expect_console_message() as complaint:
            refused = await window.page.evaluate(
                "() => { try { document.body.innerHTML = '<b>x</b>'; return '' } catch (error) { return error.name } }"
            )
        assert refused == "TypeError"
        assert "TrustedHTML" in (await complaint.value).text
        window.complaints.clear()
