"""What the table says of its own program."""

from __future__ import annotations

from controller.core.messages.inputs import SoftwareInspected
from firmware_protocols.values import Value


class SoftwareChecked(Value, frozen=True, tag="software_checked"):
    """The program was compared with the list of its files.

    If the check did not pass, the daemon ends.

    A table whose file names no list never publishes this event (``docs/guide/operations.md#the-program-itself``).
    """

    when: str
    """``start``; ``hour``: while it runs; ``draw``: before the number of a must-hit-by meter was drawn."""
    passed: bool
    """Whether it is the program listed."""
    digest: str
    """SHA-256 of the list of the program as it is, hex."""
    files: int
    """How many files were compared with the list, libraries included."""
    signed_by: str
    """The public key that vouches for the list, hex; empty: no signer."""
    detail: str
    """The fault, with the names of files; empty: no fault."""


def checked(given: SoftwareInspected) -> SoftwareChecked:
    """What is published of a look at the program."""
    return SoftwareChecked(given.when, given.passed, given.digest, given.files, given.signed_by, given.detail)
