"""Orders from a page: signed in the browser with the operator's own key, carried out by a real daemon, or refused."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from aiohttp import ClientSession
from playwright.async_api import BrowserContext, Page, expect

from controller.core.messages.events import RoundClosed, WagerAdjusted
from controller.core.messages.floor_events import RulingProposed
from controller.core.messages.raised_alerts import AlertAcknowledged, AlertRaised
from controller.formats.journal.records import Identity
from controller.formats.mqtt.envelope import Topics
from controller.formats.orders.operators import ChannelUser, read_signers
from controller.formats.orders.requests import CommandRefused, Reply
from controller.formats.orders.signed_orders import number_at, order_text
from controller.io.journal.reader import JournalReader
from controller.io.mqtt.connection import Broker
from controller.io.mqtt.request import NoReply
from controller.io.system.clock import SystemClock
from controller.web.order_relay import ORDERS_AT_ONCE, ORDERS_EACH, OrderNotBrought, OrderRelay, order_of
from controller.web.sign_in import COOKIE, Visitor
from controller.web.visibility import sight_of
from tests.web.conftest import Window
from tests.web.operators import ITO, LEE, OKAFOR, REYES, SIGNERS, Person, person, sign_in
from tests.web.stage import HERE, pages, staged
from tests.web.test_accessibility import findings
from tests.web.test_sign_in import entered
from tests.web.test_table_page import dealt
from tests.wiring.premises import open_house, ran
from tests.wiring.test_operator import SigningPremises

TABLE: Final = "harbour/bj-1"
LOST: Final = "1 main 25\nno_more_bets\nTh 7d 6s Td\nstand\nhole_turned\n1 main 0\nround_closed"
"""A losing round."""


@contextlib.asynccontextmanager
async def after_a_round(directory: Path, broker: Broker) -> AsyncIterator[tuple[SigningPremises, str]]:
    """A real table that takes signed orders alone, after a round; and pages on which its operators sign in."""
    async with open_house(directory, broker, make=SigningPremises) as house:
        assert isinstance(house, SigningPremises)
        await house.talk(LOST)
        await house.ear.event(RoundClosed, round=1)
        file = directory / "operators.toml"
        async with pages(broker, signers=read_signers(file.read_text(), file.name)) as at:
            yield house, at


def holder(directory: Path, name: str, who: Person) -> Person:
    """An operator with the key that the table's file names."""
    return who._replace(secret=(directory / f"{name}.key").read_bytes().strip())


async def sent(page: Page) -> None:
    """Sign the order that the page shows, and wait for the table's reply."""
    await page.locator("dialog.order button[type=submit]").click()
    await expect(page.locator("dialog.order .reply")).to_be_visible()


async def test_two_persons_rule_on_a_wager_each_with_their_own_key(
    tmp_path: Path, broker: Broker, window: Window, context: BrowserContext
) -> None:
    async with after_a_round(tmp_path, broker) as (house, at):
        page = window.page
        await page.goto(f"{at}/table/{TABLE}")
        await sign_in(window, holder(tmp_path, "okafor", OKAFOR))
        await page.locator(".due").first.click()
        await page.locator("dialog.why").get_by_role("button", name="Rule what is due").click()
        dialog = page.locator("dialog.order")
        await dialog.locator("input[name=amount]").fill("-12.50")
        await dialog.locator("input[name=why]").fill("dead hand")
        await expect(dialog.locator(".changes")).to_have_text("Round 1, spot 1, main −$25.00 → −$12.50")
        await expect(dialog).to_contain_text("The rules give −$150.00 to +$150.00.")
        assert await findings(window) == []
        await window.picture("order-prepared")
        await dialog.locator("input[name=amount]").fill("-12,50")
        await expect(dialog.locator("button[type=submit]")).to_be_disabled()
        await dialog.locator("input[name=amount]").fill("180")
        await expect(dialog.locator(".beyond")).to_contain_text("Beyond the rules")
        await sent(page)
        await expect(dialog.locator(".reply")).to_contain_text("approve it: round 1 spot 1 main: -25.00 -> 180.00")
        proposed = await house.ear.event(RulingProposed, order=1)
        assert (proposed.net_cents, proposed.vouched) == (18_000, "own signature")
        await dialog.get_by_role("button", name="Close").click()
        await expect(page.locator(".proposals .proposed")).to_have_text("proposed")
        await expect(page.get_by_role("button", name="Approve")).to_have_count(0)
        await second_person(tmp_path, house, at, context)
        await expect(page.locator(".proposals .proposed")).to_have_count(0)
        assert len(house.ear.events(WagerAdjusted)) == 1
        await page.goto("about:blank")
    done = await ran("verify", "--operators", str(tmp_path / "operators.toml"), str(house.journal))
    assert "3 orders carry their operator's signature" in done[1], done


async def second_person(directory: Path, house: SigningPremises, at: str, context: BrowserContext) -> None:
    """Surveillance approves on the pit's page, in a browser of its own, and acknowledges the alert."""
    browser = context.browser
    assert browser is not None
    other = await browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme="dark")
    window = Window(await other.new_page())
    try:
        await window.page.goto(f"{at}/pit")
        await sign_in(window, holder(directory, "reyes", REYES))
        await expect(window.page.locator(".tile .need")).to_contain_text("alert")
        await window.page.get_by_role("button", name="Orders at harbour/bj-1").click()
        acting = window.page.locator("dialog.acting")
        await expect(acting.locator(".proposals li")).to_contain_text("main: −$25.00 → +$180.00")
        await window.picture("pit-proposed")
        assert await findings(window) == []
        await acting.get_by_role("button", name="Approve").click()
        await expect(window.page.locator("dialog.order .changes")).to_contain_text("−$25.00 → +$180.00")
        await sent(window.page)
        await expect(window.page.locator("dialog.order .reply.accepted")).to_be_visible()
        adjusted = await house.ear.event(WagerAdjusted, round=1)
        assert (adjusted.net_cents, adjusted.who) == (18_000, "M. Okafor, J. Reyes")
        await window.page.locator("dialog.order").get_by_role("button", name="Close").click()
        raised = await house.ear.event(AlertRaised)
        await expect(acting.locator(".proposals")).to_have_count(0)
        await acting.get_by_role("button", name="Acknowledge").last.click()
        await window.page.locator("dialog.order input[name=note]").fill("seen with the floor")
        await sent(window.page)
        await window.page.locator("dialog.order").get_by_role("button", name="Close").click()
        seen = await house.ear.event(AlertAcknowledged, alert=raised.alert)
        assert (seen.who, seen.note) == ("J. Reyes", "seen with the floor")
        await expect(acting.locator(".seen summary")).to_contain_text("J. Reyes")
        await acting.locator(".seen summary").click()
        await expect(acting.locator(".seen li")).to_contain_text("seen with the floor")
        await window.picture("alert-acknowledged")
        assert window.complaints == []
    finally:
        await other.close()


async def test_who_may_not_order_is_offered_nothing(broker: Broker, window: Window) -> None:
    async with staged(broker, dealt()), pages(broker, signers=SIGNERS) as at:
        await window.page.goto(f"{at}/table/{TABLE}")
        await sign_in(window, LEE)
        await expect(window.page.locator(".due.pays")).to_be_visible()
        await window.page.locator(".due.pays").click()
        await expect(window.page.locator("dialog.why")).to_be_visible()
        await expect(window.page.get_by_role("button", name="Rule what is due")).to_have_count(0)
        await expect(window.page.locator(".proposals")).to_have_count(0)


# --- a hostile browser ------------------------------------------------------------------------------


def visitor(who: Person) -> Visitor:
    return Visitor(sight_of(who.roles), who.name, who.roles, who.signer.public)


def order(by: Person, verb: str = "void", table: str = TABLE, **request: Any) -> bytes:
    """What a page sends: an order signed with somebody's key."""
    site, _, name = table.partition("/")
    wanted = {"round": 1, "who": by.name, "why": "foul deal", **request}
    return msgspec.json.encode(by.signer.sign(order_text(Identity(site, name, HERE.epoch), 1, verb, wanted)))


def test_an_order_is_brought_as_it_was_signed() -> None:
    sent = msgspec.json.decode(order(OKAFOR))
    brought = order_of(TABLE, "void", msgspec.json.encode(sent), visitor(OKAFOR))
    assert {name: getattr(brought, name) for name in sent} == sent


NOBODY: Final = Visitor(sight_of(()))
TORN: Final = msgspec.json.encode({**msgspec.json.decode(order(OKAFOR)), "signature": "00" * 64})


@pytest.mark.parametrize(
    ("sent", "verb", "by", "message"),
    [
        (order(OKAFOR), "void", NOBODY, "sign in before you order"),
        (order(ITO), "void", visitor(ITO), "void is for floor; you are technician"),
        (order(OKAFOR), "void", visitor(REYES), "void is for floor"),
        (order(REYES), "void", visitor(OKAFOR), "you are signed in as M. Okafor"),
        (order(OKAFOR, who="J. Reyes"), "void", visitor(OKAFOR), "in that name"),
        (order(OKAFOR, table="harbour/bj-2"), "void", visitor(OKAFOR), "signed for harbour/bj-2"),
        (order(OKAFOR, "adjust"), "void", visitor(OKAFOR), "signed for harbour/bj-1 and 'adjust'"),
        (TORN, "void", visitor(OKAFOR), "the signature does not hold"),
        (order(OKAFOR), "replay", visitor(OKAFOR), "unknown command"),
        (order(OKAFOR), "status", visitor(OKAFOR), "unknown command"),
        (b'{"round": 1, "who": "M. Okafor", "why": "x"}', "void", visitor(OKAFOR), "expected a signed order"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_what_the_relay_brings_to_no_table(sent: bytes, verb: str, by: Visitor, message: str) -> None:
    with pytest.raises(CommandRefused, match=message):
        order_of(TABLE, verb, sent, by)


async def test_a_table_that_does_not_reply_is_reported() -> None:
    async def silent(topics: Topics, verb: str, body: Mapping[str, Any]) -> Reply:
        raise NoReply("no reply from harbour/bj-1")

    with pytest.raises(OrderNotBrought, match="no reply"):
        await OrderRelay(silent).bring(TABLE, "void", order(OKAFOR), visitor(OKAFOR))


async def test_so_many_orders_wait_at_once() -> None:
    waiting: list[str] = []
    relay: OrderRelay

    crowd = [person(f"F. Loor {number}", "floor") for number in range(ORDERS_AT_ONCE + 1)]

    async def nested(topics: Topics, verb: str, body: Mapping[str, Any]) -> Reply:
        waiting.append(verb)
        another = crowd[len(waiting)]
        return await relay.bring(TABLE, "void", order(another), visitor(another))

    relay = OrderRelay(nested)
    with pytest.raises(OrderNotBrought, match="8 orders wait"):
        await relay.bring(TABLE, "void", order(crowd[0]), visitor(crowd[0]))
    assert len(waiting) == ORDERS_AT_ONCE


async def test_who_waits_for_a_table_that_does_not_reply_keeps_nobody_else_from_ordering() -> None:
    waiting: list[str] = []
    lee = person("K. Lee", "floor")
    relay: OrderRelay

    async def nested(topics: Topics, verb: str, body: Mapping[str, Any]) -> Reply:
        waiting.append(verb)
        if len(waiting) > ORDERS_EACH:
            return Reply("accepted", "")
        with contextlib.suppress(OrderNotBrought):
            return await relay.bring(TABLE, "void", order(OKAFOR), visitor(OKAFOR))
        return await relay.bring(TABLE, "void", order(lee), visitor(lee))

    relay = OrderRelay(nested)
    assert (await relay.bring(TABLE, "void", order(OKAFOR), visitor(OKAFOR))).status == "accepted"
    assert len(waiting) == ORDERS_EACH + 1


async def heard(client: ClientSession, at: str) -> None:
    """Wait until the server has heard the table."""
    async with client.post(f"{at}/api/ticket", headers={"Origin": at}) as answer:
        ticket = (await answer.json())["ticket"]
    async with client.ws_connect(f"{at}/api/live?ticket={ticket}&table={TABLE}", headers={"Origin": at}) as stream:
        while '"round"' not in await stream.receive_str():
            pass


async def test_another_sites_page_and_a_session_that_is_none_order_nothing(broker: Broker) -> None:
    signers: Mapping[str, ChannelUser] = SIGNERS
    async with staged(broker, dealt()), pages(broker, signers=signers) as at, ClientSession() as client:
        cookie, path = {COOKIE: await entered(client, at, OKAFOR)}, f"{at}/api/order/{TABLE}/void"
        await heard(client, at)
        for origin in ({}, {"Origin": "https://evil.example"}, {"Origin": "null"}):
            async with client.post(path, headers=origin, cookies=cookie, data=order(OKAFOR)) as answer:
                assert answer.status == 403
        async with ClientSession() as stranger:
            for stolen in ({}, {COOKIE: "guessed"}):
                async with stranger.post(path, headers={"Origin": at}, cookies=stolen, data=order(OKAFOR)) as answer:
                    assert (answer.status, "sign in" in await answer.text()) == (403, True)
        unknown = f"{at}/api/order/harbour/bj-9/void"
        async with client.post(unknown, headers={"Origin": at}, cookies=cookie, data=order(OKAFOR)) as answer:
            assert answer.status == 404


async def test_a_signature_is_good_once_whoever_brings_it(tmp_path: Path, broker: Broker) -> None:
    async with after_a_round(tmp_path, broker) as (house, at), ClientSession() as client:
        okafor = holder(tmp_path, "okafor", OKAFOR)
        cookie, path = {COOKIE: await entered(client, at, okafor)}, f"{at}/api/order/{TABLE}/void"
        with JournalReader(house.journal) as reader:
            here = reader.identity
        wanted = {"round": 1, "who": okafor.name, "why": "foul deal"}
        text = order_text(here, number_at(SystemClock().wall_ns()), "void", wanted)
        other = order_text(Identity(here.site, here.table, here.epoch + 1), text.number + 1, "void", wanted)
        await heard(client, at)
        replies = []
        for one in (text, text, other):
            body = msgspec.json.encode(okafor.signer.sign(one))
            async with client.post(path, headers={"Origin": at}, cookies=cookie, data=body) as answer:
                replies.append((await answer.json())["text"])
        assert replies[0] == "order 1 waits for another person to approve it: void round 1"
        assert "was given before" in replies[1]
        assert "the order was signed for harbour/bj-1 in epoch" in replies[2]
