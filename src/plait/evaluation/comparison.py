"""Comparison: systems over the same topics, and which of their differences are real."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from plait.errors import ConfigurationError
from plait.evaluation.comparable import check_comparable
from plait.evaluation.contrast import Contrast, find_contrasts
from plait.evaluation.difference import Difference, find_differences
from plait.evaluation.evaluation import Estimate, Evaluation
from plait.evaluation.frozen import FrozenMapping, check_count
from plait.evaluation.topics import Topics
from plait.printable import printable

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Systems over the same topics and judgments.

    Attributes:
        systems: Names, in the order given.
        baseline: Name of the system that the others are compared with.
        measures: Names of the measures; the first is the main one.
        topics: Ids of the topics, in the order of the first system.
        values: By measure, then by system: the value of each topic, in the order of ``topics``.
        means: By measure, then by system: the mean with its interval.
        differences: One per measure and system that is not the baseline, in that order.
        contrasts: By system that is not the baseline: the topics on which it differs most from the
            baseline by the main measure, largest difference first.
        seed: Seed of the resampling.
        notes: What a reader should know, such as topics on which a system failed.
    """

    systems: tuple[str, ...]
    baseline: str
    measures: tuple[str, ...]
    topics: tuple[str, ...]
    values: Mapping[str, Mapping[str, tuple[float, ...]]]
    means: Mapping[str, Mapping[str, Estimate]]
    differences: tuple[Difference, ...]
    contrasts: Mapping[str, tuple[Contrast, ...]]
    seed: int
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """What was compared, a sentence for each system, and the notes; a line each."""
        from plait.evaluation.report.words import scope, verdicts  # which are about comparisons

        notes = (f"note: {printable(note)}" for note in self.notes)
        return "\n".join([scope(self), *verdicts(self), *notes])

    @property
    def others(self) -> tuple[str, ...]:
        """The systems but the baseline."""
        return tuple(name for name in self.systems if name != self.baseline)

    def difference(self, system: str, measure: str | None = None) -> Difference:
        """The difference of one system, by default by the main measure.

        Raises:
            ConfigurationError: No such system or measure, or the baseline itself.
        """
        wanted = (system, self.measures[0] if measure is None else measure)
        for entry in self.differences:
            if (entry.system, entry.measure) == wanted:
                return entry
        raise ConfigurationError(
            f"there is no difference of {system!r} by {wanted[1]!r}; the systems compared with "
            f"{self.baseline!r} are {list(self.others)!r}, the measures {list(self.measures)!r}"
        )

    def per_topic(self, system: str, measure: str | None = None) -> tuple[float, ...]:
        """The system's value less the baseline's for each topic, in the order of ``topics``."""
        values = self.values[self.measures[0] if measure is None else measure]
        pairs = zip(values[system], values[self.baseline], strict=True)
        return tuple(value - base for value, base in pairs)


def compare(
    systems: Sequence[Evaluation],
    *,
    measure: str | Sequence[str] = "nDCG@10",
    baseline: str | None = None,
    seed: int = 0,
    topics: Topics | None = None,
    contrasts: int = 10,
    top: int = 10,
) -> Comparison:
    """Compare systems over the same topics.

    The p-value of a difference is that of the paired randomization test (Smucker, Allan and
    Carterette, CIKM 2007), adjusted by Holm's method (1979) over all measures and systems of the
    comparison; the interval is the 95 % bootstrap interval of the mean difference over the topics.

    Args:
        systems: Two or more, each with its own name.
        measure: One measure or several, the main one first; each system has them.
        baseline: Name of the system that the others are compared with, by default the first.
        seed: Seed of the resampling.
        topics: For the text of the queries on which systems differ.
        contrasts: Most topics to show for each system, >= 1.
        top: Documents to show of each ranking, >= 1.

    Raises:
        ConfigurationError: Fewer than two systems, equal names, an unknown baseline or measure,
            systems over different topics or judgments; the message names what differs.

    Example:
        >>> from plait.evaluation import Qrels, Run, score_run
        >>> qrels = Qrels({"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}})
        >>> old = Run("old", {"1": (("a", 1.0),)})
        >>> new = Run("new", {"1": (("a", 1.0),), "2": (("b", 1.0),), "3": (("c", 1.0),)})
        >>> systems = [score_run(run, qrels, ["RR"]) for run in (old, new)]
        >>> comparison = compare(systems, measure="RR")
        >>> difference = comparison.difference("new")
        >>> difference.wins, difference.ties, difference.p  # ++ and -- of 4 patterns of signs
        (2, 1, 0.5)
    """
    measures = (measure,) if isinstance(measure, str) else tuple(measure)
    check_comparable(systems, measures)
    check_count(contrasts, "contrasts")
    check_count(top, "top")
    names = tuple(system.name for system in systems)
    base = names[0] if baseline is None else baseline
    if base not in names:
        raise ConfigurationError(f"baseline is {baseline!r}, expected one of {list(names)!r}")
    order = tuple(systems[0].per_query)
    values = FrozenMapping(
        {
            name: FrozenMapping(
                {
                    system.name: tuple(system.per_query[topic][name] for topic in order)
                    for system in systems
                }
            )
            for name in measures
        }
    )
    by_name = {system.name: system for system in systems}
    return Comparison(
        systems=names,
        baseline=base,
        measures=measures,
        topics=order,
        values=values,
        means=FrozenMapping(
            {
                name: FrozenMapping({system.name: system.means[name] for system in systems})
                for name in measures
            }
        ),
        differences=find_differences(values, base, seed=seed),
        contrasts=FrozenMapping(
            {
                system.name: find_contrasts(
                    system,
                    by_name[base],
                    measures[0],
                    topics=topics,
                    most=contrasts,
                    top=top,
                )
                for system in systems
                if system.name != base
            }
        ),
        seed=seed,
        notes=tuple(_notes(systems)),
    )


def _notes(systems: Sequence[Evaluation]) -> Iterator[str]:
    """What the evaluations said, once where all said the same."""
    shared = [note for note in systems[0].notes if all(note in each.notes for each in systems)]
    yield from shared
    for system in systems:
        for note in system.notes:
            if note not in shared:
                yield f"{system.name}: {note}"
