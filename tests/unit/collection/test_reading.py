"""What one transaction reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plait.collection.reading import batched
from plait.collection.rows import VectorRow, encode
from plait.collection.store import Store
from plait.errors import IndexFormatError
from plait.filters import Filter
from plait.types import Chunk


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "default.plait")
    yield made
    made.close()


def vector(*values: float) -> Any:
    return np.array(values, np.float32)


def test_an_empty_collection(store: Store) -> None:
    with store.writing():
        pass
    with store.reading() as reading:
        state = reading.state()
        assert (state.generation, state.pruned, state.space) == (0, 0, None)
        assert reading.count() == reading.last_row() == reading.last_deletion() == 0
        assert reading.chunks([]) == reading.chunks(["a"]) == {}
        assert reading.get("a") is None
        assert list(reading.chunks_after(0, None)) == []
        assert reading.settings() == {}


def test_chunks_are_found_by_any_number_of_ids(store: Store) -> None:
    given = [Chunk(f"text {number}", id=str(number)) for number in range(1200)]
    with store.writing() as writing:
        writing.put(map(encode, given))
    with store.reading() as reading:
        found = reading.chunks([str(number) for number in range(-5, 1300)])
        assert found == {chunk.id: chunk for chunk in given}
        assert found["7"].content == "text 7"


def test_rows_come_in_the_order_of_writing_with_their_vectors(store: Store) -> None:
    rows = [encode(Chunk(text, id=text)) for text in "abc"]
    with store.writing() as writing:
        space = writing.space_for(None, None, 2)
        writing.use_space(space)
        writing.put(rows)
        writing.put_vectors(
            space, [VectorRow.of(row.key, vector(n, 1)) for n, row in enumerate(rows)]
        )
        writing.put([encode(Chunk("A", id="a"))])
        writing.put_vectors(space, [VectorRow.of(encode(Chunk("A")).key, vector(9, 9))])
    with store.reading() as reading:
        found = list(reading.chunks_after(0, space))
        assert [each.chunk.content for each in found] == ["b", "c", "A"]
        assert [each.row for each in found] == [2, 3, 4]
        assert [each.vector.tolist() for each in found if each.vector is not None] == [
            [1, 1],
            [2, 1],
            [9, 9],
        ]
        assert [each.row for each in reading.chunks_after(3, None)] == [4]
        assert next(reading.chunks_after(3, None)).vector is None
        assert reading.deletions_after(0) == [(1, 1)]
        assert reading.deletions_after(1) == []
        assert reading.last_row() == 4


def test_a_chunk_without_the_vector_that_it_should_have_is_damage(store: Store) -> None:
    with store.writing() as writing:
        space = writing.space_for(None, None, 2)
        writing.use_space(space)
        writing.put([encode(Chunk("a", id="a"))])
    with store.reading() as reading:
        with pytest.raises(IndexFormatError, match="the vector of chunk 'a' is missing"):
            list(reading.chunks_after(0, space))
        with pytest.raises(IndexFormatError, match="missing"):
            reading.get("a")


def test_only_a_vector_that_was_brought_along_comes_back(store: Store) -> None:
    brought = encode(Chunk("a", id="a", embedding=vector(1, 2)))
    made = encode(Chunk("b", id="b"))
    with store.writing() as writing:
        space = writing.space_for(None, None, 2)
        writing.use_space(space)
        writing.put([brought, made])
        writing.put_vectors(space, [VectorRow.of(row.key, vector(1, 2)) for row in (brought, made)])
    with store.reading() as reading:
        found, other = reading.get("a"), reading.get("b")
        assert found is not None
        assert found.embedding is not None
        assert found.embedding.tolist() == [1, 2]
        assert other is not None
        assert other.embedding is None
        assert reading.chunks(["a"])["a"].embedding is None


def test_a_filter_is_matched_row_by_row(store: Store) -> None:
    with store.writing() as writing:
        writing.put(
            [encode(Chunk(str(n), id=str(n), metadata={"n": n} if n else {})) for n in range(6)]
        )
    keep = Filter.parse({"n": {"$gte": 3}})
    absent = Filter.parse({"n": {"$exists": False}})
    assert keep is not None
    assert absent is not None
    with store.reading() as reading:
        assert reading.matching(keep) == [4, 5, 6]
        assert reading.matching(keep, after=5) == [6]
        assert reading.matching(absent) == [1]


def test_which_vectors_are_there(store: Store, tmp_path: Path) -> None:
    keys = [bytes([number]) * 16 for number in range(3)]
    with store.writing() as writing:
        space = writing.space_for(None, None, 1)
        other = writing.space_for(None, None, 2)
        writing.put_vectors(space, [VectorRow.of(key, vector(1)) for key in keys[:2]])
        writing.connection.execute("UPDATE vector SET data = x'00000000' WHERE number = 2")
    with store.reading() as reading:
        assert reading.embedded(keys, space) == set(keys[:2])
        assert reading.embedded(keys, space, verify=True) == {keys[0]}
        assert reading.embedded(keys, other) == set()


def test_what_has_no_vector_yet(store: Store) -> None:
    rows = [encode(Chunk(text, id=f"{n}")) for n, text in enumerate(["a", "b", "a", "c"])]
    with store.writing() as writing:
        writing.put(rows)
        space = writing.space_for(None, None, 1)
        writing.put_vectors(space, [VectorRow.of(rows[1].key, vector(1))])
    with store.reading() as reading:
        assert [(row, text) for row, _, text in reading.unembedded(space, after=0, limit=9)] == [
            (1, "a"),
            (3, "a"),
            (4, "c"),
        ]
        assert [row for row, *_ in reading.unembedded(space, after=1, limit=1)] == [3]
        assert reading.count_unembedded(space) == 2  # texts, not chunks


def test_damage_is_named_by_every_reader(store: Store) -> None:
    with store.writing() as writing:
        writing.put([encode(Chunk("a", id="a")), encode(Chunk("b", id="b"))])
        writing.connection.execute("UPDATE chunk SET content = 'x' WHERE id = 'b'")
        space = writing.space_for(None, None, 1)
    keep = Filter.parse({"x": 1})
    assert keep is not None
    with store.reading() as reading:
        readers: list[Callable[[], object]] = [
            lambda: reading.get("b"),
            lambda: reading.chunks(["a", "b"]),
            lambda: list(reading.chunks_after(0, None)),
            lambda: reading.matching(keep),
            lambda: reading.unembedded(space, after=0, limit=9),
        ]
        for read in readers:
            with pytest.raises(IndexFormatError, match=r"default\.plait: the row of chunk 'b'"):
                read()
        assert reading.get("a") == Chunk("a", id="a")


def test_batches() -> None:
    assert list(batched(range(5), 2)) == [[0, 1], [2, 3], [4]]
    assert list(batched([], 2)) == []
