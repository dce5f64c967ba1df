"""What judgments add: where the fusion helps or hurts, and what no fusion can reach."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import fmean

from plait.evaluation.diagnosis.case import Case
from plait.evaluation.diagnosis.finding import Finding, Severity
from plait.evaluation.qrels import Qrels
from plait.evaluation.run import Run
from plait.evaluation.scoring import score_run
from plait.evaluation.statistics import randomization_test

__all__ = ["fusion_or_leg", "out_of_reach"]

_MEASURE = "nDCG@10"

_SURE = 0.05
"""p-value up to which a difference is not put down to chance."""

_NOTICED, _MUCH = 0.01, 0.02
"""Loss from which on a user may notice, and from which on it is a problem if it is sure."""

_REACHED = 0.9
"""Share of the relevant documents that the windows should hold between them."""

_LITTLE_REACHED = 0.7
"""Below this the legs lose more than any fusion can win back."""


def fusion_or_leg(case: Case) -> Iterator[Finding]:
    """The fused order against its better leg, by nDCG@10 per query, as a paired test.

    The better leg is the one with the higher mean, so it is chosen after looking: a small loss
    against it may be chance, and a gain is the more certain.
    """
    if case.qrels is None or len(case.fused_legs) < 2:
        return
    recording, qrels = case.recording, case.qrels
    fused = _values(recording.fused(case.fusion, case.weights), qrels)
    alone = {leg: _values(recording.leg(leg), qrels) for leg in case.fused_legs}
    means = {leg: fmean(values.values()) for leg, values in alone.items()}
    best = max(means, key=lambda leg: (means[leg], leg))
    mean = fmean(fused.values())
    topics = list(fused)
    p = randomization_test([fused[t] for t in topics], [alone[best][t] for t in topics])
    change = mean - means[best]
    helped = [t for t in topics if fused[t] > alone[best][t]]
    hurt = sorted(
        (t for t in topics if fused[t] < alone[best][t]), key=lambda t: fused[t] - alone[best][t]
    )
    figures = {
        "measure": _MEASURE,
        "queries": len(topics),
        "fused": mean,
        "legs": means,
        "helped": len(helped),
        "hurt": len(hurt),
        "p": p,
        "best_alone": {leg: _wins(leg, fused, alone) for leg in alone},
    }
    told = f"{_MEASURE} {mean:.3f} fused, {means[best]:.3f} with {best} alone"
    counts = f"better for {len(helped):,} and worse for {len(hurt):,} of {len(topics):,} queries"
    if change <= -_NOTICED:
        sure = p <= _SURE
        severity: Severity = "info"
        if sure:
            severity = "problem" if change <= -_MUCH else "warning"
        chance = f"p = {p:.2g}" if sure else f"p = {p:.2g}: may be chance"
        yield Finding(
            kind="fusion_hurts",
            severity=severity,
            legs=(best,),
            summary=f"the fusion loses to its better leg: {told} ({chance}); {counts}",
            advice=(
                f"Weigh {best} more, or let plait tune choose weights and method by these "
                "judgments."
            ),
            figures=figures,
            examples=case.examples(
                {t: f"{fused[t]:.2f} fused, {alone[best][t]:.2f} with {best}" for t in hurt}
            ),
        )
    elif change > 0 and p <= _SURE:
        yield Finding(
            kind="fusion_helps",
            severity="info",
            legs=case.fused_legs,
            summary=f"the fusion is better than its better leg: {told} (p = {p:.2g}); {counts}",
            advice="It is worth its cost. plait tune may find more.",
            figures=figures,
        )


def _wins(leg: str, fused: Mapping[str, float], alone: Mapping[str, Mapping[str, float]]) -> int:
    """For how many topics a leg alone is better than the fused order and every other leg."""
    others = [fused, *(values for name, values in alone.items() if name != leg)]
    return sum(value > max(other[topic] for other in others) for topic, value in alone[leg].items())


def _values(run: Run, qrels: Qrels) -> dict[str, float]:
    """The measure by topic, for topics of the run that have judgments."""
    scored = score_run(run, qrels, (_MEASURE,), topics=run.rankings).per_query
    return {topic: values[_MEASURE] for topic, values in scored.items()}


def out_of_reach(case: Case) -> Iterator[Finding]:
    """Relevant documents that are in no leg's window: no fusion can return them."""
    if case.qrels is None:
        return
    documents = case.recording.documents
    missed = {}
    wanted = 0
    shares = []
    only = dict.fromkeys(case.fused_legs, 0)
    for topic, rankings in case.recording.rankings.items():
        relevant = {doc for doc, grade in case.qrels.get(topic, {}).items() if grade > 0}
        if not relevant:
            continue
        found = {
            ranking.leg: relevant & {documents.get(name, name) for name in ranking.ids if name}
            for ranking in rankings
            if case.weights[ranking.leg]
        }
        reached = set().union(*found.values())
        for leg, own in found.items():
            others = (held for name, held in found.items() if name != leg)
            only[leg] += len(own.difference(*others))
        wanted += len(relevant)
        shares.append(len(reached) / len(relevant))
        if reached < relevant:
            missed[topic] = f"not found: {', '.join(sorted(relevant - reached)[:3])}"
    if not shares or fmean(shares) >= _REACHED:
        return
    yield Finding(
        kind="out_of_reach",
        severity="warning" if fmean(shares) < _LITTLE_REACHED else "info",
        legs=case.fused_legs,
        summary=(
            f"the legs together find {100 * fmean(shares):.0f} % of the relevant documents among "
            f"their {case.recording.fetch_k:,} candidates each; no fusion can do better"
        ),
        advice="A larger fetch_k, another embedder or another leg can; weights cannot.",
        figures={
            "queries": len(shares),
            "union_recall": fmean(shares),
            "relevant": wanted,
            "found_by_one_leg_only": only,
        },
        examples=case.examples(missed),
    )
