import math

import pytest

from plait.errors import ConfigurationError, QueryError
from plait.types import Query, Variant


def test_a_question_alone_is_the_original_with_weight_one_for_every_leg() -> None:
    variant = Variant("why")
    assert variant == Variant(Query("why"), 1.0, "original", "all")
    assert variant.is_original


def test_other_names_are_not_the_original() -> None:
    assert not Variant(Query("why"), name="rewrite").is_original


@pytest.mark.parametrize("weight", [0, -1.0, math.nan, math.inf, True, "1", None])
def test_a_weight_is_a_finite_number_above_zero(weight: object) -> None:
    with pytest.raises(ConfigurationError, match=r"Variant\.weight of 'original' is .*expected a"):
        Variant(Query("why"), weight=weight)


@pytest.mark.parametrize("name", ["", "bm25@rewrite"])
def test_a_name_says_something_and_has_no_at_sign(name: str) -> None:
    with pytest.raises(ConfigurationError, match="expected a non-empty str without '@'"):
        Variant(Query("why"), name=name)


def test_a_name_is_text() -> None:
    with pytest.raises(ConfigurationError, match=r"Variant\.name is int"):
        Variant(Query("why"), name=3)


def test_legs_are_all_or_dense() -> None:
    assert Variant(Query("why"), legs="dense").legs == "dense"
    with pytest.raises(ConfigurationError, match="'sparse', expected 'all' or 'dense'"):
        Variant(Query("why"), legs="sparse")


def test_a_blank_query_is_refused() -> None:
    with pytest.raises(QueryError, match="blank"):
        Variant("  ")
