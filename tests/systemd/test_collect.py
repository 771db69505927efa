"""The collector's unit, user and files: apart from the tables', and safe as they stand."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.systemd.test_files import SYSTEMD, fed, needs
from tests.systemd.test_trigger_box import exposure

UNIT: Final = (SYSTEMD / "tableside-collect@.service").read_text()


def setting(name: str) -> list[str]:
    return re.findall(rf"^{name}=(.*)$", UNIT, re.MULTILINE)


def test_it_has_a_user_of_its_own_and_is_started_again_for_ever() -> None:
    assert setting("User") == ["tableside-collect"]
    assert setting("IPAddressDeny") == ["any"]
    assert (setting("Restart"), setting("StartLimitIntervalSec")) == (["always"], ["0"])


@needs("systemd-analyze")
@pytest.mark.parametrize(("without", "refused"), [("", False), ("SystemCallFilter", True)])
def test_the_unit_exposes_little(tmp_path: Path, without: str, refused: bool) -> None:
    unit = tmp_path / "tableside-collect@1.service"
    unit.write_text(UNIT.replace(f"{without}=", f"#{without}=") if without else UNIT)
    assert (exposure(unit) != 0) is refused


@needs("systemd-analyze")
def test_systemd_has_nothing_to_say_of_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "tableside-collect@1.service"
    text = UNIT.replace("/opt/tableside/current/bin/tableside", "/bin/true")
    unit.write_text(text.replace("After=", "#After=").replace("Wants=", "#Wants="))
    command = ["systemd-analyze", "verify", "--recursive-errors=no", "--man=no", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@needs("systemd-sysusers")
@needs("systemd-tmpfiles")
def test_its_user_is_made_and_its_keys_are_roots_alone(tmp_path: Path) -> None:
    folder = tmp_path / "etc/tableside-collect"
    folder.mkdir(parents=True)
    for name in ("harbour.broker.key", "harbour.toml"):
        (folder / name).touch(0o666)
    fed("systemd-sysusers", tmp_path, "tableside.sysusers.conf")
    fed("systemd-tmpfiles", tmp_path, "tableside.tmpfiles.conf")
    users = (tmp_path / "etc/passwd").read_text()
    assert re.search(r"^tableside-collect:x:\d+:\d+:.*:/usr/sbin/nologin$", users, re.MULTILINE)
    modes = {file.name: file.stat().st_mode & 0o777 for file in (folder, *folder.iterdir())}
    assert modes == {"tableside-collect": 0o750, "harbour.broker.key": 0o600, "harbour.toml": 0o640}
