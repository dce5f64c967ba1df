"""A sentence is asked, what is left of its chunk is to be found."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from plait.collection import Collection
from plait.evaluation.self_supervised import HeldOut, hold_out
from plait.text import Analyzer
from plait.types import Chunk

Make = Callable[..., Collection]


def held(kb: Collection, count: int = 99, **given: int) -> tuple[HeldOut, ...]:
    with kb.snapshot() as view:
        return hold_out(view, view.analyzer, count, **given)


def words(count: int, start: int = 0) -> str:
    return " ".join(f"w{n}" for n in range(start, start + count))


def test_a_sentence_is_taken_out_and_the_rest_stays_as_it_was(make: Make) -> None:
    kb = make()
    chunk = Chunk(
        "Refunds take fourteen days. They go back to the card. Ask us if not!",
        id="a",
        title="Refunds",
        section="Billing > Refunds",
        metadata={"n": 1},
        document_id="d",
        index=3,
    )
    kb.add([chunk])
    rests = {
        "Refunds take fourteen days.": "They go back to the card. Ask us if not!",
        "They go back to the card.": "Refunds take fourteen days. Ask us if not!",
        "Ask us if not!": "Refunds take fourteen days. They go back to the card.",
    }
    seen = set()
    for seed in range(20):
        (each,) = held(kb, seed=seed)
        seen.add(each.sentence)
        assert each.rest.content == rests[each.sentence]
        assert (each.rest.id, each.rest.title, each.rest.section) == ("a", "Refunds", chunk.section)
        assert (each.rest.metadata, each.rest.document_id, each.rest.index) == ({"n": 1}, "d", 3)
        assert each.rest.embedding is None
    assert seen == set(rests)  # whichever it is, chance decides


def test_lines_and_other_scripts(make: Make) -> None:
    kb = make()
    code = "def add(one, two):\n    total = one + two\n    return total, one, two\n"
    kb.add(
        [
            Chunk(code, id="code"),
            Chunk("払い戻しには十四日かかります。カードに戻ります。領収書も届きます。", id="ja"),
        ]
    )
    found = {each.rest.id: each for each in held(kb)}
    assert found["code"].sentence in {line.strip() for line in code.splitlines()}
    assert found["ja"].sentence.endswith("。")
    assert found["ja"].sentence + found["ja"].rest.content.replace(" ", "") != ""
    whole = sorted("払い戻しには十四日かかります。カードに戻ります。領収書も届きます。")
    assert sorted(found["ja"].sentence + found["ja"].rest.content.replace(" ", "")) == whole


@pytest.mark.parametrize("count", [12, 13, 40])
def test_out_of_words_without_a_sentence_a_third_is_taken(make: Make, count: int) -> None:
    kb = make(analyzer="analyzer(tokenizer='whitespace')")
    text = words(count)
    kb.add([Chunk(text, id="a")])
    places = set()
    for seed in range(40):
        (each,) = held(kb, seed=seed)
        taken = each.sentence.split()
        assert len(taken) == count // 3
        start = int(taken[0][1:])
        assert each.sentence == words(count // 3, start)
        left = [word for word in text.split() if word not in taken]
        assert each.rest.content == " ".join(left)
        places.add(start)
    assert len(places) > 3


@pytest.mark.parametrize(
    "text",
    [
        "",
        "short",
        words(11),  # one sentence, and fewer than twelve words
        "One two three. Four five.",  # sentences of fewer than four terms
        "One two three four five six. Little.",  # less than twenty characters would stay
        "One two three four five six. ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",  # nothing to be found
        "One two three.\n" + words(61),  # a paragraph is no question
    ],
)
def test_what_is_passed_over(make: Make, text: str) -> None:
    kb = make()
    kb.add([Chunk(text, id="a", title="title")])
    assert held(kb) == ()


def test_terms_are_those_of_the_analyzer(make: Make) -> None:
    kb = make(analyzer="analyzer(language='en')")
    kb.add(
        [Chunk("It is what it is and so was the plan. Refunds take fourteen days, says the page.")]
    )
    (each,) = held(kb)
    assert each.sentence.startswith("Refunds")  # of the other one only the plan is asked for


def test_the_choice_is_the_same_whatever_came_before(make: Make) -> None:
    chunks = [
        Chunk(f"This is about number {n}. It says what {n * n} is good for.", id=f"{n}")
        for n in range(400)
    ]
    forth, back = make("forth"), make("back", embedder=None)
    forth.add(chunks)
    back.add([Chunk("Another text that goes. It is deleted again.", id="0"), chunks[7]])
    for start in range(0, 400, 50):
        back.add(chunks[::-1][start : start + 50])
    one = held(forth, 60)
    assert len(one) == 60
    assert held(back, 60) == held(forth, 60) == one
    assert held(forth, 60, seed=1) != one
    assert held(forth, 20) == one[:20]
    assert len({each.rest.id for each in held(forth, 1000)}) == 400
    # The chunks are not those with the lowest ids.
    assert {str(each.rest.id) for each in one} != set(sorted(str(n) for n in range(400))[:60])


def test_an_empty_collection_has_none(make: Make) -> None:
    assert held(make()) == ()


def test_of_a_very_long_text_not_every_sentence_is_taken_out(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = make()
    kb.add([Chunk("This is one of very many sentences. " * 3000, id="long")])
    read = 0
    query_terms = Analyzer.query_terms

    def counted(self: Analyzer, text: str) -> tuple[str, ...]:
        nonlocal read
        read += len(text)
        return query_terms(self, text)

    with kb.snapshot() as view:
        monkeypatch.setattr(Analyzer, "query_terms", counted)
        assert len(hold_out(view, view.analyzer, 1)) == 1
    assert read < 2 * 36 * 3000
