"""What is aimed at, and whether it was reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]
OVERHEAD_MS = 0.4  # what fusing, fetching and explaining may add to the slower leg


@dataclass(frozen=True)
class Target:
    """One aim of a section.

    Attributes:
        what: In words.
        limit: The number in it.
        measure: From the rows of the section to the number found, None if it was not measured.
        unit: Of both.
        at_least: Whether more is better.
    """

    what: str
    limit: float
    measure: Callable[[Sequence[Row]], float | None]
    unit: str = "×"
    at_least: bool = False


def judged(section: str, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Every target of a section with what was found; ``met`` is None where nothing was."""
    found = []
    for target in TARGETS.get(section, ()):
        value = target.measure(rows)
        met = None
        if value is not None:
            met = value >= target.limit if target.at_least else value <= target.limit
        found.append(
            {
                "what": target.what,
                "limit": f"{'≥' if target.at_least else '≤'} {target.limit:g} {target.unit}",
                "found": None if value is None else round(value, 4),
                "met": met,
            }
        )
    return found


def _row(rows: Sequence[Row], **wanted: Any) -> Row | None:
    """The row with these values, of the seeded corpora."""
    return next(
        (
            row
            for row in rows
            if all(row.get(name) == value for name, value in wanted.items())
            and not row.get("corpus", "").startswith("real-")
        ),
        None,
    )


def ratio(
    *rivals: str, of: str = "plait", field: str = "median_ms", **wanted: Any
) -> Callable[[Sequence[Row]], float | None]:
    """plait's figure as a part of a rival's, in the row with these values.

    Of several ways to ask a rival the one with the smallest figure counts.
    """

    def measure(rows: Sequence[Row]) -> float | None:
        systems = (_row(rows, **wanted) or {"systems": {}})["systems"]
        theirs = [systems[rival][field] for rival in rivals if rival in systems]
        if of not in systems or not theirs:
            return None
        return float(systems[of][field] / min(theirs))

    return measure


def value(field: str, *, of: str = "plait", **wanted: Any) -> Callable[[Sequence[Row]], Any]:
    """A figure of plait's in the row with these values."""

    def measure(rows: Sequence[Row]) -> Any:
        systems = (_row(rows, **wanted) or {"systems": {}})["systems"]
        return systems.get(of, {}).get(field)

    return measure


def growth(**wanted: Any) -> Callable[[Sequence[Row]], float | None]:
    """How much slower a million is than a hundred thousand."""

    def measure(rows: Sequence[Row]) -> float | None:
        small = value("median_ms", documents=100_000, **wanted)(rows)
        large = value("median_ms", documents=1_000_000, **wanted)(rows)
        return None if small is None or large is None else float(large / small)

    return measure


def building(rival: str, **wanted: Any) -> Callable[[Sequence[Row]], float | None]:
    """plait's time from vectors to the first answer as a part of a rival's."""

    def measure(rows: Sequence[Row]) -> float | None:
        built = (_row(rows, **wanted) or {}).get("building", {})
        if "plait" not in built or rival not in built:
            return None
        return float(built["plait"]["first_answer_s"] / built[rival]["first_answer_s"])

    return measure


def over_the_slower_leg(**wanted: Any) -> Callable[[Sequence[Row]], float | None]:
    """Milliseconds of a hybrid query beyond its slower leg."""

    def measure(rows: Sequence[Row]) -> float | None:
        systems = (_row(rows, **wanted) or {"systems": {}})["systems"]
        if "plait" not in systems:
            return None
        legs = [systems[f"plait, {leg} alone"]["median_ms"] for leg in ("bm25", "dense")]
        return float(systems["plait"]["median_ms"] - max(legs))

    return measure


def lead_in(field: str, rival: str, **wanted: Any) -> Callable[[Sequence[Row]], float | None]:
    """How much higher a share of plait's is than a rival's."""

    def measure(rows: Sequence[Row]) -> float | None:
        systems = (_row(rows, **wanted) or {"systems": {}})["systems"]
        if "plait" not in systems or rival not in systems:
            return None
        return float(systems["plait"][field] - systems[rival][field])

    return measure


def _lexical(documents: int, top_k: int) -> dict[str, Any]:
    return {"documents": documents, "end": "ids", "top_k": top_k}


_TANTIVY = ("tantivy", "tantivy, counting")
_MILLION, _SOME, _FEW = 1_000_000, 100_000, 20_000
_TOP_10, _TOP_200 = _lexical(_MILLION, 10), _lexical(_MILLION, 200)
_HYBRID = {"end": "ids", "top_k": 10}


def _fusing(end: str, method: str) -> dict[str, str]:
    return {"end": end, "method": method}


TARGETS: Mapping[str, Sequence[Target]] = {
    "lexical": [
        Target("top 10 of 1M, of tantivy's time", 0.35, ratio(*_TANTIVY, **_TOP_10)),
        Target("top 10 of 1M, of bm25s' time", 0.05, ratio("bm25s", **_TOP_10)),
        Target("top 10 of 1M, of bm25s' with numba", 1, ratio("bm25s, numba", **_TOP_10)),
        Target("top 200 of 1M, of tantivy's time", 0.7, ratio(*_TANTIVY, **_TOP_200)),
        Target("top 10 of 100k, of tantivy's", 0.8, ratio(*_TANTIVY, **_lexical(_SOME, 10))),
        Target("100k to 1M, top 10", 5, growth(end="ids", top_k=10)),
    ],
    "dense": [
        Target(
            f"recall@{top_k} of 1M × 384", 0.99,
            value("recall", documents=_MILLION, top_k=top_k), "", at_least=True,
        )
        for top_k in (10, 200)
    ] + [
        Target(
            f"top {top_k} of 1M × 384 on {cores}, of faiss flat's time on one core", 0.15,
            ratio("faiss flat", of=name, documents=_MILLION, top_k=top_k),
        )
        for top_k in (10, 200)
        for name, cores in (("plait", "one core"), ("plait, both cores", "all cores"))
    ] + [
        Target(
            "from 1M vectors to the first answer, of faiss HNSW's time", 0.05,
            building("faiss HNSW", documents=_MILLION),
        ),
    ],
    "hybrid": [
        *(
            Target(
                f"top 10 of {name}, beyond the slower leg", OVERHEAD_MS,
                over_the_slower_leg(documents=documents, **_HYBRID), "ms",
            )
            for name, documents in (("100k", _SOME), ("1M", _MILLION))
        ),
        *(
            Target(
                f"top 10 of 100k, of the time of {rival}", 0.15,
                ratio(rival, documents=_SOME, **_HYBRID),
            )
            for rival in ("LanceDB, IVF_PQ", "Qdrant Edge", "Qdrant Edge, HNSW")
        ),
        *(
            Target(
                f"{what} at 100k, above {rival}", 0,
                lead_in(field, rival, documents=_SOME, **_HYBRID), "", at_least=True,
            )
            for rival in ("LanceDB, IVF_PQ", "Qdrant Edge, HNSW")
            for field, what in (("recall", "recall@10"), ("dense_recall", "dense recall@200"))
        ),
        *(
            Target(
                f"top 10 of 20k, of the time of {rival}", limit,
                ratio(rival, documents=_FEW, **_HYBRID),
            )
            for rival, limit in (
                ("LangChain", 0.02), ("Haystack", 0.02), ("LlamaIndex", 0.3),
                ("LlamaIndex, NumPy vectors", 0.3),
            )
        ),
    ],
    "fusing": [
        *(
            Target(
                f"fuse 2 × 200 by {method}, explain ten", 0.4,
                value("median_ms", of="plait, fusing", **_fusing("explain", method)), "ms",
            )
            for method in ("rrf", "min-max")
        ),
        *(
            Target(
                f"10,000 queries by {method}, of ranx' time", 1,
                ratio("ranx", of="plait, fusing", **_fusing("many", method)),
            )
            for method in ("rrf", "min-max")
        ),
    ],
    "indexing": [
        Target(
            f"documents a second of {name}, of {rival}'s", limit,
            ratio(rival, field="documents_per_s", documents=documents), at_least=True,
        )
        for name, documents in (("100k", _SOME), ("1M", _MILLION))
        for rival, limit in (("bm25s", 1), ("tantivy", 0.5))
    ],
    "opening": [
        Target("1M: open and answer", 500, value("median_ms", documents=_MILLION), "ms"),
        Target(
            "1M: private memory after 1,000 queries", 300,
            value("private_mb", documents=_MILLION), "MB",
        ),
        Target("100k to 1M, open and answer", 2, growth()),
    ],
}  # fmt: skip
