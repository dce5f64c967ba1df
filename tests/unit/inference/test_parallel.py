"""Inputs run alone, several side by side."""

import threading

import pytest

from plait.inference import parallel, side_by_side


@pytest.mark.parametrize("cores", [1, 2, 8])
def test_the_order_is_that_of_the_inputs(monkeypatch, cores):
    monkeypatch.setattr(parallel, "cores", lambda: cores)
    assert side_by_side(lambda number: number * number, [3, 1, 2]) == [9, 1, 4]


def test_none_and_a_single_one_need_no_thread():
    assert side_by_side(len, []) == []
    assert side_by_side(lambda _: threading.current_thread().name, ["one"]) == [
        threading.current_thread().name
    ]


def test_what_one_raises_is_raised(monkeypatch):
    monkeypatch.setattr(parallel, "cores", lambda: 2)
    with pytest.raises(ZeroDivisionError):
        side_by_side(lambda number: 1 / number, [1, 0])


def test_there_is_a_core():
    assert 1 <= parallel.cores() <= 8
