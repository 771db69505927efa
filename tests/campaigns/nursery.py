"""A process that has loaded the program once and forks it as often as asked: the real commands, ready in milliseconds.

Each line on standard input is a request in JSON: ``{"run": [arguments], "log": path}`` forks ``tableside`` with these
arguments and answers with its process id; ``{"kill": id, "signal": n}`` sends a signal; ``{"wait": id}`` waits for its
end and answers with the status that ``os.waitstatus_to_exitcode`` makes of it.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import Any, Self


class Nursery:
    """The other end: what a campaign asks."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._turn = asyncio.Lock()

    @classmethod
    async def open(cls) -> Self:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", __name__, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        return cls(process)

    async def spawn(self, *arguments: str, log: Path) -> int:
        return await self._ask({"run": arguments, "log": str(log)})

    async def end(self, process: int, number: int = signal.SIGKILL) -> int:
        """Send a signal and wait; the exit status, negative for a signal."""
        await self._ask({"kill": process, "signal": number})
        return await self._ask({"wait": process})

    async def has_ended(self, process: int) -> bool:
        return bool(await self._ask({"ended": process}))

    async def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()

    async def _ask(self, request: dict[str, Any]) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        async with self._turn:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            return int(await self._process.stdout.readline())


def serve() -> None:
    """Take requests until there are no more; then end whatever still runs."""
    from controller import version  # noqa: PLC0415
    from controller.cli import main  # noqa: PLC0415 - loaded before anything is forked
    from controller.commands import run, watch  # noqa: F401, PLC0415
    from controller.io.files import profile_files  # noqa: PLC0415
    from controller.io.operators.software import own_digest  # noqa: PLC0415
    from firmware_protocols import discovery  # noqa: PLC0415

    for kind, vendors in discovery.codecs().items():
        for vendor in vendors:
            discovery.find(kind, vendor)
    for profile in profile_files.names():
        profile_files.load(profile)
    version()
    own_digest()
    # What is never looked through by the collector stays shared with those that are forked.
    gc.collect()
    gc.freeze()
    running: set[int] = set()
    for line in sys.stdin:
        request = json.loads(line)
        if "run" in request:
            child = os.fork()
            if not child:
                _become(main, request["run"], request["log"])
            running.add(child)
            answer = child
        elif "kill" in request:
            os.kill(request["kill"], request["signal"])
            answer = 0
        elif "ended" in request:
            answer = int(os.waitid(os.P_PID, request["ended"], os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None)
        else:
            _, status = os.waitpid(request["wait"], 0)
            running.discard(request["wait"])
            answer = os.waitstatus_to_exitcode(status)
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()
    for child in running:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _become(main: Any, arguments: list[str], log: str) -> None:
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    try:
        main.main(arguments, prog_name="tableside")
    except SystemExit as end:
        os._exit(end.code if isinstance(end.code, int) else 1)
    except BaseException:  # noqa: BLE001 - as the interpreter would say it, in the log
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(1)


if __name__ == "__main__":
    serve()
