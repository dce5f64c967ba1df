"""One attempt: post, read no more than is allowed, and take the answer as JSON or fail."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from plait.http.client import HttpClient, import_httpx
from plait.http.failures import Failure, failed_request, failed_status, said_by
from plait.http.retrying import seconds_of

if TYPE_CHECKING:
    from httpx import Response

__all__ = ["exchange"]


async def exchange(
    client: HttpClient,
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    timeout: float | None,
    max_bytes: int,
) -> Any:
    """The JSON that the service answers.

    Raises:
        Failure: No answer within ``timeout`` seconds, or none that is JSON and a success.
    """
    httpx = import_httpx()
    errors = (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL, httpx.CookieConflict)
    try:
        async with asyncio.timeout(timeout) as limit, client.stream(url, body, headers) as response:
            answer = await _read(response, max_bytes)
    except errors as error:
        raise failed_request(error, httpx) from error
    except TimeoutError as error:
        if not limit.expired():
            raise
        raise Failure(f"gave no answer within {timeout:g} s", transient=True, late=True) from error
    if not response.is_success:
        raise _refusal(response, answer)
    return _json(answer, response)


async def _read(response: Response, max_bytes: int) -> bytes:
    """The body, decompressed; counted as it comes, for its length need not be told or true."""
    read = bytearray()
    async for part in response.aiter_bytes():
        read += part
        if len(read) > max_bytes:
            raise Failure(f"sent more than {max_bytes:,} bytes, the most that is read of an answer")
    return bytes(read)


def _refusal(response: Response, answer: bytes) -> Failure:
    if response.is_redirect:
        status = response.status_code
        return Failure(
            f"answered {status}, a redirect, which is not followed",
            response.headers["location"],
            "if that is right, make it base_url",
            status=status,
        )
    retry_after = seconds_of(response.headers.get("retry-after"))
    return failed_status(response.status_code, response.reason_phrase, answer, retry_after)


def _json(answer: bytes, response: Response) -> Any:
    try:
        return json.loads(answer, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        kind = response.headers.get("content-type", "content of no stated type")
        raise Failure(
            f"answered {response.status_code} with {kind:.80}, not JSON",
            said_by(answer),
            "check base_url, and that no proxy answers in the service's place",
            status=response.status_code,
        ) from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
