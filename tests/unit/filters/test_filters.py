"""Filters: each operator, types that never mix, exact negations, every refusal."""

from datetime import UTC, datetime, timedelta, timezone
from enum import Enum, IntEnum, StrEnum

import numpy as np
import pytest

from plait.errors import QueryError
from plait.filters import And, Condition, Filter, Not, Or
from plait.metadata import MAX_DEPTH, freeze


def matches(source: object, metadata: dict) -> bool:
    kept = Filter.parse(source)
    assert kept is not None
    # Metadata as read from JSON and metadata as frozen in a chunk are judged alike.
    assert kept.matches(metadata) is kept.matches(freeze(metadata))
    return kept.matches(metadata)


@pytest.mark.parametrize(
    ("source", "passing", "failing"),
    [
        ({"a": 1}, [1, 1.0, [0, 1]], [2, True, "1", [], [[1]], {"a": 1}]),
        ({"a": 1.5}, [1.5], [1, "1.5"]),
        ({"a": True}, [True, [False, True]], [1, 1.0, "true", False]),
        ({"a": False}, [False], [0, 0.0, "", [], True]),
        ({"a": ""}, ["", ["", "x"]], [" ", False, 0, []]),
        ({"a": "x"}, ["x", ["y", "x"]], ["X", "xx", ["xx"]]),
        ({"a": {"$eq": "x"}}, ["x"], ["y"]),
        ({"a": {"$ne": 1}}, [2, True, "1", [], [2, 3]], [1, 1.0, [2, 1]]),
        ({"a": {"$gt": 1}}, [2, 1.0000001, [0, 5]], [1, 0, True, "2", [], [0, 1]]),
        ({"a": {"$gte": 1}}, [1, 1.0, 2], [0.9999, True, "1"]),
        ({"a": {"$lt": 1}}, [0, -1e308], [1, False, "0"]),
        ({"a": {"$lte": 1}}, [1, 0.5], [1.1, True, False]),
        ({"a": {"$gt": "b"}}, ["ba", "c", "é"], ["b", "B", "a", 3]),
        ({"a": {"$lt": "é"}}, ["e", "z", "É"], ["é", "ê", "𠮷"]),
        ({"a": {"$in": [1, "x"]}}, [1, 1.0, "x", ["y", "x"]], [True, "1", 2, []]),
        ({"a": {"$in": (True,)}}, [True], [1]),
        ({"a": {"$in": {"x"}}}, ["x"], ["y", "z"]),
        ({"a": {"$nin": frozenset(["x"])}}, ["y"], ["x"]),
        ({"a": {"$in": []}}, [], [1, "x", []]),
        ({"a": {"$nin": [1, "x"]}}, [2, True, "1", []], [1, "x", ["y", "x"]]),
        ({"a": {"$nin": []}}, [1, []], []),
        ({"a": {"$contains": "x"}}, [["x"], ["y", "x"]], ["x", "xyz", [], [["x"]]]),
        ({"a": {"$contains": 1}}, [[1], [1.0]], [1, [True], ["1"]]),
        ({"a": {"$exists": True}}, [0, "", False, [], {}], []),
        ({"a": {"$exists": False}}, [], [0, "", False, [], {}]),
        ({"a": {"$not": {"$gt": 1}}}, [1, 0, "2", []], [2, [0, 2]]),
        ({"a": {"$gt": 1, "$lt": 3}}, [2], [1, 3]),
        ({"a": {"$gt": 2**53}}, [2**53 + 1], [2**53, float(2**53)]),
        ({"a": 10**400}, [10**400], [1e308]),
    ],
    ids=repr,
)
def test_operators(source: dict, passing: list, failing: list) -> None:
    for value in passing:
        assert matches(source, {"a": value}), value
    for value in failing:
        assert not matches(source, {"a": value}), value


@pytest.mark.parametrize("metadata", [{}, {"b": 1}, {"a": None}])
def test_absent_fields(metadata: dict) -> None:
    for no in (
        {"a": 1}, {"a": {"$gt": 0}}, {"a": {"$lte": "z"}}, {"a": {"$in": [1]}},
        {"a": {"$contains": 1}}, {"a": {"$exists": True}}, {"a.b": 1},
    ):  # fmt: skip
        assert not matches(no, metadata)
    for yes in (
        {"a": {"$ne": 1}}, {"a": {"$nin": [1]}}, {"a": {"$nin": []}}, {"a": {"$not": {"$gt": 0}}},
        {"$not": {"a": 1}}, {"a": {"$exists": False}}, {"a.b": {"$exists": False}},
    ):  # fmt: skip
        assert matches(yes, metadata)


@pytest.mark.parametrize(
    ("source", "metadata", "expected"),
    [
        ({"a.b": 1}, {"a": {"b": 1}}, True),
        ({"a.b": 1}, {"a": {"b": [0, 1]}}, True),
        ({"a.b": 1}, {"a": {"b": {"c": 1}}}, False),
        ({"a.b.c": 1}, {"a": {"b": {"c": 1}}}, True),
        ({"a.b": 1}, {"a": [{"b": 0}, "text", {"b": 1}]}, True),
        ({"a.b": {"$ne": 1}}, {"a": [{"b": 0}, {"b": 1}]}, False),
        ({"a.b": {"$exists": True}}, {"a": [{}, {"b": []}]}, True),
        ({"a.b": {"$exists": False}}, {"a": [{}, 3]}, True),
        ({"a.b": {"$exists": False}}, {"a": "text"}, True),
        ({"a.0": 1}, {"a": [1]}, False),
        ({"a.b": 1}, {"a.b": 1}, True),
        ({"a.b": 1}, {"a.b": 2, "a": {"b": 1}}, False),
        ({"a.b.c": 1}, {"a": {"b.c": 1}}, True),
        ({"a.": 1}, {"a": {"": 1}}, True),
    ],
    ids=repr,
)
def test_dotted_fields(source: dict, metadata: dict, expected: bool) -> None:
    assert matches(source, metadata) is expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({}, True),
        ({"$and": []}, True),
        ({"$or": []}, False),
        ({"$not": {}}, False),
        ({"$not": {"$or": []}}, True),
        ({"a": 1, "b": "x"}, True),
        ({"a": 1, "b": "y"}, False),
        ({"$and": [{"a": 1}, {"b": "x"}]}, True),
        ({"$and": [{"a": 1}, {"b": "y"}]}, False),
        ({"$or": [{"a": 2}, {"b": "x"}]}, True),
        ({"$or": ({"a": 2}, {"b": "y"})}, False),
        ({"$not": {"a": 1, "b": "y"}}, True),
        ({"$not": {"$not": {"a": 1}}}, True),
        ({"b": "y", "$or": [{"a": 1}, {"a": 2}]}, False),
        ({"$or": [{"$and": [{"a": 1}, {"b": "y"}]}, {"$not": {"a": {"$lt": 1}}}]}, True),
    ],
    ids=repr,
)
def test_combinations(source: dict, expected: bool) -> None:
    assert matches(source, {"a": 1, "b": "x"}) is expected


def test_datetimes_compare_as_utc_text() -> None:
    metadata = freeze({"at": datetime(2024, 5, 1, 12, tzinfo=UTC)})
    east = timezone(timedelta(hours=2))
    assert Filter.parse({"at": datetime(2024, 5, 1, 14, tzinfo=east)}).matches(metadata)
    assert Filter.parse({"at": datetime(2024, 5, 1, 12)}).matches(metadata)  # noqa: DTZ001
    assert Filter.parse({"at": {"$lt": datetime(2024, 5, 1, 14, 1, tzinfo=east)}}).matches(metadata)
    assert not Filter.parse({"at": {"$gt": datetime(2024, 5, 1, 12, tzinfo=UTC)}}).matches(metadata)


class Color(StrEnum):
    RED = "red"


class Shade(str, Enum):  # noqa: UP042 (str() of this older form gives 'Shade.RED')
    RED = "red"


class Size(IntEnum):
    LARGE = 3


@pytest.mark.parametrize(
    ("given", "value"),
    [(Color.RED, "red"), (Shade.RED, "red"), (Size.LARGE, 3), (np.float64(0.5), 0.5)],
)
def test_an_operand_of_a_subclass_is_taken_as_what_it_equals(given: object, value: object) -> None:
    for operand in (given, {"$in": [given]}, {"$contains": given}):
        assert matches({"a": operand}, {"a": [value]})
    assert Filter.parse({"a": given}) == Filter.parse({"a": value})
    assert hash(Filter.parse({"a": given})) == hash(Filter.parse({"a": value}))


def test_a_value_is_not_compared_with_each_of_thousands() -> None:
    class Seen(float):
        compared = 0

        def __eq__(self, other: object) -> bool:
            Seen.compared += 1
            return float.__eq__(self, other)

        __hash__ = float.__hash__

    kept = Filter.parse({"a": {"$in": list(range(5000))}})
    assert kept.matches({"a": Seen(4999.0)})
    assert not kept.matches({"a": Seen(0.5)})
    assert Seen.compared < 50


def test_none_and_filters_pass_through_parse() -> None:
    keep = Filter.parse({"a": 1})
    assert Filter.parse(None) is None
    assert Filter.parse(keep) is keep


def test_a_filter_does_not_follow_later_changes_of_its_source() -> None:
    values = [1]
    keep = Filter.parse({"a": {"$in": values}})
    values.append(2)
    assert not keep.matches({"a": 2})


@pytest.mark.parametrize(
    ("source", "empty"),
    [
        ({}, True),
        ({"$and": []}, True),
        ({"$and": [{}, {"$and": []}]}, True),
        ({"$or": [{"a": 1}, {}]}, True),
        ({"$or": []}, False),
        ({"$or": [{"a": 1}]}, False),
        ({"$and": [{}, {"a": 1}]}, False),
        ({"a": {"$exists": True}}, False),
        ({"$not": {"a": 1}}, False),
    ],
    ids=repr,
)
def test_is_empty_finds_filters_without_a_test_in_the_way(source: dict, empty: bool) -> None:
    assert Filter.parse(source).is_empty is empty


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": 0}, {"a": False}, False),
        ({"a": {"$in": [1, 0]}}, {"a": {"$in": [1, False]}}, False),
        ({"a": {"$in": [1]}}, {"a": {"$in": [1.0]}}, True),
        ({"a": 1}, {"a": {"$eq": 1}}, True),
        ({"a": 1}, {"$and": [{"a": 1}]}, False),
        ({"a": {"$ne": 1}}, {"a": {"$not": {"$eq": 1}}}, True),
        ({"a": 1}, {"b": 1}, False),
    ],
    ids=repr,
)
def test_as_keys_of_a_cache(one: dict, other: dict, same: bool) -> None:
    first, second = Filter.parse(one), Filter.parse(other)
    assert (first == second) is same
    assert len({first, second}) == (1 if same else 2)


def test_the_tree_that_parsing_makes() -> None:
    assert Filter.parse({"a": {"$nin": ["x"]}, "$or": [{"b": 1}]}).root == And(
        (Not(Condition("a", "$in", ("x",))), Or((Condition("b", "$eq", 1),)))
    )


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([("a", 1)], r"a filter is list .* expected a mapping such as \{\"product\": \"pro\"\}"),
        ("a = 1", "a filter is str"),
        ({"$and": {"a": 1}}, r"\$and is dict, expected a list of filters"),
        ({"$or": "x"}, r"\$or is str, expected a list of filters"),
        ({"$or": [1]}, "a filter is int"),
        ({"$and": [None]}, "a filter is NoneType"),
        ({"$not": [1]}, "a filter is list"),
        ({"$nor": []}, r"unknown operator '\$nor'; beside fields stand \$and, \$or, \$not"),
        ({"$gt": 3}, r"unknown operator '\$gt'; beside fields"),
        ({"": 1}, "names the field '', expected a non-empty str"),
        ({3: 1}, "names the field 3, expected"),
        ({"a": {}}, r"the filter on 'a' is empty; give a value, or one of \$eq, .*\$not"),
        ({"a": {"$regx": "x"}}, r"unknown operator '\$regx' on 'a'; known: \$eq, \$gt,.*\$not$"),
        ({"a": {"$and": []}}, r"unknown operator '\$and' on 'a'"),
        (
            {"a": {"b": 1}},
            r"unknown operator 'b' on 'a'; .*; write \"a\.b\" to reach into a nested",
        ),
        ({"a": {3: 1}}, r"unknown operator 3 on 'a'"),
        ({"a": {"$not": 3}}, r"\$not on 'a' is 3, expected operators such as \{\"\$gt\": 3\}"),
        ({"a": {"$not": {}}}, "the filter on 'a' is empty"),
        ({"a": {"$exists": 1}}, r"\$exists on 'a' is 1, expected True or False"),
        ({"a": {"$in": "xyz"}}, r"\$in on 'a' is 'xyz', expected a list"),
        ({"a": {"$nin": 3}}, r"\$nin on 'a' is 3, expected a list"),
        ({"a": {"$in": {"x": 1}}}, r"\$in on 'a' is \{'x': 1\}, expected a list"),
        ({"a": {"$in": [None]}}, r"\$in on 'a' is NoneType .*\{\"a\": \{\"\$exists\": false\}\}"),
        ({"a": {"$gt": True}}, r"\$gt on 'a' is True; true and false have no order"),
        ({"a": {"$lte": False}}, r"\$lte on 'a' is False; true and false have no order"),
        ({"a": {"$gt": [1]}}, r"\$gt on 'a' is list"),
        ({"a": None}, r"\$eq on 'a' is NoneType .*; None is stored as absent, so write"),
        ({"a": {"$ne": None}}, r"\$ne on 'a' is NoneType"),
        ({"a": [1, 2]}, r"\$eq on 'a' is list .*; write \{\"a\": \{\"\$in\": \[\.\.\.\]\}\}"),
        ({"a": {"$eq": {"b": 1}}}, r"\$eq on 'a' is dict .*expected str, bool, int, float or date"),
        ({"a": float("nan")}, r"\$eq on 'a' is nan, expected a finite number"),
        ({"a": {"$in": [1, float("inf")]}}, r"\$in on 'a' is inf, expected a finite number"),
        ({"a": b"x"}, r"\$eq on 'a' is bytes"),
        (
            {"a": datetime.min.replace(tzinfo=timezone(timedelta(hours=5)))},
            r"\$eq on 'a' is datetime\.datetime\(1, 1, 1, .*outside the years 1 to 9999",
        ),
    ],
    ids=repr,
)
def test_refusals(source: object, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        Filter.parse(source)


@pytest.mark.parametrize(
    ("leaf", "wrap"),
    [
        ({"a": 1}, lambda inner: {"$and": [inner]}),
        ({"a": 1}, lambda inner: {"$not": inner}),
    ],
)
def test_nesting_has_a_limit(leaf: dict, wrap: object) -> None:
    source = leaf
    for _ in range(MAX_DEPTH - 1):
        source = wrap(source)
    assert Filter.parse(source) is not None
    for _ in range(5000):
        source = wrap(source)
    with pytest.raises(QueryError, match="the filter is nested deeper than 64 levels; flatten it"):
        Filter.parse(source)


def test_nesting_of_operators_has_a_limit() -> None:
    operators: dict = {"$gt": 3}
    for _ in range(MAX_DEPTH):
        operators = {"$not": operators}
    with pytest.raises(QueryError, match="nested deeper"):
        Filter.parse({"a": operators})


def test_a_field_of_none_hides_nothing_that_the_dots_lead_to():
    exists = Filter.parse({"b.a": {"$exists": True}})
    assert exists.matches({"b.a": None, "b": {"a": False}})
    assert not exists.matches({"b.a": None, "b": {"a": None}})
    assert not exists.matches({"b.a": None})
