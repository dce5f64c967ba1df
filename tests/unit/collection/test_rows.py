"""Chunks and vectors as rows and back, and how damage is found."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from plait.collection.rows import (
    VectorRow,
    decode,
    decode_row,
    decode_vector,
    encode,
    is_sound,
    vector_key,
)
from plait.errors import IndexFormatError
from plait.types import Chunk

FULL = Chunk(
    "Line one\nZeile zwei: Rückerstattung 退款 \x00 end",
    id="guide.md#3",
    metadata={
        "product": "pro",
        "year": 2024,
        "big": 2**70,
        "rating": 4.5,
        "whole": 2.0,
        "beta": False,
        "when": datetime(2026, 1, 2, tzinfo=UTC),
        "tags": ["a", 1, True],
        "owner": {"team": "core", "nested": {"deep": []}},
    },
    title="Guide",
    document_id="guide.md",
    index=3,
    source_name="docs",
    source_path="guide.md",
    source_uri="https://example.org/guide",
    section="Billing > Refunds",
    page=0,
    id_made=True,
)


def columns(chunk: Chunk) -> list[Any]:
    """The row as the file gives it: bytes."""
    row = encode(chunk)
    key, content, metadata, fields, checksum = row.columns
    return [row.id.encode(), key, content.encode(), metadata.encode(), fields.encode(), checksum]


@pytest.mark.parametrize("chunk", [FULL, Chunk("", id="empty"), Chunk("plain", id="p" * 300)])
def test_a_chunk_comes_back_as_it_was(chunk: Chunk) -> None:
    back, key = decode(columns(chunk), "file")
    assert back == chunk
    assert back.metadata == chunk.metadata
    assert [type(value) for value in back.metadata.values()] == [
        type(value) for value in chunk.metadata.values()
    ]
    assert key == vector_key(chunk.index_text)


@pytest.mark.parametrize("column", range(6))
def test_one_flipped_bit_anywhere_is_found_and_the_chunk_named(column: int) -> None:
    sound = columns(FULL)
    for position in range(len(sound[column])):
        for bit in (0, 7):
            damaged = list(sound)
            value = bytearray(damaged[column])
            value[position] ^= 1 << bit
            damaged[column] = bytes(value)
            with pytest.raises(IndexFormatError, match=r"kb\.plait: the row of chunk") as caught:
                decode(damaged, "kb.plait")
            assert caught.value.path == "kb.plait"
            if column:
                assert "'guide.md#3' is damaged" in str(caught.value)


def test_text_that_moves_from_one_column_to_the_next_is_found() -> None:
    sound = columns(Chunk("ab", id="x"))
    sound[0], sound[2] = b"xa", b"b"
    with pytest.raises(IndexFormatError):
        decode(sound, "file")


@pytest.mark.parametrize("value", [None, 7, 1.5, "text"])
@pytest.mark.parametrize("column", range(6))
def test_a_value_of_another_type_is_damage_too(column: int, value: Any) -> None:
    damaged = columns(FULL)
    damaged[column] = value
    with pytest.raises(IndexFormatError):
        decode(damaged, "file")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, "text"),
        ({"title": "T"}, "T\ntext"),
        ({"section": "S"}, "S\ntext"),
        ({"title": "T", "section": "S", "page": 3}, "T\nS\ntext"),
        ({"title": ""}, "text"),
        ({"document_id": "title", "source_uri": '{"title": "x"}'}, "text"),
        ({"document_id": '"section":', "title": '"'}, '"\ntext'),
    ],
)
def test_what_is_indexed_is_read_without_the_chunk(fields: dict[str, Any], expected: str) -> None:
    chunk = Chunk("text", id="a", metadata={"title": "not this"}, **fields)
    row = encode(chunk)
    columns = (row.id, *row.columns)
    read = decode_row([part if isinstance(part, bytes) else part.encode() for part in columns], "x")
    assert read == ("a", expected, '{"title":"not this"}')
    assert chunk.index_text == expected


def test_the_key_says_what_is_embedded() -> None:
    title = Chunk("text", id="a", title="Title")
    assert encode(title).key == vector_key("Title\ntext")
    assert encode(replace(title, id="b", metadata={"x": 1})).key == encode(title).key
    assert vector_key("text") != vector_key("text ")


def test_a_vector_brought_along_is_never_found_for_another_text_or_vector() -> None:
    one, other = np.array([1, 2], np.float32), np.array([1, 3], np.float32)
    keys = {
        vector_key("text"),
        vector_key("text", one),
        vector_key("text", other),
        vector_key("other", one),
    }
    assert len(keys) == 4
    assert vector_key("text", one) == vector_key("text", one.copy())


def test_a_vector_comes_back_bit_by_bit() -> None:
    vector = np.array([1.5, -0.0, 1e-40, 3.4e38], np.float32)
    row = VectorRow.of(b"k" * 16, vector)
    back = decode_vector("a", (row.key, row.data, row.checksum), "file")
    assert back.dtype == np.float32
    assert back.tobytes() == vector.tobytes()
    assert not back.flags.writeable


def test_a_damaged_or_missing_vector_names_its_chunk() -> None:
    row = VectorRow.of(b"k" * 16, np.array([1, 2, 3], np.float32))
    sound = [row.key, row.data, row.checksum]
    assert is_sound(*sound)
    for column, value in enumerate(sound):
        for position in range(len(value)):
            flipped = bytearray(value)
            flipped[position] ^= 4
            damaged = list(sound)
            damaged[column] = bytes(flipped)
            with pytest.raises(IndexFormatError, match="kb: the vector of chunk 'a' is damaged"):
                decode_vector("a", damaged, "kb")
    with pytest.raises(IndexFormatError, match="the vector of chunk 'a' is missing"):
        decode_vector("a", (None, None, None), "kb")
    with pytest.raises(IndexFormatError, match="damaged"):
        decode_vector("a", (row.key, row.data[:-1], row.checksum), "kb")
