"""Runs inside the table PC: a command for each line of JSON that comes over a virtio port, its outcome back as one.

Only what Debian's own python3 has. The campaign puts this file and its unit into the image; no other part of the PC
knows of it.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

PORT = Path("/dev/virtio-ports/rig")


def main() -> None:
    """Serve until the PC goes down."""
    with PORT.open("r+b", buffering=0) as port:
        port.write(b'{"up": true}\n')
        line = b""
        while True:
            line += port.read(1) or b""
            if not line.endswith(b"\n"):
                continue
            asked, line = json.loads(line), b""
            done = subprocess.run(
                ["bash", "-c", asked["run"]],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
            output = done.stdout.decode(errors="replace")[-20_000_000:]
            answer = memoryview(json.dumps({"status": done.returncode, "said": output}).encode() + b"\n")
            while answer:
                # A raw port takes no more than it has room for.
                answer = answer[port.write(answer) or 0 :]


if __name__ == "__main__":
    main()
