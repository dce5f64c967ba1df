"""A citation says where its text comes from, as far as that is known."""

from __future__ import annotations

import json
from typing import Any

import pytest

from plait.context import Citation
from plait.types import Chunk, Hit


def citation(*chunks: Chunk, number: int = 1) -> Citation:
    hits = tuple(Hit(chunk, 1.0, rank) for rank, chunk in enumerate(chunks, start=1))
    return Citation(number, "text", hits, chunks)


@pytest.mark.parametrize(
    ("fields", "source"),
    [
        ({"id": "own"}, "own"),
        ({"document_id": "doc", "id": "own"}, "doc"),
        ({"document_id": "doc", "source_name": "wiki"}, "wiki"),
        ({"source_name": "wiki", "source_uri": "https://x.org"}, "https://x.org"),
        ({"source_uri": "https://x.org", "source_path": "a.md"}, "a.md"),
        ({}, None),
    ],
)
def test_the_source_is_the_most_telling_one(fields: dict[str, Any], source: str | None) -> None:
    assert citation(Chunk("text", **fields)).source == source


def test_an_id_that_plait_made_is_no_source() -> None:
    assert citation(Chunk("text").with_id()).source is None


def test_the_label_has_what_is_known() -> None:
    chunk = Chunk("text", title="Refunds", source_path="a.md", page=3, section="Billing > Refunds")
    assert citation(chunk).label == "Refunds, a.md, page 3, Billing > Refunds"
    assert citation(Chunk("text")).label == ""
    assert citation(Chunk("text", title="a.md", source_path="a.md")).label == "a.md"


def test_a_label_is_one_harmless_line() -> None:
    chunk = Chunk("text", title="two\nlines\x1b[31m", source_path="a\u202e.md")
    assert citation(chunk).label == "two lines [31m, a.md"


def test_pages_and_section_are_those_of_the_whole_text() -> None:
    merged = citation(
        Chunk("a", page=4, section="Billing > Refunds > Card"),
        Chunk("b", page=3, section="Billing > Refunds"),
        Chunk("c", section="Billing > Refunds > Cash"),
    )
    assert merged.pages == (3, 4)
    assert merged.section == "Billing > Refunds"
    assert merged.label == "pages 3-4, Billing > Refunds"


def test_chunks_under_different_headings_have_no_section() -> None:
    assert citation(Chunk("a", section="One"), Chunk("b", section="Two")).section is None
    assert citation(Chunk("a", section="One"), Chunk("b")).section is None


def test_as_json() -> None:
    chunk = Chunk("text", id="x", document_id="d", title="T", page=2, section="S")
    given = citation(chunk).to_dict()
    assert json.loads(json.dumps(given)) == {
        "number": 1,
        "text": "text",
        "ids": ["x"],
        "document_id": "d",
        "title": "T",
        "source": "d",
        "pages": [2, 2],
        "section": "S",
    }
