"""What every collection promises, wherever its store is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from plait.errors import QueryError
from plait.filters import FilterLike
from plait.testing.expect import expect, refused, same
from plait.testing.sample import CHUNKS, QUERIES
from plait.testing.writing import WritableConformance
from plait.types import Chunk, Query, SearchResult

__all__ = ["CollectionConformance"]

_ALL = 50


class CollectionConformance(WritableConformance):
    """Tests of a collection. Subclass it and write ``open`` and ``reopen``.

    Example:
        >>> from plait.testing import CollectionConformance
        >>> class TestMine(CollectionConformance):
        ...     def open(self):
        ...         return my_store.open(fresh_name())
        ...     def reopen(self, collection):
        ...         collection.close()
        ...         return my_store.open(collection.name)
    """

    def open(self) -> Any:
        """A new empty collection that no other test knows."""
        raise NotImplementedError("a conformance test writes open()")

    def reopen(self, collection: Any) -> Any:
        """The same collection, closed and opened again."""
        raise NotImplementedError("a conformance test writes reopen(collection)")

    def make(self, chunks: Sequence[Chunk]) -> Any:
        """A new collection with these chunks."""
        collection = self.open()
        collection.add([self.chunk(chunk) for chunk in chunks])
        return collection

    def find(
        self, made: Any, query: str | Query, *, top_k: int = 5, filter: FilterLike = None
    ) -> SearchResult:
        """A collection is asked by ``search``."""
        result: SearchResult = made.search(query, top_k=top_k, filter=filter)
        return result

    def _retriever(self, made: Any) -> Any:
        return made.retriever()

    def test_the_retriever_answers_like_search(self) -> None:
        """It is the hybrid behind ``search``."""
        with self.over() as made:
            for query in QUERIES:
                same(made.retriever().retrieve(query), made.search(query), query)

    def test_asearch_equals_search(self) -> None:
        """Also for many at once, and search works inside a running loop."""
        with self.over() as made:

            async def ask() -> list[SearchResult]:
                together = await asyncio.gather(*(made.asearch(query) for query in QUERIES))
                return [*together, made.search(QUERIES[0])]

            answers = asyncio.run(ask())
            for query, result in zip((*QUERIES, QUERIES[0]), answers, strict=True):
                same(result, made.search(query), f"asearch of {query!r}")

    def test_pages_are_cuts_of_one_list(self) -> None:
        """``offset`` moves the window; ranks go on and the total stays."""
        with self.over() as made:
            for query in QUERIES:
                whole = made.search(query, top_k=_ALL)
                for offset in range(len(whole) + 2):
                    page = made.search(query, top_k=2, offset=offset)
                    same(page, whole[offset : offset + 2], f"{query!r} from {offset}")
                    expect(page.total == whole.total, f"{query!r}: the total changes by page")

    def test_offset_is_an_int_from_zero(self) -> None:
        """Negative numbers, bools and everything else are refused."""
        with self.over() as made:
            for offset in (-1, True, 1.0, "2"):
                with refused(QueryError, f"offset={offset!r}"):
                    made.search("plan", offset=offset)

    def test_reopened_it_is_the_same(self) -> None:
        """Chunks, metadata, counts and scores survive being closed."""
        made = self.make(CHUNKS)
        try:
            made.delete(ids=["twin-b"])
            made.add([self.chunk(Chunk("about a plan", id="twin-b", title="New"))])
            answers = [self.find(made, query, top_k=_ALL) for query in QUERIES]
            made = self.reopen(made)
            expect(made.count() == len(CHUNKS), f"{made.count()} chunks after reopening")
            for query, expected in zip(QUERIES, answers, strict=True):
                same(self.find(made, query, top_k=_ALL), expected, f"reopened: {query!r}")
            found = made.get("e1042")
            expect(found == CHUNKS[0], f"{found} was read back, {CHUNKS[0]} was written")
        finally:
            self.dispose(made)

    def test_the_generation_moves_with_every_write(self) -> None:
        """And only with writes; a result says which state it read."""
        with self.over() as made:
            before = made.search("plan").generation
            expect(before is not None, "the result names no generation")
            expect(made.search("plan").generation == before, "the generation moves by reading")
            made.delete(ids=["plain"])
            expect(made.search("plan").generation != before, "the generation stays after a write")

    def test_describe_gives_json_values(self) -> None:
        """Of the collection itself and of its retriever."""
        super().test_describe_gives_json_values()
        with self.over() as made:
            described = made.describe()
            expect(json.loads(json.dumps(described)) == described, "describe gives no JSON values")
