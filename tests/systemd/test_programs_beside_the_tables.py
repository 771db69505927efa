"""The units, users and files of the programs beside the tables: apart from the tables', and safe as they stand."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Final

import pytest

from controller.commands.link import DOES_NOT_ADD_UP
from tests.systemd.test_files import SYSTEMD, fed, needs, settings_of
from tests.systemd.test_trigger_box import exposure

FILES: Final = {
    "link": {"pit-1.key": 0o600, "pit-1.toml": 0o640},
    "web": {"pit-3.key": 0o600, "pit-3.env": 0o640},
    "collect": {"harbour.broker.key": 0o600, "harbour.toml": 0o640},
}
"""What lies in each program's folder, and who may read it."""


def unit_of(program: str) -> str:
    return (SYSTEMD / f"tableside-{program}@.service").read_text()


def setting(program: str, name: str) -> list[str]:
    return settings_of(unit_of(program), name)


@pytest.mark.parametrize("program", FILES)
def test_it_has_a_user_of_its_own_and_no_network_but_what_its_administrator_allows(program: str) -> None:
    assert setting(program, "User") == [f"tableside-{program}"]
    assert setting(program, "IPAddressDeny") == ["any"]
    assert setting(program, "ProtectSystem") == ["strict"]


def test_the_pages_are_this_machines_alone() -> None:
    assert setting("web", "IPAddressAllow") == ["localhost"]


def test_the_pages_yield_to_a_table() -> None:
    table = (SYSTEMD / "tableside@.service").read_text()
    for weight in ("CPUWeight", "IOWeight"):
        (of_table,) = re.findall(rf"^{weight}=(\d+)$", table, re.MULTILINE)
        assert int(setting("web", weight)[0]) < 100 < int(of_table), "100 is everybody else's"
    assert setting("web", "CPUWeight")[-1] == "idle", "what a systemd that knows it takes"
    assert int(setting("web", "Nice")[0]) > 0
    assert setting("web", "CPUSchedulingPolicy") == ["batch"]
    assert re.findall(r"^Nice=", table, re.MULTILINE) == [], "below 0 it would not start in many a container"


@pytest.mark.parametrize("unit", ["tableside@", "tableside-web@"])
def test_what_a_unit_weighs_counts_among_all_services(unit: str) -> None:
    text = (SYSTEMD / f"{unit}.service").read_text()
    slices = re.findall(r"^Slice=(.*)$", text, re.MULTILINE)
    assert slices == ["system.slice"], "an instance of a template is else in a slice of its template's name"


def test_the_links_key_comes_as_a_credential() -> None:
    assert setting("link", "LoadCredential") == ["link.key:/etc/tableside-link/%i.key"]


@pytest.mark.parametrize("program", ["link", "collect"])
def test_it_is_started_again_for_ever(program: str) -> None:
    assert (setting(program, "Restart"), setting(program, "StartLimitIntervalSec")) == (["always"], ["0"])


def test_a_ledger_that_does_not_add_up_is_not_started_again() -> None:
    assert setting("link", "RestartPreventExitStatus") == [str(DOES_NOT_ADD_UP)]


@needs("systemd-analyze")
@pytest.mark.parametrize("program", FILES)
@pytest.mark.parametrize(("without", "refused"), [("", False), ("SystemCallFilter", True)])
def test_the_unit_exposes_little(tmp_path: Path, program: str, without: str, refused: bool) -> None:
    unit, text = tmp_path / f"tableside-{program}@1.service", unit_of(program)
    unit.write_text(text.replace(f"{without}=", f"#{without}=") if without else text)
    assert (exposure(unit) != 0) is refused


@needs("systemd-analyze")
@pytest.mark.parametrize("program", FILES)
def test_systemd_has_nothing_to_say_of_the_unit(tmp_path: Path, program: str) -> None:
    unit = tmp_path / f"tableside-{program}@1.service"
    text = unit_of(program).replace("/opt/tableside/current/bin/tableside", "/bin/true")
    unit.write_text(text.replace("After=", "#After=").replace("Wants=", "#Wants="))
    command = ["systemd-analyze", "verify", "--recursive-errors=no", "--man=no", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@needs("systemd-sysusers")
@needs("systemd-tmpfiles")
@pytest.mark.parametrize("program", FILES)
def test_its_user_is_made_and_its_keys_are_roots_alone(tmp_path: Path, program: str) -> None:
    folder = tmp_path / f"etc/tableside-{program}"
    folder.mkdir(parents=True)
    for name in FILES[program]:
        (folder / name).touch(0o666)
    fed("systemd-sysusers", tmp_path, "tableside.sysusers.conf")
    fed("systemd-tmpfiles", tmp_path, "tableside.tmpfiles.conf")
    users = (tmp_path / "etc/passwd").read_text()
    assert re.search(rf"^tableside-{program}:x:\d+:\d+:.*:/usr/sbin/nologin$", users, re.MULTILINE)
    modes = {file.name: file.stat().st_mode & 0o777 for file in (folder, *folder.iterdir())}
    assert modes == {folder.name: 0o750, **FILES[program]}
