"""Cutting documents loses nothing, keeps the budget, and numbers the chunks."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from plait.ingest import Chunking, Document, estimate_tokens, split
from plait.ingest.chunking import _spans
from plait.ingest.headings import sections

words = st.sampled_from(
    [
        *("refund", "E1042", "a", "max_upload_mb", "internationalization", "*em*", "`code`", "|"),
        *("退款", "申请退款流程", "ありがとう。", "لغة", "हिन्दी", "ภาษาไทย", "é", "👍🏽", "\u200b"),
        *("[a](b)", "…"),
    ]
)
gaps = st.sampled_from([" ", "  ", "\n", "\n\n", "\n\n\n", "\t", ". ", "\r\n", "\x0c", "\u3000"])
marks = st.sampled_from(
    [
        *("\n# ", "\n\n## ", "\n### ", "\n- ", "\n  - ", "\n1. ", "\n> ", "\n```\n", "\n---\n"),
        *("\n===\n", "\n    ", "\n| a | b |\n|---|---|\n", "\n***\n", "<!-- ", " -->", "\x1c"),
    ]
)
texts = st.lists(st.one_of(words, words, gaps, marks, st.text(max_size=5)), max_size=60).map(
    "".join
)

counters = st.sampled_from([len, estimate_tokens, lambda text: len(text.split())])
chunkings = st.integers(1, 40).flatmap(
    lambda size: st.builds(Chunking, st.just(size), st.integers(0, size - 1))
)


@given(text=texts, markup=st.sampled_from(["text", "markdown"]), chunking=chunkings, count=counters)
@settings(max_examples=300, deadline=None)
def test_nothing_is_lost_and_the_budget_is_kept(text, markup, chunking, count):
    document = Document("d", text, markup)
    chunks = split(document, chunking, count)
    found = sections(text) if markup == "markdown" else ()
    spans = list(_spans(document, found, chunking, count))

    assert [chunk.content for chunk in chunks] == [text[start:stop] for start, stop in spans]
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    covered = {position for start, stop in spans for position in range(start, stop)}
    left_out = set(range(len(text))) - covered
    assert all(text[position].isspace() for position in left_out)
    for chunk in chunks:
        assert chunk.content == chunk.content.strip() != ""
        assert count(chunk.content) <= chunking.max_tokens or len(chunk.content) == 1
    for (start, stop), (next_start, next_stop) in pairwise(spans):
        assert start < next_start
        assert stop < next_stop
        if chunking.overlap == 0:
            assert stop <= next_start


@given(text=texts, chunking=chunkings)
@settings(max_examples=50, deadline=None)
def test_cutting_twice_gives_the_same(text, chunking):
    document = Document("d", text, "markdown")
    assert split(document, chunking) == split(document, chunking)
    assert Chunking.parse(str(chunking)) == chunking


@given(text=texts)
@settings(max_examples=50, deadline=None)
def test_a_document_within_the_budget_is_one_chunk(text):
    document = Document("d", text, "markdown")
    chunks = split(document, Chunking(max(1, estimate_tokens(text))))
    assert [chunk.content for chunk in chunks] == ([text.strip()] if text.strip() else [])


@given(st.text())
def test_the_estimate_is_no_more_than_the_characters(text):
    assert estimate_tokens(text) <= len(text)
