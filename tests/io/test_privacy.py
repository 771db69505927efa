"""What a process keeps to itself: its memory, the files it makes, and the secrets it is willing to read."""

from __future__ import annotations

import os
import pwd
import re
import ssl
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from controller.formats.config.table_file import BrokerSection
from controller.io.files.key_file import KeyFileRefused, read_key
from controller.io.files.secret_files import LONGEST_BYTES, SecretRefused, read_secret, write_secret
from controller.io.mqtt.connection import Broker
from controller.io.operators.certificates import make_authority, make_certificate, paths

ROOT: Final = Path(__file__).resolve().parents[2]
NOBODY: Final = pwd.getpwnam("nobody").pw_uid
GET_DUMPABLE: Final = "__import__('ctypes').CDLL(None).prctl(3, 0, 0, 0, 0)"
HOLDING: Final = f"""
import ctypes, os, sys
from controller.io.system.privacy import keep_private
os.setuid({NOBODY})
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # as after an exec; a change of user takes it away
{{work}}
print(os.getpid(), {GET_DUMPABLE}, os.umask(0), flush=True)
sys.stdin.read()
"""
LOOKING: Final = f"""
import os, sys
os.setuid({NOBODY})
open(f"/proc/{{sys.argv[1]}}/mem", "rb").close()
"""
COMMAND: Final = """
import os
from click.testing import CliRunner
from controller.commands import {module}
given = {arguments!r}
print(CliRunner().invoke({module}.command, given).output)
print({dumpable}, os.umask(0))
"""

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may become two processes of another user")


def looks_into(work: str) -> tuple[int, int, bool]:
    """A process of user nobody, and another that opens its memory: dumpable, umask, whether it could."""
    holder = [sys.executable, "-c", HOLDING.format(work=work)]
    with subprocess.Popen(holder, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        pid, dumpable, mask = map(int, process.stdout.readline().split())
        looked = subprocess.run([sys.executable, "-c", LOOKING, str(pid)], capture_output=True, text=True, check=False)
        process.communicate("")
    assert looked.returncode == 0 or "PermissionError" in looked.stderr, looked.stderr
    return dumpable, mask, looked.returncode == 0


@as_root
def test_no_other_process_of_the_same_user_reads_its_memory() -> None:
    assert looks_into("keep_private()") == (0, 0o077, False)


@as_root
def test_without_it_one_could() -> None:
    dumpable, _, could = looks_into("")
    assert dumpable == 1
    restricted = Path("/proc/sys/kernel/yama/ptrace_scope")
    assert could or (restricted.exists() and restricted.read_text().strip() != "0")


@pytest.mark.parametrize(
    ("module", "arguments"), [("run", []), ("link", ["run"]), ("trigger_box", [])], ids=["run", "link", "trigger-box"]
)
def test_each_process_that_holds_secrets_does_it_before_it_reads_them(
    tmp_path: Path, module: str, arguments: list[str]
) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text("what = 1\n")
    program = COMMAND.format(module=module, arguments=[*arguments, str(bad)], dumpable=GET_DUMPABLE)
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "bad.toml" in done.stdout
    assert done.stdout.split()[-2:] == ["0", str(0o077)]


def written(path: Path, content: bytes = b"secret\n", mode: int = 0o600) -> Path:
    path.write_bytes(content)
    path.chmod(mode)
    return path


def test_the_command_that_mends_it_can_be_copied(tmp_path: Path) -> None:
    path = written(tmp_path / "a key", mode=0o644)
    with pytest.raises(SecretRefused) as refused:
        read_secret(path)
    assert str(refused.value).endswith(f"run: chmod 600 '{path}'")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o610, 0o602])
def test_a_secret_that_others_may_touch_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(SecretRefused, match="others may read the secret; run: chmod 600"):
        read_secret(written(tmp_path / "secret", mode=mode))


def test_what_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/null")):
        with pytest.raises(SecretRefused, match="cannot be read"):
            read_secret(path)
        with pytest.raises(KeyFileRefused, match="cannot be read"):
            read_key(path)


KEY = b"5a" * 32 + b"\n"


@pytest.mark.parametrize(
    ("name", "content", "mode", "message"),
    [
        (
            "table.toml",
            b"[table]\n",
            0o644,
            "expected the file of a key; a table's is the one",
        ),
        (
            "table.toml",
            b"[table]\n",
            0o600,
            "expected the file of a key; a table's is the one",
        ),
        ("table.toml", KEY, 0o644, "expected the file of a key; a table's is the one"),
        ("table.key", KEY, 0o644, "others may read the key; run: chmod 600"),
        ("table.key", b"5a" * 31 + b"\n", 0o600, "expected 64 hex digits on one line, got 62 of them"),
        ("table.key", b" \n", 0o600, "expected 64 hex digits on one line, got nothing"),
        ("table.key", b"secret word\n", 0o600, "expected 64 hex digits on one line, got something else"),
        ("table.key", b"\xff\n", 0o600, "expected 64 hex digits on one line, got something else"),
    ],
)
def test_a_file_that_holds_no_key_is_reported_as_what_it_is(
    tmp_path: Path, name: str, content: bytes, mode: int, message: str
) -> None:
    path = written(tmp_path / name, content, mode)
    with pytest.raises(KeyFileRefused, match=f"^{re.escape(f'{path}: {message}')}"):
        read_key(path)


def test_a_key_is_a_key_whatever_its_file_is_called(tmp_path: Path) -> None:
    assert read_key(written(tmp_path / "table.json", KEY)) == bytes.fromhex("5a" * 32)
    with pytest.raises(KeyFileRefused, match="the key cannot be read: No such file") as refused:
        read_key(tmp_path / "none.toml")
    assert refused.value.is_missing


def test_what_is_longer_than_any_secret_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SecretRefused, match="at most 65536 bytes"):
        read_secret(written(tmp_path / "long", b"0" * (LONGEST_BYTES + 1)))
    assert len(read_secret(written(tmp_path / "long", b"0" * LONGEST_BYTES))) == LONGEST_BYTES


def test_a_link_is_judged_by_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(written(tmp_path / "secret", mode=0o644))
    with pytest.raises(SecretRefused, match="others may read"):
        read_secret(tmp_path / "link")


@as_root
def test_somebody_elses_secret_is_refused_whatever_its_mode(tmp_path: Path) -> None:
    """As where a capability lets a process read what its user may not."""
    secret = written(tmp_path / "secret")
    os.chown(secret, NOBODY - 1, NOBODY - 1)
    program = f"""
import os, pathlib
from controller.io.files.secret_files import SecretRefused, read_secret
os.seteuid({NOBODY})
opened = os.open
def with_the_right(*given):
    os.seteuid(0)
    try:
        return opened(*given)
    finally:
        os.seteuid({NOBODY})
os.open = with_the_right
try:
    read_secret(pathlib.Path({str(secret)!r}))
except SecretRefused as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert f"belongs to user {NOBODY - 1}; run: chown {NOBODY}" in done.stdout


def test_the_brokers_password_is_refused_where_others_may_read_it(tmp_path: Path) -> None:
    secret = written(tmp_path / "password", mode=0o644)
    section = BrokerSection(host="b", username="table", password_file=str(secret))
    with pytest.raises(OSError, match=r"\[broker\] password_file: .*others may read the password; run: chmod 600"):
        Broker.from_section(section)
    # The service manager's credentials lie in a folder of ours alone, whatever their mode says.
    assert Broker.from_section(section, str(tmp_path)).password == "secret"


def test_the_key_of_the_tables_certificate_is_refused_where_others_may_read_it(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    make_authority(tmp_path, now)
    make_certificate(tmp_path, "bj-1", (), now)
    own = paths(tmp_path, "bj-1")
    section = BrokerSection(
        host="b", port=8883, tls_ca_file=str(tmp_path / "ca.pem"),
        tls_cert_file=str(own.certificate), tls_key_file=str(own.key),
    )  # fmt: skip
    assert isinstance(Broker.from_section(section).tls(), ssl.SSLContext)
    own.key.chmod(0o640)
    with pytest.raises(OSError, match=r"\[broker\] tls_key_file: .*others may read the TLS key; run: chmod 600"):
        Broker.from_section(section)
    with pytest.raises(OSError, match="others may read the TLS key"):
        Broker(host="b", port=8883, tls_ca_file=section.tls_ca_file, tls_cert_file=section.tls_cert_file,
               tls_key_file=section.tls_key_file).tls()  # fmt: skip
    assert isinstance(Broker.from_section(section, str(tmp_path)).tls(), ssl.SSLContext)


def test_a_secret_takes_no_place_of_what_is_there(tmp_path: Path) -> None:
    path = written(tmp_path / "key", b"old")
    with pytest.raises(SecretRefused, match="exists already"):
        write_secret(path, b"new")
    assert path.read_bytes() == b"old"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["key"]
