"""A program of which one byte is another does not run a table."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.commands import software
from controller.io.software import PACKAGES, ROOT, SoftwareChanged, authenticate, digest_of, listed, measure, watch


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A copy of the program."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / "program" / package)
    (tmp_path / "list").write_text(listed(measure(tmp_path / "program")))
    return tmp_path / "program"


def refusal(program: Path) -> str:
    with pytest.raises(SoftwareChanged) as raised:
        authenticate(program.parent / "list", program)
    return str(raised.value)


def test_one_byte_of_any_file_is_noticed(program: Path) -> None:
    authenticate(program.parent / "list", program)
    found = measure(program)
    assert "controller/profiles/borgata.toml" in found
    assert len(found) > 200
    for name in ("controller/core/settlement.py", "controller/profiles/borgata.toml", "devices/shoe.py"):
        before = (program / name).read_bytes()
        (program / name).write_bytes(before[:-2] + b" \n")
        assert f"{name} is another" in refusal(program)
        assert digest_of(measure(program)) != digest_of(found)
        (program / name).write_bytes(before)
    authenticate(program.parent / "list", program)


def test_a_file_too_many_or_too_few_is_noticed(program: Path) -> None:
    (program / "devices" / "extra.py").write_text("")
    assert "devices/extra.py is not on the list" in refusal(program)
    (program / "devices" / "extra.py").unlink()
    (program / "devices" / "shoe.py").unlink()
    assert "devices/shoe.py is missing" in refusal(program)


def test_what_python_made_itself_is_no_change(program: Path) -> None:
    (program / "devices" / "__pycache__").mkdir(exist_ok=True)
    (program / "devices" / "__pycache__" / "shoe.cpython-311.pyc").write_bytes(b"made")
    authenticate(program.parent / "list", program)


@pytest.mark.parametrize("text", [None, "rubbish\n"])
def test_a_list_that_is_none_is_refused(program: Path, text: str | None) -> None:
    known = program.parent / "list"
    known.unlink()
    if text is not None:
        known.write_text(text)
    assert "no list of the program's files" in refusal(program)


async def test_a_running_table_looks_again(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("00  controller/gone.py\n")
    with pytest.raises(SoftwareChanged, match="the program is not the one listed"):
        await watch(tmp_path / "list", seconds=0.01)


def test_the_command_prints_the_list_and_holds_the_program_against_it(tmp_path: Path) -> None:
    printed = CliRunner().invoke(software.command)
    (tmp_path / "list").write_text(printed.output)
    same = CliRunner().invoke(software.command, ["--against", str(tmp_path / "list")])
    assert (same.exit_code, "the same" in same.output) == (0, True)
    (tmp_path / "list").write_text(printed.output.replace("0", "1", 1))
    other = CliRunner().invoke(software.command, ["--against", str(tmp_path / "list")])
    assert (other.exit_code, "the program is not the one listed" in other.output) == (1, True)
