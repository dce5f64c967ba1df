"""The way of a request: which stages it goes through, and what each failure leaves."""

import asyncio
import json
import logging
import math
import threading

import pytest

from plait.context import ContextBuilder
from plait.dense import DenseRetriever
from plait.embedders import HashEmbedder
from plait.errors import (
    AllLegsFailedError,
    ConfigurationError,
    LegError,
    ModelError,
    QueryError,
)
from plait.hybrid import HybridRetriever, Leg
from plait.lexical import BM25Retriever
from plait.pipeline import Rag, RagRequest
from plait.planning import Planned, Planner
from plait.refining import Threshold
from plait.rerankers import Reranker, Reranking
from plait.retriever import Retriever
from plait.types import Chunk, Hit, Query, SearchResult, Variant

NAMES = "abcdefghij"
CHUNKS = [
    Chunk(f"text of {name}.", id=name, document_id=f"doc-{place // 2}", index=place % 2)
    for place, name in enumerate(NAMES)
]
BY_NAME = {chunk.id: chunk for chunk in CHUNKS}


def leg(names=NAMES, **settings):
    """A leg that answers with these chunks, scores from 10 down."""
    pairs = [(BY_NAME[name], 10.0 - row) for row, name in enumerate(names)]
    return Leg(None, lambda text, top_k, filter=None: pairs[:top_k], **settings)


def hybrid(**settings):
    return HybridRetriever({"one": leg(), "two": leg()}, **settings)


def ids(result):
    return [hit.id for hit in result]


def both(rag, query, **given):
    """The same result from sync and from async code."""
    result = rag.search(query, **given)
    again = asyncio.run(rag.asearch(query, **given))
    assert ids(again) == ids(result)
    assert [hit.score for hit in again] == [hit.score for hit in result]
    assert again.notes == result.notes
    assert again.degraded == result.degraded
    return result


def stages(result):
    return {report.name: report for report in result.trace.stages}


class Planning(Planner):
    """A planner that says what it is told to."""

    name = "scripted"

    def __init__(self, answer):
        self.answer = answer
        self.asked = []

    def plan(self, query, history=(), *, timeout=None):
        self.asked.append((query.text, tuple(history), timeout))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Backwards(Reranker):
    """The last hit first, without scores."""

    name = "backwards"

    def __init__(self):
        self.seen = []

    def rerank(self, query, chunks):
        self.seen.append([chunk.id for chunk in chunks])
        return chunks[::-1]


class Failing(Reranker):
    name = "broken"

    def __init__(self, error):
        self.error = error

    def rerank(self, query, chunks):
        raise self.error


# Without anything more than a retriever


def test_a_search_retrieves_cuts_and_assembles():
    result = both(Rag(hybrid()), "q")
    assert ids(result) == list("abcde")
    assert result.query == Query("q")
    assert [citation.number for citation in result.citations] == [1, 2, 3]  # two of one document
    assert result.context.text.startswith("[1] ")
    assert list(stages(result)) == ["retrieve", "top", "context"]
    assert not result.degraded
    assert result.notes == ()


def test_the_hits_are_those_of_the_retriever():
    base = hybrid()
    assert Rag(base).search("q").hits == base.retrieve("q").hits
    assert Rag(base).retrieve("q").hits == base.retrieve("q").hits


@pytest.mark.parametrize(
    ("source", "count"),
    [
        (hybrid(top_k=8), 8),  # the retriever's own default, not one of the service
        (hybrid(), 5),
        (BM25Retriever([Chunk(f"plan {n}") for n in range(9)]), 5),
    ],
)
def test_the_number_of_hits_is_the_retrievers_own(source, count):
    assert len(Rag(source).search("plan")) == count
    assert len(Rag(source, top_k=3).search("plan")) == 3
    assert len(Rag(source, top_k=3).search("plan", top_k=2)) == 2


def test_many_queries_are_answered_as_one_is():
    rag = Rag(hybrid(), top_k=7, reranker=Backwards())
    results = rag.retrieve_many(["q", "r"])
    assert [result.hits for result in results] == [rag.retrieve("q").hits, rag.retrieve("r").hits]
    assert [len(result) for result in results] == [7, 7]
    with pytest.raises(QueryError, match="queries is str"):
        rag.retrieve_many("q")


def test_a_retriever_of_ones_own_keeps_its_number_of_hits():
    class Three(Retriever):
        name = "three"

        def retrieve(self, query, *, top_k=3, filter=None):
            hits = [Hit(chunk, None, rank) for rank, chunk in enumerate(CHUNKS, start=1)]
            return SearchResult(tuple(hits[:top_k]))

    assert len(Rag(Three()).search("q")) == 3


def test_any_callable_is_searched():
    assert ids(Rag(lambda text: CHUNKS[:2]).search("q")) == ["a", "b"]


def test_a_search_works_inside_a_running_loop():
    async def main():
        return Rag(hybrid()).search("q")

    assert len(asyncio.run(main())) == 5


def test_nothing_found_is_no_failure():
    result = both(Rag(BM25Retriever(CHUNKS)), "zzz")
    assert len(result) == 0
    assert result.citations == ()
    assert result.context.text
    assert not result.degraded


def test_a_result_for_fewer_is_a_prefix():
    rag = Rag(hybrid(), reranker=Backwards(), rerank_k=6, diversity="round_robin")
    whole = ids(rag.search("q", top_k=10))
    for k in range(1, 10):
        assert ids(rag.search("q", top_k=k)) == whole[:k]


# Requests


def test_a_request_is_a_value():
    request = RagRequest("q", top_k=2)
    rag = Rag(hybrid())
    assert ids(rag.search(request)) == ["a", "b"]
    assert ids(rag.search(request, top_k=1)) == ["a"]


def test_top_k_and_final_top_k():
    seen = Backwards()
    result = Rag(hybrid(), reranker=seen).search("q", top_k=4, final_top_k=2)
    assert seen.seen == [["a", "b", "c", "d"]]
    assert ids(result) == ["d", "c"]
    assert ids(Rag(hybrid()).search("q", final_top_k=3)) == ["a", "b", "c"]


def test_a_collection_that_is_not_searched_is_refused():
    with pytest.raises(QueryError, match=r"names the collection 'kb', .* searches no collection"):
        Rag(hybrid()).search("q", collection="kb")


def test_mistakes_are_raised_before_the_planner_is_asked():
    planner = Planning(Planned((Variant(Query("q")),)))
    one = HybridRetriever([Leg("one", lambda text: CHUNKS)])  # which cannot filter
    rag = Rag(one, planner=planner)
    with pytest.raises(QueryError, match="cannot filter"):
        rag.search("q", filter={"lang": "en"})
    with pytest.raises(QueryError, match="unknown operator"):
        rag.search("q", filter={"lang": {"$regx": "e"}})
    with pytest.raises(QueryError, match="fetch_k is 2, but top_k"):
        rag.search("q", fetch_k=2, top_k=3)
    assert planner.asked == []


def test_a_filter_never_leaks():
    chunks = [Chunk(f"plan {n}", id=str(n), metadata={"tenant": "ab"[n % 2]}) for n in range(8)]
    rag = Rag(BM25Retriever(chunks), reranker=Backwards())
    assert {hit.chunk.metadata["tenant"] for hit in rag.search("plan", filter={"tenant": "a"})} == {
        "a"
    }


# Planning


REWRITE = Planned(
    (Variant(Query("q")), Variant(Query("r"), weight=0.5, name="rewrite")), notes=("rewritten",)
)


def by_text(**answers):
    return lambda text: [BY_NAME[name] for name in answers.get(text, "")]


def test_variants_are_searched_in_one_flat_fusion():
    source = HybridRetriever({"one": by_text(q="ab", r="ca"), "two": by_text(q="b", r="d")})
    result = both(Rag(source, planner=Planning(REWRITE)), "q")
    scores = {
        "a": 1 / 61 + 0.5 / 62,
        "b": 1 / 62 + 1 / 61,
        "c": 0.5 / 61,
        "d": 0.5 / 61,
    }
    assert {hit.id: hit.score for hit in result} == pytest.approx(scores, abs=1e-12)
    for hit in result:
        total = math.fsum(part.value for part in hit.contributions)
        assert total == pytest.approx(hit.score, abs=1e-9)
    assert [report.name for report in result.trace.legs] == [
        "one",
        "one@rewrite",
        "two",
        "two@rewrite",
    ]
    assert result.trace.cost == 4
    assert [(variant.name, variant.weight) for variant in result.trace.variants] == [
        ("original", 1.0),
        ("rewrite", 0.5),
    ]
    assert result.notes == ("plan: rewritten",)


def test_the_planner_gets_the_conversation():
    planner = Planning(REWRITE)
    Rag(hybrid(), planner=planner).search("q", history=[("user", "hello")])
    (text, history, _timeout) = planner.asked[0]
    assert text == "q"
    assert [(turn.role, turn.text) for turn in history] == [("user", "hello")]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (ModelError("the model is away"), "plan: only the original query was searched: ModelError"),
        (RuntimeError(), "plan: only the original query was searched: RuntimeError"),
        ("nonsense", "returned str, expected Planned"),
    ],
)
def test_a_failing_planner_leaves_the_original(answer, said, caplog):
    with caplog.at_level(logging.WARNING, "plait.rag"):
        result = both(Rag(hybrid(), planner=Planning(answer)), "q")
    assert ids(result) == list("abcde")
    assert result.degraded
    assert said in result.notes[0]
    assert stages(result)["plan"].status == "degraded"
    assert said.split(": ")[-1] in caplog.text


def test_a_planner_that_fell_back_degrades():
    fell_back = Planned((Variant(Query("q")),), notes=("no rewrite",), fell_back=True)
    result = both(Rag(hybrid(), planner=Planning(fell_back)), "q")
    assert result.degraded
    assert result.notes == ("plan: no rewrite",)


def test_a_slow_planner_is_left_behind():
    gate = threading.Event()

    class Slow(Planner):
        name = "slow"

        def plan(self, query, history=(), *, timeout=None):
            gate.wait()

    try:
        result = Rag(hybrid(), planner=Slow(), planner_timeout=0.05).search("q")
    finally:
        gate.set()
    assert ids(result) == list("abcde")
    assert result.degraded
    (note,) = result.notes
    assert note.startswith("plan: only the original query was searched: ")
    assert note.endswith("planner 'slow' did not answer within its 50 ms")


def test_a_mistake_in_the_planner_is_raised():
    with pytest.raises(ConfigurationError, match="no such model"):
        Rag(hybrid(), planner=Planning(ConfigurationError("no such model"))).search("q")


def test_planning_may_take_half_of_the_deadline():
    planner = Planning(REWRITE)
    Rag(hybrid(), planner=planner, deadline=4.0).search("q")
    assert 1.5 < planner.asked[0][2] <= 2.0
    Rag(hybrid(), planner=planner, deadline=4.0, planner_timeout=1.0).search("q")
    assert planner.asked[1][2] == 1.0


def test_one_failing_variant_does_not_fail_the_search():
    def fragile(text):
        if text == "r":
            raise OSError("no such words")
        return CHUNKS[:2]

    result = both(Rag({"one": fragile, "two": by_text(q="c")}, planner=Planning(REWRITE)), "q")
    assert set(ids(result)) == {"a", "b", "c"}
    assert result.degraded
    assert {report.name: report.status for report in result.trace.legs} == {
        "one": "ok",
        "one@rewrite": "error",
        "two": "ok",
        "two@rewrite": "empty",
    }
    assert result.notes[-1] == "leg 'one@rewrite' failed: OSError: no such words"


def test_all_legs_failing_is_raised_and_a_required_one_too():
    def broken(text):
        raise OSError("down")

    with pytest.raises(AllLegsFailedError, match="down"):
        Rag([broken]).search("q")
    with pytest.raises(LegError, match="down"):
        Rag([Leg("one", broken, required=True), leg()]).search("q")


def test_a_query_without_text_is_neither_planned_nor_reranked():
    dense = DenseRetriever([Chunk("a", id="a", embedding=[1.0, 0.0])])
    rag = Rag(dense, planner=Planning(REWRITE), reranker=Backwards())
    result = both(rag, Query(embedding=[1.0, 0.0]))
    assert ids(result) == ["a"]
    assert not result.degraded
    assert {name: stages(result)[name].status for name in ("plan", "rerank")} == {
        "plan": "skipped",
        "rerank": "skipped",
    }


# Reranking


def test_the_order_of_a_reranker_is_final():
    result = both(Rag(hybrid(), reranker=Backwards(), rerank_k=3), "q")
    assert ids(result) == ["c", "b", "a", "d", "e"]
    assert [hit.rank for hit in result] == [1, 2, 3, 4, 5]
    assert all(hit.rerank_score is None for hit in result)


def test_a_reranker_is_given_rerank_k_whatever_top_k():
    reranker = Backwards()
    Rag(hybrid(), reranker=reranker, top_k=2).search("q")
    Rag(hybrid(), reranker=reranker, rerank_k=7).search("q", top_k=1)
    assert [len(seen) for seen in reranker.seen] == [10, 7]


def test_a_reranker_does_not_make_the_window_larger():
    reranker = Backwards()
    result = Rag(hybrid(window=4), reranker=reranker, top_k=2).search("q")
    assert reranker.seen == [["a", "b", "c", "d"]]
    assert result.trace.fetch_k == 4
    assert result.notes == ()


def test_hits_that_were_not_scored_come_after_in_fused_order_with_none():
    class One(Reranker):
        name = "one"

        def rerank(self, query, chunks):
            return [(3, 0.2)]

    result = both(Rag(hybrid(), reranker=One()), "q")
    assert ids(result) == ["d", "a", "b", "c", "e"]
    assert [hit.rerank_score for hit in result] == [0.2, None, None, None, None]
    assert [hit.score_kind for hit in result][:2] == ["rerank", "fusion"]
    assert result[1].score == result[1].fusion_score


def test_hits_before_and_after_reranking_are_in_the_trace():
    reports = stages(Rag(hybrid(), reranker=Backwards(), rerank_k=2).search("q", top_k=2))
    assert [hit.id for hit in reports["retrieve"].hits] == ["a", "b"]
    assert [hit.id for hit in reports["rerank"].hits] == ["b", "a"]
    assert reports["top"].before == 2


@pytest.mark.parametrize(
    ("reranker", "said"),
    [
        (Failing(OSError("no route")), "OSError: no route"),
        (lambda query, chunks: ["nonsense"], "ContractError"),
        (lambda query, chunks: [float("nan")] * len(chunks), "ContractError"),
    ],
)
def test_a_failing_reranker_degrades_to_the_fused_order(reranker, said):
    result = both(Rag(hybrid(), reranker=reranker), "q")
    assert ids(result) == list("abcde")
    assert result.degraded
    assert result.notes[0].startswith("rerank: the hits are in fused order: ")
    assert said in result.notes[0]
    assert all(hit.score_kind == "fusion" for hit in result)


def test_a_slow_reranker_degrades_too():
    gate = threading.Event()

    def slow(query, chunks):
        gate.wait()

    try:
        result = Rag(hybrid(), reranker=slow, reranker_timeout=0.05).search("q")
    finally:
        gate.set()
    assert result.degraded
    assert "reranker 'slow' did not answer within its 50 ms" in result.notes[0]


def test_an_async_reranker_that_is_slow_degrades_in_both_worlds():
    async def slow(query, chunks):
        await asyncio.sleep(60)

    result = both(Rag(hybrid(), reranker=slow, reranker_timeout=0.05), "q")
    assert ids(result) == list("abcde")
    assert result.degraded


def test_no_time_left_for_reranking():
    gate = threading.Event()
    reranker = Backwards()
    rag = Rag([leg(), Leg("late", lambda text: gate.wait())], reranker=reranker, deadline=0.05)
    try:
        result = rag.search("q")
    finally:
        gate.set()
    assert ids(result) == list("abcde")
    assert "rerank: the hits are in fused order: no time was left" in result.notes
    assert reranker.seen == []


def test_a_mistake_in_the_reranker_is_raised():
    with pytest.raises(ConfigurationError, match="no key"):
        Rag(hybrid(), reranker=Failing(ConfigurationError("no key"))).search("q")


def test_a_reranker_that_keeps_failing_is_not_asked_for_a_while():
    rag = Rag(hybrid(), reranker=Failing(OSError("down")))
    for _ in range(5):
        rag.search("q")
    assert "reranker 'broken' was not asked: it kept failing" in rag.search("q").notes[0]


def test_scores_of_one_request_are_not_there_in_the_next():
    scores = iter([[0.9] * 10, [None] * 10])
    rag = Rag(hybrid(), reranker=lambda query, chunks: next(scores))
    assert rag.search("q")[0].rerank_score == 0.9
    assert rag.search("q")[0].rerank_score is None


def test_behind_a_reranker_the_order_is_said_to_be_one_of_positions():
    assert Rag(hybrid()).order == "score"
    assert Rag(hybrid(), reranker=Backwards()).order == "position"
    assert Rag(hybrid(), reranker=Backwards()).retrieve("q").score_bound is None


# Thresholds


def test_a_threshold_on_a_leg_looks_at_the_whole_pool():
    result = both(Rag([leg()], thresholds="leg:leg>=6", top_k=9), "q")
    assert ids(result) == list("abcde")
    report = stages(result)["threshold"]
    assert (report.before, report.after) == (10, 5)
    assert result.notes[-1] == "threshold: leg:leg>=6 dropped 5 of 10 hits"


def test_a_threshold_that_can_never_pass_is_refused():
    with pytest.raises(ConfigurationError, match=r"fused>=0\.25 can never pass"):
        Rag(hybrid(), thresholds=[Threshold("fused", 0.25)])
    with pytest.raises(ConfigurationError, match="there is no reranker"):
        Rag(hybrid(), thresholds="rerank>=0.5")


def test_with_variants_a_fused_threshold_may_be_higher():
    Rag(hybrid(), thresholds="fused>=0.04", planner=Planning(REWRITE))
    with pytest.raises(ConfigurationError, match="can never pass"):
        Rag(hybrid(), thresholds="fused>=0.04")


def test_a_threshold_may_name_the_leg_of_a_variant():
    source = HybridRetriever({"one": by_text(q="ab", r="c")})
    rag = Rag(source, thresholds="leg:one@rewrite>=1", planner=Planning(REWRITE))
    assert set(ids(rag.search("q"))) == {"a", "b", "c"}  # legs without scores have nothing against
    with pytest.raises(ConfigurationError, match="reads leg 'one@rewrite'"):
        Rag(source, thresholds="leg:one@rewrite>=1")


def test_a_rerank_threshold_drops_what_was_not_scored():
    def half(query, chunks):
        return [1.0, 0.2, None, 0.7, *[None] * (len(chunks) - 4)]

    result = both(Rag(hybrid(), reranker=half, thresholds="rerank>=0.5"), "q")
    assert ids(result) == ["a", "d"]


def test_a_rerank_threshold_is_not_applied_to_hits_that_nobody_reranked():
    rag = Rag(hybrid(), reranker=Failing(OSError("down")), thresholds="rerank>=0.5")
    result = both(rag, "q")
    assert ids(result) == list("abcde")
    assert stages(result)["rerank_threshold"].status == "skipped"


# Groups, diversity, expansion, context


def test_top_k_counts_groups():
    result = both(Rag(hybrid(), group="document", top_k=2), "q")
    assert ids(result) == ["a", "c"]
    assert [[hit.id for hit in group.hits] for group in result.groups] == [["a", "b"], ["c", "d"]]
    assert result.context.hits == tuple(hit for group in result.groups for hit in group.hits)
    assert stages(result)["group"].after == 5


def test_diversity_keeps_its_order():
    result = both(Rag(hybrid(), diversity="round_robin", top_k=5), "q")
    assert ids(result) == list("acegi")


def test_the_total_is_what_could_be_shown():
    assert Rag(hybrid()).retrieve("q").total == 10
    assert Rag([leg()], thresholds="leg:leg>=6").retrieve("q", top_k=2).total == 5
    assert Rag(hybrid(), group="document").retrieve("q", top_k=2).total == 5


def test_groups_and_diversity_are_not_given_together():
    with pytest.raises(ConfigurationError, match="choose one"):
        Rag(hybrid(), group="document", diversity="mmr")


def test_expansion_adds_neighbors_to_the_context_only():
    rag = Rag(BM25Retriever(CHUNKS), expand="neighbors", top_k=1)
    result = both(rag, "b")
    assert ids(result) == ["b"]
    assert [chunk.id for chunk in result.citations[0].chunks] == ["a", "b"]


def test_a_failing_expansion_degrades():
    def documents(name):
        raise OSError("disk")

    result = both(Rag(hybrid(), expand="document", documents=documents), "q")
    assert ids(result) == list("abcde")
    assert result.degraded
    assert result.notes == ("expand: the hits were not expanded: OSError: disk",)
    assert len(result.context.hits) == 5


def test_expansion_needs_documents():
    with pytest.raises(ConfigurationError, match="set documents="):
        Rag(hybrid(), expand="neighbors")


def test_the_context_keeps_its_budget():
    result = Rag(hybrid(), context=ContextBuilder(budget=15)).search("q")
    assert result.context.tokens <= 15
    assert result.context.skipped


# Answers


def test_an_answer_is_mapped_back_to_its_hits():
    prompts = []

    def model(prompt, *, system):
        prompts.append((prompt, system))
        return "It is so [2], I think [9]."

    rag = Rag(HybridRetriever({"one": leg("ace")}), model=model)
    answer = rag.ask("why?", history=[("user", "hello")])
    again = asyncio.run(rag.aask("why?"))
    assert str(answer) == again.text == "It is so [2], I think [9]."
    assert [citation.hit.id for citation in answer.citations] == ["c"]
    assert answer.unknown == (9,)
    assert list(stages(answer.result))[-1] == "answer"
    prompt, system = prompts[0]
    assert "text of c." in prompt
    assert prompt.endswith("Question: why?")
    assert "user: hello" in prompt
    assert "Use only what the passages say" in system


def test_a_model_is_not_asked_about_nothing():
    def model(prompt):
        raise AssertionError("asked")

    answer = Rag(BM25Retriever(CHUNKS), model=model).ask("zzz")
    assert answer.text == ""
    assert answer.result.notes[-1] == "answer: the model was not asked: nothing was found"


def test_a_failing_model_is_raised():
    def model(prompt):
        raise OSError("down")

    with pytest.raises(ModelError, match="down"):
        Rag(hybrid(), model=model).ask("q")


def test_asking_without_a_model():
    with pytest.raises(ConfigurationError, match="there is no model to answer"):
        Rag(hybrid()).ask("q")


def test_asking_without_words():
    with pytest.raises(QueryError, match="this query has no text"):
        Rag(hybrid(), model=lambda prompt: "x").ask(Query(embedding=[1.0]))


def test_planners_named_by_text_ask_the_services_model():
    rag = Rag(hybrid(), planner="rewrite", model=lambda prompt: "another wording")
    assert "another wording" in [v.query.text for v in rag.search("q").trace.variants]


# What a result tells


def test_the_shape_of_the_json():
    rag = Rag(hybrid(), reranker=Backwards(), planner=Planning(REWRITE), group="document")
    values = json.loads(rag.search("q", top_k=1).to_json())
    assert list(values) == [
        "schema", "query", "hits", "groups", "context", "degraded", "notes", "trace",
    ]  # fmt: skip
    assert values["schema"] == "plait.rag/1"
    assert list(values["trace"]) == [
        "request_id", "elapsed_ms", "stages", "variants", "planner_calls", "legs", "cost",
        "fusion", "score_bound", "fetch_k", "generation", "settings",
    ]  # fmt: skip
    assert values["groups"] == [
        {
            "field": "document_id",
            "value": "doc-4",
            "score": pytest.approx(3 * (1 / 70), abs=1e-12),
            "ids": ["j", "i"],
        }
    ]
    assert [stage["name"] for stage in values["trace"]["stages"]] == [
        "plan", "retrieve", "rerank", "group", "top", "context",
    ]  # fmt: skip
    assert values["trace"]["settings"]["reranker"]["name"] == "backwards"
    assert values["trace"]["variants"][1] == {
        "name": "rewrite", "text": "r", "weight": 0.5, "legs": "all",
    }  # fmt: skip


def test_a_request_may_do_without_a_trace():
    result = Rag(hybrid()).search("q", trace=False)
    assert result.trace is None
    assert result.to_dict()["trace"] is None
    assert "sum" in result.explain()


def test_explain_tells_the_stages_and_the_scores():
    said = Rag(hybrid(), planner=Planning(REWRITE)).search("q", top_k=1).explain()
    assert "variant rewrite, weight 0.5: r" in said
    assert "2 variants, 4 searches" in said
    assert "plan      ok" in said
    assert "one@rewrite" in said


def test_describe_is_json_and_says_every_part():
    rag = Rag(
        hybrid(), reranker=Backwards(), thresholds="rerank>=0.5", diversity="mmr",
        model=lambda prompt: "x", deadline=2.0,
    )  # fmt: skip
    described = json.loads(json.dumps(rag.describe()))
    assert described["diversity"] == "mmr(balance=0.7)"
    assert described["thresholds"] == ["rerank>=0.5"]
    assert described["retriever"]["type"] == "HybridRetriever"
    assert described["deadline"] == 2.0


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"top_k": 0}, "top_k is 0"),
        ({"rerank_k": None}, "rerank_k is None"),
        ({"fetch_k": True}, "fetch_k is True"),
        ({"deadline": 0}, "deadline is 0"),
        ({"planner_timeout": -1}, "planner_timeout is -1"),
        ({"reranker_timeout": "1"}, "reranker_timeout is '1'"),
        ({"model_timeout": 0.0}, "model_timeout is 0.0"),
        ({"context": 4000}, "expected a ContextBuilder"),
        ({"name": ""}, "name is ''"),
        ({"prompt": "  "}, "the system prompt is"),
        ({"planner": "rewrit"}, "unknown planner"),
        ({"reranker": 3}, "reranker"),
        ({"diversity": "mnr"}, "unknown diversity"),
        ({"diversity": 3}, "diversity is 3"),
        ({"thresholds": None}, "thresholds is None"),
        ({"thresholds": ["rerank"]}, "is not a threshold"),
        ({"documents": dict}, "documents is for expand"),
    ],
)
def test_bad_settings_are_refused(settings, said):
    with pytest.raises(ConfigurationError, match=said):
        Rag(hybrid(), **settings)


# As a leg, and many at once


def test_a_service_is_a_leg():
    rag = Rag(hybrid(), reranker=Backwards())
    result = HybridRetriever([rag, leg("b")]).retrieve("q", top_k=3)
    assert set(result[0].legs) <= {"rag", "leg"}
    assert [report.status for report in result.legs] == ["ok", "ok"]


def test_requests_at_the_same_time_do_not_share_anything():
    rag = Rag(
        lambda text: [Chunk(f"about {text}", id=text)],
        planner="rewrite",
        model=lambda prompt: "other words",
        reranker=Backwards(),
    )

    async def main():
        return await asyncio.gather(*(rag.asearch(f"question {n}") for n in range(50)))

    results = asyncio.run(main())
    for n, result in enumerate(results):
        assert result.query.text == f"question {n}"
        assert set(ids(result)) == {f"question {n}", "other words"}
        assert result.trace.variants[0].query.text == f"question {n}"
    assert len({result.trace.request_id for result in results}) == 50


def test_cancelling_a_search_cancels_what_is_running():
    cancelled = []

    async def hang(query, chunks):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(query)
            raise

    async def main():
        task = asyncio.ensure_future(Rag(hybrid(), reranker=hang).asearch("q"))
        for _ in range(20):
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert cancelled == ["q"]


def test_what_a_leg_holds_is_not_changed():
    cached = [Hit(chunk, 0.5, rank) for rank, chunk in enumerate(CHUNKS, start=1)]
    before = list(cached)
    rag = Rag(lambda text: cached, reranker=lambda query, chunks: [1.0] * len(chunks), group="page")
    assert rag.search("q")[0].rerank_score == 1.0
    assert cached == before


def test_a_reranking_of_positions():
    rag = Rag(hybrid(), reranker=lambda query, chunks: Reranking((1, 0)))
    assert ids(rag.search("q"))[:3] == ["b", "a", "c"]


def test_hash_embedding_hybrid_end_to_end():
    chunks = [Chunk("error E1042 socket closed", id="e"), Chunk("cats purr", id="c")]
    dense = DenseRetriever(chunks, embedder=HashEmbedder(dim=64))
    result = both(Rag([dense, BM25Retriever(chunks)]), "E1042")
    assert result[0].id == "e"
    assert result[0].snippet is None or "E1042" in result[0].snippet
