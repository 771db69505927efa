"""The options by which a command reaches a broker or a table's operator channel, and where they come from.

What is typed counts before a variable of the environment, and that before the client file
(controller.io.files.client_file). Secrets are named by their files alone: arguments and environments can be read by
others.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from controller.commands.suggestions import beginning

if TYPE_CHECKING:
    from controller.io.mqtt.connection import Broker
    from controller.io.operators.channel_client import ChannelAddress

F = TypeVar("F", bound=Callable[..., Any])

HOST: Final = "127.0.0.1"
PORT: Final = 1883
TLS_PORT: Final = 8883
"""The ports of MQTT as IANA registered them: mqtt and secure-mqtt."""

KEPT: Final = "tableside.client"
"""Where a command's context keeps the client file's settings once they are read."""

NEAREST: Final = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)
"""From where a setting counts before the others."""


def setting(key: str) -> str | None:
    """What the client file says of a key; read once for a command.

    Raises:
        click.UsageError: the file cannot be used.
    """
    from controller.formats.text.toml_schema import ConfigError
    from controller.io.files.client_file import client_settings

    context = click.get_current_context()
    kept = context.find_root().meta
    if KEPT not in kept:
        try:
            kept[KEPT] = client_settings(os.environ)
        except ConfigError as error:
            if context.resilient_parsing:
                # A shell that completes a word has nowhere to put a complaint.
                return None
            raise click.UsageError("; ".join(error.lines), context) from error
    found: str | None = getattr(kept[KEPT], key)
    return found


def _option(name: str, key: str, words: str, kind: click.ParamType[Any] = click.STRING) -> Callable[[F], F]:
    # The variable has the option's name: --tls-ca is $TABLESIDE_TLS_CA.
    variable = f"TABLESIDE_{name.removeprefix('--').replace('-', '_').upper()}"
    return click.option(name, key, envvar=variable, default=functools.partial(setting, key), type=kind, help=words)


BROKER_KEYS: Final = ("broker", "username", "password_file", "tls_ca_file", "tls_cert_file", "tls_key_file")

OPTION_OF: Final = {
    "password_file": "password-file",
    "tls_ca_file": "tls-ca",
    "tls_cert_file": "tls-cert",
    "tls_key_file": "tls-key",
}
"""The options of those keys that name a file."""


class _NamedFile(click.Path):
    """A file that must be there; who gave it by a variable is told of the variable."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            if param is None or param.name is None:
                raise
            raise click.UsageError(f"{given_by(param.name, param.opts[0])}: {error.message}", ctx) from error


_FILE: Final = _NamedFile(exists=True, dir_okay=False)

BROKER_OPTIONS: Final = (
    _option("--broker", "broker", f"HOST or HOST:PORT of the broker. Default: {HOST}:{PORT}."),
    _option("--username", "username", "The user name at the broker."),
    _option("--password-file", "password_file", "The file with its password.", _FILE),
    _option("--tls-ca", "tls_ca_file", "Use TLS and trust this authority.", _FILE),
    _option("--tls-cert", "tls_cert_file", "Your certificate, if the broker requires one; with --tls-key.", _FILE),
    _option("--tls-key", "tls_key_file", "The key of that certificate.", _FILE),
)
OPERATOR_OPTIONS: Final = (
    _option("--operator", "operator", "Instead of a broker: your role's socket, or tcp://HOST:PORT."),
    _option("--operator-key", "operator_key_file", "Over TCP: the file with your secret key.", _FILE),
    _option("--table-key", "table_key", "Over TCP: the table's public key."),
)


def with_broker(function: F) -> F:
    """The options that say where a broker is and how to greet it."""
    return _with(BROKER_OPTIONS, function)


def with_channel(function: F) -> F:
    """The options that say where a table takes orders: its operator channel, or a broker."""
    return _with((*OPERATOR_OPTIONS, *BROKER_OPTIONS), function)


def _with(options: tuple[Callable[..., Any], ...], function: F) -> F:
    wrapped: Any = function
    for option in reversed(options):
        wrapped = option(wrapped)
    found: F = wrapped
    return found


def broker_of(given: dict[str, Any]) -> Broker:
    """The broker that a command's options name, taken out of them.

    Raises:
        click.UsageError: no such address, a secret that cannot be used, a certificate without its key or an authority.
    """
    from controller.formats.config.table_file import BrokerSection
    from controller.io.mqtt.connection import Broker

    address, username, password_file, tls_ca_file, tls_cert_file, tls_key_file = map(given.pop, BROKER_KEYS)
    if (tls_cert_file is None) != (tls_key_file is None):
        raise click.UsageError("--tls-cert and --tls-key go together: a certificate and its key")
    if tls_cert_file is not None and tls_ca_file is None:
        raise click.UsageError("--tls-cert needs --tls-ca: the authority that signed the broker's own certificate")
    usual = PORT if tls_ca_file is None else TLS_PORT
    host, port = broker_address(address or HOST, usual, given_by("broker", "--broker"))
    _certificates(tls_ca_file, tls_cert_file)
    section = BrokerSection(
        host=host,
        port=port,
        username=username,
        password_file=password_file,
        tls_ca_file=tls_ca_file,
        tls_cert_file=tls_cert_file,
        tls_key_file=tls_key_file,
    )
    try:
        return Broker.from_section(section)
    except OSError as error:
        key, _, said = str(error).removeprefix("[broker] ").partition(": ")
        raise click.UsageError(f"{given_by(key, f'--{OPTION_OF.get(key, key)}')}: {said}") from error


def _certificates(authority: str | None, own: str | None) -> None:
    """Refuse what is no certificate before a broker is asked, where OpenSSL names neither file nor option.

    Raises:
        click.UsageError: one of them is none.
    """
    from controller.io.files.secret_files import SecretRefused
    from controller.io.operators.certificates import read_certificate

    for key, path in (("tls_ca_file", authority), ("tls_cert_file", own)):
        try:
            if path is not None:
                read_certificate(Path(path))
        except SecretRefused as error:
            raise click.UsageError(f"{given_by(key, f'--{OPTION_OF[key]}')}: {error}") from error


def given_by(key: str, option: str) -> str:
    """Where a command was given a setting: the option, the client file's key, or the variable of the environment."""
    context = click.get_current_context(silent=True)
    if context is None:
        return option
    param = next((one for one in context.command.params if one.name == key), None)
    match context.get_parameter_source(key):
        case ParameterSource.ENVIRONMENT if param is not None and isinstance(param.envvar, str):
            return f"${param.envvar}"
        case ParameterSource.DEFAULT if param is not None and callable(param.default) and setting(key):
            return f"{key} of the client file"
        case _:
            return option


def broker_address(text: str, usual: int, name: str = "--broker") -> tuple[str, int]:
    """``HOST:PORT``, ``[IPv6]:PORT`` or ``HOST``, whose port is then ``usual``; ``name`` of the setting it is.

    Raises:
        click.UsageError: it is none of these.
    """
    from controller.formats.text.toml_schema import is_host

    host, colon, port = text.rpartition(":") if not text.endswith("]") else (text, "", "")
    host, port = (host, port) if colon else (text, str(usual))
    host = host.removeprefix("[").removesuffix("]")
    if not is_host(host) or not (port.isascii() and port.isdigit()) or not 1 <= int(port) <= 65535:
        raise click.UsageError(f"{name}: expected HOST:PORT, such as broker.example:{usual}, got {text!r}")
    return host, int(port)


def channel_of(given: dict[str, Any]) -> ChannelAddress | Broker:
    """Where a command's options say that a table takes orders, taken out of them: its operator channel, or a broker.

    Where both are named, the one that is named nearer counts: a typed --broker before a channel of the client file.

    Raises:
        click.UsageError: as ``broker_of``.
    """
    from controller.io.operators.channel_client import ChannelAddress

    address, key, table_key = (given.pop(name) for name in ("operator", "operator_key_file", "table_key"))
    if not address or _distance("broker") < _distance("operator"):
        return broker_of(given)
    for name in BROKER_KEYS:
        given.pop(name)
    return ChannelAddress(address, table_key or "", None if key is None else Path(key))


def _distance(name: str) -> int:
    source = click.get_current_context().get_parameter_source(name)
    return NEAREST.index(source) if source in NEAREST else len(NEAREST)


def tables(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The tables that the broker knows."""
    import asyncio

    from controller.io.mqtt.broker_tables import known_tables

    del param
    try:
        broker = broker_of({name: ctx.params.get(name) for name in BROKER_KEYS})
    except click.UsageError:
        return []
    return beginning(asyncio.run(known_tables(broker)), incomplete)
