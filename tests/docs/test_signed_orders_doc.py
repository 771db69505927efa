"""The worked example of a signed order in docs/guide/operators.md: the table takes it, and a browser makes it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import Final

import msgspec
import pytest

from controller.core.persons import UNAUTHENTICATED
from controller.formats.journal.records import Identity
from controller.formats.orders.operators import ChannelUser
from controller.formats.orders.signed_orders import FRESH_MS, OrderText, Signatures
from tests.docs.pages import blocks, page, sections

PAGE: Final = page("operators.md")
SECTION: Final = sections(PAGE)["Orders with a signature"]
(TEXT,) = [block.text.strip() for block in blocks(PAGE) if block.kind == "json order-text"]
KEY, SIGNATURE = re.findall(r"^(?:key|signature)  +([0-9a-f]+)$", PAGE, re.MULTILINE)
SENT: Final = {"text": TEXT, "key": KEY, "signature": SIGNATURE}
SIGNED_NS: Final = 1_763_721_000_000 * 1_000_000
NODE: Final = shutil.which("node")
IMPORT: Final = """
const seed = Uint8Array.from({ length: 32 }, (_, place) => place);
const head = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];
const key = await crypto.subtle.importKey("pkcs8", new Uint8Array([...head, ...seed]), "Ed25519", false, ["sign"]);
"""


def test_the_table_takes_the_example() -> None:
    floor = ChannelUser(frozenset({"floor"}), "M. Okafor")
    known = Signatures(Identity("harbour", "bj-1", 1_763_719_200), {KEY: floor}, required=True)
    taken = known.taken("void", msgspec.json.encode(SENT), UNAUTHENTICATED, {KEY: 1_763_720_999_999}, SIGNED_NS)
    assert json.loads(taken.request) == {"round": 17, "who": "M. Okafor", "why": "foul deal"}


def test_it_says_how_far_a_number_may_be_from_the_clock() -> None:
    assert f"within {FRESH_MS // 60_000} minutes of the table's clock" in SECTION.text


def test_its_keys_are_those_of_the_text() -> None:
    assert [row[0].strip("`") for row in SECTION.rows()] == list(OrderText.__struct_fields__)


@pytest.mark.skipif(NODE is None, reason="no nodejs")
def test_a_browsers_code_makes_the_example() -> None:
    assert NODE is not None
    (code,) = [block.text for block in blocks(PAGE) if block.kind == "javascript"]
    program = f"{code}{IMPORT}console.log(JSON.stringify(await signed(key, {KEY!r}, {TEXT!r})));"
    done = subprocess.run(
        [NODE, "--no-warnings", "--input-type=module", "-e", program], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == SENT
