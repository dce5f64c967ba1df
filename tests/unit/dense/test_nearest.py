"""nearest: which rows are multiplied. What it answers is tested through FlatIndex."""

from typing import ClassVar

import numpy as np
import pytest

from plait.dense import COSINE
from plait.dense.nearest import nearest
from plait.kernels.vectors import lengths


class Multiplied(np.ndarray):
    """Rows that note how many of them go into a matrix product."""

    counts: ClassVar[list[int]] = []

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if ufunc is np.matmul:
            self.counts.append(inputs[1].shape[1])
        plain = [np.asarray(each) for each in inputs]
        return getattr(ufunc, method)(*plain, **kwargs)


@pytest.mark.parametrize(("asked", "multiplied"), [(250, 250), (251, 1000), (1000, 1000)])
def test_where_few_are_asked_about_only_these_are_multiplied(asked, multiplied, monkeypatch):
    rows = np.random.default_rng(0).standard_normal((1000, 8)).astype(np.float32)
    ordinals = np.arange(asked) * (1000 // asked)
    monkeypatch.setattr(Multiplied, "counts", [])
    (found,) = nearest(COSINE, rows.view(Multiplied), lengths(rows), rows[:1], ordinals, 5)
    assert Multiplied.counts == [multiplied]
    assert set(found.tolist()) <= set(ordinals.tolist())
    assert 0 in found


def test_no_more_than_asked_for_are_not_multiplied(monkeypatch):
    rows = np.eye(4, dtype=np.float32)
    monkeypatch.setattr(Multiplied, "counts", [])
    found = nearest(COSINE, rows.view(Multiplied), lengths(rows), rows[:2], np.arange(3), 3)
    assert [each.tolist() for each in found] == [[0, 1, 2]] * 2
    assert Multiplied.counts == []
