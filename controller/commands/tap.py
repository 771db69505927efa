"""``tableside tap``: what a display at the table receives."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from controller.commands.terminal import AS_JSON, say


@click.command("tap")
@click.argument("socket", type=click.Path(path_type=Path))
@click.option("--raw", is_flag=True, help="Topic and payload as received, separated by a space.")
@AS_JSON
def command(socket: Path, *, raw: bool, as_json: bool) -> None:
    """Print what a table sends on its tap, the SOCKET of [tap] in its table file.

    Messages may be missing: the tap does not wait for slow readers.

    Exit status: 0 when interrupted, 2 if there is no such socket.
    """
    import zmq

    from controller.reports.audit.stream_audit import Watcher, lines_of

    if not socket.is_socket():
        say(f"tableside: {socket}: no socket here; is the table running, with [tap] in its file?", err=True)
        sys.exit(2)
    watcher = Watcher()
    with zmq.Context() as context, context.socket(zmq.SUB) as display:
        display.set(zmq.LINGER, 0)
        display.connect(f"ipc://{socket}")
        display.subscribe(b"")
        try:
            while True:
                topic, *payload = display.recv_multipart()
                if raw:
                    say(b" ".join((topic, *payload)))
                    continue
                name, body = topic.decode(errors="replace"), b"".join(payload)
                for line in lines_of(name, body, watcher.see(name, body), as_json=as_json):
                    say(line)
        except KeyboardInterrupt:
            sys.exit(0)
