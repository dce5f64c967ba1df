"""Diversity: hits that do not repeat each other come first.

Each kind is a function from hits to the same hits in another order, ranked anew from 1, their
scores as they were. The order is final: it no longer is that of the scores, which the notes say.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.embedding import Embedder
from plait.errors import ConfigurationError
from plait.refining.grouping import Grouping
from plait.refining.refined import Refined
from plait.spec import format_spec, parse_spec
from plait.text import Analyzer
from plait.types import Hit

__all__ = ["AtMost", "Diversity", "Mmr", "RoundRobin", "parse_diversity"]

Doubles: TypeAlias = NDArray[np.float64]

_DIGITS = 12  # what differs behind them is a rounding, and a tie


class Diversity(Protocol):
    """What puts hits in a more varied order. One's own is any such function.

    If it has an attribute ``reads_embeddings`` that is true, the service gives the hits' chunks
    the vectors under which they are indexed, where there are some.
    """

    def __call__(self, hits: Sequence[Hit]) -> Refined:
        """All of the hits in another order, ranks numbered from 1, scores as they were."""
        ...


@dataclass(frozen=True)
class Mmr:
    """Maximal marginal relevance: each next hit is relevant and unlike those before it.

    The first hit stays first. Then, of those that are left, always the one with the highest

        balance · relevance(hit) − (1 − balance) · max similarity(hit, hit already placed)

    and of equal ones, to 12 digits, the one with the better rank (Carbonell and Goldstein, "The use
    of MMR, diversity-based reranking for reordering documents and producing summaries", SIGIR
    1998).

    *Relevance* is the hit's score by min-max over the hits given: 1 for the best, 0 for the
    last, 1 for all if they do not differ. Scores that cannot be compared (a missing one, scores of
    several kinds as behind a reranker that scored a part, an order that does not follow them)
    are not used: then it is the rank, from 1 for the first evenly down to 0 for the last.

    *Similarity*, from 0 to 1, is the cosine of the chunks' embeddings (0 if negative) if each
    brings one, of one dimension; else that of their ``index_text`` by ``embedder``, if there is
    one; else the share of terms that their contents have in common, of all terms of both (Jaccard).

    Args:
        balance: The paper's λ, from 0 to 1. 1 keeps the order, lower ones vary more.
        embedder: For hits without embeddings.
        analyzer: What makes terms of contents.

    Raises:
        ConfigurationError: A ``balance`` that is not a number from 0 to 1.

    Example:
        >>> from plait.types import Chunk
        >>> texts = ["reset your password", "reset the password", "billing address"]
        >>> hits = [Hit(Chunk(text), 3.0 - row, row + 1) for row, text in enumerate(texts)]
        >>> [hit.chunk.content for hit in Mmr(balance=0.3)(hits).hits]
        ['reset your password', 'billing address', 'reset the password']
    """

    reads_embeddings: ClassVar[bool] = True

    balance: float = 0.7
    embedder: Embedder | None = None
    analyzer: Analyzer = field(default_factory=Analyzer)

    def __post_init__(self) -> None:
        given = self.balance
        # bool is an int in Python; NaN fails the comparison.
        if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= 1:
            raise ConfigurationError(
                f"balance is {given!r}, expected a number from 0 (only variety) to 1 (only "
                "relevance)"
            )

    def __call__(self, hits: Sequence[Hit]) -> Refined:
        """All hits, by marginal relevance; the notes say what similarity and relevance are.

        None and a single one stay as they are.
        """
        if len(hits) < 2:
            return Refined.of(str(self), hits, hits)
        relevance, of_what = _relevance(hits)
        similar, by_what = self._similarity(hits)
        order = [0]
        left = np.ones(len(hits), dtype=bool)
        left[0] = False
        nearest = similar[0].copy()
        while len(order) < len(hits):
            marginal = self.balance * relevance - (1 - self.balance) * nearest
            # argmax takes the first of equal ones, which is the one with the better rank.
            best = int(np.argmax(np.where(left, marginal.round(_DIGITS), -np.inf)))
            order.append(best)
            left[best] = False
            np.maximum(nearest, similar[best], out=nearest)
        return _arranged(self, hits, order, f"relevance by {of_what}, similarity by {by_what}")

    def _similarity(self, hits: Sequence[Hit]) -> tuple[Doubles, str]:
        given = [hit.chunk.embedding for hit in hits if hit.chunk.embedding is not None]
        if len(given) == len(hits) and len({vector.shape for vector in given}) == 1:
            return _cosines(np.array(given, dtype=np.float64)), "the chunks' embeddings"
        if self.embedder is not None:
            texts = [hit.chunk.index_text for hit in hits]
            made = np.asarray(self.embedder.embed_passages(texts), dtype=np.float64)
            return _cosines(made), "the embedder"
        contents = [self.analyzer.analyze(hit.chunk.content).terms for hit in hits]
        return _jaccard(contents), "common terms"

    def __str__(self) -> str:
        """The text form, ``mmr(balance=0.7)``; embedder and analyzer are not in it."""
        return format_spec("mmr", balance=self.balance)


def _relevance(hits: Sequence[Hit]) -> tuple[Doubles, str]:
    scores = [hit.score for hit in hits if hit.score is not None]
    comparable = len(scores) == len(hits) and len({hit.score_kind for hit in hits}) == 1
    if not comparable or any(before < after for before, after in pairwise(scores)):
        return np.linspace(1.0, 0.0, len(hits)), "rank"
    values = np.array(scores, dtype=np.float64)
    low, high = values.min(), values.max()
    return np.ones(len(hits)) if low == high else (values - low) / (high - low), "score"


def _cosines(vectors: Doubles) -> Doubles:
    """Cosines of all pairs, 0 where negative or where a vector is 0; shape (n, n)."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    cosines: Doubles = np.maximum(unit @ unit.T, 0.0)
    return cosines


def _jaccard(texts: Sequence[Iterable[str]]) -> Doubles:
    """Terms in common by terms of either, for all pairs; two without terms are the same."""
    columns: dict[str, int] = {}
    rows = [[columns.setdefault(term, len(columns)) for term in terms] for terms in texts]
    held = np.zeros((len(texts), len(columns)), dtype=np.float32)  # whose sums of 0 and 1 are exact
    for row, terms in enumerate(rows):
        held[row, terms] = 1.0
    common = (held @ held.T).astype(np.float64)
    sizes = np.diag(common)
    either = sizes[:, None] + sizes[None, :] - common
    shares: Doubles = np.divide(common, either, out=np.ones_like(common), where=either > 0)
    return shares


@dataclass(frozen=True)
class RoundRobin:
    """Hits by turns: the best of each value of a field, then the second best of each, and so on.

    The values take turns in the order of their best hits. A hit without one is alone: nothing
    says that it is like another.

    Args:
        by: ``"document"`` or a metadata field, as in ``Grouping``.

    Raises:
        ConfigurationError: Not the name of a field.

    Example:
        >>> from plait.types import Chunk
        >>> found = [("a", "x"), ("b", "x"), ("c", "y")]
        >>> hits = [Hit(Chunk(text, document_id=of), None, 1) for text, of in found]
        >>> [hit.chunk.content for hit in RoundRobin()(hits).hits]
        ['a', 'c', 'b']
    """

    by: str = "document"

    def __post_init__(self) -> None:
        Grouping(self.by)  # refuses a bad name

    def __call__(self, hits: Sequence[Hit]) -> Refined:
        """All hits, by turns."""
        turns = _turns(hits, self.by)
        # Sorting is stable: within a turn, values stand in the order of their best hits.
        first = {value: row for row, (value, _) in reversed([*enumerate(turns)])}
        order = sorted(range(len(hits)), key=lambda row: (turns[row][1], first[turns[row][0]]))
        return _arranged(self, hits, order)

    def __str__(self) -> str:
        """The text form, which ``parse_diversity`` reads back."""
        return format_spec("round_robin", by=self.by)


@dataclass(frozen=True)
class AtMost:
    """At most so many hits of each value of a field; more of them come behind all others.

    None is lost: where there are not enough others, they fill the page, in the order they had.
    A hit without one is alone: nothing says that it is like another.

    Args:
        count: How many, >= 1.
        by: ``"document"`` or a metadata field, as in ``Grouping``.

    Raises:
        ConfigurationError: A bad count, or not the name of a field.

    Example:
        >>> from plait.types import Chunk
        >>> found = [("a", "x"), ("b", "x"), ("c", "x"), ("d", "y")]
        >>> hits = [Hit(Chunk(text, document_id=of), None, 1) for text, of in found]
        >>> [hit.chunk.content for hit in AtMost(2)(hits).hits]
        ['a', 'b', 'd', 'c']
    """

    count: int
    by: str = "document"

    def __post_init__(self) -> None:
        if type(self.count) is not int or self.count < 1:
            raise ConfigurationError(f"count is {self.count!r}, expected an int >= 1")
        Grouping(self.by)  # refuses a bad name

    def __call__(self, hits: Sequence[Hit]) -> Refined:
        """All hits, those above the count last."""
        turns = _turns(hits, self.by)
        order = sorted(range(len(hits)), key=lambda row: turns[row][1] > self.count)
        return _arranged(self, hits, order)

    def __str__(self) -> str:
        """The text form, which ``parse_diversity`` reads back."""
        return format_spec("at_most", count=self.count, by=self.by)


def _turns(hits: Sequence[Hit], by: str) -> list[tuple[Hashable, int]]:
    """For each hit what it belongs to, and the how manieth hit of that it is."""
    grouping = Grouping(by)
    seen: Counter[Hashable] = Counter()
    turns: list[tuple[Hashable, int]] = []
    for row, hit in enumerate(hits):
        key: Hashable = grouping.key(hit.chunk) or (row,)  # a tuple of one is no grouping's key
        seen[key] += 1
        turns.append((key, seen[key]))
    return turns


def _arranged(how: object, hits: Sequence[Hit], order: Sequence[int], *notes: str) -> Refined:
    moved = [f"{how} chose its own order, which is not that of the scores"]
    said = moved if list(order) != sorted(order) else []
    return Refined.of(str(how), hits, [hits[row] for row in order], (*said, *notes))


_KINDS: dict[str, Callable[..., Diversity]] = {
    "mmr": Mmr,
    "round_robin": RoundRobin,
    "at_most": AtMost,
}
_HINT = "such as mmr(balance=0.7), round_robin(by='document') or at_most(count=2)"


def parse_diversity(text: str) -> Diversity:
    """The kind of diversity that a text form names.

    Args:
        text: ``mmr``, ``round_robin`` or ``at_most``, with parameters as the classes take them.

    Raises:
        ConfigurationError: Another form, an unknown name, or a bad parameter.

    Example:
        >>> parse_diversity("at_most(count=2)")
        AtMost(count=2, by='document')
    """
    name, parameters = parse_spec(text, "diversity", hint=_HINT)
    make = _KINDS.get(name)
    if make is None:
        raise ConfigurationError(f"unknown diversity {name!r}, expected one {_HINT}")
    try:
        inspect.signature(make).bind(**parameters)
    except TypeError as error:
        raise ConfigurationError(f"diversity {text!r:.80}: {error}; write one {_HINT}") from error
    return make(**parameters)
