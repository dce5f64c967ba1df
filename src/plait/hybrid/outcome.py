"""Outcome: what became of every leg of one query, as rankings for the fusion and as reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from plait.errors import AllLegsFailedError, ContractError, LegError
from plait.execution import Answer
from plait.hybrid.boundary import to_ranking
from plait.hybrid.plan import Plan, PlannedLeg
from plait.types import LegReport, LegStatus, Ranking, SearchResult

__all__ = ["Outcome", "leg_error", "say", "settle"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The legs of one query after they ran.

    Attributes:
        rankings: One per leg of the plan; without hits for a leg that failed or was skipped, so
            that it contributes 0 and its weight is not given to the others.
        reports: One per leg of the plan.
        failures: What went wrong, by leg name.
        inside: What went wrong inside a leg that is itself a hybrid, and answered without it, by
            leg name.
    """

    rankings: tuple[Ranking, ...]
    reports: tuple[LegReport, ...]
    failures: Mapping[str, BaseException]
    inside: Mapping[str, str]

    @property
    def degraded(self) -> bool:
        """A leg that was due failed, or a leg is itself a hybrid and was degraded."""
        return bool(self.failures or self.inside)

    def counted(
        self, counts: Mapping[str, int], notes: Mapping[str, tuple[str, ...]]
    ) -> tuple[LegReport, ...]:
        """The reports with what the fusion found: duplicates removed, scores it could not use."""
        return tuple(
            replace(
                report,
                count=counts.get(report.name, 0),
                notes=(*report.notes, *notes.get(report.name, ())),
            )
            for report in self.reports
        )


def settle(plan: Plan, answers: Sequence[Answer]) -> Outcome:
    """Turn the answers of the legs that ran into an outcome.

    Raises:
        AllLegsFailedError: Every leg that was due failed; from the first failure.
        LegError: A leg failed whose failure ends the query.
    """
    outcomes = iter(answers)
    rankings: list[Ranking] = []
    reports: list[LegReport] = []
    failures: dict[str, BaseException] = {}
    inside: dict[str, str] = {}
    for leg in plan.legs:
        ranking = Ranking(leg.name, (), ())
        if leg.call is None:
            report = LegReport(leg.name, "skipped", notes=(str(leg.skipped),))
        else:
            answer = next(outcomes)
            status = answer.status
            if status == "cut":
                continue  # another leg's failure ends the query: there will be no result
            if answer.error is None:
                try:
                    ranking = _ranking(plan, leg, answer)
                except ContractError as error:
                    answer = Answer("error", error=error, elapsed_ms=answer.elapsed_ms)
                    status = "error"
            if answer.error is not None:
                failures[leg.name] = answer.error
            elif isinstance(answer.value, SearchResult) and answer.value.degraded:
                inside[leg.name] = _inside(answer.value)
            report = _report(leg, answer, status, ranking, inside.get(leg.name))
        rankings.append(ranking)
        reports.append(report)
    _raise(plan, failures, reports)
    return Outcome(tuple(rankings), tuple(reports), failures, inside)


def _ranking(plan: Plan, leg: PlannedLeg, answer: Answer) -> Ranking:
    given, retriever = leg.leg, leg.leg.retriever
    better = given.higher_is_better
    return to_ranking(
        answer.value,
        leg.name,
        limit=leg.fetch_k,
        keep=plan.keep,
        needs_metadata=given.post_filter,
        higher_is_better=retriever.higher_is_better if better is None else better,
        score_range=given.score_range or retriever.score_range,
        order=given.order or retriever.order,
    )


def _inside(result: SearchResult) -> str:
    said = (f"{report.name}: {report.error}" for report in result.legs if report.error)
    return "degraded inside: " + "; ".join(said)


def _report(
    leg: PlannedLeg, answer: Answer, status: LegStatus, ranking: Ranking, inside: str | None
) -> LegReport:
    if answer.error is not None:
        return LegReport(leg.name, status, answer.elapsed_ms, error=say(answer.error))
    notes = ranking.notes if inside is None else (*ranking.notes, inside)
    status = "ok" if len(ranking) else "empty"
    return LegReport(leg.name, status, answer.elapsed_ms, len(ranking), notes=notes)


def _raise(plan: Plan, failures: Mapping[str, BaseException], reports: Sequence[LegReport]) -> None:
    """Raise what must not be degraded."""
    if not failures:
        return
    due = plan.due
    for leg in due:
        error = failures.get(leg.name)
        if error is not None and leg.call is not None and leg.call.fatal:
            elapsed = next(report.elapsed_ms for report in reports if report.name == leg.name)
            raise leg_error(leg, error, elapsed)
    if len(failures) == len(due):
        said = "; ".join(f"{name}: {say(error)}" for name, error in failures.items())
        first = next(iter(failures.values()))
        raise AllLegsFailedError(f"every leg failed: {said}", failures) from first


def leg_error(leg: PlannedLeg, error: BaseException, elapsed_ms: float) -> LegError:
    """The error that names the leg, from whatever went wrong in it."""
    if isinstance(error, LegError) and error.leg in (leg.name, leg.leg.name):
        return error
    named = LegError(f"leg {leg.name!r} failed: {say(error)}", leg.name, elapsed_ms)
    named.__cause__ = error
    return named


def say(error: BaseException) -> str:
    """An error in one line."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
