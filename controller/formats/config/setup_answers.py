"""What a technician is asked when a table PC is set up, and the files that come of the answers.

The answers may stand in a TOML file: the names are those of the questions, every one with a default but the ports.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec

from controller.formats.config.table_file import KnownNames, not_one_of
from controller.formats.orders.operators import Operator, Role
from controller.formats.text.struct_decoder import Mistake, complaints
from controller.formats.text.toml_schema import (
    HOST_PORT_PATTERN,
    Antenna,
    Host,
    Name,
    Port,
    Section,
    Spot,
    TcpPort,
    Text,
    read_sections,
)

HERE: Final = "127.0.0.1"
"""The broker on the table PC itself."""

PASSWORD_ROUNDS: Final = 101
"""As ``mosquitto_passwd`` hashes since 2.0: PBKDF2 with SHA-512 (mosquitto's lib/password_mosq.h)."""

PORTS: Final = ("shoe_port", "bet_spots_port", "keypad_port")

OPERATOR_FOLDER: Final = "/run/tableside-operator"

EVERY_NAME: Final = KnownNames()
"""Whatever a profile or a protocol is called."""

Group = Annotated[str, msgspec.Meta(pattern=r"^([a-z_][a-z0-9_-]{0,30})?\Z", description="a group's name, or nothing")]
NoAddress = Annotated[str, msgspec.Meta(pattern=rf"^{HOST_PORT_PATTERN}?\Z", description="HOST:PORT, or nothing")]
NoAntenna = Annotated[int, msgspec.Meta(ge=0, le=8, description="an antenna from 1 to 8, or 0: none")]


class Answers(Section, frozen=True):
    """What was answered."""

    shoe_port: Port
    bet_spots_port: Port
    keypad_port: Port
    site: Name = "house"
    table: Name = "bj-1"
    profile: Text = "hollywood-penn-national"
    shoe_protocol: Text = "bee_tek"
    bet_spots_protocol: Text = "feig_obid"
    spots: Annotated[
        tuple[Spot, ...], msgspec.Meta(min_length=1, max_length=7, description="a list of spots from 1 to 7")
    ] = (1, 2, 3, 4, 5, 6, 7)
    main_antenna: Antenna = 1
    insurance_antenna: NoAntenna = 2
    keypad_protocol: Text = "matrix_orbital"
    broker_host: Host = HERE
    broker_port: TcpPort = 1883
    operator_channel: Literal["yes", "no"] = "yes"
    operator_address: NoAddress = ""
    floor_group: Group = ""
    surveillance_group: Group = ""
    start: Literal["yes", "no"] = "yes"
    operator: tuple[Operator, ...] = ()


class SetupQuestion(NamedTuple):
    """What is asked: the answer's name, and what it is for."""

    name: str
    why: str


QUESTIONS: Final = (
    SetupQuestion("site", "The house's name, in every topic and permanently in the journal"),
    SetupQuestion("table", "The table's name, in its files, its service and its topics"),
    SetupQuestion("profile", "The house's rules (tableside profile list)"),
    SetupQuestion("shoe_protocol", "The protocol of the card shoe"),
    SetupQuestion("shoe_port", "The port of the shoe"),
    SetupQuestion("bet_spots_protocol", "The protocol of the chip readers"),
    SetupQuestion("bet_spots_port", "The port of the chip readers"),
    SetupQuestion("spots", "The addresses of the readers, which are their spots, separated by commas"),
    SetupQuestion("main_antenna", "The antenna below the main wager"),
    SetupQuestion("insurance_antenna", "The antenna below the insurance line; 0: none"),
    SetupQuestion("keypad_protocol", "The protocol of the dealer's keypad"),
    SetupQuestion("keypad_port", "The port of the keypad"),
    SetupQuestion("broker_host", f"The MQTT broker for the table's events; {HERE}: on this PC, set up here too"),
    SetupQuestion("broker_port", "The broker's TCP port"),
    SetupQuestion("operator_channel", "Whether to take orders over a socket for each role; otherwise over MQTT"),
    SetupQuestion(
        "operator_address", "An address of this PC where orders are taken over TCP too, HOST:PORT; empty: none"
    ),
    SetupQuestion("floor_group", "The group that may use the floor's socket; empty: the daemon's own user alone"),
    SetupQuestion("surveillance_group", "The same for surveillance"),
    SetupQuestion("start", "Whether to start the table, now and at every boot"),
)


def read_answers(text: str, name: str, known: KnownNames = EVERY_NAME) -> Answers:
    """The answers in the file ``name``; ``known``: the profiles and protocols that there are.

    Raises:
        ConfigError: with a line for each mistake.
    """
    return read_sections(Answers, text, name, _together, named=lambda data: _unknown(data, known))


def _unknown(given: Mapping[str, Any], known: KnownNames) -> Iterable[Mistake]:
    """Names of profiles and protocols that there are not."""
    for key, name in given.items():
        if not isinstance(name, str):
            continue
        names = known.protocols.get(key.removesuffix("_protocol")) if key.endswith("_protocol") else None
        if names is not None and name not in names:
            yield Mistake((key,), not_one_of(name, names))
        if key == "profile":
            yield from (Mistake((key,), text) for about, text in known.options(name, {}) if about == "profile")


def _together(answers: Answers) -> Iterable[Mistake]:
    taken: dict[str, str] = {}
    for name in PORTS:
        port = getattr(answers, name)
        if port in taken:
            yield Mistake((name,), f"{port} is already the {taken[port]}; expected a port for each device")
        taken.setdefault(port, name)
    if len(set(answers.spots)) < len(answers.spots):
        yield Mistake(("spots",), "a spot is given twice")
    if answers.main_antenna == answers.insurance_antenna:
        yield Mistake(("insurance_antenna",), "expected another antenna than that of the main wager, or 0")
    if answers.operator_address and not answers.operator:
        yield Mistake(("operator_address",), "expected at least one [[operator]] with a key, or nobody could ask there")


def answers_of(given: Mapping[str, Any]) -> tuple[Answers | None, tuple[str, ...]]:
    """The answers as they were typed, and what does not go together."""
    answers = msgspec.convert(given, Answers)
    wrong = tuple(f"{'.'.join(map(str, one.path))}: {one.text}" for one in _together(answers))
    return (None if wrong else answers), wrong


def typed(name: str, text: str, known: KnownNames = EVERY_NAME) -> Any:  # noqa: ANN401 - of the question's own type
    """What was typed in answer to a question; ``known``: the profiles and protocols that there are.

    Raises:
        ValueError: it is no such answer; the text says what is expected.
    """
    kind = next(field for field in msgspec.structs.fields(Answers) if field.name == name).type
    value: Any = text.strip()
    if name == "spots":
        value = [_whole(one) for one in value.replace(" ", "").split(",") if one]
    elif name.endswith(("_antenna", "broker_port")):
        value = _whole(value)
    wrong = [said for key, said in complaints(Answers, {name: value}) if key == name]
    wrong += [one.text for one in _unknown({name: value}, known)]
    if wrong:
        raise ValueError(wrong[0])
    return msgspec.convert(value, kind)


def _whole(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdigit() else text


def table_file(answers: Answers) -> str:
    """The table file."""
    antennas = f"main = {answers.main_antenna}"
    if answers.insurance_antenna:
        antennas += f", insurance = {answers.insurance_antenna}"
    folder = f"/var/lib/tableside/{answers.table}"
    return f"""\
# Written by `tableside setup`; docs/reference/configuration.md explains every key.
[table]
site = {_text(answers.site)}
name = {_text(answers.table)}
profile = {_text(answers.profile)}
key_file = "credential:table.key"
journal = "{folder}/journal.sqlite"
chips = "chips.csv"

[broker]
host = {_text(answers.broker_host)}
port = {answers.broker_port}
username = "table"
password_file = "credential:broker.password"
{_operator(answers)}
[shoe]
protocol = {_text(answers.shoe_protocol)}
port = {_text(answers.shoe_port)}

[[bet_spots]]
protocol = {_text(answers.bet_spots_protocol)}
port = {_text(answers.bet_spots_port)}
spots = [{", ".join(map(str, answers.spots))}]
antennas = {{{antennas}}}

[keypad]
protocol = {_text(answers.keypad_protocol)}
port = {_text(answers.keypad_port)}
"""


def _operator(answers: Answers) -> str:
    if answers.operator_channel == "no":
        return ""
    lines = ["", "[operator]", f'directory = "{OPERATOR_FOLDER}/{answers.table}"']
    if answers.operator_address:
        lines += [f"listen = {_text(answers.operator_address)}", 'key_file = "credential:operator.key"']
    if answers.operator:
        lines.append(f'operators = "{answers.table}-operators.toml"')
    return "\n".join(lines) + "\n"


def operators_file(people: Iterable[Operator]) -> str:
    """The file of operators."""
    sections = []
    for one in people:
        lines = ["[[operator]]", f"name = {_text(one.name)}", f"roles = [{', '.join(map(_text, one.roles))}]"]
        lines.append(f"keys = [{', '.join(map(_text, one.keys))}]")
        if one.signs:
            lines.append(f"signs = [{', '.join(map(_text, one.signs))}]")
        sections.append("\n".join(lines) + "\n")
    return "\n".join(sections)


def drop_in(answers: Answers) -> str:
    """What the table's service is given beside what its unit says: its further secrets."""
    lines = ["[Service]", "LoadCredential=broker.password:/etc/tableside/table.broker-password.key"]
    if answers.operator_address:
        lines.append(f"LoadCredential=operator.key:/etc/tableside/{answers.table}-operator.key")
    return "\n".join(lines) + "\n"


def tmpfiles(answers: Answers) -> str:
    """The folders of the operator channel's sockets."""
    folder = f"{OPERATOR_FOLDER}/{answers.table}"
    groups: dict[Role, str] = {"floor": answers.floor_group, "surveillance": answers.surveillance_group}
    rows = [f"d {folder} 0755 tableside tableside -"]
    rows += [f"d {folder}/{role} 2750 tableside {group} -" for role, group in groups.items() if group]
    return "\n".join(rows) + "\n"


def sysusers(answers: Answers) -> str:
    """The groups that may use the sockets."""
    groups = sorted({answers.floor_group, answers.surveillance_group} - {""})
    return "".join(f"g {group} -\n" for group in groups)


def broker_line(user: str, password: str) -> str:
    """A user's line in Mosquitto's file of passwords.

    The password is random and long, so the salt may follow from it: the same password gives the same line.
    """
    salt = hashlib.sha256(f"{user} {password}".encode()).digest()[:12]
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, PASSWORD_ROUNDS, 64)
    return f"{user}:$7${PASSWORD_ROUNDS}${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}"


def _text(value: str) -> str:
    """Text as TOML writes it."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
