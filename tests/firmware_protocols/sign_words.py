"""Strategies for everything that passes between a table and its sign."""

from __future__ import annotations

from hypothesis import strategies as st

from firmware_protocols.messages import Message
from firmware_protocols.sign_messages import (
    AmountHeld,
    LayOutSign,
    ReadAmount,
    ShowAmount,
    ShowNotice,
    ShowPage,
    SignStatus,
)

ERRORS = ("buffer_overflow", "checksum", "framing", "illegal_command", "parity", "time_out")

printable = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=40)
fields = st.integers(1, 8)

SIGN_WORDS: dict[type[Message], st.SearchStrategy[Message]] = {
    LayOutSign: st.builds(LayOutSign, st.integers(1, 0xFFFF), fields, st.integers(1, 125)),
    ShowPage: st.builds(ShowPage, st.lists(printable, max_size=5).map(tuple), st.just("") | printable),
    ShowAmount: st.builds(ShowAmount, fields, printable),
    ShowNotice: st.builds(ShowNotice, printable),
    ReadAmount: st.builds(ReadAmount, fields),
    SignStatus: st.builds(SignStatus, st.sets(st.sampled_from(ERRORS)).map(lambda found: tuple(sorted(found)))),
    AmountHeld: st.builds(AmountHeld, fields, printable),
}
