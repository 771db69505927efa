"""What is in the Debian package, and what its scripts may never do. ``make campaign-deb`` installs it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Final, NamedTuple

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
SCRIPTS: Final = [ROOT / "install" / name for name in ("postinst", "prerm", "postrm")]

pytestmark = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="needs dpkg-deb")


class Package(NamedTuple):
    """A package taken apart: its control file, its files with their modes, where it was unpacked."""

    control: dict[str, str]
    files: dict[str, str]
    folder: Path


def made(folder: Path, *wheels: str) -> subprocess.CompletedProcess[str]:
    there = folder / "wheels"
    there.mkdir()
    for name in wheels:
        (there / name).write_text(name)
    command = [str(ROOT / "install/deb"), str(there), str(folder / "out")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    folder = tmp_path_factory.mktemp("deb")
    done = made(folder, "tableside-9.8.7-py3-none-any.whl", "msgspec-1-cp311-cp311-any.whl", "c-1-cp311-abi3-any.whl")
    assert done.returncode == 0, done.stderr
    deb = done.stdout.strip()
    assert Path(deb).name.startswith("tableside_9.8.7-1_")
    listed = subprocess.run(["dpkg-deb", "-c", deb], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 5) for line in listed.splitlines()]
    assert {row[1] for row in rows} == {"root/root"}
    subprocess.run(["dpkg-deb", "-R", deb, folder / "unpacked"], check=True)
    control = (folder / "unpacked/DEBIAN/control").read_text()
    fields = dict(re.findall(r"^(\S+): (.*)$", control, re.MULTILINE))
    files = {row[5].partition(" -> ")[0].removeprefix("."): row[0] for row in rows if not row[0].startswith("d")}
    return Package(fields, files, folder / "unpacked")


def test_it_has_every_unit_users_rules_pages_and_one_command(package: Package) -> None:
    units = {f"/usr/lib/systemd/system/{path.name}" for path in (ROOT / "systemd").glob("*.service")}
    others = {"/usr/lib/sysusers.d/tableside.conf", "/usr/lib/tmpfiles.d/tableside.conf", "/usr/bin/tableside"}
    pages = {f"/usr/share/doc/tableside/{path.relative_to(ROOT)}" for path in (ROOT / "docs").rglob("*.md")}
    assert units | others | {page for page in pages if "node_modules" not in page} <= set(package.files)
    assert not [name for name in package.files if "node_modules" in name or "__pycache__" in name]


def test_what_people_change_is_a_conffile_and_nothing_else_is(package: Package) -> None:
    conffiles = (package.folder / "DEBIAN/conffiles").read_text().split()
    assert conffiles == ["/etc/udev/rules.d/60-tableside.rules"]
    assert [name for name in package.files if name.startswith("/etc/")] == conffiles


def test_it_wants_the_python_that_its_wheels_are_for(package: Package) -> None:
    assert package.control["Depends"].startswith("python3 (>= 3.11), python3 (<< 3.12), python3-venv, ")


def test_the_units_find_their_pages(package: Package) -> None:
    docs = (package.folder / "opt/tableside/docs").readlink()
    assert str(docs) == "../../usr/share/doc/tableside/docs"
    for unit in (ROOT / "systemd").glob("*.service"):
        (page,) = re.findall(r"^Documentation=file:///opt/tableside/(\S+)$", unit.read_text(), re.MULTILINE)
        assert f"/usr/share/doc/tableside/{page}" in package.files


@pytest.mark.parametrize("wheels", [(), ("a-1-cp311-cp311-x.whl", "a-1-cp312-cp312-x.whl")], ids=["none", "two"])
def test_wheels_for_no_python_or_for_two_are_refused(tmp_path: Path, wheels: tuple[str, ...]) -> None:
    done = made(tmp_path, "tableside-1-py3-none-any.whl", *wheels)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_script_stops_at_the_first_failure_and_touches_nothing_of_the_houses(script: Path) -> None:
    text = script.read_text()
    assert subprocess.run(["sh", "-n", str(script)], check=False).returncode == 0
    assert re.search(r"^set -eu$", text, re.MULTILINE)
    removed = [word for line in re.findall(r"rm -rf (.*)", text) for word in line.split()]
    assert all(word.startswith(('"$release"', "/opt/tableside/")) for word in removed)
    assert "restart" not in re.sub(r"#.*", "", text), "when a table is restarted is for people"
