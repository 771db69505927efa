from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.formats.config.chips import ChipsRefused, Registry, read_chips
from controller.formats.config.table_file import KnownNames, read_config, zones_of
from controller.formats.text.toml_positions import key_lines
from controller.formats.text.toml_schema import ConfigError, located

WHOLE = """\
[table]
site = "harbour"
name = "bj-1"
profile = "hollywood"
key_file = "table.key"
journal = "/var/lib/tableside/journal.sqlite"
chips = "chips.csv"

[options]
stand_key = "always"

[broker]
host = "broker.lan"
password_file = "secret"

[shoe]
protocol = "bee_tek"
port = "/dev/shoe"

[[bet_spots]]
protocol = "feig_obid"
port = "/dev/spots-a"
spots = [1, 2]
antennas = {main = 1, insurance = 2}

[[bet_spots]]
protocol = "feig_obid"
port = "/dev/spots-b"
zones = [
  {address = 1, antenna = 1, spot = 3, zone = "main"},
  {address = 1, antenna = 2, spot = 3, zone = "insurance"},
]
agreeing = 3

[keypad]
protocol = "pad"
port = "socket://pad.lan:4001"

[keypad.keys]
A = "1"
"""
HERE = PurePosixPath("/etc/tableside")


def mistakes(text: str, known: KnownNames | None = None) -> list[str]:
    with pytest.raises(ConfigError) as refused:
        read_config(text, "table.toml", HERE, known)
    assert str(refused.value) == "\n".join(refused.value.lines)
    return list(refused.value.lines)


def test_a_whole_file_is_read_with_paths_relative_to_it() -> None:
    config = read_config(WHOLE, "table.toml", HERE)
    assert config.table.key_file == "/etc/tableside/table.key"
    assert config.table.journal == "/var/lib/tableside/journal.sqlite"
    assert config.broker is not None
    assert (config.broker.port, config.broker.protocol) == (1883, "auto")
    assert config.broker.password_file == "/etc/tableside/secret"
    assert config.options == {"stand_key": "always"}
    assert config.bet_spots[1].agreeing == 3


def test_the_short_form_gives_each_spot_its_own_reader() -> None:
    short = read_config(WHOLE, "table.toml", HERE).bet_spots[0]
    assert [(zone.address, zone.antenna, zone.spot, zone.zone) for zone in zones_of(short)] == [
        (1, 1, 1, "main"),
        (1, 2, 1, "insurance"),
        (2, 1, 2, "main"),
        (2, 2, 2, "insurance"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (
            'port = "/dev/shoe"',
            "port = 5",
            (
                "table.toml:18: [shoe] port: expected a path such as /dev/serial/by-id/..., usb:VID:PID:SERIAL, "
                "socket://host:port or rfc2217://host:port, got 5"
            ),
        ),
        ('port = "/dev/shoe"', "", "table.toml:16: [shoe] port: missing, expected a path such as /dev/serial"),
        ("[table]", "title = 5\n[table]", "table.toml:1: title: unknown key"),
        ("[shoe]", "[cards]", "table.toml:1: [shoe]: missing, expected one section, headed [shoe]"),
        ("[broker]", "[[broker]]", "table.toml:12: [broker]: expected one section, headed [broker], got [{"),
        ("[shoe]", "[shoo]", "table.toml:16: [shoo]: unknown key; did you mean shoe?"),
        ('site = "harbour"', 'site = "Harbour"', "table.toml:2: [table] site: expected a name of at most 32"),
        ('site = "harbour"', 'sight = "harbour"', "table.toml:2: [table] sight: unknown key; did you mean site?"),
        (
            "antenna = 2, spot = 3",
            "antenna = 9, spot = 3",
            "table.toml:31: [[bet_spots]] zones.antenna: expected an ant",
        ),
        (
            "spots = [1, 2]",
            "spots = [1, 8]",
            "table.toml:23: [[bet_spots]] spots: expected a list of spots from 1 to 7",
        ),
        (
            "antennas = {main = 1, insurance = 2}",
            "antennas = {main = 1, insurance = 1}",
            "table.toml:24: [[bet_spots]] antennas: antenna 1 is given to main and insurance",
        ),
        ("spots = [1, 2]", "", "table.toml:20: [[bet_spots]]: spots and antennas go together"),
        ("spots = [1, 2]", "spots = [3]", "table.toml:26: [[bet_spots]]: zone main of spot 3 is given twice"),
        ("antenna = 2, spot = 3", "antenna = 1, spot = 3", "table.toml:26: [[bet_spots]]: antenna 1 of reader 1 is gi"),
        ('"/dev/spots-b"', '"/dev/shoe"', "table.toml:28: [[bet_spots]] port: /dev/shoe is already the port of [shoe]"),
        ('A = "1"', 'Z = "1"', "table.toml:40: [keypad] keys.Z: expected a key from A to Y"),
        ('A = "1"', "A = 1", "table.toml:40: [keypad] keys.A: expected text, got 1"),
        (
            'host = "broker.lan"',
            "host = true",
            (
                "table.toml:13: [broker] host: expected a host's name or address, such as broker.example or"
                " 192.168.1.5, got true"
            ),
        ),
        ('host = "broker.lan"', 'host = "b"\nprotocol = "4"', "table.toml:14: [broker] protocol: expected one of "),
        (
            'host = "broker.lan"',
            'host = "b"\ntls_key_file = "k"',
            "table.toml:12: [broker]: tls_cert_file and tls_key_",
        ),
        ('site = "harbour"', 'site = "harbour\\n"', "table.toml:2: [table] site: expected a name of at most 32"),
        ("[shoe]", "[shoe", "table.toml:16: Expected ']' at the end of a table declaration"),
        ("[shoe]", "[[shoe]]", "table.toml:16: [shoe]: expected one section, headed [shoe], got [{"),
    ],
)
def test_a_mistake_is_reported_with_its_line_and_what_was_expected(old: str, new: str, line: str) -> None:
    assert old in WHOLE
    lines = mistakes(WHOLE.replace(old, new, 1))
    assert any(one.startswith(line) for one in lines), lines


def test_a_misspelt_section_is_one_mistake() -> None:
    assert mistakes(WHOLE.replace("[shoe]", "[shoo]")) == ["table.toml:16: [shoo]: unknown key; did you mean shoe?"]
    # Nothing is near: both are said.
    assert len(mistakes(WHOLE.replace("[shoe]", "[cards]"))) == 2


def test_sections_of_one_name_need_double_brackets() -> None:
    first, _, rest = WHOLE.partition('[[bet_spots]]\nprotocol = "feig_obid"\nport = "/dev/spots-b"')
    text = first.replace("[[bet_spots]]", "[bet_spots]") + rest[rest.index("[keypad]") :]
    (line,) = mistakes(text)
    assert line.startswith("table.toml:20: [bet_spots]: expected sections, each headed [[bet_spots]], got {")


def test_all_mistakes_are_reported_at_once_in_the_order_of_the_file() -> None:
    text = WHOLE.replace("harbour", "?").replace("agreeing = 3", "agreeing = 30").replace('A = "1"', "AA = 1")
    lines = mistakes(text)
    assert [one.split(":")[1] for one in lines] == ["2", "33", "40"]


def test_names_are_held_against_what_the_house_knows() -> None:
    def options(profile: str, given: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
        yield "profile", f"no {profile}"
        for key in given:
            yield key, "not here"

    known = KnownNames(
        protocols={"shoe": ("angel_eye",), "keypad": ("pad",)},
        options=options,
        keys=lambda keys: ((key, "means nothing") for key in keys),
    )
    assert mistakes(WHOLE, known) == [
        "table.toml:4: [table] profile: no hollywood",
        "table.toml:10: [options] stand_key: not here",
        'table.toml:17: [shoe] protocol: expected one of angel_eye, got "bee_tek"',
        "table.toml:40: [keypad] keys.A: means nothing",
    ]


def test_a_protocol_whose_module_cannot_be_loaded_is_a_mistake() -> None:
    protocols = {"shoe": ("bee_tek",), "bet_spots": ("feig_obid",), "keypad": ("pad",)}
    known = KnownNames(protocols, lambda kind, _: "bee_tek.py, line 3: no" if kind == "shoe" else "")
    assert mistakes(WHOLE, known) == ["table.toml:17: [shoe] protocol: bee_tek.py, line 3: no"]


keys = st.sampled_from(["a", "b", "c", '"d e"', "'f.g'", "h.i"])
values = st.sampled_from(
    [
        "1",
        "1.5",
        "true",
        '"x # y"',
        "'it'",
        '"""two\nlines"""',
        "'''a\n\nb'''",
        "[1, 2]",
        "[\n1, # one\n[2],\n]",
        "{x = 1, y.z = [1]}",
        "1979-05-27T07:32:00Z",
        "[{p = 1}, {q = 2}]",
    ]
)
headers = st.sampled_from(["[t]", "[[u]]", "[u.v]", "[ w . x ]", "", "# remark"])


def every_path(data: object, path: tuple[str | int, ...] = ()) -> Iterable[tuple[str | int, ...]]:
    if path:
        yield path
    if isinstance(data, dict):
        for key, value in data.items():
            yield from every_path(value, (*path, key))
    if isinstance(data, list):
        for place, value in enumerate(data):
            yield from every_path(value, (*path, place))


@given(parts=st.lists(st.tuples(headers, st.lists(st.tuples(keys, values), max_size=3)), max_size=5))
def test_every_value_of_any_toml_file_is_found_on_the_line_it_stands_on(
    parts: list[tuple[str, list[tuple[str, str]]]],
) -> None:
    text = "".join(header + "\n" + "".join(f"{key} = {value}\n" for key, value in pairs) for header, pairs in parts)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    found = key_lines(text)
    rows = text.split("\n")
    for path in every_path(data):
        name = next(str(one) for one in reversed(path) if isinstance(one, str))
        if path[-1] == name:
            assert name.split()[0] in rows[found[path] - 1]
        assert path in found


GOOD_CHIPS = "id,value_cents\nE004aa,500\n\nE004BB, 2500\n"


def test_chips_are_read_with_upper_case_ids() -> None:
    registry = Registry({"E004AA": 500, "E004BB": 2500}, {})
    assert read_chips(GOOD_CHIPS, "chips.csv") == registry
    # As a spreadsheet saves it.
    assert read_chips("\ufeff" + GOOD_CHIPS, "chips.csv") == registry


def test_a_registry_says_which_chips_are_kept_elsewhere() -> None:
    text = "id,value_cents,elsewhere\nE004AA,500,\nE004BB,2500,vault\nE004CC,100, pit 2 \n"
    registry = read_chips(text, "chips.csv")
    assert registry.values == {"E004AA": 500, "E004BB": 2500, "E004CC": 100}
    assert registry.elsewhere == {"E004BB": "vault", "E004CC": "pit 2"}


def test_every_bad_line_of_such_a_registry_is_reported() -> None:
    with pytest.raises(ChipsRefused) as refused:
        read_chips(f"id,value_cents,elsewhere\nE004AA,500\nE004BB,500,{'v' * 61}\n", "chips.csv")
    assert refused.value.lines == (
        "chips.csv:2: expected id,value_cents,elsewhere, got 2 columns",
        "chips.csv:3: elsewhere: expected nothing, or a place in at most 60 characters",
    )


def test_every_bad_line_of_a_registry_is_reported() -> None:
    text = "id,value_cents\nE004,500\ne004,500\nxyz,1\nE0045,1\nE005,2.50\nE006,-1\nE007\nE008,0\n"
    with pytest.raises(ChipsRefused) as refused:
        read_chips(text, "chips.csv")
    assert refused.value.lines == (
        "chips.csv:3: chip E004 was already given on line 2",
        "chips.csv:4: id: expected pairs of hex digits, got 'xyz'",
        "chips.csv:5: id: expected pairs of hex digits, got 'E0045'",
        "chips.csv:6: value_cents: expected whole cents above 0, got '2.50'",
        "chips.csv:7: value_cents: expected whole cents above 0, got '-1'",
        "chips.csv:8: expected id,value_cents, got 1 columns",
        "chips.csv:9: value_cents: expected whole cents above 0, got '0'",
    )


@pytest.mark.parametrize("text", ["", "id;value_cents\n", "value_cents,id\n"])
def test_a_registry_needs_its_header(text: str) -> None:
    with pytest.raises(ChipsRefused, match="expected the header id,value_cents"):
        read_chips(text, "chips.csv")


TWO_METERS = """\
[table]
site = "a"

[[meters]]
name = "first"
rate = 1

[[meters]]
name = "second"
fed_by = ["x"]

[keypad.keys]
A = "1"
"""


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("[table] site: wrong", 2),
        ("[table] chips: wrong", 1),
        ("[broker]: wrong", 1),
        ("[[meters]] first: rate: wrong", 6),
        ("[[meters]] second: fed_by: wrong", 10),
        ("[[meters]] second: its odds cannot be counted: wrong", 8),
        ("[meters] wrong", 4),
        ("[keypad.keys]: no key means 1", 12),
    ],
)
def test_what_is_said_of_a_section_stands_after_its_line(message: str, line: int) -> None:
    assert located(TWO_METERS, "t.toml", message) == f"t.toml:{line}: {message}"


def test_what_is_said_of_no_section_stays_as_it_is() -> None:
    assert located(TWO_METERS, "t.toml", "chips.csv:2: wrong") == "chips.csv:2: wrong"
