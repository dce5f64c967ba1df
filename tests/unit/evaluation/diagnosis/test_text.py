from plait.evaluation.diagnosis import diagnose


def test_a_diagnosis_for_a_reader(recorded) -> None:
    both = {"dense": [("x", 0.9), ("y", 0.8), ("z", 0.1)], "bm25": [("y", 4.0), ("x", 1.0)]}
    empty = {"dense": [("x", 0.9)], "bm25": []}
    text = diagnose(recorded(*[both] * 9, empty)).text()
    assert (
        text
        == """\
10 queries, 100 candidates a leg, rsf()

leg    weight  answered  empty  failed  hits  in top 10  of the score
dense       1        10      0       0   2.8       100%           67%
bm25        1         9      1       0   2.0        64%           33%

legs         common in top 10  in window  rank-biased overlap  rank correlation
dense, bm25              100%       100%                 0.90                 –

warning: bm25 finds nothing for 1 of 10 queries (10 %)
  There the other legs answer alone. For a lexical leg: look whether queries and chunks are in one \
language, and whether the analyzer is that of the language (plait info).
  e.g. q9 "question 9"

1 warning"""
    )


def test_what_queries_and_legs_hold_does_not_reach_the_terminal(recorded) -> None:
    long = "x" * 200
    topics = {"q0": f"\x1b[31m{long}"}
    diagnosis = diagnose(
        recorded({"de\nnse": [("x", 0.9)], "b\x1b[0m": []}, topics=_topics(topics))
    )
    assert "\x1b" not in diagnosis.text()
    assert "…" in diagnosis.text()
    assert long not in diagnosis.text()


def _topics(texts):
    from plait.evaluation import Topics

    return Topics(texts)
