"""HttpClient: one service's connections, on an event loop that does nothing but HTTP.

A connection belongs to one event loop and one process. All requests run on one loop of plait's
own, so that sync callers and async callers of any loop share a service's connections, and a caller
that blocks a loop of its own blocks no request. It is not the loop on which other coroutines run:
nothing here ever waits for a caller's code.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any

from plait.errors import ConfigurationError, MissingDependencyError
from plait.execution import OwnLoop, start_anew_after_fork

if TYPE_CHECKING:
    from httpx import AsyncClient, Response

__all__ = ["HTTP_LOOP", "HttpClient", "import_httpx"]

HTTP_LOOP = OwnLoop("plait-http")

_CONNECT_SECONDS = 10.0  # a host that swallows packets must not use up the time for every attempt


def import_httpx() -> Any:
    """The module ``httpx``.

    Raises:
        MissingDependencyError: It is not installed.
    """
    try:
        import httpx
    except ImportError as error:
        raise MissingDependencyError(
            "httpx", extra="http", purpose="services on the network"
        ) from error
    return httpx


class HttpClient:
    """Connections of one service; its methods run on ``HTTP_LOOP``.

    They are opened when first needed, kept for the next request, closed when this object is
    collected, and not carried into a forked child.
    """

    def __init__(self) -> None:
        self._finalizer: Any = None
        self.start_anew()
        start_anew_after_fork(self)

    def start_anew(self) -> None:
        """Forget the connections without closing them: in a forked child they are the parent's."""
        if self._finalizer is not None:
            self._finalizer.detach()
        self._client: AsyncClient | None = None

    def stream(
        self, url: str, body: bytes, headers: Mapping[str, str]
    ) -> AbstractAsyncContextManager[Response]:
        """Post a body; the answer's own body is read by the caller. Redirects are not followed."""
        if self._client is None:
            self._client = self._open()
        return self._client.stream("POST", url, content=body, headers=dict(headers))

    def _open(self) -> AsyncClient:
        httpx = import_httpx()
        try:
            client: AsyncClient = httpx.AsyncClient(
                timeout=httpx.Timeout(None, connect=_CONNECT_SECONDS), follow_redirects=False
            )
        except (ImportError, OSError, ValueError) as error:  # read from the environment
            raise ConfigurationError(
                f"httpx cannot be set up: {error}; "
                "look at the environment variables HTTPS_PROXY, ALL_PROXY and SSL_CERT_FILE"
            ) from error
        self._finalizer = weakref.finalize(self, _close, client, asyncio.get_running_loop())
        self._finalizer.atexit = False  # the process ends with its connections
        return client


def _close(client: AsyncClient, loop: asyncio.AbstractEventLoop) -> None:
    asyncio.run_coroutine_threadsafe(client.aclose(), loop)
