"""What the table says of its own program."""

from __future__ import annotations

from controller.core.messages.inputs import SoftwareInspected
from firmware_protocols.values import Value


class SoftwareChecked(Value, frozen=True, tag="software_checked"):
    """The program was held against the list of its files; where it did not pass, the daemon ends.

    ``when``: ``start``, ``hour``, or ``draw``: before the number of a must-hit-by meter was drawn. ``digest`` is
    SHA-256 of the list of the program as it is, ``files`` how many were held against the list, ``signed_by`` the public
    key that vouches for that list; ``detail`` names what is wrong.
    """

    when: str
    passed: bool
    digest: str
    files: int
    signed_by: str
    detail: str


def checked(given: SoftwareInspected) -> SoftwareChecked:
    """What is published of a look at the program."""
    return SoftwareChecked(given.when, given.passed, given.digest, given.files, given.signed_by, given.detail)
