"""The orders of a floor person at the pit's stand: given in a real browser, carried out by a real daemon."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Final

from playwright.async_api import Browser, Locator, expect

from controller.core.messages.events import CardDrawn, RoundClosed, ShoeBegun
from controller.core.messages.floor_events import BoxDeclared, CardAssigned, InventoryEntered, OrderProposed
from controller.core.messages.meter_events import JackpotPaid, JackpotVerified, MeterAdjusted, MeterChangeProposed
from controller.formats.orders.operators import RIGHTS, read_signers
from controller.formats.orders.requests import VERBS
from controller.io.mqtt.connection import Broker
from firmware_protocols import discovery
from simulators.devices.bet_spots import BetSpotsSimulator
from tests.web.conftest import Window
from tests.web.operators import OKAFOR, REYES, Person, sign_in
from tests.web.stage import pages
from tests.web.test_accessibility import findings
from tests.web.test_front_end import MODULES
from tests.web.test_orders import holder, sent
from tests.wiring.pit import DIAMONDS
from tests.wiring.premises import open_house, ran
from tests.wiring.test_operator import SigningPremises

UNITS: Final = 10_000
"""Of a meter, to a cent."""

SEVENS: Final = """
[[meters]]
name = "sevens"
fed_by = ["blazing7s"]
base_cents = 1_000_000
reset_cents = 500_000
rate = [17, 100]
unreasonable_cents = 500
"""


class MeteredPremises(SigningPremises):
    """A table with a meter of its own that takes signed orders alone."""

    def devices(self) -> dict[str, Any]:
        antennas = {"main": 1, "insurance": 2, "blazing7s": 3}
        zones: dict[tuple[int, int | None], tuple[int, str]] = {
            (spot, antenna): (spot, zone) for spot in range(1, 8) for zone, antenna in antennas.items()
        }
        readers = BetSpotsSimulator(discovery.find("bet_spots", "feig_obid"), zones)
        return {**super().devices(), "bet_spots": readers}

    def table_text(self) -> str:
        """The deal's end is keyed: how evenly a busy machine deals says nothing of it."""
        keyed = super().table_text().replace("[options]\n", '[options]\ndeal_key = "always"\n')
        return keyed.replace("insurance = 2}", "insurance = 2, blazing7s = 3}") + SEVENS


@contextlib.asynccontextmanager
async def at_the_stand(directory: Path, broker: Broker) -> AsyncIterator[tuple[SigningPremises, str]]:
    """A table, and the pages on which its operators sign in."""
    async with open_house(directory, broker, make=MeteredPremises) as house:
        assert isinstance(house, MeteredPremises)
        file = directory / "operators.toml"
        async with pages(broker, signers=read_signers(file.read_text(), file.name)) as at:
            yield house, at


class Stand:
    """A person signed in at the pit's page, with the orders of the one table open."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.orders = window.page.locator("dialog.acting")
        self.form = window.page.locator("dialog.order")

    async def open(self, at: str, who: Person) -> None:
        page = self.window.page
        await page.goto(f"{at}/pit")
        await sign_in(self.window, who)
        await page.get_by_role("button", name="Orders at harbour/bj-1").click()
        await expect(self.orders).to_be_visible()

    async def prepare(self, name: str, values: Mapping[str, str]) -> Locator:
        """The form of an order, filled in."""
        await self.orders.get_by_role("button", name=name).click()
        for field, value in values.items():
            place = self.form.locator(f"[name={field}]")
            if await place.evaluate("one => one.tagName") == "SELECT":
                await place.select_option(value)
            else:
                await place.fill(value)
        return self.form

    async def send(self) -> None:
        """Sign the form, see it accepted, close it."""
        await sent(self.window.page)
        await expect(self.form.locator(".reply.accepted")).to_be_visible()
        await self.form.get_by_role("button", name="Close").click()
        await expect(self.form).to_have_count(0)

    async def gives(self, name: str, values: Mapping[str, str], change: str = "") -> None:
        """An order, prepared, seen as a change, and sent."""
        form = await self.prepare(name, values)
        if change:
            await expect(form.locator(".changes")).to_have_text(change)
        await self.send()


@contextlib.asynccontextmanager
async def another(browser: Browser, at: str, who: Person) -> AsyncIterator[Stand]:
    """A second person, in a browser of their own."""
    context = await browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    try:
        stand = Stand(Window(await context.new_page()))
        await stand.open(at, who)
        yield stand
        assert stand.window.complaints == []
        await stand.window.page.goto("about:blank")
    finally:
        await context.close()


async def test_a_meter_is_moved_and_an_award_paid_by_two_persons(
    tmp_path: Path, broker: Broker, window: Window, chromium: Browser
) -> None:
    async with at_the_stand(tmp_path, broker) as (house, at):
        await house.talk(DIAMONDS)
        await house.ear.event(RoundClosed, round=1)
        okafor, reyes = holder(tmp_path, "okafor", OKAFOR), holder(tmp_path, "reyes", REYES)
        floor = Stand(window)
        await floor.open(at, okafor)
        await window.picture("pit-orders")
        wanted = {"pool": "meter", "amount": "-12.50", "reason": "equipment_correction", "why": "counted again"}
        form = await floor.prepare("Move Blazing 7's", wanted)
        await expect(form.locator(".changes")).to_have_text("Blazing 7's $5,000.00 → $4,987.50")
        await expect(form).to_contain_text("It can go down by $5,000.00 at most.")
        assert await findings(window) == []
        await window.picture("pit-meter-order")
        await floor.send()
        proposed = await house.ear.event(MeterChangeProposed, order=1)
        assert (proposed.who, proposed.vouched) == ("M. Okafor", "own signature")
        await expect(floor.orders.locator(".proposals")).to_contain_text("move Blazing 7's by −$12.50")
        await expect(floor.orders.get_by_role("button", name="Approve")).to_have_count(0)
        async with another(chromium, at, reyes) as surveillance:
            await surveillance.gives("Approve", {}, "Blazing 7's $5,000.00 → $4,987.50")
            moved = await house.ear.event(MeterAdjusted)
            assert (moved.units, moved.meter_units) == (-1_250 * UNITS, 498_750 * UNITS)
            await surveillance.gives(
                "Verify",
                {"why": "cards seen"},
                "Award 1: $10,000.85 of Blazing 7's, round 1, spot 1 to be verified → verified, to be paid",
            )
            assert (await house.ear.event(JackpotVerified)).who == "J. Reyes"
            await expect(surveillance.orders.locator(".hit .buttons button")).to_have_count(0)
            assert await findings(surveillance.window) == []
        await floor.gives("Paid", {"why": "hand pay slip 12"})
        paid = await house.ear.event(JackpotPaid)
        assert (paid.who, paid.vouched) == ("M. Okafor", "own signature")
        await expect(floor.orders.locator(".hit")).to_have_count(0)
        await floor.gives("Announce a new shoe", {"left": "190"})
        assert (await house.ear.event(ShoeBegun)).who == "M. Okafor"
        await window.page.goto("about:blank")
    done = await ran("verify", "--operators", str(tmp_path / "operators.toml"), str(house.journal))
    assert "5 orders carry their operator's signature" in done[1], done


async def test_cards_boxes_and_counts_are_ordered_from_the_pit(tmp_path: Path, broker: Broker, window: Window) -> None:
    async with at_the_stand(tmp_path, broker) as (house, at):
        floor = Stand(window)
        await floor.open(at, holder(tmp_path, "okafor", OKAFOR))
        await floor.prepare(
            "Enter a count", {"kind": "fill", "chips": "100x20 25x40", "slip": "F-117", "why": "rack low"}
        )
        await expect(floor.form).to_contain_text("$3,000.00 in all.")
        await window.picture("pit-count")
        await floor.send()
        entered = await house.ear.event(InventoryEntered)
        assert (entered.kind, entered.cents, entered.slip) == ("fill", 300_000, "F-117")
        box = {"spot": "3", "amount": "50", "why": "match play"}
        await floor.gives("Declare a box", box, "Spot 3, main wager $0.00 → $50.00")
        declared = await house.ear.event(BoxDeclared)
        assert (declared.spot, declared.cents) == (3, 5_000)
        await house.talk("1 main 10\nno_more_bets\nTh 7d 8s 6s Td 9c\nno_more_bets\nstand")
        last = (await house.ear.event(CardDrawn, count=5)).card
        named = {"card": str(last), "rank": "9", "suit": "h", "why": "seen on the felt"}
        await floor.gives("Name a card", named, f"Card {last} 10♦ → 9♥")
        proposed = await house.ear.event(OrderProposed)
        assert (proposed.verb, proposed.face, proposed.text) == ("set-card", "9h", f"card {last} is 9h")
        await expect(window.page.locator(".proposals")).to_contain_text(f"round 1: card {last} is 9h")
        owner = {"card": str(last), "spot": "3", "why": "seen on the felt"}
        await floor.gives("Say whose a card is", owner)
        assert (await house.ear.event(CardAssigned)).spot == 3
        await window.page.goto("about:blank")


def test_every_order_of_a_role_is_offered_on_the_pages() -> None:
    """What a table publishes of itself is no order."""
    source = "\n".join(path.read_text(encoding="utf-8") for path in MODULES)
    assert {verb for verb in VERBS if f'"{verb}"' not in source} == set()
    assert set(RIGHTS) - set(VERBS) == {"status"}
