"""``tableside keys``: what it makes is fit for use, and never readable by others; what is there is never lost."""

from __future__ import annotations

import ssl
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import zmq
from click.testing import CliRunner, Result

from controller.commands import keys
from controller.io.files.key_file import read_key
from controller.io.files.secret_files import SecretRefused, read_secret, write_secret
from controller.io.operators.certificates import (
    ALARM_DAYS,
    CERTIFICATE_DAYS,
    expiry_line,
    make_authority,
    make_certificate,
)

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def ran(*arguments: object) -> Result:
    return CliRunner().invoke(keys.command, [str(one) for one in arguments])


def is_private(path: Path) -> bool:
    return stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_tables_key_is_one_a_table_takes(tmp_path: Path) -> None:
    path = tmp_path / "bj-1.key"
    assert ran("table", path).exit_code == 0
    first = read_key(path)
    again = ran("table", path)
    assert (again.exit_code, again.output.count("\n"), read_key(path)) == (2, 1, first)
    rotated = ran("table", path, "--rotate")
    assert f"the old one is {path}.1" in rotated.output
    assert read_key(path) != first
    assert read_key(tmp_path / "bj-1.key.1") == first
    assert is_private(path) and is_private(tmp_path / "bj-1.key.1")  # noqa: PT018


def test_a_curve_pair_fits_together(tmp_path: Path) -> None:
    path = tmp_path / "okafor.key"
    result = ran("curve", path)
    assert zmq.curve_public(read_secret(path).strip()).decode() == result.stdout.strip()
    assert is_private(path)
    assert read_secret(path).decode().strip() not in result.output


def test_certificates_are_taken_by_whom_they_are_for(tmp_path: Path) -> None:
    assert ran("authority", tmp_path).exit_code == 0
    assert ran("certificate", tmp_path, "broker", "--host", "localhost", "--host", "127.0.0.1").exit_code == 0
    assert ran("certificate", tmp_path, "table-pc-1").exit_code == 0
    for name in ("broker", "table-pc-1"):
        context = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
        context.load_cert_chain(tmp_path / f"{name}.pem", tmp_path / f"{name}.key")
        assert is_private(tmp_path / f"{name}.key")
    shown = ran("show", tmp_path / "table-pc-1.pem").output
    assert shown.startswith("CN=table-pc-1, signed by CN=Tableside property authority\n")


@pytest.mark.parametrize("name", ["ca", "a b", "a/b", "", "+", "#", "x" * 64])
def test_a_name_that_an_access_list_could_mistake_is_refused(tmp_path: Path, name: str) -> None:
    ran("authority", tmp_path)
    result = ran("certificate", tmp_path, name)
    assert (result.exit_code, result.output.count("\n")) == (2, 1)


def test_without_an_authority_nothing_is_signed(tmp_path: Path) -> None:
    result = ran("certificate", tmp_path, "broker")
    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    assert "tableside keys authority" in result.output


def test_what_is_no_certificate_is_said(tmp_path: Path) -> None:
    path = tmp_path / "x.pem"
    path.write_text("nothing")
    assert [(ran("show", one).exit_code, ran("show", one).output.count("\n")) for one in (path, tmp_path / "y")] == [
        (2, 1),
        (2, 1),
    ]


def test_a_certificate_is_an_alarm_two_weeks_before_its_end(tmp_path: Path) -> None:
    make_authority(tmp_path, NOW)
    made = make_certificate(tmp_path, "broker", ("localhost",), NOW).certificate
    assert expiry_line(made, NOW) == ""
    near = NOW + timedelta(days=CERTIFICATE_DAYS - ALARM_DAYS)
    assert "expires in 13 days" in expiry_line(made, near)
    assert "has expired" in expiry_line(made, NOW + timedelta(days=CERTIFICATE_DAYS))


def test_secrets_are_read_only_where_nobody_else_may(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    write_secret(path, b"x")
    assert read_secret(path) == b"x"
    path.chmod(0o604)
    with pytest.raises(SecretRefused, match="chmod 600"):
        read_secret(path)
    with pytest.raises(SecretRefused, match="cannot be read"):
        read_secret(tmp_path / "none")
    with pytest.raises(SecretRefused, match="cannot be made"):
        write_secret(tmp_path / "no" / "secret", b"x")
