"""A table runs only the program that was installed, and the journal says that it was looked at."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from controller.core.messages.events import SoftwareChecked
from controller.formats.text.software_list import public_of, signed
from controller.io.files.secret_files import write_secret
from controller.io.mqtt.connection import Broker
from tests.wiring.premises import Ear, Premises, open_house, program, ran

SEED = bytes(range(32))
NAME = "controller/core/game/settlement.py"
UNREAD = {**os.environ, "PYTHONPYCACHEPREFIX": "/nonexistent"}
"""No bytecode is read, as under the shipped unit."""


def printed(*arguments: str) -> str:
    """What the command prints, in a process like the daemon's."""
    found = subprocess.run(program("software", *arguments), check=True, capture_output=True, text=True, env=UNREAD)
    return found.stdout


class Vouched(Premises):
    """A table whose program somebody vouches for."""

    environment = UNREAD

    def table_text(self) -> str:
        key = self.directory / "house.key"
        write_secret(key, f"{SEED.hex()}\n".encode())
        (self.directory / "list").write_text(printed("--sign", str(key)))
        named = f'software = "list"\nsoftware_key = "{public_of(SEED)}"\n[options]'
        return super().table_text().replace("[options]", named, 1)


async def test_a_table_whose_program_is_vouched_for_runs_and_the_journal_says_so(
    tmp_path: Path, broker: Broker
) -> None:
    async with open_house(tmp_path, broker, make=Vouched) as house:
        found = await house.ear.event(SoftwareChecked)
        assert (found.when, found.passed, found.signed_by, found.detail) == ("start", True, public_of(SEED), "")
        assert found.files > 200
        await house.assert_published_once()


async def test_a_program_with_a_file_that_is_another_does_not_run(tmp_path: Path) -> None:
    house = Vouched(tmp_path, Broker(host="127.0.0.1", port=1), Ear())
    text = (tmp_path / "list").read_text().partition("# signed")[0]
    place = text.index(f"  {NAME}\n")
    other = f"{text[: place - 64]}{'0' * 64}{text[place:]}"
    (tmp_path / "list").write_text(signed(other, SEED))
    status, _, errors = await ran("run", str(house.table_file), environment=UNREAD)
    assert (status, errors) == (
        2,
        f"tableside: {tmp_path}/list: the program is not the one listed: {NAME} is another\n",
    )
    assert not house.journal.exists()


async def test_a_list_that_nobody_vouches_for_keeps_a_table_with_a_key_from_running(tmp_path: Path) -> None:
    house = Vouched(tmp_path, Broker(host="127.0.0.1", port=1), Ear())
    (tmp_path / "list").write_text((tmp_path / "list").read_text().partition("# signed")[0])
    status, _, errors = await ran("run", str(house.table_file), environment=UNREAD)
    message = f"no list of the program's files: it is not signed, and {public_of(SEED)} should have signed it"
    assert (status, errors) == (2, f"tableside: {tmp_path}/list: {message}\n")


async def test_a_module_that_nobody_installed_keeps_a_table_from_running(tmp_path: Path) -> None:
    house = Vouched(tmp_path, Broker(host="127.0.0.1", port=1), Ear())
    text = (tmp_path / "list").read_text().partition("# signed")[0]
    line = next(line for line in text.splitlines(keepends=True) if line.endswith("/click/__init__.py\n"))
    (tmp_path / "list").write_text(signed(text.replace(line, ""), SEED))
    status, _, errors = await ran("run", str(house.table_file), environment=UNREAD)
    assert status == 2
    assert errors.endswith("/click/__init__.py is not on the list\n")
