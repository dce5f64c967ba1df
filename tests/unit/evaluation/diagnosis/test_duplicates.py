from plait.evaluation.diagnosis.background import Background
from plait.evaluation.diagnosis.duplicates import duplicate_hits, near_duplicates
from plait.types import Chunk


def hits(ids: str) -> list[tuple[str, float]]:
    return [(id, 50.0 - n) for n, id in enumerate(ids)]


def test_one_id_twice_in_a_leg(case) -> None:
    """FAULTS: one leg returns x, a, a."""
    (finding,) = duplicate_hits(case({"a": hits("xaa")}, {"a": hits("xab")}))
    assert (finding.severity, finding.legs) == ("warning", ("a",))
    assert finding.figures == {"queries": 2, "repeated": 1, "hits": 1}
    assert list(duplicate_hits(case({"a": hits("xab")}))) == []


LONG = "Refunds take 14 days. They are paid back to the card that was charged. " * 5


def texts(**changed: str) -> Background:
    return Background({id: Chunk(changed.get(id, f"{id} " * 300), id=id) for id in "abcdefghij"})


def test_texts_that_repeat(case) -> None:
    known = texts(a=LONG, d=LONG.upper().replace(" ", "\n"))
    (finding,) = near_duplicates(case(*[{"a": hits("abcdefghij")}] * 10, background=known))
    # one of ten places in each of ten queries
    assert finding.figures == {"places": 100, "repeated": 10, "queries": 10}
    assert finding.examples[0].detail == "d repeats a"


def test_overlapping_chunks_do_not_repeat_each_other(case) -> None:
    words = [f"word{n}" for n in range(300)]
    known = texts(a=" ".join(words[:200]), b=" ".join(words[100:]))
    assert list(near_duplicates(case(*[{"a": hits("abcd")}] * 10, background=known))) == []


def test_a_small_change_is_still_a_repeat(case) -> None:
    known = texts(a=LONG, b=LONG.replace("14", "30", 1))
    assert len(list(near_duplicates(case(*[{"a": hits("abcd")}] * 10, background=known)))) == 1


def test_texts_that_are_not_at_hand_or_blank_are_not_looked_at(case) -> None:
    answers = [{"a": hits("abcd")}] * 10
    assert list(near_duplicates(case(*answers))) == []
    assert list(near_duplicates(case(*answers, background=texts(a=" ", b="")))) == []
    assert list(near_duplicates(case(*answers[:9], background=texts(a=LONG, b=LONG)))) == []
