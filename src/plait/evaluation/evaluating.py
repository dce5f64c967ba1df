"""evaluate: run a system over topics and measure what it returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

from plait.collection import Collection, CollectionRetriever, Snapshot
from plait.errors import ConfigurationError
from plait.evaluation.evaluation import Evaluation
from plait.evaluation.frozen import check_count
from plait.evaluation.measures import DEFAULT_MEASURES, parse_measures
from plait.evaluation.qrels import Qrels
from plait.evaluation.recorder import By, Told, record
from plait.evaluation.scoring import ir_measures, measurable, score_run
from plait.evaluation.topics import Topics
from plait.filters import FilterLike
from plait.hybrid import HybridRetriever, Leg
from plait.hybrid.leg import as_retriever
from plait.types import Query, SearchResult

__all__ = ["evaluate"]

_FETCH_K = 200


def evaluate(
    source: Any,
    topics: Topics,
    qrels: Qrels,
    *,
    measures: Sequence[str] = DEFAULT_MEASURES,
    top_k: int = 100,
    fetch_k: int | None = None,
    filter: FilterLike = None,
    by: By = "document",
    progress: Told | None = None,
    name: str | None = None,
) -> Evaluation:
    """Run a system over topics and measure what it returns; see ``score_run`` for how.

    A topic that fails counts with what was still returned, 0 if that is nothing; ``failures`` says
    what went wrong, and a note how many there are.

    Args:
        source: A retriever, a hybrid, a collection, a snapshot, or an object or callable that could
            be a leg (see ``Leg``). A collection answers all topics from one state.
        topics: The questions. Those without judgments are not asked.
        qrels: The judgments.
        measures: Names such as ``"nDCG@10"``; their cutoffs are at most ``top_k``.
        top_k: Results per topic that are measured, >= 1.
        fetch_k: Chunks asked of the system, at least ``top_k``. Unset: for a hybrid what it fetches
            from its legs anyway, so that it is measured as it is used, else 200; ``top_k`` if that
            is more. Several chunks of a document become one result, so more are asked for. (A
            ``Recording`` has every hit of every leg: past ``fetch_k`` hits its runs go on.)
        filter: Only chunks whose metadata passes; see ``plait.filters``.
        by: What the judgments name: ``"document"``, a chunk's document id (its own id where it has
            none), or ``"chunk"``. A document stands where its best chunk does.
        progress: Called with how many topics are done, and how many there are.
        name: Name of the system; by default that of the retriever.

    Raises:
        ConfigurationError: A bad argument, a cutoff above ``top_k``, no topic with judgments.
        QueryError: A malformed filter.
        MissingDependencyError: The extra ``evaluation``, or what the system needs, is missing.
        RetrievalError: Every topic failed.

    Example:
        >>> topics, qrels = Topics({"1": "how do I cancel"}), Qrels({"1": {"cancel": 1}})
        >>> found = evaluate(lambda text: ["refunds", "cancel"], topics, qrels)
        >>> found.means["RR@10"].mean
        0.5
    """
    check_count(top_k, "top_k")
    for measure in parse_measures(measures):
        if measure.cutoff is not None and measure.cutoff > top_k:
            raise ConfigurationError(
                f"{measure} looks at {measure.cutoff} results, and top_k is {top_k}; "
                f"give top_k={measure.cutoff} or more"
            )
    if fetch_k is not None:
        check_count(fetch_k, "fetch_k")
        if fetch_k < top_k:
            raise ConfigurationError(
                f"fetch_k is {fetch_k} and top_k is {top_k}; at least as many chunks are asked for "
                "as results are measured"
            )
    ir_measures()
    asked = measurable(topics, qrels)
    with ExitStack() as stack:
        if isinstance(source, Collection):
            source = stack.enter_context(source.snapshot())
        if isinstance(source, Snapshot):
            source = source.retriever()
        retriever = as_retriever(source)
        if isinstance(retriever, CollectionRetriever):
            retriever = retriever.without_snippets()
        called = name or retriever.name
        if isinstance(retriever, HybridRetriever):
            reach = fetch_k or max(top_k, retriever.fetch_k or retriever.fusing().window)
            source = _asking(retriever, fetch_k or retriever.fetch_k)
        else:
            reach = fetch_k or max(top_k, _FETCH_K)
        # As the only leg of a hybrid it is asked and checked as any leg is, whatever it is. An
        # order that was reranked need not follow its scores.
        leg = Leg(called, source, order="position", max_failures=None)
        recording = record(
            HybridRetriever([leg]), asked, fetch_k=reach, filter=filter, by=by, progress=progress
        )
    failures = {topic: "; ".join(failed.values()) for topic, failed in recording.failures.items()}
    run = recording.leg(called, top_k=top_k)
    return score_run(run, qrels, measures, topics=topics, failures=failures)


def _asking(hybrid: HybridRetriever, fetch_k: int | None) -> Callable[..., SearchResult]:
    """The hybrid with its own pool, or with ``fetch_k`` candidates of each leg."""

    def ask(_text: str, query: Query, top_k: int, filter: FilterLike) -> SearchResult:
        pool = None if fetch_k is None else max(fetch_k, top_k)
        return hybrid.retrieve(query, top_k=top_k, filter=filter, fetch_k=pool)

    return ask
