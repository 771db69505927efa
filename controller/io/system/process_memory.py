"""How this process keeps its memory once a program is loaded and before anybody waits for it.

Python looks seldom for unreachable cycles, and not among what is there for good: by default it looks after every 700
objects, and now and then through all there are, some milliseconds in the middle of a card's way, for a program whose
values make no cycles.

Memory comes in pages of two mebibytes (Linux's transparent huge pages), where the kernel gives them to who asks: a
table rests between two cards, and whatever runs meanwhile takes the processor's memory of where pages lie, so that a
card looks up some thousand small ones anew.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

YOUNG_OBJECTS: Final = 10_000
"""Objects made, less those that are gone, between two looks at the youngest."""

HUGE_BYTES: Final = 2 * 2**20
"""Of a huge page, and what its address is a multiple of, on x86-64 and on 64-bit Arm with pages of four kibibytes."""

_MADV_HUGEPAGE: Final = 14
_MADV_COLLAPSE: Final = 25
"""madvise(2); the second, since Linux 6.1, does at once what the kernel else does in its own time."""

_ASKABLE: Final = (["rw-p", "00000000", "00:00", "0"], ["rw-p", "00000000", "00:00", "0", "[heap]"])
"""What a line of proc(5)'s maps says of private, writable memory without a file, after its addresses."""

_MAPS: Final = Path("/proc/self/maps")

Advise = Callable[[int, int, int], object]
"""madvise(2): an address, a number of bytes, advice. What it returns is not looked at: it is advice."""


def settle() -> None:
    """The program is loaded: what is there now stays."""
    keep_for_good()
    use_huge_pages()


def keep_for_good() -> None:
    """Leave all objects that are there now out of every later look, and look less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS)


def use_huge_pages() -> None:
    """Ask for huge pages for all memory that this process has now; nothing happens where there are none.

    Takes some milliseconds for each ten mebibytes.
    """
    # A hardened service may be forbidden the memory that ctypes asks for.
    with contextlib.suppress(ImportError, MemoryError, OSError, AttributeError):
        import ctypes  # noqa: PLC0415

        madvise = ctypes.CDLL(None).madvise
        madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        ask_for_huge_pages(_MAPS.read_text(encoding="ascii", errors="replace"), madvise)


def ask_for_huge_pages(maps: str, advise: Advise) -> None:
    """Give the advice for each range of ``maps``, a process's /proc/PID/maps, that huge pages can fill."""
    for start, length in huge_ranges(maps):
        advise(start, length, _MADV_HUGEPAGE)
        advise(start, length, _MADV_COLLAPSE)


def huge_ranges(maps: str) -> Iterator[tuple[int, int]]:
    """The address and bytes of each range of private, writable memory without a file, cut to whole huge pages."""
    for line in maps.splitlines():
        addresses, *described = line.split()
        if described in _ASKABLE:
            first, end = (int(address, 16) for address in addresses.split("-"))
            start = -(-first // HUGE_BYTES) * HUGE_BYTES
            if (length := end // HUGE_BYTES * HUGE_BYTES - start) > 0:
                yield start, length
