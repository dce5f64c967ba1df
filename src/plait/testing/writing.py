"""What every retriever and collection that can be written promises about its writes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from plait.errors import ConfigurationError, QueryError
from plait.testing.expect import expect, refused, same, skip
from plait.testing.retriever import RetrieverConformance
from plait.testing.sample import CHUNKS, QUERIES
from plait.types import Chunk

__all__ = ["WritableConformance"]

_ALL = 50
_NOT_CHUNKS: tuple[Any, ...] = ("text", ["text"], [None], Chunk("alone"), 3, None)
_BAD_DELETIONS: tuple[tuple[type[Exception], dict[str, Any]], ...] = (
    (ConfigurationError, {}),
    (ConfigurationError, {"ids": ["plain"], "filter": {"product": "pro"}}),
    (ConfigurationError, {"ids": "plain"}),
    (ConfigurationError, {"ids": [3]}),
    (QueryError, {"filter": {}}),
    (QueryError, {"filter": {"product": {"$regx": "p"}}}),
)


class WritableConformance(RetrieverConformance):
    """Adds ``add``, ``delete`` and ``clear``, and ``get`` and ``count`` where they exist.

    Example:
        >>> from plait.testing import WritableConformance
        >>> class TestMine(WritableConformance):
        ...     def make(self, chunks):
        ...         return MyRetriever(chunks)
    """

    def chunk(self, chunk: Chunk) -> Chunk:
        """The chunk as it is written; override it to give every chunk an embedding."""
        return chunk

    def test_added_chunks_are_found_and_counted(self) -> None:
        """As if they had been there from the start."""
        with self.over(CHUNKS[:3]) as made, self.over() as whole:
            expect(made.add([]) == 0, "adding no chunks does not return 0")
            written = made.add([self.chunk(chunk) for chunk in CHUNKS[3:]])
            expect(written == len(CHUNKS) - 3, f"adding {len(CHUNKS) - 3} chunks returns {written}")
            self._same_answers(made, whole, "added in two steps")

    def test_a_known_id_is_replaced(self) -> None:
        """Content and metadata are the new ones; of an id given twice the last one stays."""
        with self.over() as made:
            old = self.chunk(Chunk("zebra zebra", id="plain", metadata={"v": 1}))
            new = self.chunk(Chunk("quagga quagga", id="plain", metadata={"v": 2}))
            expect(made.add([old]) == 1, "an upsert of one chunk does not return 1")
            made.add([old, new])
            hits = [hit for hit in self.find(made, "quagga", top_k=_ALL) if hit.id == "plain"]
            expect(len(hits) == 1, f"the replaced chunk is found {len(hits)} times")
            expect(hits[0].chunk == new, f"found {hits[0].chunk}, the last one written is {new}")
            if getattr(made, "filters", True):
                stale = self.find(made, "zebra quagga", top_k=_ALL, filter={"v": 1})
                expect(len(stale) == 0, "the replaced metadata still passes a filter")

    def test_deleted_chunks_are_gone(self) -> None:
        """By id or by filter; ids that are not there are passed over."""
        with self.over() as made:
            count = made.delete(ids=["plain", "nobody", "twin-a", "plain"])
            expect(count == 2, f"deleting two chunks of four names returns {count}")
            count = made.delete(filter={"product": "pro"})
            expect(count == 3, f"deleting the three that pass returns {count}")
            expect(made.delete(ids=[]) == 0, "deleting no ids does not return 0")
            rest = [chunk for chunk in CHUNKS if chunk.metadata.get("product") != "pro"]
            rest = [chunk for chunk in rest if chunk.id != "plain"]
            with self.over(rest) as fresh:
                self._same_answers(made, fresh, "after deletions")

    def test_clear_empties_and_leaves_a_usable_index(self) -> None:
        """It returns how many there were."""
        with self.over() as made, self.over() as fresh:
            count = made.clear()
            expect(count == len(CHUNKS), f"clearing {len(CHUNKS)} chunks returns {count}")
            expect(len(self.find(made, "plan", top_k=_ALL)) == 0, "a cleared index has hits")
            expect(made.clear() == 0, "clearing an empty index does not return 0")
            made.add([self.chunk(chunk) for chunk in CHUNKS])
            self._same_answers(made, fresh, "cleared and filled again")

    def test_any_history_equals_a_fresh_build(self) -> None:
        """Deleted and replaced chunks leave no trace in the scores of the others."""
        with self.over(CHUNKS[2:]) as made, self.over() as fresh:
            noise = [
                self.chunk(Chunk(f"plan socket refunds noise {n}", id=f"noise-{n}"))
                for n in range(7)
            ]
            made.add(noise)
            made.add([self.chunk(replace(CHUNKS[0], content="something else about a plan"))])
            made.delete(ids=[chunk.id for chunk in noise[:5]])
            made.add([self.chunk(chunk) for chunk in (*CHUNKS[:2], CHUNKS[5])])
            made.delete(ids=["noise-5", "noise-6"])
            made.delete(ids=["german"])
            made.add([self.chunk(chunk) for chunk in CHUNKS if chunk.id == "german"])
            self._same_answers(made, fresh, "after a history")

    def test_a_chunk_without_id_gets_one(self) -> None:
        """From its document and index, else from its content: twice the same is once."""
        with self.over(()) as made:
            content = self.chunk(Chunk("one quagga"))
            placed = self.chunk(Chunk("two quaggas", document_id="guide.md", index=3))
            made.add([content, placed])
            made.add([content])
            found = {hit.id for hit in self.find(made, "quagga quaggas one two", top_k=_ALL)}
            expected = {content.with_id().id, "guide.md#3"}
            expect(found == expected, f"found the ids {found}, expected {expected}")

    def test_wrong_input_is_refused_and_nothing_is_written(self) -> None:
        """All chunks are checked before the first is written."""
        with self.over() as made, self.over() as fresh:
            for wrong in _NOT_CHUNKS:
                with refused(ConfigurationError, f"add({wrong!r})"):
                    made.add(wrong)
            with refused(ConfigurationError, "a list with something that is no chunk"):
                made.add([self.chunk(Chunk("plan plan plan", id="new")), "text"])
            self._same_answers(made, fresh, "after refused writes")

    def test_a_deletion_names_what_it_deletes(self) -> None:
        """Nothing, everything by ``{}``, both forms at once and malformed filters are refused."""
        with self.over() as made, self.over() as fresh:
            for error, arguments in _BAD_DELETIONS:
                with refused(error, f"delete({arguments})"):
                    made.delete(**arguments)
            self._same_answers(made, fresh, "after refused deletions")

    def test_answers_do_not_change_afterwards(self) -> None:
        """A result is a value: later writes do not show in it."""
        with self.over() as made:
            result = self.find(made, "plan", top_k=_ALL)
            before = [(hit.id, hit.score, hit.chunk.content) for hit in result]
            made.delete(ids=[CHUNKS[2].id])
            made.add([self.chunk(Chunk("changed", id="plain"))])
            made.clear()
            after = [(hit.id, hit.score, hit.chunk.content) for hit in result]
            expect(after == before, "a result changed with a later write")

    def test_get_and_count(self) -> None:
        """``get`` gives None for what is not there; ``count`` counts what is."""
        with self.over() as made:
            if not (hasattr(made, "get") and hasattr(made, "count")):
                skip("the retriever has no get and count")
            expect(made.count() == len(CHUNKS), f"count() is {made.count()}, not {len(CHUNKS)}")
            expect(made.get("plain") == CHUNKS[-1], f"get('plain') is {made.get('plain')}")
            expect(made.get("nobody") is None, "get of an unknown id is not None")
            made.delete(ids=["plain"])
            expect(made.get("plain") is None, "a deleted chunk can be got")
            expect(made.count() == len(CHUNKS) - 1, "count does not follow a deletion")
            made.clear()
            expect((made.count(), made.get("cancel")) == (0, None), "clear leaves something")

    def _same_answers(self, made: Any, expected: Any, case: str) -> None:
        for query in QUERIES:
            same(
                self.find(made, query, top_k=_ALL),
                self.find(expected, query, top_k=_ALL),
                f"{case}: {query!r}",
            )
