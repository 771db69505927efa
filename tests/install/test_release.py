"""Releases: installed from a folder of wheels with no network, beside one another, and switched by a name."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from controller.io.files.key_file import create_key
from tests.docs.pages import blocks, page
from tests.install.test_extras import environment

ROOT: Final = Path(__file__).resolve().parents[2]
TREE: Final = ("controller", "devices", "firmware_protocols", "simulators", "systemd")
FILES: Final = ("pyproject.toml", "README.md", "LICENSE")
"""What the wheel is made of, folders and files."""


class Zeros:
    def take(self, count: int) -> bytes:
        return bytes(count)


def run(
    *command: str | Path, cwd: Path = ROOT, mask: int = 0o022, unread: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run a command as it would run outside every environment of ours."""
    ours = {"PYTHONPATH", "VIRTUAL_ENV", "PYTHONHOME"}
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    if unread:
        environment["PYTHONPYCACHEPREFIX"] = "/nonexistent"
    return subprocess.run(
        list(map(str, command)), cwd=cwd, env=environment, umask=mask, capture_output=True, text=True, check=False
    )


def done(*command: str | Path, cwd: Path = ROOT, mask: int = 0o022, unread: bool = False) -> str:
    ended = run(*command, cwd=cwd, mask=mask)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def without_network() -> tuple[str, ...]:
    """A command's beginning: it sees no network at all, where we may take it away."""
    taken = shutil.which("unshare") and run("unshare", "-n", "true").returncode == 0
    return ("unshare", "-n") if taken else ()


class Wheels(NamedTuple):
    """Folders of wheels: this version's, and a later one's."""

    now: Path
    later: Path


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Wheels:
    folder = tmp_path_factory.mktemp("wheels")
    now, later, tree = folder / "now", folder / "later", folder / "tree"
    done(ROOT / "install/wheels", now)
    shutil.copytree(now, later)
    for name in TREE:
        shutil.copytree(ROOT / name, tree / name)
    for name in FILES:
        shutil.copy(ROOT / name, tree / name)
    project, program = tree / "pyproject.toml", tree / "controller/__init__.py"
    project.write_text(project.read_text().replace('version = "0.1.0"', 'version = "0.9.9"'))
    program.write_text(program.read_text() + "\n# Later.\n")
    for old in later.glob("tableside-*.whl"):
        old.unlink()
    pip = (ROOT / "build/tools/bin/python", "-m", "pip", "-q")
    done(*pip, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", later, ".", cwd=tree)
    sums = done("sh", "-c", "sha256sum -- *.whl *.lock install python.sh", cwd=later)
    (later / "SHA256SUMS").write_text(sums)
    return Wheels(now, later)


def install(folder: Path, *options: str | Path) -> subprocess.CompletedProcess[str]:
    # As in somebody's shell in which the umask of a key's making stayed on.
    return run(*without_network(), folder / "install", *options, mask=0o077)


@pytest.fixture(scope="module")
def prefix(wheels: Wheels, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table PC's folder with this version installed, then the later one."""
    root = tmp_path_factory.mktemp("root") / "opt/tableside"
    for folder in wheels:
        ended = install(folder, root)
        assert ended.returncode == 0, ended.stdout + ended.stderr
    return root


def release(prefix: Path, version: str) -> Path:
    (found,) = (prefix / "releases").glob(f"{version}-*")
    return found


def names(prefix: Path) -> dict[str, str]:
    """The version that each name stands for."""
    there = [name for name in ("current", "previous") if (prefix / name).is_symlink()]
    return {name: (prefix / name).readlink().name.partition("-")[0] for name in there}


def libraries(prefix: Path, version: str) -> Path:
    (found,) = release(prefix, version).glob("lib/python3.*/site-packages")
    return found


def test_it_installs_with_no_network_into_a_clean_root_and_runs_a_table_file(prefix: Path, tmp_path: Path) -> None:
    tableside = release(prefix, "0.1.0") / "bin/tableside"
    assert done(tableside, "--version") == "tableside, version 0.1.0\n"
    files = {block.kind.partition(" ")[2]: block.text for block in blocks(page("configuration.md"))}
    table = tmp_path / "table.toml"
    table.write_text(files["table.toml"].replace("credential:table.key", "table.key"))
    (tmp_path / "chips.csv").write_text(files["chips.csv"])
    create_key(tmp_path / "table.key", Zeros())
    (tmp_path / "broker.password").write_text("word\n")
    (tmp_path / "broker.password").chmod(0o600)
    assert "fit to run" in done(tableside, "check", table)
    assert (release(prefix, "0.1.0") / "share/tableside/systemd/tableside@.service").is_file()


def test_everybody_may_read_it_for_the_tables_run_as_a_user_of_their_own(prefix: Path) -> None:
    there = [path for path in (prefix, *prefix.rglob("*")) if not path.is_symlink()]
    assert [path for path in there if not path.stat().st_mode & stat.S_IROTH] == []
    assert [path for path in there if path.is_dir() and not path.stat().st_mode & stat.S_IXOTH] == []


def test_nothing_is_there_that_a_table_does_not_run(prefix: Path) -> None:
    there = {path.name for path in libraries(prefix, "0.1.0").iterdir()}
    assert {"controller", "msgspec"} <= there
    tools = {"pip", "setuptools", "pytest", "mypy", "ruff", "hypothesis", "coverage"}
    assert not there & {*tools, "matplotlib", "numpy", "amqtt", "tests", "bench"}


def test_an_upgrade_stands_beside_the_old_release_and_is_taken_back_by_a_name(wheels: Wheels, prefix: Path) -> None:
    old = release(prefix, "0.1.0") / "bin/tableside"
    assert names(prefix) == {"current": "0.9.9", "previous": "0.1.0"}
    assert "0.9.9" in done(prefix / "current/bin/tableside", "--version")
    # Who runs the old one goes on with it.
    assert "0.1.0" in done(old, "--version")
    back = install(wheels.later, "--back", prefix)
    assert back.returncode == 0, back.stderr
    assert names(prefix) == {"current": "0.1.0", "previous": "0.9.9"}
    assert "0.1.0" in done(prefix / "current/bin/tableside", "--version")
    # What is there already is only switched to, and the same again changes nothing.
    for _ in range(2):
        assert install(wheels.later, prefix).returncode == 0
        assert names(prefix) == {"current": "0.9.9", "previous": "0.1.0"}


def test_extras_that_the_wheels_lack_are_reported(wheels: Wheels, tmp_path: Path) -> None:
    environment(tmp_path / "releases/before", "rich", "prometheus_client")
    (tmp_path / "current").symlink_to("releases/before")
    ended = install(wheels.now, tmp_path)
    assert ended.returncode == 0
    assert "the release before had the extras metrics screen, this one has not" in ended.stderr
    assert 'make wheels WITH="metrics screen"' in ended.stderr
    again = install(wheels.now, tmp_path)
    assert (again.returncode, again.stderr) == (0, "")


def test_an_extra_that_is_left_out_on_purpose_is_not_reported_as_lost(wheels: Wheels, tmp_path: Path) -> None:
    environment(tmp_path / "releases/before", "rich", "prometheus_client")

    def without(extras: str) -> str:
        (tmp_path / "current").unlink(missing_ok=True)
        (tmp_path / "current").symlink_to("releases/before")
        command = [str(wheels.now / "install"), str(tmp_path)]
        given = {**os.environ, "WITHOUT": extras}
        return subprocess.run(command, capture_output=True, text=True, check=True, env=given).stderr

    assert without("screen metrics") == ""
    assert "had the extras metrics, this" in without("screen")
    assert "had the extras metrics screen, this" in without("screens")


def test_there_is_nothing_to_go_back_to_at_first(wheels: Wheels, tmp_path: Path) -> None:
    nothing = install(wheels.now, "--back", tmp_path)
    assert nothing.returncode == 2
    assert "no release before this one" in nothing.stderr


def test_the_signed_list_knows_each_release_and_one_that_was_cut_off_is_made_anew(
    wheels: Wheels, prefix: Path, tmp_path: Path
) -> None:
    """Signed by the house, from a folder of another name; on the table PC each release is held against its own list."""
    house = tmp_path / "house"
    (house / "releases").mkdir(parents=True)
    for version in ("0.1.0", "0.9.9"):
        shutil.copytree(release(prefix, version), house / "releases" / version, symlinks=True)
    signer = tmp_path / "house.key"
    public = done(
        house / "releases/0.1.0/bin/python", "-m", "controller", "keys", "software", signer, cwd=house
    ).strip()
    lists = {}
    for version in ("0.1.0", "0.9.9"):
        python = house / "releases" / version / "bin/python"
        lists[version] = tmp_path / f"{version}.sha256"
        lists[version].write_text(done(python, "-P", "-m", "controller", "software", "--sign", signer))

    def holds(version: str) -> list[str]:
        against = ("software", "--against", lists[version], "--key", public)
        return [
            one for one in lists if run(release(prefix, one) / "bin/tableside", *against, unread=True).returncode == 0
        ]

    assert {version: holds(version) for version in lists} == {"0.1.0": ["0.1.0"], "0.9.9": ["0.9.9"]}
    planted = libraries(prefix, "0.9.9") / "planted.pth"
    planted.write_text("import os\n")
    assert holds("0.9.9") == []
    # As if the power had gone while it was installed: no mark that it is complete.
    (release(prefix, "0.9.9") / "complete").unlink()
    assert install(wheels.later, prefix).returncode == 0
    assert holds("0.9.9") == ["0.9.9"]


@pytest.mark.parametrize("wrong", ["tableside", "msgspec"])
def test_a_wheel_that_is_another_is_refused_and_nothing_is_switched(
    wheels: Wheels, prefix: Path, tmp_path: Path, wrong: str
) -> None:
    before = names(prefix)
    bad = shutil.copytree(wheels.now, tmp_path / "bad")
    (wheel,) = bad.glob(f"{wrong}-*.whl")
    wheel.write_bytes(wheel.read_bytes() + b" ")
    ended = install(bad, prefix)
    assert ended.returncode == 2
    assert "copy it anew" in ended.stderr
    if wrong == "msgspec":
        # Whoever writes the sums anew still has the lock's hashes against them.
        (bad / "SHA256SUMS").write_text(done("sh", "-c", "sha256sum -- *.whl *.lock install python.sh", cwd=bad))
        ended = install(bad, prefix)
        assert ended.returncode != 0
        assert "do not match the hashes" in ended.stderr.casefold() + ended.stdout.casefold()
    assert names(prefix) == before
