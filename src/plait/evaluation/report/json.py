"""A comparison as JSON values, for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from plait.evaluation.comparison import Comparison
from plait.evaluation.contrast import Contrast

__all__ = ["comparison_dict"]


def comparison_dict(comparison: Comparison) -> dict[str, Any]:
    """The comparison as JSON values: whole figures, not rounded.

    Returns:
        The attributes of the comparison under their names; ``means`` and ``values`` by measure,
        then by system; ``contrasts`` by system, each with its ``difference``.
    """
    return {
        "systems": list(comparison.systems),
        "baseline": comparison.baseline,
        "measures": list(comparison.measures),
        "topics": list(comparison.topics),
        "means": {
            measure: {name: asdict(estimate) for name, estimate in of.items()}
            for measure, of in comparison.means.items()
        },
        "differences": [asdict(difference) for difference in comparison.differences],
        "contrasts": {
            name: [_contrast(contrast) for contrast in contrasts]
            for name, contrasts in comparison.contrasts.items()
        },
        "values": {
            measure: {name: list(values) for name, values in of.items()}
            for measure, of in comparison.values.items()
        },
        "seed": comparison.seed,
        "notes": list(comparison.notes),
    }


def _contrast(contrast: Contrast) -> dict[str, Any]:
    return {**asdict(contrast), "difference": contrast.difference}
