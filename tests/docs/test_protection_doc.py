"""docs/guide/protection.md against the program: every kind with its severity, none that is not."""

from __future__ import annotations

from typing import Final

from controller.core.messages.raised_alerts import LISTED_LIMIT, SEVERITY, Severity
from tests.docs.pages import page, sections

PAGE: Final = page("protection.md")
SECTIONS: Final = sections(PAGE)


def test_every_kind_is_described_with_its_severity() -> None:
    severities = {row[0].strip("`"): row[1].strip("`") for row in SECTIONS["Kinds"].rows()}
    assert severities == {kind.value: severity.value for kind, severity in SEVERITY.items()}


def test_every_kind_says_what_it_means_and_what_to_do() -> None:
    assert all(len(row) == 4 and row[2] and row[3] for row in SECTIONS["Kinds"].rows())


def test_every_severity_is_described() -> None:
    assert SECTIONS["Severities"].names() == [one.value for one in Severity]


def test_the_limit_of_the_list_is_described() -> None:
    assert f"{LISTED_LIMIT - 1} alerts wait" in PAGE
