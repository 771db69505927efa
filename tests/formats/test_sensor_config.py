"""What a table file says of bet sensors, and the mistakes people make there."""

from __future__ import annotations

from pathlib import PurePath

import pytest
from msgspec.structs import replace

from controller.core.messages.house import SensorBet
from controller.formats.config.sensors import counted_bets, profile_checks
from controller.formats.config.table_file import read_config, zones_seen
from controller.formats.text.toml_schema import ConfigError
from controller.io.files import profile_files

RULES = profile_files.load("hollywood-penn-national", {}).rules
SECOND = """
[[bet_sensors]]
protocol = "modbus_rtu"
port = "/dev/sensors2"
bet = "five_card_progressive"
spots = [2]
"""

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
        ('"modbus_rtu"', '"modbus_rtu"\nstake_cents = 500', "the readers see blazing7s at all its spots"),
        ('"modbus_rtu"', '"modbus_rtu"\nstake_cents = 0', "whole cents, 1 or more"),
        ("[1, 2]\n\n", "[1, 1]\n\n", "a spot is given twice"),
        ("/dev/sensors", "/dev/spots", "is already the port of [bet_spots]"),
        ('"modbus_rtu"', '"modbus_rtu"\naddress = 248', "a unit's address from 1 to 247"),
    ],
)
def test_mistakes_in_it_are_reported_with_their_place(before: str, after: str, complaint: str) -> None:
    text = (TABLE + "\n").replace(before, after)
    assert text != TABLE + "\n"
    with pytest.raises(ConfigError) as caught:
        read_config(text, "table.toml", PurePath("/"))
    assert any(complaint in line and "[[bet_sensors]]" in line for line in caught.value.lines), caught.value.lines


def units(text: str) -> tuple[list[str], dict[str, SensorBet]]:
    """What does not fit the profile, and what only sensors see."""
    config = read_config(text, "table.toml", PurePath("/"))
    zones = zones_seen(config)
    return [*profile_checks(config.bet_sensors, zones, RULES)], counted_bets(config.bet_sensors, zones, RULES)


def test_where_readers_see_the_zone_too_sensors_count_nothing() -> None:
    assert units(TABLE) == ([], {})


def test_spots_that_no_reader_sees_are_counted_at_the_cards_stake() -> None:
    text = TABLE.replace("spots = [1, 2]\n", "spots = [2, 3, 1]\n").replace("spots = [2, 3, 1]", "spots = [1, 2]", 1)
    assert units(text) == ([], {"blazing7s": SensorBet("bet_sensors", (3,), 500)})


def test_without_zones_all_spots_are_counted_and_the_second_unit_has_its_own_name() -> None:
    text = TABLE.replace(", blazing7s = 2", "") + SECOND + "stake_cents = 2500\n"
    assert units(text) == (
        [],
        {
            "blazing7s": SensorBet("bet_sensors", (1, 2), 500),
            "five_card_progressive": SensorBet("bet_sensors2", (2,), 2500),
        },
    )


def test_a_stake_the_card_leaves_open_must_be_given() -> None:
    (complaint,) = units(TABLE + SECOND)[0]
    assert "five_card_progressive: no reader of [[bet_spots]] sees this zone of spot 2" in complaint
    assert complaint.endswith("give stake_cents")


def test_another_stake_than_the_cards_is_refused() -> None:
    text = TABLE.replace(", blazing7s = 2", "") + "stake_cents = 600\n"
    assert units(text)[0] == ["[[bet_sensors]] blazing7s: stake_cents: the profile's blazing7s is made for 500 cents"]


def test_a_bet_the_profile_does_not_offer_is_refused() -> None:
    config = read_config(TABLE, "table.toml", PurePath("/"))
    complaints = [*profile_checks(config.bet_sensors, zones_seen(config), replace(RULES, side_bets=()))]
    assert complaints == ["[[bet_sensors]] blazing7s: bet: profile hollywood-penn-national does not offer blazing7s"]
