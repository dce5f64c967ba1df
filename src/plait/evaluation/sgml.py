"""Topics in TREC's markup, as it has been since 1992: tags that need not be closed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from plait.evaluation.lines import FilePath, at

__all__ = ["SgmlTopic", "sgml_topics"]

SgmlTopic = tuple[int, str, str | None, None]
"""Line, id and text of a topic, and no vector."""

_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9_-]*)(?:\s[^<>]*)?>")
# Words that stand before the content since the first of these files.
_LABELS = {"num": "number:", "title": "topic:", "desc": "description:"}


def sgml_topics(path: FilePath, lines: Iterator[tuple[int, str]]) -> Iterator[SgmlTopic]:
    """The topics: number, and title, or description where there is no title.

    Raises:
        FormatError: Text outside of a topic, a topic without number or text, or one that is not
            closed; names the file and the line.
    """
    start = 0  # line of the topic that is open, 0 for none
    fields: dict[str, list[str]] = {}
    field = ""
    number = 0
    for number, line in lines:
        for kind, value in _tokens(line):
            if kind == "text":
                if start:
                    fields.setdefault(field, []).append(value)
                elif value.strip():
                    raise at(
                        path, number, f"{value.strip()!r:.40} stands outside of <top> ... </top>"
                    )
            elif value == "top" and kind == "open":
                if start:
                    raise at(
                        path, number, f"a <top> inside the one of line {start}; close it first"
                    )
                start, fields, field = number, {}, ""
            elif value == "top":
                if not start:
                    raise at(path, number, "a </top> without a <top>")
                yield _topic(path, start, fields)
                start = 0
            elif start:
                field = value if kind == "open" else ""
    if start:
        raise at(path, number, f"the <top> of line {start} is not closed by </top>")


def _tokens(line: str) -> Iterator[tuple[str, str]]:
    """Text, and the names of tags that open and close, in lower case."""
    done = 0
    for tag in _TAG.finditer(line):
        yield "text", line[done : tag.start()]
        yield "close" if tag[1] else "open", tag[2].lower()
        done = tag.end()
    yield "text", line[done:] + "\n"


def _topic(path: FilePath, line: int, fields: dict[str, list[str]]) -> SgmlTopic:
    def content(name: str) -> str:
        text = " ".join("".join(fields.get(name, ())).split())
        label = _LABELS[name]
        return text[len(label) :].strip() if text.lower().startswith(label) else text

    topic, text = content("num"), content("title") or content("desc")
    if not topic:
        raise at(path, line, "the topic has no <num>")
    if not text:
        raise at(path, line, f"topic {topic!r} has neither <title> nor <desc>")
    return line, topic, text, None
