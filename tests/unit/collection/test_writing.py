"""What one transaction writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from plait.collection.reading import Reading
from plait.collection.rows import Row, VectorRow, encode
from plait.collection.store import Store
from plait.embedders import HashEmbedder
from plait.types import Chunk


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "default.plait")
    yield made
    made.close()


def row(id: str, text: str = "text") -> Row:
    return encode(Chunk(text, id=id))


def contents(reading: Reading) -> dict[str | None, str]:
    return {each.chunk.id: each.chunk.content for each in reading.chunks_after(0, None)}


def test_an_upsert_writes_a_new_row_and_logs_the_old_one(store: Store) -> None:
    with store.writing() as writing:
        writing.put([row("a", "old"), row("b")])
        writing.put([row("a", "new")])
    with store.reading() as reading:
        assert contents(reading) == {"b": "text", "a": "new"}
        assert reading.deletions_after(0) == [(1, 1)]
        assert reading.count() == 2


def test_what_is_there_as_it_is_stays(store: Store) -> None:
    with store.writing() as writing:
        writing.put([row("a")])
    with store.writing() as writing:
        writing.put([row("a")])
    with store.reading() as reading:
        assert reading.last_row() == 1
        assert reading.state().generation == 1


def test_many_rows_of_every_kind_at_once(store: Store) -> None:
    names = [f"c{number}" for number in range(1501)]
    with store.writing() as writing:
        writing.put_document("d", "docs", "d", "hash", "c", [row("c3"), row("c4"), row("c5")])
        writing.put([row(name) for name in names[6::2]])  # rows 4 to 751
    with store.writing() as writing:
        writing.put(
            [row(name, "new" if name in ("c4", "c8", "c1500") else "text") for name in names]
        )
    with store.reading() as reading:
        found = contents(reading)
        assert [name for name, text in found.items() if text == "new"] == ["c4", "c8", "c1500"]
        assert found.keys() == set(names)
        kept = [each.chunk.id for each in reading.chunks_after(0, None)][: 3 + 748 - 3]
        assert kept == ["c3", "c5", *(n for n in names[6::2] if n not in ("c8", "c1500"))]
        assert [dead for _, dead in reading.deletions_after(0)] == [2, 5, 751]
        owners = reading.connection.execute("SELECT COUNT(*) FROM chunk WHERE document NOT NULL")
        assert owners.fetchone() == (0,)
        document = reading.document("d")
        assert document is not None
        assert document.content_hash == ""  # reading it again brings its chunks back


@pytest.mark.parametrize("column", ["content", "metadata", "fields", "key", "checksum"])
def test_a_damaged_row_is_mended_by_writing_it_again(column: str, store: Store) -> None:
    with store.writing() as writing:
        writing.put([row("a")])
        writing.connection.execute(f"UPDATE chunk SET {column} = x'00'")
    with store.writing() as writing:
        writing.put([row("a")])
    with store.reading() as reading:
        assert contents(reading) == {"a": "text"}


def test_a_damaged_row_can_be_deleted(store: Store) -> None:
    with store.writing() as writing:
        writing.put([row("a"), row("b")])
        writing.connection.execute("UPDATE chunk SET content = x'ff' WHERE id = 'a'")
    with store.writing() as writing:
        assert writing.delete(["a"]) == 1
    with store.reading() as reading:
        assert contents(reading) == {"b": "text"}


def test_deletions_are_counted_once_and_logged(store: Store) -> None:
    with store.writing() as writing:
        writing.put([row("a"), row("b"), row("c")])
        assert writing.delete(["a", "nobody", "a", "c"]) == 2
        assert writing.delete_rows([2, 3, 99]) == 1
        assert writing.delete([]) == 0
    with store.reading() as reading:
        assert contents(reading) == {}
        assert sorted(number for _, number in reading.deletions_after(0)) == [1, 2, 3]


def test_numbers_are_never_given_twice(store: Store) -> None:
    with store.writing() as writing:
        writing.put([row("a"), row("b")])
        writing.delete(["b"])
        writing.put([row("c")])
        writing.clear()
        writing.put([row("d")])
    with store.reading() as reading:
        assert [each.row for each in reading.chunks_after(0, None)] == [4]


def test_clear_tells_every_reader_to_start_anew(store: Store) -> None:
    with store.writing() as writing:
        writing.put([row("a"), row("b")])
        seen = writing.last_deletion()
        assert writing.clear() == 2
        assert writing.clear() == 0
    with store.reading() as reading:
        assert reading.count() == 0
        assert reading.state().pruned > seen
        assert reading.deletions_after(0) == []


def test_a_document_replaces_its_chunks(store: Store) -> None:
    with store.writing() as writing:
        writing.put_document("d", "docs", "d.md", "hash 1", "c", [row("d#0"), row("d#1"), row("x")])
        writing.put([row("other")])
    with store.writing() as writing:
        writing.put_document("d", "docs", "d.md", "hash 2", "c", [row("d#0"), row("d#2", "new")])
    with store.reading() as reading:
        assert contents(reading) == {"d#0": "text", "other": "text", "d#2": "new"}
        assert next(reading.chunks_after(0, None)).row == 1  # d#0 was left alone
        document = reading.document("d")
        assert document is not None
        assert (document.content_hash, document.source_path) == ("hash 2", "d.md")
        assert reading.count_documents() == 1


def test_a_document_that_loses_a_chunk_is_no_longer_whole(store: Store) -> None:
    def hashes() -> dict[str, str]:
        with store.reading() as reading:
            return {each.id: each.content_hash for each in reading.documents()}

    def write() -> None:
        with store.writing() as writing:
            for name in "abc":
                writing.put_document(
                    name, "docs", name, f"hash {name}", "c", [row(f"{name}#{n}") for n in (0, 1)]
                )

    whole = {"a": "hash a", "b": "hash b", "c": "hash c"}
    write()
    with store.writing() as writing:
        writing.delete(["a#1"])
    assert hashes() == {**whole, "a": ""}
    write()
    assert hashes() == whole
    with store.writing() as writing:
        writing.put([row("b#0", "overwritten by hand")])
    assert hashes() == {**whole, "b": ""}
    write()
    with store.writing() as writing:
        writing.put_document("d", "docs", "d", "hash d", "c", [row("c#1")])
    assert hashes() == {**whole, "c": "", "d": "hash d"}


def test_deleting_documents_deletes_their_chunks(store: Store) -> None:
    with store.writing() as writing:
        writing.put_document("a", "docs", "a", "h", "c", [row("a#0")])
        writing.put_document("b", "api", "b", "h", "c", [row("b#0")])
        numbers = [each.number for each in writing.documents("docs")]
        writing.delete_documents(numbers)
    with store.reading() as reading:
        assert contents(reading) == {"b#0": "text"}
        assert [each.id for each in reading.documents()] == ["b"]


def test_a_space_is_made_once_for_equal_embedders(store: Store) -> None:
    small, large = HashEmbedder(dim=4), HashEmbedder(dim=8)
    with store.writing() as writing:
        one = writing.space_for(small.identity, small.spec, 4)
        assert writing.space_for(small.identity, small.spec, 4) == one
        assert writing.space_for(large.identity, large.spec, 8) != one
        assert writing.space_for(None, None, 4) != one
        assert writing.space_for(None, None, 4) == writing.space_for(None, None, 4)
        writing.use_space(one)
    with store.reading() as reading:
        assert reading.state().space == one
        assert one.identity == small.identity
        assert (one.spec, one.dim) == ("hash(dim=4)", 4)


def test_pruning_keeps_what_is_used_and_what_is_being_made(store: Store) -> None:
    rows = [row("a", "one"), row("b", "two")]
    one = np.ones(1, np.float32)
    with store.writing() as writing:
        spaces = [writing.space_for(None, None, dim) for dim in (1, 2, 3)]
        old, used, target = spaces
        for space in spaces:
            writing.put_vectors(space, [VectorRow.of(each.key, one) for each in rows])
        writing.put(rows)
        writing.use_space(used)
        writing.aim_at(target)
        writing.delete(["b"])
    with store.writing() as writing:
        writing.prune()
    keys = [each.key for each in rows]
    with store.reading() as reading:
        assert reading.embedded(keys, old) == set()
        assert reading.embedded(keys, used) == reading.embedded(keys, target) == {keys[0]}
        assert reading.deletions_after(0) == []
        assert reading.state().pruned == reading.last_deletion() == 1
        assert reading.state().generation == 1  # no query can tell
    with store.writing() as writing:
        writing.use_space(target)
        writing.prune()
    with store.reading() as reading:
        assert reading.embedded(keys, used) == set()
    with store.writing() as writing:
        writing.use_space(None)
        writing.prune()
        assert writing.embedded(keys, target) == set()
