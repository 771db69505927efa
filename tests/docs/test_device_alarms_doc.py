"""docs/guide/operations.md against the code: a technician finds each code of a device alarm by its text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from devices.paired_session import TEXTS
from tests.docs.pages import ROOT, page

SAYS: Final = {"_complain", "complain", "DeviceComplained", "_tell", "tell_trouble"}
"""What people read of a device; its code is the first argument that looks like one."""

CODE: Final = re.compile(r"[a-z]+(_[a-z]+)*")


def codes() -> Iterator[str]:
    """Every code that stands in a call of a session, a line or the daemon."""
    files = [*(ROOT / "devices").rglob("*.py"), *(ROOT / "controller/io/lines").glob("*.py")]
    for file in (*files, ROOT / "controller/io/system/clock_watch.py", ROOT / "controller/daemon/daemon.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            name = ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
            if isinstance(node, ast.Call) and name in SAYS:
                plain = node.args[1:] if name == "DeviceComplained" else node.args
                given = (*plain, *(one.value for one in node.keywords if one.arg == "code"))
                words = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]
                yield from (word for word in words[:1] if CODE.fullmatch(word))


def test_each_code_has_its_row() -> None:
    section = page("operations.md").partition("### Device alarms")[2].partition("\n## ")[0]
    described = set(re.findall(r"`([a-z_]+)`", section))
    assert {"draws_missing", "stuck_key", "stepped", "needs_attention", "too_many", "name_taken"} <= set(codes())
    assert {*codes(), *TEXTS} - described == set()
