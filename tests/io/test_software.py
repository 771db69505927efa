"""A program of which one byte is another, or beside which something lies that nobody installed, runs no table."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.commands import keys, software
from controller.formats.text.software_list import listed, public_of, signed
from controller.io.operators.software import (
    PACKAGES,
    ROOT,
    InstalledProgram,
    ListedProgram,
    SoftwareChanged,
    authenticate,
    digest_of,
    measure,
    measure_beside,
)

SEED = bytes(range(32))
HOUSE = public_of(SEED)
OTHER = bytes(32)


@pytest.fixture
def program(tmp_path: Path) -> InstalledProgram:
    """A copy of the program, with a folder of libraries."""
    root, libraries = tmp_path / "program", tmp_path / "libraries"
    for package in PACKAGES:
        shutil.copytree(ROOT / package, root / package, ignore=shutil.ignore_patterns("__pycache__"))
    (libraries / "library").mkdir(parents=True)
    (libraries / "library" / "__init__.py").write_text("")
    (libraries / "library" / "fast.so").write_bytes(b"\x7fELF")
    (libraries / "library" / "read.me").write_text("anybody may change this")
    (libraries / "tableside.pth").write_text(f"{root}\n")
    found = InstalledProgram(root, (root, libraries))
    write(found, list_of(found))
    return found


def list_of(program: InstalledProgram) -> str:
    return listed(measure(program.root) | measure_beside(program))


def write(program: InstalledProgram, text: str) -> None:
    (program.root.parent / "list").write_text(text)


def look(program: InstalledProgram, public: str | None = None) -> ListedProgram:
    return authenticate(program.root.parent / "list", public, program)


def refusal(program: InstalledProgram, public: str | None = None) -> str:
    with pytest.raises(SoftwareChanged) as raised:
        look(program, public)
    return str(raised.value)


def test_one_byte_of_any_file_is_noticed(program: InstalledProgram) -> None:
    look(program)
    found = measure(program.root)
    assert "controller/profiles/borgata.toml" in found
    assert len(found) > 200
    for name in ("controller/core/game/settlement.py", "controller/profiles/borgata.toml", "devices/shoes/shoe.py"):
        before = (program.root / name).read_bytes()
        (program.root / name).write_bytes(before[:-2] + b" \n")
        assert f"{name} is another" in refusal(program)
        assert digest_of(measure(program.root)) != digest_of(found)
        (program.root / name).write_bytes(before)
    look(program)


def test_a_file_too_many_or_too_few_is_noticed(program: InstalledProgram) -> None:
    (program.root / "devices" / "extra.py").write_text("")
    assert "devices/extra.py is not on the list" in refusal(program)
    (program.root / "devices" / "extra.py").unlink()
    (program.root / "devices" / "sign.py").unlink()
    assert "devices/sign.py is missing" in refusal(program)


@pytest.mark.parametrize("name", ["evil.pth", "sitecustomize.py", "library/fast.abi3.so", "library/__init__.pyc"])
def test_what_python_would_import_from_the_libraries_and_nobody_installed_is_noticed(
    program: InstalledProgram, name: str
) -> None:
    (program.directories[1] / name).write_text("import os")
    assert f"../libraries/{name} is not on the list" in refusal(program)


def test_a_module_beside_the_packages_is_noticed(program: InstalledProgram) -> None:
    (program.root / "click.py").write_text("")
    assert "click.py is not on the list" in refusal(program)


def test_a_library_that_is_another_is_noticed_and_its_papers_are_not(program: InstalledProgram) -> None:
    (program.directories[1] / "library" / "read.me").write_text("somebody has")
    look(program)
    (program.directories[1] / "library" / "fast.so").write_bytes(b"\x7fELf")
    assert "../libraries/library/fast.so is another" in refusal(program)


def test_what_python_made_itself_is_no_change(program: InstalledProgram) -> None:
    (program.root / "devices" / "__pycache__").mkdir()
    (program.root / "devices" / "__pycache__" / "shoe.cpython-311.pyc").write_bytes(b"made")
    look(program)


@pytest.mark.parametrize("text", [None, "rubbish\n", "", "# nothing\n", f"{'0' * 64}  a\n{'1' * 64}  a\n"])
def test_a_list_that_is_none_is_refused(program: InstalledProgram, text: str | None) -> None:
    known = program.root.parent / "list"
    known.unlink()
    if text is not None:
        known.write_text(text)
    assert "no list of the program's files" in refusal(program)


# --- a list that somebody vouches for ---------------------------------------------------------------


def test_a_list_signed_by_the_house_is_believed(program: InstalledProgram) -> None:
    write(program, signed(list_of(program), SEED))
    assert look(program, HOUSE) == look(program)
    assert look(program, HOUSE).signed_by == HOUSE
    assert look(program, HOUSE).files > 200


def test_a_list_that_is_not_signed_is_refused_where_a_key_is_known(program: InstalledProgram) -> None:
    assert f"it is not signed, and {HOUSE} should have signed it" in refusal(program, HOUSE)


def test_a_list_signed_by_somebody_else_is_refused(program: InstalledProgram) -> None:
    write(program, signed(list_of(program), OTHER))
    assert f"it is signed by {public_of(OTHER)}, and {HOUSE} should have signed it" in refusal(program, HOUSE)


def test_a_byte_of_a_signed_list_changed_is_noticed_with_and_without_a_key(program: InstalledProgram) -> None:
    text = signed(list_of(program), SEED)
    for at in (0, len(text) // 2, text.index("# signed") - 2, len(text) - 3):
        write(program, text[:at] + ("0" if text[at] != "0" else "1") + text[at + 1 :])
        assert "its signature is not right" in refusal(program, HOUSE)
        assert "its signature is not right" in refusal(program)


@pytest.mark.parametrize("more", [f"{'0' * 64}  evil.py\n", "# a word\n", " \n"])
def test_what_follows_the_signature_is_refused(program: InstalledProgram, more: str) -> None:
    write(program, signed(list_of(program), SEED) + more)
    assert "no list of the program's files" in refusal(program, HOUSE)


def test_a_signed_list_does_not_vouch_for_another_program(program: InstalledProgram) -> None:
    write(program, signed(list_of(program), SEED))
    (program.root / "devices" / "shoes" / "shoe.py").write_text("")
    assert "devices/shoes/shoe.py is another" in refusal(program, HOUSE)


def test_bytecode_that_python_would_believe_is_refused_where_a_key_is_known(program: InstalledProgram) -> None:
    write(program, signed(list_of(program), SEED))
    made = program.root / "devices" / "__pycache__" / "shoe.cpython-311.pyc"
    made.parent.mkdir()
    made.write_bytes(b"made")
    look(program, HOUSE)
    why = refusal(program._replace(is_bytecode_read=True), HOUSE)
    assert f"{made} is compiled, and Python would believe it: start it with PYTHONPYCACHEPREFIX=/nonexistent" in why


def test_a_folder_that_python_imports_from_and_no_list_covers_is_refused_where_a_key_is_known(
    program: InstalledProgram, tmp_path: Path
) -> None:
    write(program, signed(list_of(program), SEED))
    why = refusal(program._replace(strangers=(tmp_path / "elsewhere",)), HOUSE)
    assert f"{tmp_path}/elsewhere is a place that Python imports from and the list does not cover" in why


# --- the command ------------------------------------------------------------------------------------


def test_the_command_prints_the_list_and_holds_the_program_against_it(tmp_path: Path) -> None:
    printed = CliRunner().invoke(software.command)
    (tmp_path / "list").write_text(printed.output)
    same = CliRunner().invoke(software.command, ["--against", str(tmp_path / "list")])
    assert (same.exit_code, "the same" in same.output) == (0, True)
    digit = "1" if printed.output[0] == "0" else "0"
    (tmp_path / "list").write_text(digit + printed.output[1:])
    other = CliRunner().invoke(software.command, ["--against", str(tmp_path / "list")])
    assert (other.exit_code, "the program is not the one listed" in other.output) == (1, True)


def test_the_house_signs_what_the_command_prints(tmp_path: Path) -> None:
    made = CliRunner().invoke(keys.command, ["software", str(tmp_path / "house.key")])
    public = made.output.strip()
    printed = CliRunner().invoke(software.command, ["--sign", str(tmp_path / "house.key")])
    assert f"# signed ed25519 {public} " in printed.output
    (tmp_path / "list").write_text(printed.output)
    against = ["--against", str(tmp_path / "list")]
    # The tests' own Python may read bytecode and import from anywhere, so the key is another's here.
    other = CliRunner().invoke(software.command, [*against, "--key", public_of(OTHER)])
    assert (other.exit_code, f"it is signed by {public}" in other.output) == (1, True)
    assert f"signed by {public}" in CliRunner().invoke(software.command, against).output


def test_a_key_that_others_may_read_signs_nothing(tmp_path: Path) -> None:
    CliRunner().invoke(keys.command, ["software", str(tmp_path / "house.key")])
    (tmp_path / "house.key").chmod(0o644)
    refused = CliRunner().invoke(software.command, ["--sign", str(tmp_path / "house.key")])
    assert (refused.exit_code, "others may read the key" in refused.output) == (2, True)
    assert CliRunner().invoke(software.command, ["--key", HOUSE]).exit_code == 2


def test_python_imports_from_the_program_from_its_own_or_from_strangers(tmp_path: Path) -> None:
    here, library = tmp_path / "here", tmp_path / "library"
    here.mkdir()
    library.mkdir()
    asked = (
        "import json; from controller.io.operators.software import InstalledProgram; "
        "print(json.dumps(InstalledProgram.here(), default=str))"
    )
    paths = os.pathsep.join(map(str, (library, ROOT, tmp_path / "missing")))
    ran = subprocess.run(
        [sys.executable, "-c", asked], cwd=here, env=os.environ | {"PYTHONPATH": paths}, check=True, capture_output=True
    )
    root, directories, strangers, _ = json.loads(ran.stdout)
    # Without a program file Python looks first where it was started.
    assert strangers == [str(here), str(library)]
    assert root == str(ROOT)
    assert str(ROOT) in directories
    assert os.path.realpath(sysconfig.get_path("purelib")) in directories
    assert not {path for path in directories if Path(path, "os.py").exists() or Path(path).name == "lib-dynload"}
