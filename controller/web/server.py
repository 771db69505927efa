"""The HTTP server: the pages, a token for whoever has one open, and the stream of pictures over a WebSocket.

Nothing here waits for a reader: a page that does not take what it is sent is hung up on, and may come again.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import structlog
from aiohttp import WSCloseCode, WSMsgType, web

from controller.formats.journal.records import Identity
from controller.formats.orders.requests import CommandRefused
from controller.formats.text.printable import directions_shown, printable
from controller.io.system.rate_limits import NANOSECONDS, Allowance
from controller.reports.playback.round_course import RoundCourse, course_lines
from controller.web.accounts import AccountRefused, Accounts, ShiftChoice
from controller.web.admission import SOCKETS_LIMIT, Door, HostNames, Tickets
from controller.web.floor_view import EVERY_TABLE, FloorView, PageReader
from controller.web.journals import JournalRefused, Journals
from controller.web.languages import language_files
from controller.web.order_relay import OrderNotBrought, OrderRelay
from controller.web.page_files import PageFile, page_files
from controller.web.request_log import NOT_OURS, RequestLog, reason_of
from controller.web.sign_in import COOKIE, SignIn, SignInRefused, Visitor
from controller.web.table_file_check import checked, checks_table_files
from controller.web.whole_floor import FloorRefused, FloorUnread, WholeFloor

GATHER_SECONDS: Final = 0.008
"""What comes together goes out together: a card brings an event and three pictures within some milliseconds."""

MESSAGES_PER_SECOND: Final = 10
"""To one page, over a while."""

MESSAGES_AT_ONCE: Final = 4
"""One after the other without a pause, before that: a deal's cards are seen as they fall."""

SIGN_SECONDS: Final = 5.0
"""A page hears from us at least so often, so that it knows when it does not."""

PATIENCE_SECONDS: Final = 5.0
"""How long a page may take to accept a message before it is hung up on."""

IDLE_SECONDS: Final = 15.0
"""A connection that asks nothing is closed after so long."""

BODY_SECONDS: Final = 5.0
"""How long what is sent with a request may take to come: at most ``REQUEST_LIMIT_BYTES``."""

REQUEST_LIMIT_BYTES: Final = 64 * 1024

SESSION_OVER: Final = 4401
"""The code with which a page's stream is closed whose session is over."""

OF_JOURNALS: Final = ("/api/journals", "/api/shift")
"""What answers out of journals, or of the database in which all of them are collected."""

UNREAD: Final = "the collected database cannot be read now; the log of tableside web says why"
"""For pages: what a database says of itself is for those who run it."""

HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=(), serial=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
"""Said with every answer: no script but ours, nothing from elsewhere, in nobody's frame."""

log = structlog.get_logger(__name__)


class ServerParts(NamedTuple):
    """What the answers are made of."""

    floor: FloorView
    names: HostNames
    tickets: Tickets
    files: dict[str, PageFile]
    sockets: dict[web.WebSocketResponse, bool]
    """The pages that are sent pictures, in the order in which they came, and whether an operator opened them."""
    journals: Journals
    accounts: Accounts
    sign_in: SignIn
    orders: OrderRelay
    body_seconds: float
    whole_floor: WholeFloor


PARTS: Final = web.AppKey("parts", ServerParts)


class ServerAddress(NamedTuple):
    """Where the pages are served, under which names besides those of this machine, and by which certificate."""

    host: str
    port: int
    names: tuple[str, ...] = ()
    tls: ssl.SSLContext | None = None


Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@web.middleware
async def admitted(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse what no page of ours can have asked."""
    names = request.app[PARTS].names
    if not names.is_ours(request.host):
        raise web.HTTPMisdirectedRequest(text="expected a name of this server in Host; see: tableside web --name\n")
    is_change = request.method not in ("GET", "HEAD") or request.path.startswith("/api/live")
    if is_change and not names.is_our_page(request.headers.get("Origin")):
        raise web.HTTPForbidden(text="expected a page of this server in Origin\n")
    if request.path.startswith(OF_JOURNALS) and not visitor_of(request).sight.journals:
        raise web.HTTPForbidden(text="rounds and accounts are for floor, surveillance and auditor: sign in\n")
    return await handler(request)


def visitor_of(request: web.Request) -> Visitor:
    """Who asks, by the session's cookie."""
    return request.app[PARTS].sign_in.visitor(request.cookies.get(COOKIE, ""))


async def say_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Put the headers of every answer on this one."""
    del request
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers.pop("Server", None)


async def page(request: web.Request) -> web.Response:
    """The one page, which shows what its address names."""
    return answer(request, request.app[PARTS].files["index.html"])


async def asset(request: web.Request) -> web.Response:
    """A file of the front end."""
    found = request.app[PARTS].files.get(request.match_info["path"])
    if found is None:
        raise web.HTTPNotFound(text="no such file\n")
    return answer(request, found)


def answer(request: web.Request, file: PageFile) -> web.Response:
    """A file, or that the browser has it already."""
    tag = f'"{file.tag}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if request.headers.get("If-None-Match") == tag:
        return web.Response(status=304, headers=headers)
    return web.Response(body=file.content, content_type=file.content_type, charset="utf-8", headers=headers)


async def ticket(request: web.Request) -> web.Response:
    """A token with which the page that asked may open one WebSocket."""
    return web.json_response({"ticket": request.app[PARTS].tickets.issue(request.cookies.get(COOKIE, ""))})


async def session(request: web.Request) -> web.Response:
    """Who is signed in, what this person may order, and whether there are journals and a whole floor to look at."""
    parts, visitor = request.app[PARTS], visitor_of(request)
    known = {"name": visitor.name, "roles": sorted(visitor.roles), "verbs": visitor.verbs()}
    collected = parts.whole_floor.is_collected and visitor.sight.journals
    journals = parts.journals.are_named and visitor.sight.journals
    return data({"wanted": parts.sign_in.is_wanted, **known, "collected": collected, "journals": journals})


async def challenge(request: web.Request) -> web.Response:
    """Something to sign."""
    return data({"challenge": request.app[PARTS].sign_in.challenge()})


async def body(request: web.Request) -> bytes:
    """What was sent with a request; who announces it and does not send it holds a connection no longer than others.

    Raises:
        web.HTTPException: it did not come in time, is too large, is not encoded as announced, or the caller is gone.
    """
    try:
        async with asyncio.timeout(request.app[PARTS].body_seconds):
            return await request.read()
    except TimeoutError as error:
        raise web.HTTPRequestTimeout(text="what was announced with the request did not come\n") from error
    except ConnectionError as error:
        raise web.HTTPBadRequest(text="gone before the request was whole\n") from error
    except NOT_OURS as error:
        # The library's line in the log comes as it looks for the rest of the body behind the answer.
        said = f"what came with the request is not as its head says: {reason_of(error)}\n"
        raise web.HTTPBadRequest(text=said) from error


async def entered(request: web.Request) -> web.Response:
    """Sign somebody in: a new session, and its cookie, which no script can read and no other site's page sends."""
    parts, origin = request.app[PARTS], request.headers["Origin"]
    try:
        secret, visitor = parts.sign_in.enter(await body(request), origin)
    except SignInRefused as error:
        raise web.HTTPForbidden(text=f"{error}\n") from error
    parts.sign_in.leave(request.cookies.get(COOKIE, ""))
    log.info("signed in", who=visitor.name, roles=sorted(visitor.roles))
    response = data({"name": visitor.name})
    is_tls = origin.startswith("https:")
    response.set_cookie(COOKIE, secret, httponly=True, samesite="Strict", secure=is_tls, path="/")
    return response


async def left(request: web.Request) -> web.Response:
    """End a session; its pages are shown what the public sees from now on."""
    parts = request.app[PARTS]
    parts.sign_in.leave(request.cookies.get(COOKIE, ""))
    parts.floor.wake()
    response = data({})
    response.del_cookie(COOKIE, path="/")
    return response


async def ordered(request: web.Request) -> web.Response:
    """The table's reply to an order that was signed in the page."""
    parts, named = request.app[PARTS], request.match_info
    table, verb = f"{named['site']}/{named['table']}", named["verb"]
    if table not in parts.floor.tables:
        raise web.HTTPNotFound(text=f"no table {table} has been heard\n")
    visitor = visitor_of(request)
    try:
        reply = await parts.orders.bring(table, verb, await body(request), visitor)
    except CommandRefused as error:
        raise web.HTTPForbidden(text=f"{error}\n") from error
    except OrderNotBrought as error:
        raise web.HTTPServiceUnavailable(text=f"{error}\n") from error
    log.info("order brought", table=table, verb=verb, who=visitor.name, status=reply.status)
    return data({"status": reply.status, "text": reply.text})


async def table_file_checked(request: web.Request) -> web.Response:
    """What is wrong with a table file, line by line."""
    if not checks_table_files(visitor_of(request)):
        raise web.HTTPForbidden(text="table files are for technician, floor, surveillance and auditor: sign in\n")
    text = await body(request)
    return data(await asyncio.to_thread(checked, text))


async def live(request: web.Request) -> web.StreamResponse:
    """The stream: what is known at once, then what changes."""
    parts = request.app[PARTS]
    holder = parts.tickets.redeem(request.query.get("ticket", ""))
    if holder is None:
        raise web.HTTPForbidden(text="expected a token of /api/ticket, unused and not older than ten seconds\n")
    is_operators = bool(parts.sign_in.visitor(holder).name)
    if len(parts.sockets) >= SOCKETS_LIMIT and not (is_operators and await displaced(parts.sockets)):
        raise web.HTTPServiceUnavailable(text=f"{SOCKETS_LIMIT} pages are open already\n")
    socket = web.WebSocketResponse(timeout=1.0, heartbeat=20.0, compress=False, max_msg_size=1024, writer_limit=65536)
    await socket.prepare(request)
    parts.sockets[socket] = is_operators
    try:
        async with asyncio.TaskGroup() as group:
            sending = group.create_task(stream(socket, parts, holder, request))
            async for message in socket:
                # A page says nothing here.
                if message.type is not WSMsgType.ERROR:
                    break
            sending.cancel()
    finally:
        parts.sockets.pop(socket, None)
    return socket


async def displaced(sockets: dict[web.WebSocketResponse, bool]) -> bool:
    """Hang up the oldest page that no operator opened, for an operator's; False: there is no such page."""
    socket = next((socket for socket, is_operators in sockets.items() if not is_operators), None)
    if socket is None:
        return False
    del sockets[socket]
    with contextlib.suppress(ConnectionError):
        await socket.close(code=WSCloseCode.TRY_AGAIN_LATER, message=b"an operator needs the place")
    return True


async def stream(socket: web.WebSocketResponse, parts: ServerParts, holder: str, request: web.Request) -> None:
    """Send a page what is new, not oftener than is said above, until it goes, is too slow, or its session is over.

    ``holder``: the secret of the session in which the page was opened.
    """
    floor, visitor = parts.floor, parts.sign_in.visitor(holder)
    wanted, news = request.query.get("table", EVERY_TABLE), asyncio.Event()
    reader = PageReader(floor, wanted, visitor.sight)
    allowance, loop = Allowance(MESSAGES_PER_SECOND, MESSAGES_AT_ONCE), asyncio.get_running_loop()

    def now_ns() -> int:
        return int(loop.time() * NANOSECONDS)

    floor.wait(news, wanted)
    try:
        message: bytes | None = reader.news() or reader.message({})
        while parts.sign_in.visitor(holder) == visitor:
            if message is not None:
                allowance.take(now_ns())
                if not await sent(socket, message, request):
                    return
            try:
                async with asyncio.timeout(SIGN_SECONDS):
                    await news.wait()
                await asyncio.sleep(max(GATHER_SECONDS, allowance.wait_ns(now_ns()) / NANOSECONDS))
                news.clear()
                message = reader.news()
            except TimeoutError:
                message = reader.message({})
        await socket.close(code=SESSION_OVER)
    finally:
        floor.leave(news)


async def sent(socket: web.WebSocketResponse, message: bytes, request: web.Request) -> bool:
    """Send a page this; False: it does not take it, and was hung up on."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await socket.send_str(message.decode())
    except (TimeoutError, ConnectionError):
        # Closing would wait for the reader once more.
        if request.transport is not None:
            request.transport.abort()
        return False
    return True


async def journals_listed(request: web.Request) -> web.Response:
    """The journals that may be looked into."""
    return data(await request.app[PARTS].journals.listed())


async def rounds_found(request: web.Request) -> web.Response:
    """The rounds of a journal that fit what is looked for."""
    return await looked_up(request, lambda journals, of: journals.found(of, request.query))


async def round_course(request: web.Request) -> web.Response:
    """A round, moment by moment."""
    show = text_of if request.query.get("as") == "text" else data
    return await looked_up(request, lambda journals, of: journals.course(of, int(request.match_info["round"])), show)


async def round_plays(request: web.Request) -> web.Response:
    """How many legal plays explained a round, reading by reading."""
    return await looked_up(request, lambda journals, of: journals.plays(of, int(request.match_info["round"])))


async def round_trust(request: web.Request) -> web.Response:
    """Why a round may be believed."""
    return await looked_up(request, lambda journals, of: journals.trust(of, int(request.match_info["round"])))


async def round_stepped(request: web.Request) -> web.Response:
    """Begin to step a round again; the answer of ``round_trust`` says how far it is."""
    return await looked_up(request, lambda journals, of: journals.step_again(of, int(request.match_info["round"])))


async def round_proof(request: web.Request) -> web.Response:
    """The proof of a round, as a file to keep."""
    name = f"round-{int(request.match_info['round'])}.zip"

    def show(found: object) -> web.Response:
        assert isinstance(found, bytes), found
        said = {"Content-Disposition": f'attachment; filename="{name}"'}
        return web.Response(body=found, content_type="application/zip", headers=said)

    return await looked_up(request, lambda journals, of: journals.proof(of, int(request.match_info["round"])), show)


async def shift_account(request: web.Request) -> web.Response:
    """The account of a table's day or shift, or in one line why there is none."""
    named, query = request.match_info, request.query
    asked = ShiftChoice(query.get("day", ""), query.get("shift", ""))
    try:
        return data(await request.app[PARTS].accounts.account(f"{named['site']}/{named['table']}", asked))
    except AccountRefused as error:
        raise web.HTTPNotFound(text=f"{error}\n") from error


async def floor_day(request: web.Request) -> web.Response:
    """A gaming day of the whole floor, or in one line why there is none."""
    try:
        return data(await request.app[PARTS].whole_floor.day(request.query.get("day", "")))
    except FloorRefused as error:
        raise web.HTTPNotFound(text=f"{error}\n") from error
    except FloorUnread as error:
        raise web.HTTPServiceUnavailable(text=f"{UNREAD}\n") from error


Ask = Callable[[Journals, Identity], Awaitable[object]]


async def looked_up(
    request: web.Request, ask: Ask, show: Callable[[object], web.Response] | None = None
) -> web.Response:
    """The answer of a journal, or in one line why there is none."""
    named = request.match_info
    try:
        found = await ask(request.app[PARTS].journals, Identity(named["site"], named["table"], int(named["epoch"])))
    except JournalRefused as error:
        raise web.HTTPNotFound(text=f"{error}\n") from error
    return (show or data)(found)


def text_of(course: object) -> web.Response:
    """A round as lines of text."""
    assert isinstance(course, RoundCourse), course
    return web.Response(
        text="".join(f"{printable(line)}\n" for line in course_lines(course)), content_type="text/plain"
    )


def data(value: object) -> web.Response:
    """A value as JSON."""
    return web.Response(body=directions_shown(msgspec.json.encode(value)), content_type="application/json")


def no_accounts() -> Accounts:
    """Of a program that was given no journal."""
    return Accounts((), lambda: 0.0)


def application(
    floor: FloorView,
    names: HostNames,
    tickets: Tickets,
    journals: Journals | None = None,
    accounts: Accounts | None = None,
    *,
    sign_in: SignIn | None = None,
    orders: OrderRelay | None = None,
    whole_floor: WholeFloor | None = None,
    texts: Path | None = None,
    body_seconds: float = BODY_SECONDS,
) -> web.Application:
    """Everything that is served; ``texts``: the folder with the pages' words in other languages.

    Raises:
        ConfigError: a file of words has mistakes.
    """
    app = web.Application(middlewares=[admitted], client_max_size=REQUEST_LIMIT_BYTES)
    looked_into = journals or Journals(()), accounts or no_accounts()
    known = sign_in or SignIn(None, lambda: 0.0)
    relay = orders or OrderRelay()
    served = {**page_files(), **language_files(texts)}
    collected = whole_floor or WholeFloor(None, lambda: 0.0)
    app[PARTS] = ServerParts(floor, names, tickets, served, {}, *looked_into, known, relay, body_seconds, collected)
    app.on_response_prepare.append(say_headers)
    app.on_cleanup.append(lambda app: app[PARTS].journals.close())
    app.router.add_get("/assets/{path:.+}", asset)
    app.router.add_post("/api/ticket", ticket)
    app.router.add_get("/api/live", live)
    app.router.add_get("/api/session", session)
    app.router.add_post("/api/challenge", challenge)
    app.router.add_post("/api/sign-in", entered)
    app.router.add_post("/api/sign-out", left)
    app.router.add_post("/api/order/{site:[a-z0-9-]{1,32}}/{table:[a-z0-9-]{1,32}}/{verb:[a-z-]{1,32}}", ordered)
    app.router.add_post("/api/table-file", table_file_checked)
    app.router.add_get("/api/journals", journals_listed)
    app.router.add_get("/api/shift", floor_day)
    app.router.add_get("/api/shift/{site:[a-z0-9-]{1,32}}/{table:[a-z0-9-]{1,32}}", shift_account)
    journal = r"/api/journals/{site:[a-z0-9-]{1,32}}/{table:[a-z0-9-]{1,32}}/{epoch:\d{1,18}}/rounds"
    app.router.add_get(journal, rounds_found)
    app.router.add_get(journal + r"/{round:\d{1,9}}", round_course)
    app.router.add_get(journal + r"/{round:\d{1,9}}/plays", round_plays)
    app.router.add_get(journal + r"/{round:\d{1,9}}/trust", round_trust)
    app.router.add_post(journal + r"/{round:\d{1,9}}/replay", round_stepped)
    app.router.add_get(journal + r"/{round:\d{1,9}}/proof", round_proof)
    for path in ("/", "/{kind:table|dealer|sign|round|technician|shift|pit}{rest:(/.*)?}"):
        app.router.add_get(path, page)
    return app


@contextlib.asynccontextmanager
async def serving(app: web.Application, address: ServerAddress) -> AsyncIterator[int]:
    """Serve an application; the port, which is the system's choice where ``address`` has 0.

    Raises:
        OSError: the address cannot be served.
    """
    runner = web.AppRunner(
        app, access_log=None, logger=RequestLog(), keepalive_timeout=IDLE_SECONDS, shutdown_timeout=1.0
    )
    await runner.setup()
    assert runner.server is not None, "it was set up"
    loop = asyncio.get_running_loop()
    door = Door(runner.server)
    try:
        server = await loop.create_server(door, address.host, address.port, ssl=address.tls, backlog=128)
        try:
            port: int = server.sockets[0].getsockname()[1]
            app[PARTS].names.serve_at(port)
            yield port
        finally:
            server.close()
            for socket in tuple(app[PARTS].sockets):
                with contextlib.suppress(ConnectionError):
                    await socket.close(code=1001, message=b"the server stops")
    finally:
        await runner.cleanup()
