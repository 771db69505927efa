"""``tableside settle``: settle hands that are given as JSON."""

from __future__ import annotations

import sys
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from controller.commands.terminal import say, say_text

if TYPE_CHECKING:
    from controller.core.game.rules import Rules
    from controller.formats.config.profiles import Profile

HERE: Final = Path()
"""The folder in which the program was started."""

CASES_OWN: Final = "options of the case"
"""The source of what a case overrides."""


@click.command("settle")
@click.argument("case_file", metavar="CASE.json")
def command(case_file: str) -> None:
    """Settle the hand in CASE.json (``-``: standard input) and print its account.

    A file that holds ``cases`` is settled whole and compared with what each case expects. A case that cannot be read is
    named, and the others are settled. A profile's path is relative to the folder of CASE.json.

    Exit status: 0 settled, and as expected; 1 a case differs from what it expects; 2 a case cannot be read.
    """
    import json

    from controller.formats.cases.settle_input import CaseError, parse_json
    from controller.formats.text.safe_parse import one_line

    try:
        given = parse_json(read_bytes(case_file))
        whole = isinstance(given, dict) and "cases" in given
        folder = HERE if case_file == "-" else Path(case_file).parent
        found = settle_all(given["cases"], folder) if whole else settle_one(given, folder)
    except CaseError as error:
        say(f"tableside: {case_file}: {one_line(str(error))}", err=True)
        sys.exit(2)
    say_text(json.dumps(found, indent=1))
    for one in found.get("cases", []):
        if "refused" in one:
            say(f"tableside: {case_file}: {one['refused']}", err=True)
    if found.get("different"):
        say(f"tableside: {found['different']} of {found['settled']} cases differ", err=True)
    if found.get("refused") or found.get("different"):
        sys.exit(2 if found.get("refused") else 1)


def read_bytes(case_file: str) -> bytes:
    """The file's bytes, or standard input's for ``-``."""
    from controller.formats.cases.settle_input import CaseError
    from controller.io.files.plain_files import FILE_LIMIT_BYTES, content

    if case_file == "-":
        # One byte too many, so that the decoder refuses what is too large.
        return sys.stdin.buffer.read(FILE_LIMIT_BYTES + 1)
    try:
        return content(case_file)
    except OSError as error:
        raise CaseError("", f"cannot be read: {error.strerror}") from error


def settle_one(given: object, folder: Path = HERE) -> dict[str, Any]:
    """The account of one case; a profile's relative path is relative to ``folder``.

    Raises:
        CaseError: it cannot be read.
    """
    from controller.formats.cases.settle_input import read_case
    from controller.formats.cases.settle_output import account_json, settle
    from controller.formats.config.profiles import sources_with
    from controller.io.files import profile_files

    case = read_case(given, lambda name: rules_of(profile_files.beside(folder, name)))
    assert isinstance(given, dict), "it was read"
    sources = profile_of(profile_files.beside(folder, given["rules"])).sources
    return account_json(case, settle(case), sources_with(sources, given.get("options", {}), CASES_OWN))


def settle_all(cases: object, folder: Path) -> dict[str, Any]:
    """The accounts of all cases, each with what it expected otherwise; one that cannot be read costs no other.

    A profile's relative path is relative to ``folder``.

    Raises:
        CaseError: they are no list.
    """
    from controller.formats.cases.settle_input import CaseError
    from controller.formats.cases.settle_output import differences
    from controller.formats.text.safe_parse import one_line

    if not isinstance(cases, list):
        raise CaseError("cases", "expected a list")
    accounts: list[dict[str, Any]] = []
    for place, given in enumerate(cases):
        name = str(given["id"])[:40] if isinstance(given, dict) and given.get("id") else None
        try:
            found = settle_one(given, folder)
        except CaseError as error:
            refused = one_line(f"cases[{place}]{f' ({name})' if name else ''}: {error}")
            accounts.append({"id": name or str(place), "refused": refused})
            continue
        accounts.append({"id": given.get("id", str(place)), **found, "differences": differences(given, found)})
    refused_cases = sum("refused" in found for found in accounts)
    different = sum(bool(found.get("differences")) for found in accounts)
    settled = len(accounts) - refused_cases
    return {"cases": accounts, "settled": settled, "different": different, "refused": refused_cases}


@lru_cache(maxsize=16)
def profile_of(name: str) -> Profile:
    """A profile by name or path.

    Raises:
        CaseError: there is none, or it cannot be played.
    """
    from controller.formats.cases.settle_input import CaseError
    from controller.formats.config.profiles import ProfileError
    from controller.io.files import profile_files

    try:
        return profile_files.load(name)
    except ProfileError as error:
        raise CaseError("rules", "; ".join(error.lines)) from error


def rules_of(name: str) -> Rules:
    """The rules of a profile.

    Raises:
        CaseError: there is none, or it cannot be played.
    """
    return profile_of(name).rules
