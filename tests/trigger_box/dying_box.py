"""A trigger box that is killed after it has stored its answer to a contribution and before it sends it.

``python -m tests.trigger_box.dying_box FILE NUMBER``: it dies at contribution NUMBER.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from controller.commands.trigger_box import serve
from controller.trigger_box.line import TriggerLine
from firmware_protocols.trigger_messages import ContributionAnswered, TriggerReport


class DyingLine(TriggerLine):
    def say(self, reports: tuple[TriggerReport, ...]) -> None:
        for report in reports:
            if isinstance(report, ContributionAnswered) and report.number == int(sys.argv[2]):
                os.kill(os.getpid(), signal.SIGKILL)
        super().say(reports)


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), DyingLine))
