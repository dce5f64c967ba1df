"""What went wrong with a request, told in plait's terms."""

from __future__ import annotations

import json
from typing import Any

from plait.http.retrying import is_transient_status

__all__ = ["Failure", "excerpt", "failed_request", "failed_status", "said_by"]

_MOST_BYTES = 65_536  # of a body that is looked through for a message
_HINTS = {
    401: "check the API key",
    403: "check what the API key allows",
    404: "check base_url and the name of the model",
    405: "check base_url",
    413: "send less text",
}


class Failure(Exception):  # noqa: N818 (not for users: the service makes a ServiceError of it)
    """One attempt failed.

    Attributes:
        what: What happened, in plait's words.
        said: What others say about it, in theirs: of any length, perhaps with secrets.
        hint: What to do.
        status: HTTP status of the answer, None if there was none.
        transient: Whether to try again.
        retry_after: Seconds that the service asks to wait, None if it does not say.
        late: Whether time was up.
    """

    def __init__(
        self,
        what: str,
        said: str = "",
        hint: str = "",
        *,
        status: int | None = None,
        transient: bool = False,
        retry_after: float | None = None,
        late: bool = False,
    ) -> None:
        super().__init__(what)
        self.what = what
        self.said = said
        self.hint = hint
        self.status = status
        self.transient = transient
        self.retry_after = retry_after
        self.late = late


def failed_request(error: Exception, httpx: Any) -> Failure:
    """The failure behind an exception of httpx."""
    # What is wrong with the request itself is wrong again next time.
    lasting = (httpx.UnsupportedProtocol, httpx.LocalProtocolError)
    transient = isinstance(error, httpx.TransportError) and not isinstance(error, lasting)
    late = isinstance(error, httpx.TimeoutException)
    what, hint = "broke off", ""
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        what, hint = "cannot be reached", "is it running, and is base_url right?"
    elif isinstance(error, httpx.DecodingError):
        what = "sent an answer that cannot be decompressed"
    said = f"{type(error).__name__}: {error}".removesuffix(": ")
    return Failure(what, said, hint, transient=transient, late=late)


def failed_status(status: int, phrase: str, body: bytes, retry_after: float | None) -> Failure:
    """The failure behind an answer that is not a success."""
    return Failure(
        f"answered {status} {phrase}".rstrip(),
        said_by(body),
        _HINTS.get(status, ""),
        status=status,
        transient=is_transient_status(status),
        retry_after=retry_after,
    )


def said_by(body: bytes) -> str:
    """What a body says: the message in its JSON object, or the text itself.

    Example:
        >>> said_by(b'{"error": {"message": "no such model"}}')
        'no such model'
        >>> said_by(b"<html>Bad gateway")
        '<html>Bad gateway'
    """
    text = body[:_MOST_BYTES].decode("utf-8", "replace")
    try:
        return _message(json.loads(text)) or text
    except (ValueError, RecursionError):
        return text


def excerpt(answer: Any) -> str:
    """JSON values as text, or the message in them if they tell of an error."""
    error = answer.get("error") if isinstance(answer, dict) else None
    return _message(error) or json.dumps(answer, ensure_ascii=False)


def _message(value: Any) -> str | None:
    """Services write ``error``, ``message``, ``detail`` or ``msg``: text, or another of them."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return _message(value[0]) if value else None
    if isinstance(value, dict):
        found = (_message(value.get(key)) for key in ("error", "message", "detail", "msg"))
        return next(filter(None, found), None)
    return None
