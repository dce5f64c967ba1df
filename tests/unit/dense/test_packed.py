"""PackedVectors: the best of a part, exactly or from what its codes propose."""

import numpy as np
import pytest

from plait.dense import COSINE, DOT, EUCLIDEAN, DenseView, PackedVectors
from plait.filters import Filter
from plait.storage import Files, MemoryArrays, write_arrays
from plait.table import PartRanking

METRICS = [COSINE, DOT, EUCLIDEAN]
EAST = np.float32([[1, 0]])


@pytest.fixture
def packed(list_rows):
    def make(vectors, metric=COSINE, metadata=None, dead=()):
        vectors = np.float32(vectors)
        names = [f"{row:05}" for row in range(len(vectors))]
        arrays = MemoryArrays(PackedVectors.build(vectors, metric))
        return PackedVectors(arrays, list_rows(names, metadata, dead), metric)

    return make


@pytest.fixture
def codes_propose(monkeypatch):
    """Codes propose, however few rows there are; notes how many are looked at in full."""
    monkeypatch.setattr("plait.dense.packed._FEW", 0)
    seen = []
    scores = PackedVectors._scores
    monkeypatch.setattr(
        PackedVectors,
        "_scores",
        lambda self, query, rows: seen.append(len(rows)) or scores(self, query, rows),
    )
    return seen


def clusters(count, dim, seed=0):
    """Vectors in clusters, as those of texts are, and queries between them."""
    rng = np.random.default_rng(seed)
    centers = rng.standard_normal((count // 100, dim))
    rows = centers[rng.integers(0, len(centers), count)] + rng.standard_normal((count, dim))
    asked = centers[rng.integers(0, len(centers), 20)] + rng.standard_normal((20, dim))
    return rows.astype(np.float32), asked.astype(np.float32)


class TestRank:
    def test_by_hand(self, packed):
        part = packed([[1, 0], [0, 5], [3, 4]])
        (found,) = part.rank_many(EAST, top_k=2)
        assert found == PartRanking(("00000", "00002"), (1.0, float(np.float32(3 / 5))), 3)
        (found,) = packed([[1, 0], [0, 5], [3, 4]], DOT).rank_many(EAST, top_k=2)
        assert found == PartRanking(("00002", "00000"), (3.0, 1.0), 3)
        (found,) = packed([[1, 0], [0, 5], [4, 4]], EUCLIDEAN).rank_many(EAST, top_k=2)
        assert found == PartRanking(("00000", "00002"), (0.0, 5.0), 3)

    def test_dead_rows_and_what_does_not_pass_are_left_out(self, packed):
        part = packed([[1, 0]] * 4, metadata=[{"n": row} for row in range(4)], dead=["00001"])
        assert part.count == 3
        (found,) = part.rank_many(EAST, top_k=9)
        assert (found.ids, found.total) == (("00000", "00002", "00003"), 3)
        (found,) = part.rank_many(EAST, top_k=9, keep=Filter.parse({"n": {"$lt": 3}}))
        assert (found.ids, found.total) == (("00000", "00002"), 2)
        (found,) = part.rank_many(EAST, top_k=9, keep=Filter.parse({"n": 1}))
        assert (found.ids, found.total) == ((), 0)

    def test_no_rows(self, packed):
        (found,) = packed(np.empty((0, 2))).rank_many(EAST, top_k=3, candidates=5)
        assert found == PartRanking((), (), 0)

    @pytest.mark.parametrize("metric", METRICS, ids=str)
    @pytest.mark.parametrize("dim", [48, 200, 700])
    def test_hardly_any_of_the_best_is_missed(self, packed, codes_propose, metric, dim):
        rows, queries = clusters(4000, dim)
        rows *= np.random.default_rng(1).uniform(0.8, 1.25, (4000, 1)).astype(np.float32)
        part = packed(rows, metric)
        exact = part.rank_many(queries, top_k=50)
        found = part.rank_many(queries, top_k=50, candidates=400)
        assert codes_propose[-20:] == [400] * 20
        shares = [len(set(a.ids) & set(b.ids)) / 50 for a, b in zip(exact, found, strict=True)]
        assert np.mean(shares) >= 0.99

    def test_codes_do_not_score(self, packed, codes_propose):
        rows, queries = clusters(1000, 64)
        part = packed(rows)
        (found,) = part.rank_many(queries[:1], top_k=10, candidates=100)
        assert codes_propose == [100]
        scores = COSINE.scores(rows, queries[0]).astype(np.float32)
        assert found.scores == tuple(scores[[int(name) for name in found.ids]].tolist())

    def test_a_shorter_answer_is_a_cut_of_a_longer_one(self, packed, codes_propose):
        rows, queries = clusters(1000, 64)
        part = packed(rows)
        (whole,) = part.rank_many(queries[:1], top_k=100, candidates=100)
        for top_k in (1, 7, 99):
            (found,) = part.rank_many(queries[:1], top_k=top_k, candidates=100)
            assert (found.ids, found.scores) == (whole.ids[:top_k], whole.scores[:top_k])
        assert codes_propose == [100] * 4

    @pytest.mark.parametrize(
        "asked",
        [
            {"top_k": 5, "candidates": None},
            {"top_k": 5, "candidates": 100, "exact": True},
            {"top_k": 101, "candidates": 100},
            {"top_k": 5, "candidates": 250},
            {"top_k": 5, "candidates": 100, "keep": Filter.parse({"n": 3})},
        ],
        ids=["not told", "exact", "more than candidates", "most rows", "few pass"],
    )
    def test_everything_is_compared(self, packed, codes_propose, monkeypatch, asked):
        monkeypatch.setattr(PackedVectors, "_proposed", None)
        rows, queries = clusters(1000, 64)
        part = packed(rows, metadata=[{"n": row % 5} for row in range(1000)])
        (found,) = part.rank_many(queries[:1], **asked)
        scores = COSINE.scores(rows, queries[0]).astype(np.float32)
        order = np.argsort(-scores, kind="stable").tolist()
        if "keep" in asked:
            order = [row for row in order if row % 5 == 3]
        assert found.ids == tuple(f"{row:05}" for row in order[: asked["top_k"]])

    def test_where_many_rows_pass_the_mask_is_applied_before_proposing(self, packed, codes_propose):
        rows, _ = clusters(1000, 64)
        part = packed(rows, metadata=[{"n": row % 2} for row in range(1000)])
        (found,) = part.rank_many(rows[:1], top_k=50, candidates=100, keep=Filter.parse({"n": 1}))
        assert codes_propose == [100]
        assert len(found.ids) == 50
        assert all(int(name) % 2 for name in found.ids)

    def test_equal_rows_go_by_id_among_candidates_too(self, packed, codes_propose):
        part = packed([[3, 4]] * 500)
        (found,) = part.rank_many(EAST, top_k=3, candidates=10)
        assert found.ids == ("00000", "00001", "00002")
        assert codes_propose == [10]

    @pytest.mark.parametrize("metric", [DOT, EUCLIDEAN], ids=str)
    def test_a_query_and_rows_of_zeros(self, packed, codes_propose, metric):
        part = packed([[0, 0]] * 100 + [[1, 2]] * 100, metric)
        (found,) = part.rank_many(np.zeros((1, 2), np.float32), top_k=2, candidates=10)
        assert (found.ids, found.scores) == (("00000", "00001"), (0.0, 0.0))


class TestRest:
    def test_scores_are_those_of_a_ranking(self, packed):
        part = packed([[1, 0], [3, 4], [0, 1]], dead=["00002"])
        wanted = ["00001", "nobody", "00002", "00000"]
        scores = part.score(EAST[0], wanted)
        assert scores == {"00001": float(np.float32(3 / 5)), "00000": 1.0}
        assert part.score(EAST[0], wanted, Filter.parse({"n": 1})) == {}

    def test_vectors(self, packed):
        found = packed([[1, 0], [3, 4], [0, 1]], dead=["00002"]).vectors(["00001", "00002", "x"])
        assert {name: row.tolist() for name, row in found.items()} == {"00001": [3, 4]}

    def test_over_other_rows(self, packed, list_rows):
        part = packed([[1, 0], [3, 4]])
        rest = part.over(list_rows(part.rows.ids, dead=["00000"]))
        assert [each.ids for each in rest.rank_many(EAST, top_k=2)] == [("00001",)]
        assert (part.count, rest.count, rest.alive().tolist()) == (2, 1, [1])

    def test_only_what_is_looked_at_is_touched(self, list_rows):
        """What lies in a file is checked before it is used, and nothing else is read."""
        rows, queries = clusters(7000, 16)

        class Noted(MemoryArrays):
            touched = ()

            def touch(self, name, start=0, stop=None):
                self.touched += (name,)

            def touch_rows(self, name, rows):
                self.touched += ((name, len(rows)),)

        arrays = Noted(PackedVectors.build(rows, COSINE))
        part = PackedVectors(arrays, list_rows([f"{row:05}" for row in range(7000)]), COSINE)
        part.rank_many(queries[:1], top_k=5, candidates=40)
        assert {*arrays.touched} == {
            "vectors.codes", "vectors.factors", "vectors.center", "vectors.lengths",
            ("vectors.rows", 40),
        }  # fmt: skip
        arrays.touched = ()
        part.rank_many(queries[:1], top_k=5)
        assert "vectors.rows" in arrays.touched
        assert "vectors.codes" not in arrays.touched


def test_merged_rows_are_a_fresh_build(packed):
    rows, _ = clusters(300, 20)
    parts = [packed(rows[:100], DOT), packed(rows[100:], DOT)]
    ordinals = np.random.default_rng(3).permutation(300)[:250]
    merged = PackedVectors.merge(
        parts,
        (ordinals >= 100).astype(np.int32),
        np.where(ordinals < 100, ordinals, ordinals - 100),
    )
    built = PackedVectors.build(rows[ordinals], DOT)
    assert list(merged) == list(built)
    for found in (MemoryArrays(merged), MemoryArrays(dict(reversed(merged.items())))):
        for name, array in built.items():
            np.testing.assert_array_equal(found[name], array)
            assert found[name].dtype == array.dtype


@pytest.mark.parametrize("metric", [COSINE, DOT, EUCLIDEAN], ids=str)
def test_rows_are_merged_in_pieces(packed, monkeypatch, tmp_path, metric):
    """The same file as of what is built whole, though no two pieces are in memory at once."""
    rows, _ = clusters(1000, 24)
    parts = [packed(rows[place::3], metric) for place in range(3)]
    source = np.arange(1000, dtype=np.int32) % 3
    files = [tmp_path / "built", tmp_path / "merged"]
    write_arrays(files[0], PackedVectors.build(rows, metric), meta={}, files=Files())
    monkeypatch.setattr("plait.dense.codes._PIECE", 24 * 150)  # two blocks of 64 rows
    merged = PackedVectors.merge(parts, source, np.arange(1000) // 3)
    assert [len(piece) for piece in merged["vectors.rows"].pieces()] == [128] * 7 + [104]
    assert [len(piece) for piece in merged["vectors.codes"].pieces()] == [2] * 8
    write_arrays(files[1], merged, meta={}, files=Files())
    assert files[0].read_bytes() == files[1].read_bytes()


def test_several_parts_are_one(packed, list_rows):
    """Scores and order do not tell where a row lies."""
    rows, queries = clusters(300, 20)
    names = [f"{row:05}" for row in range(300)]
    parts = []
    for number in range(3):
        arrays = MemoryArrays(PackedVectors.build(rows[number::3], COSINE))
        parts.append(PackedVectors(arrays, list_rows(names[number::3]), COSINE))
    view = DenseView(tuple(parts), COSINE, 20)
    whole = DenseView((packed(rows),), COSINE, 20)
    assert view.count == 300
    assert view.rank_many(queries, top_k=30) == whole.rank_many(queries, top_k=30)
    assert view.score(queries[0], names) == whole.score(queries[0], names)
    assert view.vectors(names).keys() == set(names)
