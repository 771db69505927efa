"""Who is let in at the door: a page of ours, under a name of ours, in numbers that this program can bear.

A browser that is led here by another site's page says so (``Origin``), and one that is given another name for this
address says that (``Host``): both are refused. A WebSocket needs a token that only a page of ours can have fetched,
once.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Callable, Iterable
from typing import Final

from aiohttp import web

CONNECTIONS_LIMIT: Final = 400
"""Connections at once, pages and requests: a floor of 300 tables with a page each, and what they fetch."""

SOCKETS_LIMIT: Final = 200
"""Pages that are sent pictures at once."""

TICKETS_LIMIT: Final = 1000
"""Tokens that are out at once; the oldest is forgotten for another."""

TICKET_SECONDS: Final = 10.0
"""How long a token is good."""

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")

USUAL_PORTS: Final = (80, 443)
"""A browser names none of these."""

PORT: Final = re.compile(r":[0-9]{1,5}\Z")


class HostNames:
    """The names under which browsers may call: ``HOST`` or ``HOST:PORT`` as they stand in an address bar."""

    def __init__(self, names: Iterable[str], port: int) -> None:
        self._names = tuple(name.lower() for name in names)
        self._hosts: frozenset[str] = frozenset()
        self.serve_at(port)

    def serve_at(self, port: int) -> None:
        """Those of this machine have this port; a name that was given without one may have any, as behind a proxy."""
        mine = {f"{name}:{port}" for name in LOOPBACK} | (set(LOOPBACK) if port in USUAL_PORTS else set())
        self._hosts = frozenset(mine | set(self._names))

    def is_ours(self, host: str) -> bool:
        """Whether a request's ``Host`` is a name of ours."""
        bare = host.rpartition(":")[0] if PORT.search(host) else host
        return host.lower() in self._hosts or bare.lower() in self._names

    def is_our_page(self, origin: str | None) -> bool:
        """Whether an ``Origin`` is a page of ours; none at all is nobody's."""
        scheme, slashes, host = (origin or "").partition("://")
        return bool(slashes) and scheme in ("http", "https") and self.is_ours(host)


class Tickets:
    """Tokens, each good once and for a short while. ``now`` is monotonic seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._out: dict[str, tuple[float, str]] = {}

    def issue(self, holder: str) -> str:
        """A new token for ``holder``, whoever that is."""
        ticket = secrets.token_urlsafe(24)
        self._out[ticket] = (self._now() + TICKET_SECONDS, holder)
        while len(self._out) > TICKETS_LIMIT:
            del self._out[next(iter(self._out))]
        return ticket

    def redeem(self, ticket: str) -> str | None:
        """Who holds this token, which is then gone; None: it is none, or no longer."""
        until, holder = self._out.pop(ticket, (0.0, ""))
        return holder if until > self._now() else None


class _Refused(asyncio.Protocol):
    """A connection too many: it is cut off without a word."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.Transport):
            transport.abort()


class Door:
    """Lets a limited number of connections in, and cuts off the rest."""

    def __init__(self, server: web.Server, limit: int = CONNECTIONS_LIMIT) -> None:
        self._server = server
        self._limit = limit
        self.refused = 0
        """How many were cut off."""

    def __call__(self) -> asyncio.Protocol:
        """The protocol of a connection that has just come."""
        if len(self._server.connections) >= self._limit:
            self.refused += 1
            return _Refused()
        return self._server()
