"""The table file's sections about meters, and what the commands about them put on the wire."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import msgspec
import pytest

from controller.commands import jackpot, meter
from controller.core.messages.inputs import ApproveOrder, PayJackpot, ProposeMeterChange, VerifyJackpot, WithdrawOrder
from controller.core.meters.meter import Parameters
from controller.core.meters.state import Adjustment, Grant, JackpotRefusal, NewParameters
from controller.formats.config.meters import profile_checks, terms_of_meters
from controller.formats.config.table_file import Config, read_config
from controller.formats.orders.requests import input_of, read_command
from controller.formats.text.toml_schema import ConfigError
from controller.io.files import profile_files

TABLE = """\
[table]
site = "harbour"
name = "bj-1"
profile = "hollywood-penn-national"
key_file = "table.key"
journal = "journal.sqlite"
chips = "chips.csv"
[shoe]
protocol = "bee_tek"
port = "/dev/shoe"
[[bet_spots]]
protocol = "feig_obid"
port = "/dev/spots"
spots = [1]
antennas = {main = 1, blazing7s = 2, five_card_progressive = 3}
[keypad]
protocol = "matrix_orbital"
port = "/dev/keypad"
"""
METERS = """\
[[meters]]
name = "sevens"
fed_by = ["blazing7s"]
rate = [17, 100]
base_cents = 1_000_000
reset_cents = 500_000
unreasonable_cents = 500
[[meters]]
name = "mystery"
pays = "mystery"
fed_by = ["five_card_progressive"]
rate = [1, 10]
unreasonable_cents = 5000
[trigger]
port = "unix:/run/box.sock"
[[signs]]
protocol = "alpha"
port = "/dev/sign"
meters = ["sevens", "mystery"]
captions = ["7S $", " MYSTERY $"]
"""


def read(meters: str = METERS) -> Config:
    return read_config(TABLE + meters, "bj-1.toml", PurePath("/etc"))


def test_meters_are_counted_as_the_file_and_the_profile_say() -> None:
    rules = profile_files.load("hollywood-penn-national", {}).rules
    config = read()
    assert list(profile_checks(config.meters, rules)) == []
    sevens, mystery = terms_of_meters(config.meters, rules)
    assert sevens.parameters == Parameters(1_000_000, 500_000, (17, 100), 500)
    assert mystery.parameters == Parameters(25_000, 25_000, (1, 10), 5_000, 100_000)
    assert (sevens.kind, mystery.kind) == ("rows", "mystery")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('"blazing7s"', '"blazing8s"', "fed_by: expected some of"),
        ('"blazing7s"', '"ez_bust"', "fed_by: ez_bust is made after the deal and feeds no meter"),
        ("[17, 100]", "[170, 100]", "rate: expected a part of the wager such as [17, 100]"),
        ("base_cents = 1_000_000\n", "", "expected base_cents and reset_cents"),
        ('name = "mystery"', 'name = "sevens"', "name: sevens is given twice"),
        ('pays = "mystery"', 'pays = "mystery"\nwhile_closed = "ask"', "while_closed: expected"),
        ('pays = "mystery"', 'pays = "mystery"\nlimit_cents = 5', "starts and ends where the profile says"),
        ('[trigger]\nport = "unix:/run/box.sock"\n', "", "a must-hit-by meter and [trigger] go together"),
        ('["sevens", "mystery"]', '["sevens", "eights"]', "meters: no meter is called eights"),
        (', " MYSTERY $"]', "]", "captions: expected one for each of the meters"),
        ('port = "/dev/sign"', 'port = "/dev/shoe"', "/dev/shoe is already the port of [shoe]"),
    ],
)
def test_a_mistake_is_named(before: str, after: str, message: str) -> None:
    assert METERS.count(before) == 1
    with pytest.raises(ConfigError) as refused:
        read(METERS.replace(before, after))
    assert any(message in line for line in refused.value.lines), refused.value.lines


def test_what_becomes_of_a_wager_on_a_closed_meter_is_as_the_file_says() -> None:
    rules = profile_files.load("hollywood-penn-national", {}).rules
    config = read(METERS.replace('pays = "mystery"', 'pays = "mystery"\nwhile_closed = "refuse"'))
    assert [one.while_closed for one in terms_of_meters(config.meters, rules)] == ["stand", "refuse"]


def test_a_profile_that_does_not_offer_the_wager_is_named() -> None:
    rules = profile_files.load("borgata", {}).rules
    found = list(profile_checks(read().meters, rules))
    assert "[[meters]] sevens: fed_by: profile borgata does not offer blazing7s" in found


def asked(group: Any, name: str, **given: Any) -> object:
    """What the table is given when a person types this."""
    verb, body = group.command.commands[name].callback.__wrapped__(**given)
    return input_of(read_command(verb, msgspec.json.encode({**body, "who": "A. Ames"})), 5)


def test_what_is_typed_is_what_the_table_is_given() -> None:
    who = ("A. Ames", "seen")
    assert asked(jackpot, "verify", jackpot=3, why="seen") == VerifyJackpot(5, 3, *who)
    assert asked(jackpot, "pay", jackpot=3, why="seen") == PayJackpot(5, 3, *who)
    assert asked(jackpot, "refuse", meter="m", jackpot=3, why="seen") == ProposeMeterChange(
        5, "m", JackpotRefusal(3), *who
    )
    won = {"number": 7, "spot": 2, "bet": "blazing7s", "row": "three_suited"}
    granted = Grant(7, 2, "blazing7s", "three_suited")
    assert asked(jackpot, "grant", meter="m", why="seen", **won) == ProposeMeterChange(5, "m", granted, *who)
    lowered = Adjustment("reserve", -5, "equipment_correction")
    typed = {"units": -5, "reason": "equipment_correction", "reserve": True}
    assert asked(meter, "adjust", meter="m", why="seen", **typed) == ProposeMeterChange(5, "m", lowered, *who)
    parameters = Parameters(1, 2, (1, 7), 9, 40, (1, 100))
    changed = msgspec.structs.asdict(parameters)
    expected = ProposeMeterChange(5, "m", NewParameters(parameters), *who)
    assert asked(meter, "change", meter="m", why="seen", **changed) == expected
    assert asked(meter, "approve", order=4) == ApproveOrder(5, 4, "A. Ames")
    assert asked(meter, "withdraw", order=4, why="seen") == WithdrawOrder(5, 4, *who)
