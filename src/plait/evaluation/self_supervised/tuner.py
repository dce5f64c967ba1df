"""tune_self: the weights of a collection, learned from its own chunks, without judgments."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from plait.collection import Collection, Snapshot
from plait.errors import ConfigurationError
from plait.evaluation.frozen import check_count
from plait.evaluation.recorder import Told, record
from plait.evaluation.self_supervised.holding_out import HeldOut, hold_out
from plait.evaluation.self_supervised.result import SelfTuning
from plait.evaluation.self_supervised.weighing import WINDOW, weigh
from plait.evaluation.topics import Topics

__all__ = ["tune_self"]


def tune_self(
    source: Collection | Snapshot,
    *,
    queries: Topics | None = None,
    count: int = 300,
    seed: int = 0,
    progress: Told | None = None,
) -> SelfTuning:
    """Learn the weights of a collection's two legs from its own chunks.

    Takes a sentence out of each of some chunks, asks it, and looks how well every mix of the legs
    finds the rest of the chunk. Of the weights that are not distinguishable from the best (one
    standard error), the one nearest the default is chosen. So thin evidence changes little.

    Chunks cannot show how users ask. Queries out of a log need no judgments: each sentence then
    counts as far as the legs' answers to it are like those to the queries.

    The vectors of the shortened chunks and of the sentences are made by the collection's embedder:
    some seconds to minutes for 300. Nothing is written; store it with ``Collection.apply``. How
    well this does on collections that it was not designed on is in docs/fusion-study.md.

    Args:
        source: A collection, or a snapshot of one.
        queries: Queries as users asked them.
        count: Sentences to ask, >= 1.
        seed: Of the choice of sentences; the same chunks and seed give the same result.
        progress: Called with how many questions are done, and how many there are.

    Raises:
        ConfigurationError: A collection without vectors, with vectors that were brought along (no
            embedder can make others), or without chunks.
        EmbeddingError: The embedder failed for the shortened chunks.
        RetrievalError: A leg failed for every sentence, or for every query.

    Example:
        >>> import tempfile
        >>> from plait.collection import open
        >>> from plait.types import Chunk
        >>> with tempfile.TemporaryDirectory() as folder, open(folder, embedder="hash") as kb:
        ...     kb.add([Chunk("Refunds take two weeks. They go back to the card.", id="refunds")])
        ...     tune_self(kb).answer
        1
        "keep the default weights: 1 sentences' worth of evidence, at least 30 are needed"
    """
    check_count(count, "count")
    if queries is not None and (not isinstance(queries, Topics) or not queries):
        raise ConfigurationError(f"queries is {queries!r:.60}, expected Topics with at least one")
    with ExitStack() as stack:
        if isinstance(source, Collection):
            source = stack.enter_context(source.snapshot())
        if not isinstance(source, Snapshot):
            raise ConfigurationError(
                f"source is {type(source).__name__}, expected a Collection or a Snapshot"
            )
        hybrid = source.retriever()
        if len(hybrid.legs) < 2:
            raise ConfigurationError(
                "the collection is searched by words only, so there are no weights to tune; "
                "kb.reembed(embedder) gives it vectors"
            )
        held = hold_out(source, source.analyzer, count, seed=seed)
        if not held:
            raise ConfigurationError(
                "no chunk is long enough to take a sentence out of it; index documents first"
            )
        total = len(held) + (0 if queries is None else len(queries))
        told = _Teller(progress, total)
        asked = source.exchanging([each.rest for each in held])
        sentences = record(asked, _topics(held), fetch_k=WINDOW, by="chunk", progress=told.from_(0))
        real = None
        if queries is not None:
            real = record(
                hybrid, queries, fetch_k=WINDOW, by="chunk", progress=told.from_(len(held))
            )
        return weigh(sentences, real, seed=seed, generation=source.generation)


class _Teller:
    """Tells how far two recordings are together."""

    def __init__(self, progress: Told | None, total: int) -> None:
        self._progress = progress
        self._total = total

    def from_(self, before: int) -> Told | None:
        progress = self._progress
        if progress is None:
            return None
        return lambda done, _: progress(before + done, self._total)


def _topics(held: Sequence[HeldOut]) -> Topics:
    return Topics({str(each.rest.id): each.sentence for each in held})
