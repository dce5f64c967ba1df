"""Writing chunks: check, embed what is new outside the lock, commit."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from plait.collection.embedding import Embedders, as_embedder
from plait.collection.index import LiveIndex
from plait.collection.progress import Progress, Progressing, Teller
from plait.collection.reading import Reading, batched
from plait.collection.rows import Row, VectorRow, encode
from plait.collection.segments import Gathering, Keeper
from plait.collection.store import Store
from plait.collection.stored import Space, StoredRow
from plait.collection.vectors import Report, embed
from plait.collection.writing import Writing
from plait.dense.metric import Metric
from plait.dense.vectors import check_rows
from plait.embedding import Embedder
from plait.errors import ConfigurationError, PlaitError
from plait.filters import FilterLike
from plait.memory import check_chunks, check_deletion
from plait.types import Chunk

__all__ = ["BATCH", "Writer"]

_log = logging.getLogger("plait.collection")

BATCH = 4096
"""Chunks of an iterator that are committed together."""


class Writer:
    """The writing half of a collection. Any number of threads may use it; commits take turns.

    Args:
        store: The file.
        embedders: Give the embedder of the file's space.
        metric: What every vector must be fit for.
        live: Knows the metadata of many rows.
        keeper: Makes segments of what was written.
    """

    def __init__(
        self,
        store: Store,
        embedders: Embedders,
        metric: Metric,
        live: LiveIndex,
        keeper: Keeper,
    ) -> None:
        self._store = store
        self._embedders = embedders
        self._metric = metric
        self._live = live
        self._keeper = keeper

    def add(self, chunks: Iterable[Chunk], report: Report) -> int:
        """Write a list of chunks in one transaction, an iterator in batches."""
        if isinstance(chunks, Sequence | Chunk) or not isinstance(chunks, Iterable):
            return self._add_together(chunks, report)
        gathering = self._keeper.gathering()
        count = sum(
            self._add_together(batch, report, gathering) for batch in batched(chunks, BATCH)
        )
        self.settle(gathering=gathering)
        return count

    def _add_together(
        self, chunks: Iterable[Chunk], report: Report, gathering: Gathering | None = None
    ) -> int:
        rows = [encode(chunk) for chunk in check_chunks(chunks)]
        if rows:
            self.commit(rows, lambda writing: writing.put(rows), report, gathering)
        return len(rows)

    def gathering(self) -> Gathering:
        """For what is written by several ``commit``; ``settle`` takes it at the end."""
        return self._keeper.gathering()

    def settle(self, least: int | None = None, gathering: Gathering | None = None) -> None:
        """Bring the segments up to date, if that is due; what was committed stays if it fails."""
        try:
            self._keeper.settle(least, gathering)
        except PlaitError as error:
            _log.warning("the index of %s is not in segments: %s", self._store.path, error)

    def commit(
        self,
        rows: Sequence[Row],
        write: Callable[[Writing], None],
        report: Report,
        gathering: Gathering | None = None,
    ) -> None:
        """Make the vectors that the rows lack; then, in one transaction, write them and ``write``.

        Embedding holds no lock, so another process may have changed what is lacking meanwhile, by
        compacting or by changing the embedder. Then this starts over with what is there now.

        Raises:
            ConfigurationError: A vector that does not fit, or a chunk without one where it needs
                one. Nothing is written then.
        """
        texts = {row.key: row.text for row in rows if row.embedding is None}
        made: dict[bytes, VectorRow] = {}
        made_for: Space | None = None
        while True:
            with self._store.reading() as reading:
                space, dim = self._place(reading, rows)
                lacking = _lacking(reading, space, texts, verify=True)
            self._check_brought(rows, dim)
            if space != made_for:
                made, made_for = {}, space
            new = {key: text for key, text in lacking.items() if key not in made}
            report(len(rows) - len(new))
            if new and space is not None:
                embedder = self._embedders.of(space)
                rows_made = embed(self._store, space, embedder, new, self._metric, report)
                made.update((row.key, row) for row in rows_made)
            with self._store.writing() as writing:
                if self._place(writing, rows) != (space, dim) or (
                    _lacking(writing, space, texts).keys() - made.keys()
                ):
                    continue
                if space is None and dim is not None:
                    space = writing.space_for(None, None, dim)
                if space != writing.state().space:
                    writing.use_space(space)
                if space is not None:
                    writing.put_vectors(space, chain(_brought(rows), made.values()))
                written: list[tuple[int, Row]] = []
                if gathering is not None:
                    writing.written = written
                write(writing)
            if gathering is None or not self._gather(written, space, made, gathering):
                self.settle()
            elif gathering.is_full:
                self.settle(1, gathering)
                if gathering.is_full:  # somebody else sees to these chunks, or will read them
                    gathering.begin(space)
            return

    def _gather(
        self,
        written: Sequence[tuple[int, Row]],
        space: Space | None,
        made: Mapping[bytes, VectorRow],
        gathering: Gathering,
    ) -> bool:
        """Hand over what was written; whether each row has the vector that it is searched by."""
        if space != gathering.space:
            gathering.begin(space)
        rows = []
        for number, row in written:
            vector = None
            if row.embedding is not None:
                vector = VectorRow.of(row.key, row.embedding).data
            elif row.key in made:
                vector = made[row.key].data
            elif space is not None:
                continue  # known from before
            rows.append(StoredRow(number, row.id, row.text, row.metadata, vector))
        try:
            if rows:
                gathering.add(rows)
        except PlaitError:  # of a tokenizer; who reads the rows again will tell
            gathering.begin(space)
            return False
        return len(rows) == len(written)

    def _place(self, reading: Reading, rows: Sequence[Row]) -> tuple[Space | None, int | None]:
        """The space that the rows' vectors go to, and their dimension.

        Without an embedder the chunks decide: if the first ones bring vectors, all must, and
        their space is None until it is made; if they bring none, both are None.
        """
        space = reading.state().space
        if space is not None and space.identity is not None:
            return space, space.dim
        brings = [len(row.embedding) for row in rows if row.embedding is not None]
        bare = next((row.id for row in rows if row.embedding is None), None)
        if brings and bare is not None:
            raise ConfigurationError(
                f"chunk {bare!r} brings no embedding while others do, and the collection has no "
                "embedder to make one; give all of them one, or none"
            )
        dim = brings[0] if brings else None
        if reading.is_empty():
            same = space is not None and dim == space.dim
            return (space if same else None), dim
        if space is None and brings:
            raise ConfigurationError(
                f"chunk {rows[0].id!r} brings an embedding, and the collection holds chunks "
                "without; clear it and add all of them with one, or kb.reembed(embedder)"
            )
        if space is not None and bare is not None:
            raise ConfigurationError(
                f"chunk {bare!r} brings no embedding, the chunks that are there did, and the "
                "collection has no embedder to make one: give it one, or kb.reembed(embedder)"
            )
        return space, None if space is None else space.dim

    def _check_brought(self, rows: Sequence[Row], dim: int | None) -> None:
        given = [(row.id, row.embedding) for row in rows if row.embedding is not None]
        odd = [pair for pair in given if len(pair[1]) != dim]
        wrong = odd[:1] or given  # a matrix needs rows of one length
        if wrong:
            check_rows(
                [vector for _, vector in wrong],
                metric=self._metric,
                dim=dim,
                names=[f"chunk {name!r}" for name, _ in wrong],
            )

    def delete(self, ids: Iterable[str] | None, filter: FilterLike) -> int:
        """Delete by ids or by filter; returns how many there were."""
        named, keep = check_deletion(ids, filter)
        if keep is None:
            with self._store.writing() as writing:
                return writing.delete(named)
        # Rows never change, so what matched before still does, unless it died. The index in memory
        # knows the most, the file the newer ones, and only the newest are looked at under the lock.
        rows, seen = self._live.matching(keep)
        with self._store.reading() as reading:
            rows += reading.matching(keep, after=seen)
            seen = reading.last_row()
        with self._store.writing() as writing:
            return writing.delete_rows([*rows, *writing.matching(keep, after=seen)])

    def clear(self) -> int:
        """Delete everything; returns how many there were."""
        with self._store.writing() as writing:
            return writing.clear()

    def reembed(self, given: Embedder | str, progress: Progressing | None) -> int:
        """Make the vectors of another embedder beside those there are, then switch at once.

        Every batch is committed, so what was made before an interruption is not made again.
        """
        embedder = as_embedder(given)
        identity = embedder.identity  # may have to read the model: not while the lock is held
        self._embedders.adopt(embedder)
        teller: Teller | None = None
        count = 0
        covered = -1  # up to this row the index of the new vectors is made
        while True:
            with self._store.writing() as writing:
                space = writing.space_for(identity, embedder.spec, identity.dim)
                total = writing.count_unembedded(space)
                last = writing.last_row()
                writing.aim_at(space)
                if not total and last == covered:
                    writing.use_space(space)
                    return count
            if not total:
                self._keeper.cover(space, last)
                covered = last
                continue
            teller = teller or Teller(progress, Progress(0, total))
            # Chunks may be written meanwhile, or the vectors pruned: then there is another round.
            count += self._fill(space, embedder, teller)

    def _fill(self, space: Space, embedder: Embedder, teller: Teller) -> int:
        """Make the vectors that chunks lack in a space; returns how many."""
        seen, count = 0, 0
        while True:
            with self._store.reading() as reading:
                lacking = reading.unembedded(space, after=seen, limit=BATCH)
            if not lacking:
                return count
            texts = {key: text for _, key, text in lacking}
            made = embed(
                self._store, space, embedder, texts, self._metric, lambda n: teller.tell(n, n)
            )
            with self._store.writing() as writing:
                writing.put_vectors(space, made)
            seen = lacking[-1][0]
            count += len(texts)

    def compact(self) -> None:
        """Drop what no query can reach, and give its bytes back."""
        self._keeper.compact()
        with self._store.writing() as writing:
            writing.prune()
        self._store.vacuum()


def _brought(rows: Sequence[Row]) -> Iterator[VectorRow]:
    """The vectors that chunks brought along, one by one: together they take as much again."""
    for row in rows:
        if row.embedding is not None:
            yield VectorRow.of(row.key, row.embedding)


def _lacking(
    reading: Reading, space: Space | None, texts: Mapping[bytes, str], *, verify: bool = False
) -> dict[bytes, str]:
    """The texts by key that have no vector in a space."""
    if space is None or not texts:
        return {}
    found = reading.embedded(texts.keys(), space, verify=verify)
    return {key: text for key, text in texts.items() if key not in found}
