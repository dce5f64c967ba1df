"""Running a plan: ask the legs, and ask them again to score each other's hits where that is wanted.

Once for sync and once for async code, which differ in how they wait.
"""

from __future__ import annotations

from plait.execution import agather, gather
from plait.hybrid.filling import Filling
from plait.hybrid.outcome import Outcome, settle
from plait.hybrid.plan import Plan

__all__ = ["arun", "run"]


def run(plan: Plan) -> Outcome:
    """What became of the legs; raises as ``settle``."""
    outcome = settle(plan, gather(plan.calls, plan.deadline))
    if not plan.fill:
        return outcome
    filling = Filling.of(plan, outcome)
    return filling.settle(gather(filling.calls, filling.deadline))


async def arun(plan: Plan) -> Outcome:
    """The same without blocking the event loop."""
    outcome = settle(plan, await agather(plan.calls, plan.deadline))
    if not plan.fill:
        return outcome
    filling = Filling.of(plan, outcome)
    return filling.settle(await agather(filling.calls, filling.deadline))
