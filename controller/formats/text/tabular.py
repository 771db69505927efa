"""Rows as files for other programs: JSON Lines and CSV (RFC 4180 with a line feed at the end of a line)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

import msgspec


def as_json_lines(rows: Iterable[msgspec.Struct]) -> bytes:
    """One object a line, keys in the order of the row."""
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)


def as_csv(kind: type[msgspec.Struct], rows: Iterable[msgspec.Struct]) -> bytes:
    """A line with the names, then one a row. What is not known is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = kind.__struct_fields__
    writer.writerow(names)
    for row in rows:
        values = (getattr(row, name) for name in names)
        writer.writerow(cell(value) for value in values)
    return text.getvalue().encode()


def cell(value: object) -> object:
    """A cell of CSV; a formula to a spreadsheet is quoted with an apostrophe, as OWASP advises."""
    if value is None:
        return ""
    if isinstance(value, str) and value[:1] in {"=", "+", "-", "@", "\t", "\r"}:
        return f"'{value}"
    return value
