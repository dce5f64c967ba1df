"""Calibration: the smallest number of candidates that is sure to find enough."""

import dataclasses

import numpy as np
import pytest

from plait.dense import COSINE, Calibration, PackedVectors, calibrate
from plait.errors import ConfigurationError
from plait.storage import MemoryArrays

MADE = Calibration(3000, 2, 200, 0.99, 0.994, "passages", 200, 1_000_000)


@pytest.fixture
def parts(list_rows):
    def make(rows, cuts=1, dead=()):
        names = [f"{row:05}" for row in range(len(rows))]
        made = []
        for number in range(cuts):
            arrays = MemoryArrays(PackedVectors.build(rows[number::cuts], COSINE))
            here = names[number::cuts]
            alive = list_rows(here, dead=[name for name in here if name in dead])
            made.append(PackedVectors(arrays, alive, COSINE))
        return made

    return make


def noise(count, dim=40, seed=0):
    return np.random.default_rng(seed).standard_normal((count, dim)).astype(np.float32)


def recall(part, queries, candidates, top_k):
    """What the first candidates of the codes have of the exact best, in the mean."""
    found = []
    for query, proposed in zip(queries, part.proposed(queries, candidates), strict=True):
        scores = COSINE.scores(part.taken(np.arange(part.count)), query)
        best = np.argsort(-scores, kind="stable")[:top_k]
        found.append(np.isin(best, proposed).mean())
    return np.mean(found)


class TestValue:
    def test_its_text_form_reads_back(self):
        assert Calibration.from_json(MADE.to_json()) == MADE
        none = dataclasses.replace(MADE, candidates=None)
        assert Calibration.from_json(none.to_json()) == none

    def test_it_is_stale_when_the_collection_has_doubled(self):
        assert not MADE.is_stale(1_999_999)
        assert MADE.is_stale(2_000_000)
        assert dataclasses.replace(MADE, count=0).is_stale(2)

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ({"candidates": 0}, "candidates of a calibration is 0, expected int or NoneType >= 1"),
            ({"candidates": True}, "candidates of a calibration is True"),
            ({"recall": 1}, "recall of a calibration is 1, expected float"),
            ({"recall": float("nan")}, "recall of a calibration is nan"),
            ({"measured_on": "hope"}, "'hope', expected passages or queries"),
        ],
    )
    def test_bad_values_are_refused(self, values, message):
        with pytest.raises(ConfigurationError, match=message):
            Calibration.of({**MADE.to_dict(), **values})

    def test_bad_text_is_refused(self):
        with pytest.raises(ConfigurationError, match="not JSON"):
            Calibration.from_json("{")
        with pytest.raises(ConfigurationError, match="expected candidates, bits, fetch_k"):
            Calibration.from_json('{"candidates": 5}')
        with pytest.raises(ConfigurationError, match="5; expected candidates"):
            Calibration.from_json("5")


class TestCalibrate:
    def test_on_passages(self, parts):
        (part,) = parts(noise(3000))
        made = calibrate([part], fetch_k=20)
        assert (made.measured_on, made.queries, made.count) == ("passages", 200, 3000)
        assert (made.bits, made.fetch_k, made.target) == (4, 20, 0.99)
        assert made.candidates is not None
        assert 40 <= made.candidates <= 3000 / 4
        assert 0.99 <= made.recall <= 1
        assert recall(part, noise(50, seed=1), made.candidates, 20) >= 0.99

    def test_on_real_queries_if_there_are_enough(self, parts):
        rows = parts(noise(3000))
        made = calibrate(rows, fetch_k=20, queries=noise(50, seed=1))
        assert (made.measured_on, made.queries) == ("queries", 50)
        assert made.candidates is not None
        assert calibrate(rows, fetch_k=20, queries=noise(49, seed=1)).measured_on == "passages"

    def test_the_margin_is_smaller_for_real_queries(self, parts):
        """Queries like passages: the same number is needed, before the margin."""
        rows = parts(noise(3000))
        passages = calibrate(rows, fetch_k=20, seed=1)
        queries = calibrate(rows, fetch_k=20, queries=noise(200, seed=1))
        assert queries.candidates / passages.candidates == pytest.approx(1.25 / 2, rel=0.15)

    def test_a_lower_target_takes_fewer(self, parts):
        rows = parts(noise(3000, dim=8))
        low, high = (calibrate(rows, fetch_k=20, target=target) for target in (0.6, 0.99))
        assert low.candidates < high.candidates

    def test_the_same_for_the_same_seed(self, parts):
        rows = parts(noise(2000))
        assert calibrate(rows, fetch_k=10, seed=3) == calibrate(rows, fetch_k=10, seed=3)

    def test_few_rows_need_no_measuring(self, parts):
        made = calibrate(parts(noise(700)), fetch_k=200)
        assert (made.candidates, made.recall, made.queries) == (None, 1.0, 0)

    def test_no_rows(self, parts):
        made = calibrate(parts(np.empty((0, 4), np.float32)))
        assert (made.candidates, made.count) == (None, 0)

    def test_what_codes_cannot_tell_apart_is_compared(self, parts):
        """Small steps around few points: 4 bits of 2 dimensions say nothing of them."""
        rng = np.random.default_rng(0)
        rows = rng.standard_normal((2, 2))[rng.integers(0, 2, 2000)]
        rows += rng.standard_normal((2000, 2)) * 1e-3
        made = calibrate(parts(rows.astype(np.float32)), fetch_k=20)
        assert (made.candidates, made.recall, made.queries) == (None, 1.0, 200)

    def test_more_are_tried_where_the_first_are_not_enough(self, parts, monkeypatch):
        rows = parts(noise(3000, dim=8))
        expected = calibrate(rows, fetch_k=20)
        monkeypatch.setattr("plait.dense.calibration._FIRST", 1)
        assert calibrate(rows, fetch_k=20).candidates == pytest.approx(
            expected.candidates, rel=0.25
        )

    def test_over_several_parts_each_looks_at_fewer(self, parts):
        rows = noise(3000, dim=8)
        whole, cut = calibrate(parts(rows), fetch_k=20), calibrate(parts(rows, cuts=3), fetch_k=20)
        assert cut.count == 3000
        assert cut.candidates < whole.candidates

    def test_dead_rows_neither_ask_nor_count(self, parts):
        rows = noise(2000)
        dead = {f"{row:05}" for row in range(500)}
        made = calibrate(parts(rows, dead=dead), fetch_k=10)
        assert made.count == 1500
        assert made.candidates is not None
