"""A small real HTTP server that answers as a test tells it to."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass(frozen=True)
class Reply:
    """An answer: JSON of ``body`` unless it is bytes.

    ``hold``: it is not sent before the test ends. ``missing``: so many bytes less than announced.
    """

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    hold: bool = False
    missing: int = 0

    @property
    def data(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass(frozen=True)
class Request:
    path: str
    headers: dict[str, str]
    json: Any
    port: int  # of the client: the same port is the same connection


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


class Web:
    """The server: ``replies`` are used up in their order, the last one is repeated."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.requests: list[Request] = []
        self.released = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def answers(self, *replies: Any) -> None:
        """What it answers from now on; what is no ``Reply`` is the body of a good one."""
        self.replies = [each if isinstance(each, Reply) else Reply(each) for each in replies]

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()


def _handler(web: Web) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            port = self.client_address[1]
            web.requests.append(Request(self.path, headers, json.loads(body), port))
            reply = web.replies.pop(0) if len(web.replies) > 1 else web.replies[0]
            if reply.hold:
                web.released.wait(30)
            try:
                self.send(reply)
            except OSError:
                self.close_connection = True  # whoever asked did not wait

        def send(self, reply: Reply) -> None:
            self.send_response(reply.status)
            lengths = {"Content-Length": str(len(reply.data) + reply.missing)}
            for name, value in (
                {"Content-Type": "application/json"} | lengths | reply.headers
            ).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.data)
            self.wfile.flush()
            self.close_connection = self.close_connection or reply.missing > 0

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


@pytest.fixture
def web() -> Iterator[Web]:
    """A server on a port of its own."""
    server = Web()
    yield server
    server.close()


@pytest.fixture
def reply() -> type[Reply]:
    """Makes an answer that is not simply a good one."""
    return Reply
