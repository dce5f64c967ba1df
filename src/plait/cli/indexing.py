"""What is shown of an indexing run: a bar while it lasts, a summary when it is done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, Self

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from plait.cli.console import error_console
from plait.collection import FilesReport
from plait.collection import Progress as Done

__all__ = ["IndexingBar", "report_as_dict", "report_lines"]


class IndexingBar:
    """A bar on stderr while files are read and embedded; nothing where that is no terminal."""

    def __init__(self) -> None:
        console = error_console()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TaskProgressColumn(),
            TextColumn("{task.fields[chunks]} chunks"),
            TimeRemainingColumn(compact=True),
            console=console,
            transient=True,
            expand=True,
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task("opening", total=None, chunks=0)

    def show(self, done: Done) -> None:
        """Show how far it has come."""
        self._progress.update(
            self._task,
            description="indexing",
            completed=done.done,
            total=done.total,
            chunks=f"{done.chunks:,}",
        )

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()


def report_lines(
    report: FilesReport, described: Mapping[str, Any], files: int, seconds: float
) -> Iterator[str]:
    """The summary for a reader."""
    documents = report.added + report.updated + report.unchanged
    yield f"{_count(documents, 'document')} from {_count(files, 'file')} in {seconds:.1f} s"
    yield (
        f"  documents  {report.added:,} added, {report.updated:,} updated, "
        f"{report.unchanged:,} unchanged, {report.removed:,} removed"
    )
    yield f"  chunks     {report.chunks:,} written, {described['chunks']:,} in the collection"
    if report.skipped:
        yield f"  skipped    {len(report.skipped):,}, named above"
    yield f"  embedder   {described['embedder'] or 'none'}"
    yield f"  analyzer   {described['analyzer']}"
    yield f"  stored in  {described['path']}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def report_as_dict(
    report: FilesReport, described: Mapping[str, Any], files: int, seconds: float
) -> dict[str, Any]:
    """The summary as JSON values."""
    return {
        "files": files,
        "documents": {
            "added": report.added,
            "updated": report.updated,
            "unchanged": report.unchanged,
            "removed": report.removed,
        },
        "chunks_written": report.chunks,
        "skipped": [
            {"path": skipped.path, "line": skipped.line, "reason": skipped.reason}
            for skipped in report.skipped
        ],
        "passed_over": [
            {"path": passed.path, "suffixes": dict(passed.suffixes)}
            for passed in report.passed_over
        ],
        "seconds": round(seconds, 3),
        "collection": dict(described),
    }
