"""Secrets: what must not be shown, taken out of text that is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote

__all__ = ["MASK", "Secrets"]

MASK = "***"
_SHORTEST = 4  # masking "x" wherever it stands would hide the text and not the secret
_TELLING = re.compile(r"auth|cookie|credential|key|passw|secret|token", re.IGNORECASE)
_SCHEME = re.compile(r"(?:bearer|basic|token|api-?key)\s+", re.IGNORECASE)


class Secrets:
    """Secrets that one service is given.

    Args:
        named: Values by the name of their header or parameter; a name with ``auth``, ``key``,
            ``token`` or the like in it says that the value is a secret.
        values: More secrets, whatever their names are.

    Example:
        >>> secrets = Secrets({"Authorization": "Bearer sk-12345", "Accept": "text/html"})
        >>> secrets.mask("Incorrect key sk-12345, expected text/html")
        'Incorrect key ***, expected text/html'
        >>> secrets
        Secrets(***)
    """

    def __init__(self, named: Mapping[str, str], values: Iterable[str] = ()) -> None:
        known = {value for name, value in named.items() if is_secret(name)} | set(values)
        # A service shows the key without the word before it, and what stood in a URL as it was.
        known |= {_SCHEME.sub("", value, count=1) for value in known}
        known |= {quote(value, safe="") for value in known}
        longest_first = sorted(known, key=lambda value: (-len(value), value))
        self._known = tuple(value for value in longest_first if len(value) >= _SHORTEST)

    def mask(self, text: str) -> str:
        """The text with each secret replaced."""
        for secret in self._known:
            text = text.replace(secret, MASK)
        return text

    def __repr__(self) -> str:
        return f"Secrets({MASK})"


def is_secret(name: str) -> bool:
    """Whether a header or parameter of this name holds a secret.

    Example:
        >>> is_secret("X-Api-Key"), is_secret("Accept")
        (True, False)
    """
    return _TELLING.search(name) is not None
