"""HttpService: JSON in, JSON out, with a deadline, retries and errors that say what to do."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any

from plait.errors import ConfigurationError, ServiceError, ServiceTimeoutError
from plait.execution import wait_for
from plait.http.client import HTTP_LOOP, HttpClient
from plait.http.endpoint import Endpoint
from plait.http.exchange import exchange
from plait.http.failures import Failure, excerpt
from plait.http.retrying import retry_delay
from plait.printable import printable

__all__ = ["HttpService"]

_LONGEST_SAID = 300  # characters of what a service says


class HttpService:
    """A service that takes JSON by POST and answers with JSON.

    A call ends within ``timeout``, attempts and waiting included. An attempt is repeated when the
    service cannot be reached, breaks off, takes longer than ``attempt_timeout`` or answers 408,
    425, 429 or 5xx (not 501, 505), after the wait that its ``Retry-After`` asks for, or a growing
    one. A wait that would outlast the deadline is not begun. Redirects are not followed: they
    would carry the text, and perhaps the key, to another place.

    Threads, event loops and forked processes may share a service; ``post`` works inside a running
    event loop too. Headers whose name tells of a secret are shown nowhere, in no message either.

    Args:
        base_url: Where the service is, ``https://host/path``; its query is sent with each request.
        name: What it is called in messages.
        headers: Sent with each request.
        timeout: Seconds for a call as a whole, > 0.
        attempt_timeout: Seconds for one attempt, > 0; None leaves it all the time there is.
        retries: How often a transient failure is tried again, >= 0.
        max_bytes: Longest answer that is read, decompressed, >= 1.

    Raises:
        ConfigurationError: A bad URL, header or number.
        MissingDependencyError: httpx is not installed.

    Example:
        >>> service = HttpService(
        ...     "https://rerank.example/v1", headers={"Authorization": "Bearer sk-12345"}
        ... )
        >>> service
        HttpService('https://rerank.example/v1')
        >>> service.describe()["headers"]["Authorization"]
        '***'
    """

    def __init__(
        self,
        base_url: str,
        *,
        name: str = "service",
        headers: Mapping[str, str] | None = None,
        timeout: float = 60.0,
        attempt_timeout: float | None = None,
        retries: int = 2,
        max_bytes: int = 32 * 1024 * 1024,
    ) -> None:
        self._endpoint = Endpoint(base_url, headers or {})
        _check_seconds(timeout, "timeout")
        if attempt_timeout is not None:
            _check_seconds(attempt_timeout, "attempt_timeout")
        if type(retries) is not int or retries < 0:
            raise ConfigurationError(f"retries is {retries!r}, expected an int >= 0")
        if type(max_bytes) is not int or max_bytes < 1:
            raise ConfigurationError(f"max_bytes is {max_bytes!r}, expected an int >= 1")
        self.name = name
        self.timeout = timeout
        self.attempt_timeout = attempt_timeout
        self.retries = retries
        self.max_bytes = max_bytes
        self._client = HttpClient()

    @property
    def base_url(self) -> str:
        """Where the service is, without user, password and query."""
        return self._endpoint.shown

    def post(self, path: str, payload: Any, *, timeout: float | None = None) -> Any:
        """Send a payload and wait for the answer.

        Args:
            path: Put after the path of ``base_url``, such as ``"rerank"``; may be empty.
            payload: JSON values: dict, list, str, finite numbers, bool, None.
            timeout: Seconds for this call, if they are fewer than the service's own.

        Returns:
            The answer as JSON values.

        Raises:
            ConfigurationError: The payload is not made of JSON values, or a bad timeout.
            ServiceTimeoutError: No answer in time.
            ServiceError: Any other failure.
        """
        return wait_for(HTTP_LOOP.submit(self._call(path, payload, timeout)))

    async def apost(self, path: str, payload: Any, *, timeout: float | None = None) -> Any:
        """The same without blocking the event loop; cancelling it ends the request."""
        return await asyncio.wrap_future(HTTP_LOOP.submit(self._call(path, payload, timeout)))

    def unexpected(self, answer: Any, expected: str) -> ServiceError:
        """The error to raise for an answer that is JSON but not what it should be.

        Args:
            answer: What ``post`` returned.
            expected: What it should have been, as the end of "expected ...".

        Example:
            >>> service = HttpService("http://localhost:8080", name="reranker")
            >>> str(service.unexpected({"data": []}, "a list of scores"))
            'reranker at http://localhost:8080 answered {"data": []}, expected a list of scores'
        """
        shown = self._shown(excerpt(answer))
        return ServiceError(f"{self._here} answered {shown}, expected {expected}", self.name)

    def describe(self) -> Mapping[str, Any]:
        """Every parameter, as JSON values, without secrets."""
        return {
            "type": "http",
            "name": self.name,
            "base_url": self.base_url,
            "headers": self._endpoint.shown_headers(),
            "timeout": self.timeout,
            "attempt_timeout": self.attempt_timeout,
            "retries": self.retries,
            "max_bytes": self.max_bytes,
        }

    def __repr__(self) -> str:
        return f"HttpService({self.base_url!r})"

    def _call(self, path: str, payload: Any, timeout: float | None) -> Coroutine[Any, Any, Any]:
        """The whole call, to be run on the loop for HTTP; checks its arguments here and now."""
        if timeout is not None:
            _check_seconds(timeout, "timeout")
        try:
            body = json.dumps(payload, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise ConfigurationError(
                f"the payload for {self.name} cannot be sent as JSON: {error}"
            ) from error
        seconds = self.timeout if timeout is None else min(timeout, self.timeout)
        return self._attempts(self._endpoint.url(path), body, seconds)

    async def _attempts(self, url: str, body: bytes, seconds: float) -> Any:
        """Attempts until one succeeds, one may not be repeated, or time is up."""
        failures: list[Failure] = []
        try:
            async with asyncio.timeout(seconds) as limit:
                ends = asyncio.get_running_loop().time() + seconds
                while True:
                    try:
                        return await exchange(
                            self._client,
                            url,
                            body,
                            self._endpoint.headers,
                            timeout=self.attempt_timeout,
                            max_bytes=self.max_bytes,
                        )
                    except Failure as failure:
                        failures.append(failure)
                    left = ends - asyncio.get_running_loop().time()
                    await asyncio.sleep(self._delay(failures, left))
        except TimeoutError as error:
            if not limit.expired():
                raise
            before = f"; before, it {self._told(failures[-1])}" if failures else ""
            raise ServiceTimeoutError(
                f"{self._here} gave no answer within {seconds:g} s{before}",
                self.name,
                transient=True,
            ) from error

    def _delay(self, failures: Sequence[Failure], left: float) -> float:
        """Seconds to wait before the next attempt.

        Raises:
            ServiceError: There is to be none.
        """
        last = failures[-1]
        delay = retry_delay(len(failures), last.retry_after)
        if last.transient and len(failures) <= self.retries and delay < left:
            return delay
        told = self._told(last)
        if last.retry_after is not None:
            told += f"; it asks to wait {last.retry_after:g} s"
        if len(failures) > 1:
            told += f" (attempt {len(failures)})"
        kind = ServiceTimeoutError if last.late else ServiceError
        message = f"{self._here} {told}"
        raise kind(message, self.name, last.status, last.transient) from last.__cause__

    @property
    def _here(self) -> str:
        return f"{self.name} at {self.base_url}"

    def _told(self, failure: Failure) -> str:
        said = self._shown(failure.said)
        return (
            failure.what
            + (f": {said}" if said else "")
            + (f"; {failure.hint}" if failure.hint else "")
        )

    def _shown(self, text: str) -> str:
        """What others say, fit for a message."""
        text = printable(self._endpoint.secrets.mask(text))
        return text if len(text) <= _LONGEST_SAID else f"{text[:_LONGEST_SAID]}…"


def _check_seconds(seconds: Any, what: str) -> None:
    number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not number or not 0 < seconds < math.inf:
        raise ConfigurationError(f"{what} is {seconds!r}, expected a finite number of seconds > 0")
