"""An HTTP server that others only read: with a limit on connections at once, and on how long each lasts."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING, Any, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

CONNECTIONS_LIMIT: Final = 16
"""At once. Two servers of Prometheus that ask every few seconds, and a person who looks, need three."""

PATIENCE_SECONDS: Final = 5.0
"""How long a connection may say nothing, or take nothing of the answer."""

ENTIRE_SECONDS: Final = 15.0
"""How long a connection may last, however it is spun out."""


class _Server(ThreadingMixIn, WSGIServer):
    """One that hangs up on a new connection when there are too many."""

    daemon_threads = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - socketserver's
        super().__init__(*args, **kwargs)
        self._free = threading.BoundedSemaphore(CONNECTIONS_LIMIT)

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - socketserver's
        """Answer in a thread, if one is free."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except RuntimeError:
            # No thread could be started, so that none gives the place back.
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - socketserver's
        """Answer, and hang up when the time is up."""
        end = threading.Timer(ENTIRE_SECONDS, _hang_up, (request,))
        end.daemon = True
        end.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            end.cancel()
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - socketserver's
        """Nothing: a client that hangs up in the middle is no fault of ours."""


class _ServerOnIPv6(_Server):
    address_family = socket.AF_INET6


class _Handler(WSGIRequestHandler):
    """One that waits for so long and writes no log."""

    timeout = PATIENCE_SECONDS

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401 - the standard library's
        """Nothing."""


def _hang_up(request: socket.socket) -> None:
    with contextlib.suppress(OSError):
        request.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def answering(host: str, port: int, application: WSGIApplication) -> Iterator[int]:
    """Have requests answered in threads until the end of the block; the port, for a ``port`` of 0.

    Raises:
        OSError: the address cannot be had.
    """
    kind = _ServerOnIPv6 if ":" in host else _Server
    with make_server(host, port, application, kind, _Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()
