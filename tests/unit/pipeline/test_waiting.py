"""The stages that wait: what leaves them, what is left behind, and who is asked how often."""

import asyncio
import threading

import pytest

from plait.errors import ModelError, ModelTimeoutError, QueryError
from plait.hybrid import HybridRetriever
from plait.lexical import BM25Retriever
from plait.pipeline import Rag, RagRequest
from plait.pipeline.refining import Diversifying
from plait.pipeline.state import Deadline, State
from plait.pipeline.waiting import Expanding, Reranking
from plait.planning import MultiQuery, Planned, Planner
from plait.refining import Mmr, Neighbors
from plait.rerankers import NoReranker, Reranker
from plait.types import Chunk, Hit, Query, Variant

CHUNKS = [
    Chunk(f"refund number {n}", id=f"c{n}", document_id="doc", index=n, metadata={"n": n})
    for n in range(6)
]


def everywhere(ask, aask):
    """The same from sync and from async code."""
    result, again = ask(), asyncio.run(aask())
    assert [hit.id for hit in again] == [hit.id for hit in result]
    assert again.notes == result.notes
    return result


def search(rag, text="refund", **given):
    return everywhere(lambda: rag.search(text, **given), lambda: rag.asearch(text, **given))


class Saying(Planner):
    """Plans what a function gives it."""

    name = "saying"

    def __init__(self, plan):
        self._plan = plan

    def plan(self, query, history=(), *, timeout=None):
        return self._plan()


# What ends the process is never a failure of a stage


def parts_that_raise(error):
    def function(*_):
        raise error

    async def afunction(*_):
        raise error

    for raising in (function, afunction):
        yield {"planner": MultiQuery(raising)}
        yield {"reranker": raising}
    yield {"planner": Saying(lambda: function())}
    yield {"diversity": function}
    yield {"expand": "neighbors", "documents": function}


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_ends_the_process_passes_through(error):
    for parts in parts_that_raise(error()):
        rag = Rag(BM25Retriever(CHUNKS), **parts)
        with pytest.raises(error):
            rag.search("refund")
        with pytest.raises(error):
            asyncio.run(rag.asearch("refund"))


# Nonsense of a planner


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (lambda: Planned((Variant(Query(" ")),)), "plan: only the original query was searched: "),
        (
            lambda: Planned((Variant(Query("refund"), name="h", legs="dense"),)),
            "only the original query was searched: no leg can use this query",
        ),
        (
            lambda: Planned((Variant(Query(embedding=[1.0]), name="vector"),)),
            "only the original query was searched: no leg can use this query",
        ),
    ],
)
def test_a_plan_that_cannot_be_searched_leaves_the_original(plan, said):
    result = search(Rag(BM25Retriever(CHUNKS), planner=Saying(plan)))
    assert len(result) == 5
    assert result.degraded
    assert result.notes[0].startswith(said)
    assert [variant.name for variant in result.trace.variants] == ["original"]


def test_a_mistake_in_the_request_is_still_the_callers():
    rag = Rag(HybridRetriever({"leg": lambda text: CHUNKS}), planner=MultiQuery(lambda prompt: "x"))
    with pytest.raises(QueryError, match="cannot filter"):
        rag.search("refund", filter={"n": 1})


# How often a model was asked


def test_calls_of_the_planners_model_are_in_the_trace():
    def failing(prompt):
        raise OSError("down")

    bm25 = BM25Retriever(CHUNKS)
    asked = search(Rag(bm25, planner=MultiQuery(lambda prompt: "money\nback", n=2))).trace
    assert asked.planner_calls == asked.to_dict()["planner_calls"] == 1
    assert "3 variants, 3 searches, 1 call of a model to plan, " in asked.explain()
    assert search(Rag(bm25)).trace.planner_calls == 0
    assert "1 variant, 1 search, " in search(Rag(bm25)).trace.explain()
    assert search(Rag(bm25, planner=MultiQuery(failing))).trace.planner_calls == 1
    lost = Saying(lambda: failing(""))
    assert search(Rag(bm25, planner=lost)).trace.planner_calls is None


# Late


def test_what_is_async_is_cancelled_when_it_is_late_from_sync_code_too():
    cancelled = threading.Event()

    async def hang(*_, **__):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    class Hanging(Planner):
        name = "hanging"
        aplan = staticmethod(hang)

    class HangingReranker(Reranker):
        arerank = staticmethod(hang)

    for parts in (
        {"planner": Hanging(), "planner_timeout": 0.02},
        {"reranker": hang, "reranker_timeout": 0.02},
        {"reranker": HangingReranker(), "reranker_timeout": 0.02},
    ):
        cancelled.clear()
        assert Rag(BM25Retriever(CHUNKS), **parts).search("refund").degraded
        assert cancelled.wait(5)


def test_a_late_model_is_an_error_and_is_cancelled():
    cancelled = threading.Event()

    async def model(prompt):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    rag = Rag(BM25Retriever(CHUNKS), model=model, model_timeout=0.02)
    said = r"model 'model' gave no answer within 0\.02 s, its model_timeout"
    with pytest.raises(ModelTimeoutError, match=said) as caught:
        rag.ask("refund")
    assert isinstance(caught.value, TimeoutError)
    assert caught.value.transient
    assert cancelled.wait(5)
    with pytest.raises(ModelTimeoutError):
        asyncio.run(rag.aask("refund"))


def test_an_error_that_the_model_raises_itself_is_not_called_late():
    def model(prompt):
        raise TimeoutError("of its own")

    with pytest.raises(ModelError, match="of its own") as caught:
        Rag(BM25Retriever(CHUNKS), model=model, model_timeout=60.0).ask("refund")
    assert not isinstance(caught.value, ModelTimeoutError)


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        (Expanding(Neighbors(), lambda name: CHUNKS), "the hits were not expanded"),
        (Diversifying(Mmr(), None), "the hits are in the order they had"),
        (Reranking(NoReranker(), 50, None), "the hits are in fused order"),
    ],
)
def test_the_deadline_is_that_of_the_whole_way_to_the_context(stage, said):
    now = 0.0
    deadline = Deadline(2.0, clock=lambda: now)
    hits = (Hit(CHUNKS[0], 1.0, 1),)
    state = State(RagRequest("refund"), final=5, depth=5, deadline=deadline, hits=hits)
    now = 0.5
    assert next(stage(state)).timeout == 2.0 - 0.5
    now = 2.5
    with pytest.raises(StopIteration) as stopped:
        next(stage(state))
    done = stopped.value.value
    assert (done.status, done.notes) == ("degraded", (f"{said}: no time was left",))
    assert done.state.hits == hits
