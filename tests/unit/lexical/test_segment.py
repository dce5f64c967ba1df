import threading

import numpy as np
import pytest

from plait.lexical.segment import Segment
from plait.text import Analysis
from plait.text.counting import TermRows, Vocabulary


def rows(*counts):
    return TermRows.of(Analysis(terms, sum(terms.values())) for terms in counts)


def contents(segment, vocabulary):
    """The rows of a segment as counts of terms."""
    found = [{} for _ in segment.lengths]
    for term, number in vocabulary.items():
        (place,) = segment.places(np.array([number]))
        if place < 0:
            continue
        inside = slice(segment.offsets[place], segment.offsets[place + 1])
        for row, tf in zip(segment.rows[inside], segment.tf[inside], strict=True):
            found[row][term] = tf
    return found


ONE, TWO, THREE = {"a": 1, "b": 2}, {}, {"b": 1, "c": 7}


def test_numbers_are_given_once():
    numbers = Vocabulary(["a", "b"])
    assert [numbers[term] for term in ("b", "c", "a", "c")] == [1, 2, 0, 2]
    assert list(numbers) == ["a", "b", "c"]
    assert numbers.get("d") is None


def test_many_threads_agree_on_the_numbers():
    numbers = Vocabulary()
    seen = []

    def work():
        seen.append([numbers[f"t{number}"] for number in range(500)])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(numbers_seen == seen[0] for numbers_seen in seen)
    assert sorted(seen[0]) == list(range(500))


@pytest.mark.parametrize("count", [0, 1, 511, 512, 513, 1100])
def test_rows_are_read_in_batches(count):
    given = rows(*({f"t{number % 7}": number + 1} for number in range(count)))
    assert given.sizes.tolist() == [1] * count
    assert given.tf.tolist() == given.lengths.tolist() == list(range(1, count + 1))
    assert [given.terms[term] for term in given.term] == [f"t{n % 7}" for n in range(count)]


def test_build():
    vocabulary = Vocabulary(["z"])
    segment = Segment.build(5, rows(ONE, TWO, THREE), vocabulary)
    assert contents(segment, vocabulary) == [ONE, TWO, THREE]
    assert segment.lengths.tolist() == [3, 0, 8]
    assert (segment.start, segment.stop, segment.size) == (5, 8, 4 + 3)
    assert segment.places(np.array([vocabulary["z"], 99, -1])).tolist() == [-1, -1, -1]


def test_rows_without_terms():
    vocabulary = Vocabulary()
    blank = Segment.build(0, rows({}, {}), vocabulary)
    assert contents(blank, vocabulary) == [{}, {}]
    assert contents(blank.merged(Segment.build(2, rows(ONE), vocabulary)), vocabulary) == [
        {},
        {},
        ONE,
    ]
    assert blank.places(np.array([0])).tolist() == [-1]
    assert contents(blank.kept(np.array([1])), vocabulary) == [{}]


def test_merged_is_built_at_once():
    vocabulary = Vocabulary()
    first = Segment.build(3, rows(ONE, TWO), vocabulary)
    second = Segment.build(5, rows(THREE, ONE), vocabulary)
    merged = first.merged(second)
    whole = Segment.build(3, rows(ONE, TWO, THREE, ONE), vocabulary)
    for name in ("start", "lengths", "terms", "offsets", "rows", "tf"):
        assert np.array_equal(getattr(merged, name), getattr(whole, name)), name
        assert np.asarray(getattr(merged, name)).dtype == np.asarray(getattr(whole, name)).dtype


def test_kept():
    vocabulary = Vocabulary()
    segment = Segment.build(0, rows(ONE, TWO, THREE, ONE), vocabulary)
    kept = segment.kept(np.array([1, 2]))
    assert contents(kept, vocabulary) == [TWO, THREE]
    assert vocabulary["a"] not in kept.terms  # nothing of the others remains
    assert kept.start == 0
