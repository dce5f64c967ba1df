"""One question put in several ways: every leg searches every variant, in one flat fusion."""

import asyncio
import logging
import math
import threading

import pytest

from plait.dense import DenseRetriever
from plait.embedders import CallableEmbedder
from plait.errors import AllLegsFailedError, LegError, LegTimeoutError, QueryError
from plait.fusion import Rrf
from plait.hybrid import HybridRetriever, Leg
from plait.lexical import BM25Retriever
from plait.retriever import Retriever
from plait.types import Chunk, Query, SearchResult, Variant

ORIGINAL = Variant(Query("ending"))
REWRITE = Variant(Query("cancel"), weight=0.5, name="rewrite")
HYDE = Variant(Query("you cancel here"), name="hyde", legs="dense")


def answering(**answers):
    """A leg that knows what to answer to each text: a string of ids, one character each."""
    return lambda text: [Chunk(f"text {name}", id=name) for name in answers.get(text, "")]


def ways(hybrid, *variants, **given):
    """The same from both entries."""
    result = hybrid.retrieve_variants(variants, **given)
    again = asyncio.run(hybrid.aretrieve_variants(variants, **given))
    assert [(hit.id, hit.score) for hit in again] == [(hit.id, hit.score) for hit in result]
    return result


def reports(result):
    return {report.name: report.status for report in result.legs}


def test_each_variant_of_each_leg_is_a_leg_of_one_flat_fusion():
    hybrid = HybridRetriever(
        {
            "a": Leg("a", answering(ending="xy", cancel="yz"), weight=2.0),
            "b": answering(cancel="z"),
        },
        fusion=Rrf(k=60),
    )
    result = ways(hybrid, ORIGINAL, REWRITE)
    assert {hit.id: hit.score for hit in result} == pytest.approx(
        {
            "x": 2.0 * 1.0 / 61,
            "y": 2.0 * 1.0 / 62 + 2.0 * 0.5 / 61,
            "z": 2.0 * 0.5 / 62 + 1.0 * 0.5 / 61,
        },
        abs=1e-12,
    )
    assert reports(result) == {"a": "ok", "a@rewrite": "ok", "b": "empty", "b@rewrite": "ok"}
    y = next(hit for hit in result if hit.id == "y")
    assert [(part.leg, part.rank, part.weight) for part in y.contributions] == [
        ("a", 2, 2.0),
        ("a@rewrite", 1, 1.0),
        ("b", None, 1.0),
        ("b@rewrite", None, 0.5),
    ]
    assert math.fsum(part.value for part in y.contributions) == pytest.approx(y.score, abs=1e-9)
    assert y.legs == ("a@rewrite", "a")


def test_one_variant_is_the_query_alone():
    hybrid = HybridRetriever({"a": answering(ending="xy"), "b": answering(ending="y")})
    alone = hybrid.retrieve("ending")
    assert ways(hybrid, ORIGINAL).hits == alone.hits
    assert [report.name for report in alone.legs] == ["a", "b"]


def test_a_variant_for_dense_retrieval_goes_to_dense_legs_only():
    asked = []

    def embed(texts):
        asked.extend(texts)
        return [[1.0, float(len(text))] for text in texts]

    chunks = [Chunk("you may cancel", id="x")]
    embedder = CallableEmbedder(embed, name="lengths")
    hybrid = HybridRetriever(
        [DenseRetriever(chunks, embedder=embedder), BM25Retriever(chunks, name="words")]
    )
    result = hybrid.retrieve_variants([ORIGINAL, HYDE])
    assert reports(result) == {"dense": "ok", "dense@hyde": "ok", "words": "empty"}
    assert {"ending", "you cancel here"} <= set(asked)


def test_the_kind_of_a_leg_can_be_said():
    hybrid = HybridRetriever({"a": Leg("a", answering(ending="x"), kind="dense")})
    assert [report.name for report in hybrid.retrieve_variants([ORIGINAL, HYDE]).legs] == [
        "a",
        "a@hyde",
    ]


def test_a_hybrid_of_dense_legs_is_dense_and_a_mixed_one_is_neither():
    dense = Leg("d", answering(), kind="dense")
    assert HybridRetriever([dense]).kind == "dense"
    assert HybridRetriever([dense, BM25Retriever()]).kind == "other"


def test_a_variant_that_no_leg_takes_is_told():
    hybrid = HybridRetriever({"a": answering(ending="x"), "b": answering(ending="x")})
    result = ways(hybrid, ORIGINAL, HYDE)
    assert result.notes == (
        "variant 'hyde' was not searched: it is for dense legs, and none takes part",
    )
    with pytest.raises(QueryError, match="no leg can use this query: variant 'hyde'"):
        hybrid.retrieve_variants([HYDE])


def test_a_variant_that_a_leg_cannot_use_is_skipped_with_the_reason():
    hybrid = HybridRetriever({"a": answering(ending="x"), "b": answering(ending="x")})
    result = ways(hybrid, ORIGINAL, Variant(Query(embedding=[1.0]), name="vector"))
    assert reports(result) == {"a": "ok", "a@vector": "skipped", "b": "ok", "b@vector": "skipped"}
    assert result.legs[1].notes == ("needs text, and the query has none",)
    assert not result.degraded


def test_the_query_of_the_result_is_the_original():
    hybrid = HybridRetriever({"a": answering(ending="x", cancel="x")})
    assert ways(hybrid, REWRITE, ORIGINAL).query == Query("ending")
    assert ways(hybrid, REWRITE).query == Query("cancel")


@pytest.mark.parametrize(
    ("variants", "said"),
    [
        ([], "variants is empty"),
        ([ORIGINAL, Variant(Query("x"))], r"named \['original', 'original'\]"),
        (["ending"], "variants holds str"),
        ("ending", "variants is 'ending'"),
        (ORIGINAL, "expected a list of Variant"),
    ],
)
def test_what_are_no_variants_is_refused(variants, said):
    with pytest.raises(QueryError, match=said):
        HybridRetriever([answering()]).retrieve_variants(variants)


def failing(*texts):
    """A leg that breaks at these texts and finds x for all others."""

    def leg(text):
        if text in texts:
            raise OSError(f"no answer to {text}")
        return [Chunk("text x", id="x")]

    return leg


def test_a_failing_variant_is_left_out_and_told(caplog):
    hybrid = HybridRetriever({"a": failing("cancel"), "b": answering(ending="y", cancel="y")})
    with caplog.at_level(logging.WARNING, "plait"):
        result = ways(hybrid, ORIGINAL, REWRITE)
    assert reports(result) == {"a": "ok", "a@rewrite": "error", "b": "ok", "b@rewrite": "ok"}
    assert result.degraded
    assert "no answer to cancel" in result.legs[1].error
    assert "a@rewrite: OSError" in caplog.text


@pytest.mark.parametrize("settings", [{"on_failure": "raise"}, {}])
def test_only_on_the_original_does_a_failure_end_the_query(settings):
    def hybrid(source):
        return HybridRetriever(
            [Leg("a", source, required="on_failure" not in settings), answering(ending="y")],
            **settings,
        )

    assert [hit.id for hit in ways(hybrid(failing("cancel")), ORIGINAL, REWRITE)] == ["x", "y"]
    with pytest.raises(LegError, match="leg 'a' failed: OSError: no answer to ending"):
        hybrid(failing("ending")).retrieve_variants([ORIGINAL, REWRITE])


def test_a_variant_in_the_place_of_the_original_is_held_to_what_is_required():
    hybrid = HybridRetriever([Leg("a", failing("cancel"), required=True), answering(cancel="y")])
    with pytest.raises(LegError, match="leg 'a@rewrite' failed: OSError"):
        hybrid.retrieve_variants([REWRITE])


def test_all_failing_raises():
    with pytest.raises(AllLegsFailedError) as failed:
        HybridRetriever({"a": failing("ending", "cancel")}).retrieve_variants([ORIGINAL, REWRITE])
    assert set(failed.value.failures) == {"a", "a@rewrite"}


def test_a_late_required_variant_raises_the_timeout_itself():
    gate = threading.Event()
    hybrid = HybridRetriever([Leg("a", lambda text: gate.wait(), required=True, timeout=0.05)])
    try:
        with pytest.raises(LegTimeoutError):
            hybrid.retrieve_variants([REWRITE])
    finally:
        gate.set()


def test_variants_that_fail_together_are_one_failure_of_the_leg():
    leg = Leg("a", failing("ending", "cancel", "more"), max_failures=2)
    hybrid = HybridRetriever([leg, answering(ending="y")])
    more = Variant(Query("more"), name="more")
    first = hybrid.retrieve_variants([ORIGINAL, REWRITE, more])
    second = hybrid.retrieve_variants([ORIGINAL, REWRITE, more])
    third = hybrid.retrieve_variants([ORIGINAL, REWRITE, more])
    assert [report.status for report in first.legs[:3]] == ["error"] * 3
    assert [report.status for report in second.legs[:3]] == ["error"] * 3
    assert [report.status for report in third.legs[:3]] == ["circuit_open"] * 3


def test_a_variant_that_is_answered_keeps_the_circuit_closed():
    hybrid = HybridRetriever([Leg("a", failing("cancel"), max_failures=1), answering(ending="y")])
    for _ in range(3):
        result = hybrid.retrieve_variants([ORIGINAL, REWRITE])
        assert [report.status for report in result.legs[:2]] == ["ok", "error"]


def test_variants_that_hang_together_are_one_late_query():
    gate = threading.Event()
    hybrid = HybridRetriever(
        [Leg("a", lambda text: gate.wait() and [], timeout=0.02), answering(ending="y")]
    )
    asked = [ORIGINAL, *(Variant(Query(name), name=name) for name in "bcd")]
    try:
        runner = hybrid._runners["a"]
        for late in (1, 2, 3, 4):
            result = hybrid.retrieve_variants(asked)
            assert "did not answer" in result.legs[0].error
            assert runner.late == late
        assert "4 late calls still run" in hybrid.retrieve_variants(asked).legs[0].error
    finally:
        gate.set()


def test_the_variants_run_together():
    together = threading.Barrier(4, timeout=10)

    def leg(text):
        together.wait()
        return [Chunk(text, id=text)]

    result = HybridRetriever({"a": leg, "b": leg}).retrieve_variants([ORIGINAL, REWRITE])
    assert {hit.id for hit in result} == {"ending", "cancel"}


def test_the_pool_does_not_depend_on_the_page():
    hybrid = HybridRetriever(
        {"a": answering(ending="uvwx", cancel="xyz"), "b": answering(ending="zy", cancel="w")}
    )
    whole = [hit.id for hit in ways(hybrid, ORIGINAL, REWRITE, top_k=9)]
    for k in range(1, 7):
        assert [hit.id for hit in ways(hybrid, ORIGINAL, REWRITE, top_k=k)] == whole[:k]


def test_options_of_a_leg_hold_for_all_its_variants():
    hybrid = HybridRetriever({"a": answering(ending="uv", cancel="xyz")})
    result = ways(hybrid, ORIGINAL, REWRITE, options={"a": {"fetch_k": 1}})
    assert [report.count for report in result.legs] == [1, 1]


def test_a_retriever_gets_text_where_text_is_all():
    class Seen(Retriever):
        name = "seen"

        def retrieve(self, query, *, top_k=5, filter=None):
            seen.append(query)
            return SearchResult()

    seen = []
    hybrid = HybridRetriever([Seen()])
    both = Query("cancel", embedding=[1.0])
    hybrid.retrieve_variants([ORIGINAL])
    hybrid.retrieve_variants([Variant(both)])
    assert seen == ["ending", both]


def test_the_order_of_the_variants_changes_nothing():
    hybrid = HybridRetriever(
        {"a": answering(ending="uvwx", cancel="xyz"), "b": answering(ending="zy", cancel="w")}
    )
    one = hybrid.retrieve_variants([ORIGINAL, REWRITE])
    other = hybrid.retrieve_variants([REWRITE, ORIGINAL])
    assert [(hit.id, hit.score) for hit in one] == [(hit.id, hit.score) for hit in other]


def test_auto_trusts_each_variant_of_a_leg_by_what_it_matches_itself():
    chunks = [Chunk("cancel the plan", id="x"), Chunk("cats purr", id="y")]
    hybrid = HybridRetriever([BM25Retriever(chunks)], fusion="auto(coverage=1, lead=0)")
    known, unknown = Variant(Query("cancel plan")), Variant(Query("cancel zebra yak"), name="odd")
    result = ways(hybrid, known, unknown)
    given = {part.leg: part.normalized for part in result[0].contributions}
    leg = BM25Retriever(chunks)
    expected = {
        "bm25": leg.rank(known.query, top_k=9, filter=None).coverage,
        "bm25@odd": leg.rank(unknown.query, top_k=9, filter=None).coverage,
    }
    assert given == pytest.approx(expected, abs=1e-12)
    assert given["bm25@odd"] < given["bm25"] / 2
