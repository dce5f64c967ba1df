"""Collection: a named, persistent set of chunks with a lexical and a dense index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from plait.collection.closing import Closing
from plait.collection.describe import describe, stamped
from plait.collection.embedding import Embedders
from plait.collection.files import FilesReport, Indexing
from plait.collection.fusing import check_storable
from plait.collection.index import LiveIndex
from plait.collection.places import Place, find, rooted
from plait.collection.progress import Progress, Progressing, Teller
from plait.collection.retriever import CollectionRetriever, pinned
from plait.collection.searching import Searching
from plait.collection.segments import Keeper
from plait.collection.settings import Settings
from plait.collection.snapshot import Snapshot
from plait.collection.store import Store
from plait.collection.stored import Space
from plait.collection.threaded import in_thread
from plait.collection.tuning import Tuning
from plait.collection.verifying import problems
from plait.collection.view import View, pin
from plait.collection.writer import Writer
from plait.embedding import Embedder
from plait.errors import ConfigurationError
from plait.filters import FilterLike
from plait.fusion import Fusion, Weights
from plait.ingest import Chunking, Fields
from plait.types import Chunk, QueryLike, SearchResult, alone

__all__ = ["Collection"]

LEGS = ("dense", "bm25")

_WORTH_A_SEGMENT = 512  # chunks that take longer to analyze than a file to open


class Collection(Closing, Searching):
    """A named, persistent set of chunks, searched by words and by meaning. Made by ``plait.open``.

    What a call returned from is on disk: killing the process or the machine loses nothing of it.
    Each write is one transaction unless it says otherwise; readers, in this process and others, see
    all of it or nothing, at their next query. Any number of threads and processes may read while
    one writes; a second writer waits for ``lock_timeout``. Embedding holds no lock.

    Attributes:
        name: Name of the collection.
        path: The file that holds it.
        settings: What decides its answers.
    """

    def __init__(self, name: str, store: Store, settings: Settings, embedders: Embedders) -> None:
        self.name = name
        self.path = store.path
        self.settings = settings
        self._store = store
        self._embedders = embedders
        self._keeper = Keeper(store, settings.analyzer, settings.metric)
        self._live = LiveIndex(settings, self._keeper)
        self._writer = Writer(store, embedders, settings.metric, self._live, self._keeper)
        self._hybrids: dict[tuple[str, ...], CollectionRetriever] = {}

    # Writing

    def add(self, chunks: Iterable[Chunk], *, progress: Progressing | None = None) -> int:
        """Add chunks; one whose id is there replaces it, and of a repeated id the last one stays.

        A chunk without an id gets the one that ``Chunk.with_id`` makes. Text (``index_text``) is
        embedded unless the chunk brings an embedding, or its vector is there from before: nothing
        is embedded twice, also when an earlier write was interrupted.

        A list or tuple is checked as a whole and written in one transaction. Any other iterable is
        written in batches of 4096, each checked and committed by itself, so that it may be
        longer than memory; an error in a later batch leaves the earlier ones written.

        Args:
            chunks: What to add.
            progress: Called as chunks get their vectors.

        Returns:
            How many chunks were written, each id once; 0 for no chunks.

        Raises:
            ConfigurationError: Something that is not a ``Chunk``; an embedding of another dimension
                or without direction; a chunk without one where there is no embedder to make it.
            EmbeddingError: What the embedder raises.
            LockedError: Another writer held the lock for too long.
            StoreError: The disk is full, or the file cannot be written.
        """
        total = len(chunks) if isinstance(chunks, Sequence) else None
        teller = Teller(progress, Progress(0, total))
        return self._writer.add(chunks, lambda more: teller.tell(more, more))

    def add_files(
        self,
        paths: str | PathLike[str] | Iterable[str | PathLike[str]],
        *,
        root: str | PathLike[str] | None = None,
        chunking: Chunking | str | None = None,
        fields: Fields | None = None,
        progress: Progressing | None = None,
    ) -> FilesReport:
        """Bring the collection up to date with files: text, Markdown, JSONL; see ``plait.ingest``.

        Afterwards the documents below the given paths are those that a new collection would have:
        new ones are added, changed ones replace their chunks, and those that are gone, or are no
        longer text, are removed. Unchanged ones are left alone, and so are those below a file or
        folder that cannot be reached at the moment, for lack of permission for example. Documents
        are committed some hundred chunks at a time, each with all of its chunks; an interrupted
        run keeps what was committed, and the next one goes on from there.

        Args:
            paths: A file, a folder, or several.
            root: The folder that document ids are relative to. By default a path inside a folder
                that was indexed before belongs to that one; a new folder is its own root, and a
                file has the folder that it is in. A folder above one that was indexed before takes
                its documents over, under ids relative to itself. The root's name says which
                documents belong together.
            chunking: How documents are cut, instead of the collection's.
            fields: Which fields of JSON objects are id, title and text.
            progress: Called with the bytes that are done.

        Returns:
            How many documents were added, updated, unchanged and removed, and what was skipped.

        Raises:
            ConfigurationError: No such path, or another folder of the same name was indexed before
                and is still there.
            MissingDependencyError: The extra ``ingest`` or that of the embedder is not installed.
            EmbeddingError, LockedError, StoreError: As ``add``.
        """
        given = [paths] if isinstance(paths, str | PathLike) else list(paths)
        if not given:
            raise ConfigurationError("no path to index; give at least one file or folder")
        with self._store.reading() as reading:
            roots = reading.roots()
        pairs = rooted([Path(path) for path in given], None if root is None else Path(root), roots)
        items = list(find(pairs))
        cut = Chunking.parse(chunking) if isinstance(chunking, str) else chunking
        total = sum(getattr(item, "size", 0) for item in items)
        indexing = Indexing(
            self._store,
            self._writer,
            self._embedders,
            cut or self.settings.chunking,
            fields,
            Teller(progress, Progress(0, total, "bytes")),
        )
        return indexing.run(items, [Place.of(path, top) for path, top in pairs])

    def delete(self, ids: Iterable[str] | None = None, filter: FilterLike = None) -> int:
        """Delete chunks by id, or those whose metadata passes a filter.

        Ids that are not there are passed over. The text stays in the file until ``compact``.
        Documents that lose a chunk come back whole with the next ``add_files``.

        Returns:
            How many chunks were deleted.

        Raises:
            ConfigurationError: Neither ids nor filter, both, or ids that are not a list of str.
            QueryError: A malformed filter, or ``{}``, which passes everything: use ``clear``.
            LockedError: Another writer held the lock for too long.
        """
        return self._writer.delete(ids, filter)

    def clear(self) -> int:
        """Delete every chunk. Returns how many there were."""
        return self._writer.clear()

    def reembed(self, embedder: Embedder | str, *, progress: Progressing | None = None) -> int:
        """Change to another embedder: make its vectors beside the old ones, then switch at once.

        Until then queries use the old vectors. Interrupted, it goes on where it stopped when it is
        called again with the same embedder. Vectors that chunks brought along are made anew from
        their text. The old vectors stay in the file until ``compact``.

        Returns:
            How many vectors were made.

        Raises:
            ConfigurationError: Not an embedder.
            EmbeddingError, LockedError, StoreError: As ``add``; the old vectors stay in use.
        """
        return self._writer.reembed(embedder, progress)

    def compact(self) -> None:
        """Give back the space of deleted chunks and unused vectors; their text is gone from disk.

        Raises:
            LockedError: A snapshot is open, or another process reads or writes for too long.
        """
        self._writer.compact()

    def apply(self, tuning: Tuning | None) -> None:
        """Store what tuning decided; queries with the fusion ``auto`` go by it from now on.

        Number of chunks and embedder of this moment are stored in its evidence, so that
        ``describe`` can tell when they have changed too much.

        Args:
            tuning: What ``plait.evaluation`` found, or one's own; None to forget the stored one.

        Raises:
            ConfigurationError: Weights for other legs than dense and bm25, or a fusion that cannot
                be stored because its text form does not lead back to it.
            LockedError: Another writer held the lock for too long.
        """
        if tuning is not None:
            check_storable(tuning, LEGS)
        with self._store.writing() as writing:
            writing.put_tuning(None if tuning is None else stamped(tuning, writing))

    # Reading

    @property
    def tuning(self) -> Tuning | None:
        """What tuning decided, None if it never did."""
        with self._store.reading() as reading:
            return reading.tuning()

    def get(self, id: str) -> Chunk | None:
        """The chunk with this id, None if there is none.

        Its embedding is set if it brought one along that is still in use.

        Raises:
            IndexFormatError: Its row is damaged.
        """
        with self._store.reading() as reading:
            return reading.get(id)

    def document(self, document_id: str) -> tuple[Chunk, ...]:
        """The chunks of a document in reading order, without vectors; empty if it has none.

        They are the chunks with this ``document_id``, by ``index``; those without an index come
        last, in the order in which they were written.

        Raises:
            IndexFormatError: A row is damaged.
        """
        with self._store.reading() as reading:
            return reading.part_of(document_id)

    def count(self) -> int:
        """How many chunks there are."""
        with self._store.reading() as reading:
            return reading.count()

    def snapshot(self) -> Snapshot:
        """The state of now, to be asked again and again; close it, best with ``with``."""
        view = self._pin(long=True)
        return Snapshot(view, self._hybrid(view))

    def retriever(
        self,
        *,
        legs: Sequence[str] | None = None,
        weights: Weights | None = None,
        fusion: Fusion | str | None = None,
        top_k: int = 5,
        fetch_k: int | None = None,
        window: int | None = None,
        on_failure: Literal["degrade", "raise"] = "degrade",
        deadline: float | None = None,
        fill: bool = False,
        name: str | None = None,
    ) -> CollectionRetriever:
        """The hybrid behind ``search``: how a collection becomes a leg of another hybrid.

        ``HybridRetriever([kb.retriever(), other])``. It answers from the newest state each time.

        Args:
            legs: Names out of ``"dense"`` and ``"bm25"``; by default both, without the dense leg
                while the collection has no vectors and no embedder.
            weights: See ``HybridRetriever``, as are the next ones. By default ``auto`` has those
                that tuning stored, see ``apply``, and another fusion has 1 for each leg.
            fusion: By default the collection's.
            top_k: Hits returned when a call does not say.
            fetch_k: Candidates asked of each leg.
            window: Candidates when nothing else is said; by default that of a tuning that is in
                use, else the collection's.
            on_failure: Whether a failed leg degrades the answer or raises.
            deadline: Seconds for all legs together.
            fill: Whether legs are asked to score each other's hits.
            name: Name of the leg in another hybrid; by default the collection's.
        """
        if legs is None:
            legs = LEGS if self._stored()[0] is not None else LEGS[1:]
        for leg in legs:
            if leg not in LEGS:
                raise ConfigurationError(f"legs name {leg!r}; a collection has dense and bm25")
        return CollectionRetriever(
            self._pin,
            self._stored,
            self.settings,
            self._embedders,
            legs,
            weights=weights,
            fusion=fusion,
            top_k=top_k,
            fetch_k=fetch_k,
            window=window,
            on_failure=on_failure,
            deadline=deadline,
            fill=fill,
            name=self.name if name is None else name,
            collection=self.name,
        )

    def verify(self) -> tuple[str, ...]:
        """Read everything, and say what is not as it was written, a sentence each; none if all is.

        Takes as long as reading the whole collection from disk. A damaged segment is no loss, it is
        made anew; a damaged row is.
        """
        return tuple(problems(self._store))

    def describe(self) -> Mapping[str, Any]:
        """What the collection is and what decides its answers, as JSON values; loads no model."""
        return describe(self.name, self._store)

    def close(self) -> None:
        """Close the file; closing again does nothing.

        What is in no segment yet becomes one if that is worth it, so that the next process starts
        faster.
        """
        if not (self._store.is_closed or self._store.read_only):
            self._writer.settle(_WORTH_A_SEGMENT)
        self._store.close()

    aadd = in_thread(add)
    aadd_files = in_thread(add_files)
    adelete = in_thread(delete)
    aclear = in_thread(clear)
    aapply = in_thread(apply)
    areembed = in_thread(reembed)
    acompact = in_thread(compact)
    aget = in_thread(get)
    adocument = in_thread(document)
    acount = in_thread(count)
    asnapshot = in_thread(snapshot)
    averify = in_thread(verify)
    adescribe = in_thread(describe)
    aclose = in_thread(close)

    def __repr__(self) -> str:
        return f"<Collection {self.name!r} in {self.path.parent}>"

    def _pin(self, *, long: bool = False) -> View:
        return pin(self._store, self._live, long=long)

    def _stored(self) -> tuple[Space | None, Tuning | None]:
        with self._store.reading() as reading:
            return reading.state().space, reading.tuning()

    def _hybrid(self, view: View) -> CollectionRetriever:
        legs = LEGS if view.index.space is not None else LEGS[1:]
        if legs not in self._hybrids:
            self._hybrids.setdefault(legs, self.retriever(legs=legs))
        return self._hybrids[legs]

    def _search(self, query: QueryLike, **given: Any) -> SearchResult:
        with closing(self._pin()) as view:
            return self._hybrid(view).retrieve_from(view, alone(query), **given)

    async def _asearch(self, query: QueryLike, **given: Any) -> SearchResult:
        with closing(await pinned(self._pin)) as view:
            return await self._hybrid(view).aretrieve_from(view, alone(query), **given)
