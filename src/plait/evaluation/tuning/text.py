"""The result of tuning for a reader, line by line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from plait.evaluation.evaluation import Estimate
from plait.evaluation.report.numbers import interval, number, p_value, signed
from plait.evaluation.tuning.verdict import name
from plait.printable import printable

if TYPE_CHECKING:
    from plait.evaluation.tuning.result import Tried, TuneResult

__all__ = ["figures", "lines"]


def lines(result: TuneResult) -> Iterator[str]:
    """All of it; the answer is the last line."""
    yield from figures(result)
    yield printable(result.answer)


def figures(result: TuneResult) -> Iterator[str]:
    """What was tried and what it is worth, without the answer."""
    yield (
        f"{result.measure} on {result.gain.n:,} labelled queries, {result.size:,} candidates, "
        f"{len(result.folds)} folds"
    )
    yield ""
    yield "on the queries that the choice was made from:"
    yield _tried(result, result.default, "default: ")
    if result.chosen != result.default:
        yield _tried(result, result.chosen, "chosen: ")
    yield ""
    yield "the best of each method, and each leg alone:"
    for each in result.best:
        yield _tried(result, each)
    yield ""
    yield "held out, each query without a part in the choice that it is measured on:"
    yield f"{_gain(result.gain)}  chosen, p {p_value(result.p)}"
    if result.learned is not None:
        yield f"{_gain(result.learned)}  learned"
    for choice, count in Counter(name(fold, result.legs) for fold in result.folds).most_common():
        yield f"  on {count} of {len(result.folds)} folds: {printable(choice)}"
    for note in result.notes:
        yield f"note: {printable(note)}"
    yield ""


def _tried(result: TuneResult, tried: Tried, label: str = "") -> str:
    shown = name(tried.candidate, result.legs)
    return f"  {number(tried.mean)}  {signed(tried.gain)}  {label}{printable(shown)}"


def _gain(gain: Estimate) -> str:
    return f"  {signed(gain.mean)}  {interval(gain.low, gain.high, sign=True)}"
