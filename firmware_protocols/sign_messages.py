"""What passes between a table and its jackpot sign, vendor words removed: the table's commands, the sign's reports.

A sign has one page that stands still: captions, and after each caption a field. Fields are written again and again
while the page stands, so that nothing flickers; a notice covers the page. Fields are numbered from 1.
"""

from __future__ import annotations

from typing import Final

from firmware_protocols.values import Value

FIELDS_LIMIT: Final = 8
"""Fields of a page: as many meters as people can tell apart on one sign."""


UNKNOWN_COMMAND: Final = "a command this sign does not know"
"""The reason of the ``LineFault`` that a sign hears in a packet which came whole."""


class ClearSign(Value, frozen=True, tag="clear_sign"):
    """Forget every page, field and notice."""


class ResetSign(Value, frozen=True, tag="reset_sign"):
    """Start the sign again; its memory is kept."""


class LayOutSign(Value, frozen=True, tag="lay_out_sign"):
    """Divide the sign's memory: one page of ``page_bytes`` and ``fields`` fields of ``width`` characters each."""

    page_bytes: int
    fields: int
    width: int


class ShowPage(Value, frozen=True, tag="show_page"):
    """Show a page: each caption followed by the field of its place, then ``closing``. The table's own stand still."""

    captions: tuple[str, ...]
    closing: str = ""


class RunPage(Value, frozen=True, tag="run_page"):
    """Run the page and nothing else."""


class ShowAmount(Value, frozen=True, tag="show_amount"):
    """Write a field. What stands around it stays as it is."""

    field: int
    text: str


class ShowNotice(Value, frozen=True, tag="show_notice"):
    """Show a flashing text at once in place of everything; empty: the page again."""

    text: str


class ReadSignStatus(Value, frozen=True, tag="read_sign_status"):
    """Ask a sign whether it met an error since it was last asked."""


class ReadAmount(Value, frozen=True, tag="read_amount"):
    """Ask a sign what a field holds."""

    field: int


class SignStatus(Value, frozen=True, tag="sign_status"):
    """Answer: the errors a sign has met, by name, in alphabetical order; none: all is well."""

    errors: tuple[str, ...]


class AmountHeld(Value, frozen=True, tag="amount_held"):
    """Answer: what a field holds."""

    field: int
    text: str


SignReport = SignStatus | AmountHeld
"""Everything a sign may say."""

SignCommand = (
    ClearSign | ResetSign | LayOutSign | ShowPage | RunPage | ShowAmount | ShowNotice | ReadSignStatus | ReadAmount
)
"""Everything a sign may be sent."""
