"""Recording: run a request through its stages and note what each of them did."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Generator, Iterable, Mapping
from typing import Any

from plait.pipeline.state import Done, Stage, State, Steps
from plait.pipeline.trace import StageReport
from plait.telemetry import span

__all__ = ["Recording"]

_log = logging.getLogger("plait.rag")


class Recording:
    """The reports of one request, as its stages run.

    The log ``plait.rag`` gets a line per stage (DEBUG), one per request (INFO) and one per stage
    that failed (WARNING), each with a field ``plait`` that holds the same as JSON values. The text
    of a question is in none of them.

    Attributes:
        request_id: Names the request.
        reports: A report per stage that has run.
    """

    def __init__(self) -> None:
        self.request_id = uuid.uuid4().hex
        self.reports: list[StageReport] = []
        self._started = time.perf_counter()

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds since the request began."""
        return (time.perf_counter() - self._started) * 1000

    @property
    def passed(self) -> int:
        """How many hits, or groups, there were before the result was cut to its length."""
        return next((report.before for report in self.reports if report.name == "top"), 0)

    @property
    def degraded(self) -> bool:
        """Whether a stage has failed, in whole or in part."""
        return any(report.status == "degraded" for report in self.reports)

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of all stages; those of retrieval are the result's own, others name theirs."""
        return tuple(
            note if report.name == "retrieve" else f"{report.name}: {note}"
            for report in self.reports
            for note in report.notes
        )

    def through(self, stages: Iterable[Stage], state: State) -> Steps[State]:
        """The state behind all of these stages."""
        for stage in stages:
            state = yield from self._run(stage, state)
        return state

    def _run(self, stage: Stage, state: State) -> Steps[State]:
        started = time.perf_counter()
        with span(f"plait.rag.{stage.name}") as note:
            done = stage(state)
            if isinstance(done, Generator):
                done = yield from done
            report = _report(stage.name, state, done, (time.perf_counter() - started) * 1000)
            note({f"plait.{key}": value for key, value in _figures(report).items()})
        self.reports.append(report)
        level = logging.WARNING if report.status == "degraded" else logging.DEBUG
        if _log.isEnabledFor(level):
            said = "; ".join((report.status, *report.notes))
            self._log(level, f"{report.name}: {said}", _figures(report))
        return done.state

    def finish(self, hits: int) -> None:
        """Log that the request is done."""
        if _log.isEnabledFor(logging.INFO):
            elapsed_ms = self.elapsed_ms
            figures = {"elapsed_ms": elapsed_ms, "hits": hits, "degraded": self.degraded}
            self._log(logging.INFO, f"{hits} hits in {elapsed_ms:.1f} ms", figures)

    def _log(self, level: int, message: str, figures: Mapping[str, Any]) -> None:
        extra = {"plait": {"request_id": self.request_id, **figures}}
        _log.log(level, "%s", message, extra=extra)


def _report(name: str, state: State, done: Done, elapsed_ms: float) -> StageReport:
    left = done.state
    return StageReport(
        name, done.status, elapsed_ms, len(state.hits), len(left.hits), done.notes, left.hits
    )


def _figures(report: StageReport) -> dict[str, Any]:
    return {
        "stage": report.name,
        "status": report.status,
        "elapsed_ms": round(report.elapsed_ms, 3),
        "before": report.before,
        "after": report.after,
    }
