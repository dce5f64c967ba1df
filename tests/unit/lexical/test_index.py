import math
from itertools import pairwise

import numpy as np
import pytest

from plait.lexical import LexicalIndex
from plait.lexical.segment import Segment
from plait.text import Analyzer, TermRows

analyze = Analyzer().analyze


def added(index, *texts):
    return index.added(map(analyze, texts))


def rows_of(index, term):
    """Ordinal and frequency of every row that has a term."""
    return [
        (each.block.start + int(row), int(tf))
        for each in index.postings(term)
        for row, tf in zip(each.rows, each.tf, strict=True)
    ]


def test_an_empty_index():
    index = LexicalIndex()
    assert (index.count, index.length, index.size) == (0, 0, 0)
    assert list(index.postings("cat")) == []
    assert index.frequencies(np.zeros(0, dtype=bool)) == {}
    assert index.added([]) is index


def test_added():
    index = added(LexicalIndex(), "cat cat dog", "", "dog")
    assert (index.count, index.length, index.size) == (3, 4, 3)
    assert rows_of(index, "cat") == [(0, 2)]
    assert rows_of(index, "dog") == [(0, 1), (2, 1)]
    assert rows_of(index, "bird") == []


def test_ready_rows_are_taken_too():
    index = LexicalIndex().added(TermRows.of([analyze("cat")]))
    assert rows_of(index, "cat") == [(0, 1)]


def test_every_change_is_a_new_value():
    one = added(LexicalIndex(), "cat")
    two = added(one, "cat dog")
    other = added(one, "bird")  # a second branch from the same value
    less = two.removed(np.array([0]))
    assert rows_of(one, "cat") == [(0, 1)]
    assert rows_of(two, "cat") == [(0, 1), (1, 1)]
    assert rows_of(other, "cat") == [(0, 1)]
    assert rows_of(other, "bird") == [(1, 1)]
    assert rows_of(other, "dog") == []
    assert [(index.count, index.length) for index in (one, two, other, less)] == [
        (1, 1),
        (2, 3),
        (2, 2),
        (1, 2),
    ]


def test_removed_from_several_segments():
    index = LexicalIndex()
    for number in range(20):
        index = added(index, "word " * number)
    index = index.removed(np.array([19, 0, 7]))
    assert index.count == 17
    assert index.length == sum(range(20)) - 19 - 0 - 7
    assert index.size == 20
    assert index.removed(np.array([], dtype=np.int64)).length == index.length


def test_frequencies_count_rows_that_are_alive():
    index = added(added(LexicalIndex(), "cat dog", "cat"), "cat bird")
    assert index.frequencies(np.array([True, True, True])) == {"cat": 3, "dog": 1, "bird": 1}
    assert index.frequencies(np.array([False, True, True])) == {"cat": 2, "bird": 1}


def test_compacted():
    index = LexicalIndex()
    for text in ("cat dog", "bird", "", "cat", "fish cat"):
        index = added(index, text)
    kept = np.array([1, 2, 4])
    compact = index.removed(np.array([0, 3])).compacted(kept)
    assert (compact.count, compact.length, compact.size) == (3, 3, 3)
    assert rows_of(compact, "cat") == [(2, 1)]
    assert rows_of(compact, "bird") == [(0, 1)]
    assert rows_of(compact, "dog") == []
    assert "dog" not in compact._vocabulary  # text that was deleted is gone
    assert rows_of(added(compact, "dog cat"), "dog") == [(3, 1)]
    assert index.compacted(np.array([], dtype=np.int64)).size == 0


@pytest.mark.parametrize("batch", [1, 3, 100])
def test_a_row_is_copied_log_n_times(monkeypatch, batch):
    copied = 0
    merged = Segment.merged

    def counting(self, following):
        nonlocal copied
        copied += len(self.lengths) + len(following.lengths)
        return merged(self, following)

    monkeypatch.setattr(Segment, "merged", counting)
    index, count = LexicalIndex(), 1024
    for start in range(0, count, batch):
        index = index.added([analyze(f"row {n}") for n in range(start, min(count, start + batch))])
        assert all(one.size > 2 * other.size for one, other in pairwise(index.segments))
    assert index.size == count
    assert len(index.segments) <= math.log2(count) + 1
    assert copied <= 2 * count * math.log2(count)
