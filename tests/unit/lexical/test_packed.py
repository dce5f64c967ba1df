"""PackedTerms: what is in the arrays, and what rows that died change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from plait.bits import has, of_mask
from plait.errors import IndexFormatError
from plait.filters import Filter
from plait.kernels import native
from plait.lexical import Asked, Bm25, LexicalView, PackedTerms
from plait.storage import ArrayFile, Arrays, MemoryArrays
from plait.storage.array_file import write_arrays
from plait.storage.files import Files
from plait.table import Bits, Ordinals
from plait.text import Analyzer

WORDS = Analyzer(tokenizer="whitespace")
TEXTS = {"a": "cat cat dog", "b": "", "c": "dog", "d": "zoë dog cat"}


@dataclass(frozen=True)
class ListRows:
    """Rows whose ids are in a list."""

    ids: list[str]
    alive: NDArray[np.bool_]

    @property
    def size(self) -> int:
        return len(self.ids)

    @property
    def count(self) -> int:
        return int(self.alive.sum())

    def names(self, ordinals: Ordinals, /) -> list[str]:
        return [self.ids[row] for row in ordinals.tolist()]

    def allowed(self, keep: Filter | None, /) -> Bits | None:
        return None if self.alive.all() else of_mask(self.alive)

    def rows(self, ids: Iterable[str], keep: Filter | None = None, /) -> Ordinals:
        found = np.array([self.ids.index(id) for id in ids if id in self.ids], dtype=np.int64)
        return found[has(of_mask(self.alive), found)]


def packed(texts: dict[str, str] = TEXTS, arrays: Arrays | None = None) -> PackedTerms:
    rows = ListRows(sorted(texts), np.ones(len(texts), dtype=np.bool_))
    if arrays is None:
        arrays = MemoryArrays(PackedTerms.build(WORDS.count(texts[id] for id in rows.ids)))
    return PackedTerms.over_arrays(arrays, rows)


def without(part: PackedTerms, *ids: str) -> PackedTerms:
    """Without rows that are alive."""
    rows = part.rows
    assert isinstance(rows, ListRows)
    ordinals = np.array([rows.ids.index(id) for id in ids])
    alive = rows.alive.copy()
    alive[ordinals] = False
    return part.without(ordinals).over(ListRows(rows.ids, alive))


def asked(*terms: str) -> Asked:
    return Asked(terms, (1.0,) * len(terms), 2.0, Bm25(k1=0.0))


def test_what_is_in_the_arrays() -> None:
    arrays = PackedTerms.build(WORDS.count(TEXTS.values()))
    assert bytes(arrays["terms.names.blob"]) == "catdogzoë".encode()
    assert arrays["terms.lengths"].tolist() == [3, 0, 1, 3]
    assert arrays["terms.starts"].tolist() == [0, 2, 5, 6]
    assert arrays["terms.docs"].tolist() == [0, 3, 0, 2, 3, 3]
    assert arrays["terms.tfs"].tolist() == [2, 1, 1, 1, 1, 1]
    # By row: cat and dog, nothing, dog, and cat, dog and zoë.
    assert arrays["terms.rows"].tolist() == [0, 2, 2, 3, 6]
    assert arrays["terms.terms"].tolist() == [0, 1, 1, 0, 1, 2]
    assert PackedTerms.postings(arrays) == 6


@pytest.mark.parametrize(
    ("tf", "width"), [(255, "|u1"), (256, "<u2"), (65_535, "<u2"), (65_536, "<u4")]
)
def test_frequencies_take_as_many_bytes_as_they_need(tf: int, width: str) -> None:
    arrays = PackedTerms.build(WORDS.count(["cat " * tf, "dog"]))
    assert arrays["terms.tfs"].dtype.str == width
    assert arrays["terms.tfs"].tolist() == [tf, 1]


def test_no_rows() -> None:
    part = packed({})
    assert (part.count, part.length, part.counts(["cat"]), part.frequencies()) == (0, 0, [0], {})
    assert part.rank(asked("cat"), top_k=3, keep=None).ids == ()
    assert part.score(asked("cat"), ["a"], None) == {}


def test_rows_that_died_count_no_more() -> None:
    whole = packed()
    some = without(whole, "d")
    less = without(some, "a")
    terms = ["dog", "cat", "zoë", "bird"]
    assert [part.counts(terms) for part in (whole, some, less)] == [
        [3, 2, 1, 0],
        [2, 1, 0, 0],
        [1, 0, 0, 0],
    ]
    assert [(part.count, part.length) for part in (whole, some, less)] == [(4, 7), (3, 4), (2, 1)]
    assert [part.frequencies() for part in (whole, some, less)] == [
        {"cat": 2, "dog": 3, "zoë": 1},
        {"cat": 1, "dog": 2},
        {"dog": 1},
    ]
    found = less.rank(asked("dog", "cat", "zoë"), top_k=5, keep=None)
    assert (found.ids, found.scores) == (("c",), (1.0,))
    assert less.score(asked("dog", "cat"), ["a", "c", "x"], None) == {"c": 1.0}


def test_the_total_is_known_of_a_list_that_is_whole() -> None:
    for part in (packed(), without(packed(), "a")):
        ids = [id for id in ("a", "c", "d") if part.score(asked("dog"), [id], None)]
        assert part.rank(asked("dog"), top_k=4, keep=None).total == len(ids)
        assert part.rank(asked("dog"), top_k=2, keep=None).total is None
        with native.without():
            assert part.rank(asked("dog"), top_k=2, keep=None).total is None


def test_more_terms_than_are_remembered() -> None:
    part = packed()
    for start in range(0, 10_000, 1000):
        assert part.counts([f"t{number}" for number in range(start, start + 1000)]) == [0] * 1000
        assert part.counts(["dog", "zoë"]) == [3, 1]


def test_what_is_read_is_checked(tmp_path: Path) -> None:
    texts = {f"{number:03}": f"cat w{number} w{number % 7}" for number in range(300)}
    arrays = PackedTerms.build(WORDS.count(texts.values()))
    path = tmp_path / "segment"
    write_arrays(path, arrays, meta={}, files=Files())
    sound = path.read_bytes()
    query = "w3 w5 cat w5"
    expected = LexicalView((packed(texts),), WORDS, Bm25()).rank(query, top_k=10)
    refused = {}
    for name, array in arrays.items():
        content = array.tobytes()
        at = sound.index(content) + len(content) // 2
        path.write_bytes(sound[:at] + bytes([sound[at] ^ 64]) + sound[at + 1 :])
        try:
            part = packed(texts, ArrayFile(path))
            assert LexicalView((part,), WORDS, Bm25()).rank(query, top_k=10) == expected
        except IndexFormatError as error:
            refused[name] = error.path
    assert set(refused.values()) == {str(path)}
    # A search reads all of the others, and of these what is of its terms or lies beside that.
    assert refused.keys() >= arrays.keys() - {
        "terms.rows",
        "terms.terms",
        "terms.docs",
        "terms.tfs",
    }
