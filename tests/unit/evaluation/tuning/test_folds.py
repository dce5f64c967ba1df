import numpy as np
import pytest

from plait.errors import ConfigurationError
from plait.evaluation.tuning.folds import part


def test_folds_are_even_and_all_there():
    numbers = part([f"query {n}" for n in range(103)], folds=5)
    assert sorted(np.bincount(numbers).tolist()) == [20, 20, 21, 21, 21]


def test_the_same_question_is_in_one_fold_whatever_its_case_and_spaces():
    texts = [f"query {n}" for n in range(20)] + ["  Query   7", "QUERY 7", "query 70"]
    numbers = part(texts, folds=4)
    assert numbers[7] == numbers[20] == numbers[21]
    assert len(set(numbers.tolist())) == 4


def test_folds_follow_the_seed():
    texts = [f"query {n}" for n in range(50)]
    assert part(texts, 5, seed=1).tolist() == part(texts, 5, seed=1).tolist()
    assert part(texts, 5, seed=1).tolist() != part(texts, 5, seed=2).tolist()


def test_a_question_that_fills_half_of_the_log_does_not_empty_a_fold():
    numbers = part(["same"] * 10 + [f"query {n}" for n in range(10)], folds=3)
    assert sorted(np.bincount(numbers).tolist()) == [5, 5, 10]


@pytest.mark.parametrize(
    ("folds", "said"),
    [(1, "folds is 1"), (True, "folds is True"), (3, "3 folds for 2 different queries")],
)
def test_folds_that_cannot_be_made_are_refused(folds, said):
    with pytest.raises(ConfigurationError, match=said):
        part(["a", "b", "B"], folds)
