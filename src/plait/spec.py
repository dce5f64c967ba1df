"""The text form of an object that is data: ``name`` or ``name(key=value, ...)``.

One spelling for Python, TOML, the command line and reports: ``"hash(dim=256)"``.
"""

from __future__ import annotations

import ast
from typing import Any

from plait.errors import ConfigurationError

__all__ = ["format_spec", "parse_spec"]


def parse_spec(text: str, what: str, *, hint: str = "") -> tuple[str, dict[str, Any]]:
    """The name and the parameters in a text form.

    Args:
        text: ``name`` or ``name(key=value, ...)``, values as Python literals.
        what: What is being parsed, for the message.
        hint: What to write instead, for the end of the message.

    Raises:
        ConfigurationError: Something else.

    Example:
        >>> parse_spec("hash(dim=256)", "embedder")
        ('hash', {'dim': 256})
        >>> parse_spec("minilm", "embedder")
        ('minilm', {})
    """
    try:
        call = ast.parse(str.strip(text), mode="eval").body
        if isinstance(call, ast.Name):
            return call.id, {}
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args:
            names = {given.arg for given in call.keywords}  # None stands for **mapping
            if None not in names and len(names) == len(call.keywords):
                return call.func.id, {
                    str(given.arg): ast.literal_eval(given.value) for given in call.keywords
                }
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        pass  # said below, in terms of the form and not of its parser
    raise ConfigurationError(
        f"{what} {text!r:.80} is not of the form name or name(key=value, ...){hint and f'; {hint}'}"
    )


def format_spec(name: str, **parameters: Any) -> str:
    """The text form, parameters in the order given.

    Example:
        >>> format_spec("hash", dim=256)
        'hash(dim=256)'
        >>> format_spec("minilm")
        'minilm'
    """
    if not parameters:
        return name
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in parameters.items())})"
