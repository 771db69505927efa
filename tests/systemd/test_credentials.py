"""Every secret that a unit's program may want comes as a credential: the lines are there, to be uncommented."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.systemd.test_files import SYSTEMD, needs

WANTED: Final = {
    "tableside": {"table.key", "pairing.key", "link.key", "operator.key", "broker.password", "broker.key"},
    "tableside-trigger-box": {"operations.key", "surveillance.key", "pairing.key"},
    "tableside-link": {"link.key", "pgpass"},
}
ALWAYS: Final = {
    "tableside": {"table.key"},
    "tableside-trigger-box": {"operations.key", "surveillance.key"},
    "tableside-link": {"link.key"},
}


def unit(name: str) -> str:
    return (SYSTEMD / f"{name}@.service").read_text()


def uncommented(name: str) -> str:
    return re.sub(r"^#(LoadCredential|Environment)=", r"\1=", unit(name), flags=re.MULTILINE)


def credentials(text: str) -> dict[str, str]:
    return dict(line.split(":") for line in re.findall(r"^LoadCredential=(.*)$", text, re.MULTILINE))


@pytest.mark.parametrize("name", WANTED)
def test_each_secret_has_its_line_and_only_what_a_program_cannot_do_without_is_on(name: str) -> None:
    assert set(credentials(unit(name))) == ALWAYS[name]
    offered = credentials(uncommented(name))
    assert set(offered) == WANTED[name]
    # The list of tmpfiles keeps these to root alone.
    assert all(path.startswith(f"/etc/{name}/%i") and path.endswith(".key") for path in offered.values())
    assert len(set(offered.values())) == len(offered)


@needs("systemd-analyze")
@pytest.mark.parametrize("name", WANTED)
def test_systemd_takes_a_unit_with_all_of_them(tmp_path: Path, name: str) -> None:
    file = tmp_path / f"{name}@1.service"
    text = uncommented(name).replace("/opt/tableside/current/bin/tableside", "/bin/true")
    file.write_text(re.sub(r"^(After|Before|Wants)=", r"#\1=", text, flags=re.MULTILINE))
    command = ["systemd-analyze", "verify", "--recursive-errors=no", "--man=no", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
