import hashlib
import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

from plait.errors import ConfigurationError
from plait.types import Chunk


def test_a_chunk_is_frozen_and_hashable() -> None:
    chunk = Chunk("text", id="a", metadata={"tags": ["x"]})
    assert hash(chunk) == hash(Chunk("text", id="a", metadata={"tags": ["x"]}))
    with pytest.raises(FrozenInstanceError):
        chunk.content = "other"


def test_embedding_takes_no_part_in_equality() -> None:
    assert Chunk("text", embedding=[1.0]) == Chunk("text", embedding=[2.0])


def test_pickle() -> None:
    chunk = Chunk("text", id="a", metadata={"tags": ["x"]}, embedding=[1.0, 2.0], page=3)
    copy = pickle.loads(pickle.dumps(chunk))
    assert copy == chunk
    assert copy.embedding.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"content": None}, r"Chunk\.content is NoneType, expected str"),
        ({"content": "\ud800"}, r"Chunk\.content holds a lone surrogate"),
        ({"id": 7}, r"Chunk\.id is int, expected str"),
        ({"id": ""}, r"Chunk\.id is '', expected a non-empty str, or None"),
        ({"title": 1}, r"Chunk\.title is int"),
        ({"source_path": b"x"}, r"Chunk\.source_path is bytes"),
        ({"section": ["a"]}, r"Chunk\.section is list"),
        ({"index": -1}, r"Chunk\.index is -1, expected an int >= 0"),
        ({"index": True}, r"Chunk\.index is True"),
        ({"page": 1.0}, r"Chunk\.page is 1\.0"),
        ({"metadata": {"a": object()}}, "metadata field 'a'"),
        ({"embedding": [[1.0]]}, r"Chunk\.embedding has shape"),
    ],
)
def test_wrong_fields_are_refused(fields: dict, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        Chunk(**{"content": "text", **fields})


@pytest.mark.parametrize(
    ("chunk", "text"),
    [
        (Chunk("body"), "body"),
        (Chunk(""), ""),
        (Chunk("body", title="Title"), "Title\nbody"),
        (Chunk("body", section="A > B"), "A > B\nbody"),
        (Chunk("body", title="Title", section="A > B"), "Title\nA > B\nbody"),
        (Chunk("", title="Title", section=""), "Title"),
    ],
)
def test_index_text_is_title_section_and_content(chunk: Chunk, text: str) -> None:
    assert chunk.index_text == text


def test_an_own_id_is_kept() -> None:
    chunk = Chunk("text", id="a", document_id="d", index=0)
    assert chunk.with_id() is chunk
    assert not chunk.id_made


def test_made_ids_are_marked() -> None:
    made = Chunk("text", document_id="guide.md", index=3).with_id()
    assert (made.id, made.id_made) == ("guide.md#3", True)
    assert made.with_id() is made


@pytest.mark.parametrize(
    "chunk", [Chunk("naïve"), Chunk("naïve", document_id="d"), Chunk("naïve", index=0)]
)
def test_without_a_place_in_a_document_the_content_makes_the_id(chunk: Chunk) -> None:
    assert chunk.with_id().id == "sha256:" + hashlib.sha256("naïve".encode()).hexdigest()


def test_replace_checks_again() -> None:
    with pytest.raises(ConfigurationError, match="page"):
        replace(Chunk("text"), page=-2)
