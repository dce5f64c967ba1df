"""The part of docs/benchmarks.md about other libraries, from the results of the sections."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

Result = Mapping[str, Any]

INTRODUCTION = """\

## Beside other libraries

Latest releases, each in a process and an environment of its own. The systems take turns of ten
queries, so that a slow moment of the machine meets all; a worker times itself around the call
alone. Everyone gets the same words and the same vectors (the embedding of queries is
not part of any time) and goes from the query string and vector to ids and scores, or to contents.
Times are medians, quartiles in brackets; "first" is the median of the first queries of the turns,
which find the caches filled by the others. [How it is measured](../benchmarks/README.md#rivals).
"""

LEXICAL = """\

### By words

Five words over documents of 60 words by Zipf's law; real collections with their own queries. One
core each. Recall is beside exact BM25 (Lucene's, k1=1.5, b=0.75), where any of several equal
documents will do; plait and bm25s must also give its scores. tantivy and FTS5 have k1=1.2.
"""

DENSE = """\

### By vectors

Real vectors ({model}, {real:,} passages of all collections), enlarged by norm(x + σ(y − z)) with x,
y, z drawn from them and the σ at which a vector of the larger set is as far from its tenth
neighbor as one of the real set is: {sigmas}. Queries are real ones, not among the vectors. One
core each, building with all. A graph has the least effort with which it finds 0.99 on other
queries, the highest tried where none does.
"""

HYBRID = """\

### Hybrid

Ten hits from words and vectors, reciprocal rank fusion (k=60) of 200 candidates each, all cores.
Recall is beside the same fusion of exact legs, that of the dense leg beside the exact 200 nearest.
"""

FUSING = "\n### Fusion alone\n\nTwo rankings of {hits} hits for each query.\n"

INDEXING = """\

### Indexing

From texts to the first answer, all cores. Everyone cuts words at spaces, plait's default analyzer
stands beside it; a real collection is indexed as it is by that, in plain words by the others.
plait's and tantivy's indexes are in files and survive a crash, bm25s' is in memory. The peak is
of resident memory, files that are mapped included.
"""

OPENING = """\

### Opening

A new process opens what is stored and answers one query; the files are in the system's cache.
plait opens words and vectors and answers from both, the others words alone. Private memory is
what has no file behind it, after {queries} queries.
"""


def rivals(folder: Path) -> Iterator[str]:
    """The lines of the page, none without results."""
    results = {
        path.stem.removeprefix("rivals-"): json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("rivals-*.json"))
    }
    if not results:
        return
    yield INTRODUCTION
    yield from _targets(results)
    for name, lines in PARTS.items():
        if name in results:
            yield from lines(results[name])
            yield ""
            yield _about(results[name])


def _targets(results: Mapping[str, Result]) -> Iterator[str]:
    rows = [
        [
            name,
            target["what"],
            target["limit"],
            "not measured" if target["found"] is None else f"{target['found']:.3g}",
            {True: "yes", False: "**no**", None: "–"}[target["met"]],
        ]
        for name in PARTS
        if name in results
        for target in results[name]["targets"]
    ]
    yield from table(["", "aim", "limit", "found", "met"], rows)


def _lexical(result: Result) -> Iterator[str]:
    yield LEXICAL
    yield from _by_system(result["rows"], _what, _timed)


def _dense(result: Result) -> Iterator[str]:
    facts = result["facts"]
    first = next(iter(facts.values()))
    sigmas = ", ".join(
        f"{each['sigma']} for {row['documents']:,}"
        for name, each in facts.items()
        for row in result["rows"][:: len({row["top_k"] for row in result["rows"]})]
        if row["corpus"] == name
    )
    yield DENSE.format(model=first["model"], real=first["real"], sigmas=sigmas)
    yield from _by_system(result["rows"], _what, _timed)
    yield ""
    built = {row["documents"]: row["building"] for row in result["rows"]}
    yield from table(
        ["from vectors to the first answer", *(f"{size:,}" for size in built)],
        [
            [name, *(_seconds(systems, name) for systems in built.values())]
            for name in dict.fromkeys(name for systems in built.values() for name in systems)
        ],
    )
    yield "\nplait writes texts and vectors to its file meanwhile, the others hold vectors alone."
    yield "\nWhat plait finds in each real set, by its own queries:\n"
    yield from table(
        ["set", "passages", "recall@10", "recall@200"],
        [
            [each["set"].removeprefix("set-"), f"{each['documents']:,}",
             f"{each['recall@10']:.3f}", f"{each['recall@200']:.3f}"]
            for each in result["sets"]
        ],
    )  # fmt: skip


def _hybrid(result: Result) -> Iterator[str]:
    yield HYBRID
    yield from _by_system(result["rows"], _what, _timed)


def _fusing(result: Result) -> Iterator[str]:
    yield FUSING.format(hits=result["rows"][0]["hits"])
    ends = {
        "explain": "one query, the best ten explained",
        "many": "{queries:,} queries",
        "many_from_lists": "{queries:,} queries, from lists of ids and scores",
    }
    yield from _by_system(
        result["rows"],
        lambda row: f"{ends[row['end']].format(**row)}, {row['method']}",
        _timed,
        across=False,
    )


def _indexing(result: Result) -> Iterator[str]:
    yield INDEXING

    def cell(found: Mapping[str, Any]) -> str:
        return (
            f"{found['seconds']:.3g} s ({found['documents_per_s']:,} a second), "
            f"peak {found['peak_mb']:,.0f} MB"
        )

    yield from _by_system(result["rows"], _corpus, cell)


def _opening(result: Result) -> Iterator[str]:
    yield OPENING.format(queries=f"{result['queries']:,}")

    def cell(found: Mapping[str, Any]) -> str:
        return f"{_timed(found)}; {found['private_mb']:,.0f} MB private"

    yield from _by_system(result["rows"], _corpus, cell)


PARTS: Mapping[str, Callable[[Result], Iterator[str]]] = {
    "lexical": _lexical,
    "dense": _dense,
    "hybrid": _hybrid,
    "fusing": _fusing,
    "indexing": _indexing,
    "opening": _opening,
}


def _by_system(
    rows: Sequence[Mapping[str, Any]],
    what: Callable[[Mapping[str, Any]], str],
    cell: Callable[[Mapping[str, Any]], str],
    *,
    across: bool = True,
) -> Iterator[str]:
    """A line per system and a column per row of the results, or the other way round."""
    names = sorted(
        dict.fromkeys(name for row in rows for name in row["systems"]),
        key=lambda name: not name.startswith("plait"),
    )
    heads = [what(row) for row in rows]
    cells = [
        [cell(row["systems"][name]) if name in row["systems"] else "" for name in names]
        for row in rows
    ]
    if across:
        lines = [list(line) for line in zip(names, *cells, strict=True)]
        yield from table(["", *heads], lines)
    else:
        lines = [[head, *line] for head, line in zip(heads, cells, strict=True)]
        yield from table(["", *names], lines)


def _corpus(row: Mapping[str, Any]) -> str:
    kind, _, name = row["corpus"].partition("-")
    return f"{name} ({row['documents']:,})" if kind == "real" else f"{row['documents']:,}"


def _what(row: Mapping[str, Any]) -> str:
    end = "" if row["end"] == "ids" else f", {row['end']}"
    return f"{_corpus(row)}: top {row['top_k']}{end}"


def _timed(found: Mapping[str, Any]) -> str:
    low, high = found["quartiles_ms"]
    text = f"{_ms(found['median_ms'])} ms ({_ms(low)}–{_ms(high)})"
    if "first_ms" in found:
        text += f", first {_ms(found['first_ms'])}"
    if "recall" in found:
        text += f", recall {found['recall']:.3f}"
    if "dense_recall" in found:
        text += f", dense leg {found['dense_recall']:.3f}"
    return text


def _ms(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _seconds(systems: Mapping[str, Any], name: str) -> str:
    return f"{systems[name]['first_answer_s']:,.3g} s" if name in systems else ""


def _about(result: Result) -> str:
    machine = result["machine"]
    versions: dict[str, Any] = {}
    for each in result["systems"].values():
        versions |= each
    said = ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))
    return (
        f"Measured on {machine['processor']}, {machine['cores']} cores, {machine['system']}, "
        f"Python {machine['python']}, up to {result['rounds']} queries each; {said}."
    )


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    yield "| " + " | ".join(header) + " |"
    yield "|" + "---|" * len(header)
    for row in rows:
        yield "| " + " | ".join(str(cell) for cell in row) + " |"
