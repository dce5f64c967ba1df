from math import log2

import numpy as np
import pytest

from plait.errors import ConfigurationError
from plait.evaluation.tuning.measure import CutMeasure

# Grades by place, of two rankings of one topic; judged are four documents, three of them relevant.
SEEN = np.array([[0, 2, 0, 1, 0], [-1, 0, 0, 0, 1]])
JUDGED = [2, 1, 1, -1]


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        (
            "nDCG@3",
            (2 / log2(3)) / (2 + 1 / log2(3) + 1 / log2(4)),
            0.0,
        ),
        (
            "nDCG@5",
            (2 / log2(3) + 1 / log2(5)) / (2 + 1 / log2(3) + 1 / log2(4)),
            (1 / log2(6)) / (2 + 1 / log2(3) + 1 / log2(4)),
        ),
        ("RR@5", 1 / 2, 1 / 5),
        ("RR@1", 0.0, 0.0),
        ("R@4", 2 / 3, 0.0),
        ("R@100", 2 / 3, 1 / 3),
        ("P@2", 1 / 2, 0.0),
        ("P@10", 2 / 10, 1 / 10),
        ("AP@5", (1 / 2 + 2 / 4) / 3, (1 / 5) / 3),
        ("Success@4", 1.0, 0.0),
    ],
)
def test_values(text, first, second):
    measure = CutMeasure.parse(text)
    assert str(measure) == text
    assert measure.of(SEEN, JUDGED) == pytest.approx([first, second])


def test_the_ideal_is_cut_too():
    assert CutMeasure.parse("nDCG@1").of(np.array([[1], [2]]), [2, 2, 1]) == pytest.approx([0.5, 1])


@pytest.mark.parametrize("name", ["nDCG", "AP", "RR", "R", "P", "Success"])
def test_no_relevant_document_and_no_document_at_all_give_0(name):
    measure = CutMeasure.parse(f"{name}@10")
    assert measure.of(SEEN, [0, -1]).tolist() == [0.0, 0.0]
    assert measure.of(np.zeros((2, 0), dtype=np.int64), [1]).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("text", ["nDCG", "AP", "RR", "Judged@10"])
def test_measures_without_a_cutoff_or_a_gain_are_refused(text):
    with pytest.raises(ConfigurationError, match="tuning looks at nDCG, AP, RR, R, P, Success"):
        CutMeasure.parse(text)


def test_names_are_those_of_all_measures():
    assert CutMeasure.parse("ndcg@10") == CutMeasure.parse("nDCG@10")
    with pytest.raises(ConfigurationError, match="Bpref"):
        CutMeasure.parse("Bpref@10")
