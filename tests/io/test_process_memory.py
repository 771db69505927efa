"""What is there at the start of a long run is not looked through again and again, and lies in large pages."""

from __future__ import annotations

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from controller.io.system.process_memory import (
    HUGE_BYTES,
    YOUNG_OBJECTS,
    ask_for_huge_pages,
    huge_ranges,
    use_huge_pages,
)

MAPS = """\
00400000-00c00000 r-xp 00000000 08:01 131 /usr/bin/python3.11
00c00000-01400000 rw-p 00800000 08:01 131 /usr/bin/python3.11
01500000-01b00000 rw-p 00000000 00:00 0 [heap]
7f0000000000-7f0000100000 rw-p 00000000 00:00 0
7f0000300000-7f0000900000 rw-p 00000000 00:00 0
7f0000a00000-7f0001200000 ---p 00000000 00:00 0
7f0001400000-7f0001c00000 rw-s 00000000 00:01 77 /memfd:ring (deleted)
7ffc00000000-7ffc00800000 rw-p 00000000 00:00 0 [stack]
"""


def test_it_asks_for_the_heap_and_for_memory_without_a_file_where_a_whole_page_fits() -> None:
    asked: list[tuple[int, int, int]] = []
    ask_for_huge_pages(MAPS, lambda *advice: asked.append(advice))
    heap, arenas = (0x01600000, 2 * HUGE_BYTES), (0x7F0000400000, 2 * HUGE_BYTES)
    assert asked == [(*heap, 14), (*heap, 25), (*arenas, 14), (*arenas, 25)]


@given(st.integers(0, 2**40), st.integers(1, 2**28))
def test_a_range_is_whole_huge_pages_within_the_memory_and_leaves_less_than_one_at_either_end(
    page: int, pages: int
) -> None:
    first, end = 4096 * page, 4096 * (page + pages)
    found = list(huge_ranges(f"{first:x}-{end:x} rw-p 00000000 00:00 0\n"))
    for start, length in found:
        assert start % HUGE_BYTES == 0
        assert length % HUGE_BYTES == 0
        assert 0 <= start - first < HUGE_BYTES
        assert 0 <= end - (start + length) < HUGE_BYTES
    assert found or end - first < 2 * HUGE_BYTES


SEEN = """
from controller.io.system.process_memory import use_huge_pages
kept = [bytes([place % 256]) * 500 for place in range(50_000)]
before = [each[0] for each in kept]
use_huge_pages()
assert [each[0] for each in kept] == before
"""


def test_what_lies_in_memory_stays_what_it_is() -> None:
    subprocess.run((sys.executable, "-c", SEEN), check=True)


def test_it_may_be_asked_again() -> None:
    use_huge_pages()
    use_huge_pages()


LOOKED_AFTER = """
import gc
from controller.io.system.process_memory import keep_for_good

mine = [[] for _ in range(1000)]
keep_for_good()
print(gc.get_freeze_count() >= 1000, any(one is mine for one in gc.get_objects()), gc.get_threshold()[0])
"""


def test_what_is_there_is_kept_for_good() -> None:
    ran = subprocess.run((sys.executable, "-c", LOOKED_AFTER), check=True, capture_output=True, text=True)
    assert ran.stdout.split() == ["True", "False", str(YOUNG_OBJECTS)]
