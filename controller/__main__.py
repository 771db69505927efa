"""``python -m controller``: the command, from whichever interpreter runs this."""

from controller.cli import main

main(prog_name="tableside")
