"""DenseView: the ranking that one state gives a query."""

import math

import numpy as np
import pytest

from plait.dense import DOT, EUCLIDEAN, DenseView, FlatIndex, MemoryVectors
from plait.errors import QueryError
from plait.filters import Filter
from plait.table import ChunkTable
from plait.types import Chunk


def whole(part):
    return DenseView((part,), part.metric, part.dim)


def view(vectors, *, metric=None, metadata=None, chunks=()):
    """A view of rows named "a", "b", ... ."""
    table = ChunkTable()
    names = [chr(ord("a") + row) for row in range(len(vectors))]
    table.add(names, metadata or [{}] * len(names))
    index = FlatIndex() if metric is None else FlatIndex(metric)
    index = index.added(np.float32(vectors)) if vectors else index
    return whole(MemoryVectors(table.view(), index, chunks))


def numbered(vectors, metadata=None):
    """A view of many rows named "0000", "0001", ... ."""
    table = ChunkTable()
    table.add([f"{row:04}" for row in range(len(vectors))], metadata or [{}] * len(vectors))
    return whole(MemoryVectors(table.view(), FlatIndex().added(vectors)))


class TestRank:
    def test_cosine_by_hand(self):
        ranking = view([[1, 0], [3, 4], [-2, 0]]).rank(np.float32([2, 0]), top_k=3)
        assert ranking.ids == ("a", "b", "c")
        assert ranking.scores == (1.0, float(np.float32(3 / 5)), -1.0)
        assert (ranking.higher_is_better, ranking.score_range) == (True, (-1.0, 1.0))
        assert (ranking.total, ranking.leg) == (3, "dense")

    def test_dot_by_hand(self):
        ranking = view([[1, 0], [3, 4], [-2, 0]], metric=DOT).rank(np.float32([2, 1]), top_k=3)
        assert ranking.ids == ("b", "a", "c")
        assert ranking.scores == (2.0 * 3 + 4, 2.0 * 1, 2.0 * -2)
        assert ranking.score_range == (None, None)

    def test_euclidean_puts_the_nearest_first_and_shows_distances(self):
        ranking = view([[5, 5], [2, 0], [2, 1]], metric=EUCLIDEAN).rank(np.float32([2, 0]), top_k=3)
        assert ranking.ids == ("b", "c", "a")
        assert ranking.scores == (0.0, 1.0, float(np.float32(math.sqrt(3**2 + 5**2))))
        assert (ranking.higher_is_better, ranking.score_range) == (False, (0.0, None))
        assert ranking.oriented[0] > ranking.oriented[1]

    def test_length_decides_in_dot_and_not_in_cosine(self):
        rows = [[1, 0], [30, 40]]
        assert view(rows).rank(np.float32([1, 0]), top_k=2).ids == ("a", "b")
        assert view(rows, metric=DOT).rank(np.float32([1, 0]), top_k=2).ids == ("b", "a")

    def test_ties_go_by_id(self):
        same = [[3, 4]] * 5
        tied = view(same)
        assert tied.rank(np.float32([1, 1]), top_k=5).ids == ("a", "b", "c", "d", "e")
        assert tied.rank(np.float32([1, 1]), top_k=2).ids == ("a", "b")
        assert view(same, metric=EUCLIDEAN).rank(np.float32([1, 1]), top_k=2).ids == ("a", "b")

    def test_scores_that_differ_only_beyond_float32_are_ties(self):
        near = np.nextafter(np.float32(1), np.float32(2))
        ranking = view([[1, near], [1, 1]]).rank(np.float32([1, 1]), top_k=1)
        assert (ranking.ids, ranking.scores) == (("a",), (1.0,))

    def test_zero_is_not_minus_zero(self):
        (score,) = view([[-1]], metric=DOT).rank(np.float32([0]), top_k=1).scores
        assert math.copysign(1, score) == 1

    def test_fewer_rows_than_asked_for(self):
        assert len(view([[1, 0], [0, 1]]).rank(np.float32([1, 0]), top_k=10)) == 2

    def test_nothing_there(self):
        ranking = view([]).rank(np.float32([1, 0]), top_k=3)
        assert (ranking.ids, ranking.scores, ranking.total) == ((), (), 0)

    def test_a_result_is_a_prefix_of_a_longer_one(self):
        """Also among many ties."""
        rows = np.random.default_rng(0).integers(1, 4, (500, 4))
        large = numbered(rows)
        whole = large.rank(np.float32([1, 2, 0, 1]), top_k=500)
        for top_k in (1, 2, 7, 50, 499):
            part = large.rank(np.float32([1, 2, 0, 1]), top_k=top_k)
            assert (part.ids, part.scores) == (whole.ids[:top_k], whole.scores[:top_k])

    def test_exact_changes_nothing_in_a_flat_index(self):
        some = view([[1, 0], [3, 4], [-2, 0]])
        query = np.float32([1, 1])
        assert some.rank(query, top_k=2, exact=True) == some.rank(query, top_k=2)


class TestFilter:
    metadata = ({"lang": "de"}, {"lang": "en"}, {})

    def test_applies_before_ranking(self):
        some = view([[1, 0], [0, 1], [1, 1]], metadata=list(self.metadata))
        ranking = some.rank(np.float32([1, 0]), top_k=2, filter=Filter.parse({"lang": "en"}))
        assert (ranking.ids, ranking.total) == (("b",), 1)

    def test_that_keeps_nothing(self):
        some = view([[1, 0], [0, 1], [1, 1]], metadata=list(self.metadata))
        ranking = some.rank(np.float32([1, 0]), top_k=2, filter=Filter.parse({"lang": "fr"}))
        assert (ranking.ids, ranking.total) == ((), 0)

    def test_the_score_does_not_depend_on_it(self):
        rng = np.random.default_rng(0)
        large = numbered(
            rng.standard_normal((2000, 100)), [{"few": row % 50 == 0} for row in range(2000)]
        )
        query = rng.standard_normal(100).astype(np.float32)
        whole = dict(zip(*_columns(large.rank(query, top_k=2000)), strict=True))
        few = large.rank(query, top_k=40, filter=Filter.parse({"few": True}))
        assert len(few) == 2000 / 50
        assert all(whole[id] == score for id, score in zip(*_columns(few), strict=True))


class TestMany:
    def test_is_rank_of_each(self):
        rng = np.random.default_rng(0)
        large = numbered(rng.standard_normal((1000, 100)))
        queries = list(rng.standard_normal((20, 100)).astype(np.float32))
        assert large.rank_many(queries, top_k=7) == [large.rank(q, top_k=7) for q in queries]

    def test_of_no_queries(self):
        assert view([[1, 0]]).rank_many([], top_k=3) == []

    def test_where_no_row_has_fixed_the_dimension(self):
        nothing = whole(MemoryVectors(ChunkTable().view(), FlatIndex()))
        found = nothing.rank_many([np.float32([1, 0]), np.float32([1, 0, 0])], top_k=1)
        assert [(ranking.ids, ranking.total) for ranking in found] == [((), 0), ((), 0)]

    def test_a_bad_query_is_refused_before_any_work(self):
        with pytest.raises(QueryError, match="3 dimensions"):
            view([[1, 0]]).rank_many([np.float32([1, 0]), np.float32([1, 0, 0])], top_k=1)


def test_identical_rows_have_identical_scores_wherever_they_stand():
    """BLAS gives them different products."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((1003, 100)).astype(np.float32)
    twins = [0, 1, 500, 777, 1001, 1002]
    rows[twins] = rows[0]
    large = numbered(rows)
    for query in rng.standard_normal((10, 100)).astype(np.float32):
        scores = dict(zip(*_columns(large.rank(query, top_k=2000)), strict=True))
        assert len({scores[f"{row:04}"] for row in twins}) == 1
    nearest = large.rank(rows[0], top_k=6)
    assert nearest.ids == tuple(f"{row:04}" for row in twins)
    assert set(nearest.scores) == {1.0}


def test_chunks_by_ordinal_come_with_the_ranking():
    chunks = [Chunk("east", id="a"), Chunk("north", id="b")]
    ranking = view([[1, 0], [0, 1]], chunks=chunks).rank(np.float32([0, 1]), top_k=1)
    assert ranking.chunks == (chunks[1],)
    assert view([[1, 0]]).rank(np.float32([0, 1]), top_k=1).chunks == ()


def _columns(ranking):
    return ranking.ids, ranking.scores


class TestVectors:
    def test_those_of_the_ids_that_are_there(self):
        found = view([[1, 0], [3, 4], [0, 2]]).vectors(["c", "nobody", "b"])
        assert {name: vector.tolist() for name, vector in found.items()} == {
            "c": [0, 2],
            "b": [3, 4],
        }

    def test_none_without_rows(self):
        assert view([]).vectors(["a"]) == {}
