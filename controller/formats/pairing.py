"""Whether the line between a table and its trigger box ought to be paired, for both ends alike."""

from __future__ import annotations


def unpaired(port: str, pairing_key_file: str | None) -> str:
    """What to say of a line that is not paired and may leave its cabinet; empty where there is nothing to say.

    A local socket (``unix:``) leaves no machine: who may reach it is said by its folder.
    """
    if pairing_key_file is not None or port.startswith("unix:"):
        return ""
    return (
        f"the line of the trigger box ({port}) is not paired: whoever reaches it can make up contributions and answers;"
        " name pairing_key_file at both ends (tableside keys pairing)"
    )
