"""The explanation as a table and as JSON values."""

import json

import pytest

from plait.explain import explain, explain_rows, to_dict
from plait.types import Chunk, Contribution, Hit, LegReport, Query, SearchResult

BM25 = Contribution("bm25", 1, 7.25, 1 / 61, 2.0, 2 / 61)
DENSE = Contribution("dense", None, None, 0.0, 1.0, 0.0)
NESTED = Contribution(
    "inner", 2, 1 / 61, 1 / 62, 1.0, 1 / 62, parts=(Contribution("title", 1, 3.0, 1.0, 1.0, 1.0),)
)


def fused(*contributions: Contribution, chunk: Chunk | None = None, **fields: object) -> Hit:
    score = sum(share.value for share in contributions)
    return Hit(
        chunk or Chunk("socket closed", id="a"), score, 1, "fusion", "hybrid", ("bm25",),
        fusion_score=score, contributions=contributions, **fields,
    )  # fmt: skip


def test_rows() -> None:
    assert explain_rows([BM25, DENSE]) == [
        ("bm25", "1", "7.2500", "0.016393", "2", "0.032787"),
        ("dense", "–", "–", "0.000000", "1", "0.000000"),
    ]


def test_parts_are_indented_under_their_leg() -> None:
    assert [row[0] for row in explain_rows([NESTED, BM25])] == ["inner", "  title", "bm25"]


def test_table() -> None:
    result = SearchResult(
        hits=(fused(BM25, DENSE),),
        legs=(
            LegReport("bm25", "ok", 1.25, 3, notes=("one note",)),
            LegReport("dense", "error", 2.0, 0, error="LegError: model\nis gone"),
        ),
        degraded=True,
        fusion="rrf(k=60)",
        score_bound=3 / 61,
        notes=("the index is small",),
    )
    assert explain(result).splitlines() == [
        "fusion: rrf(k=60), highest possible score 0.0491803",
        "hit   leg    rank  raw score  normalized  weight  contribution",
        "1. a  bm25      1     7.2500    0.016393       2      0.032787",
        "      dense     –          –    0.000000       1      0.000000",
        "      sum                                             0.032787",
        "leg bm25: ok, 3 hits, 1.2 ms; one note",
        "leg dense: error, 0 hits, 2.0 ms, LegError: model is gone",
        "note: the index is small",
    ]


def test_tiny_and_huge_numbers_stay_readable() -> None:
    shares = [
        Contribution("tiny", 1, 2e-7, 3e-8, 1e-9, 3e-17),
        Contribution("huge", 1, 1e300, 1e12, 1e100, -1e112),
        Contribution("close", 1, 0.0001, 0.000001, 1.0, -0.000001),
    ]
    assert explain_rows(shares) == [
        ("tiny", "1", "2e-07", "3e-08", "1e-09", "3e-17"),
        ("huge", "1", "1e+300", "1e+12", "1e+100", "-1e+112"),
        ("close", "1", "0.0001", "0.000001", "1", "-0.000001"),
    ]


def test_what_legs_say_stays_on_its_line() -> None:
    report = LegReport("a\n", "ok", notes=("degraded inside:\x1b[31m\nb",))
    result = SearchResult(legs=(report,), notes=("two\nlines",))
    assert explain(result).splitlines()[-2:] == [
        "leg a : ok, 0 hits, 0.0 ms; degraded inside: [31m b",
        "note: two lines",
    ]


def test_table_of_a_single_retriever() -> None:
    hits = (Hit(Chunk("x"), 1.5, 1, source="bm25"), Hit(Chunk("y"), None, 2, source="bm25"))
    assert explain(SearchResult(hits)).splitlines() == [
        "no fusion",
        "hit   leg   rank  raw score  normalized  weight  contribution",
        "1. x  bm25                                           1.500000",
        "2. y  bm25                                                  –",
    ]


def test_table_without_hits() -> None:
    assert explain(SearchResult(fusion="rsf()")).splitlines()[0] == "fusion: rsf()"
    assert len(explain(SearchResult()).splitlines()) == 2


@pytest.mark.parametrize(
    ("chunk", "label"),
    [
        (Chunk("text", id="a\x1b[31m\nb\tc"), "1. a [31m b c"),
        (Chunk("x" * 50), "1. " + "x" * 39 + "…"),
        (Chunk("two\n\nlines"), "1. two lines"),
    ],
)
def test_labels_stay_on_their_line(chunk: Chunk, label: str) -> None:
    line = explain(SearchResult((fused(BM25, chunk=chunk),))).splitlines()[2]
    assert line.startswith(f"{label}  bm25  ")


def test_wide_and_combining_characters_keep_the_columns() -> None:
    hits = tuple(
        fused(BM25, chunk=Chunk("x", id=name)) for name in ("退款流程", "cafe\u0301-12345", "aé")
    )
    rows = explain(SearchResult(hits)).splitlines()
    # In a terminal an ideograph takes two columns, a combining mark none: the first column is
    # as wide as "1. café-12345", 3 + 10, and two blanks stand between columns.
    assert rows[2].startswith("1. 退款流程" + " " * (13 - (3 + 4 * 2) + 2) + "bm25 ")
    assert rows[4].startswith("1. cafe\u0301-12345" + " " * 2 + "bm25 ")
    assert rows[6].startswith("1. aé" + " " * (13 - (3 + 2) + 2) + "bm25 ")


def test_to_dict_is_json_and_complete() -> None:
    chunk = Chunk(
        "socket closed", id="a", metadata={"tags": ["x"]}, embedding=[1.0], title="Errors", page=2
    )
    hit = fused(BM25, NESTED, chunk=chunk, snippet="**socket**", sources={"bm25": {"tags": ["x"]}})
    result = SearchResult(
        (hit,), Query("socket"), (LegReport("bm25", "ok", 1.23456, 1, None, ("n",)),),
        total=7, generation=3, fusion="rrf(k=60)", score_bound=3 / 61, fetch_k=200, notes=("m",),
    )  # fmt: skip
    values = to_dict(result)
    assert json.loads(json.dumps(values)) == values
    assert values == {
        "query": "socket",
        "hits": [
            {
                "id": "a",
                "rank": 1,
                "score": 2 / 61 + 1 / 62,
                "score_kind": "fusion",
                "source": "hybrid",
                "legs": ["bm25"],
                "retrieval_score": None,
                "fusion_score": 2 / 61 + 1 / 62,
                "rerank_score": None,
                "content": "socket closed",
                "snippet": "**socket**",
                "metadata": {"tags": ["x"]},
                "title": "Errors",
                "document_id": None,
                "index": None,
                "source_name": None,
                "source_path": None,
                "source_uri": None,
                "section": None,
                "page": 2,
                "contributions": [
                    {
                        "leg": "bm25",
                        "rank": 1,
                        "raw_score": 7.25,
                        "normalized": 1 / 61,
                        "weight": 2.0,
                        "value": 2 / 61,
                    },
                    {
                        "leg": "inner",
                        "rank": 2,
                        "raw_score": 1 / 61,
                        "normalized": 1 / 62,
                        "weight": 1.0,
                        "value": 1 / 62,
                        "parts": [
                            {
                                "leg": "title",
                                "rank": 1,
                                "raw_score": 3.0,
                                "normalized": 1.0,
                                "weight": 1.0,
                                "value": 1.0,
                            }
                        ],
                    },
                ],
                "sources": {"bm25": {"tags": ["x"]}},
            }
        ],
        "legs": [
            {
                "name": "bm25",
                "status": "ok",
                "elapsed_ms": 1.235,
                "count": 1,
                "error": None,
                "notes": ["n"],
            }
        ],
        "degraded": False,
        "total": 7,
        "generation": 3,
        "fusion": "rrf(k=60)",
        "score_bound": 3 / 61,
        "fetch_k": 200,
        "notes": ["m"],
    }


def test_to_dict_of_an_empty_result() -> None:
    values = to_dict(SearchResult())
    assert json.loads(json.dumps(values)) == values
    assert (values["query"], values["hits"], values["legs"]) == (None, [], [])


def test_to_dict_of_a_query_by_embedding() -> None:
    assert to_dict(SearchResult(query=Query(embedding=[1.0])))["query"] is None


def test_behind_a_reranker_the_sum_is_still_the_fused_score():
    hit = Hit(
        Chunk("a", id="a"),
        0.7,
        1,
        score_kind="rerank",
        fusion_score=1 / 61,
        rerank_score=0.7,
        contributions=(Contribution("bm25", 1, 3.0, 1 / 61, 1.0, 1 / 61),),
    )
    lines = explain(SearchResult((hit,))).splitlines()
    assert lines[-2].split() == ["sum", f"{1 / 61:.6f}"]
    assert lines[-1].split() == ["reranked", "0.700000"]
