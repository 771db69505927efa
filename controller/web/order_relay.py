"""Brings an order that an operator signed in the browser to its table, as it was signed, and the table's reply back.

The table decides by the signature, whoever brings it. What is refused here is refused sooner: an order of somebody who
is not signed in, in another person's name, for another table than it says, or beyond what the roles allow.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from typing import Any, Final

import msgspec

from controller.formats.mqtt.envelope import Topics
from controller.formats.orders.epoch_authorization import is_genuine
from controller.formats.orders.operators import no_right
from controller.formats.orders.requests import VERBS, CommandRefused, Reply
from controller.formats.orders.signed_orders import SignedRequest, read_signed
from controller.io.mqtt.connection import Broker
from controller.io.mqtt.request import NoReply, request
from controller.web.sign_in import Visitor

ORDERS_AT_ONCE: Final = 8
"""Orders that wait for their reply; people give a few a minute."""

ORDERS_EACH: Final = 2
"""Of one person: a table that does not reply keeps nobody else from ordering at another."""

Put = Callable[[Topics, str, dict[str, Any]], Awaitable[Reply]]
"""Puts a request to a table: its topics, the verb, the body with its transaction."""


class OrderNotBrought(Exception):  # noqa: N818 - named for what happened
    """The order did not come to the table, or no reply came back; the text says why."""


def over(broker: Broker) -> Put:
    """Orders go over this broker."""

    async def put(topics: Topics, verb: str, body: dict[str, Any]) -> Reply:
        return await request(broker, topics, verb, body)

    return put


async def unheard(topics: Topics, verb: str, body: dict[str, Any]) -> Reply:
    """Where there is no broker, nobody hears an order."""
    del verb, body
    raise NoReply(f"{topics.site}/{topics.table}: no broker to bring an order to")


class OrderRelay:
    """Brings orders to their tables."""

    def __init__(self, put: Put = unheard) -> None:
        self._put = put
        self._waiting: list[str] = []
        """Who waits, by name, for each order that does."""

    async def bring(self, table: str, verb: str, sent: bytes, visitor: Visitor) -> Reply:
        """The reply of ``SITE/TABLE`` to what was sent.

        Raises:
            CommandRefused: it is no order that this person may give there.
            OrderNotBrought: too many wait, or the table does not reply.
        """
        given = order_of(table, verb, sent, visitor)
        own = self._waiting.count(visitor.name)
        if own >= ORDERS_EACH:
            raise OrderNotBrought(f"{own} orders of yours wait for their replies already; try again in a moment")
        if len(self._waiting) >= ORDERS_AT_ONCE:
            raise OrderNotBrought(f"{ORDERS_AT_ONCE} orders wait for their replies already; try again in a moment")
        site, _, name = table.partition("/")
        body = msgspec.structs.asdict(msgspec.structs.replace(given, transaction=secrets.token_hex(8)))
        self._waiting.append(visitor.name)
        try:
            return await self._put(Topics(site, name), verb, body)
        except NoReply as error:
            raise OrderNotBrought(str(error)) from error
        finally:
            self._waiting.remove(visitor.name)


def order_of(table: str, verb: str, sent: bytes, visitor: Visitor) -> SignedRequest:
    """A signed order as it is brought on.

    Raises:
        CommandRefused: this person may not give it there.
    """
    if not visitor.name:
        raise CommandRefused("sign in before you order")
    if verb not in VERBS:
        raise CommandRefused(f"unknown command {verb[:40]!r}; expected one of {', '.join(VERBS)}")
    if refusal := no_right(verb, visitor.roles):
        raise CommandRefused(refusal.text, refusal.code)
    signed, text = read_signed(sent)
    if signed.key != visitor.key or text.request.get("who") != visitor.name:
        raise CommandRefused(f"you are signed in as {visitor.name}: sign with that key and in that name")
    if (text.table, text.verb) != (table, verb):
        raise CommandRefused(f"the order was signed for {text.table[:80]} and {text.verb[:40]!r}")
    if not is_genuine(signed):
        raise CommandRefused("the signature does not hold")
    return SignedRequest(signed.text, signed.key, signed.signature)
