from plait.evaluation import Topics
from plait.evaluation.diagnosis.background import Background
from plait.evaluation.diagnosis.terms import QueryTerms
from plait.evaluation.diagnosis.unmatched import empty_answers, unknown_words
from plait.types import Query

BOTH = {"dense": [("x", 0.9)], "bm25": [("x", 4.0)]}
DENSE = {"dense": [("x", 0.9)], "bm25": []}


def test_one_query_in_twenty_without_a_match(case) -> None:
    (finding,) = empty_answers(case(DENSE, *[BOTH] * 19))
    assert (finding.kind, finding.severity, finding.legs) == ("no_match", "warning", ("bm25",))
    assert finding.figures == {"queries": 20, "empty": 1}
    assert finding.examples[0].query == "question 0"


def test_fewer_are_only_told(case) -> None:
    (finding,) = empty_answers(case(DENSE, *[BOTH] * 20))
    assert finding.severity == "info"
    assert list(empty_answers(case(*[BOTH] * 20))) == []


def test_the_words_that_no_chunk_has_are_shown(case) -> None:
    known = Background(terms={"q0": QueryTerms((), ("kündige", "abo"))})
    (finding,) = empty_answers(case(DENSE, *[BOTH] * 19, background=known))
    assert finding.examples[0].detail == "no chunk has: kündige abo"


def test_a_leg_that_never_finds_anything(case) -> None:
    """FAULTS: the index of a leg is empty while another's is not, and nobody is told."""
    (finding,) = empty_answers(case(DENSE, DENSE))
    assert (finding.kind, finding.severity, finding.legs) == ("empty_leg", "problem", ("bm25",))


def test_when_no_leg_finds_anything_that_is_told_once_elsewhere(case) -> None:
    assert list(empty_answers(case({"dense": [], "bm25": []}))) == []


def test_failures_and_questions_without_text_are_not_empty(case) -> None:
    failed = {"failures": {"q0": {"bm25": "LegError: down"}}}
    assert list(empty_answers(case(DENSE, BOTH, given=failed))) == []
    embedding = {"topics": Topics({"q0": Query(embedding=[1.0, 0.0]), "q1": "text"})}
    assert list(empty_answers(case(DENSE, BOTH, given=embedding))) == []


def test_queries_in_another_language(case) -> None:
    terms = {f"q{n}": QueryTerms(("plan",), ("kündige", "abo")) for n in range(10)}
    terms["q3"] = QueryTerms((), ("eins", "zwei", "drei"))
    (finding,) = unknown_words(case(*[BOTH] * 10, background=Background(terms=terms)))
    assert (finding.kind, finding.severity) == ("unknown_words", "warning")
    # 9 x 2 + 3 of 9 x 3 + 3
    assert finding.figures == {"queries": 10, "words": 30, "unknown": 21}
    assert finding.examples[0].topic == "q3"


def test_some_unknown_words_are_normal(case) -> None:
    terms = {f"q{n}": QueryTerms(("a", "b", "c"), ("d",)) for n in range(20)}
    assert list(unknown_words(case(*[BOTH] * 20, background=Background(terms=terms)))) == []
    assert list(unknown_words(case(*[BOTH] * 20))) == []
    wordless = Background(terms={f"q{n}": QueryTerms((), ()) for n in range(20)})
    assert list(unknown_words(case(*[BOTH] * 20, background=wordless))) == []


def test_terms_are_parted_once_each() -> None:
    terms = QueryTerms.of(("to", "be", "or", "to"), {"to", "or"})
    assert terms == QueryTerms(("to", "or"), ("be",))
