"""Reads a SQLite file byte by byte, so that no byte of a journal is left unaccounted for.

SQLite itself ignores much of its file: gaps between cells, unused tails, several header fields, numbers written longer
than need be. A journal only grows, so all of that has one right value; whatever differs is damage. The format:
https://www.sqlite.org/fileformat2.html (section numbers below).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, Self

HEADER_BYTES: Final = 100
MAGIC: Final = b"SQLite format 3\x00"
LEAF_TABLE: Final = 0x0D
INTERIOR_TABLE: Final = 0x05
LOCK_BYTE: Final = 0x40000000
"""The page with this offset is never used (1.4)."""

Cell = int | str | bytes | None
"""A value as SQLite stores it; journals hold no floating-point numbers."""


class PageDamaged(Exception):  # noqa: N818 - named for what happened
    """A page is not as an append-only journal leaves it."""

    def __init__(self, page: int, page_bytes: int, text: str) -> None:
        first = (page - 1) * page_bytes
        super().__init__(f"page {page} (bytes {first} to {first + page_bytes - 1}): {text}")
        self.page = page


class Row(NamedTuple):
    """A row of a table: its rowid and its columns, the rowid's own column as None."""

    rowid: int
    columns: tuple[Cell, ...]


class Header(NamedTuple):
    """The header's fields that differ between sound journals (1.3)."""

    change_counter: int
    schema_cookie: int
    user_version: int
    application_id: int
    valid_for: int
    library: int


class Image:
    """A database as its pages: how many there are, and how to read each; page numbers count from 1."""

    def __init__(self, read: Callable[[int], bytes], pages: int, page_bytes: int) -> None:
        self._read = read
        self.page_bytes = page_bytes
        self.pages = pages
        self._visited = bytearray(pages + 1)

    @classmethod
    def of(cls, data: bytes, page_bytes: int) -> Self:
        """A database as bytes.

        Raises:
            PageDamaged: not whole pages.
        """
        pages = len(data) // page_bytes
        if not pages or len(data) % page_bytes:
            raise PageDamaged(max(1, pages), page_bytes, f"the file has {len(data)} bytes, not whole pages")
        return cls(lambda page: data[(page - 1) * page_bytes : page * page_bytes], pages, page_bytes)

    def header(self) -> Header:
        """The file header (1.3), every fixed field checked.

        Raises:
            PageDamaged: a field has no right value.
        """
        data = self._page(1)
        fixed = {
            (0, 16): MAGIC,
            (16, 18): self.page_bytes.to_bytes(2, "big"),
            # A copy, or a journal whose disk refused it, may not say that it is written with a log; opened, it will.
            (18, 20): b"\x01\x01" if data[18:20] == b"\x01\x01" else b"\x02\x02",
            (20, 24): b"\x00\x40\x20\x20",
            (28, 32): self.pages.to_bytes(4, "big"),
            (32, 40): bytes(8),
            (44, 60): b"\x00\x00\x00\x04" + bytes(8) + b"\x00\x00\x00\x01",
            (64, 68): bytes(4),
            (72, 92): bytes(20),
        }
        for (first, end), wanted in fixed.items():
            if data[first:end] != wanted:
                raise PageDamaged(1, self.page_bytes, f"header bytes {first} to {end - 1} are {data[first:end].hex()}")
        numbers = [int.from_bytes(data[at : at + 4], "big") for at in (24, 40, 60, 68, 92, 96)]
        return Header(*numbers)

    def rows(self, root: int) -> Iterator[Row]:
        """The rows of the table whose tree begins at page ``root``, in order of their rowids.

        Raises:
            PageDamaged: a byte of the tree is not accounted for.
        """
        return self._rows(root, is_root=True)

    def _rows(self, page: int, *, is_root: bool) -> Iterator[Row]:
        flag = self._page(page)[self._start(page)]
        if flag == LEAF_TABLE:
            yield from self._leaf(page)
        elif flag == INTERIOR_TABLE:
            for child, bound in self._children(page, is_root=is_root):
                last = None
                for row in self._rows(child, is_root=False):
                    last = row.rowid
                    yield row
                if last is None or (bound is not None and bound != last):
                    raise self._damaged(page, f"the key beside page {child} is {bound}, its last row is {last}")
        else:
            raise self._damaged(page, f"kind of page {flag:#x}")

    def check_all_visited(self) -> None:
        """Raise ``PageDamaged`` for the first page that no table uses."""
        for page in range(1, self.pages + 1):
            if not self._visited[page] and page != LOCK_BYTE // self.page_bytes + 1:
                raise self._damaged(page, "belongs to no table")

    def _damaged(self, page: int, text: str) -> PageDamaged:
        return PageDamaged(page, self.page_bytes, text)

    def _start(self, page: int) -> int:
        return HEADER_BYTES if page == 1 else 0

    def _page(self, page: int) -> bytes:
        if not 1 <= page <= self.pages:
            raise self._damaged(1, f"a pointer leads to page {page} of {self.pages}")
        data = self._read(page)
        if len(data) != self.page_bytes:
            raise self._damaged(page, "is cut short")
        return data

    def _visit(self, page: int) -> bytes:
        data = self._page(page)
        if self._visited[page]:
            raise self._damaged(page, "is used twice")
        self._visited[page] = 1
        return data

    def _leaf(self, page: int) -> Iterator[Row]:
        data = self._visit(page)
        spans: list[tuple[int, int]] = []
        rows: list[Row] = []
        for at in self._pointers(page, data, header_bytes=8):
            row, end = self._leaf_cell(page, data, at)
            spans.append((at, end))
            rows.append(row)
        self._check_filled(page, data, gap=self._start(page) + 8 + 2 * len(spans), spans=spans)
        yield from rows

    def _children(self, page: int, *, is_root: bool) -> list[tuple[int, int | None]]:
        """The children of an interior page (1.6) with the rowid each ends at; None for the last.

        When an interior page below the root is split, SQLite leaves copies of moved cells in its gap. Nothing reads
        them, so there alone unused bytes may be anything.
        """
        data = self._visit(page)
        spans: list[tuple[int, int]] = []
        found: list[tuple[int, int | None]] = []
        for at in self._pointers(page, data, header_bytes=12):
            bound, end = self._varint(page, data, at + 4)
            spans.append((at, end))
            found.append((int.from_bytes(data[at : at + 4], "big"), bound))
        if is_root:
            self._check_filled(page, data, gap=self._start(page) + 12 + 2 * len(spans), spans=spans)
        last = self._start(page) + 8
        found.append((int.from_bytes(data[last : last + 4], "big"), None))
        return found

    def _pointers(self, page: int, data: bytes, *, header_bytes: int) -> list[int]:
        start = self._start(page)
        count = int.from_bytes(data[start + 3 : start + 5], "big")
        first = start + header_bytes
        if first + 2 * count > self.page_bytes:
            raise self._damaged(page, f"claims {count} cells")
        return [int.from_bytes(data[at : at + 2], "big") for at in range(first, first + 2 * count, 2)]

    def _check_filled(self, page: int, data: bytes, *, gap: int, spans: list[tuple[int, int]]) -> None:
        """Header, pointers, zeros, cells: nothing else may be on a page, and the cells touch each other."""
        start = self._start(page)
        if data[start + 1 : start + 3] != b"\x00\x00" or data[start + 7]:
            raise self._damaged(page, "has free blocks or fragments, though nothing is ever deleted")
        content = int.from_bytes(data[start + 5 : start + 7], "big")
        at = content
        for first, end in sorted(spans):
            if first != at:
                break
            at = end
        if at != self.page_bytes:
            raise self._damaged(page, f"byte {at} of the page is in no cell")
        if data[gap:content].strip(b"\x00"):
            raise self._damaged(page, "the gap between pointers and cells is not empty")

    def _leaf_cell(self, page: int, data: bytes, at: int) -> tuple[Row, int]:
        size, place = self._varint(page, data, at)
        rowid, place = self._varint(page, data, place)
        local = self._local_bytes(size)
        if place + local > self.page_bytes:
            raise self._damaged(page, "a cell reaches beyond the page")
        payload, end = data[place : place + local], place + local
        if local < size:
            following = int.from_bytes(data[end : end + 4], "big")
            payload += self._overflow(following, size - local)
            end += 4
        return Row(rowid=rowid, columns=self._record(page, payload)), end

    def _local_bytes(self, size: int) -> int:
        """How much of a payload lies on the leaf itself (1.6)."""
        most, least = self.page_bytes - 35, (self.page_bytes - 12) * 32 // 255 - 23
        if size <= most:
            return size
        wanted = least + (size - least) % (self.page_bytes - 4)
        return wanted if wanted <= most else least

    def _overflow(self, page: int, size: int) -> bytes:
        parts: list[bytes] = []
        while size > 0:
            data = self._visit(page)
            held = min(size, self.page_bytes - 4)
            parts.append(data[4 : 4 + held])
            size -= held
            following = int.from_bytes(data[:4], "big")
            if data[4 + held :].strip(b"\x00") or (size == 0 and following):
                raise self._damaged(page, "the unused end of a long value is not empty")
            page = following
        return b"".join(parts)

    def _varint(self, page: int, data: bytes, at: int) -> tuple[int, int]:
        """A variable-length number (1.6), refused if it is written longer than need be."""
        value = 0
        for count in range(8):
            if at + count >= len(data):
                raise self._damaged(page, "a number reaches beyond its place")
            byte = data[at + count]
            value = value << 7 | byte & 0x7F
            if byte < 0x80:
                if count and not value >> 7 * count:
                    raise self._damaged(page, "a number is written longer than need be")
                return value, at + count + 1
        raise self._damaged(page, "a number of more than 56 bits")

    def _record(self, page: int, payload: bytes) -> tuple[Cell, ...]:
        """The columns of a row (2.1); the lengths must add up and each number must be as short as it can be."""
        header_bytes, place = self._varint(page, payload, 0)
        at = header_bytes
        columns: list[Cell] = []
        while place < header_bytes:
            kind, place = self._varint(page, payload, place)
            column, at = self._column(page, payload, kind, at)
            columns.append(column)
        if place != header_bytes or at != len(payload):
            raise self._damaged(page, "the lengths of a row do not add up")
        return tuple(columns)

    def _column(self, page: int, payload: bytes, kind: int, at: int) -> tuple[Cell, int]:
        if kind == 0:
            return None, at
        if kind in {8, 9}:
            return kind - 8, at
        sizes = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
        size = sizes[kind] if kind in sizes else (kind - 12) // 2
        data = payload[at : at + size]
        if len(data) != size or kind in {7, 10, 11}:
            raise self._damaged(page, f"a column of kind {kind} where none can be")
        if kind in sizes:
            value = int.from_bytes(data, "big", signed=True)
            if _integer_kind(value) != kind:
                raise self._damaged(page, "a number is written longer than need be")
            return value, at + size
        try:
            return (data if kind % 2 == 0 else data.decode()), at + size
        except UnicodeDecodeError as error:
            raise self._damaged(page, "text that is not UTF-8") from error


def _integer_kind(value: int) -> int:
    if value in {0, 1}:
        return 8 + value
    for kind, bits in ((1, 8), (2, 16), (3, 24), (4, 32), (5, 48)):
        if -(1 << bits - 1) <= value < 1 << bits - 1:
            return kind
    return 6
