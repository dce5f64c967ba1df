"""BM25Retriever: chunks in memory, found by the terms that they share with the query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from plait.errors import ConfigurationError
from plait.filters import Filter
from plait.lexical.bm25 import Bm25
from plait.lexical.index import LexicalIndex
from plait.lexical.memory import MemoryTerms
from plait.lexical.view import LexicalView
from plait.memory import MemoryRetriever, State, refuse_positional
from plait.text import Analyzer, TermRows, Tokenizer
from plait.text.snippets import snippet
from plait.types import Chunk, Query, Ranking

__all__ = ["BM25Retriever"]


class BM25Retriever(MemoryRetriever[TermRows, LexicalIndex]):
    """Chunks in memory, ranked by BM25.

    Indexed is ``Chunk.index_text``: title, section and content. Hits are the chunks that share a
    term with the query, and ``total`` is their number. A query of unknown words has none; one of
    stop words only is searched with them.

    Args:
        chunks: What to start with.
        analyzer: How texts become terms, as an ``Analyzer`` or its text form; None for
            ``Analyzer()``.
        tokenizer: Short for ``Analyzer(tokenizer=...)``.
        k1: See ``Bm25``, as are the next ones.
        b: Length normalization, 0 to 1.
        variant: ``"lucene"``, ``"robertson"``, ``"atire"``, ``"bm25l"``, ``"bm25plus"`` or
            ``"okapi"``. Scores of robertson and okapi may be negative, also those of good hits.
        delta: For bm25l and bm25plus.
        epsilon: For okapi.
        name: Name of the leg in a hybrid.

    Raises:
        ConfigurationError: A parameter out of range, both an analyzer and a tokenizer, or
            something that is not a ``Chunk``.

    Example:
        >>> chunks = [Chunk("Error E1042: socket closed.", id="a"), Chunk("Cats purr.", id="b")]
        >>> hit = BM25Retriever(chunks).retrieve("what is e1042")[0]
        >>> hit.id, hit.snippet
        ('a', 'Error «E1042»: socket closed.')
    """

    kind = "lexical"

    def __init__(
        self,
        chunks: Iterable[Chunk] = (),
        *misplaced: Any,
        analyzer: Analyzer | str | None = None,
        tokenizer: Tokenizer | str | None = None,
        k1: float = 1.5,
        b: float = 0.75,
        variant: str = "lucene",
        delta: float | None = None,
        epsilon: float | None = None,
        name: str = "bm25",
    ) -> None:
        refuse_positional(self, misplaced)
        self.bm25 = Bm25(k1, b, variant, delta, epsilon)
        self.score_range = self.bm25.score_range
        self.analyzer = _analyzer(analyzer, tokenizer)
        self._held: tuple[State[LexicalIndex], LexicalView] | None = None
        super().__init__(LexicalIndex(), name=name)
        self.add(chunks)

    def rows(self, chunks: Sequence[Chunk]) -> TermRows:
        """The terms of these chunks.

        Raises:
            ConfigurationError: A tokenizer that does not give a list of str.
        """
        return self.analyzer.count(chunk.index_text for chunk in chunks)

    def add(self, chunks: Iterable[Chunk]) -> int:
        """Add chunks, with or without embeddings: of plait's retrievers, this one needs none.

        Everything else is as in ``MemoryRetriever.add``: one whose id is there is replaced, and
        readers see all of the chunks or none.

        Returns:
            How many chunks were written; 0 for no chunks.

        Raises:
            ConfigurationError: Something that is not a ``Chunk``; nothing is written then.
        """
        return super().add(chunks)

    def unanswerable(self, query: Query) -> str | None:
        """Why the query cannot be used: it has no text."""
        return "needs a query with text" if query.text is None else None

    def rank(self, query: Query, *, top_k: int, filter: Filter | None) -> Ranking:
        """The best ``top_k`` as a ranking that carries its chunks."""
        state = self._state
        return self._over(state).rank(query.text or "", top_k=top_k, filter=filter, name=self.name)

    def score(
        self, query: Query, ids: Sequence[str], *, filter: Filter | None
    ) -> Mapping[str, float]:
        """The scores of these chunks; those that share no term with the query have none."""
        return self._over(self._state).score(query.text or "", ids, filter=filter)

    def snippet(self, query: Query, chunk: Chunk) -> str:
        """The part of the chunk's content with most of the query's rare terms, marked."""
        text = query.text or ""
        weights = self._over(self._state).weights(text)
        return snippet(chunk.content, text, self.analyzer, weights=weights)

    def describe(self) -> Mapping[str, Any]:
        """Every parameter that decides the answers, as JSON values."""
        return {**super().describe(), **self.bm25.parameters, "analyzer": str(self.analyzer)}

    def _over(self, state: State[LexicalIndex]) -> LexicalView:
        held = self._held
        if held is None or held[0] is not state:
            part = MemoryTerms(state.table, state.index, state.chunks)
            held = state, LexicalView((part,), self.analyzer, self.bm25)
            self._held = held  # whichever thread is last: it only saves working things out again
        return held[1]


def _analyzer(analyzer: Any, tokenizer: Any) -> Analyzer:
    if analyzer is None:
        return Analyzer(tokenizer=tokenizer)
    if tokenizer is not None:
        raise ConfigurationError(
            "both analyzer and tokenizer were given; pass Analyzer(tokenizer=...) as the analyzer"
        )
    if isinstance(analyzer, str):
        return Analyzer.parse(analyzer)
    if not isinstance(analyzer, Analyzer):
        raise ConfigurationError(
            f"analyzer is {type(analyzer).__name__}, expected plait.text.Analyzer or its text "
            "form; pass a function from text to tokens as tokenizer="
        )
    return analyzer
