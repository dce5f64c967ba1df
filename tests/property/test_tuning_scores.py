"""The fast scores of tuning are those of the fused runs, by an independent library."""

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.evaluation import Qrels, Recording, Topics
from plait.evaluation.tuning.measure import CutMeasure
from plait.evaluation.tuning.scoring import Scorer
from plait.evaluation.tuning.space import Space
from plait.types import Ranking

METHODS = (
    "rsf()",
    "convex()",
    'dbsf(shape="3sigma")',
    "zscore()",
    "rrf(k=0)",
    "borda()",
    "combmnz()",
    "qdrant_rrf(k=2)",
)
MEASURES = ["nDCG@3", "nDCG@10", "AP@5", "RR@10", "R@4", "P@5", "Success@2"]
IDS = "abcdefghijkl"


@st.composite
def recordings(draw):
    legs = ("dense", "bm25", "title")[: draw(st.integers(1, 3))]
    rankings = {}
    for topic in ("1", "2"):
        rows = []
        for leg in legs:
            ids = draw(st.lists(st.sampled_from(IDS), max_size=10, unique=True))
            score = st.integers(0, 20).map(float)
            scores = sorted(
                draw(st.lists(score, min_size=len(ids), max_size=len(ids))), reverse=True
            )
            rows.append(Ranking(leg, tuple(ids), tuple(scores)))
        rankings[topic] = tuple(rows)
    chunked = draw(st.booleans())
    documents = {id: f"doc {ord(id) // 3}" for id in IDS} if chunked else {}
    return Recording(
        legs, Topics({"1": "one", "2": "two"}), rankings, documents, 10, failures={}, origin={}
    )


@settings(max_examples=60, deadline=None)
@given(recording=recordings(), data=st.data())
def test_scores_are_those_of_the_fused_runs(recording, data):
    names = sorted({recording.documents.get(id, id) for id in IDS})
    grades = st.dictionaries(st.sampled_from(names), st.integers(0, 3), max_size=6)
    qrels = Qrels({"2": data.draw(grades), "1": data.draw(grades)})
    measure = data.draw(st.sampled_from(MEASURES))
    methods = data.draw(st.sampled_from([METHODS[:4], METHODS[4:]]))
    candidates = Space(methods, (3, 10), steps=3).candidates(len(recording.legs))
    scorer = Scorer(recording, qrels, CutMeasure.parse(measure))
    assert scorer.topics == ("1", "2")
    scores = scorer.scores(candidates, [1, 0])
    judged = [
        ir_measures.Qrel(topic, document, grade)
        for topic, graded in qrels.items()
        for document, grade in graded.items()
    ]
    evaluator = ir_measures.evaluator([ir_measures.parse_measure(measure)], judged)
    for row, candidate in zip(scores, candidates, strict=True):
        run = recording.fused(candidate.fusion, candidate.weights, window=candidate.window)
        # ir-measures orders by score; a run is its order.
        placed = [
            ir_measures.ScoredDoc(topic, document, float(-place))
            for topic, ranking in run.rankings.items()
            for place, (document, _) in enumerate(ranking)
        ]
        expected = {value.query_id: value.value for value in evaluator.iter_calc(placed)}
        for value, topic in zip(row, ("2", "1"), strict=True):
            assert value == pytest.approx(expected.get(topic, 0.0), abs=1e-12)


def test_a_topic_without_judgments_does_not_count():
    rankings = {topic: (Ranking("a", ("x",), (1.0,)),) for topic in ("1", "2")}
    recording = Recording(("a",), Topics({"1": "one", "2": "two"}), rankings, {}, 10, {}, {})
    scorer = Scorer(recording, Qrels({"2": {"x": 1}, "9": {"x": 1}}), CutMeasure.parse("RR@1"))
    assert scorer.topics == ("2",)
