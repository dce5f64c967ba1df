"""FAULTS: no agreement bonus ever, since each leg numbers chunks differently."""

from plait.evaluation.diagnosis.background import Background
from plait.evaluation.diagnosis.identity import identity
from plait.types import Chunk


def legs(number: int, left: str, right: str) -> dict[str, list[tuple[str, float]]]:
    return {
        "dense": [(left.format(number + n), 1 - n / 10) for n in range(3)],
        "bm25": [(right.format(number + n), 9.0 - n) for n in range(3)],
    }


def test_legs_that_number_chunks_differently(case) -> None:
    (finding,) = identity(case(*[legs(n, "v_{}", "s_{}") for n in range(10)]))
    assert (finding.severity, finding.legs) == ("problem", ("dense", "bm25"))
    assert finding.figures["ids"] == {"dense": 12, "bm25": 12}
    assert finding.figures["examples"] == {
        "dense": ["v_0", "v_1", "v_2"],
        "bm25": ["s_0", "s_1", "s_2"],
    }
    assert finding.figures["same_by"] == {}
    assert "'v_0', 'v_1', 'v_2'" in finding.summary


def test_one_common_hit_is_enough_to_be_the_same_chunks(case) -> None:
    answers = [legs(n, "v_{}", "s_{}") for n in range(10)]
    answers[7]["bm25"][2] = ("v_0", 1.0)
    assert list(identity(case(*answers))) == []


def test_a_few_queries_prove_nothing(case) -> None:
    answers = [legs(n, "v_{}", "s_{}") for n in range(9)]
    empty = {"dense": [("v_50", 1.0)], "bm25": []}
    assert list(identity(case(*answers, *[empty] * 5))) == []


def test_what_would_make_them_the_same_is_said(case) -> None:
    answers = [legs(n, "v_{}", "s_{}") for n in range(10)]
    chunks = {}
    for n in range(12):
        chunks[f"v_{n}"] = Chunk(f"text {n}", document_id="d", index=n)
        chunks[f"s_{n}"] = Chunk(f"text  {n}\n", document_id="other", index=n)
    (finding,) = identity(case(*answers, background=Background(chunks)))
    assert finding.severity == "problem"
    assert finding.figures["same_by"] == {"document and index": 0, "content": 12}
    assert "by content, 12" in finding.summary
    assert "key=lambda chunk: chunk.content" in finding.advice


def test_different_texts_may_be_meant(case) -> None:
    answers = [legs(n, "v_{}", "s_{}") for n in range(10)]
    chunks = {name: Chunk(f"text of {name}") for n in range(12) for name in (f"v_{n}", f"s_{n}")}
    (finding,) = identity(case(*answers, background=Background(chunks)))
    assert finding.severity == "info"
    assert "different texts" in finding.advice


def test_documents_against_chunks_of_them(case) -> None:
    answers = [legs(n, "doc{}", "doc{}#0") for n in range(10)]
    documents = {f"doc{n}#0": f"doc{n}" for n in range(12)}
    (finding,) = identity(case(*answers, given={"documents": documents}))
    assert finding.severity == "problem"
    assert finding.figures["same_by"] == {"document": 12}
    assert "One leg returns documents, the other chunks" in finding.advice
