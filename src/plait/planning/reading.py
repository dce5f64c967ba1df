r"""The texts in a model's answer, whatever it put around them.

Asked for lines, models write numbered lists, bullets, JSON, quoted lines, code blocks, a sentence
before and one after. Reading is pure, never fails, and gives nothing for an answer without text.

Example:
    >>> read_texts('Here are 2 queries:\n1. "cancel a plan"\n2. end subscription')
    ['cancel a plan', 'end subscription']
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from plait.planning.json_texts import json_texts
from plait.printable import printable

__all__ = ["read_passages", "read_texts"]

_LONGEST_ANSWER = 50_000  # characters; no list of queries is longer

_CODE_BLOCK = re.compile(r"```[^\n`]*\n((?:(?!```).)*)(?:```|\Z)", re.DOTALL)
_BOLD = re.compile(r"(?<!\w)\*\*(?=\S)(.{1,500}?)(?<=\S)\*\*(?!\w)")
_MARK = re.compile(r"(?:[-*+•‣◦▪–—>]|\(?\d{1,3}[.)]|\d{1,2}:|[a-z]\)|\([a-z]\))\s+")
_LABEL = re.compile(
    r"(?:(?:re-?written|re-?phrased|alternative|alternate|search|stand-?alone|step-?back|sub|"
    r"general|hypothetical|new|final)[\s-]*)*(?:question|query|passage|document|answer)"
    r"\s*(?:no\.?\s*)?\d*\s*[:：]\s*",
    re.IGNORECASE,
)
# A line that only parts others: a rule, a heading, a fence.
_RULE = re.compile(r"(?:[-*_=]\s*){3,}|#{1,6}(?:\s.*)?|```.*")
_CHATTER = re.compile(
    r"(?:sure|certainly|of course|okay|ok|absolutely)[,!.:]|"
    r"(?:here(?:'s| is| are)|below (?:is|are)|i hope|let me know|feel free)\b|"
    r"(?:explanation|note|rationale|reasoning)s?\s*[:：]",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(
    r"(?:(?:sure|certainly|of course|okay|ok)[,!.]\s*)?here(?:'s| is| are)\b[^:：]{0,80}[:：]\s*"
    r"(?=\S)",
    re.IGNORECASE,
)
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "„": "“", "`": "`", "「": "」"}
_PASSAGE_RULE = re.compile(
    r"^[ \t]*(?:(?:[-*_=#][ \t]*){3,}$|(?:#{1,6}[ \t]*)?(?:\*\*)?(?:hypothetical[ \t]+)?passage"
    r"(?:[ \t]*\d+[ \t]*(?:\*\*)?[:.]|[ \t]*\d*(?:\*\*)?[ \t]*:?[ \t]*$)(?:\*\*)?)",
    re.IGNORECASE | re.MULTILINE,
)


def read_texts(answer: str, *, listed: bool = True) -> list[str]:
    r"""The texts of an answer that should hold one in each line.

    JSON first (a list of str, of objects with one text each, or an object around such a list).
    Else lines; if ``listed`` and some are numbered or bulleted only those.

    Args:
        answer: What the model wrote.
        listed: Whether a list was asked for; otherwise the first text is the answer, and a list
            may be the remarks after it.

    Returns:
        The texts in their order; what they are worth is for the caller to judge.

    Example:
        >>> read_texts("end my plan\n- clearer\n- shorter", listed=False)[0]
        'end my plan'
    """
    text = answer[:_LONGEST_ANSWER].strip()
    block = _CODE_BLOCK.search(text)
    if block and block[1].strip():
        text = block[1].strip()
    found = json_texts(text)
    if found is not None:
        return _non_empty(printable(each) for each in found)
    return _non_empty(map(_cleaned, _lines(text, listed=listed)))


def read_passages(answer: str) -> list[str]:
    r"""The passages of an answer: parted by lines of ``---``, or a JSON list; each in one line.

    Example:
        >>> read_passages("Here is the passage:\n\nTo cancel, open Billing.\nIt ends at once.")
        ['To cancel, open Billing. It ends at once.']
    """
    text = _without_announcement(answer[:_LONGEST_ANSWER])
    block = _CODE_BLOCK.fullmatch(text)  # around all of it: a passage may hold code itself
    if block:
        text = block[1].strip()
    if text.startswith(("[", "{")) and (found := json_texts(text)) is not None:
        return _non_empty(printable(each) for each in found)
    parts = map(_without_announcement, _PASSAGE_RULE.split(text))
    return _non_empty(map(_cleaned, parts))


def _lines(text: str, *, listed: bool) -> list[str]:
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not _RULE.fullmatch(line)]
    marked = [line for line in lines if _MARK.match(_BOLD.sub(r"\1", line))]
    if listed and marked:
        return marked
    return [line for line in lines if not _is_chatter(line)] or lines[-1:]


def _is_chatter(line: str) -> bool:
    """An announcement or a remark; not an announcement with what it announces in its line."""
    label = _LABEL.match(line)
    if _ANNOUNCED.match(line) or (label and label.end() < len(line)):
        return False
    return line.endswith((":", "：")) or _CHATTER.match(line) is not None


def _without_announcement(text: str) -> str:
    first, _, rest = (line.strip() for line in text.strip().partition("\n"))
    announces = _CHATTER.match(first) or (first.endswith(":") and "passage" in first.lower())
    return rest if rest and announces else text.strip()


def _cleaned(line: str) -> str:
    """The text of a line, without list mark, label, emphasis and quotes."""
    text = _BOLD.sub(r"\1", printable(line))
    before = None
    while text != before:
        before = text
        for prefix in (_ANNOUNCED, _MARK, _LABEL):
            found = prefix.match(text)
            text = text[found.end() :] if found else text
        text = _unquoted(text)
    return text


def _unquoted(text: str) -> str:
    """The text without quotes around the whole of it, and a comma behind them."""
    quoted = text.rstrip(",;")
    closing = _QUOTES.get(text[:1])
    if closing is None or len(quoted) < 2 or not quoted.endswith(closing):
        return text
    inner = quoted[1:-1]
    # Quotes within: these are around a part of it, as in '"a" and "b"', unless apostrophes.
    return text if closing in re.sub(r"\b['’]\b", "", inner) else inner.strip()


def _non_empty(texts: Iterable[str]) -> list[str]:
    return [text for text in texts if text]
