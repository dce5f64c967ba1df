"""The builder: a service put together word by word; sugar over the constructor of ``Rag``."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from os import PathLike
from typing import Any, Literal, Self

from plait.collection import Collection
from plait.collection import open as open_collection
from plait.context import Assembler, ContextBuilder
from plait.errors import ConfigurationError
from plait.pipeline.prompt import AnswerPrompt
from plait.pipeline.service import Rag
from plait.refining import Diversity, Expansion, Fetch, Grouping, Threshold

__all__ = ["RagBuilder", "rag"]

_LEGS = {"hybrid": None, "bm25": ("bm25",), "dense": ("dense",)}


def rag(source: Any, collection: str = "default", **opening: Any) -> RagBuilder:
    """Begin a service over a collection, or over any retriever.

    Args:
        source: A folder, whose collection is opened to be read and closed with the service; a
            ``Collection``; or what ``Rag`` takes.
        collection: Name of the collection in the folder.
        **opening: More for ``plait.open``, such as ``embedder``.

    Raises:
        ConfigurationError: Options for opening something that is open.

    Example:
        >>> from plait.lexical import BM25Retriever
        >>> from plait.types import Chunk
        >>> chunks = [Chunk("Refunds take 14 days.", id="faq"), Chunk("Cats purr.", id="cats")]
        >>> service = rag(BM25Retriever(chunks)).threshold("leg:bm25>=0.1").top_k(3).build()
        >>> [hit.id for hit in service.search("refunds")]
        ['faq']
    """
    if isinstance(source, str | PathLike):
        return RagBuilder(source, {"collection": collection, "read_only": True, **opening})
    if opening or collection != "default":
        raise ConfigurationError(
            f"{', '.join(opening) or 'collection'} is for opening a folder, but a "
            f"{type(source).__name__} was given, which is open"
        )
    return RagBuilder(source)


class RagBuilder:
    """What a service will be. Every method returns the builder; ``build`` makes the service."""

    def __init__(self, source: Any, opening: Mapping[str, Any] | None = None) -> None:
        self._source = source
        self._opening = dict(opening or {})
        self._kind: str | None = None
        self._options: dict[str, Any] = {}
        self._given: dict[str, Any] = {}

    def retriever(
        self, kind: Literal["hybrid", "bm25", "dense"] = "hybrid", **options: Any
    ) -> Self:
        """How the collection is searched.

        Args:
            kind: By both legs, or by one.
            **options: What ``Collection.retriever`` takes: ``weights``, ``fusion``, ``top_k``,
                ``fetch_k``, ``window``, ``on_failure``, ``deadline``.

        Raises:
            ConfigurationError: Another kind, an unknown option, or a source that is no collection.
        """
        if kind not in _LEGS:
            raise ConfigurationError(
                f"retriever kind is {kind!r:.60}, expected one of {', '.join(map(repr, _LEGS))}"
            )
        if not isinstance(self._source, str | PathLike | Collection):
            raise ConfigurationError(
                f"retriever({kind!r}) is for a collection, but a {type(self._source).__name__} was "
                "given; give it the options when it is built"
            )
        taken = set(inspect.signature(Collection.retriever).parameters) - {"self", "legs"}
        unknown = sorted(set(options) - taken)
        if unknown:
            raise ConfigurationError(
                f"retriever has no option {', '.join(unknown)}; it has {', '.join(sorted(taken))}"
            )
        self._kind, self._options = kind, options
        return self

    def planner(self, planner: Any, *, timeout: float | None = 10.0) -> Self:
        """Put the question in more ways than one: a ``Planner`` or its text form."""
        return self._with(planner=planner, planner_timeout=timeout)

    def rerank(self, reranker: Any, *, rerank_k: int = 50, timeout: float | None = 30.0) -> Self:
        """Put the best hits in the order of a reranker; what ``as_reranker`` takes."""
        return self._with(reranker=reranker, rerank_k=rerank_k, reranker_timeout=timeout)

    def threshold(self, *thresholds: Threshold | str) -> Self:
        """Only hits that reach these; called again it adds to them."""
        return self._with(thresholds=(*self._given.get("thresholds", ()), *thresholds))

    def group(self, by: Grouping | str = "document") -> Self:
        """Hits that belong together count as one."""
        return self._with(group=by)

    def diversify(self, diversity: Diversity | str = "mmr") -> Self:
        """Hits that repeat each other come later."""
        return self._with(diversity=diversity)

    def expand(
        self, expansion: Expansion | str = "neighbors", *, documents: Fetch | None = None
    ) -> Self:
        """What stands around a hit goes into the context."""
        return self._with(expand=expansion, documents=documents)

    def context(
        self,
        budget: int | None = 4000,
        *,
        tokens: Any = None,
        template: Assembler | str | None = None,
    ) -> Self:
        """How the context is made; see ``ContextBuilder``."""
        return self._with(context=ContextBuilder(budget, tokens, template))

    def model(
        self,
        model: Any,
        *,
        prompt: AnswerPrompt | str | None = None,
        timeout: float | None = None,
    ) -> Self:
        """What answers in ``ask``, and what planners ask that have no model of their own."""
        return self._with(model=model, prompt=prompt, model_timeout=timeout)

    def top_k(self, top_k: int) -> Self:
        """Hits of a result."""
        return self._with(top_k=top_k)

    def fetch_k(self, fetch_k: int) -> Self:
        """Candidates asked of each leg for each variant."""
        return self._with(fetch_k=fetch_k)

    def deadline(self, seconds: float | None) -> Self:
        """Seconds for everything up to the context."""
        return self._with(deadline=seconds)

    def build(self) -> Rag:
        """The service. A collection that is opened for it is closed by ``Rag.close``.

        Raises:
            ConfigurationError: As ``Rag`` and ``plait.open``.
        """
        if not isinstance(self._source, str | PathLike):
            return Rag(self._searched(self._source), **self._given)
        opened = open_collection(self._source, **self._opening)
        try:
            return Rag(self._searched(opened), **self._given, owned=opened)
        except BaseException:
            opened.close()
            raise

    def _searched(self, source: Any) -> Any:
        if self._kind is None:
            return source
        return source.retriever(legs=_LEGS[self._kind], **self._options)

    def _with(self, **given: Any) -> Self:
        self._given.update(given)
        return self
