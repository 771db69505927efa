"""Where the settings of broker and operator channel come from: typed, from the environment, or from the client file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click
import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.commands.client import channel_of, with_channel
from controller.commands.terminal import say
from controller.formats.config.client_file import ClientSection
from controller.io.mqtt.connection import Broker
from controller.io.operators.certificates import make_authority

TABLE_KEY: Final = "4nC={n>i9m(dF.OtnoC#/Mv>Q==%=CMpk(d:(6lp"


@click.command()
@with_channel
def reach(**given: Any) -> None:
    """Print which channel the options name."""
    found = channel_of(given)
    assert not given
    if isinstance(found, Broker):
        say(f"{found.host} {found.port} {found.username} {found.password} {found.tls_ca_file}")
    else:
        say(f"{found.address} {found.server_key} {found.key_file}")


def invoked(home: Path, *words: str, **variables: str) -> Result:
    """What comes of ``words`` where the environment has nothing but the home folder and ``variables``."""
    names = (f"TABLESIDE_{name}" for name in ("BROKER", "USERNAME", "OPERATOR", "CLIENT"))
    return CliRunner().invoke(reach, words, env={**dict.fromkeys(names), "HOME": str(home), **variables})


def own_file(home: Path, text: str) -> Path:
    path = home / ".config/tableside/client.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def secret(path: Path, text: str = "a word\n") -> Path:
    path.write_text(text)
    path.chmod(0o600)
    return path


def authority(folder: Path) -> Path:
    return make_authority(folder, datetime(2026, 1, 1, tzinfo=UTC), rotate=False).certificate


def test_without_a_file_the_broker_is_the_one_on_this_pc(tmp_path: Path) -> None:
    assert invoked(tmp_path).output == "127.0.0.1 1883 None None None\n"


def test_what_is_typed_counts_before_the_environment_and_that_before_the_file(tmp_path: Path) -> None:
    own_file(tmp_path, '[client]\nbroker = "file.example:1"\nusername = "pit"\n')
    assert invoked(tmp_path).output == "file.example 1 pit None None\n"
    assert invoked(tmp_path, TABLESIDE_BROKER="env.example:2").output == "env.example 2 pit None None\n"
    typed = invoked(tmp_path, "--broker", "typed.example:3", TABLESIDE_BROKER="env.example:2")
    assert typed.output == "typed.example 3 pit None None\n"


def test_paths_of_a_file_that_is_named_are_relative_to_it(tmp_path: Path) -> None:
    secret(tmp_path / "word")
    authority(tmp_path)
    named = tmp_path / "pit.toml"
    named.write_text('[client]\nbroker = "[2001:db8::1]:7"\npassword_file = "word"\ntls_ca_file = "ca.pem"\n')
    result = invoked(tmp_path / "elsewhere", TABLESIDE_CLIENT=str(named))
    assert result.output == f"2001:db8::1 7 None a word {tmp_path}/ca.pem\n"


def test_a_broker_without_a_port_has_the_usual_one(tmp_path: Path) -> None:
    ca = authority(tmp_path)
    assert invoked(tmp_path, "--broker", "broker.example").output.startswith("broker.example 1883 ")
    assert invoked(tmp_path, "--broker", "broker.example", "--tls-ca", str(ca)).output.startswith(
        "broker.example 8883 "
    )


@pytest.mark.parametrize(
    "address", ["broker:", ":1883", "broker:0", "broker:65536", "broker:mqtt", "[::1]:", "a..b", "a..b:1883"]
)
def test_an_address_that_is_none_is_refused(tmp_path: Path, address: str) -> None:
    result = invoked(tmp_path, "--broker", address)
    assert result.exit_code == 2
    assert f"--broker: expected HOST:PORT, such as broker.example:1883, got '{address}'" in result.output
    result = invoked(tmp_path, TABLESIDE_BROKER=address)
    assert (
        f"Error: $TABLESIDE_BROKER: expected HOST:PORT, such as broker.example:1883, got '{address}'" in result.output
    )


def test_the_operator_channel_counts_unless_a_broker_is_named_nearer(tmp_path: Path) -> None:
    key = secret(tmp_path / "okafor.key")
    over_tcp = f'operator = "tcp://192.0.2.10:7010"\noperator_key_file = "{key}"\ntable_key = "{TABLE_KEY}"\n'
    own_file(tmp_path, f'[client]\nbroker = "b:1"\n{over_tcp}')
    assert invoked(tmp_path).output == f"tcp://192.0.2.10:7010 {TABLE_KEY} {key}\n"
    assert invoked(tmp_path, "--broker", "b:2").output.startswith("b 2 ")
    assert invoked(tmp_path, "--operator", "/run/o", TABLESIDE_BROKER="b:2").output.startswith("/run/o ")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[client]\nbrokr = "b:1"\n', "client.toml:2: [client] brokr: unknown key; did you mean broker?"),
        ('[client]\nbroker = "b"\n', "client.toml:2: [client] broker: expected HOST:PORT"),
        ("[client]\nbroker = b:1\n", 'client.toml:2: text must be in quotes: "b:1"'),
        ('[client]\npassword = "word"\n', "client.toml:2: [client] password: unknown key"),
    ],
)
def test_a_mistake_in_the_file_is_reported_with_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    own_file(tmp_path, text)
    result = invoked(tmp_path)
    assert (result.exit_code, complaint in result.output) == (2, True), result.output


def test_a_file_that_is_named_must_be_there(tmp_path: Path) -> None:
    result = invoked(tmp_path, TABLESIDE_CLIENT=str(tmp_path / "gone.toml"))
    assert (result.exit_code, "gone.toml: cannot be read" in result.output) == (2, True)


def test_a_password_that_others_may_read_is_not_used(tmp_path: Path) -> None:
    word = secret(tmp_path / "word")
    word.chmod(0o644)
    result = invoked(tmp_path, "--password-file", str(word))
    assert (result.exit_code, f"chmod 600 {word}" in result.output) == (2, True)


@pytest.mark.parametrize("option", ["TLS_CA", "TLS_CERT"])
def test_a_file_that_is_no_certificate_is_reported_by_where_it_was_named(tmp_path: Path, option: str) -> None:
    key = secret(tmp_path / "bj-1.key", f"{'5f' * 32}\n")
    given = {"TABLESIDE_TLS_CA": str(authority(tmp_path)), "TABLESIDE_TLS_KEY": str(key)}
    wrong = given | {f"TABLESIDE_{option}": str(key)}
    wrong |= {"TABLESIDE_TLS_CERT": wrong.get("TABLESIDE_TLS_CERT", str(tmp_path / "ca.pem"))}
    result = invoked(tmp_path, **wrong)
    kind = "it is a secret key such as a table's; `tableside verify --key` tells whether it sealed a journal"
    assert (result.exit_code, result.output.splitlines()[-1]) == (
        2,
        f"Error: $TABLESIDE_{option}: {key}: no certificate in PEM; {kind}",
    )


def test_a_file_that_is_not_there_is_reported_by_where_it_was_named(tmp_path: Path) -> None:
    there = "File '/gone.pem' does not exist."
    assert f"Error: $TABLESIDE_TLS_CA: {there}" in invoked(tmp_path, TABLESIDE_TLS_CA="/gone.pem").output
    assert f"Error: --tls-ca: {there}" in invoked(tmp_path, "--tls-ca", "/gone.pem").output
    own_file(tmp_path, '[client]\ntls_ca_file = "/gone.pem"\n')
    assert f"Error: tls_ca_file of the client file: {there}" in invoked(tmp_path).output


def test_no_option_takes_a_secret_itself() -> None:
    """Arguments are in the list of processes for everybody."""
    for command in ("watch", "void", "ack"):
        result = CliRunner().invoke(main, [command, "--password", "word"])
        assert "No such option '--password'." in result.output


def test_every_setting_has_an_option_and_a_variable_of_its_name() -> None:
    variables = {
        option.name: (option.envvar, option.opts) for option in reach.params if isinstance(option, click.Option)
    }
    assert sorted(variables) == sorted(ClientSection.__struct_fields__)
    for variable, (typed,) in variables.values():
        assert variable == "TABLESIDE_" + typed.removeprefix("--").replace("-", "_").upper()
