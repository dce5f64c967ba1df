"""What holds for agreement and for a diagnosis whatever the rankings are."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.evaluation import Qrels, Recording, Topics
from plait.evaluation.diagnosis import Background, QueryTerms, diagnose
from plait.evaluation.diagnosis.agreement import (
    jaccard,
    kendall_tau,
    overlap,
    rank_biased_overlap,
)
from plait.types import Chunk, Ranking

IDS = st.sampled_from([f"c{n}" for n in range(30)])
LISTS = st.lists(IDS, max_size=25, unique=True)
SCORES = st.one_of(st.none(), st.sampled_from([0.0, 1.0]), st.floats(-2, 50))


@given(LISTS, LISTS, st.integers(1, 12))
def test_agreement_is_symmetric_and_between_0_and_1(
    one: list[str], other: list[str], k: int
) -> None:
    for agreement in (overlap(one, other, k), jaccard(one, other, k)):
        assert (agreement is None) == (not one or not other)
        assert agreement is None or 0 <= agreement <= 1
    assert overlap(one, other, k) == overlap(other, one, k)
    assert jaccard(one, other, k) == jaccard(other, one, k)
    biased = rank_biased_overlap(one, other)
    assert biased is None or -1e-12 <= biased <= 1 + 1e-12
    assert biased == pytest.approx(rank_biased_overlap(other, one))


@given(LISTS.filter(bool), st.floats(0.1, 0.98))
def test_a_list_agrees_with_itself(ids: list[str], persistence: float) -> None:
    assert rank_biased_overlap(ids, ids, persistence=persistence) == pytest.approx(1)
    beyond = [f"other {name}" for name in ids]
    assert rank_biased_overlap(ids, beyond, persistence=persistence) == 0


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=20))
def test_correlation_turns_with_one_side(pairs: list[tuple[int, int]]) -> None:
    a, b = [one for one, _ in pairs], [other for _, other in pairs]
    found = kendall_tau(a, b)
    turned = kendall_tau(a, [-value for value in b])
    assert (found is None) == (turned is None)
    if found is not None and turned is not None:
        assert -1 <= found <= 1
        assert found == pytest.approx(-turned)
        assert kendall_tau(b, a) == pytest.approx(found)


@st.composite
def rankings(draw: st.DrawFn, leg: str) -> Ranking:
    ids = draw(st.lists(IDS, max_size=15))
    if draw(st.booleans()):  # usable scores, ties and all
        scores = sorted(
            draw(
                st.lists(
                    st.sampled_from([0.0, 0.5, 1.0, 7.0]), min_size=len(ids), max_size=len(ids)
                )
            ),
            reverse=True,
        )
        return Ranking(leg, tuple(ids), tuple(scores), score_range=(0, 1))
    given_scores = draw(st.lists(SCORES, min_size=len(ids), max_size=len(ids)))
    return Ranking(leg, tuple(ids), tuple(given_scores), order="position")


@st.composite
def recordings(draw: st.DrawFn) -> Recording:
    legs = draw(st.sampled_from([("a",), ("a", "b"), ("a", "b", "c")]))
    # A few patterns, each for several topics, so that shares of topics get large.
    patterns = draw(st.lists(st.tuples(*[rankings(leg) for leg in legs]), min_size=1, max_size=3))
    count = draw(st.integers(1, 14))
    topics = [f"q{n}" for n in range(count)]
    failures = draw(
        st.dictionaries(
            st.sampled_from(topics),
            st.dictionaries(st.sampled_from(legs), st.just("LegTimeoutError: late")),
            max_size=3,
        )
    )
    empty = {leg: Ranking(leg, (), ()) for leg in legs}
    return Recording(
        legs=legs,
        topics=Topics({topic: f"question {topic}" for topic in topics}),
        rankings={
            topic: tuple(
                empty[ranking.leg] if ranking.leg in failures.get(topic, ()) else ranking
                for ranking in patterns[n % len(patterns)]
            )
            for n, topic in enumerate(topics)
        },
        documents={f"c{n}": f"d{n % 7}" for n in range(draw(st.sampled_from([0, 30])))},
        fetch_k=draw(st.sampled_from([1, 10, 15])),
        failures=failures,
        origin={"fusion": draw(st.sampled_from(["rsf()", "rrf(k=60)", "convex()", "zscore()"]))},
    )


KNOWN = Background(
    {f"c{n}": Chunk(f"text {n % 3}", document_id=f"d{n}", index=n) for n in range(30)},
    {f"q{n}": QueryTerms(("text",), ("kündige",)) for n in range(14)},
)
JUDGED = Qrels({f"q{n}": {f"d{n % 7}": 1, f"c{n}": 2, "gone": 1} for n in range(14)})


@given(recordings(), st.booleans())
def test_any_recording_can_be_diagnosed(recording: Recording, known: bool) -> None:
    background = KNOWN if known else None
    diagnosis = diagnose(recording, qrels=JUDGED if known else None, background=background)
    told = diagnosis.to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    text = diagnosis.text()
    for finding in diagnosis.findings:
        assert finding.summary in text
        assert finding.advice in text
        assert set(finding.legs) <= set(recording.legs)
        assert len(finding.examples) <= 3
        assert {example.topic for example in finding.examples} <= set(recording.topics)
    severities = [finding.severity for finding in diagnosis.findings]
    assert severities == sorted(severities, key=["problem", "warning", "info"].index)
    kinds = [(finding.kind, finding.legs) for finding in diagnosis.findings]
    assert len(set(kinds)) == len(kinds)


@given(recordings())
def test_scaling_all_weights_changes_nothing(recording: Recording) -> None:
    one = diagnose(recording, weights=[1.0] * len(recording.legs))
    four = diagnose(recording, weights=[4.0] * len(recording.legs))
    told, scaled = (
        [(finding.kind, finding.legs, finding.summary) for finding in each.findings]
        for each in (one, four)
    )
    assert told == scaled
