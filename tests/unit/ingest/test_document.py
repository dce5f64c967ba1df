"""Documents: checked values, a hash of what decides the chunks, ids of two roots kept apart."""

from dataclasses import replace

import pytest

from plait.errors import ConfigurationError, FormatError
from plait.ingest import Document, Skipped, settle_id
from plait.ingest.document import as_label

PLAIN = Document(
    "a.md",
    "text",
    "markdown",
    "Title",
    {"lang": "en"},
    source_name="docs",
    source_path="a.md",
    line=3,
)


def test_skipped_names_file_line_and_reason():
    assert str(Skipped("docs/a.jsonl", 3, "no text")) == "docs/a.jsonl:3: no text"
    assert str(Skipped("docs/a.txt", None, "empty")) == "docs/a.txt: empty"


@pytest.mark.parametrize(
    "change",
    [
        {"text": "text "},
        {"markup": "text"},
        {"title": None},
        {"title": "Title."},
        {"metadata": {}},
        {"metadata": {"lang": "de"}},
        {"metadata": {"lang": "en", "beta": True}},
        {"source_name": "other"},
        {"source_path": "b.md"},
    ],
)
def test_hash_changes_with_whatever_the_chunks_are_made_of(change):
    assert replace(PLAIN, **change).content_hash != PLAIN.content_hash


def test_hash_tells_types_apart_and_not_the_order_of_fields():
    def hashed(metadata):
        return replace(PLAIN, metadata=metadata).content_hash

    assert len({hashed({"a": value}) for value in (1, True, "1", 1.5, [1])}) == 5
    assert hashed({"a": 1, "b": 2}) == hashed({"b": 2, "a": 1})


def test_hash_leaves_out_id_and_line():
    assert replace(PLAIN, id="x", line=9, id_given=True).content_hash == PLAIN.content_hash


def test_fields_cannot_be_shifted_into_one_another():
    assert (
        Document("x", "ab", title="c").content_hash != Document("x", "a", title="bc").content_hash
    )


@pytest.mark.parametrize(
    "wrong",
    [{"id": ""}, {"text": None}, {"text": "\ud800"}, {"title": 3}, {"metadata": {"a": {1, 2}}}],
)
def test_refuses_what_a_chunk_could_not_hold(wrong):
    with pytest.raises(ConfigurationError):
        replace(PLAIN, **wrong)


class TestSettleId:
    """A path belongs to the root that came first."""

    other = Document("README.md", "x", source_name="api", source_path="README.md")

    def test_a_free_id_and_an_own_id_stay(self):
        assert settle_id(self.other, {}.get) is self.other
        assert settle_id(self.other, {"README.md": "api"}.get) is self.other

    def test_an_id_of_another_root_gets_the_root_before_it(self):
        settled = settle_id(self.other, {"README.md": "docs"}.get)
        assert settled == replace(self.other, id="api:README.md")

    def test_the_longer_id_is_kept_when_the_first_root_is_gone(self):
        assert settle_id(self.other, {"api:README.md": "api"}.get).id == "api:README.md"

    def test_the_first_root_keeps_its_id_when_indexed_again(self):
        first = replace(self.other, source_name="docs")
        stored = {"README.md": "docs", "api:README.md": "api"}
        assert settle_id(first, stored.get).id == "README.md"

    def test_an_id_that_the_input_gives_is_never_changed(self):
        given = replace(self.other, id="E1042", id_given=True)
        assert settle_id(given, {"E1042": "docs"}.get) is given

    def test_a_document_without_root_stays(self):
        assert settle_id(Document("x", "t"), {"x": "docs"}.get).id == "x"


@pytest.mark.parametrize(
    ("value", "label"),
    [
        (None, None),
        ("", None),
        (" \n ", None),
        ("a\r\n b", "a b"),
        (7, "7"),
        (0, "0"),
        (1.5, "1.5"),
    ],
)
def test_labels(value, label):
    assert as_label(value, "title") == label


@pytest.mark.parametrize("value", [True, [], {}, ["a"]])
def test_label_of_another_type_is_named(value):
    with pytest.raises(FormatError, match=f"the id is of type {type(value).__name__}"):
        as_label(value, "id")
