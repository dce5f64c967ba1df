"""Counting many texts at once gives what analyzing them one by one gives."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plait.errors import ConfigurationError
from plait.kernels import native
from plait.text import Analyzer, TermRows, counters
from plait.text import counting as text_counting

ANALYZERS = [
    Analyzer(),
    Analyzer(language="en", fold_accents=True),
    Analyzer(tokenizer="whitespace"),
    Analyzer(tokenizer=lambda text: text.split(",")),
]
TEXTS = [
    "",
    "   ",
    "Error E-1042 in getUserName: error again",
    "申请退款流程 E1042 申请",
    "हिन्दी की किताबें, Straße STRASSE",
    "a\u00a0b\x1cc ½ ﬁ ＡＢ",
    "node.js node.js v1.2.3 C++",
    "ภาษาไทย 서울은 東京タワーへ",
    "Cafe\u0301 café CAFÉ, co\u00adoperate coöperate",
    "申請（退款）：Ｅ１０４２、完了…",
    "snake__case _x_ a_#b C++_x c#.net x++y z+++ user's '' -a- a.b.c.",
    "lone \ud800 surrogate\udfff",
    "한국어 \u1100\u1161\u11a8 각",
    "\ufdfa \u00a8 a\u00a8b \u2028x \u200bz",
    "𝐁𝐨𝐥𝐝 😀 𠮷野家 \U000e0041 \U0010ffff",
]
# Marks that follow a letter, compose or change places; letters that become others or none.
KINDS = "aB1-_. +#'é申请ก\u0301\u0323\u0e48\u00a0\x1fA\u00adﬁ½\u1100\u1161\u093c\u0928゙か\ud800"


@pytest.fixture(autouse=True, params=["compiled", "numpy"])
def loops(request: pytest.FixtureRequest) -> Iterator[None]:
    with native.without() if request.param == "numpy" else nullcontext():
        yield


def as_mappings(rows: TermRows) -> list[tuple[dict[str, int], int]]:
    found, start = [], 0
    for size, length in zip(rows.sizes.tolist(), rows.lengths.tolist(), strict=True):
        pairs = zip(rows.term[start : start + size], rows.tf[start : start + size], strict=True)
        found.append(({rows.terms[term]: int(tf) for term, tf in pairs}, length))
        start += size
    assert start == len(rows.term) == len(rows.tf)
    return found


def analyzed(analyzer: Analyzer, texts: Sequence[str]) -> list[tuple[dict[str, int], int]]:
    return [(dict(terms), length) for terms, length in map(analyzer.analyze, texts)]


@pytest.mark.parametrize("analyzer", ANALYZERS, ids=str)
def test_texts_of_many_kinds(analyzer: Analyzer) -> None:
    assert as_mappings(analyzer.count(TEXTS)) == analyzed(analyzer, TEXTS)


@pytest.mark.parametrize("count", [0, 1, 2, 511, 512, 513, 1025])
def test_more_than_a_batch(count: int) -> None:
    texts = [TEXTS[number % len(TEXTS)] + f" n{number}" for number in range(count)]
    rows = Analyzer().count(iter(texts))
    assert as_mappings(rows) == analyzed(Analyzer(), texts)
    assert [each.dtype.name for each in (rows.term, rows.tf, rows.sizes, rows.lengths)] == [
        "int32", "int32", "int32", "int64",
    ]  # fmt: skip


@given(st.lists(st.text(alphabet=st.sampled_from(KINDS), max_size=20)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_of_such_characters(texts: list[str]) -> None:
    for analyzer in ANALYZERS:
        assert as_mappings(analyzer.count(texts)) == analyzed(analyzer, texts)


@given(st.lists(st.text(max_size=20)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text(texts: list[str]) -> None:
    for analyzer in ANALYZERS:
        assert as_mappings(analyzer.count(texts)) == analyzed(analyzer, texts)


def test_more_words_than_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counters, "_WORDS", 10)
    texts = [f"word{number} word{number % 700} Word{number % 3}" for number in range(2000)]
    assert as_mappings(Analyzer().count(texts)) == analyzed(Analyzer(), texts)


def test_terms_have_numbers_in_the_order_of_their_first_text() -> None:
    rows = Analyzer().count(["b a b", "", "c a"])
    assert rows.terms == ("b", "a", "c")
    assert rows.sizes.tolist() == [2, 0, 2]


@pytest.mark.data
@pytest.mark.skipif("PLAIT_DATA" not in os.environ, reason="PLAIT_DATA names no collections")
@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("debian-descriptions", "en"), ("error-codes-id", "id"), ("tldr-de2en", "en"),
        ("xquad-ar", "ar"), ("xquad-de", "de"), ("xquad-hi", "hi"), ("xquad-th", None),
        ("xquad-zh", None),
    ],
)  # fmt: skip
def test_collections_of_many_languages(name: str, language: str | None) -> None:
    corpus = Path(os.environ["PLAIT_DATA"]) / name / "corpus.jsonl.gz"
    with gzip.open(corpus, "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in islice(lines, 5000)]
    assert len(texts) >= 240
    for analyzer in (Analyzer(), Analyzer(language=language), Analyzer(tokenizer="whitespace")):
        assert as_mappings(analyzer.count(texts)) == analyzed(analyzer, texts)


def test_a_tokenizer_that_gives_something_else_is_told() -> None:
    with pytest.raises(ConfigurationError, match="expected a list of str"):
        Analyzer(tokenizer=lambda text: 7).count(["a"])  # type: ignore[arg-type,return-value]


def test_counting_goes_on_from_what_was_counted() -> None:
    for analyzer in ANALYZERS:
        counting = analyzer.counting()
        for text in TEXTS:
            counting.add([text])
        assert as_mappings(counting.rows()) == as_mappings(analyzer.count(TEXTS))


def test_some_rows_in_any_order() -> None:
    rows = Analyzer().count(TEXTS)
    everything = as_mappings(rows)
    backwards = np.arange(len(TEXTS))[::-1]
    assert as_mappings(rows.at(backwards)) == everything[::-1]
    assert rows.at(backwards[::-1]) is rows
    some = rows.at(np.array([10, 2, 6]))
    assert as_mappings(some) == [everything[10], everything[2], everything[6]]
    assert sorted(some.terms) == sorted({term for row, _ in as_mappings(some) for term in row})
    none = rows.at(np.array([], dtype=np.int64))
    assert (none.terms, as_mappings(none)) == ((), [])


@pytest.mark.parametrize(("texts", "letters"), [(4, 1 << 20), (4096, 40), (1, 1)])
def test_batches_change_nothing(texts: int, letters: int, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = as_mappings(Analyzer().count(TEXTS))
    monkeypatch.setattr(text_counting, "_TEXTS", texts)
    monkeypatch.setattr(text_counting, "_LETTERS", letters)
    assert as_mappings(Analyzer().count(TEXTS)) == expected


def test_words_are_forgotten_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = as_mappings(Analyzer().count(TEXTS))
    monkeypatch.setattr(text_counting, "_TEXTS", 1)
    monkeypatch.setattr(counters, "_WORDS", 1)
    assert as_mappings(Analyzer().count(TEXTS)) == expected
