"""One attempt: every exception of httpx becomes a failure."""

from __future__ import annotations

import asyncio
import inspect
from contextlib import asynccontextmanager

import httpx
import pytest

from plait.http.exchange import exchange
from plait.http.failures import Failure

EXCEPTIONS = {
    name: each
    for name, each in vars(httpx).items()
    if inspect.isclass(each) and issubclass(each, Exception)
}
LASTING = {"UnsupportedProtocol", "LocalProtocolError"}


class Raising:
    """A client whose request raises."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    @asynccontextmanager
    async def stream(self, url, body, headers):
        raise self.error
        yield


def attempt(client, timeout=None):
    return asyncio.run(exchange(client, "http://x", b"", {}, timeout=timeout, max_bytes=10))


def made(cls: type[Exception]) -> Exception:
    if issubclass(cls, httpx.HTTPStatusError):
        request = httpx.Request("POST", "http://x")
        return cls("no", request=request, response=httpx.Response(500, request=request))
    parameters = list(inspect.signature(cls).parameters.values())
    required = [each for each in parameters if each.default is each.empty]
    plain = [each for each in required if each.kind is each.POSITIONAL_OR_KEYWORD]
    return cls(*["no"] * len(plain))


@pytest.mark.parametrize("name", EXCEPTIONS)
def test_every_exception_of_httpx_is_a_failure(name):
    error = made(EXCEPTIONS[name])
    with pytest.raises(Failure) as caught:
        attempt(Raising(error))
    assert caught.value.said.startswith(type(error).__name__)
    assert caught.value.__cause__ is error
    transport = isinstance(error, httpx.TransportError)
    assert caught.value.transient == (transport and name not in LASTING)
    assert caught.value.late == isinstance(error, httpx.TimeoutException)


def test_a_timeout_that_is_not_the_attempts_goes_on():
    with pytest.raises(TimeoutError, match="somebody else's"):
        attempt(Raising(TimeoutError("somebody else's")), timeout=30.0)


def test_a_mistake_in_the_program_is_not_taken_for_a_failure():
    with pytest.raises(ZeroDivisionError):
        attempt(Raising(ZeroDivisionError()))
