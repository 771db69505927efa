"""A table whose program is not the one that was installed does not start, and says which file is another."""

from __future__ import annotations

from pathlib import Path

from controller.io.mqtt import Broker
from controller.io.software import listed, measure
from tests.wiring.premises import Ear, Premises, ran


async def test_a_program_with_a_file_that_is_another_does_not_run(tmp_path: Path) -> None:
    house = Premises(tmp_path, Broker(host="127.0.0.1", port=1), Ear())
    text = house.table_file.read_text().replace("[options]", 'software = "list"\n[options]')
    house.table_file.write_text(text)
    found = measure()
    name = "controller/core/settlement.py"
    (tmp_path / "list").write_text(listed({**found, name: "0" * 64}))
    status, _, errors = await ran("run", str(house.table_file))
    assert (status, errors) == (
        2,
        f"tableside: {tmp_path}/list: the program is not the one listed: {name} is another\n",
    )
    assert not house.journal.exists()
