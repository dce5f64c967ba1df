"""The hybrid over a collection: each query pins one view, which both legs and the lookup read."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from typing import Any

from plait.collection.embedding import Embedders
from plait.collection.exchanged import check_exchange, exchanged
from plait.collection.fusing import tuned
from plait.collection.legs import DenseLeg, LexicalLeg, lookup, running, running_view
from plait.collection.settings import Settings
from plait.collection.stored import Space, vectors_of
from plait.collection.together import together
from plait.collection.tuning import Tuning
from plait.collection.view import View
from plait.dense.vectors import check_rows
from plait.errors import ConfigurationError
from plait.execution import run_in_thread
from plait.filters import Filter
from plait.fusion import Fusion, Weights
from plait.hybrid import HybridRetriever
from plait.hybrid.outcome import Outcome
from plait.hybrid.plan import Fusing
from plait.retriever import check_queries
from plait.text.snippets import snippet
from plait.types import Chunk, FloatVector, Query, QueryLike, Ranking, SearchResult, Variant, alone

__all__ = ["CollectionRetriever", "pinned"]


class CollectionRetriever(HybridRetriever):
    """The hybrid behind ``search``: one query sees one state of the collection throughout.

    Every query takes the newest state when it starts. Writes belong to the collection.

    Args:
        pin: Gives a view of the newest state.
        stored: Says whose vectors the newest state has, and what tuning decided.
        settings: Of the collection.
        embedders: Of the collection.
        legs: Names out of ``"bm25"`` and ``"dense"``.
        weights: As for ``HybridRetriever``. Without them ``auto`` goes by what tuning stored.
        fusion: None for the collection's.
        window: None for that of a tuning that is in use, else the collection's.
        collection: Name of the collection.
        options: What ``HybridRetriever`` takes beside legs and lookup.
    """

    def __init__(
        self,
        pin: Callable[[], View],
        stored: Callable[[], tuple[Space | None, Tuning | None]],
        settings: Settings,
        embedders: Embedders,
        legs: Sequence[str],
        *,
        weights: Weights | None = None,
        fusion: Fusion | str | None = None,
        window: int | None = None,
        collection: str | None = None,
        **options: Any,
    ) -> None:
        self.collection = collection
        self._pin = pin
        self._bound: View | None = None
        self._stored = stored
        self._weighted = weights is not None
        self._windowed = window is not None
        self._snippets = True
        self._settings = settings
        self._embedders = embedders
        every = {"dense": DenseLeg(settings, embedders, stored), "bm25": LexicalLeg(settings)}
        super().__init__(
            {name: every[name] for name in legs},
            lookup=lookup,
            weights=weights,
            fusion=settings.fusion if fusion is None else fusion,
            window=settings.window if window is None else window,
            **options,
        )

    def document(self, document_id: str) -> tuple[Chunk, ...]:
        """The chunks of a document in reading order, from the newest state."""
        with closing(self._pin()) as view:
            return view.document(document_id)

    def unanswerable(self, query: Query) -> str | None:
        """Why no leg can use the form of the query in the newest state, None if one can."""
        if query.text is not None and self.weights.get("bm25"):
            return None
        with closing(self._pin()) as view, running(view):
            return super().unanswerable(query)

    def check(self, query: QueryLike, **given: Any) -> None:
        """Raise what the newest state makes of a mistake; see ``HybridRetriever.check``."""
        with closing(self._pin()) as view, running(view):
            super().check(query, **given)

    def retrieve_variants(self, variants: Sequence[Variant], **given: Any) -> SearchResult:
        """Answer from the newest state; see ``HybridRetriever.retrieve_variants``."""
        with closing(self._pin()) as view:
            return self.retrieve_from(view, variants, **given)

    async def aretrieve_variants(self, variants: Sequence[Variant], **given: Any) -> SearchResult:
        """Answer from the newest state without blocking the event loop."""
        with closing(await pinned(self._pin)) as view:
            return await self.aretrieve_from(view, variants, **given)

    def retrieve_many(self, queries: Iterable[QueryLike], **given: Any) -> list[SearchResult]:
        """Answer several queries, all from one state; see ``HybridRetriever.retrieve_many``.

        The dense leg ranks the vectors of some queries together, on all cores. With a deadline or
        a timeout each query is by itself, since the first would wait for the others.
        """
        with closing(self._pin()) as view:
            asked = check_queries(queries)
            leg = self._sharing(given)
            pairs = together(view, asked, leg.vector_of) if leg else ((view, q) for q in asked)
            return [self.retrieve_from(each, alone(query), **given) for each, query in pairs]

    def _sharing(self, given: Mapping[str, Any]) -> DenseLeg | None:
        """The dense leg, if it takes part and no query waits for no more than some time."""
        limits = [self.deadline, given.get("deadline"), *(leg.timeout for leg in self.legs)]
        names = given.get("legs")
        if given.get("options") or any(limit is not None for limit in limits):
            return None
        legs = [leg.retriever for leg in self.legs if names is None or leg.name in names]
        return next((leg for leg in legs if isinstance(leg, DenseLeg)), None)

    def retrieve_from(self, view: View, variants: Sequence[Variant], **given: Any) -> SearchResult:
        """Answer one query from this state."""
        with running(view):
            return self._told(super().retrieve_variants(variants, **given), view)

    async def aretrieve_from(
        self, view: View, variants: Sequence[Variant], **given: Any
    ) -> SearchResult:
        """Answer one query from this state without blocking the event loop."""
        with running(view):
            return self._told(await super().aretrieve_variants(variants, **given), view)

    def rank_from(
        self, view: View, leg: str, query: Query, *, top_k: int, filter: Filter | None
    ) -> Ranking:
        """What one leg says of this state; arguments but the leg and its query are checked.

        Raises:
            ConfigurationError: Another leg than the hybrid has.
            QueryError: A form of query that the leg cannot use.
        """
        found = next((each.retriever for each in self.legs if each.name == leg), None)
        if not isinstance(found, LexicalLeg | DenseLeg):
            known = ", ".join(str(each.name) for each in self.legs)
            raise ConfigurationError(f"there is no leg {leg!r} here; there is {known}")
        with running(view):
            return found.rank(found.check(query), top_k=top_k, filter=filter)

    def over(self, view: View) -> CollectionRetriever:
        """The same hybrid, that answers every query from this state; whoever made it closes it."""
        bound = copy.copy(self)
        bound._pin, bound._bound = view.lent, view  # noqa: SLF001 (its own, of another instance)
        return bound

    def describe(self) -> Mapping[str, Any]:
        """Every parameter that decides the answers, as JSON values; loads no index."""
        with nullcontext() if self._bound is None else running(self._bound):
            return super().describe()

    def without_snippets(self) -> CollectionRetriever:
        """The same hybrid for a program that reads no text: snippets take most of the time."""
        plain = copy.copy(self)
        plain._snippets = False  # noqa: SLF001 (its own, of another instance)
        return plain

    def exchanging(self, view: View, chunks: Sequence[Chunk]) -> CollectionRetriever:
        """The same hybrid over this state with other chunks in the place of those of their ids.

        Their vectors are made now. It lives in memory, nothing is written, and whoever opened the
        view closes it.

        Raises:
            ConfigurationError: A chunk whose id is not there, or twice; vectors that were brought
                along, since no embedder can make others.
            EmbeddingError: What the embedder raises.
        """
        view.ask(lambda index: check_exchange(index, chunks))
        space = view.index.space
        vectors = None
        if space is not None and chunks:
            texts = [chunk.index_text for chunk in chunks]
            vectors = check_rows(
                self._embedders.of(space).embed_passages(texts),
                metric=self._settings.metric,
                dim=space.dim,
                names=[f"chunk {chunk.id!r}" for chunk in chunks],
            )
        settings = self._settings
        index = view.ask(lambda index: exchanged(index, chunks, vectors, settings))
        return self.over(view.with_index(index))

    def run_legs(self, query: QueryLike, **given: Any) -> Outcome:
        """Ask the legs for the newest state; see ``HybridRetriever.run_legs``."""
        with closing(self._pin()) as view, running(view):
            return super().run_legs(query, **given)

    def chunks(self, ids: Sequence[str]) -> Mapping[str, Chunk]:
        """The chunks with these ids in the newest state; ids that are not there are left out."""
        with closing(self._pin()) as view:
            return view.find(ids)

    def vectors(self, ids: Sequence[str]) -> Mapping[str, FloatVector]:
        """The vectors of these chunks in the newest state, by id; those without are left out."""
        with closing(self._pin()) as view:
            return view.ask(lambda index: {} if index.dense is None else index.dense.vectors(ids))

    def fusing(self, fusion: Fusion | str | None = None, weights: Weights | None = None) -> Fusing:
        """As the hybrid; where that is ``auto``, as tuning stored it with the state asked."""
        view = running_view() or self._bound
        if view is None:  # not for a query
            space, stored = self._stored()
        else:
            space, stored = view.index.space, view.index.tuning
        return tuned(
            super().fusing(fusion, weights),
            stored,
            vectors_of(space),
            weighted=weights is not None or self._weighted,
            windowed=self._windowed,
        )

    def _told(self, result: SearchResult, view: View) -> SearchResult:
        """The result with the state that it comes from, and the words that matched."""
        hits = result.hits
        text = result.query.text if result.query else None
        if text is not None and self._snippets:
            analyzer = self._settings.analyzer
            terms = analyzer.query_terms(text)
            weights = view.ask(lambda index: index.lexical.weights(text))
            hits = tuple(
                replace(hit, snippet=snippet(hit.chunk.content, terms, analyzer, weights=weights))
                for hit in hits
            )
        notes = (*result.notes, *view.index.notes)
        return replace(result, hits=hits, notes=notes, generation=view.generation)


# It takes what the hybrid takes; whoever asks for the signature sees that.
CollectionRetriever.retrieve_many.__wrapped__ = HybridRetriever.retrieve_many  # type: ignore[attr-defined]


async def pinned(pin: Callable[[], View]) -> View:
    """A view taken in a thread, since bringing the index up to date may take a while."""
    taking = asyncio.ensure_future(run_in_thread(pin))
    try:
        return await asyncio.shield(taking)
    except asyncio.CancelledError:
        taking.add_done_callback(_let_go)  # the thread goes on, and nobody else closes its view
        raise


def _let_go(taken: asyncio.Future[View]) -> None:
    if not taken.cancelled() and taken.exception() is None:
        taken.result().close()
