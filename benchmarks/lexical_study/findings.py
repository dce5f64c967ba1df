"""What the values of all collections say: means by family, choices, gains, decisions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from lexical_study.held_out import Families, gained, is_real, leave_one_out, rounded
from lexical_study.measuring import DEFAULT, FORMS, GRID, MEASURES, UNITS, WHOLLY, Measured
from lexical_study.scoring import Floats
from lexical_study.settings import SPACED, UNSPACED
from plait.evaluation import holm, randomization_test

CONDITIONS = [(units, setting) for units in UNITS for setting in WHOLLY]
# The best ones, and the defaults of Lucene and of Anserini.
NAMED = ("k1=0.6 b=0.6", "k1=0.6 b=0.75", "k1=0.9 b=0.4", "k1=0.9 b=0.75", "k1=1.2 b=0.75")


def findings(collections: Sequence[Measured]) -> dict[str, Any]:
    """Everything that the page shows, as JSON values."""
    points, forms, settings = list(GRID), list(FORMS), ["plain", *SPACED]
    parameters = _by_family(collections, lambda each: _mean(each, CONDITIONS)[:, : len(points)])
    variants = _by_family(collections, lambda each: _mean(each, CONDITIONS)[:, len(points) :])
    analyzers = _by_family(
        collections, lambda each: np.stack([each.at_default(name) for name in settings], axis=1)
    )
    return {
        "collections": {each.name: each.facts for each in collections},
        "parameters": {
            **_decided(parameters, points, DEFAULT, NAMED),
            "means": _means(parameters, points),
            "conditions": {
                ", ".join(condition): _condition(collections, condition) for condition in CONDITIONS
            },
        },
        "variants": _decided(variants, forms, "lucene", forms),
        "analyzers": {
            **_decided(analyzers, settings, "plain", settings),
            "stop_words": _named(analyzers, settings, "stems", ["language"]),
            "collections": _single(collections),
        },
    }


def _decided(
    families: Mapping[str, Families],
    candidates: Sequence[str],
    reference: str,
    names: Sequence[str],
) -> dict[str, Any]:
    """What leaving one family out chooses, if that is real the best of all, and some by name."""
    left_out = leave_one_out(families, candidates, reference)
    real = is_real(left_out[MEASURES[0]])
    return {
        "decision": left_out["best"] if real else reference,
        "left_out": left_out,
        "named": _named(families, candidates, reference, names),
    }


def _condition(collections: Sequence[Measured], condition: tuple[str, str]) -> dict[str, Any]:
    points = list(GRID)
    families = _by_family(collections, lambda each: _mean(each, [condition])[:, : len(points)])
    return leave_one_out(families, points, DEFAULT)


def _mean(each: Measured, conditions: Sequence[tuple[str, str]]) -> Floats:
    """Over conditions, shape (measures, points, queries)."""
    return np.mean([each.at_points(*condition) for condition in conditions], axis=0)


def _by_family(
    collections: Sequence[Measured], values_of: Callable[[Measured], Floats]
) -> dict[str, Families]:
    """The values by measure; parallel collections are averaged query by query.

    Args:
        collections: What was measured.
        values_of: Shape (measures, candidates, queries) for one of them.
    """
    members: dict[str, list[Measured]] = defaultdict(list)
    for each in collections:
        members[each.facts["family"]].append(each)
    families = {}
    for name, parallel in members.items():
        shared = sorted(set.intersection(*(set(each.queries) for each in parallel)))
        families[name] = np.mean(
            [
                values_of(each)[:, :, [each.queries.index(query) for query in shared]]
                for each in parallel
            ],
            axis=0,
        )
    return {
        measure: {name: values[place] for name, values in families.items()}
        for place, measure in enumerate(MEASURES)
    }


def _means(families: Mapping[str, Families], candidates: Sequence[str]) -> dict[str, float]:
    """The mean over families by candidate, of the measure that decides."""
    rows = families[MEASURES[0]].values()
    over = np.mean([values.mean(axis=1) for values in rows], axis=0)
    return dict(zip(candidates, map(rounded, over), strict=True))


def _named(
    families: Mapping[str, Families],
    candidates: Sequence[str],
    reference: str,
    names: Sequence[str],
) -> dict[str, Any]:
    """By measure and name, what a candidate gains everywhere over the reference."""
    at = candidates.index(reference)
    return {
        measure: {
            name: gained(each, dict.fromkeys(each, candidates.index(name)), at)
            for name in names
            if name != reference
        }
        for measure, each in families.items()
    }


def _single(collections: Sequence[Measured]) -> dict[str, Any]:
    """Each setting on each collection, p-values corrected over the collections."""
    found: dict[str, Any] = {each.name: {"plain": _values(each, "plain")} for each in collections}
    for setting in (*SPACED, *UNSPACED):
        having = [each for each in collections if ("documents", setting) in each.values]
        tests = [
            randomization_test(each.at_default(setting)[0], each.at_default("plain")[0])
            for each in having
        ]
        for each, p in zip(having, holm(tests), strict=True):
            found[each.name][setting] = {**_values(each, setting), "p": rounded(p)}
    return found


def _values(each: Measured, setting: str) -> dict[str, float]:
    means = each.at_default(setting).mean(axis=1)
    return dict(zip(MEASURES, map(rounded, means), strict=True))
