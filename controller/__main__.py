"""``python -m controller``: the command, from whichever interpreter runs this."""

from __future__ import annotations

from controller.cli import main

main(prog_name="tableside")
