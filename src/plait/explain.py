"""Say why each hit stands where it stands: as a text table, and as JSON values."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from plait.printable import printable

if TYPE_CHECKING:
    from plait.types.chunk import Chunk
    from plait.types.hit import Contribution, Hit
    from plait.types.result import LegReport, SearchResult

__all__ = ["explain", "explain_rows", "hit_dict", "leg_dict", "to_dict"]

_HEADER = ("hit", "leg", "rank", "raw score", "normalized", "weight", "contribution")
_CHUNK_FIELDS = (
    "title",
    "document_id",
    "index",
    "source_name",
    "source_path",
    "source_uri",
    "section",
    "page",
)


def explain_rows(contributions: Sequence[Contribution], depth: int = 0) -> list[tuple[str, ...]]:
    """Rows of (leg, rank, raw score, normalized, weight, contribution), nested legs indented."""
    rows: list[tuple[str, ...]] = []
    for share in contributions:
        rows.append(
            (
                "  " * depth + printable(share.leg),
                "–" if share.rank is None else f"{share.rank}{' filled' * share.filled}",
                "–" if share.raw_score is None else _number(share.raw_score, 4),
                _number(share.normalized, 6),
                f"{share.weight:g}",
                _number(share.value, 6),
            )
        )
        rows.extend(explain_rows(share.parts, depth + 1))
    return rows


def _number(value: float, decimals: int) -> str:
    """Fixed decimals where they say something, powers of ten for what is tiny or huge."""
    if value == 0 or 10**-decimals <= abs(value) < 1e9:
        return f"{value:.{decimals}f}"
    return f"{value:.4g}"


def explain(result: SearchResult) -> str:
    """A plain-text table of every hit's contributions, their sum, and a line per leg.

    The contributions of nested hybrids are indented under their leg and are not part of the sum.
    """
    lines = [f"fusion: {result.fusion}" if result.fusion else "no fusion"]
    if result.score_bound is not None:
        lines[0] += f", highest possible score {result.score_bound:.6g}"
    table: list[tuple[str, ...]] = [_HEADER]
    for hit in result.hits:
        name = f"{hit.rank}. {_label(hit.chunk)}"
        for row in explain_rows(hit.contributions):
            table.append((name, *row))
            name = ""
        said, score = ("sum", hit.fusion_score) if hit.contributions else (hit.source, hit.score)
        shown = "–" if score is None else _number(score, 6)
        table.append((name, printable(said), "", "", "", "", shown))
        if hit.rerank_score is not None:
            table.append(("", "reranked", "", "", "", "", _number(hit.rerank_score, 6)))
    lines.extend(_aligned(table))
    for report in result.legs:
        line = (
            f"leg {report.name}: {report.status}, {report.count} hits, {report.elapsed_ms:.1f} ms"
        )
        if report.error:
            line += f", {report.error}"
        lines.append(printable("; ".join((line, *report.notes))))
    lines.extend(printable(f"note: {note}") for note in result.notes)
    return "\n".join(lines)


def _aligned(table: Sequence[tuple[str, ...]]) -> list[str]:
    """Lines with two columns of text to the left and columns of numbers to the right."""
    widths = [max(_cells(row[column]) for row in table) for column in range(len(_HEADER))]
    lines = []
    for row in table:
        padding = [" " * (width - _cells(cell)) for cell, width in zip(row, widths, strict=True)]
        cells = [cell + pad for cell, pad in zip(row[:2], padding[:2], strict=True)]
        cells += [pad + cell for cell, pad in zip(row[2:], padding[2:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return lines


def _cells(text: str) -> int:
    """Columns that a text takes in a terminal: ideographs take two, marks on a letter none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character)
        else 2 if unicodedata.east_asian_width(character) in "WF"
        else 1
        for character in text
    )  # fmt: skip


def _label(chunk: Chunk) -> str:
    text = printable(chunk.id or chunk.content)
    return text if len(text) <= 40 else text[:39] + "…"


def to_dict(result: SearchResult) -> dict[str, Any]:
    """The result as JSON values, embeddings left out; absent fields are None."""
    return {
        "query": result.query.text if result.query else None,
        "hits": [hit_dict(hit) for hit in result.hits],
        "legs": [leg_dict(report) for report in result.legs],
        "degraded": result.degraded,
        "total": result.total,
        "generation": result.generation,
        "fusion": result.fusion,
        "score_bound": result.score_bound,
        "fetch_k": result.fetch_k,
        "notes": list(result.notes),
    }


def leg_dict(report: LegReport) -> dict[str, Any]:
    """The report of a leg as JSON values."""
    return {
        "name": report.name,
        "status": report.status,
        "elapsed_ms": round(report.elapsed_ms, 3),
        "count": report.count,
        "error": report.error,
        "notes": list(report.notes),
    }


def hit_dict(hit: Hit) -> dict[str, Any]:
    """A hit as JSON values, its embedding left out; absent fields are None."""
    chunk = hit.chunk
    return {
        "id": chunk.id,
        "rank": hit.rank,
        "score": hit.score,
        "score_kind": hit.score_kind,
        "source": hit.source,
        "legs": list(hit.legs),
        "retrieval_score": hit.retrieval_score,
        "fusion_score": hit.fusion_score,
        "rerank_score": hit.rerank_score,
        "content": chunk.content,
        "snippet": hit.snippet,
        "metadata": chunk.metadata,
        **{name: getattr(chunk, name) for name in _CHUNK_FIELDS},
        "contributions": [_contribution_dict(share) for share in hit.contributions],
        "sources": {leg: dict(metadata) for leg, metadata in hit.sources.items()},
    }


def _contribution_dict(share: Contribution) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "leg": share.leg,
        "rank": share.rank,
        "raw_score": share.raw_score,
        "normalized": share.normalized,
        "weight": share.weight,
        "value": share.value,
    }
    if share.filled:
        entry["filled"] = True
    if share.parts:
        entry["parts"] = [_contribution_dict(part) for part in share.parts]
    return entry
