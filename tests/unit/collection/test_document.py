"""The chunks of a document, from a collection, a snapshot, its retriever and from memory."""

from __future__ import annotations

from pathlib import Path

import pytest

import plait
from plait import BM25Retriever, Chunk
from plait.collection.collection import Collection
from plait.collection.reading import COLUMNS, PART_OF
from plait.errors import IndexFormatError

CHUNKS = [
    Chunk("second", document_id="faq", index=1),
    Chunk("elsewhere", document_id="faq2", index=0),
    Chunk("added last", id="x", document_id="faq"),
    Chunk("first", id="other-id", document_id="faq", index=0),
    Chunk("alone", id="faq"),
    Chunk("tenth", document_id="faq", index=10),
    Chunk("added later", id="y", document_id="faq"),
]
READ = ["first", "second", "tenth", "added last", "added later"]


def texts(chunks: tuple[Chunk, ...]) -> list[str]:
    return [chunk.content for chunk in chunks]


@pytest.fixture
def kb(tmp_path: Path) -> Collection:
    kb = plait.open(tmp_path, embedder=None)
    kb.add(CHUNKS)
    return kb


def test_its_chunks_come_by_index_and_those_without_one_last(kb: Collection) -> None:
    assert texts(kb.document("faq")) == READ
    assert texts(kb.retriever().document("faq")) == READ


def test_a_document_that_is_not_there_has_none(kb: Collection) -> None:
    assert kb.document("fa") == ()
    assert kb.document("") == ()


def test_a_snapshot_gives_those_of_its_state(kb: Collection) -> None:
    with kb.snapshot() as view:
        kb.delete(["faq#1"])
        assert texts(view.document("faq")) == READ
    assert texts(kb.document("faq")) == ["first", "tenth", "added last", "added later"]


def test_an_upsert_moves_a_chunk_to_its_new_document(kb: Collection) -> None:
    kb.add([Chunk("moved", id="x", document_id="faq2", index=1)])
    assert texts(kb.document("faq2")) == ["elsewhere", "moved"]
    assert texts(kb.document("faq")) == ["first", "second", "tenth", "added later"]


def test_files_are_documents(tmp_path: Path) -> None:
    pytest.importorskip("semantic_text_splitter")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("One sentence here. " * 100)
    kb = plait.open(tmp_path / "kb", embedder=None)
    kb.add_files(tmp_path / "docs")
    found = kb.document("a.txt")
    assert len(found) == kb.count() > 1
    assert [chunk.index for chunk in found] == list(range(len(found)))


async def ask(kb: Collection) -> tuple[Chunk, ...]:
    return await kb.adocument("faq")


def test_async(kb: Collection) -> None:
    import asyncio

    assert texts(asyncio.run(ask(kb))) == READ


def test_it_is_found_by_an_index(kb: Collection) -> None:
    with kb._store.reading() as reading:
        plan = reading.connection.execute(
            f"EXPLAIN QUERY PLAN SELECT {COLUMNS} FROM chunk WHERE {PART_OF} = ?", ("faq",)
        ).fetchall()
    assert [row[3] for row in plan] == ["SEARCH chunk USING INDEX chunk_part_of (<expr>=?)"]


def test_a_file_made_without_that_index_is_read_all_the_same(kb: Collection) -> None:
    with kb._store.writing() as writing:
        writing.connection.execute("DROP INDEX chunk_part_of")
    assert texts(kb.document("faq")) == READ


def test_a_damaged_row_is_told(kb: Collection) -> None:
    with kb._store.writing() as writing:
        writing.connection.execute("UPDATE chunk SET content = x'ff' WHERE id = 'x'")
    with pytest.raises(IndexFormatError, match="row of chunk 'x' is damaged"):
        kb.document("faq")


def test_a_row_whose_fields_are_not_json_can_be_written_and_read_around(kb: Collection) -> None:
    with kb._store.writing() as writing:
        writing.connection.execute("UPDATE chunk SET fields = '{\"document_id' WHERE id = 'x'")
    assert texts(kb.document("faq")) == ["first", "second", "tenth", "added later"]
    assert kb.delete(["x"]) == 1


def test_memory_gives_the_same() -> None:
    retriever = BM25Retriever(CHUNKS)
    assert texts(retriever.document("faq")) == READ
    retriever.delete(["faq#1"])
    retriever.add([Chunk("new first", id="other-id", document_id="faq", index=0)])
    assert texts(retriever.document("faq")) == ["new first", "tenth", "added last", "added later"]
    assert retriever.document("nobody") == ()
