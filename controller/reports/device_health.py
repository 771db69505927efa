"""How a table's devices are, in one line for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from firmware_protocols.readings import DeviceHealth, HealthState

DETAIL_LIMIT: Final = 100
"""Characters of one reason; the whole line is shown on one."""


def health_line(health: Mapping[str, DeviceHealth]) -> str:
    """``3 devices ready``, or ``degraded:`` and what is not, devices with the same trouble together."""
    alike: dict[tuple[str, str], list[str]] = {}
    for name, one in sorted(health.items()):
        if one.state is not HealthState.READY:
            alike.setdefault((one.state.value, one.detail[:DETAIL_LIMIT]), []).append(name)
    if not alike:
        return f"{len(health)} devices ready"
    troubles = (
        f"{', '.join(names)} {state}{f' ({detail})' if detail else ''}" for (state, detail), names in alike.items()
    )
    return f"degraded: {'; '.join(troubles)}"
