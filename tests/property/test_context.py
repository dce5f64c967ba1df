"""Whatever the hits, the budget and the counter: the budget holds, and nothing gets lost."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from plait.context import Context, ContextBuilder, Template, cite, estimate_tokens
from plait.refining import Neighbors, WholeDocument, expand
from plait.text.joining import join_texts, shared
from plait.types import Chunk, Hit

COUNTERS: list[Callable[[str], int]] = [
    len,
    estimate_tokens,
    lambda text: len(text.split()),
    lambda text: len(text.encode()),
    lambda text: 3 + len(text) // 4,  # marks of its own, as some tokenizers count
    lambda text: -(-len(text) // 7) if len(text) % 5 else len(text) // 3,  # not monotonic
]
TEMPLATES = [None, Template("{text}"), Template(whole="Sources {{for}} {query}:\n{blocks}")]

texts = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(["Refunds take 14 days.", "退款十四天。", "{x}", "a", "\n\n", "cats purr"]),
        max_size=12,
    ).map(" ".join),
)
chunks = st.lists(
    st.tuples(texts, st.sampled_from(["a", "b", None]), st.integers(0, 5)), max_size=8
).map(
    lambda rows: [
        Chunk(text, document_id=name, index=index if name else None, id=f"{name}{index}-{place}")
        for place, (text, name, index) in enumerate(rows)
    ]
)


def hits(found: list[Chunk]) -> list[Hit]:
    return [Hit(chunk, 1 / rank, rank) for rank, chunk in enumerate(found, start=1)]


def check(context: Context, found: list[Hit], count: Callable[[str], int], budget: int) -> None:
    if context.text:
        assert count(context.text) == context.tokens <= budget
    placed = [hit.id for hit in context.hits]
    assert sorted([*placed, *(hit.id for hit in context.skipped)]) == sorted(
        h.id or "" for h in found
    )
    assert [citation.number for citation in context.citations] == list(
        range(1, len(context.citations) + 1)
    )
    for citation in context.citations:
        assert citation.hits
        assert citation.text in context.text


@given(chunks, st.integers(1, 200), st.sampled_from(COUNTERS), st.sampled_from(TEMPLATES))
def test_the_budget_is_never_exceeded_and_every_hit_is_placed_or_skipped(
    found: list[Chunk], budget: int, count: Callable[[str], int], template: Template | None
) -> None:
    builder = ContextBuilder(budget, tokens=count, template=template)
    check(builder.build("query", hits(found)), hits(found), count, budget)


@given(
    st.lists(texts, min_size=1, max_size=8),
    st.sets(st.integers(0, 7), max_size=4),
    st.integers(1, 150),
    st.sampled_from(COUNTERS),
    st.sampled_from([Neighbors(1, 1), WholeDocument()]),
)
def test_nor_is_it_by_passages(
    parts: list[str],
    wanted: set[int],
    budget: int,
    count: Callable[[str], int],
    expansion: Neighbors | WholeDocument,
) -> None:
    document = [
        Chunk(text, document_id="d", index=index).with_id() for index, text in enumerate(parts)
    ]
    found = hits([document[place] for place in sorted(wanted) if place < len(document)])
    passages = expand(found, {"d": document}.get, expansion).passages
    context = ContextBuilder(budget, tokens=count).build("query", passages)
    check(context, found, count, budget)


@given(st.lists(st.integers(1, 12), max_size=10), st.integers(1, 40))
def test_no_hit_that_was_skipped_would_have_fitted(lengths: list[int], budget: int) -> None:
    def count(text: str) -> int:
        return len(text.split())

    found = hits([Chunk("word " * length, id=str(place)) for place, length in enumerate(lengths)])
    context = ContextBuilder(budget, tokens=count, template="{text}").build("q", found)
    if context.cut is None and context.text:
        assert all(context.tokens + count(hit.chunk.content) > budget for hit in context.skipped)


@given(st.lists(st.integers(0, 30), min_size=1), st.text(max_size=300))
def test_windows_of_a_text_never_lose_anything(cuts: list[int], text: str) -> None:
    places = sorted({min(place * 10, len(text)) for place in cuts} | {0, len(text)})
    windows = [text[max(0, start - 9) : stop] for start, stop in pairwise(places)]
    joined = join_texts(windows, separator="")
    for window in windows:
        assert window in joined
    assert len(joined) <= sum(map(len, windows))


@given(st.text("ab ", max_size=40), st.text("ab ", max_size=40))
def test_what_is_shared_ends_the_one_and_begins_the_other(before: str, after: str) -> None:
    length = shared(before, after)
    assert before.endswith(after[:length])
    longer = [
        size
        for size in range(max(length + 1, 8), min(len(before), len(after)) + 1)
        if before.endswith(after[:size]) and any(map(str.isalnum, after[:size]))
    ]
    assert not longer


@given(st.text(max_size=200), st.integers(0, 12))
@settings(max_examples=200)
def test_citing_never_fails_and_names_only_what_is_in_the_answer(answer: str, count: int) -> None:
    context = ContextBuilder(None).build(
        "q", hits([Chunk(str(n), id=str(n)) for n in range(count)])
    )
    cited = cite(answer, context)
    assert len(cited.citations) + len(cited.uncited) == count
    for mention in cited.mentions:
        assert any(map(str.isdigit, answer[mention.start : mention.stop]))


@given(st.lists(st.integers(1, 30), max_size=8))
def test_every_way_to_write_known_numbers_is_read(numbers: list[int]) -> None:
    context = ContextBuilder(None).build("q", hits([Chunk(str(n), id=str(n)) for n in range(30)]))
    first_use = list(dict.fromkeys(numbers))
    together = f"So it is [{', '.join(map(str, numbers))}]."
    apart = "".join(f"[{number}]" for number in numbers)
    for answer in (together, apart):
        assert [each.number for each in cite(answer, context).citations] == first_use
