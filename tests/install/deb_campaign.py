"""The Debian package in a clean root: installed, upgraded over a running table, removed and purged. As root.

``python -m tests.install.deb_campaign``, after ``make deb``; ``--root`` is a folder with a bare Debian, made by
debootstrap where there is none.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.docs.pages import ROOT
from tests.install.test_release import FILES, TREE
from tests.wiring.premises import TABLE_FILE

PATIENCE_SECONDS: Final = 120
SUITE: Final = "bookworm"
NEEDED: Final = "python3,python3-venv,systemd,udev"
MIRROR: Final = "http://deb.debian.org/debian"
JOURNAL: Final = "/var/lib/tableside/bj-1/journal.sqlite"
RULES: Final = "etc/udev/rules.d/60-tableside.rules"
NEXT: Final = "0.1.999"


def does(*words: str | Path, status: int = 0) -> str:
    """What a command says; it must end so."""
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    assert done.returncode == status, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def until(condition: Callable[[], bool], what: str) -> None:
    end, pause = time.monotonic() + PATIENCE_SECONDS, threading.Event()
    while not condition():
        assert time.monotonic() < end, what
        pause.wait(0.2)


def progress(what: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {what}", flush=True)


class Clean:
    """A Debian with nothing of ours in it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def does(self, *words: str, status: int = 0) -> str:
        """What a command says in there."""
        return does("chroot", self.root, *words, status=status)

    def installs(self, package: Path) -> str:
        """Hand a package over and install it, asking nobody."""
        shutil.copy(package, self.root / "tmp" / package.name)
        return self.does("env", "DEBIAN_FRONTEND=noninteractive", "dpkg", "-i", f"/tmp/{package.name}")

    def state(self) -> dict[str, object]:
        """The table by its journal."""
        words = ("chroot", self.root, "tableside", "status", "--json", JOURNAL)
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
        found: dict[str, object] = json.loads(done.stdout) if done.returncode in {0, 1} else {}
        return found

    def starts(self) -> subprocess.Popen[bytes]:
        """A table's daemon, as its user, without devices or broker: it waits for them, and keeps its journal."""
        command = ["chroot", "--userspec=tableside:tableside", str(self.root)]
        command += ["/opt/tableside/current/bin/tableside", "run", "/etc/tableside/bj-1.toml"]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def next_package(folder: Path) -> Path:
    """The package of a later version of the same tree."""
    tree = folder / "later"
    for name in (*TREE, "install", "requirements", "docs", ".ci"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
    for name in (*FILES, "CHANGELOG.md"):
        shutil.copy(ROOT / name, tree / name)
    text, count = re.subn(
        r'^version = ".*"$', f'version = "{NEXT}"', (tree / "pyproject.toml").read_text(), flags=re.MULTILINE
    )
    assert count == 1
    (tree / "pyproject.toml").write_text(text)
    does(tree / "install/wheels", tree / "build/wheels")
    return Path(does(tree / "install/deb", tree / "build/wheels", tree / "build").split()[-1])


def furnish(clean: Clean) -> None:
    """A table's file, key and chips, as the pages say to make them."""
    there = clean.root / "etc/tableside"
    ports = "/nonexistent"
    text = TABLE_FILE.format(host="127.0.0.1", port=1, ports=ports).replace('"journal.sqlite"', f'"{JOURNAL}"')
    (there / "bj-1.toml").write_text(text.replace('"table.key"', '"/var/lib/tableside/bj-1/table.key"'))
    (there / "chips.csv").write_text("id,value_cents\nE00401502092A101,500\n")
    clean.does("systemd-tmpfiles", "--create", "/usr/lib/tmpfiles.d/tableside.conf")
    clean.does("install", "-d", "-o", "tableside", "-g", "tableside", "-m", "700", "/var/lib/tableside/bj-1")
    clean.does("runuser", "-u", "tableside", "--", "tableside", "keys", "table", "/var/lib/tableside/bj-1/table.key")


def campaign(clean: Clean, package: Path, later: Path) -> None:
    """All of it, in order."""
    clean.installs(package)
    version = clean.does("tableside", "--version").split()[-1]
    assert re.search(r"^tableside:.*nologin$", (clean.root / "etc/passwd").read_text(), re.MULTILINE)
    assert sorted(path.name for path in (clean.root / "usr/lib/systemd/system").glob("tableside*")) == sorted(
        path.name for path in (ROOT / "systemd").glob("*.service")
    )
    does("chroot", clean.root, "systemd-analyze", "verify", "--man=no", "/usr/lib/systemd/system/tableside@.service")
    progress(f"installed {version}; its users are made and its units understood")

    rules = clean.root / RULES
    rules.write_text(rules.read_text() + "# a socket of the house's\n")
    furnish(clean)
    table = clean.starts()
    until(lambda: clean.state().get("version") == version, "the table does not start")
    release = Path(f"/proc/{table.pid}/cmdline").read_bytes().split(b"\0")[0].decode()

    clean.installs(later)
    assert clean.does("tableside", "--version").split()[-1] == NEXT
    assert table.poll() is None, "a running table goes on"
    assert (clean.root / release.lstrip("/")).exists(), "what it was started from is still there"
    assert "of the house's" in rules.read_text()
    progress(f"upgraded to {NEXT} over a running table, which goes on with {release.split('/')[4]}")

    table.send_signal(signal.SIGTERM)
    assert table.wait(PATIENCE_SECONDS) == 0
    before = clean.state()
    table = clean.starts()
    until(lambda: clean.state().get("version") == NEXT, "the table does not start again")
    after = clean.state()
    assert (after["epoch"], int(str(after["seq"])) > int(str(before["seq"]))) == (before["epoch"], True)
    clean.does("/usr/lib/tableside/wheels/install", "--back", "/opt/tableside")
    assert clean.does("tableside", "--version").split()[-1] == version
    progress("restarted, it goes on with the same journal; back to the release before is one command")
    table.send_signal(signal.SIGTERM)
    assert table.wait(PATIENCE_SECONDS) == 0

    clean.does("dpkg", "-r", "tableside")
    assert not (clean.root / "opt/tableside").exists()
    assert not list((clean.root / "usr/lib/systemd/system").glob("tableside*"))
    assert rules.exists(), "a conffile stays until the purge"
    purged = clean.does("dpkg", "-P", "tableside")
    assert not rules.exists()
    assert (clean.root / JOURNAL.lstrip("/")).exists(), "no package removes what the house must keep"
    assert "/var/lib/tableside is kept" in purged
    left = [str(path) for folder in ("usr", "opt") for path in (clean.root / folder).rglob("*tableside*")]
    assert left == [], left
    progress("removed and purged: nothing of the program is left, and the journal is there")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=Path, help="a folder with a bare Debian")
    given = parser.parse_args()
    packages = sorted((ROOT / "build").glob("tableside_*.deb"))
    if not packages:
        sys.exit("expected a package in build/; run: make deb")
    with tempfile.TemporaryDirectory() as folder:
        root: Path = given.root or Path(folder) / "root"
        if not (root / "usr/bin/dpkg").exists():
            does("debootstrap", "--variant=minbase", f"--include={NEEDED}", SUITE, root, MIRROR)
            progress(f"a bare Debian is in {root}")
        does("mount", "-t", "proc", "proc", root / "proc")
        try:
            campaign(Clean(root), packages[-1], next_package(Path(folder)))
        finally:
            does("umount", "-l", root / "proc")


if __name__ == "__main__":
    main()
