"""Metadata is JSON, checked once, and read-only afterwards."""

import copy
import enum
import json
import pickle
from datetime import UTC, date, datetime, time, timedelta, timezone
from types import MappingProxyType

import numpy as np
import pytest

from plait.errors import ConfigurationError
from plait.metadata import EMPTY, MAX_DEPTH, FrozenDict, FrozenList, freeze, utc_text


class Color(str, enum.Enum):  # noqa: UP042 (str() of this older form gives 'Color.RED')
    RED = "red"


def nested(levels: int) -> dict:
    value: dict = {"leaf": 1}
    for _ in range(levels - 1):
        value = {"a": value}
    return value


def test_nothing_is_empty() -> None:
    assert freeze(None) is EMPTY
    assert freeze({}) == {}


def test_json_values_stay_as_they_are() -> None:
    metadata = {"s": "é", "i": 2**70, "f": -0.5, "b": True, "l": ["a", 1, [2.5]], "d": {"x": {}}}
    frozen = freeze(metadata)
    assert frozen == metadata
    assert json.loads(json.dumps(frozen)) == metadata


def test_frozen_twice_is_the_same_object() -> None:
    once = freeze({"a": [1]})
    assert freeze(once) is once


def test_any_mapping_and_tuples_are_taken() -> None:
    assert freeze(MappingProxyType({"a": (1, 2)})) == {"a": [1, 2]}


def test_none_means_absent() -> None:
    assert freeze({"a": None, "b": {"c": None}, "d": [None, 1]}) == {"b": {}, "d": [1]}


def test_str_subclass_becomes_the_text_it_equals() -> None:
    frozen = freeze({Color.RED: Color.RED, "l": [Color.RED]})
    assert frozen == {"red": "red", "l": ["red"]}
    assert {type(key) for key in frozen} == {str}
    assert type(frozen["red"]) is str


def test_datetimes_become_utc_text() -> None:
    moment = datetime(2024, 5, 1, 14, 30, tzinfo=timezone(timedelta(hours=2)))
    assert freeze({"at": moment}) == {"at": "2024-05-01T12:30:00+00:00"}
    assert utc_text(datetime(2024, 5, 1, 12, 30)) == utc_text(moment)  # noqa: DTZ001


def test_order_of_datetime_texts_is_that_of_time() -> None:
    moments = [
        datetime(999, 1, 1, tzinfo=UTC),
        datetime(2024, 5, 1, tzinfo=UTC),
        datetime(2024, 5, 1, 0, 0, 0, 1, tzinfo=UTC),
        datetime(2024, 5, 1, 0, 0, 1, tzinfo=UTC),
    ]
    texts = [utc_text(moment) for moment in moments]
    assert texts == sorted(texts)


@pytest.mark.parametrize("wrong", [[], "", 0, False, "lang=en", [("a", 1)]])
def test_what_is_no_mapping_is_refused(wrong: object) -> None:
    with pytest.raises(ConfigurationError, match=f"metadata is {type(wrong).__name__}, expected"):
        freeze(wrong)


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"a": {"b": {1, 2}}}, r"'a\.b' is a set .* expected str, bool, int"),
        ({"a": [b"x"]}, "'a' is a bytes"),
        ({"a": {1}}, r"convert it first, with list\(\.\.\.\)$"),
        ({"a": frozenset()}, r"convert it first, with list\(\.\.\.\)$"),
        ({"a": np.int64(3)}, r"'a' is a int64 .*convert it first, with \.item\(\)$"),
        ({"a": np.float64(3)}, r"convert it first, with \.item\(\)$"),
        ({"a": np.ones(2)}, r"convert it first, with \.tolist\(\)$"),
        ({"a": date(2024, 5, 1)}, r"convert it first, with \.isoformat\(\)$"),
        ({"a": time(12)}, r"convert it first, with \.isoformat\(\)$"),
        ({"a": object()}, "'a' is a object .*convert it first$"),
        ({"a": float("nan")}, "'a' is nan, expected a finite number"),
        ({"a": [1.0, float("-inf")]}, "'a' is -inf, expected a finite number"),
        ({1: "x"}, "field 1 is named by a int, expected a str"),
        ({"a": {None: "x"}}, r"field a\.None is named by a NoneType"),
        ({"a": "x\ud800"}, "'a' holds a lone surrogate at position 1"),
        ({"\ud800": 1}, "holds a lone surrogate at position 0"),
        (nested(MAX_DEPTH + 1), "nested deeper than 64 levels"),
        (
            {"a": datetime.max.replace(tzinfo=timezone(timedelta(hours=-5)))},
            r"'a' is datetime\.datetime\(9999, .*outside the years 1 to 9999",
        ),
    ],
)
def test_what_is_not_json_is_refused_by_field(metadata: dict, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        freeze(metadata)


def test_deep_and_circular_metadata() -> None:
    assert freeze(nested(MAX_DEPTH)) == nested(MAX_DEPTH)
    circular: dict = {}
    circular["self"] = [circular]
    with pytest.raises(ConfigurationError, match="nested deeper"):
        freeze(circular)


def test_the_source_may_change_afterwards() -> None:
    tags = ["a"]
    frozen = freeze({"tags": tags})
    tags.append("b")
    assert frozen == {"tags": ["a"]}


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.__setitem__("a", 1),
        lambda d: d.__delitem__("tags"),
        lambda d: d.update(a=1),
        lambda d: d.__ior__({"a": 1}),
        lambda d: d.pop("tags"),
        lambda d: d.popitem(),
        lambda d: d.setdefault("a", 1),
        lambda d: d.clear(),
        lambda d: d["tags"].append("b"),
        lambda d: d["tags"].extend(["b"]),
        lambda d: d["tags"].insert(0, "b"),
        lambda d: d["tags"].pop(),
        lambda d: d["tags"].remove("x"),
        lambda d: d["tags"].sort(),
        lambda d: d["tags"].reverse(),
        lambda d: d["tags"].clear(),
        lambda d: d["tags"].__setitem__(0, "b"),
        lambda d: d["tags"].__delitem__(0),
        lambda d: d["tags"].__iadd__(["b"]),
        lambda d: d["tags"].__imul__(2),
        lambda d: d["deep"].__setitem__("a", 1),
    ],
)
def test_frozen_metadata_cannot_be_changed(change: object) -> None:
    frozen = freeze({"tags": ["x", "y"], "deep": {"a": 0}})
    with pytest.raises(TypeError, match=r"read-only; build a new chunk with dataclasses\.replace"):
        change(frozen)
    assert frozen == {"tags": ["x", "y"], "deep": {"a": 0}}


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda d: pickle.loads(pickle.dumps(d))]
)
def test_copies_are_frozen_too(again: object) -> None:
    frozen = again(freeze({"tags": ["x"], "deep": {"a": 0}}))
    assert frozen == {"tags": ["x"], "deep": {"a": 0}}
    assert (type(frozen), type(frozen["tags"])) == (FrozenDict, FrozenList)
    assert type(frozen["deep"]) is FrozenDict


def test_equal_metadata_has_equal_hashes() -> None:
    one, other = freeze({"a": [1, {"b": 2}], "c": "x"}), freeze({"c": "x", "a": [1, {"b": 2}]})
    assert one == other
    assert hash(one) == hash(other)
