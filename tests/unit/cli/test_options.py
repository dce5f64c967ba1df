from collections.abc import Callable
from typing import Any

import click
import pytest

from plait.cli.options import completed_by, read_filter, read_fusion, read_weights

OPTION = click.Option(["--option"])
CONTEXT = click.Context(click.Command("thing"))


def refused(read: Callable[..., Any], value: str) -> str:
    with pytest.raises(click.BadParameter) as raised:
        read(CONTEXT, OPTION, value)
    assert raised.value.param is OPTION
    return raised.value.message


@pytest.mark.parametrize("read", [read_filter, read_fusion, read_weights])
def test_an_option_that_is_left_out_is_none(read: Callable[..., Any]) -> None:
    assert read(CONTEXT, OPTION, None) is None


def test_a_filter_is_json() -> None:
    assert read_filter(CONTEXT, OPTION, '{"a": {"$gte": 1}, "b": "é"}') == {
        "a": {"$gte": 1},
        "b": "é",
    }
    assert read_filter(CONTEXT, OPTION, "{}") == {}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            "product=pro",
            "is not JSON (Expecting value: line 1 column 1 (char 0)); write it such as",
        ),
        ("", "'' is not JSON"),
        ("[1]", "a filter is list"),
        ("3", "a filter is int"),
        ('{"a": {"$regx": "x"}}', "unknown operator '$regx' on 'a'"),
        ('{"a": null}', "None is stored as absent"),
        ('{"a": NaN}', "expected a finite number"),
        ('{"a": {"$gt": 1, "$gt": 2}}', "'$gt' stands twice; write"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": ' + "9" * 5000 + "}", "limit"),
    ],
)
def test_what_is_no_filter_is_refused(value: str, message: str) -> None:
    assert message in refused(read_filter, value)


def test_weights_by_leg() -> None:
    assert read_weights(CONTEXT, OPTION, "dense=1, bm25=2.5") == {"dense": 1.0, "bm25": 2.5}
    assert read_weights(CONTEXT, OPTION, "dense=0") == {"dense": 0.0}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("1,2", "'1,2' is not of the form 'dense=1,bm25=2'"),
        ("", "is not of the form"),
        ("dense=1,", "is not of the form"),
        ("=1", "is not of the form"),
        ("dense=1,dense=2", "is not of the form"),
        ("dense=much", "the weight of 'dense' is 'much', expected a number"),
        ("dense=", "the weight of 'dense' is '', expected a number"),
    ],
)
def test_what_are_no_weights_is_refused(value: str, message: str) -> None:
    assert message in refused(read_weights, value)


def test_a_fusion_is_checked_by_its_parser() -> None:
    assert read_fusion(CONTEXT, OPTION, "rrf(k=10)") == "rrf(k=10)"
    assert "bogus" in refused(read_fusion, "bogus(k=1)")


def test_completion_by_the_beginning() -> None:
    complete = completed_by("dense", "bm25")
    assert complete(CONTEXT, OPTION, "") == ["dense", "bm25"]
    assert complete(CONTEXT, OPTION, "b") == ["bm25"]
    assert complete(CONTEXT, OPTION, "x") == []
