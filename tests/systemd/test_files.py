"""What is installed beside the program: understood by the system's own tools, and safe as it stands."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import partial
from pathlib import Path
from typing import Final

import pytest

SYSTEMD: Final = Path(__file__).resolve().parents[2] / "systemd"
UNIT: Final = (SYSTEMD / "tableside@.service").read_text()
RULES: Final = (SYSTEMD / "60-tableside.rules").read_text()
RULE: Final = re.compile(
    r'(?:ACTION|SUBSYSTEM|KERNEL|DRIVER|(?:ENV|ATTR)\{\w+\}|SYMLINK)(?P<operator>==|!=|=|\+=)"[^"]*"(?:, |$)'
)

MATCHING: Final = {"==", "!="}


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"needs {program}")


def fed(program: str, root: Path, file: str) -> str:
    """What a tool says that is given a file of ours for the system below ``root``."""
    command = [program, f"--root={root}", *(["--create"] if "tmpfiles" in program else []), "-"]
    text = (SYSTEMD / file).read_text()
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


def settings_of(unit: str, name: str) -> list[str]:
    return re.findall(rf"^{name}=(.*)$", unit, re.MULTILINE)


setting: Final = partial(settings_of, UNIT)


def test_the_service_is_ready_when_it_says_so_and_lives_while_it_says_so() -> None:
    assert setting("Type") == ["notify"]
    assert setting("WatchdogSec") == ["10"]
    assert setting("NotifyAccess") == ["main"]
    assert setting("Restart") == ["always"]


def test_the_key_reaches_the_service_as_a_credential_only() -> None:
    assert setting("LoadCredential") == ["table.key:/etc/tableside/%i.key"]
    tmpfiles = (SYSTEMD / "tableside.tmpfiles.conf").read_text()
    assert "z /etc/tableside/*.key 0600 root root -" in tmpfiles


@needs("systemd-analyze")
def test_systemd_has_nothing_to_say_of_the_unit(tmp_path: Path) -> None:
    """Not a word: a misspelt key is only a warning, and a warning is one too many."""
    unit = tmp_path / "tableside@1.service"
    unit.write_text(UNIT.replace("/opt/tableside/current/bin/tableside", "/bin/true").replace("After=", "#After="))
    command = ["systemd-analyze", "verify", "--recursive-errors=no", "--man=no", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@needs("systemd-sysusers")
def test_the_user_is_made(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    fed("systemd-sysusers", tmp_path, "tableside.sysusers.conf")
    assert re.search(r"^tableside:x:\d+:\d+:.*:/usr/sbin/nologin$", (tmp_path / "etc/passwd").read_text(), re.MULTILINE)
    assert re.search(r"^dialout:.*\btableside(,|$)", (tmp_path / "etc/group").read_text(), re.MULTILINE)


@needs("systemd-tmpfiles")
@needs("systemd-sysusers")
def test_keys_are_roots_alone(tmp_path: Path) -> None:
    folder = tmp_path / "etc/tableside"
    folder.mkdir(parents=True)
    for name in ("bj-1.key", "bj-1.toml", "chips.csv"):
        (folder / name).touch(0o666)
    fed("systemd-sysusers", tmp_path, "tableside.sysusers.conf")
    fed("systemd-tmpfiles", tmp_path, "tableside.tmpfiles.conf")
    modes = {file.name: file.stat().st_mode & 0o777 for file in (folder, *folder.iterdir())}
    assert modes == {"tableside": 0o750, "bj-1.key": 0o600, "bj-1.toml": 0o640, "chips.csv": 0o640}


def rules(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith("# ")]


@pytest.mark.parametrize("rule", rules(RULES))
def test_a_rule_is_well_formed_matches_before_it_sets_and_the_examples_are_too(rule: str) -> None:
    text = rule.removeprefix("#")
    parts = list(RULE.finditer(text))
    assert "".join(part.group() for part in parts) == text
    operators = [part["operator"] for part in parts]
    assert operators == sorted(operators, key=lambda operator: operator not in MATCHING)
    assert operators[0] in MATCHING
    assert operators[-1] not in MATCHING


def test_the_rules_do_what_they_are_for() -> None:
    active = "\n".join(line for line in rules(RULES) if not line.startswith("#"))
    assert 'KERNEL=="ttyUSB*|ttyACM*", ENV{ID_MM_DEVICE_IGNORE}="1"' in active
    # `udevadm trigger`, which the install says to run, sends "change" to what is plugged in already.
    assert 'ACTION!="remove", SUBSYSTEM=="usb-serial", DRIVER=="ftdi_sio", ATTR{latency_timer}="1"' in active
    assert "SYMLINK" not in active
    named = set(re.findall(r'SYMLINK\+="tableside/(\w+)"', RULES))
    assert named == {"shoe", "bet_spots", "keypad", "rng"}


DRIVERS: Final = {"char-ttyUSB": "usbserial", "char-ttyACM": "cdc_acm", "char-ttyS": None}
"""Which kernel module registers a group of devices; the PC's own serial ports are part of every kernel."""


@pytest.mark.parametrize("unit", sorted(SYSTEMD.glob("*.service")), ids=lambda unit: unit.name)
def test_the_driver_of_every_device_a_service_may_open_is_there_before_it(unit: Path) -> None:
    """A group of devices that no driver has registered yet when the service begins is refused to it for ever."""
    text = unit.read_text()
    for group, mode in re.findall(r"^DeviceAllow=(\S+) (\S+)$", text, re.MULTILINE):
        assert mode == "rw"
        if (driver := DRIVERS[group]) is not None:
            for key in ("Wants", "After"):
                units = " ".join(re.findall(rf"^{key}=(.*)$", text, re.MULTILINE)).split()
                assert f"modprobe@{driver}.service" in units, (key, group)
