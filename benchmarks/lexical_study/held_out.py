"""Choose among candidates on all families of collections but one, and measure on that one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.evaluation import bootstrap_interval, holm, randomization_test

Floats: TypeAlias = NDArray[np.float64]
Families: TypeAlias = Mapping[str, Floats]
"""The values of one measure by family, each of shape (candidates, queries)."""


def leave_one_out(
    values: Mapping[str, Families], candidates: Sequence[str], reference: str
) -> dict[str, Any]:
    """What the other families choose for each family, against the reference.

    Args:
        values: By measure; the first one chooses.
        candidates: Their names.
        reference: The candidate to compare with; it wins ties.

    Returns:
        The best on all families, the choice for each, and by measure what ``gained`` says of these
        choices.
    """
    at = candidates.index(reference)
    means = {family: rows.mean(axis=1) for family, rows in next(iter(values.values())).items()}
    chosen = {}
    for family in means:
        others = [mean for name, mean in means.items() if name != family]
        chosen[family] = _best(np.mean(others or [means[family]], axis=0), at)
    return {
        "best": candidates[_best(np.mean(list(means.values()), axis=0), at)],
        "chosen": {family: candidates[index] for family, index in chosen.items()},
        **{measure: gained(families, chosen, at) for measure, families in values.items()},
    }


def gained(families: Families, chosen: Mapping[str, int], reference: int) -> dict[str, Any]:
    """What a candidate for each family gains over the reference.

    Returns:
        The mean over families of both, the gain with its bootstrap interval and its p-value over
        families; and for each family the same with the p-value over its queries, corrected over
        the families.
    """
    pairs = {name: (rows[chosen[name]], rows[reference]) for name, rows in families.items()}
    p_values = holm([randomization_test(*pair) for pair in pairs.values()])
    gains = [float((value - before).mean()) for value, before in pairs.values()]
    return {
        "value": rounded(np.mean([value.mean() for value, _ in pairs.values()])),
        "reference": rounded(np.mean([before.mean() for _, before in pairs.values()])),
        "gain": rounded(np.mean(gains)),
        "interval": [rounded(end) for end in bootstrap_interval(gains)],
        "p": rounded(randomization_test(gains, np.zeros(len(gains)))),
        "families": {
            name: {
                "value": rounded(value.mean()),
                "reference": rounded(before.mean()),
                "gain": rounded(gain),
                "p": rounded(p),
            }
            for (name, (value, before)), gain, p in zip(pairs.items(), gains, p_values, strict=True)
        },
    }


def is_real(found: Mapping[str, Any]) -> bool:
    """Whether a gain is more than chance over families, and no family pays for it.

    The interval of the gain is above 0, p < 0.05 over families, and no family loses 0.01 or more
    with p < 0.05 over its queries.
    """
    paid = any(each["gain"] <= -0.01 and each["p"] < 0.05 for each in found["families"].values())
    return bool(found["interval"][0] > 0 and found["p"] < 0.05 and not paid)


def rounded(number: Any) -> float:
    return round(float(number), 4)


def _best(means: Floats, reference: int) -> int:
    """The highest mean; the reference if none is higher than its."""
    best = int(np.argmax(means))
    return best if means[best] > means[reference] else reference
