"""``tableside setup``: a clean root made ready, the same again, and never a word of anybody's written over."""

from __future__ import annotations

import os
import re
import select
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
import msgspec
import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.commands.setup import INSTALLED, ask_questions, asked_without_devices, found_devices
from controller.formats.config.setup_answers import QUESTIONS, Answers
from controller.formats.text.usb_names import SerialPort
from controller.io.files.key_file import read_key
from controller.io.mqtt.broker import LOOPBACK, find_mosquitto, free_port
from controller.io.mqtt.connection import Broker, connected
from firmware_protocols import discovery
from simulators.devices.bet_spots import BetSpotsSimulator
from simulators.devices.shoe import ShoeSimulator
from simulators.serve import Port
from tests.io.lines_rig import BEE_TEK, FEIG
from tests.systemd.test_mosquitto import running

ROOT: Final = Path(__file__).resolve().parents[2]

SHOES: Final = ", ".join(discovery.codecs()["shoe"])
PUBLIC: Final = "4nC={n>i9m(dF.OtnoC#/Mv>Q==%=CMpk(d:(6lp"
ANSWERS: Final = f"""\
site = "harbour"
table = "bj-7"
shoe_port = "/dev/tableside/shoe"
bet_spots_port = "usb:0403:6001:FT4CHIPS"
keypad_port = "/dev/tableside/keypad"
operator_address = "192.0.2.10:7010"
floor_group = "casino-floor"

[[operator]]
name = "M. Okafor"
roles = ["floor"]
keys = ["{PUBLIC}"]
"""
WROTE: Final = re.compile(r"^(writes|makes|puts|links|KEEPS)", re.MULTILINE)

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


def setup(root: Path, *options: str, answers: str = ANSWERS) -> Result:
    file = root.parent / "answers.toml"
    file.write_text(answers)
    return CliRunner().invoke(main, ["setup", "--answers", str(file), "--root", str(root), *options])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A clean root: nothing in it but the list of users that Debian begins with."""
    etc = tmp_path / "root/etc"
    etc.mkdir(parents=True)
    (etc / "passwd").write_text("root:x:0:0:root:/root:/bin/bash\nmosquitto:x:108:113::/:/usr/sbin/nologin\n")
    (etc / "group").write_text("root:x:0:\ndialout:x:20:\nmosquitto:x:113:\n")
    return tmp_path / "root"


def content(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def modes(root: Path, folder: str) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in (root / folder).iterdir()}


@as_root
def test_a_clean_root_is_made_ready_and_its_table_is_fit_to_run(root: Path) -> None:
    done = setup(root)
    assert done.exit_code == 0, done.output
    assert len(read_key(root / "etc/tableside/bj-7.key")) == 32
    assert modes(root, "etc/tableside") == {
        "bj-7.key": 0o600, "bj-7-operator.key": 0o600, "table.broker-password.key": 0o600,
        "floor.broker-password.key": 0o600, "bj-7.toml": 0o640, "bj-7-operators.toml": 0o640, "chips.csv": 0o640,
    }  # fmt: skip
    assert modes(root, "etc/mosquitto")["tableside.passwd"] == 0o600
    assert (root / "etc/mosquitto/tableside.passwd").stat().st_uid == 108
    for name in ("usr/lib/sysusers.d/tableside.conf", "etc/udev/rules.d/60-tableside.rules"):
        assert (root / name).is_file()
    drop_in = (root / "etc/systemd/system/tableside@bj-7.service.d/credentials.conf").read_text()
    assert "LoadCredential=operator.key:/etc/tableside/bj-7-operator.key" in drop_in
    # Each thing it did is printed, and where operators find the table.
    assert "makes /etc/tableside/bj-7.key: the table's key, mode 0600" in done.output
    assert "tcp://192.0.2.10:7010 with --table-key" in done.output
    secret = (root / "etc/tableside/table.broker-password.key").read_text().strip()
    assert secret not in done.output
    fit = checked_as_on_the_pc(root)
    assert fit.returncode == 0, fit.stdout + fit.stderr
    assert "harbour/bj-7" in fit.stdout
    assert fit.stdout.endswith("fit to run\n")


def test_every_file_that_is_made_is_on_the_page_for_operators(root: Path) -> None:
    done = setup(root, "--dry-run")
    assert done.exit_code == 0, done.output
    made = re.findall(r"^ *would (?:write|make|put) (/\S+?):? ", done.output, re.MULTILINE)
    page = (ROOT / "docs/guide/operations.md").read_text()
    files = page[page.index("## Files") : page.index("## Copies")]
    named = {name.replace("bj-1", "bj-7").rpartition("/")[2] for name in re.findall(r"`([^`]+)`", files)}
    assert [path for path in made if Path(path).suffix and Path(path).name not in named] == []
    assert len(made) > 10


@as_root
def test_a_service_that_the_package_brings_is_not_hidden_by_another_of_its_name(root: Path) -> None:
    packaged = root / "usr/lib/systemd/system/tableside@.service"
    packaged.parent.mkdir(parents=True)
    packaged.write_text((ROOT / "systemd/tableside@.service").read_text())
    program = root / "usr/bin/tableside"
    program.parent.mkdir()
    program.symlink_to(INSTALLED)
    done = setup(root)
    assert done.exit_code == 0, done.output
    assert "leaves the command tableside to the Debian package: /usr/bin/tableside" in done.output
    assert not (root / "usr/local/bin/tableside").is_symlink()
    assert "leaves tableside@.service to the Debian package" in done.output
    assert not (root / "etc/systemd/system/tableside@.service").exists()
    assert (root / "etc/systemd/system/tableside@bj-7.service.d/credentials.conf").is_file()


def checked_as_on_the_pc(root: Path) -> subprocess.CompletedProcess[str]:
    """``tableside check`` where the root's /etc/tableside and /run are the machine's, as far as it can see."""
    mounts = f"mount -t tmpfs none /run && cp -a {root}/run/. /run/ && "
    program = f"{mounts} exec {sys.executable} -m controller check {root}/etc/tableside/bj-7.toml"
    return subprocess.run(["unshare", "-m", "sh", "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)


@as_root
@pytest.mark.skipif(shutil.which("systemd-sysusers") is None, reason="needs systemd")
def test_the_systems_own_tools_make_the_users_groups_and_folders(root: Path) -> None:
    assert setup(root).exit_code == 0
    groups = (root / "etc/group").read_text()
    assert re.search(r"^casino-floor:", groups, re.MULTILINE)
    assert re.search(r"^tableside:", groups, re.MULTILINE)
    floor = root / "run/tableside-operator/bj-7/floor"
    number = int(re.findall(r"^casino-floor:\w*:(\d+):", groups, re.MULTILINE)[0])
    assert (stat.S_IMODE(floor.stat().st_mode), floor.stat().st_gid) == (0o2750, number)
    assert (root / "etc/systemd/system/multi-user.target.wants/tableside@bj-7.service").is_symlink()


def test_the_program_is_a_command_of_every_shell(root: Path) -> None:
    command = root / "usr/local/bin/tableside"
    assert setup(root, "--dry-run").exit_code == 0
    assert not command.is_symlink()
    done = setup(root)
    assert done.exit_code == 0, done.output
    assert str(command.readlink()) == INSTALLED
    assert f"links /usr/local/bin/tableside to {INSTALLED}: the command tableside, in every shell" in done.output
    again = setup(root)
    assert (again.exit_code, "leaves /usr/local/bin/tableside: it exists" in again.output) == (0, True)


@pytest.mark.parametrize("is_link", [True, False])
def test_another_program_of_that_name_is_kept_and_said(root: Path, *, is_link: bool) -> None:
    command = root / "usr/local/bin/tableside"
    command.parent.mkdir(parents=True)
    if is_link:
        command.symlink_to("/srv/tableside")
    else:
        command.write_text("#!/bin/sh\n")
    done = setup(root, "--replace")
    assert done.exit_code == 1
    assert f"KEEPS /usr/local/bin/tableside: it is not a link to {INSTALLED}; remove it and run this" in done.output
    assert "kept as they were: /usr/local/bin/tableside" in done.output
    assert str(command.readlink()) == "/srv/tableside" if is_link else command.read_text() == "#!/bin/sh\n"


def test_a_root_named_from_here_is_the_same_root(root: Path) -> None:
    (root.parent / "answers.toml").write_text(ANSWERS)
    command = [sys.executable, "-m", "controller", "setup", "--answers", "answers.toml", "--root", "root", "--dry-run"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=root.parent, env=environment, capture_output=True, text=True, check=True)
    assert f"would run systemd-sysusers --root={root} (users and groups)" in done.stdout


def test_the_same_again_changes_nothing(root: Path) -> None:
    assert setup(root).exit_code == 0
    before = content(root)
    again = setup(root)
    assert again.exit_code == 0
    assert WROTE.findall(again.output) == []
    assert content(root) == before


def test_what_says_something_else_is_kept_and_said_and_replaced_only_when_asked_to(root: Path) -> None:
    assert setup(root).exit_code == 0
    table, key = root / "etc/tableside/bj-7.toml", root / "etc/tableside/bj-7.key"
    table.write_text("# by hand\n")
    passwords = root / "etc/mosquitto/tableside.passwd"
    passwords.write_text(passwords.read_text() + "bridge:by hand\n")
    before = content(root)
    again = setup(root)
    assert (again.exit_code, content(root)) == (1, before)
    assert "KEEPS /etc/tableside/bj-7.toml: its contents differ" in again.output
    assert "kept as they were: /etc/tableside/bj-7.toml" in again.output
    replaced = setup(root, "--replace")
    assert replaced.exit_code == 0
    assert "puts /etc/tableside/bj-7.toml aside as bj-7.toml.1" in replaced.output
    assert table.with_name("bj-7.toml.1").read_text() == "# by hand\n"
    assert 'name = "bj-7"' in table.read_text()
    assert key.read_bytes() == before["etc/tableside/bj-7.key"]
    assert "bridge:by hand" in passwords.read_text()


def test_a_second_table_has_files_of_its_own_and_shares_the_broker(root: Path) -> None:
    assert setup(root).exit_code == 0
    before = content(root)
    assert setup(root, answers=ANSWERS.replace("bj-7", "bj-8")).exit_code == 0
    after = content(root)
    assert {name: after[name] for name in before if "group" not in name and "gshadow" not in name} == {
        name: text for name, text in before.items() if "group" not in name and "gshadow" not in name
    }
    assert "etc/tableside/bj-8.key" in after


def test_a_dry_run_says_all_of_it_and_does_nothing(root: Path) -> None:
    before = content(root)
    dry = setup(root, "--dry-run")
    assert (dry.exit_code, content(root)) == (0, before)
    real = setup(root)
    written = [line for line in dry.output.splitlines() if line.startswith("would write /")]
    promised = [line.replace("would write", "writes") for line in written]
    assert len(promised) > 5
    assert [line for line in real.output.splitlines() if line.startswith("writes")] == promised


def test_answers_that_end_before_the_questions_are_refused_in_a_line(root: Path) -> None:
    done = CliRunner().invoke(main, ["setup", "--root", str(root), "--dry-run"], input="harbour\n")
    assert done.exit_code == 2
    assert done.stderr.endswith("run it at a terminal, or with --answers FILE\n")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('table = "bj-7"', 'table = "BJ 7"', "answers.toml:2: table: expected a name"),
        ('table = "bj-7"', "table = bj-7", 'answers.toml:2: text must be in quotes: "bj-7"'),
        (
            "/dev/tableside/keypad",
            "/dev/tableside/shoe",
            "answers.toml:5: keypad_port: /dev/tableside/shoe is already the shoe_port; expected a port",
        ),
        ('table = "bj-7"', 'profile = "hollywod"', 'got "hollywod"; did you mean hollywood-penn-national or'),
        (
            'table = "bj-7"',
            'shoe_protocol = "bee_teck"',
            f"answers.toml:2: shoe_protocol: expected one of {SHOES}",
        ),
        ('table = "bj-7"', 'shoe_protocol = "bee_teck"', 'got "bee_teck"; did you mean bee_tek?'),
        (
            "usb:0403:6001:FT4CHIPS",
            "/dev/tableside/shoe",
            "answers.toml:4: bet_spots_port: /dev/tableside/shoe is already the shoe_port",
        ),
        ("shoe_port", "shoe_prot", "answers.toml:3: shoe_prot: unknown key; did you mean shoe_port?"),
        ("shoe_port", "what", "answers.toml:1: shoe_port: missing, expected a path such as"),
    ],
)
def test_a_wrong_answer_is_reported_with_its_line_and_nothing_is_done(
    root: Path, before: str, after: str, message: str
) -> None:
    old = content(root)
    done = setup(root, answers=ANSWERS.replace(before, after))
    assert (done.exit_code, content(root)) == (2, old)
    assert message in done.output


def asking(typed: str, found: dict[str, Any], silent: list[str]) -> tuple[Answers, str]:
    answered: list[Answers] = []
    command = click.command()(lambda: answered.append(ask_questions(found, silent)))
    done = CliRunner().invoke(command, input=typed)
    assert done.exit_code == 0, done.output
    return answered[0], done.output


def test_whoever_presses_return_gets_the_proposals_and_each_says_what_it_is_for() -> None:
    found = {"bet_spots_port": "usb:0403:6001:FT4CHIPS", "bet_spots_protocol": "feig_obid", "spots": (1, 2)}
    answers, output = asking("\n" * (len(QUESTIONS) + 1), found, ["/dev/ttyUSB3", "/dev/ttyUSB4"])
    assert answers == Answers(
        shoe_port="/dev/ttyUSB3", bet_spots_port="usb:0403:6001:FT4CHIPS", keypad_port="/dev/ttyUSB4", spots=(1, 2)
    )
    for question in QUESTIONS:
        shown = msgspec.structs.asdict(answers)[question.name]
        default = ",".join(map(str, shown)) if isinstance(shown, tuple) else str(shown)
        guess = "nobody answered there, so this is a guess"
        note = f"\n  {default}: {guess}" if question.name in {"shoe_port", "keypad_port"} else ""
        assert f"{question.why}{note}\n  {question.name} [{default}]" in output


def test_a_silent_adapter_is_never_proposed_for_chip_readers() -> None:
    answers, output = asking("\n" * (len(QUESTIONS) + 1), {}, ["/dev/ttyUSB3"])
    ports = (answers.shoe_port, answers.bet_spots_port, answers.keypad_port)
    assert ports == ("/dev/ttyUSB3", "/dev/tableside/bet_spots", "/dev/tableside/keypad")
    assert "/dev/tableside/bet_spots: not found; it is the name that a rule in" in output


def test_a_wrong_answer_is_asked_again() -> None:
    named = ["Harbour", "harbour", "bj-2", "borgatta", "borgata", "beetek", *[""] * 4]
    typed = [*named, "1, 2,9", "1,2,3", *[""] * 11, "M. Okafor", "dealer", PUBLIC, ""]
    answers, output = asking("\n".join(typed) + "\n", {}, [])
    assert (answers.site, answers.table, answers.spots) == ("harbour", "bj-2", (1, 2, 3))
    assert "expected a name of at most 32 lower-case letters" in output
    assert 'got "borgatta"; did you mean borgata?' in output
    assert f'expected one of {SHOES}, got "beetek"; did you mean bee_tek?' in output
    assert answers.profile == "borgata"
    assert [(one.name, one.roles) for one in answers.operator] == [("M. Okafor", ("dealer",))]


async def test_what_is_plugged_in_and_says_who_it_is_is_proposed(tmp_path: Path) -> None:
    readers = Port(
        tmp_path / "readers", BetSpotsSimulator(FEIG, {(2, 1): (2, "main"), (3, 1): (3, "main")}), lambda: None
    )
    silent = Port(tmp_path / "silent", ShoeSimulator(BEE_TEK), lambda: None)
    own = Port(tmp_path / "own", ShoeSimulator(BEE_TEK), lambda: None)
    adapter = SerialPort(str(silent.path), vid=0x0403, pid=0x6001)
    found, unanswered = await found_devices([adapter, *(SerialPort(str(one.path)) for one in (own, readers))])
    for port in (readers, silent, own):
        port.close()
    assert found == {
        "bet_spots_port": str(tmp_path / "readers"), "bet_spots_protocol": "feig_obid", "spots": (2, 3),
    }  # fmt: skip
    assert unanswered == [str(tmp_path / "silent")], "a port of the machine's own says nothing of a device"


def test_a_dry_run_writes_nothing_to_a_port() -> None:
    device, line = os.openpty()
    adapter = SerialPort(os.ttyname(line), vid=0x0403, pid=0x6001)
    answered: list[Answers] = []
    command = click.command()(lambda: answered.append(asked_without_devices([adapter, SerialPort("/dev/ttyS0")])))
    done = CliRunner().invoke(command, input="\n" * (len(QUESTIONS) + 1))
    heard, _, _ = select.select([device], [], [], 0)
    for end in (device, line):
        os.close(end)
    assert not heard
    assert (answered[0].shoe_port, answered[0].keypad_port) == (adapter.path, "/dev/tableside/keypad")
    assert f"{adapter.path}: plugged in, and not asked who it is, so this is a guess" in done.output


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Started by root, Mosquitto works as a user of its own, who may not look into pytest's folders."""
    with tempfile.TemporaryDirectory(prefix="tableside-setup-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")
async def test_the_broker_takes_the_passwords_and_nobody_elses(root: Path, open_folder: Path) -> None:
    port = free_port()
    assert setup(root, answers=f"broker_port = {port}\n{ANSWERS}").exit_code == 0
    settings = (root / "etc/mosquitto/conf.d/tableside.conf").read_text()
    for name in ("tableside.passwd", "tableside.acl"):
        shutil.copy(root / "etc/mosquitto" / name, open_folder / name)
        (open_folder / name).chmod(0o644)
        settings = settings.replace(f"/etc/mosquitto/{name}", str(open_folder / name))
    config = open_folder / "mosquitto.conf"
    config.write_text(f"persistence_location {open_folder}/\nlog_dest none\n" + settings)
    config.chmod(0o644)
    async with running(config, port):
        for user in ("table", "floor"):
            password = (root / f"etc/tableside/{user}.broker-password.key").read_text().strip()
            broker = Broker(host=LOOPBACK, port=port, username=user, password=password)
            async with connected(broker, "5", f"test-{user}"):
                pass
            with pytest.raises(Exception, match=r"(?i)not authori[sz]ed|hung up|refused"):
                async with connected(msgspec.structs.replace(broker, password="wrong"), "5", "stranger"):
                    pass
