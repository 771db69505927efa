"""The walk through docs/guide/link.md, typed as it stands there: a pit of two tables, begun, played, and added up."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from controller.io.mqtt.broker import free_port
from tests.docs.pages import blocks, page
from tests.wiring.premises import PATIENCE_S

STEPS = ("sh pit", "sh tables", "sh run", "sh look")


async def test_a_pit_is_set_up_from_nothing_as_the_page_says(tmp_path: Path) -> None:
    found = {block.kind: block.text for block in blocks(page("link.md"))}
    script = "set -e\n" + "".join(found[step] for step in STEPS)
    script = script.replace("7400", str(free_port())).replace("port = 1883", f"port = {free_port()}")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    process = await asyncio.create_subprocess_exec(
        "bash",
        "-c",
        script,
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        output, _ = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    finally:
        if process.returncode is None:
            os.killpg(process.pid, 9)
    decoded = output.decode()
    assert process.returncode == 0, decoded
    assert "pool pit-1: begun at 10,000.00 by Ann and Ben" in decoded
    assert decoded.count("three_diamonds: pending") == 2
    assert decoded.count("in order     none missing, none twice") == 2
    assert "\nreconciled\n" in decoded
