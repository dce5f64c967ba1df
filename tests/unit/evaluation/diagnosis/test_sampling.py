from collections.abc import Iterator
from pathlib import Path

import pytest

import plait
from plait import Chunk
from plait.evaluation import Topics, record
from plait.evaluation.diagnosis.background import Background
from plait.evaluation.diagnosis.sampling import sample_topics


@pytest.fixture
def make(tmp_path: Path) -> Iterator:
    opened = []

    def collection(name: str):
        opened.append(plait.open(tmp_path, name, embedder="hash(dim=16)"))
        return opened[-1]

    yield collection
    for kb in opened:
        kb.close()


TEXTS = {
    "a": "Refunds take fourteen days. They go back to the card.",
    "b": "Error E1042 means that the socket was closed.\nTry again in a minute.",
    "c": "短い。払い戻しには十四日かかります。カードに戻ります。",
    "d": "too short",
    "e": "Refunds take fourteen days.",
}


def test_queries_are_sentences_of_the_chunks(make) -> None:
    kb = make("sentences")
    kb.add([Chunk(text, id=id) for id, text in TEXTS.items()])
    with kb.snapshot() as view:
        topics = sample_topics(view, 10)
    assert set(topics) <= {"a", "b", "c", "e"}
    for id, query in topics.items():
        assert query.text in TEXTS[id]
        assert len(query.text) >= 12
    texts = [query.text for query in topics.values()]
    assert len(set(texts)) == len(texts)


def test_titles_and_headings_are_asked_for_too(make) -> None:
    kb = make("titles")
    kb.add(
        [
            Chunk("It takes fourteen days.", id=str(n), title=f"Refund {n}", section=f"A > B {n}")
            for n in range(200)
        ]
    )
    with kb.snapshot() as view:
        asked = {query.text for query in sample_topics(view, 200).values()}
    headings = {text for text in asked if text.startswith("B ")}
    assert asked == headings | {"It takes fourteen days."}
    assert 30 <= len(headings) <= 70  # one in four


def test_the_choice_does_not_depend_on_the_order_of_adding(make) -> None:
    chunks = [Chunk(f"This is sentence number {n}.", id=str(n)) for n in range(50)]
    forth, back = make("forth"), make("back")
    forth.add(chunks)
    back.add(chunks[::-1])
    with forth.snapshot() as one, back.snapshot() as other:
        assert sample_topics(one, 5) == sample_topics(other, 5)
        assert len(sample_topics(one, 5)) == 5
        assert sample_topics(one, 5, seed=1) != sample_topics(one, 5)


def test_an_empty_collection_gives_none(make) -> None:
    with make("empty").snapshot() as view:
        assert sample_topics(view) == {}


def test_the_background_of_a_recording(make) -> None:
    kb = make("known")
    kb.add([Chunk(text, id=id) for id, text in TEXTS.items()])
    topics = Topics({"q": "refunds kündige Refunds"})
    with kb.snapshot() as view:
        known = Background.of(view, kb.settings.analyzer, record(view, topics))
    assert (known.terms["q"].known, known.terms["q"].unknown) == (("refunds",), ("kündige",))
    assert known.chunks["a"].content == TEXTS["a"]
