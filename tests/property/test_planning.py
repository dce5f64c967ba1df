"""Planning over any answer: reading never fails, the question is never lost, weights add up."""

from __future__ import annotations

import json
import math

from hypothesis import example, given, settings
from hypothesis import strategies as st

from plait.http.masking import Secrets
from plait.models import CallableModel
from plait.planning import Decompose, Hyde, MultiQuery, Rewrite, StepBack, merged
from plait.planning.reading import read_passages, read_texts
from plait.planning.variants import same_text, usable_texts
from plait.types import Query, Variant

WORD = st.text("abcdefghijklmnopqrstuvwxyzäß日本", min_size=2, max_size=8).filter(
    lambda word: word not in ("sure", "okay", "ok", "here", "note")
)
LINE = st.lists(WORD, min_size=1, max_size=6).map(" ".join)
LINES = st.lists(LINE, min_size=1, max_size=6)
# Pieces of what models write around their texts, so that nonsense is near the sensible.
MARKS = ("1. ", "- ", "```", "```json\n", "**", "\\n", "---", "Query 1: ", "Passage 1")
SAYINGS = ("Here are 2 queries:", "<think>", "</think>", "I'm sorry", "None")
PIECE = st.sampled_from([*"\n\"'[]{}:,\\\ud83d\x00\u202e", *MARKS, *SAYINGS])
ANSWER = st.one_of(
    st.text(),
    st.lists(st.one_of(PIECE, PIECE, LINE), max_size=20).map("".join),
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.text()),
        lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    ).map(json.dumps),
)
patient = settings(deadline=None)  # the first texts compile patterns
KINDS = [Rewrite, StepBack, MultiQuery, Decompose, Hyde]


@patient
@given(ANSWER)
@example('["' + "\\" * 7)
@example("{'a': ['b', \"c\"], 'd'")
def test_reading_gives_single_lines_whatever_is_written(answer):
    for texts in (read_texts(answer), read_texts(answer, listed=False), read_passages(answer)):
        assert all(text and len(text.splitlines()) == 1 for text in texts)
        assert all(text == text.strip() for text in texts)


@patient
@given(LINES)
def test_every_dressing_gives_the_same_texts(lines):
    dressed = [
        "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1)),
        "\n".join(f"- {line}" for line in lines),
        "\n\n".join(f'"{line}"' for line in lines),
        "\n".join(f"Query {number}: **{line}**" for number, line in enumerate(lines, 1)),
        json.dumps(lines),
        json.dumps({"queries": [{"query": line} for line in lines]}, indent=2),
        repr(lines),
        "Here are the queries:\n```json\n" + json.dumps(lines, ensure_ascii=False) + "\n```\nDone.",
        "Here are the queries:\n\n"
        + "\n".join(f"* {line}" for line in lines)
        + "\n\nI hope it helps!",
    ]
    assert [read_texts(answer) for answer in dressed] == [lines] * len(dressed)


@patient
@given(st.lists(LINE, max_size=8), LINE, st.integers(1, 5), st.integers(1, 40))
def test_usable_texts_are_different_few_and_short(texts, question, most, longest):
    found = usable_texts(texts, question, longest=longest, most=most)
    forms = [same_text(text) for text in found.texts]
    assert len(set(forms)) == len(forms) <= most
    assert same_text(question) not in forms
    assert all(len(text) <= max(longest, 2 * len(question)) for text in found.texts)
    dropped = sum(int(said.split()[0]) for said in found.dropped)
    same = sum(same_text(text) == same_text(question) for text in texts)
    assert found.repeats == (same > 0)
    assert len(found.texts) + dropped + same == len(texts)
    assert usable_texts(found.texts, question, longest=longest, most=most).texts == found.texts


@patient
@given(ANSWER, LINE, st.sampled_from(KINDS))
def test_the_question_is_never_lost(answer, question, kind):
    planned = kind(CallableModel(lambda prompt: answer)).plan(question)
    first, *others = planned.variants
    assert (first.name, first.query.text, first.weight) == ("original", question, 1.0)
    assert len({variant.name for variant in planned.variants}) == len(planned.variants)
    assert planned.calls == 1
    assert others or planned.notes
    assert not (others and planned.fell_back)
    assert all(each.legs == ("dense" if kind is Hyde else "all") for each in others)


@patient
@given(st.lists(st.tuples(LINE, st.floats(0.1, 10), st.sampled_from(["all", "dense"])), max_size=8))
def test_merging_adds_weights_and_changes_nothing_twice(given_variants):
    variants = [
        Variant(Query(text), weight, f"v{number}", legs)
        for number, (text, weight, legs) in enumerate(given_variants)
    ]
    once = merged(variants)
    assert merged(once) == once
    assert math.isclose(
        math.fsum(each.weight for each in once), math.fsum(each.weight for each in variants)
    )
    keys = [(each.legs, same_text(each.query.text)) for each in once]
    assert len(set(keys)) == len(keys)
    assert set(keys) == {(each.legs, same_text(each.query.text)) for each in variants}


@patient
@given(st.text(), st.text("abcdefXYZ0123-_/+=", min_size=4), st.text())
def test_a_secret_is_masked_wherever_it_stands(before, secret, after):
    masked = Secrets({"X-Api-Key": secret}).mask(f"{before}{secret}{after}{secret}")
    assert secret not in masked
