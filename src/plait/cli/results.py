"""What a search found, for a reader: hits with source, scores per leg, snippet, explanation."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.console import Console
from rich.text import Text

from plait.cli.console import show_lines, show_table
from plait.explain import explain_rows
from plait.printable import printable
from plait.text.snippets import Snippet
from plait.types import Chunk, Contribution, Hit, LegReport, SearchResult

__all__ = ["show_result"]

_WIDTH = 320  # characters of a snippet
_COLUMNS = ("leg", "rank", "raw score", "normalized", "weight", "contribution")


def show_result(
    console: Console,
    result: SearchResult,
    find: Callable[..., Snippet],
    *,
    offset: int,
    explain: bool,
) -> None:
    """Print the hits and how they came about.

    Args:
        console: Where to.
        result: What was found.
        find: Gives the part of a text to show, of some ``width``, with what matched in it.
        offset: Where the page starts, for the closing line.
        explain: Show every leg's contribution to every score.
    """
    for report in result.legs:
        if report.status not in ("ok", "empty", "skipped"):
            show_lines(console, Text(f"degraded: {_leg_line(report)}", style="bold yellow"))
    for hit in result.hits:
        _show_hit(console, hit, find(hit.chunk.content, width=_WIDTH), explain)
        console.print()
    show_lines(console, Text(_closing_line(result, offset), style="dim"))
    for report in result.legs:
        show_lines(console, Text(_leg_line(report), style="dim"), 2)
    for note in result.notes:
        show_lines(console, Text(f"note: {printable(note)}", style="dim"), 2)


def _show_hit(console: Console, hit: Hit, found: Snippet, explain: bool) -> None:
    number = f"{hit.rank}. "
    indent = len(number)
    heading, place = _heading(hit.chunk), _place(hit.chunk)
    show_lines(console, Text(heading, style="bold"), indent, lead=Text(number, style="bold"))
    if place and place != heading:
        show_lines(console, Text(place, style="cyan"), indent)
    show_lines(console, _scores(hit), indent)
    show_lines(console, _marked(found, console.color_system is None), indent)
    if explain and hit.contributions:
        total = ("sum", "", "", "", "", _number(hit.score, 6))
        show_table(console, _COLUMNS, [*explain_rows(hit.contributions), total], indent)


def _heading(chunk: Chunk) -> str:
    parts = [printable(part) for part in (chunk.title, chunk.section) if part]
    # A section often begins with the title of its document.
    if len(parts) == 2 and parts[1].split(" > ")[0] == parts[0]:
        parts = parts[1:]
    # An id that was made is the document's and a number that tells a reader nothing.
    document = (chunk.document_id or chunk.source_path) if chunk.id_made else None
    return " > ".join(parts) or printable(document or chunk.id or "")


def _place(chunk: Chunk) -> str:
    source = chunk.source_path or chunk.source_uri or chunk.source_name
    document = chunk.document_id
    parts = [printable(source)] if source else []
    # A file of many documents: those that its lines name, and those that are lines of it.
    if source and document and document != source:
        at_line = document.startswith(f"{source}:")
        parts = [printable(document)] if at_line else [*parts, printable(document)]
    if chunk.page is not None:
        parts.append(f"page {chunk.page}")
    named = chunk.title or chunk.section  # else the id is the heading
    if chunk.id and named and not (chunk.id_made and source):
        parts.append(f"id {printable(chunk.id)}")
    return ", ".join(parts)


def _scores(hit: Hit) -> Text:
    text = Text().append(_number(hit.score, 4), "green")
    for share in hit.contributions:
        text.append(f"   {_leg_score(share)}", "" if share.rank and not share.filled else "dim")
    return text


def _leg_score(share: Contribution) -> str:
    if share.rank is None:
        return f"{share.leg} –"
    score = "" if share.raw_score is None else f" ({_number(share.raw_score, 4)})"
    return f"{share.leg} #{share.rank}{score}{' filled' * share.filled}"


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _marked(found: Snippet, plain: bool) -> Text:
    """A snippet with its matches in color, or between marks where there is none."""
    text = Text("…" if found.start > 0 else "")
    done = found.start
    for start, end in found.spans:
        _append(text, found.content[done:start])
        match = found.content[start:end]
        _append(text, f"«{match}»" if plain else match, "bold yellow")
        done = end
    _append(text, found.content[done : found.end])
    return text.append("…" if found.end < len(found.content) else "")


def _append(text: Text, piece: str, style: str = "") -> None:
    """Add a piece in one line, keeping one blank for white space at its ends."""
    shown = printable(piece)
    if piece[:1].isspace() and not text.plain.endswith(" "):
        text.append(" ")
    text.append(shown, style)
    if shown and piece[-1:].isspace():
        text.append(" ")


def _closing_line(result: SearchResult, offset: int) -> str:
    if len(result) == 1:
        count = "1 hit" if result.total == 1 else f"hit {offset + 1} of {result.total:,}"
    elif result.hits:
        count = f"hits {offset + 1} to {offset + len(result)} of {result.total:,}"
    elif result.total:
        count = f"no hits from {offset + 1} on, there are {result.total:,}"
    else:
        count = "no hits"
    return "; ".join(_parts_of(result, count))


def _parts_of(result: SearchResult, count: str) -> Iterator[str]:
    yield count
    if result.fusion:
        yield result.fusion
    if result.fetch_k:
        yield f"{result.fetch_k:,} candidates a leg"
    if result.hits and result.score_bound is not None:
        yield f"highest possible score {result.score_bound:.4g}"


def _leg_line(report: LegReport) -> str:
    line = f"{report.name}: {report.status}"
    if report.status == "ok":
        hits = "hit" if report.count == 1 else "hits"
        line = f"{report.name}: {report.count:,} {hits} in {report.elapsed_ms:.1f} ms"
    elif report.status == "empty":
        line = f"{report.name}: no hits, {report.elapsed_ms:.1f} ms"
    details = [report.error] if report.error else []
    return printable("; ".join([line, *details, *report.notes]))
