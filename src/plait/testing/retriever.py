"""What every retriever promises about its answers."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from plait.errors import QueryError
from plait.filters import FilterLike
from plait.testing.expect import expect, expect_ranked, passes, raw_scores, refused, same, skip
from plait.testing.sample import CHUNKS, FILTERS, QUERIES
from plait.types import Chunk, Query, SearchResult

__all__ = ["RetrieverConformance"]

_ALL = 50  # more than the sample has
_BAD_TOP_K: tuple[Any, ...] = (0, -1, True, False, 2.0, "3")
_BAD_QUERIES: tuple[Any, ...] = ("", "  \n\t", None, 3, ["plan"])
_BAD_FILTERS: tuple[Any, ...] = (
    {"product": {"$regx": "p"}},
    {"$nor": []},
    {"product": None},
    {"year": {"$in": 2024}},
    [("product", "pro")],
)


class RetrieverConformance:
    """Tests of a retriever over given chunks. Subclass it and write ``make``.

    Example:
        >>> from plait.testing import RetrieverConformance
        >>> class TestMine(RetrieverConformance):
        ...     def make(self, chunks):
        ...         return MyRetriever(chunks)
    """

    def make(self, chunks: Sequence[Chunk]) -> Any:
        """A retriever over these chunks; they all have ids, there may be none."""
        raise NotImplementedError("a conformance test writes make(chunks)")

    def dispose(self, made: Any) -> None:
        """Release what ``make`` made; closes it if it can be closed."""
        close = getattr(made, "close", None)
        if callable(close):
            close()

    def find(
        self, made: Any, query: str | Query, *, top_k: int = 5, filter: FilterLike = None
    ) -> SearchResult:
        """How a query is answered: ``retrieve``, unless overridden."""
        result: SearchResult = made.retrieve(query, top_k=top_k, filter=filter)
        return result

    @contextmanager
    def over(self, chunks: Sequence[Chunk] = CHUNKS) -> Iterator[Any]:
        """A retriever over these chunks, disposed of afterwards."""
        made = self.make(list(chunks))
        try:
            yield made
        finally:
            self.dispose(made)

    # The form of an answer

    def test_an_answer_is_a_ranked_search_result(self) -> None:
        """Ranks from 1, each id once, scores in order, the chunks as they were given."""
        given = {chunk.id: chunk for chunk in CHUNKS}
        with self.over() as made:
            for query in QUERIES:
                result = self.find(made, query, top_k=_ALL)
                expect(isinstance(result, SearchResult), f"{type(result)} is no SearchResult")
                expect_ranked(result, getattr(made, "higher_is_better", True))
                for hit in result:
                    expect(hit.chunk == given.get(hit.id), f"{hit.chunk} was not given so")
                expect(result.total >= len(result), "total is less than the hits returned")

    def test_something_is_found(self) -> None:
        """The chunk that holds the words of the query is among the hits."""
        with self.over() as made:
            ids = [hit.id for hit in self.find(made, "error E1042 socket", top_k=_ALL)]
            expect("e1042" in ids, f"'error E1042 socket' finds {ids}, without e1042")

    def test_an_empty_index_answers_with_no_hits(self) -> None:
        """No chunks: no hits, no error."""
        with self.over(()) as made:
            expect(len(self.find(made, "plan")) == 0, "an empty index has hits")

    def test_a_single_chunk(self) -> None:
        """One chunk can be found, with and without a filter."""
        with self.over(CHUNKS[:1]) as made:
            expect([hit.id for hit in self.find(made, "E1042")] == ["e1042"], "not found alone")

    def test_a_query_value_is_answered_like_its_text(self) -> None:
        """``Query("text")`` and ``"text"`` are the same question."""
        with self.over() as made:
            for text in QUERIES:
                same(self.find(made, Query(text)), self.find(made, text), f"Query({text!r})")

    # What is refused

    def test_top_k_is_an_int_from_one(self) -> None:
        """0, negative numbers, bools and everything else are refused."""
        with self.over() as made:
            for top_k in _BAD_TOP_K:
                with refused(QueryError, f"top_k={top_k!r}"):
                    self.find(made, "plan", top_k=top_k)

    def test_blank_and_foreign_queries_are_refused(self) -> None:
        """A query needs text or an embedding."""
        with self.over() as made:
            for query in _BAD_QUERIES:
                with refused(QueryError, f"the query {query!r}"):
                    self.find(made, query)

    def test_malformed_filters_are_refused(self) -> None:
        """Also by an empty index: a wrong filter never means no hits."""
        for chunks in (CHUNKS, ()):
            with self.over(chunks) as made:
                for wrong in _BAD_FILTERS:
                    with refused(QueryError, f"the filter {wrong!r}"):
                        self.find(made, "plan", filter=wrong)

    # Cuts, filters, ties

    def test_fewer_hits_are_a_prefix_of_more(self) -> None:
        """The answer for k is the beginning of the answer for k + 1."""
        with self.over() as made:
            for query in QUERIES:
                whole = self.find(made, query, top_k=_ALL)
                for top_k in range(1, len(whole) + 1):
                    cut = self.find(made, query, top_k=top_k)
                    expect(len(cut) == top_k, f"{query!r}: top_k={top_k} gives {len(cut)} hits")
                    same(cut, whole[:top_k], f"{query!r}, top_k={top_k}")

    def test_a_filter_keeps_what_passes_and_nothing_else(self) -> None:
        """Nothing leaks, also when fewer pass than top_k; what passes is found for every top_k."""
        with self.over() as made:
            self._needs_filters(made)
            for query in QUERIES:
                everything = self.find(made, query, top_k=_ALL)
                for source in FILTERS:
                    expected = {hit.id for hit in everything if passes(source, hit)}
                    for top_k in (1, 2, _ALL):
                        found = self.find(made, query, top_k=top_k, filter=source)
                        case = f"{query!r}, filter={source!r}, top_k={top_k}"
                        for hit in found:
                            expect(passes(source, hit), f"{case}: {hit.id} does not pass")
                        expect(
                            len(found) == min(top_k, len(expected)),
                            f"{case}: {len(found)} of {len(expected)} hits that pass",
                        )

    def test_without_filters_a_filter_is_refused(self) -> None:
        """A retriever that cannot filter says so; ignoring a filter would leak."""
        with self.over() as made:
            if getattr(made, "filters", True):
                skip("the retriever filters")
            with refused(QueryError, "a filter that cannot be honored"):
                self.find(made, "plan", filter={"product": "pro"})

    def test_identical_chunks_have_identical_scores_and_stand_by_id(self) -> None:
        """In every leg, and whatever else is in the index."""
        with self.over() as made:
            for query in QUERIES:
                hits = {hit.id: hit for hit in self.find(made, query, top_k=_ALL)}
                expect(
                    ("twin-a" in hits) == ("twin-b" in hits), f"{query!r} finds one of two twins"
                )
                if "twin-a" in hits:
                    one, other = hits["twin-a"], hits["twin-b"]
                    expect(
                        raw_scores(one) == raw_scores(other),
                        f"{query!r}: twins have {one} and {other}",
                    )
                    expect(one.rank < other.rank, f"{query!r}: twins do not stand by their ids")

    def test_the_order_of_the_chunks_does_not_matter(self) -> None:
        """The same chunks in another order give the same answers."""
        with self.over() as made, self.over(CHUNKS[::-1]) as turned:
            for query in QUERIES:
                same(
                    self.find(turned, query, top_k=_ALL), self.find(made, query, top_k=_ALL), query
                )

    # No shared state

    def test_inputs_are_not_changed_and_results_hold_no_alias(self) -> None:
        """Neither the caller's values nor the index change through the other."""
        chunks = list(CHUNKS)
        source: dict[str, Any] = {"product": {"$in": ["pro", "free"]}}
        before = copy.deepcopy((chunks, source))
        made = self.make(chunks)
        try:
            keep = source if getattr(made, "filters", True) else None
            first = self.find(made, "plan", top_k=_ALL, filter=keep)
            expect((chunks, source) == before, "the chunks or the filter were changed")
            chunks.clear()
            for hit in first:
                try:
                    hit.chunk.metadata["product"] = "changed"  # type: ignore[index]
                except TypeError:
                    continue  # read-only is the best answer
            source["product"]["$in"].append("team")
            keep = before[1] if keep else None
            again = self.find(made, "plan", top_k=_ALL, filter=keep)
            expect(len(again) > 0, "clearing the caller's list emptied the index")
            expect(
                all(hit.chunk.metadata.get("product") != "changed" for hit in again),
                "changing a result changed the index",
            )
        finally:
            self.dispose(made)

    def test_the_same_question_has_the_same_answer(self) -> None:
        """Answering leaves nothing behind, whatever is asked in between."""
        with self.over() as made:
            first = [self.find(made, query, top_k=_ALL) for query in QUERIES]
            for query, answer in zip(reversed(QUERIES), reversed(first), strict=True):
                same(self.find(made, query, top_k=_ALL), answer, query)

    def test_many_threads(self) -> None:
        """Threads that ask at the same time get what one alone gets."""
        with self.over() as made:
            alone = [self.find(made, query) for query in QUERIES]
            with ThreadPoolExecutor(8) as pool:
                together = list(pool.map(lambda query: self.find(made, query), QUERIES * 8))
            for position, result in enumerate(together):
                index = position % len(QUERIES)
                same(result, alone[index], f"{QUERIES[index]!r} among threads")

    # The four methods

    def test_retrieve_many_equals_retrieve(self) -> None:
        """In the order of the queries, also of a generator; nothing for no queries."""
        with self.over() as made:
            retriever = self._retriever(made)
            many = retriever.retrieve_many((query for query in QUERIES), top_k=3)
            expect(len(many) == len(QUERIES), f"{len(many)} answers to {len(QUERIES)} queries")
            for query, result in zip(QUERIES, many, strict=True):
                same(result, retriever.retrieve(query, top_k=3), f"retrieve_many of {query!r}")
            expect(list(retriever.retrieve_many([])) == [], "no queries have answers")
            with refused(QueryError, "retrieve_many(top_k=0)"):
                retriever.retrieve_many(QUERIES, top_k=0)

    def test_aretrieve_equals_retrieve(self) -> None:
        """Also for many at once, with the same refusals."""
        with self.over() as made:
            retriever = self._retriever(made)
            source = {"product": "pro"} if getattr(retriever, "filters", True) else None

            async def ask() -> list[SearchResult]:
                with refused(QueryError, "aretrieve(top_k=0)"):
                    await retriever.aretrieve("plan", top_k=0)
                calls = [retriever.aretrieve(query, top_k=3, filter=source) for query in QUERIES]
                return list(await asyncio.gather(*calls))

            for query, result in zip(QUERIES, asyncio.run(ask()), strict=True):
                alone = retriever.retrieve(query, top_k=3, filter=source)
                same(result, alone, f"aretrieve of {query!r}")

    def test_retrieve_works_inside_a_running_event_loop(self) -> None:
        """A notebook or a web handler may call the sync form."""
        with self.over() as made:
            retriever = self._retriever(made)

            async def handler() -> SearchResult:
                result: SearchResult = retriever.retrieve("plan", top_k=3)
                return result

            same(asyncio.run(handler()), retriever.retrieve("plan", top_k=3), "inside a loop")

    def test_describe_gives_json_values(self) -> None:
        """The same each time, and with a name."""
        with self.over() as made:
            retriever = self._retriever(made)
            described = retriever.describe()
            expect(isinstance(described, Mapping), f"describe gives {type(described).__name__}")
            text = json.dumps(described, sort_keys=True)
            expect(json.dumps(retriever.describe(), sort_keys=True) == text, "describe changes")
            expect(bool(retriever.name), "the retriever has no name")

    def _retriever(self, made: Any) -> Any:
        return made

    def _needs_filters(self, made: Any) -> None:
        if not getattr(made, "filters", True):
            skip("the retriever does not filter")
