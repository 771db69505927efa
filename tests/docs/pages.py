"""The documentation as data: pages, their fenced blocks, and their tables by the heading they stand under."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]
DOCS: Final = ROOT / "docs"

_FENCE: Final = re.compile(r"^```(?P<kind>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_CODE: Final = re.compile(r"`([^`]+)`")


class Block(NamedTuple):
    """A fenced block: what stands behind the fence, and its content."""

    kind: str
    text: str


class Section(NamedTuple):
    """A heading (without its hashes) and everything up to the next one."""

    heading: str
    text: str

    def blocks(self, kind: str) -> list[str]:
        """The contents of its fenced blocks of a kind."""
        return [block.text for block in blocks(self.text) if block.kind == kind]

    def rows(self) -> list[list[str]]:
        """The cells of its tables, heads and rulers left out."""
        lines = self.text.splitlines()
        rulers = [place for place, line in enumerate(lines) if re.fullmatch(r"\|(-+\|)+", line)]
        heads = {place - 1 for place in rulers}
        found = [line for place, line in enumerate(lines) if line.startswith("|") and place not in {*heads, *rulers}]
        # A bar inside code is written \| and does not end a cell.
        return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in found]

    def names(self) -> list[str]:
        """What stands as code in the first cell of each row."""
        return [name for row in self.rows() for name in _CODE.findall(row[0])]


def page_path(name: str) -> Path:
    """Where the page of a file name lies; each name is there once.

    Raises:
        ValueError: there is no such page, or several.
    """
    (path,) = (one for one in DOCS.glob(f"*/{name}"))
    return path


def page(name: str) -> str:
    """The text of a page of docs/, by its file name."""
    return page_path(name).read_text(encoding="utf-8")


def blocks(text: str) -> Iterator[Block]:
    """Every fenced block."""
    for found in _FENCE.finditer(text):
        yield Block(found["kind"], found["text"])


def sections(text: str) -> dict[str, Section]:
    """Every section by its heading, code marks left out; a heading inside a fenced block is none."""
    found: dict[str, Section] = {}
    heading, lines, fenced = "", list[str](), False
    for line in [*text.splitlines(), "# "]:
        fenced ^= line.startswith("```")
        if line.startswith("#") and not fenced:
            found[heading] = Section(heading, "\n".join(lines) + "\n")
            heading, lines = line.lstrip("#").strip().replace("`", ""), []
        else:
            lines.append(line)
    return found


def pages() -> list[Path]:
    """Every page of the repository, the README and the changelog too; what npm fetched is not ours."""
    return [
        *sorted(ROOT.glob("*.md")),
        *(path for path in sorted(DOCS.rglob("*.md")) if "node_modules" not in path.parts),
    ]
