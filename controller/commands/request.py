"""What the commands share that put a request to a table: over which channel, its options, how the reply is told."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, Final, TypeVar, assert_never

import click

from controller.commands.client import channel_of, with_channel
from controller.commands.terminal import say
from controller.formats.commands import Reply
from controller.formats.payloads import Topics
from controller.io.mqtt import Broker
from controller.io.operator import REPLY_SECONDS, NoReply, NotReached, put_request
from controller.io.operator_client import Where, ask
from controller.io.randomness import SystemEntropy

F = TypeVar("F", bound=Callable[..., Any])

TOKEN_BYTES: Final = 8
"""Enough that two requests never share a token."""

WHO: Final = click.option("--who", required=True, help="Who says so; it is recorded.")
WHY: Final = click.option("--why", required=True, help="Why, in a sentence; it is recorded.")

CASE: Final = click.option("--case", default="", help="The house's number for the matter, recorded with the ruling.")


def cased(case: str) -> dict[str, str]:
    """The case as a request carries it, where there is one."""
    return {"case": case} if case else {}


def table_of(ctx: click.Context, param: click.Parameter, value: str) -> Topics:
    """``SITE/TABLE`` as the topics of that table."""
    site, _, name = value.partition("/")
    if not site or not name or set(value) & set("+#") or "/" in name:
        raise click.BadParameter("expected SITE/TABLE, such as harbour/bj-1", ctx, param)
    return Topics(site, name)


def correction(function: F) -> F:
    """The options of a command that corrects something: which broker, who and why; first the table."""
    return told_why(asked_of_table(function))


def told_why(function: F) -> F:
    """The option --why."""
    return WHY(function)


def asked_of_table(function: F) -> F:
    """The options of a command that asks something of a table; the function gives verb and body."""

    @functools.wraps(function)
    def asked(topics: Topics, who: str, **given: Any) -> None:  # noqa: ANN401 - as click hands them over
        channel = channel_of(given)
        verb, body = function(**given)
        tell(channel, topics, verb, {**body, "who": who})

    wrapped: Any = with_channel(WHO(asked))
    found: F = click.argument("topics", metavar="TABLE", callback=table_of)(wrapped)
    return found


def lacking_certificate(broker: Broker) -> str:
    """What to say where a broker hung up on somebody without a certificate: it may have wanted one."""
    if broker.tls_ca_file is None or broker.tls_cert_file is not None:
        return ""
    return "; does it want a certificate? --tls-cert and --tls-key"


def put(channel: Where | Broker, topics: Topics, verb: str, body: dict[str, Any]) -> Reply:
    """Put a request to a table and give its reply.

    Raises:
        NoReply: it cannot be put, or nobody replied.
    """
    match channel:
        case Where():
            return ask(channel, f"{topics.site}/{topics.table}", verb, body, REPLY_SECONDS)
        case Broker():
            try:
                return put_request(channel, topics, verb, body)
            except NotReached as error:
                raise NoReply(f"{error}{lacking_certificate(channel)}") from error
        case _:
            assert_never(channel)


def tell(channel: Where | Broker, topics: Topics, verb: str, body: dict[str, Any]) -> None:
    """Put the request and say what came of it: exit status 0 accepted, 1 refused, 2 it cannot be put, or no reply."""
    token = SystemEntropy().take(TOKEN_BYTES).hex()
    try:
        reply = put(channel, topics, verb, {**body, "transaction": token})
    except NoReply as error:
        say(f"tableside: {error}", err=True)
        sys.exit(2)
    if reply.status != "accepted":
        say(f"refused: {reply.text}", err=True)
        sys.exit(1)
    say(f"accepted: {reply.text}" if reply.text else "accepted")
