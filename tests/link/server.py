"""A real PostgreSQL of the tests' own, in a folder of its own: no port, no password, nobody else's."""

from __future__ import annotations

import contextlib
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Final

PATIENCE_SECONDS: Final = 60
ROOT: Final = 0
_NUMBERS = itertools.count(1)


def unused_pool() -> str:
    """A pool's name that no other test has: all tests of a process share one server."""
    return f"pit-{next(_NUMBERS)}"


def programs() -> Path | None:
    """Where the server's programs lie; Debian keeps them out of the way."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path else None


class Server:
    """The server; ``where`` is how psycopg finds it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.data = directory / "data"
        self.where = f"host={directory} dbname=postgres user=tableside"
        # It refuses to run as root.
        self._user = "nobody" if os.geteuid() == ROOT else None
        if self._user:
            os.chown(directory, pwd.getpwnam(self._user).pw_uid, -1)
        self._run(
            "initdb", "-D", str(self.data), "-U", "tableside", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"
        )

    def start(self) -> None:
        """Start, and wait until it answers."""
        options = f"-c listen_addresses= -c unix_socket_directories={self.directory} -c max_connections=40"
        log = str(self.directory / "log")
        self._run("pg_ctl", "-D", str(self.data), "-w", "-t", str(PATIENCE_SECONDS), "-l", log, "-o", options, "start")

    def stop(self) -> None:
        """Stop without waiting for clients."""
        self._run("pg_ctl", "-D", str(self.data), "-m", "immediate", "-w", "stop", check=False)

    def kill(self) -> None:
        """End it as a power failure would, its backends with it."""
        lines = (self.data / "postmaster.pid").read_text().splitlines()
        leader = int(lines[0])
        children = Path(f"/proc/{leader}/task/{leader}/children").read_text().split()
        for process in (leader, *map(int, children)):
            os.kill(process, signal.SIGKILL)
        self.stop()

    def pause(self) -> None:
        """Hang, as a machine does whose disk has stopped: connections stay, and nothing is answered."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Go on as if nothing had been."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        leader = int((self.data / "postmaster.pid").read_text().splitlines()[0])
        children = Path(f"/proc/{leader}/task/{leader}/children").read_text().split()
        for process in (leader, *map(int, children)):
            # A backend whose client has gone ends by itself, also between these two lines.
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

    def _run(self, program: str, *arguments: str, check: bool = True) -> None:
        found = programs()
        assert found is not None
        command = [str(found / program), *arguments]
        # A server started keeps what it is given to write to: it must not be a pipe that we wait on.
        with tempfile.TemporaryFile() as output:
            done = subprocess.run(
                command, user=self._user, cwd="/", stdin=subprocess.DEVNULL, stdout=output, stderr=output, check=False
            )
            output.seek(0)
            assert not check or done.returncode == 0, output.read().decode(errors="replace")
