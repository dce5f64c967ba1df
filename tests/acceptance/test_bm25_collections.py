"""BM25 on real collections: what it is known to find there, it finds."""

import csv
import gzip
import json
import os
from pathlib import Path

import pytest

from plait.lexical import BM25Retriever
from plait.text import Analyzer, guess_language
from plait.types import Chunk

DATA = os.environ.get("PLAIT_DATA")
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not DATA, reason="PLAIT_DATA does not name the collections"),
]


def lines(name, file):
    with gzip.open(Path(DATA or "") / name / file, "rt", encoding="utf-8") as opened:
        return [json.loads(line) for line in opened]


def share_first(name, language):
    """How often the first hit is relevant, over at most 200 queries."""
    chunks = [
        Chunk(entry["text"], id=entry["_id"], title=entry.get("title") or None)
        for entry in lines(name, "corpus.jsonl.gz")
    ]
    retriever = BM25Retriever(chunks, analyzer=Analyzer(language=language))
    with (Path(DATA or "") / name / "qrels.tsv").open(encoding="utf-8") as opened:
        relevant = {
            (row["query-id"], row["corpus-id"])
            for row in csv.DictReader(opened, delimiter="\t")
            if int(row["score"]) > 0
        }
    judged = {query for query, _ in relevant}
    queries = [query for query in lines(name, "queries.jsonl.gz") if query["_id"] in judged][:200]
    first = [retriever.retrieve(query["text"], top_k=1) for query in queries]
    found = [
        bool(result) and (query["_id"], result[0].id) in relevant
        for query, result in zip(queries, first, strict=True)
    ]
    return sum(found) / len(found)


def test_error_codes_are_found_by_the_code():
    assert share_first("error-codes-id", "en") > 0.95


@pytest.mark.parametrize(
    ("name", "language", "share"),
    [
        ("xquad-en", "en", 0.92),
        ("xquad-de", "de", 0.88),
        ("xquad-ar", "ar", 0.85),
        ("xquad-hi", "hi", 0.88),
        ("xquad-zh", None, 0.90),
        ("xquad-th", None, 0.90),
    ],
)
def test_paragraphs_are_found_in_six_languages(name, language, share):
    assert guess_language(entry["text"] for entry in lines(name, "corpus.jsonl.gz")) == language
    assert share_first(name, language) > share
