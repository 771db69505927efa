"""The front end's files, read once: a request names one of them or nothing, so no path of it reaches the disk."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, NamedTuple

TYPES: Final = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
}
"""What is served, and as what; any other file beside them is not."""


class PageFile(NamedTuple):
    """A file: its bytes, its type, and a tag that changes with them."""

    content: bytes
    content_type: str
    tag: str


def json_file(content: bytes) -> PageFile:
    """Something made here, as one of the files."""
    return PageFile(content, TYPES[".json"], _tag(content))


def page_files() -> dict[str, PageFile]:
    """Every file of the front end by its path below ``/assets/``."""
    found: dict[str, PageFile] = {}
    _collect(files("controller.web") / "pages", "", found)
    return found


def _collect(folder: Traversable, path: str, found: dict[str, PageFile]) -> None:
    for one in sorted(folder.iterdir(), key=lambda one: one.name):
        if one.is_dir():
            _collect(one, f"{path}{one.name}/", found)
            continue
        ending = f".{one.name.rpartition('.')[2]}"
        if ending in TYPES and not one.name.endswith(".d.ts"):
            content = one.read_bytes()
            found[f"{path}{one.name}"] = PageFile(content, TYPES[ending], _tag(content))


def _tag(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]
