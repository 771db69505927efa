"""The locks: everything that pyproject.toml asks for stands there, at one version, with hashes."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).resolve().parents[2]
LOCKS: Final = ROOT / "requirements"
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS: Final = ("report", "link-postgresql", "collect", "parquet", "metrics", "screen", "web")
ASKED: Final[dict[str, list[str]]] = {
    "runtime": PROJECT["project"]["dependencies"],
    **{extra: PROJECT["project"]["optional-dependencies"][extra] for extra in EXTRAS},
    "build": PROJECT["build-system"]["requires"],
    "dev": [
        *PROJECT["project"]["dependencies"],
        *PROJECT["build-system"]["requires"],
        *(one for extra in ("demo", *EXTRAS, "test") for one in PROJECT["project"]["optional-dependencies"][extra]),
    ],
}
ANEW: Final = "pyproject.toml and requirements/ differ; run: make lock"


def locked(name: str) -> dict[str, tuple[Requirement, int]]:
    """What a lock holds, by the library's name: the requirement, and how many hashes it has."""
    text = (LOCKS / f"{name}.lock").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    found: dict[str, tuple[Requirement, int]] = {}
    for line in lines:
        asked, *hashes = re.split(r"\s--hash=sha256:", line)
        requirement = Requirement(asked.strip())
        assert all(re.fullmatch(r"[0-9a-f]{64}", one.strip()) for one in hashes), line
        # A library may stand there once for each range of Pythons.
        found[f"{canonicalize_name(requirement.name)} {requirement.specifier}"] = (requirement, len(hashes))
    return found


@pytest.mark.parametrize("name", ASKED)
def test_what_is_asked_for_is_locked_at_a_version_that_fits(name: str) -> None:
    there = [one for one, _ in locked(name).values()]
    for asked in map(Requirement, ASKED[name]):
        versions = [
            next(iter(one.specifier)).version
            for one in there
            if canonicalize_name(one.name) == canonicalize_name(asked.name)
        ]
        assert versions, f"{asked.name}: {ANEW}"
        assert all(asked.specifier.contains(version) for version in versions), f"{asked}: {ANEW}"


@pytest.mark.parametrize("name", ASKED)
def test_everything_has_one_version_and_its_hashes(name: str) -> None:
    for requirement, hashes in locked(name).values():
        assert re.fullmatch(r"==[\w.]+", str(requirement.specifier)), requirement
        assert hashes > 0, requirement
        # Another machine than those of pyproject.toml gets nothing, rather than something never looked at.
        assert requirement.marker is not None
        assert requirement.marker.evaluate({"python_full_version": "3.14.0", "python_version": "3.14"}) is False


@pytest.mark.parametrize("name", [name for name in ASKED if name != "dev"])
def test_what_a_table_runs_is_what_was_tested(name: str) -> None:
    assert locked(name).keys() <= locked("dev").keys(), ANEW


def test_no_tool_of_ours_is_on_a_table() -> None:
    names = {canonicalize_name(one.name) for one, _ in locked("runtime").values()}
    kept = {canonicalize_name(Requirement(one).name) for one in PROJECT["project"]["optional-dependencies"]["test"]}
    assert not names & {*kept, "amqtt", "pip", "matplotlib", "hatchling"}
