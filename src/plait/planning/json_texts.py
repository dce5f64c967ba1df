"""The texts in an answer that is JSON, or nearly so."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import Any

__all__ = ["json_texts"]

_MOST_VALUES = 20  # places where a value may begin; so many that one bad answer costs little
_DEEPEST = 4  # an object, around a list, of objects, with a text

_OPENING = re.compile(r"^[ \t]*([\[{])", re.MULTILINE)
_LINE_END = re.compile(r"[ \t,;]*(?:\n|\Z)")
_BROKEN = re.compile(r"[\[{]\s*[\"'\[{]")
# A string in either quotes, what ends it (nothing if it was cut short: to go on to the end and not
# to look for another begin keeps the time linear), and the colon that makes it a key.
_STRING = re.compile(
    r"""(?:"((?:[^"\\]|\\.)*)("|\\?\Z)|(?<=[\[,{:\s])'((?:[^'\\]|\\.)*)('|\\?\Z))(\s*:)?""",
    re.DOTALL,
)
_DECODER = json.JSONDecoder()


def json_texts(text: str) -> list[str] | None:
    """The texts of the JSON values that stand on lines of their own.

    A value that is cut short, or in Python's quotes, gives the texts that are whole.

    Returns:
        The texts; none if the answer is a value that holds no text. None if there is no value.

    Example:
        >>> json_texts('{"queries": ["a", {"query": "b"}]}')
        ['a', 'b']
        >>> json_texts("a[0] or b")
    """
    texts: list[str] = []
    read = 0  # characters up to the end of the last value
    for opening in islice(_OPENING.finditer(text), _MOST_VALUES):
        start = opening.start(1)
        if start < read:
            continue  # within a value
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            return texts + _whole_strings(text[start:]) or None
        if not _LINE_END.match(text, end):
            continue  # the begin of a sentence: '["a"] means a list'
        read = end
        texts += _strings(value)
    return texts if texts or (read and read == len(text)) else None


def _strings(value: Any, depth: int = _DEEPEST) -> list[str]:
    """The texts of a value: itself, one of each item of a list, those of an object or its list."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and depth:
        return [text for item in value for text in _strings(item, depth - 1)[:1]]
    if isinstance(value, dict):
        inner = [each for each in value.values() if isinstance(each, list | dict)]
        found = _strings(inner[0], depth - 1) if inner and depth else []
        return found or [each for each in value.values() if isinstance(each, str)]
    return []


def _whole_strings(text: str) -> list[str]:
    """The texts in something that begins like a value and is none."""
    closing = max(text.rfind("]"), text.rfind("}")) + 1
    sentence = closing > 0 and not _LINE_END.match(text, closing)
    if sentence or not _BROKEN.match(text):
        return []
    return [
        _unescaped(found[1] or found[3] or "")
        for found in _STRING.finditer(text)
        if (found[2] or found[4]) in ('"', "'") and not found[5]
    ]


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:  # Python's escapes, or a quote that JSON would escape
        return re.sub(r"\\(.)", r"\1", text)
