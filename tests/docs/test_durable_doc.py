"""docs/reference/durable-consumers.md against the formats: its hash is ours, and its requests are taken."""

from __future__ import annotations

import re
from typing import Final

from controller.formats.journal.records import Identity
from controller.formats.journal.stream import read_replay, stream_genesis, stream_hash
from tests.docs.pages import blocks, page

PAGE: Final = page("durable-consumers.md")


def test_the_hash_is_computed_as_shown() -> None:
    (text,) = [block.text for block in blocks(PAGE) if block.kind == "python"]
    exec(compile(text, "durable-consumers.md", "exec"), {})
    head = stream_genesis(Identity("harbour", "bj-1", 7))
    for event in re.findall(r"b'(.*?)'", text):
        head = stream_hash(head, event.encode())
    assert head.hex() in text


def test_the_request_shown_is_taken() -> None:
    (shown,) = re.findall(r"^    (\{.*\"first_seq\".*\})$", PAGE, re.MULTILINE)
    wanted = read_replay(shown.encode(), 1795259812)
    assert (wanted.first_seq, wanted.last_seq, wanted.transaction) == (41, 43, "any")
