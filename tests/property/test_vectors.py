"""Vectors, compiled and in NumPy, in one part and in several: the same bits."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.dense import DenseView, FlatIndex, MemoryVectors, PackedVectors, parse_metric
from plait.dense.codes import ask
from plait.filters import Filter
from plait.kernels import native, vectors
from plait.storage import MemoryArrays
from plait.table import ChunkTable

METRICS = st.sampled_from(["cosine", "dot", "euclidean"])
ODD = Filter.parse({"odd": True})


@dataclasses.dataclass(frozen=True)
class ListRows:
    """Rows that are alive where ``alive`` says so, and pass the filter where the id is odd."""

    ids: tuple[str, ...]
    alive: np.ndarray

    @property
    def size(self):
        return len(self.ids)

    @property
    def count(self):
        return int(self.alive.sum())

    def names(self, ordinals):
        return [self.ids[row] for row in ordinals.tolist()]

    def _mask(self, keep):
        odd = np.array([int(name) % 2 == 1 for name in self.ids], dtype=bool)
        return self.alive if keep is None else self.alive & odd

    def allowed(self, keep):
        mask = self._mask(keep)
        if mask.all():
            return None
        padded = np.zeros((len(mask) + 63) // 64 * 64, dtype=bool)
        padded[: len(mask)] = mask
        return np.packbits(padded, bitorder="little").view("<u8")

    def rows(self, ids, keep=None):
        mask = self._mask(keep)
        places = {name: row for row, name in enumerate(self.ids)}
        found = [places[name] for name in ids if name in places]
        return np.array([row for row in found if mask[row]], dtype=np.int64)


@st.composite
def matrices(draw, most=300):
    """Rows of any dimension: random ones, few values with many ties, or copies of few rows."""
    count, dim = draw(st.integers(1, most)), draw(st.integers(1, 130))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    kind = draw(st.sampled_from(["random", "ties", "copies"]))
    if kind == "ties":
        rows = rng.integers(-1, 2, (count, dim))
    else:
        rows = rng.standard_normal((count, dim)) * 10.0 ** rng.integers(-3, 4)
    if kind == "copies":
        rows = rows[rng.integers(0, min(3, count), count)]
    rows = rows.astype(np.float32)
    rows[~rows.any(axis=1), 0] = 1
    return rows, rng


def both(function):
    """What a function gives with the compiled loops and with NumPy."""
    compiled = function()
    with native.without():
        return compiled, function()


@settings(max_examples=60)
@given(matrices(), st.sampled_from([1, 2, 4]), st.integers(1, 400), st.booleans())
def test_compiled_loops_give_the_bits_of_numpy(given_rows, planes, keep, near):
    if native.library() is None:
        pytest.skip("no compiled loops here")
    rows, rng = given_rows
    count, dim = rows.shape
    groups, blocks = (dim + 7) // 8, (count + 63) // 64
    query, some = rows[rng.integers(count)], rng.integers(0, count, 20)
    scales, center = rng.random(count) + 0.5, rows.mean(axis=0).astype(np.float64)
    most = min(vectors.LARGEST, (2**16 - 1) // (2 * groups))
    tables = rng.integers(0, most + 1, (3, 2 * groups, 16)).astype(np.uint8)
    lines = rng.standard_normal((3, 3)).astype(np.float32)
    mask = np.zeros(blocks * 64, dtype=bool)
    mask[:count] = rng.random(count) < 0.3
    allowed = np.packbits(mask, bitorder="little").view("<u8")

    def everything():
        codes = np.zeros((blocks, planes * groups, 64), dtype=np.uint8)
        factors = np.zeros((blocks, 2, 64), dtype=np.float32)
        half = count // 2
        for first, part in ((0, slice(half)), (half, slice(half, None))):
            vectors.encode(
                rows[part], scales[part], center, planes=planes, spread=0.7, near=near,
                first=first, codes=codes, factors=factors,
            )  # fmt: skip
        return [
            vectors.lengths(rows),
            vectors.dots(rows, query),
            vectors.dots(rows, query, some),
            vectors.distances(rows, query),
            vectors.distances(rows, query, some),
            codes,
            factors,
            *vectors.propose(codes, factors, count, None, tables, lines, keep),
            *vectors.propose(codes, factors, count, allowed, tables, lines, keep),
        ]

    for compiled, plain in zip(*both(everything), strict=True):
        assert compiled.dtype == plain.dtype
        np.testing.assert_array_equal(compiled, plain)


def packed(rows, metric, alive=None, names=None):
    alive = np.ones(len(rows), dtype=bool) if alive is None else alive
    names = [f"{row:04}" for row in range(len(rows))] if names is None else names
    arrays = MemoryArrays(PackedVectors.build(rows, metric))
    return PackedVectors(arrays, ListRows(tuple(names), alive), metric)


@settings(max_examples=60)
@given(matrices(), METRICS, st.integers(1, 20), st.integers(1, 30), st.booleans(), st.data())
def test_proposals_and_answers_do_not_depend_on_what_computes(
    given_rows, name, top_k, candidates, filtered, data
):
    rows, rng = given_rows
    metric = parse_metric(name)
    alive = rng.random(len(rows)) < data.draw(st.sampled_from([1.0, 0.7, 0.0]))
    queries = rows[rng.integers(0, len(rows), 3)] + np.float32(0.25)
    queries[~queries.any(axis=1), 0] = 1
    keep = ODD if filtered else None

    def answers():
        part = packed(rows, metric, alive)
        asked = {"top_k": top_k, "keep": keep, "candidates": candidates}
        return part.rank_many(queries, **asked), [
            part.rank_many(query[np.newaxis], **asked)[0] for query in queries
        ]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("plait.dense.packed._FEW", 0)  # codes propose, however few rows there are
        compiled, plain = both(answers)
    assert compiled == plain
    together, alone = compiled
    assert together == alone
    assert {each.total for each in together} == {
        sum(alive[row] and (row % 2 or not filtered) for row in range(len(rows)))
    }


@settings(max_examples=60)
@given(matrices(most=200), METRICS, st.integers(1, 20), st.booleans(), st.data())
def test_exact_answers_are_those_of_a_flat_index_however_they_are_cut(
    given_rows, name, top_k, filtered, data
):
    """Bit for bit, whether rows lie in one part, in several, or partly in memory."""
    rows, rng = given_rows
    metric, count = parse_metric(name), len(rows)
    keep = ODD if filtered else None
    queries = list(rows[rng.integers(0, count, 2)] + np.float32(0.25))
    for query in queries:
        query[0] += not query.any()
    table = ChunkTable()
    names = [f"{row:04}" for row in range(count)]
    metadata = [{"odd": row % 2 == 1} for row in range(count)]
    table.add(names, metadata)
    flat = MemoryVectors(table.view(), FlatIndex(metric).added(rows))
    expected = DenseView((flat,), metric, rows.shape[1]).rank_many(
        queries, top_k=top_k, filter=keep
    )
    places = rng.integers(0, 3, count)
    parts = []
    for number in range(2):
        here = np.flatnonzero(places == number)
        parts.append(packed(rows[here], metric, names=[names[row] for row in here]))
    tail, here = ChunkTable(), np.flatnonzero(places == 2)
    tail.add([names[row] for row in here], [metadata[row] for row in here])
    parts.append(MemoryVectors(tail.view(), FlatIndex(metric, rows.shape[1]).added(rows[here])))
    view = DenseView(tuple(parts), metric, rows.shape[1])
    assert view.rank_many(queries, top_k=top_k, filter=keep) == expected
    enough = dataclasses.replace(view, candidates=data.draw(st.integers(1, top_k)))
    asked = {"top_k": top_k, "filter": keep, "exact": True}
    assert enough.rank_many(queries, **asked) == expected
    # rows that are not all looked at have the scores that they have everywhere
    scores = view.score(queries[0], names)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("plait.dense.packed._FEW", 0)
        found = enough.rank(queries[0], top_k=1)
    assert {name: scores[name] for name in found.ids} == dict(
        zip(found.ids, found.scores, strict=True)
    )
    merged = PackedVectors.merge(
        parts[:2],
        np.repeat(np.int32([0, 1]), [parts[0].count, parts[1].count]),
        np.concatenate([np.arange(part.count) for part in parts[:2]]),
    )
    fresh = PackedVectors.build(np.concatenate([rows[places == 0], rows[places == 1]]), metric)
    assert merged.keys() == fresh.keys()
    made = MemoryArrays(merged)
    for array in fresh:
        np.testing.assert_array_equal(made[array], fresh[array])


@settings(max_examples=60)
@given(matrices(most=100), METRICS)
def test_keys_estimate_what_decides_the_order(given_rows, name):
    """key = |v|^2 <w, d> / <v, w> + what is known, w being what the code says of v."""
    rows, rng = given_rows
    metric, (count, dim) = parse_metric(name), rows.shape
    arrays = PackedVectors.build(rows, metric)
    query = (rows[0] + rng.standard_normal(dim) * 0.1).astype(np.float32)
    groups = (dim + 7) // 8
    planes = arrays["vectors.codes"].shape[1] // groups
    table, (slope, shift, pull) = ask(query, arrays["vectors.center"], metric, planes)
    x, q, center = (each.astype(np.float64) for each in (rows, query, arrays["vectors.center"]))
    if metric.needs_direction:
        x /= np.linalg.norm(x, axis=1, keepdims=True)
    if metric.higher_is_better:
        q /= np.linalg.norm(q)
    v, direction = x - center, q - pull * center
    top = 2**planes - 1
    for row in range(count):
        octets = arrays["vectors.codes"][row // 64, :, row % 64].reshape(planes, groups)
        bits = np.unpackbits(octets, axis=1, bitorder="little")[:, :dim].astype(np.float64)
        w = 2 * (2.0 ** np.arange(planes) @ bits) - top
        assert (w * v[row] >= -1e-7 * np.abs(v[row]).max()).all()
        factor, bias = arrays["vectors.factors"][row // 64, :, row % 64].astype(np.float64)
        size = np.abs(v[row]).max() ** 2 * dim
        assert factor * (w @ v[row]) == pytest.approx(v[row] @ v[row], rel=1e-4, abs=1e-9 * size)
        known = v[row] @ center if metric.higher_is_better else -v[row] @ v[row] / 2
        assert bias == pytest.approx(known, rel=1e-4, abs=1e-5 * size + 1e-6 * abs(x[row] @ x[row]))
        total = sum(
            int(table[2 * group, octet & 15]) + int(table[2 * group + 1, octet >> 4]) << plane
            for plane, line in enumerate(octets)
            for group, octet in enumerate(line.tolist())
        )
        # each of 2 * groups numbers was rounded by at most 1/2; pull is told in float32
        rounding = top * 2 * groups * slope / 2
        error = abs(slope * total + shift - w @ direction)
        assert error <= 1.001 * rounding + 1e-6 * top * (np.abs(q) + np.abs(pull * center)).sum()
