"""The chunk with the exact keyword comes first, whatever else the corpus is like."""

import pytest

from plait.lexical import BM25Retriever
from plait.lexical.bm25 import VARIANTS
from plait.text import Analyzer
from plait.types import Chunk

ARTICLES = [
    Chunk("Error E1042: the socket was closed. Check the firewall.", id="e1042"),
    Chunk("Error E1043: the socket timed out. Check the firewall and the network.", id="e1043"),
    Chunk("The socket errors of the network are listed in the manual.", id="manual"),
    Chunk("You can cancel your plan at any time.", id="cancel"),
    Chunk("Cats purr.", id="cats"),
]


def first(chunks, query, **parameters):
    return BM25Retriever(chunks, **parameters).retrieve(query)[0].id


@pytest.mark.parametrize("analyzer", [Analyzer(), Analyzer(language="en")])
@pytest.mark.parametrize("query", ["E1042", "e1042", "error e1042", "What does E1042 mean?"])
def test_the_chunk_with_the_exact_keyword_comes_first(query, analyzer):
    assert first(ARTICLES, query, analyzer=analyzer) == "e1042"


def test_the_chunk_with_the_exact_keyword_comes_first_of_two():
    # With BM25's oldest idf, ln((2 - 1 + 0.5)/(1 + 0.5)) = 0, it would be luck.
    two = [Chunk("cats purr", id="a"), Chunk("Error E1042.", id="b")]
    result = BM25Retriever(two).retrieve("E1042")
    assert [hit.id for hit in result] == ["b"]
    assert result[0].score > 0


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_finds_it_among_two_and_returns_nothing_else(variant):
    two = [Chunk("cats purr", id="a"), Chunk("Error E1042.", id="b")]
    result = BM25Retriever(two, variant=variant).retrieve("E1042")
    assert [hit.id for hit in result] == ["b"]


def test_a_single_chunk_is_found_with_a_score_above_zero():
    assert BM25Retriever(ARTICLES[:1]).retrieve("E1042")[0].score > 0


def test_an_empty_index_has_no_hits():
    assert list(BM25Retriever().retrieve("E1042")) == []
    assert list(BM25Retriever([]).retrieve("E1042")) == []


def test_blank_chunks_are_normal():
    blank = [Chunk("", id="a"), Chunk("  \n", id="b")]
    assert list(BM25Retriever(blank).retrieve("E1042")) == []
    assert first([*blank, *ARTICLES], "E1042") == "e1042"


def test_chunks_that_share_no_word_are_not_returned():
    result = BM25Retriever(ARTICLES).retrieve("E1042", top_k=50)
    assert [hit.id for hit in result] == ["e1042"]
    assert BM25Retriever(ARTICLES).retrieve("zzz qqq", top_k=50).total == 0


@pytest.mark.parametrize(
    ("query", "content"),
    [
        ("退款", "申请退款流程:请在设置中取消。"),
        ("서울", "서울은 대한민국의 수도이다."),
        ("国際標準化", "国際標準化機構は標準を定める。"),
        ("cafe\u0301", "Ein Café in Wien."),
        ("STRASSE", "Die Straße ist gesperrt."),
        ("हिन्दी", "यह हिन्दी में है।"),
        ("ภาษา", "ภาษาไทยง่าย"),
        ("C++", "Modern C++ in depth."),
        ("user_id", "The column user_id is unique."),
        ("getUserName", "Call getUserName() first."),
        ("v1.2.3", "Fixed in v1.2.3."),
        ("art", "A state-of-the-art method."),
        ("user", "The user's guide."),
        ("to be or not to be", "To be or not to be, that is the question."),
    ],
)
def test_words_of_every_language_and_identifiers_come_first(query, content):
    chunks = [*ARTICLES, Chunk(content, id="right"), Chunk("Etwas anderes 别的 다른", id="wrong")]
    assert first(chunks, query) == "right"
