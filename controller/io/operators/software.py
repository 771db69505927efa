"""Whether the program is the one that was installed: SHA-256 of each of its files, held against a list of them.

The list (``controller/formats/text/software_list.py``) is what ``tableside software`` prints. It stops a table whose
program was changed: before it starts, before the number of a mystery meter is drawn, and every hour while it runs.

What is on it: every file of the packages that run a table, and whatever else Python could import: modules and path
files of the libraries beside it. Python itself is the operating system's to guard.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from importlib.machinery import all_suffixes
from pathlib import Path
from typing import Final, NamedTuple, Self

from controller.formats.text.software_list import ListRefused, SoftwareList, listed
from controller.io.files.plain_files import text_content

ROOT: Final = Path(__file__).resolve().parents[3]
"""Where the packages lie."""

PACKAGES: Final = ("controller", "devices", "firmware_protocols")
"""What runs a table."""

SUFFIXES: Final = tuple({*all_suffixes(), ".pth"})
"""Of files that Python imports, or heeds when it starts."""

MADE: Final = "__pycache__"
"""Where Python keeps what it compiled itself. Read only where nothing orders it to look elsewhere."""

NO_BYTECODE: Final = "PYTHONPYCACHEPREFIX=/nonexistent"
"""In the environment of a Python that leaves every ``__pycache__`` unread."""

NAMED: Final = 5
"""Files that a refusal names."""


class SoftwareChanged(Exception):  # noqa: N818 - named for what happened
    """The program is not the one that was installed, or nobody can know; the text says which files."""


class NoSoftwareList(SoftwareChanged):
    """There is no list to hold the program against: whether it is the one installed was not looked at."""


class InstalledProgram(NamedTuple):
    """Where a program lies: its packages in ``root``, its libraries in ``directories``, and how Python reads them."""

    root: Path = ROOT
    directories: tuple[Path, ...] = ()
    strangers: tuple[Path, ...] = ()
    """Directories that Python imports from and that belong neither to the program nor to Python."""
    is_bytecode_read: bool = False
    """Whether Python takes compiled modules from beside their sources."""

    @classmethod
    def here(cls) -> Self:
        """The program of this process."""
        python = {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")}
        python |= {one / "lib-dynload" for one in python}
        known: list[Path] = []
        strangers: list[Path] = []
        for entry in dict.fromkeys(Path(one or ".").resolve() for one in sys.path):
            if not entry.is_dir() or entry in python:
                continue
            ours = entry == ROOT or entry.is_relative_to(Path(sys.prefix).resolve())
            (known if ours else strangers).append(entry)
        return cls(ROOT, tuple(known), tuple(strangers), sys.pycache_prefix is None)


class ListedProgram(NamedTuple):
    """A program that is the one listed: its digest, how many files were held against the list, and who signed that."""

    digest: str
    files: int
    signed_by: str


def measure(root: Path = ROOT) -> dict[str, str]:
    """SHA-256 in hex of each file of the program, by its path; what Python made of them itself is left out.

    Raises:
        OSError: one cannot be read.
    """
    files = (path for package in PACKAGES for path in (root / package).rglob("*") if path.is_file())
    return {str(path.relative_to(root)): _digest(path) for path in sorted(files) if path.suffix != ".pyc"}


def measure_beside(installed: InstalledProgram) -> dict[str, str]:
    """SHA-256 in hex of whatever else Python could import, by its path from the program's root.

    Raises:
        OSError: a file cannot be read.
    """
    paths = {path for directory in installed.directories for path in _importable(directory)}
    packages = tuple(f"{installed.root / package}{os.sep}" for package in PACKAGES)
    return {
        os.path.relpath(path, installed.root): _digest(Path(path))
        for path in sorted(paths)
        if not path.startswith(packages)
    }


def digest_of(found: Mapping[str, str]) -> str:
    """One digest for all: SHA-256 of the list."""
    return hashlib.sha256(listed(found).encode()).hexdigest()


@functools.cache
def own_digest() -> str:
    """The digest of the program as this process first found it.

    Raises:
        OSError: a file cannot be read.
    """
    return digest_of(measure())


def read_list(path: Path, public: str | None = None) -> SoftwareList:
    """A list as ``tableside software`` printed it; with ``public`` only one that this key has signed.

    Raises:
        NoSoftwareList: there is no file that can be read.
        SoftwareChanged: it is no list, or not signed as it should be.
    """
    try:
        text = text_content(path)
    except OSError as error:
        raise NoSoftwareList(f"{path}: no list of the program's files: {error.strerror or error}") from error
    try:
        return SoftwareList.read(text, public)
    except (ValueError, ListRefused) as error:
        raise SoftwareChanged(f"{path}: no list of the program's files: {error}") from error


def authenticate(known: Path, public: str | None = None, installed: InstalledProgram | None = None) -> ListedProgram:
    """Hold the program against the list in ``known``; with ``public`` only against one that this key has signed.

    With ``public``, nothing may be imported that no list can vouch for: from a directory that no list covers, or
    compiled.

    Raises:
        SoftwareChanged: a file is another, missing, or not on the list, or the list is not to be believed.
    """
    wanted, signed_by = read_list(known, public)
    installed = InstalledProgram.here() if installed is None else installed
    try:
        program, beside = measure(installed.root), measure_beside(installed)
        unlisted = [] if public is None else list(_beyond(installed))
    except OSError as error:
        raise SoftwareChanged(f"the program cannot be read: {error}") from error
    found = program | beside
    wrong = [f"{name} is not on the list" for name in found.keys() - wanted.keys()]
    wrong += [f"{name} is missing" for name in wanted.keys() - found.keys()]
    wrong += [f"{name} is another" for name in wanted.keys() & found.keys() if wanted[name] != found[name]]
    wrong += unlisted
    if wrong:
        more = f", and {len(wrong) - NAMED} more" if len(wrong) > NAMED else ""
        raise SoftwareChanged(f"{known}: the program is not the one listed: {', '.join(sorted(wrong)[:NAMED])}{more}")
    return ListedProgram(digest_of(program), len(found), signed_by)


def _beyond(installed: InstalledProgram) -> Iterator[str]:
    """What Python would run and no list of files can vouch for."""
    for directory in installed.strangers:
        yield f"{directory} is a place that Python imports from and the list does not cover"
    if installed.is_bytecode_read:
        places = (installed.root / package for package in PACKAGES)
        for directory in (*places, *installed.directories):
            made = next((path for path in directory.rglob(f"{MADE}/*.pyc")), None)
            if made is not None:
                yield f"{made} is compiled, and Python would believe it: start it with {NO_BYTECODE}"
                return


def _importable(directory: Path) -> Iterator[str]:
    """Files that Python could import from ``directory``; what it compiled itself and hidden folders are left out."""
    for at, folders, names in os.walk(directory):
        folders[:] = [name for name in folders if name != MADE and not name.startswith(".")]
        yield from (f"{at}{os.sep}{name}" for name in names if name.endswith(SUFFIXES))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
