"""Spans: none unless asked for, and each under the request that it belongs to."""

import asyncio
import subprocess
import sys
import threading
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from plait.errors import AllLegsFailedError, MissingDependencyError, QueryError
from plait.hybrid import HybridRetriever, Leg
from plait.pipeline import Rag
from plait.planning import Planned, Planner
from plait.telemetry import disable_telemetry, enable_telemetry, is_enabled, span
from plait.types import Chunk, Query, Variant


@pytest.fixture
def exported():
    """The spans that have ended."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    enable_telemetry(provider)
    yield exporter
    disable_telemetry()


class Twice(Planner):
    name = "twice"

    def plan(self, query, history=(), *, timeout=None):
        again = Variant(Query(f"{query.text} again"), name="again")
        return Planned((Variant(query), again))


def noting(text):
    """A sync leg that leaves the text it was asked in the span that is current."""
    trace.get_current_span().set_attribute("asked", text)
    return [Chunk(text, id=text)]


async def noting_async(text):
    await asyncio.sleep(0)
    return noting(text)


def reversed_order(query, chunks):
    trace.get_current_span().set_attribute("asked", query)
    return chunks[::-1]


def service():
    source = HybridRetriever({"sync": noting, "async": noting_async})
    return Rag(source, planner=Twice(), reranker=reversed_order)


def test_nothing_is_made_and_nothing_imported_until_it_is_asked_for():
    code = (
        "import sys; from plait.pipeline import Rag; from plait.types import Chunk; "
        "Rag(lambda text: [Chunk(text)]).search('q'); "
        "print('opentelemetry' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
    assert not is_enabled()
    with span("plait.rag") as note:
        note({"plait.hits": 3})


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(MissingDependencyError, match=r"plait\[telemetry\]"):
        enable_telemetry()


def test_a_request_has_a_span_for_itself_for_each_stage_and_for_each_leg_and_variant(exported):
    result = service().search("q")
    spans = exported.get_finished_spans()
    names = sorted(each.name for each in spans)
    assert names == [
        *["plait.leg"] * 4,
        "plait.rag",
        "plait.rag.context",
        "plait.rag.plan",
        "plait.rag.rerank",
        "plait.rag.retrieve",
        "plait.rag.top",
    ]
    (request,) = (each for each in spans if each.name == "plait.rag")
    assert request.attributes["plait.request_id"] == result.trace.request_id
    assert request.attributes["plait.hits"] == 2
    assert {
        (each.attributes["plait.leg"], each.attributes["plait.variant"], each.attributes["asked"])
        for each in spans
        if each.name == "plait.leg"
    } == {
        ("sync", "original", "q"),
        ("sync", "again", "q again"),
        ("async", "original", "q"),
        ("async", "again", "q again"),
    }
    (retrieve,) = (each for each in spans if each.name == "plait.rag.retrieve")
    assert retrieve.attributes["plait.status"] == "ok"
    assert retrieve.attributes["plait.after"] == 2


def check_families(spans, questions):
    """Every span is under the request of its question, whatever ran at the same time."""
    by_id = {each.context.span_id: each for each in spans}
    by_question = defaultdict(list)
    for each in spans:
        ancestor = each
        while ancestor.parent is not None:
            ancestor = by_id[ancestor.parent.span_id]
        by_question[ancestor.name].append(each)
    assert set(by_question) == set(questions)
    for question, family in by_question.items():
        assert len(family) == 11
        assert len({each.context.trace_id for each in family}) == 1
        (request,) = (each for each in family if each.name == "plait.rag")
        assert by_id[request.parent.span_id].name == question
        for each in family:
            if each.name.startswith("plait.rag."):
                assert each.parent.span_id == request.context.span_id
            if each.name == "plait.leg":
                assert by_id[each.parent.span_id].name == "plait.rag.retrieve"
            if "asked" in each.attributes:
                assert each.attributes["asked"].startswith(question)


def test_requests_at_the_same_time_keep_their_spans_apart(exported):
    rag = service()
    tracer = trace.get_tracer("test", tracer_provider=_provider(exported))
    together = threading.Barrier(8, timeout=10)

    def ask(question):
        with tracer.start_as_current_span(question):
            together.wait()
            rag.search(question)

    async def ask_async(question):
        with tracer.start_as_current_span(question):
            await rag.asearch(question)

    async def main(questions):
        await asyncio.gather(*map(ask_async, questions))

    in_threads = [f"<thread {n}>" for n in range(8)]
    in_tasks = [f"<task {n}>" for n in range(20)]
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(ask, question) for question in in_threads]
        asyncio.run(main(in_tasks))
        for each in asked:
            each.result()
    check_families(exported.get_finished_spans(), [*in_threads, *in_tasks])


def _provider(exporter):
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return provider


def test_what_fails_is_in_its_span(exported):
    def broken(text):
        raise OSError("down")

    with pytest.raises(AllLegsFailedError):
        Rag([Leg("broken", broken)]).search("q")
    failed = {
        each.name: each.events[0].attributes["exception.type"]
        for each in exported.get_finished_spans()
        if each.status.status_code is StatusCode.ERROR
    }
    assert failed == {
        "plait.leg": "OSError",
        "plait.rag.retrieve": "plait.errors.AllLegsFailedError",
        "plait.rag": "plait.errors.AllLegsFailedError",
    }


@pytest.mark.parametrize("run", [Rag.search, lambda rag, q, **more: asyncio.run(
    rag.asearch(q, **more))])  # fmt: skip
def test_a_mistake_closes_its_spans_too(exported, run):
    rag = Rag([Leg("one", lambda text: [])])
    with pytest.raises(QueryError, match="cannot filter"):
        run(rag, "q", filter={"a": 1})
    assert [each.name for each in exported.get_finished_spans()] == [
        "plait.rag.retrieve",
        "plait.rag",
    ]
    assert trace.get_current_span() is trace.INVALID_SPAN


def test_a_hybrid_alone_has_spans_of_its_legs(exported):
    HybridRetriever({"one": noting}).retrieve("q")
    (only,) = exported.get_finished_spans()
    assert (only.name, only.attributes["plait.hits"]) == ("plait.leg", 1)
