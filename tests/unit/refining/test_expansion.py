"""From hits to passages: what stands around a hit, and nothing that was filtered out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from plait import BM25Retriever
from plait.errors import ConfigurationError, QueryError
from plait.refining import Neighbors, SameSection, WholeDocument, expand, parse_expansion
from plait.types import Chunk, Hit, Passage


def document(name: str, length: int = 8, **fields: Any) -> list[Chunk]:
    return [
        Chunk(f"{name}{index}", document_id=name, index=index, **fields).with_id()
        for index in range(length)
    ]


A = document("a")
B = document("b")
FETCH = {"a": A, "b": B}.get


def hits(*chunks: Chunk) -> list[Hit]:
    return [Hit(chunk, 1 / rank, rank) for rank, chunk in enumerate(chunks, start=1)]


def texts(passages: Sequence[Passage]) -> list[str]:
    return [" ".join(chunk.content for chunk in passage.chunks) for passage in passages]


def found(passages: Sequence[Passage]) -> list[list[str]]:
    return [[hit.chunk.content for hit in passage.hits] for passage in passages]


def test_neighbors_come_in_reading_order() -> None:
    expanded = expand(hits(A[4]), FETCH, Neighbors(before=2, after=1))
    assert texts(expanded.passages) == ["a2 a3 a4 a5"]
    assert found(expanded.passages) == [["a4"]]
    assert (expanded.step, expanded.added) == ("neighbors(before=2, after=1)", 3)


def test_a_document_ends_where_it_ends() -> None:
    expanded = expand(hits(A[0], B[7]), FETCH, Neighbors(3, 3))
    assert texts(expanded.passages) == ["a0 a1 a2 a3", "b4 b5 b6 b7"]


def test_passages_that_overlap_are_one_at_the_place_of_the_better() -> None:
    expanded = expand(hits(A[4], B[1], A[2]), FETCH, Neighbors(1, 1))
    assert texts(expanded.passages) == ["a1 a2 a3 a4 a5", "b0 b1 b2"]
    assert found(expanded.passages) == [["a4", "a2"], ["b1"]]


def test_so_are_those_that_touch() -> None:
    expanded = expand(hits(A[1], A[4]), FETCH, Neighbors(1, 1))
    assert texts(expanded.passages) == ["a0 a1 a2 a3 a4 a5"]


def test_others_of_one_document_stay_apart() -> None:
    expanded = expand(hits(A[0], A[5]), FETCH, Neighbors(1, 1))
    assert texts(expanded.passages) == ["a0 a1", "a4 a5 a6"]


def test_a_document_is_fetched_once() -> None:
    asked = []

    def fetch(name: str) -> list[Chunk]:
        asked.append(name)
        return A

    expand(hits(A[0], A[5], A[7]), fetch)
    assert asked == ["a"]


def test_what_was_filtered_out_does_not_come_back_as_a_neighbor() -> None:
    parts = document("a")
    parts[2] = replace(parts[2], metadata={"tenant": "evil"})
    parts[5] = replace(parts[5], metadata={"tenant": "evil"})
    expanded = expand(
        hits(parts[4]), {"a": parts}.get, WholeDocument(), filter={"tenant": {"$ne": "evil"}}
    )
    assert texts(expanded.passages) == ["a3 a4"]


def test_a_bad_filter_is_refused() -> None:
    with pytest.raises(QueryError):
        expand(hits(A[0]), FETCH, filter={"a": {"$regx": "b"}})


def test_a_section_is_what_has_its_headings() -> None:
    sections = ["Intro", "Refunds", "Refunds", "Refunds", "Terms", "Refunds", None, None]
    parts = [replace(c, section=s) for c, s in zip(document("a"), sections, strict=True)]
    fetch = {"a": parts}.get
    assert texts(expand(hits(parts[2]), fetch, "section").passages) == ["a1 a2 a3"]
    assert texts(expand(hits(parts[5]), fetch, "section").passages) == ["a5"]
    assert texts(expand(hits(parts[6]), fetch, SameSection()).passages) == ["a6"]


def test_the_whole_document_comes_once() -> None:
    expanded = expand(hits(A[4], A[1]), FETCH, "document")
    assert texts(expanded.passages) == ["a0 a1 a2 a3 a4 a5 a6 a7"]
    assert expanded.added == 6


def test_a_function_decides_too() -> None:
    def heading(chunks: Sequence[Chunk], position: int) -> tuple[int, int]:
        return -5, position + 1

    assert texts(expand(hits(A[2]), FETCH, heading).passages) == ["a0 a1 a2"]


def test_a_span_beside_the_hit_reaches_to_it() -> None:
    expanded = expand(hits(A[2]), FETCH, lambda chunks, position: (4, 5))
    assert texts(expanded.passages) == ["a2 a3 a4"]


def test_the_hits_own_copy_is_what_is_shown() -> None:
    own = replace(A[4], metadata={"seen": True})
    (passage,) = expand(hits(own), FETCH).passages
    assert passage.chunks[1] is own


def test_a_chunk_without_id_is_found_by_index_and_content() -> None:
    bare = replace(A[4], id=None)
    assert texts(expand(hits(bare), FETCH).passages) == ["a3 a4 a5"]


@pytest.mark.parametrize(
    "lone",
    [
        Chunk("no document", id="x"),
        Chunk("unknown document", id="x", document_id="nobody", index=0),
        Chunk("deleted since", id="x", document_id="a", index=3),
    ],
)
def test_what_cannot_be_expanded_stays_in_its_place_and_is_told(lone: Chunk) -> None:
    expanded = expand(hits(A[0], lone, B[0]), FETCH, Neighbors(0, 1))
    assert texts(expanded.passages) == ["a0 a1", lone.content, "b0 b1"]
    assert len(expanded.notes) == 1
    assert expanded.notes[0].startswith("1 of 3 hits were not expanded")


def test_a_chunk_that_is_there_twice_counts_once() -> None:
    expanded = expand(hits(A[1], A[1]), FETCH)
    assert found(expanded.passages) == [["a1"]]


def test_no_hits_are_no_passages() -> None:
    expanded = expand([], FETCH)
    assert (expanded.passages, expanded.added, expanded.notes) == ((), 0, ())


def test_what_fetch_gives_is_not_changed() -> None:
    own = replace(A[4], metadata={"seen": True})
    before = list(A)
    expand(hits(own), FETCH)
    assert before == A
    assert A[4].metadata == {}


def test_a_retriever_in_memory_can_be_asked() -> None:
    retriever = BM25Retriever([*A, *B])
    result = retriever.retrieve("a4")
    assert texts(expand(result.hits, retriever.document).passages) == ["a3 a4 a5"]


@pytest.mark.parametrize("expansion", [Neighbors(2, 0), SameSection(), WholeDocument()])
def test_the_text_form_parses_back(expansion: Any) -> None:
    assert parse_expansion(str(expansion)) == expansion
    assert parse_expansion(expansion) is expansion


@pytest.mark.parametrize(
    "source", ["parent", "neighbors(n=1)", "document(all=True)", "", None, Neighbors, 3]
)
def test_what_is_no_expansion_is_refused(source: Any) -> None:
    with pytest.raises(ConfigurationError, match="expansion"):
        parse_expansion(source)


@pytest.mark.parametrize("count", [-1, True, 1.5, None])
def test_a_bad_count_of_neighbors_is_refused(count: Any) -> None:
    with pytest.raises(ConfigurationError, match="expected an int >= 0"):
        Neighbors(before=count)
