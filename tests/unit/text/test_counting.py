"""Counting many texts at once gives what analyzing them one by one gives."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.errors import ConfigurationError
from plait.text import Analyzer, TermRows

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
]


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


@given(
    st.lists(st.text(alphabet=st.sampled_from("aB1-_. +#'é申请ก\u0301\u00a0\x1fA"), max_size=20))
)
def test_any_text(texts: list[str]) -> None:
    for analyzer in ANALYZERS:
        assert as_mappings(analyzer.count(texts)) == analyzed(analyzer, texts)


def test_a_tokenizer_that_gives_something_else_is_told() -> None:
    with pytest.raises(ConfigurationError, match="expected a list of str"):
        Analyzer(tokenizer=lambda text: 7).count(["a"])  # type: ignore[arg-type,return-value]
