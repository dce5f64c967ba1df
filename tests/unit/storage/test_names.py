"""Sorted strings in arrays: the compiled bisection and the one in Python find the same."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from plait.kernels import native
from plait.storage import MemoryArrays, Names

TEXT = st.text(st.sampled_from("ab\x00é\uffff\U0001f600"), max_size=4)


def names_of(given: list[str]) -> Names:
    return Names(MemoryArrays(Names.build(given, "x")), "x")


@given(st.sets(TEXT, max_size=30), st.lists(TEXT, max_size=10))
def test_they_are_found_by_both(there: set[str], wanted: list[str]) -> None:
    ordered = sorted(there)
    names = names_of(ordered)
    expected = [ordered.index(each) if each in there else -1 for each in wanted]
    assert names.locate(wanted).tolist() == expected
    with native.without():
        assert names.locate(wanted).tolist() == expected
    assert [names.bisect(each) for each in wanted] == [
        sum(other < each for other in ordered) for each in wanted
    ]
    assert list(names) == ordered
    assert names.at(np.arange(len(ordered))) == ordered


def test_long_strings() -> None:
    names = names_of(["a" * 10_000, "b"])
    assert names.at(np.array([1, 0])) == ["b", "a" * 10_000]
    assert names.locate(["a" * 10_000, "a" * 9_999]).tolist() == [0, -1]
