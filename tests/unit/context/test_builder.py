"""What goes into a context, in which order, and what does not fit."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from plait.context import Citation, Context, ContextBuilder, Template
from plait.errors import ConfigurationError
from plait.refining import Neighbors, WholeDocument, expand
from plait.types import Chunk, Hit, Passage, Query


def words(text: str) -> int:
    return len(text.split())


def hits(*chunks: Chunk | str) -> list[Hit]:
    made = [
        Chunk(chunk, id=f"h{place}") if isinstance(chunk, str) else chunk
        for place, chunk in enumerate(chunks, start=1)
    ]
    return [Hit(chunk, 1 / rank, rank) for rank, chunk in enumerate(made, start=1)]


def document(name: str, *texts: str) -> list[Chunk]:
    return [
        Chunk(text, document_id=name, index=index, page=index + 1).with_id()
        for index, text in enumerate(texts)
    ]


def build(budget: int | None, found: Sequence[Hit | Passage], **given: Any) -> Context:
    given = {"tokens": words, "template": Template("[{number}] {text}", separator="\n"), **given}
    return ContextBuilder(budget, **given).build("question", found)


def ids(found: Sequence[Hit]) -> list[str | None]:
    return [hit.id for hit in found]


def test_the_default_is_a_heading_and_the_text_for_each() -> None:
    chunks = [
        Chunk("Refunds take 14 days.", id="a", source_path="billing.md", page=2, section="Refunds"),
        Chunk("Cats purr.", id="b", title="Cats"),
    ]
    context = ContextBuilder().build("refunds", hits(*chunks))
    assert (
        str(context)
        == context.text
        == ("[1] billing.md, page 2, Refunds\nRefunds take 14 days.\n\n[2] Cats, b\nCats purr.")
    )
    assert (context.budget, context.counter, context.estimated) == (4000, "estimate", True)
    assert context.tokens > 0
    assert ids(context.hits) == ["a", "b"]
    assert [citation.number for citation in context.citations] == [1, 2]
    assert (context.skipped, context.cut, context.omitted, context.notes) == ((), None, 0, ())


def test_whole_chunks_in_rank_order() -> None:
    context = build(9, hits("one two", "three four", "five six", "seven eight"))
    assert context.text == "[1] one two\n[2] three four\n[3] five six"
    assert context.tokens == 9
    assert ids(context.skipped) == ["h4"]


def test_one_that_does_not_fit_is_skipped_and_a_later_one_that_fits_is_not() -> None:
    context = build(7, hits("one two", "far too long a text for it", "five six", "seven"))
    assert context.text == "[1] one two\n[2] five six"
    assert ids(context.skipped) == ["h2", "h4"]
    assert [ids(citation.hits) for citation in context.citations] == [["h1"], ["h3"]]


# FAULTS: max_context_tokens(10), one 20 000-char chunk: 5 000 tokens go to the prompt.
@pytest.mark.parametrize("tokens", [None, words])
def test_a_first_chunk_that_is_too_long_is_cut(tokens: Any) -> None:
    chunk = Chunk("Refunds take days. " * 1053, id="long", source_path="docs/billing.md", page=3)
    context = ContextBuilder(10, tokens=tokens).build("refunds", hits(chunk, "other"))
    assert 0 < context.tokens <= 10
    assert "Refunds take days." in context.text
    assert context.cut is not None
    assert context.cut.id == "long"
    assert context.citations[0].source == "docs/billing.md"
    assert ids(context.skipped) == ["h2"]


def test_it_is_cut_at_the_end_of_a_sentence() -> None:
    context = build(8, hits("One two. Three four. Five six. Seven eight. Nine."))
    assert context.text == "[1] One two. Three four. Five six."


def test_beside_a_cut_chunk_a_short_one_still_fits() -> None:
    context = build(
        7, hits("One two. Three four five six seven eight.", "nine ten", "eleven twelve")
    )
    assert context.text == "[1] One two.\n[2] nine ten"
    assert ids(context.skipped) == ["h3"]


def test_only_the_first_is_cut() -> None:
    context = build(6, hits("One two.", "Three. Four five six seven eight."))
    assert context.text == "[1] One two."
    assert context.cut is None


def test_a_budget_without_room_for_the_heading_has_the_text() -> None:
    chunk = Chunk("Refunds take days.", id="a", title="A title of many words", section="x y z")
    context = ContextBuilder(4, tokens=words).build("q", hits(chunk))
    assert context.text == "[1] Refunds take days."
    assert context.notes == (
        "the budget has no room for the template: the text follows its number",
    )


def test_a_budget_without_room_for_anything_is_empty_and_says_so() -> None:
    context = build(1, hits("one two"))
    assert (context.text, context.tokens, context.citations) == ("", 0, ())
    assert ids(context.skipped) == ["h1"]
    assert context.notes == ("a budget of 1 tokens has no room for any text",)


def test_the_frame_counts_too() -> None:
    template = Template("{text}", whole="Answer {query} from these:\n{blocks}", separator="\n")
    context = build(8, hits("one two", "three four", "five"), template=template)
    assert context.text == "Answer question from these:\none two\nthree four"
    assert context.tokens == 8


def test_without_a_budget_everything_goes_in() -> None:
    context = build(None, hits(*["word " * 5000] * 3))
    assert len(context.citations) == 3
    assert context.budget is None


def test_nothing_found_says_so() -> None:
    context = build(100, [])
    assert context.text == "No passages were found."
    assert context.tokens == 4
    assert (context.citations, context.notes) == ((), ("nothing was found",))
    assert build(2, []).text == ""


# FAULTS: overlapping chunks repeat their text.
def test_neighbors_of_one_document_are_one_block_in_reading_order() -> None:
    a, b, c = document("d", "One two three.", "two three. Four five.", "Six seven.")
    context = build(100, hits(c, "elsewhere", a, b))
    assert context.text == "[1] One two three. Four five.\nSix seven.\n[2] elsewhere"
    merged = context.citations[0]
    assert [chunk.index for chunk in merged.chunks] == [0, 1, 2]
    assert ids(merged.hits) == ["d#2", "d#0", "d#1"]
    assert merged.pages == (1, 3)


def test_chunks_that_do_not_follow_one_another_stay_apart() -> None:
    a, _, c = document("d", "One.", "Two.", "Three.")
    assert build(100, hits(c, a)).text == "[1] Three.\n[2] One."


def test_chunks_of_other_documents_never_merge() -> None:
    a = Chunk("One two three.", document_id="a", index=0)
    b = Chunk("two three. Four.", document_id="b", index=1)
    assert build(100, hits(a, b)).text == "[1] One two three.\n[2] two three. Four."


def test_chunks_follow_one_another_by_their_source_too() -> None:
    a = Chunk("One.", source_path="x.md", index=0)
    b = Chunk("Two.", source_path="x.md", index=1)
    assert build(100, hits(b, a)).text == "[1] One.\nTwo."


def test_text_that_is_shared_takes_its_room_once() -> None:
    a, b = document("d", "one two three four", "three four five")
    context = build(6, hits(a, b))
    assert context.text == "[1] one two three four five"
    assert context.tokens == 6


def test_nothing_follows_a_text_that_was_cut() -> None:
    a, b = document("d", "One two. Three four five six.", "Seven.")
    context = build(5, hits(a, b))
    assert context.text == "[1] One two.\n[2] Seven."


def test_an_expansion_goes_in_behind_all_that_was_found() -> None:
    parts = document("d", "a0", "a1", "a2", "a3", "a4")
    found = hits(parts[2], "b b b")
    expanded = expand(found, {"d": parts}.get, WholeDocument()).passages
    texts = {
        budget: (build(budget, expanded).text, build(budget, expanded).omitted)
        for budget in (6, 7, 8, 9, 10)
    }
    assert texts == {
        6: ("[1] a2\n[2] b b b", 4),
        7: ("[1] a1\na2\n[2] b b b", 3),
        8: ("[1] a1\na2\na3\n[2] b b b", 2),
        9: ("[1] a0\na1\na2\na3\n[2] b b b", 1),
        10: ("[1] a0\na1\na2\na3\na4\n[2] b b b", 0),
    }


def test_an_expansion_fills_what_a_hit_that_is_too_long_leaves() -> None:
    parts = document("d", "a0", "a1", "a2", "a3", "a4")
    expanded = expand(hits(parts[2], "b b b"), {"d": parts}.get, WholeDocument()).passages
    context = build(5, expanded)
    assert context.text == "[1] a0\na1\na2\na3"
    assert (ids(context.skipped), context.omitted) == (["h2"], 1)


def test_neighbors_of_a_hit_that_does_not_fit_stay_out() -> None:
    parts = document("d", "a0", "very long text indeed here", "a2")
    found = hits("b", parts[1])
    context = build(6, expand(found, {"d": parts}.get).passages)
    assert context.text == "[1] b"
    assert (ids(context.skipped), context.omitted) == (["d#1"], 2)


def test_hits_of_one_passage_compete_by_their_ranks() -> None:
    parts = document("d", "a0", "a1", "a2 a2")
    found = hits(parts[0], "b", parts[2])
    expanded = expand(found, {"d": parts}.get, Neighbors(1, 1)).passages
    assert len(expanded) == 2
    context = build(4, expanded)
    assert context.text == "[1] a0\n[2] b"
    assert ids(context.skipped) == ["d#2"]
    assert build(5, expanded).text == "[1] a0\na1\n[2] b"


def test_a_hit_between_that_does_not_fit_parts_its_passage() -> None:
    parts = document("d", "a0", "a1 is far too long", "a2")
    found = hits(parts[0], parts[2], parts[1])
    context = build(6, expand(found, {"d": parts}.get).passages)
    assert context.text == "[1] a0\n[2] a2"
    assert ids(context.skipped) == ["d#1"]


def test_any_function_makes_the_text() -> None:
    seen = []

    def xml(query: str, citations: Sequence[Citation]) -> str:
        seen.append(query)
        return "".join(f"<doc n={each.number}> {each.text} </doc>\n" for each in citations)

    context = build(11, hits("one", "two", "three"), template=xml)
    assert context.text == "<doc n=1> one </doc>\n<doc n=2> two </doc>\n"
    assert context.tokens == 8
    assert set(seen) == {"question"}


def test_a_function_that_makes_no_text_is_told() -> None:
    with pytest.raises(ConfigurationError, match="returned list, expected str"):
        build(12, hits("one"), template=lambda query, citations: [])


def test_a_query_may_be_a_vector_or_missing() -> None:
    builder = ContextBuilder(template=Template(whole="<{query}>{blocks}"))
    assert builder.build(Query(embedding=[1.0]), []).text.startswith("<>")
    assert builder.build(None, []).text.startswith("<>")
    assert builder.build(Query("text"), []).text.startswith("<text>")


def test_chunks_without_text_do_no_harm() -> None:
    assert build(10, hits("", "one")).text == "[1] \n[2] one"


@pytest.mark.parametrize("budget", [0, -1, True, 10.0, "10"])
def test_a_bad_budget_is_refused(budget: Any) -> None:
    with pytest.raises(ConfigurationError, match="the budget of a context is"):
        ContextBuilder(budget)


def test_builders_are_values() -> None:
    assert ContextBuilder(10, tokens=words) == ContextBuilder(10, tokens=words)
    assert ContextBuilder(10) != ContextBuilder(11)


def test_it_says_what_decides_the_text() -> None:
    described = ContextBuilder(10, tokens=words).describe()
    assert json.loads(json.dumps(described)) == {
        "budget": 10,
        "tokens": "words",
        "estimated": False,
        "template": {
            "block": "{heading}\n{text}",
            "separator": "\n\n",
            "whole": "{blocks}",
            "empty": "No passages were found.",
        },
    }
    assert ContextBuilder(template=lambda query, citations: "").describe()["template"] == "<lambda>"


def test_as_json() -> None:
    context = build(6, hits("One two. Three four five six seven.", "far too long for it", "x"))
    given = json.loads(json.dumps(context.to_dict()))
    assert given["text"] == "[1] One two.\n[2] x"
    assert [citation["number"] for citation in given["citations"]] == [1, 2]
    assert (given["skipped"], given["cut"], given["omitted"]) == (["h2"], "h1", 0)
    assert (given["tokens"], given["budget"], given["counter"]) == (5, 6, "words")
