"""What the commands share that put a request to a table: over which channel, its options, how the reply is told."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from controller.commands.terminal import say
from controller.formats.commands import Reply
from controller.formats.payloads import Topics
from controller.io.mqtt import Broker
from controller.io.operator import REPLY_SECONDS, NoReply, NotReached, put_request
from controller.io.operator_client import Where, ask
from controller.io.randomness import SystemEntropy

Channel = Callable[[Topics, str, dict[str, Any]], Reply]
"""Puts a request to a table and gives its reply; raises ``NoReply``."""

F = TypeVar("F", bound=Callable[..., Any])

TOKEN_BYTES: Final = 8
"""Enough that two requests never share a token."""

OPERATOR_OPTIONS: Final = (
    click.option(
        "--operator",
        envvar="TABLESIDE_OPERATOR",
        help="The table's operator channel, instead of a broker: your role's socket, or tcp://HOST:PORT.",
    ),
    click.option(
        "--operator-key",
        envvar="TABLESIDE_OPERATOR_KEY",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Over TCP: the file with your secret key.",
    ),
    click.option("--table-key", envvar="TABLESIDE_TABLE_KEY", help="Over TCP: the table's public key."),
)
BROKER_OPTIONS: Final = (
    click.option("--host", default="127.0.0.1", show_default=True, help="The broker's host."),
    click.option("--port", default=1883, show_default=True, type=click.IntRange(1, 65535), help="The broker's port."),
    click.option("--username", help="The name to give the broker."),
    click.option("--password", envvar="TABLESIDE_PASSWORD", help="Better given in the variable TABLESIDE_PASSWORD."),
    click.option(
        "--tls-ca", "tls_ca_file", type=click.Path(exists=True, dir_okay=False), help="Use TLS; who to trust."
    ),
    click.option(
        "--tls-cert",
        "tls_cert_file",
        type=click.Path(exists=True, dir_okay=False),
        help="Your own certificate, where the broker asks for one; with --tls-ca and --tls-key.",
    ),
    click.option(
        "--tls-key", "tls_key_file", type=click.Path(exists=True, dir_okay=False), help="The key of that certificate."
    ),
)
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
    def put(topics: Topics, who: str, **given: Any) -> None:  # noqa: ANN401 - as click hands them over
        put_to = channel_of(given)
        verb, body = function(**given)
        tell(put_to, topics, verb, {**body, "who": who})

    wrapped: Any = WHO(put)
    for option in reversed((*OPERATOR_OPTIONS, *BROKER_OPTIONS)):
        wrapped = option(wrapped)
    found: F = click.argument("topics", metavar="TABLE", callback=table_of)(wrapped)
    return found


def with_broker(function: F) -> F:
    """The options that say where a broker is and how to greet it."""
    wrapped: Any = function
    for option in reversed(BROKER_OPTIONS):
        wrapped = option(wrapped)
    found: F = wrapped
    return found


def broker_of(given: dict[str, Any]) -> Broker:
    """The broker that a command's options name, taken out of them.

    Raises:
        click.UsageError: a certificate without its key or an authority, or a key without its certificate.
    """
    names = ("host", "port", "username", "password", "tls_ca_file", "tls_cert_file", "tls_key_file")
    broker = Broker(**{name: given.pop(name) for name in names})
    if (broker.tls_cert_file is None) != (broker.tls_key_file is None):
        raise click.UsageError("--tls-cert and --tls-key go together: a certificate and its key")
    if broker.tls_cert_file is not None and broker.tls_ca_file is None:
        raise click.UsageError("--tls-cert needs --tls-ca: the authority that signed the broker's own certificate")
    return broker


def lacking_certificate(broker: Broker) -> str:
    """What to say where a broker hung up on somebody without a certificate: it may have wanted one."""
    if broker.tls_ca_file is None or broker.tls_cert_file is not None:
        return ""
    return "; does it want a certificate? --tls-cert and --tls-key"


def channel_of(given: dict[str, Any]) -> Channel:
    """Where a request goes, taken out of a command's options: the operator channel if one is named, else a broker."""
    broker = broker_of(given)
    address, key, table_key = (given.pop(name) for name in ("operator", "operator_key", "table_key"))
    if not address:
        return functools.partial(_put, broker)
    where = Where(address, table_key or "", key)
    return lambda topics, verb, body: ask(where, f"{topics.site}/{topics.table}", verb, body, REPLY_SECONDS)


def _put(broker: Broker, topics: Topics, verb: str, body: dict[str, Any]) -> Reply:
    try:
        return put_request(broker, topics, verb, body)
    except NotReached as error:
        raise NoReply(f"{error}{lacking_certificate(broker)}") from error


def tell(put: Channel, topics: Topics, verb: str, body: dict[str, Any]) -> None:
    """Put the request and say what came of it: exit status 0 accepted, 1 refused, 2 it cannot be put, or no reply."""
    token = SystemEntropy().take(TOKEN_BYTES).hex()
    try:
        reply = put(topics, verb, {**body, "transaction": token})
    except NoReply as error:
        say(f"tableside: {error}", err=True)
        sys.exit(2)
    if reply.status != "accepted":
        say(f"refused: {reply.text}", err=True)
        sys.exit(1)
    say(f"accepted: {reply.text}" if reply.text else "accepted")
