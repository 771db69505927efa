"""The campaign of upgrades says in a line what keeps it from beginning."""

from __future__ import annotations

import subprocess
import sys

from tests.campaigns.upgrade import ROOT


def test_a_revision_that_is_not_there_is_refused_in_a_line() -> None:
    command = [sys.executable, "-m", "tests.campaigns.upgrade", "--from", "no-such-tag"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("no-such-tag: no such tag or commit here; git log names them")
    assert done.stderr.count("\n") == 1
