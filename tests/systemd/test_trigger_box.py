"""The trigger box's unit, user and files: apart from the tables', and safe as they stand."""

from __future__ import annotations

import re
import subprocess
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from tests.systemd.test_files import SYSTEMD, fed, needs, settings_of

UNIT: Final = (SYSTEMD / "tableside-trigger-box@.service").read_text()
ALLOWED_EXPOSURE_TENTHS: Final = 15
setting: Final = partial(settings_of, UNIT)


def test_the_box_has_a_user_of_its_own_and_no_network() -> None:
    assert setting("User") == ["tableside-trigger"]
    assert setting("RestrictAddressFamilies") == ["AF_UNIX"]
    assert setting("PrivateNetwork") == ["yes"]
    assert setting("StateDirectoryMode") == ["0700"]


def test_the_box_is_in_no_group_of_the_tables_and_sees_who_calls() -> None:
    assert setting("Group") == ["tableside-box"]
    assert setting("SupplementaryGroups") == ["tableside-trigger dialout"]
    assert setting("PrivateUsers") == [], "in a namespace of its own every caller is nobody to it"


def test_what_is_in_memory_stays_there() -> None:
    assert setting("LimitCORE") == ["0"]
    assert setting("MemorySwapMax") == ["0"]


def test_each_role_has_its_key_and_it_comes_as_a_credential() -> None:
    keys = setting("LoadCredential")
    assert [key.partition(":")[0] for key in keys] == ["operations.key", "surveillance.key"]
    assert all(key.partition(":")[2].startswith("/etc/tableside-trigger-box/%i.") for key in keys)


def test_it_is_ready_when_it_says_so_and_lives_while_it_says_so() -> None:
    assert [setting(name) for name in ("Type", "NotifyAccess", "Restart", "WatchdogSec")] == [
        ["notify"],
        ["main"],
        ["always"],
        ["10"],
    ]


def exposure(unit: Path) -> int:
    command = ["systemd-analyze", "security", "--offline=true", f"--threshold={ALLOWED_EXPOSURE_TENTHS}", "--no-pager"]
    return subprocess.run([*command, str(unit)], capture_output=True, check=False).returncode


@needs("systemd-analyze")
@pytest.mark.parametrize(("without", "refused"), [("", False), ("SystemCallFilter", True), ("ProtectSystem", True)])
def test_the_unit_exposes_little(tmp_path: Path, without: str, refused: bool) -> None:
    unit = tmp_path / "tableside-trigger-box@1.service"
    unit.write_text(UNIT.replace(f"{without}=", f"#{without}=") if without else UNIT)
    if without == "ProtectSystem":
        unit.write_text(re.sub(r"^(Protect|Restrict|Private)", r"#\1", UNIT, flags=re.MULTILINE))
    assert (exposure(unit) != 0) is refused


@needs("systemd-analyze")
def test_systemd_has_nothing_to_say_of_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "tableside-trigger-box@1.service"
    unit.write_text(UNIT.replace("/opt/tableside/current/bin/tableside", "/bin/true").replace("After=", "#After="))
    command = ["systemd-analyze", "verify", "--recursive-errors=no", "--man=no", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@needs("systemd-sysusers")
@needs("systemd-tmpfiles")
def test_its_user_is_made_and_the_tables_cannot_read_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "etc/tableside-trigger-box"
    folder.mkdir(parents=True)
    for name in ("bj-1.operations.key", "bj-1.surveillance.key", "bj-1.toml"):
        (folder / name).touch(0o666)
    fed("systemd-sysusers", tmp_path, "tableside.sysusers.conf")
    fed("systemd-tmpfiles", tmp_path, "tableside.tmpfiles.conf")
    users = (tmp_path / "etc/passwd").read_text()
    groups = (tmp_path / "etc/group").read_text()
    assert re.search(r"^tableside-trigger:x:\d+:\d+:.*:/usr/sbin/nologin$", users, re.MULTILINE)
    assert re.search(r"^dialout:.*tableside-trigger", groups, re.MULTILINE)
    between = re.search(r"^tableside-box:x:\d+:(.*)$", groups, re.MULTILINE)
    assert between is not None
    assert set(between[1].split(",")) == {"tableside", "tableside-trigger"}
    assert not re.search(r"^tableside:.*tableside-trigger", groups, re.MULTILINE)
    own = re.search(r"^tableside-trigger:x:(\d+):", groups, re.MULTILINE)
    assert own is not None
    assert {file.name: file.stat().st_mode & 0o777 for file in (folder, *folder.iterdir())} == {
        "tableside-trigger-box": 0o750,
        "bj-1.operations.key": 0o600,
        "bj-1.surveillance.key": 0o600,
        "bj-1.toml": 0o640,
    }
    assert (folder / "bj-1.toml").stat().st_gid == int(own[1])
