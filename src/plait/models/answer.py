"""What a model returned, as an answer: text, without what is not meant for the user."""

from __future__ import annotations

import re
from typing import Any

from plait.errors import ModelError

__all__ = ["checked_answer", "without_reasoning"]

# Some chat templates put the opening tag into the prompt; such answers have only the closing one.
_REASONING = re.compile(r"\s*(?:<think(?:ing)?>)?(?:(?!</?think).)*</think(?:ing)?>", re.DOTALL)
_UNFINISHED = re.compile(r"\s*<think(?:ing)?>.*", re.DOTALL)


def checked_answer(answer: Any, model: str) -> str:
    """The answer, if it is one.

    Half of a surrogate pair, which a cut answer may end with, becomes ``?``.

    Raises:
        ModelError: Not text, or nothing but white space and reasoning.

    Example:
        >>> checked_answer("<think>Easy.</think>42", "sage")
        '42'
    """
    if not isinstance(answer, str):
        raise ModelError(f"model {model!r} returned {type(answer).__name__}, expected str")
    text = without_reasoning(answer.encode("utf-8", "replace").decode())
    if not text.strip():
        thought = " but reasoning" if answer.strip() else ""
        raise ModelError(f"model {model!r} answered with nothing{thought}")
    return text


def without_reasoning(text: str) -> str:
    """The text without the reasoning that some models write before it, in ``<think>`` tags.

    Reasoning that was cut short leaves nothing.

    Example:
        >>> without_reasoning("<think>They ask why.</think> Because.")
        'Because.'
        >>> without_reasoning("<think>They ask")
        ''
    """
    found = _REASONING.match(text)
    if found:
        return text[found.end() :].lstrip()
    return "" if _UNFINISHED.match(text) else text
