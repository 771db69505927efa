"""What is there at the start of a long run is not looked through again and again."""

from __future__ import annotations

import subprocess
import sys

from controller.io.system.garbage_collection import YOUNG_OBJECTS

LOOKED_AFTER = """
import gc
from controller.io.system.garbage_collection import keep_for_good

mine = [[] for _ in range(1000)]
keep_for_good()
print(gc.get_freeze_count() >= 1000, any(one is mine for one in gc.get_objects()), gc.get_threshold()[0])
"""


def test_what_is_there_is_kept_for_good() -> None:
    ran = subprocess.run((sys.executable, "-c", LOOKED_AFTER), check=True, capture_output=True, text=True)
    assert ran.stdout.split() == ["True", "False", str(YOUNG_OBJECTS)]
