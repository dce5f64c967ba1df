"""Bringing a collection up to date with files: what is new, what changed, what is gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from plait.collection.embedding import Embedders
from plait.collection.places import Place, below, out_of_reach, within
from plait.collection.progress import Teller
from plait.collection.reading import Reading
from plait.collection.rows import Row, encode
from plait.collection.store import Store
from plait.collection.stored import StoredDocument
from plait.collection.writer import Writer
from plait.collection.writing import Writing
from plait.errors import ConfigurationError
from plait.ingest import (
    Chunking,
    Document,
    Fields,
    PassedOver,
    Skipped,
    Source,
    TokenCounter,
    read,
    settle_id,
    split,
)

__all__ = ["FilesReport", "Indexing"]

_DOCUMENTS = 256  # documents that are compared with what is stored at a time,
_LETTERS = 2**24  # or so much text
_CHUNKS = 512  # chunks that are committed together


@dataclass(frozen=True, slots=True)
class FilesReport:
    """What became of the documents: one for a file, or for a line of a JSONL file.

    Attributes:
        added: Documents that are new.
        updated: Documents that changed, or are cut otherwise than before.
        unchanged: Documents that were left alone.
        removed: Documents that are no longer there, or are no longer text.
        chunks: Chunks that new and changed documents were cut into.
        skipped: What could not be used, and why.
        passed_over: Files of other types, by folder.
    """

    added: int
    updated: int
    unchanged: int
    removed: int
    chunks: int
    skipped: tuple[Skipped, ...]
    passed_over: tuple[PassedOver, ...]


class Indexing:
    """One run over files. What was committed stays when the run is interrupted.

    Args:
        store: The file of the collection.
        writer: Writes to it.
        embedders: Count the tokens.
        chunking: How documents are cut.
        fields: Which fields of JSON objects are id, title and text.
        teller: Is told the bytes that are done.
    """

    def __init__(
        self,
        store: Store,
        writer: Writer,
        embedders: Embedders,
        chunking: Chunking,
        fields: Fields | None,
        teller: Teller,
    ) -> None:
        self._store = store
        self._writer = writer
        self._gathering = writer.gathering()
        self._embedders = embedders
        self._chunking = chunking
        self._fields = fields
        self._teller = teller
        with store.reading() as reading:
            self._space = reading.state().space
        self._owners: dict[str, str | None] = {}  # roots of this run's documents, by id
        self._own: set[str] = set()  # names of this run's roots
        self._roots: dict[str, str] = {}  # where every root is, by name
        self._parts: dict[str, set[str]] = {}  # what of each root lies in the given places
        self._read: list[Document] = []
        self._letters = 0
        self._cut: list[tuple[Document, list[Row]]] = []
        self._waiting = 0  # chunks of them
        self._bytes = 0  # read and not yet told
        self._counts = dict.fromkeys(("added", "updated", "unchanged", "chunks"), 0)
        self._skipped: list[Skipped] = []
        self._passed_over: list[PassedOver] = []

    def run(
        self, items: Sequence[Source | Skipped | PassedOver], places: Sequence[Place]
    ) -> FilesReport:
        """Bring the collection up to date with these files.

        Args:
            items: What ``plait.ingest.walk`` found.
            places: The paths that were walked: documents from there that are not found again are
                removed.
        """
        self._own = {place.root for place in places}
        self._claim(places)
        for item in items:
            if isinstance(item, Source):
                self._take(item)
            elif isinstance(item, Skipped):
                self._skipped.append(item)
            else:
                self._passed_over.append(item)
        self._compare()
        self._commit()
        self._writer.settle(gathering=self._gathering)
        return FilesReport(
            **self._counts,
            removed=self._remove_vanished(),
            skipped=tuple(self._skipped),
            passed_over=tuple(self._passed_over),
        )

    def _claim(self, places: Sequence[Place]) -> None:
        """Remember where each root is; two folders of one name would replace each other's files."""
        with self._store.reading() as reading:
            stored = reading.roots()
        self._roots = dict(stored)
        for place in places:
            known = self._roots.get(place.root, place.location)
            # A folder of the same name inside it becomes a part of it.
            widened = place.relative == "." and below(known, place.location) is not None
            if not widened and Path(known).is_dir() and not Path(known).samefile(place.location):
                raise ConfigurationError(
                    f"a root named {place.root!r} was indexed from {known}, which is still there; "
                    f"the documents of {place.location} could not be told from its own. Index a "
                    "folder above both, or name one with root="
                )
            self._roots[place.root] = place.location
        if self._roots != stored:
            with self._store.writing() as writing:
                writing.put_roots(self._roots)
        for root, location in self._roots.items():
            parts = [place.part_of(root, location) for place in places]
            self._parts[root] = {part for part in parts if part is not None}

    def _take(self, source: Source) -> None:
        """Read a file, a few documents ahead of the comparison."""

        def count(more: int) -> None:
            self._bytes += more

        for document in read(source, fields=self._fields, progress=count):
            if isinstance(document, Skipped):
                self._skipped.append(document)
                continue
            self._read.append(document)
            self._letters += len(document.text)
            if len(self._read) >= _DOCUMENTS or self._letters >= _LETTERS:
                self._compare()

    def _compare(self) -> None:
        """Pass over the documents that are stored as they are, cut the others."""
        changed = []
        with self._store.reading() as reading:
            for document in self._read:
                settled = settle_id(document, partial(self._owner, reading))
                if settled.id in self._owners:
                    self._skipped.append(_repeated(settled))
                    continue
                self._owners[settled.id] = settled.source_name
                stored = reading.document(settled.id)
                if stored is None:
                    self._counts["added"] += 1
                elif (stored.content_hash, stored.chunking) != (
                    settled.content_hash,
                    self._chunking_text,
                ):
                    self._counts["updated"] += 1
                else:
                    self._counts["unchanged"] += 1
                    continue
                changed.append(settled)
        self._read.clear()
        self._letters = 0
        for document in changed:
            chunks = split(document, self._chunking, self._count_tokens)
            self._cut.append((document, [encode(chunk.with_id()) for chunk in chunks]))
            self._waiting += len(chunks)
            if self._waiting >= _CHUNKS:
                self._commit()
        if not self._cut:
            self._tell_bytes(self._bytes)

    def _owner(self, reading: Reading, id: str) -> str | None:
        if id in self._owners:
            return self._owners[id]
        stored = reading.document(id)
        # What an old root has in these places is replaced by what is found there now.
        if stored is None or (stored.source_name not in self._own and self._lies_here(stored)):
            return None
        return stored.source_name

    def _lies_here(self, stored: StoredDocument) -> bool:
        parts = self._parts.get(stored.source_name or "", set())
        return within(stored.source_path or "", parts)

    @property
    def _chunking_text(self) -> str:
        """Says all that decides where documents are cut: the embedder counts the tokens."""
        made_by = self._space and self._space.identity
        return f"{self._chunking} for {made_by.weights}" if made_by else str(self._chunking)

    @cached_property
    def _count_tokens(self) -> TokenCounter | None:
        if self._space is None or self._space.identity is None:
            return None
        return getattr(self._embedders.of(self._space).embedder, "count_tokens", None)

    def _commit(self) -> None:
        """Write what was cut, whole documents in one transaction."""
        if not self._cut:
            return
        cut, self._cut, self._waiting = self._cut, [], 0
        rows = [row for _, some in cut for row in some]
        self._counts["chunks"] += len(rows)
        held, seen = self._bytes, 0

        def report(more: int) -> None:
            nonlocal seen
            seen = min(seen + more, len(rows))
            self._tell_bytes(held * seen // len(rows) - (held - self._bytes), chunks=more)

        def write(writing: Writing) -> None:
            for document, some in cut:
                writing.put_document(
                    document.id,
                    document.source_name,
                    document.source_path,
                    document.content_hash,
                    self._chunking_text,
                    some,
                )

        self._writer.commit(rows, write, report, self._gathering)
        self._tell_bytes(self._bytes)

    def _tell_bytes(self, done: int, chunks: int = 0) -> None:
        self._bytes -= done
        self._teller.tell(done, chunks)

    def _remove_vanished(self) -> int:
        unreachable = [item.path for item in self._skipped if out_of_reach(item)]
        gone, left = [], dict(self._roots)
        with self._store.reading() as reading:
            for root, location in self._roots.items():
                if not self._parts[root]:
                    continue
                kept = {part for path in unreachable if (part := below(path, location)) is not None}
                documents = reading.documents(root)
                vanished = [
                    document.number
                    for document in documents
                    if document.id not in self._owners
                    and self._lies_here(document)
                    and not within(document.source_path or "", kept)
                ]
                gone += vanished
                if len(vanished) == len(documents):
                    del left[root]  # it is empty, or a part of a wider root now
        if gone or left != self._roots:
            with self._store.writing() as writing:
                writing.delete_documents(gone)
                writing.put_roots(left)
        return len(gone)


def _repeated(document: Document) -> Skipped:
    return Skipped(
        document.source_path or document.id,
        document.line,
        f"the id {document.id!r} was already given to a document before it; every id stands once",
    )
