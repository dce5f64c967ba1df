"""Queries asked together: the vectors of neighbors are ranked at once, on all cores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from plait.collection.view import View
from plait.dense.batch import DenseBatch
from plait.types import FloatVector, QueryLike

__all__ = ["together"]

_TOGETHER = 32  # queries; the answer to the first waits for the vectors of all


def together(
    view: View,
    queries: Sequence[QueryLike],
    vector_of: Callable[[QueryLike, View], FloatVector | None],
) -> Iterator[tuple[View, QueryLike]]:
    """Each query with the view to ask it of, which says what the given one says.

    Args:
        view: A state; whoever opened it closes it.
        queries: In the order in which they will be asked.
        vector_of: The vector of a query in a state, None if it has none that can be compared.
    """
    for start in range(0, len(queries), _TOGETHER):
        some = queries[start : start + _TOGETHER]
        dense = view.index.dense
        found = (vector_of(query, view) for query in some)
        vectors = [vector for vector in found if vector is not None]
        if dense is None or len(vectors) < 2:
            yield from ((view, query) for query in some)
            continue
        batch = DenseBatch.of(dense, vectors)
        shared = view.with_index(replace(view.index, dense=batch))
        yield from ((shared, query) for query in some)
        if shared.index.dense is not batch:
            view = shared  # a segment was damaged, and is done without
