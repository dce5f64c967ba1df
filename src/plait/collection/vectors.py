"""Making the vectors that are missing, outside any transaction, none of them twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from plait.collection.reading import batched
from plait.collection.rows import VectorRow
from plait.collection.store import Store
from plait.collection.stored import Space
from plait.dense.metric import Metric
from plait.dense.vectors import check_rows
from plait.embedding import Embedder

__all__ = ["BATCH", "Report", "embed"]

Report = Callable[[int], object]
"""Called with how many more are done since the last call."""

BATCH = 512  # texts that are embedded before their vectors are committed


def embed(
    store: Store,
    space: Space,
    embedder: Embedder,
    texts: Mapping[bytes, str],
    metric: Metric,
    report: Report,
) -> list[VectorRow]:
    """Embed texts by key. All batches but the last are committed as they are made.

    So a process that is killed loses one batch of work, and a small write is one commit.

    Returns:
        The vectors of the last batch, for the caller to commit.

    Raises:
        EmbeddingError, ConfigurationError: The embedder failed, or gave a vector that the metric
            cannot compare; the batches before are kept.
    """
    done: list[VectorRow] = []
    for batch in batched(texts.items(), BATCH):
        if done:
            with store.writing() as writing:
                writing.put_vectors(space, done)
        told = 0

        def progress(count: int, _total: int) -> None:
            nonlocal told
            report(count - told)
            told = count

        passages = [text for _, text in batch]
        made = check_rows(
            embedder.embed_passages(passages, progress=progress),
            metric=metric,
            dim=space.dim,
            names=[f"the text {text!r:.60}" for text in passages],
        )
        report(len(batch) - told)
        done = [VectorRow.of(key, vector) for (key, _), vector in zip(batch, made, strict=True)]
    return done
