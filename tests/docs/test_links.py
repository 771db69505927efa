"""What the pages point to is there: files, headings, commands, targets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import pytest

from controller.cli import COMMANDS
from tests.docs.pages import DOCS, ROOT, blocks, pages, sections

LINK: Final = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
SUBCOMMAND: Final = re.compile(r"(?<![:\w])tableside ([a-z]+(?:-[a-z]+)*)\b")
CODE: Final = re.compile(r"`([^`\n]+)`")


def targets() -> set[str]:
    """The targets of the Makefile that are not files."""
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert phony is not None
    return set(phony[1].split())


def code_of(path: Path) -> Iterator[str]:
    """What a page says in code: between back quotes, in fenced blocks, in indented lines."""
    text = path.read_text(encoding="utf-8")
    yield from CODE.findall(text)
    yield from (block.text for block in blocks(text))
    yield from re.findall(r"^ {4,}(.*)$", text, re.MULTILINE)


def links(path: Path) -> Iterator[str]:
    """Relative links of a page."""
    found: list[str] = LINK.findall(path.read_text(encoding="utf-8"))
    yield from (link for link in found if not re.match(r"[a-z]+:", link))


def anchor(heading: str) -> str:
    """A heading as the fragment of a link."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def broken(path: Path) -> list[str]:
    """Links of a page that lead nowhere."""
    found = []
    for link in links(path):
        name, _, fragment = link.partition("#")
        there = (path.parent / name) if name else path
        headings = {anchor(one) for one in sections(there.read_text())} if there.suffix == ".md" and fragment else set()
        if not there.exists() or (fragment and fragment not in headings):
            found.append(link)
    return found


def named(pattern: re.Pattern[str], path: Path) -> set[str]:
    return {name for code in code_of(path) for name in pattern.findall(code)}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", pages(), ids=name_of)
def test_every_relative_link_leads_somewhere(path: Path) -> None:
    assert broken(path) == []


@pytest.mark.parametrize("path", pages(), ids=name_of)
def test_every_subcommand_named_is_there(path: Path) -> None:
    assert named(SUBCOMMAND, path) <= COMMANDS.keys()


@pytest.mark.parametrize("path", pages(), ids=name_of)
def test_every_make_target_named_is_there(path: Path) -> None:
    assert named(re.compile(r"\bmake ([a-z][a-z-]*)\b"), path) - {"git"} <= targets()


def test_a_link_to_nowhere_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One\n[a](#one) [b](#two) [c](gone.md) [d](page.md#one) [e](https://example.org/gone)\n")
    assert broken(page) == ["#two", "gone.md"]


def test_names_in_code_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("tableside prose\n`tableside one`\n\n    make two\n\n```sh\ntableside three\n```\n")
    assert named(SUBCOMMAND, page) == {"one", "three"}
    assert named(re.compile(r"make (\w+)"), page) == {"two"}


def test_the_index_lists_every_page() -> None:
    listed = set(links(DOCS / "README.md"))
    assert {path.relative_to(DOCS).as_posix() for path in DOCS.glob("*/*.md")} - {"examples/README.md"} <= listed


def test_the_picture_is_well_formed() -> None:
    assert ET.parse(DOCS / "picture.svg").getroot().tag.endswith("svg")
