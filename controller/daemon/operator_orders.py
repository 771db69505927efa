"""The operator channel of a table file: who may order what, and where they do so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from controller.daemon.daemon import Daemon
from controller.formats.config.table_file import OperatorSection
from controller.formats.journal.records import Identity
from controller.formats.orders.operators import STATUS, ChannelRequest, ChannelUser, read_operators, read_signers
from controller.formats.orders.requests import reply_bytes
from controller.formats.orders.signed_orders import Signatures
from controller.formats.text.toml_schema import ConfigError
from controller.io.files.config_files import text_of
from controller.io.files.secret_files import SecretRefused, read_curve_secret
from controller.io.operators.channel import ChannelEndpoints, OperatorChannel


class NoChannel(Exception):  # noqa: N818 - named for what happened
    """The channel's files cannot be used: ``lines`` says what is wrong with each."""

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


def listening(section: OperatorSection, *, kept_by_service: bool = False) -> ChannelEndpoints:
    """Where the channel is served, with its key and its operators. ``kept_by_service``: the key is a credential.

    Raises:
        NoChannel: the key or the file of operators cannot be used.
    """
    directory = Path(section.directory) if section.directory else None
    operators, signers = _known(section, read_operators), _known(section, read_signers)
    if section.listen is None:
        return ChannelEndpoints(directory, operators=operators, signers=signers)
    assert section.key_file is not None, "a table file with listen has a key"
    try:
        secret = read_curve_secret(Path(section.key_file), kept_by_service=kept_by_service)
    except SecretRefused as error:
        raise NoChannel(str(error)) from error
    return ChannelEndpoints(directory, section.listen, secret, operators, signers)


def signatures(section: OperatorSection, identity: Identity) -> Signatures:
    """Whose signed orders the table takes.

    Raises:
        NoChannel: the file of operators cannot be used.
    """
    signers = _known(section, read_signers)
    owners = frozenset(one.name for known in (signers, _known(section, read_operators)) for one in known.values())
    return Signatures(identity, signers, section.signed == "required", owners)


def operator_channel(where: ChannelEndpoints, daemon: Daemon) -> OperatorChannel:
    """The channel of a daemon."""

    def ask(request: ChannelRequest, answer: Callable[[bytes], None]) -> None:
        if request.verb == STATUS:
            answer(reply_bytes(request.payload, None, daemon.status(), daemon.identity.epoch))
        else:
            daemon.ask(request.verb, request.payload, answer, request.vouched, request.client)

    identity = daemon.identity
    return OperatorChannel(where, f"{identity.site}/{identity.table}", ask, daemon.parts.clock, daemon.limit)


def _known(
    section: OperatorSection, read: Callable[[str, str], Mapping[str, ChannelUser]]
) -> Mapping[str, ChannelUser]:
    """Who is known by which key; empty where the table has no file of operators."""
    if section.operators is None:
        return {}
    path = Path(section.operators)
    try:
        return read(text_of(path), str(path))
    except ConfigError as error:
        raise NoChannel(*error.lines) from error
