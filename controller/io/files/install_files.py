"""Puts files of the system where they belong, below a root, and says each thing it does.

What is there already and says the same is left alone; what says something else is kept unless replacing was asked for,
and then put aside. A secret that is there is never made anew.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from controller.io.files.fsync_dir import sync_directory


class Owner(NamedTuple):
    """Whose a file is; a user or group that there is not yet leaves it root's."""

    user: str = "root"
    group: str = "root"


ROOT = Owner()


class Installer:
    """``root`` is ``/``, or a folder that stands for it. ``dry``: says what it would do, and does nothing."""

    def __init__(self, root: Path, say: Callable[[str], None], *, dry: bool, replace: bool) -> None:
        self.root = root
        self.dry = dry
        self.kept: list[str] = []
        """Files that were there with another content, and were left."""
        self._say = say
        self._replace = replace

    def at(self, path: str) -> Path:
        """Where a path of the system lies."""
        return self.root / path.lstrip("/")

    def folder(self, path: str, mode: int = 0o755) -> None:
        """A folder, with those above it."""
        if self.at(path).is_dir():
            return
        self._tell(f"makes {path}/, mode {mode:04o}")
        if not self.dry:
            self.at(path).parent.mkdir(parents=True, exist_ok=True)
            self.at(path).mkdir(mode=mode)
            self.at(path).chmod(mode)

    def put(self, path: str, text: str, why: str, *, mode: int = 0o644, owner: Owner = ROOT) -> None:
        """A file with this content."""
        file = self.at(path)
        if file.exists():
            if file.read_text(encoding="utf-8") == text:
                self._tell(f"leaves {path}: it exists")
                return
            if not self._replace:
                self.kept.append(path)
                self._tell(f"KEEPS {path}: its contents differ; --replace puts it aside and writes a new one")
                return
            aside = _free(file)
            self._tell(f"puts {path} aside as {aside.name}")
            if not self.dry:
                os.link(file, aside)
        self._tell(f"writes {path}: {why}, mode {mode:04o}")
        if not self.dry:
            self._write(path, text, mode, owner)

    def link(self, path: str, target: str, why: str) -> None:
        """A name for a file that lies elsewhere; another thing of that name is kept."""
        name = self.at(path)
        if name.is_symlink() and str(name.readlink()) == target:
            self._tell(f"leaves {path}: it exists")
            return
        if name.is_symlink() or name.exists():
            self.kept.append(path)
            self._tell(f"KEEPS {path}: it is not a link to {target}; remove it and run this again for one")
            return
        self._tell(f"links {path} to {target}: {why}")
        if not self.dry:
            self.folder(str(Path(path).parent))
            name.symlink_to(target)

    def secret(self, path: str, make: Callable[[], str], why: str) -> str:
        """A secret of root's alone, made if it is not there; what it says."""
        file = self.at(path)
        if file.exists():
            self._tell(f"leaves {path}: it exists")
            return file.read_text(encoding="utf-8")
        self._tell(f"makes {path}: {why}, mode 0600")
        text = make()
        if not self.dry:
            self._write(path, text, 0o600, ROOT)
        return text

    def lines(self, path: str, wanted: dict[str, str], why: str, *, mode: int, owner: Owner) -> None:
        """A file of lines in which each of these begins with its key and a colon; all others are left."""
        file = self.at(path)
        there = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        rest = [line for line in there if line.partition(":")[0] not in wanted]
        text = "".join(f"{line}\n" for line in (*rest, *wanted.values()))
        if sorted(there) == sorted(text.splitlines()):
            self._tell(f"leaves {path}: it exists")
            return
        changed = sorted({line.partition(":")[0] for line in there} & wanted.keys())
        self._tell(
            f"writes {path}: {why}, mode {mode:04o}" + (f"; new lines for {', '.join(changed)}" if changed else "")
        )
        if not self.dry:
            self._write(path, text, mode, owner)

    def run(self, command: Sequence[str], why: str, *, rooted: Sequence[str] | None = None) -> None:
        """A command of the system's; ``rooted`` is how it is given for another root, None: then not at all."""
        given = list(command) if self.root == Path("/") else [*rooted] if rooted is not None else None
        if given is None:
            self._tell(f"leaves for the PC itself: {' '.join(command)} ({why})")
            return
        self._tell(f"runs {' '.join(given)} ({why})")
        if self.dry:
            return
        if shutil.which(given[0]) is None:
            self._tell(f"  {given[0]} is not installed here: run it on the PC")
            return
        done = subprocess.run(given, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
        if done.returncode:
            said = (done.stderr or done.stdout).strip().splitlines()
            raise OSError(f"{' '.join(given)}: status {done.returncode}: {said[-1] if said else 'no message'}")

    def _write(self, path: str, text: str, mode: int, owner: Owner) -> None:
        self.folder(str(Path(path).parent))
        file = self.at(path)
        part = file.with_name(f"{file.name}.new")
        part.unlink(missing_ok=True)
        # Never readable by more than it shall be, not for a moment.
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            user, group = self._number("passwd", owner.user), self._number("group", owner.group)
            if os.geteuid() == 0:
                os.fchown(out.fileno(), user, group)
            os.fchmod(out.fileno(), mode)
            os.fsync(out.fileno())
        part.rename(file)
        sync_directory(file.parent)

    def _number(self, file: str, name: str) -> int:
        """A user's or group's number in the root's own list; root's where it has none."""
        try:
            rows = self.at(f"/etc/{file}").read_text(encoding="utf-8").splitlines()
        except OSError:
            return 0
        return next((int(row.split(":")[2]) for row in rows if row.startswith(f"{name}:")), 0)

    def _tell(self, text: str) -> None:
        verb, _, rest = text.partition(" ")
        self._say(f"would {verb.lower().removesuffix('s')} {rest}" if self.dry else text)


def _free(file: Path) -> Path:
    """The first free name beside a file."""
    number = 1
    while (aside := file.with_name(f"{file.name}.{number}")).exists():
        number += 1
    return aside
