"""Filling: legs are asked to score the hits that only other legs returned.

A leg returns its best few hundred, and what stands further down counts in the fusion as if the leg
had nothing to say of it. Filled, its ranking is the one that it would give without a limit, as far
as any leg returned the hits.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

from plait.errors import ContractError
from plait.execution import Answer, Call
from plait.filters import Filter
from plait.hybrid.boundary import as_number
from plait.hybrid.outcome import Outcome, leg_error, say
from plait.hybrid.plan import Plan, PlannedLeg
from plait.types import LegReport, Ranking

__all__ = ["Filling"]

_Scored: TypeAlias = Sequence[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class Filling:
    """What the legs of a query are asked once they have answered it.

    Attributes:
        outcome: What they returned.
        asked: The legs that are asked to score hits, by place in the plan, and how.
        deadline: Seconds that are left for all of them, None for no limit.
    """

    outcome: Outcome
    asked: Mapping[int, tuple[PlannedLeg, Call]]
    deadline: float | None

    @classmethod
    def of(cls, plan: Plan, outcome: Outcome) -> Self:
        """What there is to ask: of each leg that can score them, the hits that it did not return.

        A leg that gave no scores, or whose order does not follow them, is not asked.
        """
        pool = dict.fromkeys(name for ranking in outcome.rankings for name in ranking.ids if name)
        asked = {}
        rows = zip(plan.legs, outcome.rankings, outcome.reports, strict=True)
        for place, (leg, ranking, report) in enumerate(rows):
            known = set(ranking.ids)
            lacking = [name for name in pool if name not in known]
            if lacking and leg.call is not None and _can_score(leg, ranking, report):
                keep = None if leg.leg.post_filter else plan.keep
                ask = functools.partial(_ask, leg, lacking, keep)
                left = _left(leg.call.timeout, report.elapsed_ms)
                asked[place] = leg, Call(leg.call.runner, ask, None, left, leg.call.fatal)
        spent_ms = max(report.elapsed_ms for report in outcome.reports)
        return cls(outcome, asked, _left(plan.deadline, spent_ms))

    @property
    def calls(self) -> list[Call]:
        """How to ask."""
        return [call for _, call in self.asked.values()]

    def settle(self, answers: Sequence[Answer]) -> Outcome:
        """The outcome with the hits that were scored.

        A leg that fails at it keeps the hits that it returned, and the result is degraded.

        Raises:
            LegError: A leg failed whose failure ends the query.
        """
        rankings, reports = list(self.outcome.rankings), list(self.outcome.reports)
        inside = dict(self.outcome.inside)
        for (place, (leg, call)), answer in zip(self.asked.items(), answers, strict=True):
            if answer.error is not None and call.fatal:
                raise leg_error(leg, answer.error, answer.elapsed_ms)
            if answer.error is not None:
                note = f"could not score hits of other legs: {say(answer.error)}"
                inside[leg.name] = note
            elif answer.value:
                rankings[place] = _filled(rankings[place], answer.value)
                many = len(answer.value)
                note = f"scored {many:,} hit{'s' * (many != 1)} of other legs"
            else:
                continue
            notes = (*reports[place].notes, note)
            elapsed_ms = reports[place].elapsed_ms + answer.elapsed_ms
            reports[place] = replace(reports[place], elapsed_ms=elapsed_ms, notes=notes)
        return replace(
            self.outcome, rankings=tuple(rankings), reports=tuple(reports), inside=inside
        )


def _can_score(leg: PlannedLeg, ranking: Ranking, report: LegReport) -> bool:
    return (
        leg.leg.retriever.is_scoring()
        and report.status in ("ok", "empty")
        and ranking.order == "score"
        and None not in ranking.scores
    )


def _ask(leg: PlannedLeg, ids: Sequence[str], keep: Filter | None) -> _Scored:
    """The leg's scores of these ids, checked as those of a ranking are."""
    scores = leg.leg.retriever.score(leg.variant.query, ids, filter=keep)
    if not isinstance(scores, Mapping):
        raise ContractError(
            f"leg {leg.name!r}: score returned {type(scores).__name__}, expected a mapping from "
            "id to score",
            leg.name,
        )
    found = [(name, as_number(scores[name])) for name in ids if name in scores]
    for name, score in found:
        if type(score) is not float or not math.isfinite(score):
            raise ContractError(
                f"leg {leg.name!r}: score gave {name!r} {score!r:.60}, expected a finite float",
                leg.name,
            )
    return found


def _filled(ranking: Ranking, scored: _Scored) -> Ranking:
    """The ranking with more hits, where their scores put them; behind equal ones that it has."""
    ids, scores = zip(*sorted(scored), strict=True)
    more = len(ids)
    all_scores = (*ranking.scores, *scores)
    sign = 1.0 if ranking.higher_is_better else -1.0
    order = sorted(range(len(all_scores)), key=lambda place: -sign * (all_scores[place] or 0.0))
    filled = ranking.filled or (False,) * len(ranking)
    columns: dict[str, Any] = {
        "ids": (*ranking.ids, *ids),
        "scores": all_scores,
        "filled": (*filled, *(True,) * more),
        "chunks": (*ranking.chunks, *(None,) * more) if ranking.chunks else (),
        "parts": (*ranking.parts, *((),) * more) if ranking.parts else (),
    }
    for name, column in columns.items():
        columns[name] = tuple([column[place] for place in order]) if column else ()
    return replace(ranking, **columns)


def _left(limit: float | None, spent_ms: float) -> float | None:
    return None if limit is None else max(0.0, limit - spent_ms / 1000)
