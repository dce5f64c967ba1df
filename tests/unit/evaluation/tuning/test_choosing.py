import numpy as np
import pytest

from plait.evaluation.tuning.choosing import choose, distance
from plait.evaluation.tuning.space import Candidate
from plait.fusion import Learned, Rrf, Rsf

DEFAULT = Candidate(Rsf(), 200, (1.0, 1.0))


def test_nearer_is_fewer_changes_then_less_weight_moved_then_the_window():
    learned = Learned(("a", "b"), ((1, 1, 1), (1, 1, 1)))
    ordered = [
        DEFAULT,
        Candidate(Rsf(), 100, (0.5, 0.5)),  # one change
        Candidate(Rsf(), 50, (0.5, 0.5)),
        Candidate(Rsf(), 200, (0.4, 0.6)),
        Candidate(Rsf(), 200, (0.0, 1.0)),
        Candidate(Rsf(), 100, (0.4, 0.6)),  # two
        Candidate(Rrf(), 200, (0.2, 0.8)),
        Candidate(Rrf(), 100, (0.4, 0.6)),  # three
        Candidate(learned, 200, (1.0, 1.0)),
    ]
    distances = [distance(candidate, DEFAULT) for candidate in ordered]
    assert distances == sorted(distances)
    assert not any(distances[0])
    assert all(any(each) for each in distances[1:])


def test_the_scale_of_weights_is_no_distance():
    assert not any(distance(Candidate(Rsf(), 200, (0.5, 0.5)), DEFAULT))
    assert not any(distance(Candidate(Rsf(), 200, (0.1, 0.1)), DEFAULT))


def test_weights_on_both_sides_are_equally_far():
    # As floats, |.2 - .3| is not |.4 - .3|.
    default = Candidate(Rsf(), 200, (0.3, 0.7))
    below, above = Candidate(Rsf(), 200, (0.2, 0.8)), Candidate(Rsf(), 200, (0.4, 0.6))
    assert distance(below, default) == distance(above, default)


def test_a_learned_default_is_no_further_than_any_default():
    learned = Candidate(Learned(("a", "b"), ((1, 1, 1), (1, 1, 1))), 200, (1.0, 1.0))
    assert not any(distance(learned, learned))


def test_within_one_standard_error_the_nearest_wins():
    # Behind the best by 0.1 ± 0.2/√4 and by 0.2 ± 0.2/√4: the first is within one error.
    best = np.array([0.5, 0.5, 0.5, 0.5])
    near = best - (0.1 + np.array([0.2, -0.2, 0.2, -0.2]) * np.sqrt(3) / 2)
    far = best - (0.2 + np.array([0.2, -0.2, 0.2, -0.2]) * np.sqrt(3) / 2)
    assert (best - near).std(ddof=1) / 2 == pytest.approx(0.1)
    scores = np.array([far, near - 1e-6, near, best])
    assert choose(scores, [(0,), (1,), (2,), (3,)]) == 2


def test_the_error_is_that_of_the_difference_on_the_same_topics():
    # Topics differ by 1, the candidates on each by 0.1 alone: that can be told.
    default, better = np.array([0.0, 0.5, 0.9]), np.array([0.1, 0.6, 1.0])
    assert choose(np.array([default, better]), [(0,), (1,)]) == 1


def test_equal_ones_go_by_nearness_and_then_by_place():
    scores = np.full((3, 5), 0.5)
    assert choose(scores, [(2,), (1,), (1,)]) == 1
    scores[2] += 1e-15
    assert choose(scores, [(0,), (1,), (1,)]) == 0


def test_one_topic_takes_the_best():
    assert choose(np.array([[0.2], [0.4], [0.3]]), [(0,), (1,), (2,)]) == 1
