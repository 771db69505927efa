"""The gates bite: a copy of the packages passes, and with one violation planted the gate fails and names it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
BIN: Final = Path(sys.executable).parent
PACKAGES: Final = ("controller", "devices", "firmware_protocols", "simulators")
HEAD: Final = '"""Planted."""\n\nfrom __future__ import annotations\n\n'

DOWNWARD: Final = "Imports run downward only"
LAYERS: Final = "Every folder of the controller has its layer"
WIRING: Final = "Only the wiring knows the simulators"
PURE: Final = "The pure folders have no clock, no chance and no outside world"
CHANCE: Final = "No randomness in core, formats, reports, devices, protocols"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The four packages and their settings, to be spoilt."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    settle(tmp_path)
    return tmp_path


def settle(tree: Path) -> None:
    """The project's settings and what they name."""
    shutil.copy(ROOT / "pyproject.toml", tree)
    plugin = tree / "tests/house/typed_changes.py"
    plugin.parent.mkdir(parents=True)
    shutil.copy(ROOT / plugin.relative_to(tree), plugin)


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A package with nothing in it, under the project's settings."""
    settle(tmp_path)
    (tmp_path / "devices").mkdir()
    (tmp_path / "devices/__init__.py").write_text('"""Devices."""\n')
    return tmp_path


@pytest.fixture(scope="session")
def mypy_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mypy")


def plant(tree: Path, path: str, text: str) -> None:
    file = tree / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def run(tree: Path, tool: str, *arguments: str) -> tuple[int, str]:
    """The exit status of a tool and all it says, in one line of single spaces."""
    environment = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "FORCE_COLOR"}}
    done = subprocess.run(
        [str(BIN / tool), *arguments],
        cwd=tree,
        env=environment | {"COLUMNS": "200", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def test_the_import_contracts_pass_what_stands(copy: Path) -> None:
    status, output = run(copy, "lint-imports", "--no-cache", "--no-logo")
    assert (status, "0 broken" in output) == (0, True), output


def test_the_import_contracts_pass_what_is_allowed(copy: Path) -> None:
    plant(copy, "controller/pool/__init__.py", "import controller.io\n")
    plant(copy, "controller/io/system/planted.py", "import asyncio\nimport devices\nimport controller.formats.text\n")
    plant(copy, "controller/formats/text/planted.py", "import controller.core.game.planted\n")
    plant(copy, "controller/core/game/planted.py", "import hmac\nimport firmware_protocols.cards\n")
    plant(
        copy,
        "controller/demo/demo.py",
        "import controller.io.system.planted\nimport controller.pool\nimport simulators.serve\n",
    )
    plant(copy, "simulators/serve.py", "import asyncio\nimport os\nimport simulators.people.planted\n")
    plant(copy, "simulators/people/planted.py", "import random\nimport firmware_protocols.cards\n")
    status, output = run(copy, "lint-imports", "--no-cache", "--no-logo")
    assert (status, "0 broken" in output) == (0, True), output


@pytest.mark.parametrize(
    ("importer", "imported", "contract"),
    [
        ("controller.core.game.planted", "devices.session", DOWNWARD),
        ("controller.core.game.planted", "simulators.people.acts", DOWNWARD),
        ("controller.core.game.planted", "controller.formats", DOWNWARD),
        ("controller.core.game.planted", "controller.io", DOWNWARD),
        ("controller.formats.text.planted", "controller.io", DOWNWARD),
        ("controller.io.system.planted", "controller.demo.demo", DOWNWARD),
        ("controller.io.system.planted", "controller.pool", DOWNWARD),
        ("controller.pool", "controller.trigger_box", DOWNWARD),
        ("devices.planted", "controller.core.messages.events", DOWNWARD),
        ("devices.planted", "controller.io", DOWNWARD),
        ("devices.planted", "simulators.people.acts", DOWNWARD),
        ("simulators.people.planted", "controller.core.messages.events", DOWNWARD),
        ("simulators.people.planted", "controller.profiles", DOWNWARD),
        ("simulators.people.planted", "devices.session", DOWNWARD),
        ("firmware_protocols.planted", "controller.core.messages.events", DOWNWARD),
        ("firmware_protocols.planted", "devices.session", DOWNWARD),
        ("firmware_protocols.planted", "simulators.people.acts", DOWNWARD),
        ("controller.io.system.planted", "simulators.people.acts", WIRING),
        ("controller.formats.text.planted", "simulators.people.acts", WIRING),
        ("controller.core.game.planted", "time", PURE),
        ("controller.formats.text.planted", "sqlite3", PURE),
        ("devices.planted", "asyncio", PURE),
        ("firmware_protocols.planted", "os", PURE),
        ("simulators.people.planted", "socket", PURE),
        ("controller.core.game.planted", "random", CHANCE),
        ("devices.planted", "random", CHANCE),
    ],
)
def test_an_import_against_the_floor_plan_is_refused(copy: Path, importer: str, imported: str, contract: str) -> None:
    for folder in ("controller/pool", "controller/trigger_box"):
        plant(copy, f"{folder}/__init__.py", "")
    plant(copy, "controller/demo/demo.py", "")
    path = importer.replace(".", "/")
    plant(copy, f"{path}/__init__.py" if (copy / path).is_dir() else f"{path}.py", f"import {imported}\n")
    status, output = run(copy, "lint-imports", "--no-cache", "--no-logo")
    assert status == 1, output
    assert f"{contract} BROKEN" in output
    assert f"{importer} -> {imported}" in output


def test_a_room_without_a_floor_is_refused(copy: Path) -> None:
    plant(copy, "controller/attic.py", "")
    status, output = run(copy, "lint-imports", "--no-cache", "--no-logo")
    assert status == 1, output
    assert f"{LAYERS} BROKEN" in output
    assert "attic" in output


GOOD: Final = f'''{HEAD}
def payment_cents(wager_cents: int) -> int:
    """The payment of a natural, in cents."""
    return wager_cents * 3 // 2
'''


def test_ruff_and_mypy_pass_good_code(empty: Path, mypy_cache: Path) -> None:
    plant(empty, "devices/planted.py", GOOD)
    for tool, *arguments in (
        ("ruff", "check", "--no-cache"),
        ("ruff", "format", "--check", "--no-cache"),
        ("mypy", "--cache-dir", str(mypy_cache), "devices/planted.py"),
    ):
        status, output = run(empty, tool, *arguments)
        assert status == 0, output


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("F401", f"{HEAD}import enum\n"),
        ("D103", GOOD.replace('    """The payment of a natural, in cents."""\n', "")),
        ("ANN201", GOOD.replace(" -> int", "")),
        ("DTZ005", f"{HEAD}from datetime import datetime\n\nat = datetime.now()\n"),
        ("BLE001", f"{HEAD}try:\n    card = 1\nexcept Exception:\n    card = 2\n"),
        ("S307", f"{HEAD}card = eval('1')\n"),
    ],
)
def test_ruff_refuses(empty: Path, rule: str, text: str) -> None:
    plant(empty, "devices/planted.py", text)
    status, output = run(empty, "ruff", "check", "--no-cache")
    assert (status, rule in output, "planted.py" in output) == (1, True, True), output


def test_ruff_refuses_a_form_of_ones_own(empty: Path) -> None:
    plant(empty, "devices/planted.py", GOOD.replace("wager_cents * 3", "wager_cents*3"))
    status, output = run(empty, "ruff", "format", "--check", "--no-cache")
    assert (status, "would be reformatted" in output, "devices/planted.py" in output) == (1, True, True), output


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("no-untyped-def", GOOD.replace("wager_cents: int", "wager_cents")),
        ("return-value", GOOD.replace("-> int", "-> str")),
        ("type-arg", f"{HEAD}CARDS: list = []\n"),
        (
            "exhaustive-match",
            f"{HEAD}\ndef spots(card: int | str) -> None:\n    match card:\n        case int():\n            pass\n",
        ),
        (
            "unreachable",
            f"{HEAD}\ndef spots(card: int) -> None:\n    if isinstance(card, str):\n        card.upper()\n",
        ),
    ],
)
def test_mypy_refuses(empty: Path, mypy_cache: Path, code: str, text: str) -> None:
    plant(empty, "devices/planted.py", text)
    status, output = run(empty, "mypy", "--cache-dir", str(mypy_cache), "devices/planted.py")
    assert (status, f"[{code}]" in output) == (1, True), output


CHANGE = """
from msgspec.structs import replace

from controller.core.certainty import deal_confirmation
from controller.core.table.state import State
from controller.core.table.transaction import Transaction


def planted(transaction: Transaction, state: State) -> None:
    {}
"""


@pytest.mark.parametrize(
    "call",
    [
        # Of another length than what is allowed: mypy looks at sizes and whole seconds only.
        "transaction.change(no_such_field=3)",
        "transaction.change(burns='3')",
        "transaction.change_round(locked=1.5)",
        "deal_confirmation.change_deal(transaction, stands='closed')",
        "replace(state, burns=None)",
    ],
)
def test_mypy_refuses_a_change_of_a_record_that_its_fields_do_not_allow(
    copy: Path, mypy_cache: Path, call: str
) -> None:
    plant(copy, "controller/core/people/planted.py", CHANGE.format("transaction.change(burns=3)"))
    command = ("mypy", "--cache-dir", str(mypy_cache / "copy"), "controller/core/people/planted.py")
    assert run(copy, *command)[0] == 0
    plant(copy, "controller/core/people/planted.py", CHANGE.format(call))
    status, output = run(copy, *command)
    assert (status, "planted.py:10: error:" in output) == (1, True), output
