"""What a table file says of bet sensors, and the mistakes people make there."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from controller.formats.config import ConfigError, read_config

TABLE = """
[table]
site = "harbour"
name = "bj-1"
profile = "hollywood-penn-national"
key_file = "key"
journal = "journal"
chips = "chips.csv"
[shoe]
protocol = "bee_tek"
port = "/dev/shoe"
[keypad]
protocol = "matrix_orbital"
port = "/dev/keypad"
[[bet_spots]]
protocol = "feig_obid"
port = "/dev/spots"
spots = [1, 2]
antennas = {main = 1, blazing7s = 2}
[[bet_sensors]]
protocol = "modbus_rtu"
port = "/dev/sensors"
bet = "blazing7s"
spots = [1, 2]
"""


def test_a_unit_of_sensors() -> None:
    (unit,) = read_config(TABLE, "table.toml", PurePath("/")).bet_sensors
    assert (unit.bet, unit.spots, unit.address) == ("blazing7s", (1, 2), 1)


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ('bet = "blazing7s"', 'bet = "blazing"', "expected one of"),
        ('bet = "blazing7s"', 'bet = "ez_bust"', "made after the deal"),
        ("[1, 2]\n\n", "[1, 3]\n\n", "no reader of [[bet_spots]] sees zone blazing7s of spot 3"),
        ("[1, 2]\n\n", "[1, 1]\n\n", "a spot is given twice"),
        ("/dev/sensors", "/dev/spots", "is already the port of [bet_spots]"),
        ('"modbus_rtu"', '"modbus_rtu"\naddress = 248', "a unit's address from 1 to 247"),
    ],
)
def test_mistakes_in_it_are_told_with_their_place(before: str, after: str, complaint: str) -> None:
    text = (TABLE + "\n").replace(before, after)
    assert text != TABLE + "\n"
    with pytest.raises(ConfigError) as caught:
        read_config(text, "table.toml", PurePath("/"))
    assert any(complaint in line and "[[bet_sensors]]" in line for line in caught.value.lines), caught.value.lines
