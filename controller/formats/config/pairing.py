"""What is said of a line between a table and its trigger box that is not paired, by both ends alike."""

from __future__ import annotations


def unpaired(port: str, pairing_key_file: str | None) -> str:
    """What to say of a line that is not paired; empty where it is.

    A local socket (``unix:``) is no exception: a folder's rights tell one table's daemon from another's as little as
    they tell it from whatever else runs as the same user.
    """
    if pairing_key_file is not None:
        return ""
    return (
        f"the line of the trigger box ({port}) is not paired: whoever reaches it can make up contributions and answers;"
        " name pairing_key_file at both ends (tableside keys pairing)"
    )
