"""Packed terms of real collections say what the index in memory says, to the last bit."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plait.filters import Filter
from plait.kernels import native
from plait.lexical import Bm25, LexicalIndex, LexicalView, MemoryTerms, PackedTerms
from plait.storage import MemoryArrays, Names
from plait.table import Bits, Ordinals, TableView
from plait.text import Analyzer

DATA = os.environ.get("PLAIT_DATA")
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not DATA, reason="PLAIT_DATA does not name the collections"),
]


class AllRows:
    """Rows in the order of their ids, all alive."""

    def __init__(self, ids: list[str]) -> None:
        self._names = Names(MemoryArrays(Names.build(ids, "ids")), "ids")
        self.size = self.count = len(ids)

    def names(self, ordinals: Ordinals, /) -> list[str]:
        return self._names.at(ordinals)

    def allowed(self, keep: Filter | None, /) -> Bits | None:
        return None

    def rows(self, ids: Iterable[str], keep: Filter | None = None, /) -> Ordinals:
        found = self._names.locate(list(ids))
        return found[found >= 0]


def lines(name: str, file: str) -> list[dict[str, Any]]:
    with gzip.open(Path(DATA or "") / name / file, "rt", encoding="utf-8") as opened:
        return [json.loads(line) for line in opened]


@pytest.mark.parametrize(
    ("name", "bm25"),
    [
        ("scifact", Bm25()),
        ("debian-descriptions", Bm25(variant="bm25plus")),
        ("error-codes-id", Bm25(variant="okapi")),
        ("xquad-th", Bm25(variant="bm25l")),
    ],
)
def test_they_say_the_same(name: str, bm25: Bm25) -> None:
    texts = {row["_id"]: row["text"] for row in lines(name, "corpus.jsonl.gz")}
    ids = sorted(texts)
    analyzer = Analyzer(language="en")
    terms = analyzer.count(texts[id] for id in ids)
    table = TableView([], [], np.zeros(0, dtype=np.bool_), 0).grown(ids, [{}] * len(ids))
    memory = MemoryTerms(table, LexicalIndex().added(terms))
    packed = PackedTerms.over_arrays(MemoryArrays(PackedTerms.build(terms)), AllRows(ids))
    there = LexicalView((memory,), analyzer, bm25)
    here = LexicalView((packed,), analyzer, bm25)
    hits = 0
    for row in lines(name, "queries.jsonl.gz")[:200]:
        for top_k in (10, 200):
            expected, found = (each.rank(row["text"], top_k=top_k) for each in (there, here))
            assert (found.ids, found.scores) == (expected.ids, expected.scores)
            assert found.coverage == expected.coverage
            hits += len(found.ids)
        with native.without():
            assert here.rank(row["text"], top_k=200).ids == expected.ids
        assert here.score(row["text"], found.ids) == dict(zip(found.ids, found.scores, strict=True))
    assert hits > 1000
