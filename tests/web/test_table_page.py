"""One table in a real browser: what it shows when it is opened late, and while the table plays."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

import msgspec
import pytest
from playwright.async_api import expect

from controller.core.messages.events import QuestionAsked
from controller.core.messages.inputs import AdjustWager
from controller.core.persons import Authentication
from controller.formats.mqtt.retained_layout import CardNow, FeltNow, QuestionNow, WagerNow
from controller.io.mqtt.broker import free_port, mosquitto
from controller.io.mqtt.connection import Broker
from tests.core.journals import journal_of
from tests.core.rig import Rig, penn
from tests.core.test_waiting_rounds import WHO_GOT_THE_NINE
from tests.progressive.live import MeterRig
from tests.web.conftest import Window
from tests.web.stage import Stage, pages, staged

HERE: Final = "/table/harbour/bj-1"
DEALT: Final = """
    1 main 25
    2 main 50
    4 main 100
    6 main 15
    7 main 10
    key no_more_bets
    As 9c Kc 5d 8h 9d Kd 9h 7d 6s 3d Qs
"""
CHIPS: Final = {f"E0040000{value:08X}": value for value in (50, 100, 500, 2_500, 10_000)}


def dealt() -> Rig:
    """Five boxes, a nine up, a natural at spot 1."""
    rig = Rig(penn(stand_key="always"), dict(CHIPS))
    rig.talk(DEALT)
    return rig


async def faces(window: Window, label: str) -> list[str]:
    """What lies at a place of the felt, as a screen reader says it."""
    place = window.page.locator(f'svg.felt [role="group"][aria-label^="{label}"]')
    return [await card.get_attribute("aria-label") or "" for card in await place.locator("[data-card]").all()]


async def test_who_comes_in_the_middle_of_a_round_sees_all_of_it(broker: Broker, window: Window) -> None:
    async with staged(broker, dealt()) as stage, pages(broker) as at:
        await window.page.goto(at + HERE)
        await expect(window.page.get_by_text("Round 1").first).to_be_visible()
        assert await faces(window, "Dealer") == ["nine of diamonds", "hole card, closed"]
        assert await faces(window, "Spot 2") == ["nine of clubs", "nine of hearts"]
        await expect(window.page.locator(".due.pays")).to_have_text("+$37.50")
        await expect(window.page.get_by_role("listitem").filter(has_text="keypad")).to_have_count(1)
        await stage.talk("2 main 100\nkey split\n9d")
        await expect(window.page.locator('[aria-label^="Spot 2"] [data-card]')).to_have_count(3)
        await window.picture("table")


async def test_a_round_is_seen_to_its_end_and_each_due_says_why(broker: Broker, window: Window) -> None:
    async with staged(broker, dealt()) as stage, pages(broker) as at:
        await window.page.goto(at + HERE)
        await stage.talk("key stand\nkey stand\nkey hit\nTd\nkey hit\n4c\nkey stand\nkey hole_turned")
        await stage.talk("key round_closed")
        await expect(window.page.locator(".badge", has_text="natural")).to_have_count(1)
        assert await faces(window, "Dealer") == ["nine of diamonds", "queen of spades"]
        due = window.page.get_by_role("button", name="Spot 2 main")
        await due.focus()
        await window.page.keyboard.press("Enter")
        dialog = window.page.get_by_role("dialog")
        await expect(dialog).to_contain_text("18 loses to 19")
        await expect(dialog).to_contain_text("evidence: every legal play agrees")
        await window.picture("table-why")
        await window.page.keyboard.press("Escape")
        await expect(dialog).to_have_count(0)


async def test_a_question_stands_out_until_it_is_answered(broker: Broker, window: Window) -> None:
    async with staged(broker, Rig(penn())) as stage, pages(broker) as at:
        await window.page.goto(at + HERE)
        await stage.talk(WHO_GOT_THE_NINE)
        panel = window.page.locator(".question")
        await expect(panel).to_contain_text("Spot 1: how many cards in hand 1?")
        await expect(panel).to_contain_text("s ago, on the keypad")
        log = window.page.locator(".log")
        await expect(log).to_contain_text("spot 1 main stays open: −$10.00 or +$10.00")
        await expect(log).to_contain_text("card to the dealer")
        assert await cramped(window) == []
        await window.picture("table-question")
        stage.rig.answer(stage.rig.events_of(QuestionAsked)[-1].choices[0])
        await stage.publish()
        await expect(panel).to_have_count(0)


async def test_before_the_first_round_no_round_is_numbered(broker: Broker, window: Window) -> None:
    async with staged(broker, Rig(penn())), pages(broker) as at:
        for page in ("table", "dealer"):
            await window.page.goto(at + HERE.replace("table", page))
            await expect(window.page.locator(".head .live")).to_be_visible()
            await expect(window.page.locator(".head")).not_to_contain_text("Round 0")


async def test_a_notice_stands_beside_its_sign_on_a_phone(broker: Broker, window: Window) -> None:
    async with staged(broker, dealt()) as stage, pages(broker) as at:
        await window.page.set_viewport_size({"width": 320, "height": 640})
        await window.page.goto(at + HERE)
        await stage.hold("record 50 could not be stepped; see its event internal_error")
        notice = window.page.locator(".notice.held")
        await expect(notice).to_be_visible()
        assert await notice.evaluate("""one => {
          const words = document.createRange();
          words.selectNodeContents(one.lastChild);
          return one.firstElementChild.getBoundingClientRect().right <= words.getBoundingClientRect().left;
        }""")


async def cramped(window: Window) -> list[str]:
    """Dues on the felt that are wider than what they are written on, or lie over a neighbour's cards."""
    found: list[str] = await window.page.evaluate(CRAMPED)
    return found


CRAMPED: Final = """() => {
  const box = (one) => one.getBoundingClientRect();
  const cards = [...document.querySelectorAll(".spot [data-card]")].map((one) => [one, box(one)]);
  return [...document.querySelectorAll("svg .due.main .press")].filter((press) => {
    const [rect, text] = [box(press.querySelector("rect")), box(press.querySelector("text"))];
    const isOver = cards.some(([card, lies]) => card.closest(".spot") !== press.closest(".spot")
      && lies.left < rect.right && rect.left < lies.right && lies.top < rect.bottom && rect.top < lies.bottom);
    return isOver || text.left < rect.left || rect.right < text.right || rect.bottom < text.bottom;
  }).map((press) => press.getAttribute("aria-label"));
}"""


async def test_of_many_ways_the_least_and_the_most_are_shown_and_how_many(broker: Broker, window: Window) -> None:
    async with staged(broker, dealt()) as stage, pages(broker) as at:
        await window.page.goto(at + HERE)
        await left_open(stage, (-10_000, -5_000, 5_000, 7_500))
        due = window.page.locator(".due.open")
        await expect(due).to_have_text("−$100.00 to +$75.00, 4 ways")
        assert await cramped(window) == []
        await due.locator("rect").click()
        await expect(window.page.get_by_role("dialog")).to_contain_text("−$100.00 or −$50.00 or +$50.00 or +$75.00")


async def test_an_irregular_round_is_handed_to_the_floor(broker: Broker, window: Window) -> None:
    async with staged(broker, dealt()) as stage, pages(broker) as at:
        await window.page.goto(at + HERE)
        await stage.talk("key hole_turned\nkey hit\n4c\n3c")
        await expect(window.page.get_by_role("alert")).to_contain_text("no legal play explains the evidence")
        await expect(window.page.locator(".alerts li").first).to_be_visible()
        await expect(window.page.locator(".round-phase")).to_have_text("irregular: the floor rules")
        assert await cramped(window) == []
        await window.picture("table-irregular")


async def test_cards_beside_the_shoe_show_their_ranks(broker: Broker, window: Window) -> None:
    lying = tuple(CardNow(card, None, face) for card, face in enumerate(("3c", "As", "Td"), 1))
    felt = FeltNow(9_000, 1, True, lying, (), (), (), ())
    async with staged(broker, dealt()) as stage, pages(broker) as at:
        await stage.retain(stage.topics.state("felt"), msgspec.json.encode(felt))
        await window.page.goto(at + HERE)
        cards = window.page.locator("[data-card][aria-label*='not known yet']")
        await expect(cards).to_have_count(3)
        # Each lies over the right side of the one before: the corner with the rank is seen of all.
        lefts = await cards.evaluate_all("all => all.map((one) => one.getBoundingClientRect().left)")
        assert lefts == sorted(lefts)


async def test_what_is_corrected_keeps_the_old_amount(broker: Broker, window: Window) -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 25\nkey no_more_bets\nTh 7d Qs Td\nkey stand hole_turned round_closed")
    async with staged(broker, rig) as stage, pages(broker) as at:
        await window.page.goto(at + HERE)
        await expect(window.page.locator(".due.certain")).to_have_text("+$25.00")
        rig.give(
            AdjustWager(
                rig.now_ns, 1, 1, "main", 0, "M. Okafor", "dead hand", vouched=Authentication("key", ("floor",))
            )
        )
        await stage.publish()
        corrected = window.page.locator(".due.corrected")
        await expect(corrected.locator(".old")).to_have_text("+$25.00")
        await expect(corrected).to_contain_text("push")
        await corrected.locator("rect").click()
        await expect(window.page.get_by_role("dialog")).to_contain_text("corrected: M. Okafor")


async def test_what_stays_open_shows_the_ways_that_remain(broker: Broker, window: Window) -> None:
    async with staged(broker, dealt()) as stage, pages(broker) as at:
        await window.page.goto(at + HERE)
        await left_open(stage)
        await expect(window.page.locator(".due.open")).to_have_text("−$50.00 or +$50.00")
        await expect(window.page.locator(".spot.asked")).to_have_attribute("aria-label", "Spot 2; $50.00; asked")


async def left_open(stage: Stage, ways: tuple[int, ...] = (-5_000, 5_000)) -> None:
    """A picture of the felt with a wager that was left open, and a question about it."""
    wager = WagerNow(2, "main", 5_000, possible_cents=ways)
    question = QuestionNow(7, 1, 2, "Spot 2: how many cards in hand 1?", ("2", "3"))
    felt = FeltNow(9_000, 1, False, (), (), (), (), (), (wager,), (), (question,), "", "open", 2)
    lying = msgspec.structs.replace(felt, zones=msgspec.json.decode('[{"spot":2,"zone":"main","cents":5000}]'))
    await stage.retain(stage.topics.state("felt"), msgspec.json.encode(lying))


async def test_a_jackpot_is_announced_and_verified(broker: Broker, window: Window) -> None:
    rig = MeterRig()
    async with staged(broker, rig) as stage, pages(broker) as at:
        await window.page.goto(at + HERE)
        await expect(window.page.locator(".meters")).to_contain_text("$10,000.00")
        await stage.talk(
            "1 main 10\n1 blazing7s 5\nkey no_more_bets\n7d 7d 7d 8c\nkey stand hole_turned\n5c\nkey round_closed"
        )
        await expect(window.page.locator(".hit")).to_contain_text("To be verified: $10,000.85 of Blazing 7's")
        await expect(window.page.locator(".log")).to_contain_text("jackpot: $10,000.85 of Blazing 7's at spot 1")
        await window.picture("table-jackpot")


async def test_it_outlives_its_broker_and_says_when_it_last_heard(window: Window) -> None:
    port = free_port()
    async with pages(Broker("127.0.0.1", port)) as at:
        await window.page.goto(at + HERE)
        await expect(window.page.locator(".notice")).to_contain_text(
            "The broker is away, and nothing has been heard yet"
        )
        async with mosquitto(port=port) as first, staged(first, dealt()):
            await expect(window.page.locator(".head .state.live")).to_be_visible()
        await expect(window.page.locator(".notice.stale")).to_contain_text(
            "The broker is away. What is shown was heard"
        )
        assert await faces(window, "Dealer") == ["nine of diamonds", "hole card, closed"]
        await window.picture("table-stale")
        async with mosquitto(port=port) as second, staged(second, dealt()) as stage:
            await expect(window.page.locator(".head .state.live")).to_be_visible(timeout=20_000)
            await stage.talk("key stand")
            await expect(window.page.locator(".log li").first).to_be_visible()


async def test_a_table_on_hold_and_a_lost_device_say_so(broker: Broker, window: Window) -> None:
    async with staged(broker, dealt()) as stage, pages(broker) as at:
        await window.page.goto(at + HERE)
        await stage.device("shoe", "lost", "no line")
        await expect(window.page.locator(".devices .lost")).to_have_text("shoe lost")
        await stage.hold("record 50 could not be stepped")
        await expect(window.page.locator(".notice.held")).to_contain_text("record 50 could not be stepped")
        await stage.hold("")
        await stage.device("shoe", "ready", "")
        await expect(window.page.locator(".head .state.live")).to_be_visible()
        await expect(window.page.locator(".devices .lost")).to_have_count(0)


@pytest.mark.parametrize("width", [320, 768, 1280, 3840])
async def test_it_fits_a_phone_and_a_wall(width: int, broker: Broker, window: Window, tmp_path: Path) -> None:
    path = await asyncio.to_thread(journal_of, dealt(), tmp_path / "journal.sqlite")
    async with staged(broker, dealt()), pages(broker, path) as at:
        await window.page.set_viewport_size({"width": width, "height": max(568, width * 9 // 16)})
        await window.page.goto(at + HERE)
        await expect(window.page.locator(".felt, .felt-list")).to_be_visible()
        await expect(window.page.get_by_role("link", name="Rounds")).to_be_visible()
        assert await window.page.evaluate("document.documentElement.scrollWidth") == width
        if width == 320:
            totals = await window.page.locator(".felt-list .total").all_text_contents()
            assert totals == ["9 + ?", "natural", "18", "17", "11", "11"]
            await window.picture("table-phone")
