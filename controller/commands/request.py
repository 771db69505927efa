"""What the commands share that put a request to a table: over which channel, its options, how the reply is worded."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, assert_never

import click

from controller.commands.client import channel_of, tables, with_channel
from controller.commands.terminal import AS_JSON, say, say_json

if TYPE_CHECKING:
    from controller.formats.mqtt.envelope import Topics
    from controller.formats.orders.requests import Reply
    from controller.io.mqtt.connection import Broker
    from controller.io.operators.channel_client import ChannelAddress
    from controller.io.system.clock import Clock

F = TypeVar("F", bound=Callable[..., Any])

TOKEN_BYTES: Final = 8
"""Enough that two requests never share a token."""

WHO: Final = click.option("--who", required=True, help="Who gives the order; it is recorded.")
WHY: Final = click.option("--why", required=True, help="The reason, in a sentence; it is recorded.")

SIGN: Final = click.option(
    "--sign",
    "sign_key_file",
    envvar="TABLESIDE_SIGN",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Sign the order with the secret key in this file, as tableside keys curve makes it.",
)
EPOCH: Final = click.option(
    "--epoch",
    type=click.IntRange(min=0),
    help="With --sign over a broker: the epoch of the table's journal, as state/stream has it.",
)

CASE: Final = click.option("--case", default="", help="The house's case number, recorded with the ruling.")


def cased(case: str) -> dict[str, str]:
    """The case as a request carries it, where there is one."""
    return {"case": case} if case else {}


def table_of(ctx: click.Context, param: click.Parameter, value: str) -> Topics:
    """``SITE/TABLE`` as the topics of that table."""
    from controller.formats.journal.stream import CONSUMER
    from controller.formats.mqtt.envelope import Topics

    site, _, name = value.partition("/")
    if not CONSUMER.fullmatch(site) or not CONSUMER.fullmatch(name):
        text = f"expected SITE/TABLE as the table file names them, such as harbour/bj-1, got {value!r}"
        raise click.BadParameter(text, ctx, param)
    return Topics(site, name)


def correction(function: F) -> F:
    """The options of a command that corrects something: which broker, who and why; first the table."""
    return WHY(asked_of_table(function))


def asked_of_table(function: F) -> F:
    """The options of a command that asks something of a table; the function gives verb and body."""

    @functools.wraps(function)
    def send(topics: Topics, who: str, *, as_json: bool, **given: Any) -> None:  # noqa: ANN401 - as click has them
        from controller.io.system.clock import SystemClock

        channel = channel_of(given)
        key, epoch = given.pop("sign_key_file"), given.pop("epoch")
        verb, body = function(**given)
        sign = None if key is None else Sign(key, epoch, SystemClock())
        tell(channel, topics, verb, {**body, "who": who}, sign, as_json=as_json)

    wrapped: Any = with_channel(SIGN(EPOCH(WHO(AS_JSON(send)))))
    found: F = click.argument("topics", metavar="TABLE", callback=table_of, shell_complete=tables)(wrapped)
    return found


def lacking_certificate(broker: Broker) -> str:
    """What to say where a broker hung up on somebody without a certificate: it may have wanted one."""
    if broker.tls_ca_file is None or broker.tls_cert_file is not None:
        return ""
    return "; does it want a certificate? --tls-cert and --tls-key"


def put(channel: ChannelAddress | Broker, topics: Topics, verb: str, body: dict[str, Any]) -> Reply:
    """Put a request to a table and give its reply.

    Raises:
        NoReply: it cannot be put, or nobody replied.
    """
    from controller.io.mqtt.connection import Broker
    from controller.io.mqtt.request import REPLY_SECONDS, NoReply, NotReached, put_request
    from controller.io.operators.channel_client import ChannelAddress, ask

    match channel:
        case ChannelAddress():
            return ask(channel, f"{topics.site}/{topics.table}", verb, body, REPLY_SECONDS)
        case Broker():
            try:
                return put_request(channel, topics, verb, body)
            except NotReached as error:
                raise NoReply(f"{error}{lacking_certificate(channel)}") from error
        case _:
            assert_never(channel)


class Sign(NamedTuple):
    """What an order is signed with: the file of a secret key, the epoch where it was given, and the time."""

    key: Path
    epoch: int | None
    clock: Clock

    def order(
        self, channel: ChannelAddress | Broker, topics: Topics, verb: str, body: dict[str, Any]
    ) -> dict[str, Any]:
        """The signed order of a request, for the epoch that was given or that the table says.

        Raises:
            NoReply: the key cannot be used, or the epoch is not known.
        """
        import msgspec

        from controller.formats.journal.records import Identity
        from controller.formats.orders.epoch_authorization import OrderSigner
        from controller.formats.orders.operators import STATUS
        from controller.formats.orders.signed_orders import SignedRequest, number_at, order_text
        from controller.io.files.secret_files import SecretRefused, read_curve_secret
        from controller.io.mqtt.request import NoReply
        from controller.io.operators.channel_client import ChannelAddress

        try:
            signer = OrderSigner(read_curve_secret(self.key))
        except SecretRefused as error:
            raise NoReply(str(error)) from error
        transaction = body.pop("transaction")
        known = self.epoch
        if known is None and isinstance(channel, ChannelAddress):
            epoch = put(channel, topics, STATUS, {"transaction": transaction}).epoch
            known = None if isinstance(epoch, msgspec.UnsetType) else epoch
        if known is None:
            raise NoReply("--epoch: expected the epoch of the table's journal, as state/stream has it")
        number = number_at(self.clock.wall_ns())
        signed = signer.sign(order_text(Identity(topics.site, topics.table, known), number, verb, body))
        return msgspec.structs.asdict(SignedRequest(signed.text, signed.key, signed.signature, transaction))


def tell(
    channel: ChannelAddress | Broker,
    topics: Topics,
    verb: str,
    body: dict[str, Any],
    sign: Sign | None,
    *,
    as_json: bool,
) -> None:
    """Put the request and say what came of it: exit status 0 accepted, 1 refused, 2 it cannot be put, or no reply."""
    from controller.io.mqtt.request import NoReply
    from controller.io.system.randomness import SystemEntropy

    token = SystemEntropy().take(TOKEN_BYTES).hex()
    try:
        request = {**body, "transaction": token}
        reply = put(channel, topics, verb, request if sign is None else sign.order(channel, topics, verb, request))
    except NoReply as error:
        say(f"tableside: {error}", err=True)
        sys.exit(2)
    if as_json:
        say_json({"status": reply.status, "text": reply.text, "transaction": token})
        sys.exit(0 if reply.status == "accepted" else 1)
    if reply.status != "accepted":
        say(f"refused: {reply.text}", err=True)
        sys.exit(1)
    say(f"accepted: {reply.text}" if reply.text else "accepted")
