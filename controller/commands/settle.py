"""``tableside settle``: settle hands that are told as JSON."""

from __future__ import annotations

import json
import sys
from functools import lru_cache
from typing import Any

import click

from controller.commands.terminal import say, say_text
from controller.core.rules import Rules
from controller.formats.hand_accounts import account_json, differences, settle
from controller.formats.hand_cases import CaseError, parse_json, read_case
from controller.formats.plain_data import one_line
from controller.formats.profiles import Profile
from controller.io import profile_files
from controller.io.plain_files import FILE_LIMIT_BYTES, content


@click.command("settle")
@click.argument("case_file", metavar="CASE.json")
def command(case_file: str) -> None:
    """Settle the hand told in CASE.json (``-``: standard input) and write its account to standard output.

    A file that holds ``cases`` is settled whole and compared with what each case expects.

    Exit status: 0 settled, and as expected; 1 a case differs from what it expects; 2 a case cannot be read.
    """
    try:
        told = parse_json(read_bytes(case_file))
        if isinstance(told, dict) and "cases" in told:
            found, different = settle_all(told["cases"])
        else:
            found, different = settle_one(told), 0
    except CaseError as error:
        say(f"tableside: {case_file}: {one_line(str(error))}", err=True)
        sys.exit(2)
    say_text(json.dumps(found, indent=1))
    if different:
        say(f"tableside: {different} of {len(found['cases'])} cases differ", err=True)
        sys.exit(1)


def read_bytes(case_file: str) -> bytes:
    """The file's bytes, or standard input's for ``-``."""
    if case_file == "-":
        # One byte too many, so that the decoder refuses what is too large.
        return sys.stdin.buffer.read(FILE_LIMIT_BYTES + 1)
    try:
        return content(case_file)
    except OSError as error:
        raise CaseError("", f"cannot be read: {error.strerror}") from error


def settle_one(told: object) -> dict[str, Any]:
    """The account of one case."""
    case = read_case(told, rules_of)
    profile = profile_of(case.rules.name)
    assert profile is not None, "the case was read by this profile"
    return account_json(case, settle(case), profile.sources)


def settle_all(cases: object) -> tuple[dict[str, Any], int]:
    """The accounts of all cases, each with what it expected otherwise, and how many differ."""
    if not isinstance(cases, list):
        raise CaseError("cases", "expected a list")
    accounts = []
    for place, told in enumerate(cases):
        try:
            found = settle_one(told)
        except CaseError as error:
            name = str(told["id"])[:40] if isinstance(told, dict) and told.get("id") else None
            raise CaseError(f"cases[{place}]{f' ({name})' if name else ''}", str(error)) from error
        accounts.append({"id": told.get("id", str(place)), **found, "differences": differences(told, found)})
    different = sum(bool(found["differences"]) for found in accounts)
    return {"cases": accounts, "settled": len(accounts), "different": different}, different


@lru_cache(maxsize=16)
def profile_of(name: str) -> Profile | None:
    """A profile that comes with the program; None: there is none of this name."""
    if name not in profile_files.names():
        return None
    return profile_files.load(name)


def rules_of(name: str) -> Rules | None:
    """The rules of a profile that comes with the program."""
    profile = profile_of(name)
    return None if profile is None else profile.rules
