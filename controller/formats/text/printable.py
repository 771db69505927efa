"""Text for a terminal: whatever is not printable in it is shown as an escape, so that no field moves a cursor."""

from __future__ import annotations


def printable(text: str) -> str:
    r"""``text`` on one line of a terminal: control codes, line ends, marks of direction as ``\u001b``, as in JSON.

    JSON stays JSON of the same value.
    """
    return text if text.isprintable() else "".join(one if one.isprintable() else _escape(one) for one in text)


def _escape(letter: str) -> str:
    # Half a character has no other code; what is beyond the first plane is two in JSON.
    code = letter.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{code[at : at + 2].hex()}" for at in range(0, len(code), 2))
