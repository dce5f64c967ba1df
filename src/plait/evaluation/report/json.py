"""A comparison as JSON values, for programs."""

from __future__ import annotations

from typing import Any

from plait.evaluation.comparison import Comparison
from plait.evaluation.contrast import Contrast, Returned
from plait.evaluation.difference import Difference
from plait.evaluation.evaluation import Estimate

__all__ = ["comparison_dict"]


def comparison_dict(comparison: Comparison) -> dict[str, Any]:
    """The comparison as JSON values: whole figures, not rounded.

    Returns:
        ``systems``, ``baseline``, ``measures``, ``topics``; ``values`` and ``means`` by measure and
        system; ``differences``, a list; ``contrasts`` by system; ``seed``, ``notes``.
    """
    return {
        "systems": list(comparison.systems),
        "baseline": comparison.baseline,
        "measures": list(comparison.measures),
        "topics": list(comparison.topics),
        "means": {
            measure: {name: _estimate(value) for name, value in of.items()}
            for measure, of in comparison.means.items()
        },
        "differences": [_difference(entry) for entry in comparison.differences],
        "contrasts": {
            name: [_contrast(entry) for entry in entries]
            for name, entries in comparison.contrasts.items()
        },
        "values": {
            measure: {name: list(values) for name, values in of.items()}
            for measure, of in comparison.values.items()
        },
        "seed": comparison.seed,
        "notes": list(comparison.notes),
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {
        "mean": estimate.mean,
        "low": estimate.low,
        "high": estimate.high,
        "n": estimate.n,
    }


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "system": difference.system,
        "baseline": difference.baseline,
        "measure": difference.measure,
        **_estimate(difference.estimate),
        "p": difference.p,
        "p_adjusted": difference.p_adjusted,
        "wins": difference.wins,
        "ties": difference.ties,
        "losses": difference.losses,
    }


def _contrast(contrast: Contrast) -> dict[str, Any]:
    return {
        "topic": contrast.topic,
        "text": contrast.text,
        "measure": contrast.measure,
        "value": contrast.value,
        "baseline_value": contrast.baseline_value,
        "difference": contrast.difference,
        "returned": [_returned(hit) for hit in contrast.returned],
        "baseline_returned": [_returned(hit) for hit in contrast.baseline_returned],
    }


def _returned(hit: Returned) -> dict[str, Any]:
    return {"id": hit.id, "rank": hit.rank, "score": hit.score, "grade": hit.grade}
