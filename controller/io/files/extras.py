"""Libraries that only some commands need, and the command that brings them to the installation that runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

PACKAGED_WHEELS: Final = Path("/usr/lib/tableside/wheels")
"""Where the Debian package keeps what it installs."""

CHECKOUT: Final = Path(__file__).resolve().parents[3]


def how_to_get(
    extra: str, *, environment: Path = Path(sys.prefix), packaged: Path = PACKAGED_WHEELS, checkout: Path = CHECKOUT
) -> str:
    """What to do for the libraries of ``extra``, as the end of a refusal. The program is on no package index."""
    prefix = environment.parent.parent
    if (environment / "complete").is_file() and environment.parent.name == "releases":
        if (prefix / "Makefile").is_file():
            return f"run: cd {prefix} && make setup WITH={extra}"
        target = "deb" if packaged.is_dir() else "wheels"
        return f"in the repository run: make {target} WITH={extra} (with your other extras), and install that here"
    python = environment / "bin/python"
    if (checkout / "pyproject.toml").is_file():
        return f"run: {python} -m pip install -e '{checkout}[{extra}]'"
    return f"run: {python} -m pip install '/path/to/the/repository[{extra}]'"
