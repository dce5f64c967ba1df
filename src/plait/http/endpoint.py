"""Endpoint: where a service is and the headers it is sent, checked once, shown without secrets."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Any

from plait.errors import ConfigurationError
from plait.http.client import import_httpx
from plait.http.masking import MASK, Secrets, is_secret
from plait.version import __version__

__all__ = ["Endpoint"]

_USER = re.compile(r"//[^/?#]*@")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, section 5.6.2


class Endpoint:
    """A base URL and headers.

    Args:
        base_url: ``http://`` or ``https://``, a host, and perhaps user, port, path and query.
        headers: Sent with each request.

    Attributes:
        headers: What is sent, with what plait adds.
        secrets: What must not be shown.
        shown: The URL without user, password and query.

    Raises:
        ConfigurationError: Not such a URL, or a header that cannot be sent.
    """

    def __init__(self, base_url: str, headers: Mapping[str, str]) -> None:
        self._url = _parsed(base_url)
        for name, value in headers.items():
            _check_header(name, value)
        self.shown = str(self._url.copy_with(userinfo=b"", query=None))
        self.headers = {
            "Accept": "application/json",
            "Content-Type": "application/json",
            "User-Agent": f"plait/{__version__}",
            **headers,
        }
        self.secrets = Secrets({**headers, **dict(self._url.params)}, _credentials(self._url))

    def url(self, path: str) -> str:
        """The URL of a path below the base URL.

        Example:
            >>> Endpoint("http://localhost:8080/v1/?version=2", {}).url("/rerank")
            'http://localhost:8080/v1/rerank?version=2'
        """
        if not path:
            return str(self._url)
        joined = f"{self._url.path.rstrip('/')}/{path.lstrip('/')}"
        return str(self._url.copy_with(path=joined))

    def shown_headers(self) -> dict[str, str]:
        """The headers, values of secret ones masked."""
        return {
            name: MASK if is_secret(name) else self.secrets.mask(value)
            for name, value in self.headers.items()
        }


def _parsed(base_url: str) -> Any:
    httpx = import_httpx()
    expected = "expected http://... or https://... with a host, without #"
    if not isinstance(base_url, str):
        raise ConfigurationError(f"base_url is {type(base_url).__name__}, {expected}")
    shown = _USER.sub(f"//{MASK}@", base_url)
    shown = shown.split("?")[0]  # what follows may be a secret
    try:
        url = httpx.URL(base_url.strip())
    except httpx.InvalidURL as error:
        raise ConfigurationError(f"base_url {shown!r:.200} is not a URL; {expected}") from error
    port = 0 if url.port is None else url.port
    if url.scheme not in ("http", "https") or not url.host or url.fragment or port > 65_535:
        raise ConfigurationError(f"base_url is {shown!r:.200}, {expected}")
    return url


def _credentials(url: Any) -> list[str]:
    """User and password of a URL, in each form in which a service may show them."""
    if not url.userinfo:
        return []
    pair = f"{url.username}:{url.password}"  # as HTTP sends it, RFC 7617
    sent = base64.b64encode(pair.encode()).decode()
    return [url.password or url.username, pair, sent, url.userinfo.decode()]


def _check_header(name: Any, value: Any) -> None:
    if not isinstance(name, str) or not _HEADER_NAME.fullmatch(name):
        raise ConfigurationError(f"the header name {name!r:.80} is not one that HTTP can send")
    # The value may be a secret: it is not shown.
    if not isinstance(value, str):
        raise ConfigurationError(f"header {name} is {type(value).__name__}, expected str")
    if not value.isascii() or not value.isprintable() or value != value.strip():
        raise ConfigurationError(
            f"header {name} holds a line break, a control character, white space at an end or a "
            "character beyond ASCII, which HTTP cannot send; was a key read with its line end?"
        )
