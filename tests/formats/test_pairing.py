"""The line of a trigger box is paired, or both ends say that it is not; a local socket is a line like any other."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from controller.commands.table_program import unpaired_lines
from controller.daemon.wiring import unpaired_devices
from controller.formats.config.pairing import unpaired
from controller.formats.config.table_file import read_config
from tests.progressive.test_meter_config import METERS, TABLE


@pytest.mark.parametrize(
    ("port", "key", "warned"),
    [
        ("/dev/tableside/trigger", None, True),
        ("usb:04D8:F5FE", None, True),
        ("/dev/tableside/trigger", "credential:pairing.key", False),
        ("unix:/run/tableside-trigger-box/bj-1/trigger.sock", None, True),
        ("unix:/run/tableside-trigger-box/bj-1/trigger.sock", "credential:pairing.key", False),
    ],
)
def test_every_line_ought_to_be_paired(port: str, key: str | None, warned: bool) -> None:
    warning = unpaired(port, key)
    assert bool(warning) is warned
    assert not warned or warning.startswith(f"the line of the trigger box ({port}) is not paired")


def test_a_table_says_it_of_its_file() -> None:
    assert METERS.count('"unix:/run/box.sock"') == 1
    for port in ("unix:/run/box.sock", "/dev/trigger"):
        text = TABLE + METERS.replace("unix:/run/box.sock", port)
        warnings = unpaired_lines(read_config(text, "bj-1.toml", PurePath("/etc")))
        assert [line.startswith("[trigger] the line of the trigger box") for line in warnings] == [True]
    assert unpaired_lines(read_config(TABLE, "bj-1.toml", PurePath("/etc"))) == ()


@pytest.mark.parametrize("port", ["unix:/run/box.sock", "/dev/trigger"])
def test_the_table_that_starts_on_it_says_so(port: str) -> None:
    config = read_config(TABLE + METERS.replace("unix:/run/box.sock", port), "bj-1.toml", PurePath("/etc"))
    assert unpaired_devices(config) == ("mystery_trigger",)
