"""Reading topics, judgments and runs: BEIR's and TREC's formats, told apart by looking."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from plait.errors import FormatError, QueryError
from plait.evaluation.lines import FilePath, at, numbered_lines
from plait.evaluation.qrels import HIGHEST, Qrels
from plait.evaluation.run import Run, RunRanking
from plait.evaluation.sgml import sgml_topics
from plait.evaluation.topics import Topics
from plait.ingest.jsonl import Fields, parse_line
from plait.types import Query

__all__ = ["read_qrels", "read_run", "read_topics"]

# What separates columns for trec_eval: white space of ASCII, and no other.
_BLANKS = re.compile(r"[ \t\v\f]+")
_GRADE = re.compile(r"[+-]?[0-9]{1,9}")
_SCORE = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_FIELDS = Fields(id=("_id", "id"), title=(), text=("text", "query"), metadata=())
_BEIR_QRELS = ("query-id", "corpus-id", "score")


def read_topics(path: FilePath) -> Topics:
    r"""Topics from a file, which may be compressed by gzip.

    Three formats are told apart by how the first line begins:

    - JSON lines (BEIR): ``{"_id": "1", "text": "..."}``; an ``embedding`` is the query's vector.
    - TREC's markup: ``<top> <num> 1 <title> ... </top>``; the title is asked, the description
      where there is none.
    - A table: ``id<TAB>text`` in every line.

    Raises:
        FormatError: Anything else, an id twice with another text; names the file and the line.
        OSError: The file cannot be opened.
    """
    lines, first = _opened(path, "topics")
    if first.startswith("{"):
        entries = _json_topics(path, lines)
    elif first.startswith("<"):
        entries = sgml_topics(path, lines)
    else:
        entries = _table_topics(path, lines)
    queries: dict[str, Query] = {}
    for number, topic, text, embedding in entries:
        try:
            query = Query(text, embedding)
        except QueryError as error:
            raise at(path, number, f"topic {topic!r}: {error}") from error
        if queries.setdefault(topic, query) != query:
            raise at(path, number, f"topic {topic!r} stands twice, with another text")
    return Topics(queries)


def read_qrels(path: FilePath) -> Qrels:
    """Judgments from a file, which may be compressed by gzip.

    - BEIR: a table with the header ``query-id<TAB>corpus-id<TAB>score``.
    - TREC: four columns ``topic iteration document grade``, separated by blanks or tabs; the second
      one is not used.

    Raises:
        FormatError: Anything else, a document that is judged twice with different grades; names
            the file and the line.
        OSError: The file cannot be opened.
    """
    lines, first = _opened(path, "judgments")
    table = len(first.split("\t")) == 3
    if table:
        number, header = next(lines)
        if tuple(name.strip().lower() for name in header.split("\t")) != _BEIR_QRELS:
            raise at(
                path,
                number,
                f"unknown header {header!r:.80}; expected {'<TAB>'.join(_BEIR_QRELS)}, or TREC's "
                "four columns without a header",
            )
    grades: dict[str, dict[str, int]] = {}
    for number, line in lines:
        if table:
            topic, document, grade_text = _columns(path, number, line.split("\t"), _BEIR_QRELS)
        else:
            topic, _, document, grade_text = _columns(
                path, number, _words(line), ("topic", "iteration", "document", "grade")
            )
        grade_text = grade_text.strip()
        if not _GRADE.fullmatch(grade_text) or abs(int(grade_text)) > HIGHEST:
            raise at(
                path,
                number,
                f"the grade is {grade_text!r:.40}, expected a whole number up to {HIGHEST:,}",
            )
        grade, judged = int(grade_text), grades.setdefault(topic, {})
        if judged.setdefault(document, grade) != grade:
            raise at(
                path,
                number,
                f"document {document!r} of topic {topic!r} gets the grade {grade}, but had "
                f"{judged[document]} before; keep one",
            )
    return Qrels(grades)


def read_run(path: FilePath, *, name: str | None = None) -> Run:
    """A run from a file of TREC's format, which may be compressed by gzip.

    Six columns ``topic Q0 document rank score tag``, separated by blanks or tabs. As trec_eval
    does, it goes by the scores alone, as single-precision floats, higher first; equal ones in
    descending order of the document's id. Lines need no order, and the rank is not used.

    Args:
        path: The file.
        name: Name of the run; by default its tag.

    Raises:
        FormatError: Anything else, a score that is no finite number, a second tag; names the file
            and the line.
        OSError: The file cannot be opened.
    """
    lines, _ = _opened(path, "a run")
    found: dict[str, list[tuple[str, float]]] = {}
    tag = None
    for number, line in lines:
        topic, _, document, _, score_text, system = _columns(
            path, number, _words(line), ("topic", "Q0", "document", "rank", "score", "tag")
        )
        score = float(score_text) if _SCORE.fullmatch(score_text) else math.nan
        if not math.isfinite(score):
            raise at(path, number, f"the score is {score_text!r:.40}, expected a finite number")
        tag = tag or system
        if system != tag:
            raise at(
                path,
                number,
                f"the tag is {system!r:.40}, but was {tag!r:.40} before; a file holds one run",
            )
        found.setdefault(topic, []).append((document, score))
    return Run(name or str(tag), {topic: _ordered(pairs) for topic, pairs in found.items()})


def _opened(path: FilePath, expected: str) -> tuple[Iterator[tuple[int, str]], str]:
    """The lines of a file, and what the first one begins with."""
    lines = numbered_lines(path, expected)
    first = next(lines)
    return chain([first], lines), first[1].lstrip(" \t")


def _json_topics(
    path: FilePath, lines: Iterator[tuple[int, str]]
) -> Iterator[tuple[int, str, str | None, Any]]:
    for number, line in lines:
        try:
            record = parse_line(line, _FIELDS)
        except FormatError as error:
            raise at(path, number, str(error)) from error
        if not record.id:
            raise at(path, number, 'no id; expected {"_id": ..., "text": ...}')
        yield number, record.id, record.text, record.metadata.get("embedding")


def _table_topics(
    path: FilePath, lines: Iterator[tuple[int, str]]
) -> Iterator[tuple[int, str, str | None, Any]]:
    for number, line in lines:
        topic, text = _columns(path, number, line.split("\t"), ("id", "text"))
        yield number, topic, text, None


def _words(line: str) -> list[str]:
    return _BLANKS.split(line.strip(" \t\v\f"))


def _columns(path: FilePath, number: int, given: list[str], names: tuple[str, ...]) -> list[str]:
    """The columns of a line, if they are as many as these names, and no id is empty."""
    if len(given) != len(names):
        raise at(
            path,
            number,
            f"{len(given)} column{'s' * (len(given) != 1)}, expected {len(names)}: "
            f"{', '.join(names)}",
        )
    for name, value in zip(names, given, strict=True):
        if not value.strip():
            raise at(path, number, f"the column {name} is empty")
    return given


def _ordered(pairs: list[tuple[str, float]]) -> RunRanking:
    """Results in the order of trec_eval, scores made to agree with it in their last digits."""
    with np.errstate(over="ignore"):
        singles = np.array([score for _, score in pairs], dtype=np.float32).tolist()
    keyed = sorted(
        zip(singles, pairs, strict=True), key=lambda each: (each[0], each[1][0]), reverse=True
    )
    lowest = math.inf
    ordered = []
    for _, (document, score) in keyed:
        lowest = min(lowest, score)
        ordered.append((document, lowest))
    return tuple(ordered)
