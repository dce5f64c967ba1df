"""The suite passes a right retriever and catches wrong ones, each by the test that names it."""

import threading
import unittest
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from plait.errors import ConfigurationError, QueryError
from plait.filters import Filter
from plait.memory import check_chunks, check_deletion
from plait.retriever import Retriever, check_page
from plait.testing import CHUNKS, CollectionConformance, RetrieverConformance, WritableConformance
from plait.testing.expect import expect, refused
from plait.types import Chunk, Hit, Query, SearchResult


class Letters(Retriever):
    """A right retriever, simple enough to see that it is right: shared letters, by brute force."""

    name = "letters"

    def __init__(self, chunks: Sequence[Chunk] = ()) -> None:
        self._chunks: dict[str, Chunk] = {}
        self._lock = threading.Lock()
        self.add(chunks)

    def score(self, text: str, chunk: Chunk) -> float:
        return float(len(set(text.casefold()) & set(chunk.index_text.casefold())))

    def pool(self, query: Query, keep: Filter | None) -> list[tuple[float, str, Chunk]]:
        with self._lock:
            chunks = list(self._chunks.values())
        found = [
            (-self.score(query.text, chunk), chunk.id, chunk)
            for chunk in chunks
            if keep is None or keep.matches(chunk.metadata)
        ]
        return sorted(entry for entry in found if entry[0] < 0)

    def retrieve(self, query: Any, *, top_k: int = 5, filter: Any = None) -> SearchResult:
        asked = Query.of(query)
        check_page(top_k)
        pool = self.pool(asked, Filter.parse(filter))
        hits = [Hit(c, -s, n, source=self.name) for n, (s, _, c) in enumerate(pool[:top_k], 1)]
        return SearchResult(tuple(hits), asked, total=len(pool))

    def add(self, chunks: Any) -> int:
        given = check_chunks(chunks)
        with self._lock:
            self._chunks = {**self._chunks, **{chunk.id: chunk for chunk in given}}
        return len(given)

    def delete(self, ids: Any = None, filter: Any = None) -> int:
        names, keep = check_deletion(ids, filter)
        with self._lock:
            before = self._chunks
            if keep is not None:
                names = [name for name, chunk in before.items() if keep.matches(chunk.metadata)]
            self._chunks = {name: chunk for name, chunk in before.items() if name not in names}
        return len(before) - len(self._chunks)

    def clear(self) -> int:
        count, self._chunks = len(self._chunks), {}
        return count

    def get(self, id: str) -> Chunk | None:
        return self._chunks.get(id)

    def count(self) -> int:
        return len(self._chunks)


class Drawer:
    """A right collection over it: named states that survive being closed."""

    def __init__(self, kept: dict[str, Any]) -> None:
        self.kept = kept
        self.letters = Letters(kept.setdefault("chunks", []))
        self.kept.setdefault("generation", 0)

    def _wrote(self, count: int) -> int:
        self.kept["chunks"] = list(self.letters._chunks.values())
        self.kept["generation"] += 1
        return count

    def add(self, chunks: Any) -> int:
        return self._wrote(self.letters.add(chunks))

    def delete(self, ids: Any = None, filter: Any = None) -> int:
        return self._wrote(self.letters.delete(ids, filter))

    def clear(self) -> int:
        return self._wrote(self.letters.clear())

    def get(self, id: str) -> Chunk | None:
        return self.letters.get(id)

    def count(self) -> int:
        return self.letters.count()

    def search(
        self, query: Any, *, top_k: int = 5, offset: int = 0, filter: Any = None
    ) -> SearchResult:
        check_page(top_k, offset)
        found = self.letters.retrieve(query, top_k=top_k + offset, filter=filter)
        return replace(found, hits=found.hits[offset:], generation=self.kept["generation"])

    async def asearch(self, query: Any, **options: Any) -> SearchResult:
        return self.search(query, **options)

    def retriever(self) -> Letters:
        return self.letters

    def describe(self) -> Mapping[str, Any]:
        return {"chunks": self.count()}

    def close(self) -> None:
        self.letters = Letters()


class TestRight(WritableConformance):
    def make(self, chunks: Sequence[Chunk]) -> Letters:
        return Letters(chunks)


class TestRightCollection(CollectionConformance):
    def open(self) -> Drawer:
        return Drawer({})

    def reopen(self, collection: Drawer) -> Drawer:
        collection.close()
        return Drawer(collection.kept)


class TestRightDistances(RetrieverConformance):
    class Far(Letters):
        higher_is_better = False

        def retrieve(self, query: Any, *, top_k: int = 5, filter: Any = None) -> SearchResult:
            found = super().retrieve(query, top_k=top_k, filter=filter)
            return replace(found, hits=tuple(replace(h, score=-h.score) for h in found.hits))

    def make(self, chunks: Sequence[Chunk]) -> Letters:
        return self.Far(chunks)


# Wrong in one way each


class Zero(Letters):
    def retrieve(self, query: Any, *, top_k: Any = 5, filter: Any = None) -> SearchResult:
        return super().retrieve(query, top_k=top_k or 5, filter=filter)


class AnswersBlank(Letters):
    def retrieve(self, query: Any, *, top_k: int = 5, filter: Any = None) -> SearchResult:
        if isinstance(query, str) and not query.strip():
            return SearchResult()
        return super().retrieve(query, top_k=top_k, filter=filter)


class IgnoresFilter(Letters):
    def pool(self, query: Query, keep: Filter | None) -> Any:
        return super().pool(query, None)


class FiltersAfterTheCut(Letters):
    def retrieve(self, query: Any, *, top_k: int = 5, filter: Any = None) -> SearchResult:
        keep = Filter.parse(filter)
        found = super().retrieve(query, top_k=top_k)
        hits = [hit for hit in found if keep is None or keep.matches(hit.chunk.metadata)]
        return replace(found, hits=tuple(replace(h, rank=n) for n, h in enumerate(hits, 1)))


class SwallowsBadFilters(Letters):
    def retrieve(self, query: Any, *, top_k: int = 5, filter: Any = None) -> SearchResult:
        try:
            return super().retrieve(query, top_k=top_k, filter=filter)
        except QueryError as error:
            if "operator" in str(error):
                return SearchResult()
            raise


class ClaimsNoFilters(Letters):
    filters = False


class PoolFollowsTopK(Letters):
    def retrieve(self, query: Any, *, top_k: int = 5, filter: Any = None) -> SearchResult:
        found = super().retrieve(query, top_k=top_k, filter=filter)
        scaled = tuple(replace(hit, score=hit.score / len(found.hits)) for hit in found.hits)
        return replace(found, hits=scaled)


class RanksFromZero(Letters):
    def retrieve(self, query: Any, *, top_k: int = 5, filter: Any = None) -> SearchResult:
        found = super().retrieve(query, top_k=top_k, filter=filter)
        return replace(found, hits=tuple(replace(hit, rank=hit.rank - 1) for hit in found.hits))


class UpsideDown(Letters):
    def retrieve(self, query: Any, *, top_k: int = 5, filter: Any = None) -> SearchResult:
        found = super().retrieve(query, top_k=top_k, filter=filter)
        return replace(found, hits=tuple(replace(hit, score=-hit.score) for hit in found.hits))


class Twice(Letters):
    def pool(self, query: Query, keep: Filter | None) -> Any:
        pool = super().pool(query, keep)
        return [*pool, *pool[-1:]]


class TotalIsThePage(Letters):
    def retrieve(self, query: Any, *, top_k: int = 5, filter: Any = None) -> SearchResult:
        return replace(super().retrieve(query, top_k=top_k, filter=filter), total=1)


class LosesMetadata(Letters):
    def pool(self, query: Query, keep: Filter | None) -> Any:
        return [(s, i, replace(c, metadata={})) for s, i, c in super().pool(query, keep)]


class FindsNothing(Letters):
    def pool(self, query: Query, keep: Filter | None) -> Any:
        return []


class FailsWhenEmpty(Letters):
    def pool(self, query: Query, keep: Filter | None) -> Any:
        return super().pool(query, keep) if 1 / len(self._chunks) else []


class TwinsDiffer(Letters):
    def score(self, text: str, chunk: Chunk) -> float:
        return super().score(text, chunk) + (1e-9 if chunk.id == "twin-b" else 0.0)


class TiesByInsertion(Letters):
    def pool(self, query: Query, keep: Filter | None) -> Any:
        order = list(self._chunks)
        return sorted(
            super().pool(query, keep), key=lambda entry: (entry[0], -order.index(entry[1]))
        )


class KeepsTheCallersList(Letters):
    def __init__(self, chunks: Any = ()) -> None:
        super().__init__(chunks)
        self.given = chunks

    def pool(self, query: Query, keep: Filter | None) -> Any:
        known = {chunk.id for chunk in self.given}
        return [entry for entry in super().pool(query, keep) if entry[1] in known]


class ChangesTheFilter(Letters):
    def retrieve(self, query: Any, *, top_k: int = 5, filter: Any = None) -> SearchResult:
        if filter:
            filter["tenant"] = {"$exists": False}
        return super().retrieve(query, top_k=top_k, filter=filter)


class Remembers(Letters):
    asked = 0

    def score(self, text: str, chunk: Chunk) -> float:
        self.asked += 1
        return super().score(text, chunk) + self.asked / 1000


class ManyIgnoresTopK(Letters):
    def retrieve_many(self, queries: Any, *, top_k: int = 5, filter: Any = None) -> Any:
        return [self.retrieve(query, filter=filter) for query in queries]


class AsyncIgnoresFilter(Letters):
    async def aretrieve(self, query: Any, *, top_k: int = 5, filter: Any = None) -> SearchResult:
        return self.retrieve(query, top_k=top_k)


class RunsALoop(Letters):
    def retrieve(self, query: Any, *, top_k: int = 5, filter: Any = None) -> SearchResult:
        import asyncio

        coroutine = self._later(query, top_k, filter)
        try:
            return asyncio.run(coroutine)
        finally:
            coroutine.close()

    async def _later(self, query: Any, top_k: int, filter: Any) -> SearchResult:
        return Letters.retrieve(self, query, top_k=top_k, filter=filter)


class DescribesObjects(Letters):
    def describe(self) -> Mapping[str, Any]:
        return {"lock": self._lock}


class QueryValuesDiffer(Letters):
    def retrieve(self, query: Any, *, top_k: int = 5, filter: Any = None) -> SearchResult:
        if isinstance(query, Query):
            top_k = 1
        return super().retrieve(query, top_k=top_k, filter=filter)


class Appends(Letters):
    def pool(self, query: Query, keep: Filter | None) -> Any:
        seen = sorted([(-self.score(query.text, c), c.id, c) for c in self.all])
        return [entry for entry in seen if entry[0] < 0]

    def add(self, chunks: Any) -> int:
        self.all = [*getattr(self, "all", []), *check_chunks(chunks)]
        return super().add(chunks)


class DeletesNothing(Letters):
    def delete(self, ids: Any = None, filter: Any = None) -> int:
        names, _ = check_deletion(ids, filter)
        return len({name for name in names if name in self._chunks})


class ClearKeeps(Letters):
    def clear(self) -> int:
        return self.count()


class DeletionsLeaveTraces(Letters):
    dead = 0

    def delete(self, ids: Any = None, filter: Any = None) -> int:
        self.dead += super().delete(ids, filter)
        return self.dead

    def score(self, text: str, chunk: Chunk) -> float:
        return super().score(text, chunk) / (1 + self.dead)


class NumbersChunks(Letters):
    def add(self, chunks: Any) -> int:
        named = [replace(c, id=c.id or str(n)) for n, c in enumerate(chunks, self.count())]
        return super().add(named)

    def count(self) -> int:
        return len(getattr(self, "_chunks", ()))


class WritesUntilItFails(Letters):
    def add(self, chunks: Any) -> int:
        if isinstance(chunks, list):
            return sum(super(WritesUntilItFails, self).add([chunk]) for chunk in chunks)
        return super().add(chunks)


class EmptyFilterDeletesAll(Letters):
    def delete(self, ids: Any = None, filter: Any = None) -> int:
        return self.clear() if filter == {} else super().delete(ids, filter)


class GetRaises(Letters):
    def get(self, id: str) -> Chunk | None:
        if id not in self._chunks:
            raise AssertionError(id)
        return self._chunks[id]


@pytest.mark.parametrize(
    ("wrong", "test"),
    [
        (Zero, "top_k_is_an_int_from_one"),
        (AnswersBlank, "blank_and_foreign_queries_are_refused"),
        (IgnoresFilter, "a_filter_keeps_what_passes_and_nothing_else"),
        (FiltersAfterTheCut, "a_filter_keeps_what_passes_and_nothing_else"),
        (SwallowsBadFilters, "malformed_filters_are_refused"),
        (ClaimsNoFilters, "without_filters_a_filter_is_refused"),
        (PoolFollowsTopK, "fewer_hits_are_a_prefix_of_more"),
        (RanksFromZero, "an_answer_is_a_ranked_search_result"),
        (UpsideDown, "an_answer_is_a_ranked_search_result"),
        (Twice, "an_answer_is_a_ranked_search_result"),
        (TotalIsThePage, "an_answer_is_a_ranked_search_result"),
        (LosesMetadata, "an_answer_is_a_ranked_search_result"),
        (FindsNothing, "something_is_found"),
        (FindsNothing, "a_single_chunk"),
        (FailsWhenEmpty, "an_empty_index_answers_with_no_hits"),
        (TwinsDiffer, "identical_chunks_have_identical_scores_and_stand_by_id"),
        (TiesByInsertion, "the_order_of_the_chunks_does_not_matter"),
        (TiesByInsertion, "identical_chunks_have_identical_scores_and_stand_by_id"),
        (KeepsTheCallersList, "inputs_are_not_changed_and_results_hold_no_alias"),
        (ChangesTheFilter, "inputs_are_not_changed_and_results_hold_no_alias"),
        (Remembers, "the_same_question_has_the_same_answer"),
        (Remembers, "many_threads"),
        (ManyIgnoresTopK, "retrieve_many_equals_retrieve"),
        (AsyncIgnoresFilter, "aretrieve_equals_retrieve"),
        (RunsALoop, "retrieve_works_inside_a_running_event_loop"),
        (DescribesObjects, "describe_gives_json_values"),
        (QueryValuesDiffer, "a_query_value_is_answered_like_its_text"),
        (Appends, "a_known_id_is_replaced"),
        (DeletesNothing, "deleted_chunks_are_gone"),
        (ClearKeeps, "clear_empties_and_leaves_a_usable_index"),
        (DeletionsLeaveTraces, "any_history_equals_a_fresh_build"),
        (NumbersChunks, "a_chunk_without_id_gets_one"),
        (WritesUntilItFails, "wrong_input_is_refused_and_nothing_is_written"),
        (EmptyFilterDeletesAll, "a_deletion_names_what_it_deletes"),
        (GetRaises, "get_and_count"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_wrong_retrievers_are_caught(wrong: type[Letters], test: str) -> None:
    class Suite(WritableConformance):
        def make(self, chunks: Sequence[Chunk]) -> Letters:
            return wrong(chunks)

    with pytest.raises((AssertionError, TypeError, RuntimeError, ZeroDivisionError)):
        getattr(Suite(), f"test_{test}")()


class Forgets(Drawer):
    def close(self) -> None:
        super().close()
        self.kept["chunks"] = []


class PagesFromTheStart(Drawer):
    def search(
        self, query: Any, *, top_k: int = 5, offset: int = 0, filter: Any = None
    ) -> SearchResult:
        check_page(top_k, offset)
        return super().search(query, top_k=top_k, filter=filter)


class TakesAnyOffset(Drawer):
    def search(
        self, query: Any, *, top_k: int = 5, offset: Any = 0, filter: Any = None
    ) -> SearchResult:
        page = offset if type(offset) is int and offset > 0 else 0
        return super().search(query, top_k=top_k, offset=page, filter=filter)


class StandsStill(Drawer):
    def _wrote(self, count: int) -> int:
        return count


class RetrieverOfItsOwn(Drawer):
    def retriever(self) -> Letters:
        return Letters(CHUNKS[:2])


class AsyncCutsToOne(Drawer):
    async def asearch(self, query: Any, **options: Any) -> SearchResult:
        return self.search(query, top_k=1)


class DescribesSets(Drawer):
    def describe(self) -> Mapping[str, Any]:
        return {"ids": (1, 2)}


@pytest.mark.parametrize(
    ("wrong", "test"),
    [
        (Forgets, "reopened_it_is_the_same"),
        (PagesFromTheStart, "pages_are_cuts_of_one_list"),
        (TakesAnyOffset, "offset_is_an_int_from_zero"),
        (StandsStill, "the_generation_moves_with_every_write"),
        (RetrieverOfItsOwn, "the_retriever_answers_like_search"),
        (AsyncCutsToOne, "asearch_equals_search"),
        (DescribesSets, "describe_gives_json_values"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_wrong_collections_are_caught(wrong: type[Drawer], test: str) -> None:
    class Suite(CollectionConformance):
        def open(self) -> Drawer:
            return wrong({})

        def reopen(self, collection: Drawer) -> Drawer:
            collection.close()
            return wrong(collection.kept)

    with pytest.raises(AssertionError):
        getattr(Suite(), f"test_{test}")()


def test_a_retriever_that_refuses_filters_passes_without_them() -> None:
    class Plain(Letters):
        filters = False

        def retrieve(self, query: Any, *, top_k: int = 5, filter: Any = None) -> SearchResult:
            if filter:
                raise QueryError("no filters here")
            return super().retrieve(query, top_k=top_k)

    class Suite(RetrieverConformance):
        def make(self, chunks: Sequence[Chunk]) -> Letters:
            return Plain(chunks)

    suite = Suite()
    suite.test_without_filters_a_filter_is_refused()
    suite.test_aretrieve_equals_retrieve()
    suite.test_inputs_are_not_changed_and_results_hold_no_alias()
    with pytest.raises(unittest.SkipTest, match="does not filter"):
        suite.test_a_filter_keeps_what_passes_and_nothing_else()


def test_what_is_not_offered_is_skipped() -> None:
    class Bare:
        def __init__(self, chunks: Sequence[Chunk]) -> None:
            self.name = "bare"

    class Suite(WritableConformance):
        def make(self, chunks: Sequence[Chunk]) -> Bare:
            return Bare(chunks)

    with pytest.raises(unittest.SkipTest, match="no get and count"):
        Suite().test_get_and_count()


def test_hits_of_a_fusion_are_compared_by_what_their_legs_say() -> None:
    from plait.testing.expect import raw_scores
    from plait.types import Contribution

    share = Contribution("bm25", 2, 7.0, 1 / 62, 1.0, 1 / 62)
    nested = replace(share, leg="inner", raw_score=1 / 62, parts=(replace(share, leg="dense"),))
    fused = Hit(Chunk("x"), 2 / 62, 1, "fusion", contributions=(share, nested))
    assert raw_scores(fused) == [("bm25", 7.0), ("dense", 7.0)]


def test_what_must_be_written() -> None:
    for suite, hook in (
        (RetrieverConformance(), lambda s: s.make([])),
        (CollectionConformance(), lambda s: s.open()),
        (CollectionConformance(), lambda s: s.reopen(None)),
    ):
        with pytest.raises(NotImplementedError, match="a conformance test writes"):
            hook(suite)


def test_refused_wants_the_error_it_names() -> None:
    with refused(QueryError, "it"):
        raise QueryError("no")
    accepted = pytest.raises(AssertionError, match="it must be refused with QueryError, but it was")
    with accepted, refused(QueryError, "it"):
        pass
    other = pytest.raises(AssertionError, match="with QueryError, got ConfigurationError: no")
    with other, refused(QueryError, "it"):
        raise ConfigurationError("no")
    with pytest.raises(AssertionError, match="a promise"):
        expect(False, "a promise")


def test_the_suite_needs_no_pytest() -> None:
    import subprocess
    import sys

    code = "import plait.testing, sys; sys.exit('pytest' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
