"""What the answers to a query look like, and how much each sentence then counts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from plait.evaluation.self_supervised import features, likeness
from plait.types import Ranking

COSINE = (-1.0, 1.0)


class TestFeatures:
    def test_worked_out_by_hand(self) -> None:
        dense = Ranking("dense", ("a", "b", "c"), (0.9, 0.5, 0.1), score_range=COSINE)
        bm25 = Ranking("bm25", ("a", "b"), (8.0, 2.0), score_range=(0.0, None), coverage=0.25)
        found = features([(dense, bm25)])
        lead = (0.9 - (0.5 + 0.1) / 2) / (0.9 - 0.1)
        assert found.tolist() == [[math.log(lead), 0.9, 1.0, math.log(1.0), 0.0, 0.25]]

    def test_the_lead_is_over_the_next_nine(self) -> None:
        scores = (10.0, *[5.0] * 9, *[0.0] * 50)
        ids = tuple(str(n) for n in range(60))
        assert features([(Ranking("a", ids, scores),)])[0, 0] == math.log((10 - 5) / (10 - 0))

    def test_a_distance_is_turned(self) -> None:
        ranking = Ranking(
            "a", ("x", "y", "z"), (0.1, 0.3, 0.5), higher_is_better=False, score_range=(0.0, 4.0)
        )
        lead = (-0.1 - (-0.3 - 0.5) / 2) / (-0.1 + 0.5)
        assert features([(ranking,)])[0].tolist() == [pytest.approx(math.log(lead)), -0.1, 1.0]

    def test_what_has_no_lead(self) -> None:
        for ranking, expected in (
            (Ranking("a", (), (), coverage=0.0), [0.0, 0.0, 0.0]),
            (Ranking("a", ("x",), (0.5,), score_range=COSINE), [0.0, 0.5, 1.0]),
            (Ranking("a", ("x", "y"), (0.5, 0.5), score_range=COSINE), [0.0, 0.5, 1.0]),
            (Ranking("a", ("x", "y"), (None, None)), [0.0, 0.0, 1.0]),
        ):
            assert features([(ranking,)]).tolist() == [expected]

    def test_the_smallest_lead(self) -> None:
        # Ten that are nearly equal, and one far behind: 0.001/10 of the spread.
        scores = (10.0, *[9.999] * 9, 0.0)
        ids = tuple(str(n) for n in range(11))
        assert features([(Ranking("a", ids, scores),)])[0, 0] == math.log(0.02)


class TestLikeness:
    def test_one_kind_of_question_counts_alike(self) -> None:
        random = np.random.default_rng(0)
        both = random.normal(size=(2000, 3))
        counts = likeness(both[:1000], both[1000:])
        assert counts.mean() == pytest.approx(1)
        assert abs(counts - 1).max() < 0.5
        same = likeness(both[:50], both[:50])
        assert same == pytest.approx(np.ones(50), abs=1e-6)

    def test_sentences_that_are_like_the_queries_count_more(self) -> None:
        random = np.random.default_rng(1)
        sentences = random.normal(size=(500, 2))
        queries = random.normal([1.0, 0.0], size=(300, 2))
        counts = likeness(sentences, queries)
        assert counts.mean() == pytest.approx(1)
        assert (counts > 0).all()
        # The odds of N(1, 1) against N(0, 1) are exp(x - 1/2): they rise with the first feature,
        # and not with the second.
        assert np.corrcoef(np.log(counts), sentences[:, 0])[0, 1] > 0.98
        # Weighted, the sentences have the mean of the queries.
        assert (counts @ sentences)[0] / 500 == pytest.approx(1.0, abs=0.25)
        assert (counts @ sentences)[1] / 500 == pytest.approx(0.0, abs=0.25)

    def test_the_unit_of_a_feature_and_its_place_mean_nothing(self) -> None:
        random = np.random.default_rng(2)
        sentences, queries = random.normal(size=(80, 2)), random.normal(size=(60, 2)) + 0.5
        counts = likeness(sentences, queries)
        moved = likeness(sentences * [1e6, 1e-6] + [5, -7], queries * [1e6, 1e-6] + [5, -7])
        assert moved == pytest.approx(counts, rel=1e-6)

    def test_both_samples_count_the_same_whatever_their_sizes(self) -> None:
        random = np.random.default_rng(3)
        sentences, queries = random.normal(size=(40, 2)), random.normal(size=(30, 2)) + 1
        once = likeness(sentences, queries)
        assert likeness(sentences, np.tile(queries, (5, 1))) == pytest.approx(once, rel=1e-6)

    def test_features_that_do_not_vary_say_nothing(self) -> None:
        assert likeness(np.ones((3, 2)), np.ones((4, 2))).tolist() == [1.0, 1.0, 1.0]
        random = np.random.default_rng(4)
        sentences, queries = random.normal(size=(40, 1)), random.normal(size=(30, 1)) + 1
        with_constant = likeness(
            np.hstack([sentences, np.full((40, 1), 0.1)]),
            np.hstack([queries, np.full((30, 1), 0.1)]),
        )
        assert with_constant == pytest.approx(likeness(sentences, queries), rel=1e-6)

    def test_odds_are_believed_up_to_ten_times_their_mean(self) -> None:
        # One sentence of a hundred is like the queries, which are unlike all others.
        sentences = np.zeros((100, 1))
        sentences[0] = 10.0
        counts = likeness(sentences, np.full((100, 1), 10.0))
        assert counts.mean() == pytest.approx(1)
        others = counts[1]
        assert counts[0] / others > 10
        odds = counts / (counts[0] / 10)  # in units of the mean odds: 10 for the first
        assert odds[1] == pytest.approx(odds[99])
        assert odds.mean() < 1  # the first was cut

    @pytest.mark.parametrize("apart", [1.0, 10.0, 1e6])
    def test_samples_that_have_nothing_in_common_stay_finite(self, apart: float) -> None:
        random = np.random.default_rng(5)
        counts = likeness(random.normal(size=(60, 6)), random.normal(size=(40, 6)) + apart)
        assert np.isfinite(counts).all()
        assert (counts > 0).all()
        assert counts.mean() == pytest.approx(1)

    def test_a_single_one_of_each(self) -> None:
        assert likeness(np.array([[1.0]]), np.array([[2.0]])).tolist() == [1.0]
