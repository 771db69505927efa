"""A small part of the search for the trigger in a running table, from `make campaign-mystery`."""

from __future__ import annotations

import pytest

from bench.mystery_table import COMMANDS, forms, look, search, short_forms
from controller.io.mqtt.broker import find_mosquitto

NUMBER = 61_234_567
SAID = {
    "decimal": b'"cents":61234567,',
    "dollars": b"$612,345.67",
    "hex": b"0x3a65d87",
    "capital hex": b"003A65D87",
    "eight bytes": NUMBER.to_bytes(8, "big"),
    "as Python holds it": bytes([1, 0, 0, 0, 0, 0, 0, 0]) + NUMBER.to_bytes(4, "little"),
}


async def test_a_running_table_neither_says_writes_nor_holds_what_the_box_drew() -> None:
    if find_mosquitto() is None:
        pytest.skip("Mosquitto is not installed")
    searched = await search(21, 3, [one for one in COMMANDS if one[0] in (["meters"], ["mystery", "verify"])])
    assert (searched.contributions, searched.found) == (21, [])
    assert min(searched.sizes.values()) > 500
    # The same search finds the ceiling, which all may know, wherever it stands; at the tap only who listened by then.
    assert {*searched.known, "tap"} == set(searched.sizes) - {"log", "process", "what devices were sent"}


@pytest.mark.parametrize("form", SAID)
def test_the_search_finds_a_number_that_stands_somewhere(form: str) -> None:
    assert [
        place
        for place, _ in look(
            {"a": [b"nothing", b".." + SAID[form]], "b": [b"nothing"]}, forms(NUMBER), short_forms(NUMBER)
        )
    ][:1] == ["a"]


def test_four_bytes_are_looked_for_where_they_cannot_stand_by_chance() -> None:
    there = b"." + NUMBER.to_bytes(4, "little")
    assert look({"small": [there]}, [], short_forms(NUMBER)) == [("small", there[1:])]
    assert look({"large": [there, bytes(5 << 20)]}, [], short_forms(NUMBER)) == []
