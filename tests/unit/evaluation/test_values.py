"""Topics, judgments and runs as values: what they take and refuse, and that they stay as made."""

import copy
import math
import pickle

import numpy as np
import pytest

from plait.errors import ConfigurationError
from plait.evaluation import Qrels, Run, Topics
from plait.evaluation.frozen import FrozenMapping
from plait.evaluation.run import scored
from plait.types import Query


class TestTopics:
    def test_text_becomes_a_query(self) -> None:
        topics = Topics({"1": "why", "2": Query(embedding=[1.0, 0.0])})
        assert topics["1"] == Query("why")
        assert topics["2"].embedding is not None
        assert list(topics) == ["1", "2"]

    def test_may_be_empty(self) -> None:
        assert len(Topics({})) == 0

    @pytest.mark.parametrize(
        ("queries", "message"),
        [
            ({1: "why"}, "a topic id is 1, expected a non-empty str"),
            ({"": "why"}, "a topic id is ''"),
            ({"1": " "}, "topic '1': the query is blank"),
            ({"1": 7}, "topic '1': the query is int"),
            ({"\ud800": "why"}, "lone surrogate"),
            (["why"], "queries is list"),
        ],
    )
    def test_refuses(self, queries: object, message: str) -> None:
        with pytest.raises(ConfigurationError, match=message):
            Topics(queries)


class TestQrels:
    def test_is_a_mapping_of_mappings(self) -> None:
        assert Qrels({"1": {"a": 1, "b": -2}}) == {"1": {"a": 1, "b": -2}}

    def test_holds_no_alias(self) -> None:
        grades = {"1": {"a": 1}}
        qrels = Qrels(grades)
        grades["1"]["a"] = 0
        grades["2"] = {}
        assert qrels == {"1": {"a": 1}}

    @pytest.mark.parametrize("grade", [True, 1.0, "1", None, 10**7, -(10**7), np.int64(1)])
    def test_refuses_a_grade_that_is_no_int(self, grade: object) -> None:
        with pytest.raises(ConfigurationError, match="topic '1': the grade of 'a' is"):
            Qrels({"1": {"a": grade}})

    def test_refuses_ids_that_are_no_text(self) -> None:
        with pytest.raises(ConfigurationError, match="topic '1': a document id is 7"):
            Qrels({"1": {7: 1}})
        with pytest.raises(ConfigurationError, match="topic '1' is list"):
            Qrels({"1": ["a"]})


class TestRun:
    def test_takes_pairs_best_first(self) -> None:
        run = Run("r", {"1": [["a", 2], ("b", np.float32(0.5))], "2": ()})
        assert run.rankings == {"1": (("a", 2.0), ("b", 0.5)), "2": ()}
        assert [type(score) for _, score in run.rankings["1"]] == [float, float]

    def test_equal_scores_and_repeated_documents_stay(self) -> None:
        pairs = (("a", 1.0), ("b", 1.0), ("a", 1.0))
        assert Run("r", {"1": pairs}).rankings["1"] == pairs

    @pytest.mark.parametrize(
        ("pairs", "message"),
        [
            ([("a", 1.0), ("b", 2.0)], "position 2: the score 2.0 of 'b' is higher than 1.0"),
            ([("a", math.nan)], "position 1: the score is nan"),
            ([("a", math.inf)], "the score is inf"),
            ([("a", True)], "the score is True"),
            ([("a", "1")], "the score is '1'"),
            ([("a", None)], "the score is None"),
            ([("a", 10**400)], "the score is 1000"),
            ([("", 1.0)], "the document id is ''"),
            (["ab"], "'ab', expected a .document id, score. pair"),
        ],
    )
    def test_refuses(self, pairs: object, message: str) -> None:
        with pytest.raises(ConfigurationError, match=f"topic '1', .*{message}"):
            Run("r", {"1": pairs})

    def test_needs_a_name(self) -> None:
        with pytest.raises(ConfigurationError, match="the name of a run is ''"):
            Run("", {})


class TestScored:
    def test_scores_of_the_order_are_kept(self) -> None:
        assert scored(["a", "b"], [3.0, 3.0]) == (("a", 3.0), ("b", 3.0))

    @pytest.mark.parametrize("scores", [[1.0, 2.0, 0.5], [1.0, None, 0.5], [None, None, None]])
    def test_other_scores_give_way_to_ranks(self, scores: list[float | None]) -> None:
        assert scored(["a", "b", "c"], scores) == (("a", 1.0), ("b", 1 / 2), ("c", 1 / 3))

    def test_nothing(self) -> None:
        assert scored([], []) == ()


def test_values_can_be_copied_and_sent_to_other_processes() -> None:
    for value in (Topics({"1": "why"}), Qrels({"1": {"a": 1}}), Run("r", {"1": (("a", 1.0),)})):
        assert pickle.loads(pickle.dumps(value)) == value
        assert copy.deepcopy(value) == value


def test_a_frozen_mapping_cannot_be_changed() -> None:
    frozen = FrozenMapping({"a": 1})
    with pytest.raises(TypeError):
        frozen["a"] = 2  # type: ignore[index]
    assert repr(frozen) == "{'a': 1}"
    assert repr(Topics({"1": "why"})) == "<Topics of 1>"
    assert repr(Qrels({})) == "<Qrels of 0>"
