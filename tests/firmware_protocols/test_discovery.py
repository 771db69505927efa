from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import firmware_protocols
from firmware_protocols.bet_spots import feig_obid
from firmware_protocols.discovery import UnknownCodecError, broken_reason, codecs, find
from firmware_protocols.keypad import matrix_orbital
from firmware_protocols.shoe import bee_tek


def test_every_vendor_is_found_by_kind() -> None:
    found = codecs()
    assert list(found) == sorted(found)
    assert {"bee_tek"} <= set(found["shoe"])
    assert {"feig_obid"} <= set(found["bet_spots"])
    assert {"matrix_orbital"} <= set(found["keypad"])


def test_found_is_the_codec_of_the_module() -> None:
    assert find("shoe", "bee_tek") is bee_tek.CODEC
    assert find("bet_spots", "feig_obid") is feig_obid.CODEC
    assert find("keypad", "matrix_orbital") is matrix_orbital.CODEC


def test_a_misspelt_vendor_gets_a_suggestion_and_the_list() -> None:
    said = r"shoe protocol.*'bee_tec'.*did you mean 'bee_tek'.*there are:.*bee_tek"
    with pytest.raises(UnknownCodecError, match=said):
        find("shoe", "bee_tec")


def test_a_misspelt_kind_gets_a_suggestion_and_the_list() -> None:
    with pytest.raises(UnknownCodecError, match=r"'bet_spot'.*did you mean 'bet_spots'.*bet_spots, .*shoe"):
        find("bet_spot", "feig_obid")


def test_nothing_alike_gets_the_list_alone() -> None:
    with pytest.raises(UnknownCodecError) as refused:
        find("shoe", "q")
    assert "did you mean" not in str(refused.value)


def test_a_vendor_of_another_kind_is_unknown() -> None:
    with pytest.raises(ValueError, match="keypad"):
        find("keypad", "bee_tek")


def with_makers_module(folder: Path, content: str, asked: str) -> str:
    """What a program prints among whose protocols a maker's ``shoe/acme`` is, with this content."""
    ours = Path(firmware_protocols.__path__[0])
    shutil.copytree(ours, folder / ours.name, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / ours.name / "shoe" / "acme.py").write_text(content)
    paths = os.pathsep.join(map(str, (folder, ours.parent)))
    ran = subprocess.run(
        [sys.executable, "-c", f"from firmware_protocols import discovery; {asked}"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": paths},
        check=True,
        capture_output=True,
        text=True,
    )
    return ran.stdout.strip()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("import struct\n\nCODEC = (\n", "acme.py, line 3: SyntaxError: '(' was never closed"),
        ("import acme_library\n", "acme.py, line 1: ModuleNotFoundError: No module named 'acme_library'"),
        ("\n\nCODEC = 1 / 0\n", "acme.py, line 3: ZeroDivisionError: division by zero"),
        ("codec = 1\n", "AttributeError: module 'firmware_protocols.shoe.acme' has no attribute 'CODEC'"),
    ],
)
def test_a_module_that_cannot_be_loaded_is_named_with_its_line(content: str, said: str, tmp_path: Path) -> None:
    shown = with_makers_module(tmp_path, content, "print(discovery.broken_reason('shoe', 'acme'))")
    assert shown.startswith("shoe protocol 'acme': ")
    assert shown.endswith(said)


def test_a_device_is_asked_who_it_is_in_the_protocols_that_can_be_loaded(tmp_path: Path) -> None:
    asked = "from controller.io.lines.identify import questions; print(sorted({kind for kind, *_ in questions()}))"
    shown = with_makers_module(tmp_path, "CODEC = 1 / 0\n", asked)
    assert "ZeroDivisionError" in shown
    assert "'bet_spots', 'shoe']" in shown


def test_a_sound_protocol_is_not_broken() -> None:
    assert broken_reason("shoe", "bee_tek") == ""
