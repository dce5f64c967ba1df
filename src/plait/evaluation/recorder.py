"""record: run every leg once over the topics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from plait.collection import Collection, Snapshot
from plait.errors import ConfigurationError, MissingDependencyError, PlaitError, RetrievalError
from plait.evaluation.frozen import FrozenMapping, check_count
from plait.evaluation.recording import Recording
from plait.evaluation.topics import Topics
from plait.filters import Filter, FilterLike
from plait.hybrid import HybridRetriever
from plait.hybrid.outcome import say
from plait.metadata import EMPTY
from plait.types import Query, Ranking

__all__ = ["By", "Told", "check_by", "record"]

By: TypeAlias = Literal["document", "chunk"]
Told: TypeAlias = Callable[[int, int], object]
"""Called with how many topics are done, and how many there are."""

_LOOKED_UP = 1000  # chunks whose contents are in memory at once


def record(
    source: HybridRetriever | Collection | Snapshot,
    topics: Topics,
    *,
    fetch_k: int = 200,
    filter: FilterLike = None,
    by: By = "document",
    progress: Told | None = None,
    fill: bool = False,
) -> Recording:
    """Run every leg once over the topics, also legs of weight 0, and keep what they return.

    A collection answers all topics from one state. A leg that fails for a topic is noted in
    ``failures``, and its ranking there is empty.

    Args:
        source: A hybrid, or a collection or a snapshot of one.
        topics: The questions.
        fetch_k: Candidates asked of each leg, >= 1.
        filter: Only chunks whose metadata passes; see ``plait.filters``.
        by: What judgments name: ``"document"``, a chunk's document id (its own id where it has
            none), or ``"chunk"``.
        progress: Called with how many topics are done, and how many there are.
        fill: Also ask each leg that can for the scores of the hits that only other legs returned,
            for ``Recording.fused(fill=True)``.

    Raises:
        ConfigurationError: Another source, no topics, a bad argument.
        QueryError: A malformed filter.
        MissingDependencyError: What a leg needs is not installed.
        RetrievalError: Every topic failed in every leg; from the first failure.

    Example:
        >>> hybrid = HybridRetriever({"a": lambda text: ["x", "y"], "b": lambda text: ["y"]})
        >>> recording = record(hybrid, Topics({"1": "anything"}))
        >>> [ranking.ids for ranking in recording.rankings["1"]]
        [('x', 'y'), ('y',)]
    """
    check_count(fetch_k, "fetch_k")
    check_by(by)
    Filter.parse(filter)
    if not isinstance(topics, Topics) or not topics:
        raise ConfigurationError(f"topics is {topics!r:.60}, expected Topics with at least one")
    with ExitStack() as stack:
        if isinstance(source, Collection):
            source = stack.enter_context(source.snapshot())
        origin: dict[str, Any] = {}
        if isinstance(source, Snapshot):
            origin["generation"] = source.generation
            source = source.retriever()
        if not isinstance(source, HybridRetriever):
            raise ConfigurationError(
                f"source is {type(source).__name__}, expected a HybridRetriever or a collection; "
                "put a retriever in a hybrid: HybridRetriever([retriever])"
            )
        recorder = _Recorder(source, fetch_k, filter, by, fill=fill)
        for done, (topic, query) in enumerate(topics.items(), start=1):
            recorder.ask(topic, query)
            if progress is not None:
                progress(done, len(topics))
        recorder.check_answered()
        return Recording(
            legs=recorder.legs,
            topics=topics,
            rankings=FrozenMapping(recorder.rankings),
            documents=FrozenMapping(recorder.documents()),
            fetch_k=fetch_k,
            failures=FrozenMapping(recorder.failures),
            origin={**source.describe(), **origin},
            filled=FrozenMapping(recorder.filled),
        )


def check_by(by: Any) -> None:
    """Refuse what judgments cannot name."""
    if by not in ("document", "chunk"):
        raise ConfigurationError(f"by is {by!r}, expected 'document' or 'chunk'")


class _Recorder:
    """Asks one topic after the other."""

    def __init__(
        self, hybrid: HybridRetriever, fetch_k: int, filter: FilterLike, by: By, *, fill: bool
    ) -> None:
        self.legs = tuple(str(leg.name) for leg in hybrid.legs)
        self.rankings: dict[str, tuple[Ranking, ...]] = {}
        self.filled: dict[str, tuple[Ranking, ...]] = {}
        self.failures: dict[str, Mapping[str, str]] = {}
        self._fill = fill
        self._hybrid = hybrid
        self._fetch_k = fetch_k
        self._filter = filter
        self._by = by
        self._documents: dict[str, str | None] = {}
        self._lost: list[PlaitError] = []

    def ask(self, topic: str, query: Query) -> None:
        """Run the legs for one topic."""
        try:
            outcome = self._hybrid.run_legs(
                query, filter=self._filter, fetch_k=self._fetch_k, fill=self._fill
            )
        except (ConfigurationError, MissingDependencyError):
            raise  # the setup's, and the same for every topic
        except PlaitError as error:
            self._lost.append(error)
            causes: Mapping[str, BaseException] = getattr(error, "failures", EMPTY)
            said = {leg: say(causes.get(leg, error)) for leg in self.legs}
            self.failures[topic] = FrozenMapping(said)
            self._keep(topic, tuple(Ranking(leg, (), ()) for leg in self.legs))
            return
        if outcome.degraded:
            failed = {leg: say(error) for leg, error in outcome.failures.items()}
            self.failures[topic] = FrozenMapping({**failed, **outcome.inside})
        self._keep(topic, tuple(self._bare(ranking) for ranking in outcome.rankings))

    def check_answered(self) -> None:
        """Raise if no leg answered any topic."""
        if len(self._lost) == len(self.rankings):
            first = self._lost[0]
            raise RetrievalError(f"every topic failed, the first with {say(first)}") from first

    def documents(self) -> dict[str, str]:
        """Document by chunk, where it has another id."""
        unknown = [chunk for chunk, document in self._documents.items() if document is None]
        for start in range(0, len(unknown), _LOOKED_UP):
            some = unknown[start : start + _LOOKED_UP]
            for chunk, found in self._hybrid.chunks(some).items():
                self._documents[chunk] = found.document_id
        return {
            chunk: document
            for chunk, document in self._documents.items()
            if document is not None and document != chunk
        }

    def _keep(self, topic: str, rankings: tuple[Ranking, ...]) -> None:
        self.rankings[topic] = tuple(ranking.returned for ranking in rankings)
        if self._fill:
            self.filled[topic] = rankings

    def _bare(self, ranking: Ranking) -> Ranking:
        """The ranking without its chunks, whose documents are noted."""
        if self._by == "document":
            chunks = ranking.chunks or (None,) * len(ranking)
            for identity, chunk in zip(ranking.ids, chunks, strict=True):
                document = None if chunk is None else chunk.document_id
                if identity is not None and self._documents.get(identity) is None:
                    self._documents[identity] = document
        return replace(ranking, chunks=(), parts=())
