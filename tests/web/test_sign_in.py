"""Signing in: with one's own key, which stays in the browser; who has no role sees what is seen at the table."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from aiohttp import ClientSession, ClientWebSocketResponse, TCPConnector, WSMsgType, WSServerHandshakeError
from playwright.async_api import expect

from controller.formats.mqtt.envelope import status_bytes
from controller.formats.mqtt.retained_alerts import AlertsNow
from controller.formats.orders.operators import ChannelUser
from controller.io.mqtt.connection import Broker
from controller.io.system.clock import SystemClock
from controller.web.admission import SOCKETS_LIMIT
from controller.web.sign_in import COOKIE, SESSION_SECONDS, SESSIONS_EACH, SESSIONS_LIMIT, WHAT, SignIn, SignInRefused
from controller.web.visibility import EVERYTHING, SECTIONS
from tests.web.conftest import Window
from tests.web.floor import alerted
from tests.web.operators import (
    ITO,
    LEE,
    OKAFOR,
    REYES,
    SIGNERS,
    STRANGER,
    Person,
    choose_key,
    person,
    sign_in,
    sign_out,
)
from tests.web.stage import Stage, pages, staged
from tests.web.test_accessibility import findings
from tests.web.test_table_page import dealt

HERE: Final = "/table/harbour/bj-1"
ORIGIN: Final = "https://pit.property.example"
PINCHED: Final = "spot 3 main: 50.00 became 25.00"
FULL: Final = "the journal's disk fills: 812 MB are free"


@contextlib.asynccontextmanager
async def watched(broker: Broker) -> AsyncIterator[tuple[Stage, str]]:
    """A table with an alert and a disk that fills, and pages for which one signs in."""
    async with staged(broker, dealt()) as stage, pages(broker, signers=SIGNERS) as at:
        alerts = AlertsNow(812, 1, alerted(PINCHED).alerts)
        await stage.retain(stage.topics.state("alerts"), msgspec.json.encode(alerts))
        await stage.retain(stage.topics.status, status_bytes("online", 1, SystemClock().wall_ns(), (FULL,)))
        yield stage, at


async def test_who_has_no_role_sees_what_is_seen_at_the_table(broker: Broker, window: Window) -> None:
    async with watched(broker) as (_, at):
        await window.page.goto(at + HERE)
        await expect(window.page.locator(".felt")).to_be_visible()
        await expect(window.page.get_by_text("Sign in for questions")).to_be_visible()
        await expect(window.page.locator(".alerts, .advice, .question, .due, .log li")).to_have_count(0)
        frames = "".join(window.frames)
        for hidden in (PINCHED, FULL, '"advice"', '"needs"', '"stream"', '"log"', '"evidence"'):
            assert hidden not in frames, hidden
        assert await findings(window) == []
        await window.picture("table-public")
        for closed in ("/pit", "/technician/harbour/bj-1"):
            await window.page.goto(at + closed)
            await expect(window.page.get_by_text(": sign in.")).to_be_visible()
            assert await findings(window) == []
        assert PINCHED not in "".join(window.frames)
        assert await window.page.locator(".tile").count() == 0


async def test_one_signs_in_with_a_key_that_stays_in_the_browser(broker: Broker, window: Window) -> None:
    sent: list[str] = []
    window.page.on("request", lambda asked: sent.append(f"{asked.url} {asked.post_data} {asked.headers}"))
    async with watched(broker) as (_, at):
        await window.page.goto(at + HERE)
        await sign_in(window, OKAFOR)
        await expect(window.page.locator(".who")).to_contain_text("floor")
        await expect(window.page.locator(".alerts")).to_contain_text(PINCHED)
        (cookie,) = await window.page.context.cookies()
        assert (cookie["name"], cookie["httpOnly"], cookie["sameSite"]) == (COOKIE, True, "Strict")
        assert await window.page.evaluate("document.cookie") == ""
        assert any("/api/sign-in" in one for one in sent)
        assert all(OKAFOR.secret.decode() not in one for one in sent)
        assert await window.page.evaluate(EXPORTED) == "InvalidAccessError"
        assert await findings(window) == []
        await sign_out(window)
        await expect(window.page.locator(".felt")).to_be_visible()
        await expect(window.page.locator(".alerts")).to_have_count(0)
        assert await window.page.evaluate(KEPT) is None


KEPT: Final = """() => new Promise((resolve) => {
    const opening = indexedDB.open("tableside", 1);
    opening.onsuccess = () => {
        const asked = opening.result.transaction("keys").objectStore("keys").get("own");
        asked.onsuccess = () => resolve(asked.result?.key ?? null);
    };
})"""
EXPORTED: Final = f"""async () => {{
    const key = await ({KEPT})();
    return crypto.subtle.exportKey("pkcs8", key).then(() => "read", (error) => error.name);
}}"""


async def test_a_key_of_no_operator_and_a_file_that_is_none_are_refused(broker: Broker, window: Window) -> None:
    async with watched(broker) as (_, at):
        await window.page.goto(at + HERE)
        await choose_key(window, STRANGER._replace(secret=b"not a key"))
        await expect(window.page.locator(".who .refused")).to_contain_text("tableside keys curve")
        await window.page.locator(".who input[type=file]").set_input_files(STRANGER.file())
        await expect(window.page.locator(".who .refused")).to_contain_text("of no operator")
        assert await window.page.context.cookies() == []
        # The browser itself complains of the refusal.
        assert [one for one in window.complaints if "403" not in one] == []
        window.complaints.clear()


@pytest.mark.parametrize("who", [LEE, ITO, OKAFOR, REYES], ids=lambda who: min(who.roles))
async def test_each_role_is_sent_its_sections_and_no_other(who: Person, broker: Broker, window: Window) -> None:
    async with watched(broker) as (_, at):
        await window.page.goto(at + HERE)
        await sign_in(window, who)
        window.frames.clear()
        await window.page.reload()
        await expect(window.page.locator(".due.pays")).to_be_visible()
        (first, *_) = [one for one in window.frames if '"felt"' in one]
        shown = msgspec.json.decode(first)["tables"]["harbour/bj-1"]
        hidden = EVERYTHING - SECTIONS[min(who.roles)]
        assert not set(shown) & hidden
        assert (PINCHED in "".join(window.frames)) == ("alerts" not in hidden)


# --- a hostile browser ------------------------------------------------------------------------------


def entering(who: Person, challenge: str, server: str = ORIGIN, what: str = WHAT) -> bytes:
    """What a page sends to sign in."""
    text = msgspec.json.encode({"what": what, "server": server, "challenge": challenge})
    return msgspec.json.encode(who.signer.sign(msgspec.Raw(text)))  # type: ignore[arg-type]


def known(now: float = 100.0) -> SignIn:
    return SignIn(SIGNERS, lambda: now)


def test_a_challenge_is_signed_once() -> None:
    door = known()
    sent = entering(OKAFOR, door.challenge())
    secret, visitor = door.enter(sent, ORIGIN)
    assert (door.visitor(secret).name, visitor.roles) == ("M. Okafor", OKAFOR.roles)
    with pytest.raises(SignInRefused, match="unused"):
        door.enter(sent, ORIGIN)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"server": "https://other.example"}, "expected tableside.sign_in.v1 for https://pit"),
        ({"what": "tableside.order.v1"}, "expected tableside.sign_in.v1"),
        ({"challenge": "guessed"}, "unused"),
        ({"who": STRANGER}, "of no operator"),
    ],
    ids=["another server's", "an order", "a guess", "a stranger"],
)
def test_what_was_signed_for_something_else_lets_nobody_in(changed: Mapping[str, Any], message: str) -> None:
    door = known()
    with pytest.raises(SignInRefused, match=message):
        door.enter(entering(**{"who": OKAFOR, "challenge": door.challenge(), **changed}), ORIGIN)


def test_a_signature_of_another_text_lets_nobody_in() -> None:
    door = known()
    sent = msgspec.json.decode(entering(OKAFOR, door.challenge()))
    other = msgspec.json.decode(entering(OKAFOR, door.challenge()))
    with pytest.raises(SignInRefused, match="of no operator"):
        door.enter(msgspec.json.encode({**sent, "text": other["text"]}), ORIGIN)


@pytest.mark.parametrize("more", [{"roles": ["floor"]}, {"name": "M. Okafor"}])
def test_nobody_names_their_own_role(more: Mapping[str, Any]) -> None:
    door = known()
    sent = msgspec.json.decode(entering(LEE, door.challenge()))
    with pytest.raises(SignInRefused, match="unknown field"):
        door.enter(msgspec.json.encode({**sent, **more}), ORIGIN)
    _, visitor = door.enter(entering(LEE, door.challenge()), ORIGIN)
    assert (visitor.verbs(), visitor.sight.sections) == (["answer", "new-shoe"], SECTIONS["dealer"])


def test_nobody_signs_anybody_else_out_by_signing_in_again_and_again() -> None:
    door = SignIn(SIGNERS, lambda: 100.0)
    other, _ = door.enter(entering(OKAFOR, door.challenge()), ORIGIN)
    own = [door.enter(entering(REYES, door.challenge()), ORIGIN)[0] for _ in range(2 * SESSIONS_LIMIT)]
    assert door.visitor(other).name == "M. Okafor"
    assert [bool(door.visitor(one).name) for one in own[-SESSIONS_EACH - 1 :]] == [False] + SESSIONS_EACH * [True]


def test_of_very_many_people_the_first_to_sign_in_is_forgotten() -> None:
    crowd = [person(f"F. Loor {number}", "floor") for number in range(SESSIONS_LIMIT + 1)]
    door = SignIn({one.signer.public: ChannelUser(one.roles, one.name) for one in crowd}, lambda: 100.0)
    entered = [door.enter(entering(one, door.challenge()), ORIGIN)[0] for one in crowd]
    assert [bool(door.visitor(one).name) for one in (entered[0], entered[1], entered[-1])] == [False, True, True]


def test_a_session_ends() -> None:
    now = 100.0
    door = SignIn(SIGNERS, lambda: now)
    first, _ = door.enter(entering(OKAFOR, door.challenge()), ORIGIN)
    for _ in range(SESSIONS_LIMIT):
        last, _ = door.enter(entering(REYES, door.challenge()), ORIGIN)
    assert (door.visitor(first).name, door.visitor(last).name) == ("M. Okafor", "J. Reyes")
    now += SESSION_SECONDS
    assert (door.visitor(last).name, door.visitor("").sight.is_public) == ("", True)


async def entered(client: ClientSession, at: str, who: Person) -> str:
    """The cookie of somebody who signed in."""
    own = {"Origin": at}
    async with client.post(f"{at}/api/challenge", headers=own) as answer:
        challenge = (await answer.json())["challenge"]
    async with client.post(f"{at}/api/sign-in", headers=own, data=entering(who, challenge, at)) as answer:
        assert answer.status == 200, await answer.text()
        set_cookie = answer.headers["Set-Cookie"]
        assert "HttpOnly" in set_cookie
        assert "SameSite=Strict" in set_cookie
        return answer.cookies[COOKIE].value


async def test_another_sites_page_signs_nobody_in_or_out(broker: Broker) -> None:
    async with pages(broker, signers=SIGNERS) as at, ClientSession() as client:
        cookie = {COOKIE: await entered(client, at, OKAFOR)}
        for path in ("/api/challenge", "/api/sign-in", "/api/sign-out", "/api/ticket"):
            for origin in ({}, {"Origin": "https://evil.example"}, {"Origin": "null"}):
                async with client.post(at + path, headers=origin, cookies=cookie) as answer:
                    assert answer.status == 403, path
        async with client.get(f"{at}/api/session", cookies=cookie) as answer:
            assert (await answer.json())["name"] == "M. Okafor"


async def test_journals_are_for_those_who_may(broker: Broker, tmp_path: Path) -> None:
    async with pages(broker, tmp_path / "none.sqlite", signers=SIGNERS) as at, ClientSession() as client:
        for who, status in ((None, 403), (LEE, 403), (ITO, 403), (REYES, 200)):
            cookie = {} if who is None else {COOKIE: await entered(client, at, who)}
            async with client.get(f"{at}/api/journals", cookies=cookie) as answer:
                assert answer.status == status


async def test_where_anonymous_pages_take_every_place_an_operators_takes_the_oldest_of_them(
    broker: Broker,
) -> None:
    async with (
        pages(broker, signers=SIGNERS) as at,
        ClientSession(connector=TCPConnector(limit=0)) as client,
        contextlib.AsyncExitStack() as open_pages,
    ):

        async def opened(cookie: dict[str, str]) -> ClientWebSocketResponse:
            async with client.post(f"{at}/api/ticket", headers={"Origin": at}, cookies=cookie) as answer:
                ticket = (await answer.json())["ticket"]
            where = f"{at}/api/live?ticket={ticket}&table=*"
            return await open_pages.enter_async_context(client.ws_connect(where, headers={"Origin": at}))

        anonymous = [await opened({}) for _ in range(SOCKETS_LIMIT)]
        with pytest.raises(WSServerHandshakeError, match="503"):
            await opened({})
        operators = await opened({COOKIE: await entered(client, at, OKAFOR)})
        assert await operators.receive_str()
        while not (await anonymous[0].receive()).type.name.startswith("CLOS"):
            pass
        assert anonymous[0].close_code == 1013
        assert await anonymous[1].receive_str()


async def test_a_stream_ends_with_its_session_and_a_token_is_its_holders(broker: Broker) -> None:
    async with pages(broker, signers=SIGNERS) as at, ClientSession() as client:
        own, cookie = {"Origin": at}, {COOKIE: await entered(client, at, OKAFOR)}
        async with client.post(f"{at}/api/ticket", headers=own, cookies=cookie) as answer:
            ticket = (await answer.json())["ticket"]
        async with client.ws_connect(f"{at}/api/live?ticket={ticket}&table=*", headers=own) as stream:
            await stream.receive_str()
            async with client.post(f"{at}/api/sign-out", headers=own, cookies=cookie) as answer:
                assert answer.status == 200
            while (message := await stream.receive()).type is WSMsgType.TEXT:
                pass
            assert stream.close_code == 4401, message
        with pytest.raises(WSServerHandshakeError):
            await client.ws_connect(f"{at}/api/live?ticket={ticket}&table=*", headers=own)
