"""Whether systems may be compared: the same topics, the same judgments, the same measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plait.errors import ConfigurationError
from plait.evaluation.evaluation import Evaluation
from plait.metadata import EMPTY

__all__ = ["check_comparable"]

_SHOWN = 5  # names in a message


def check_comparable(systems: Sequence[Evaluation], measures: Sequence[str]) -> None:
    """Refuse what would compare unlike things.

    Args:
        systems: The systems.
        measures: The measures to compare them by.

    Raises:
        ConfigurationError: Fewer than two systems, equal names, no topic or measure, a measure that
            a system lacks, different topics or judgments; the message names what differs.
    """
    for system in systems:
        if not isinstance(system, Evaluation):
            raise ConfigurationError(
                f"one of the systems is {type(system).__name__}, expected an Evaluation; "
                "score_run and evaluate make one"
            )
    names = [system.name for system in systems]
    if len(names) < 2:
        raise ConfigurationError(f"systems are {names!r}; give two or more to compare")
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ConfigurationError(
            f"systems share the names {repeated!r}; give each a name of its own"
        )
    if not measures or len(set(measures)) < len(measures):
        raise ConfigurationError(
            f"measure is {list(measures)!r}; give one or several different ones, such as 'nDCG@10'"
        )
    first = systems[0]
    if not first.per_query:
        raise ConfigurationError(f"system {first.name!r} has no topic; evaluate it on some")
    for system in systems:
        missing = [measure for measure in measures if measure not in system.measures]
        if missing:
            raise ConfigurationError(
                f"system {system.name!r} was not evaluated by {missing!r}; "
                f"it has {list(system.measures)!r}"
            )
        _check_topics(first, system)
        _check_judgments(first, system)


def _check_topics(first: Evaluation, system: Evaluation) -> None:
    ours, theirs = first.per_query.keys(), system.per_query.keys()
    if ours == theirs:
        return
    parts = [
        f"only {name!r} has {_some(sorted(topics))}"
        for name, topics in ((first.name, ours - theirs), (system.name, theirs - ours))
        if topics
    ]
    raise ConfigurationError(
        f"systems {first.name!r} and {system.name!r} were evaluated on different topics: "
        f"{'; '.join(parts)}. Evaluate both on the same topics"
    )


def _check_judgments(first: Evaluation, system: Evaluation) -> None:
    if first.qrels is system.qrels:
        return
    unlike = [
        f"topic {topic!r}: {document!r} is {_graded(ours, document)} for {first.name!r} and "
        f"{_graded(theirs, document)} for {system.name!r}"
        for topic in first.per_query
        if (ours := first.qrels.get(topic, EMPTY)) != (theirs := system.qrels.get(topic, EMPTY))
        for document in sorted({*ours, *theirs})
        if ours.get(document) != theirs.get(document)
    ]
    if unlike:
        raise ConfigurationError(
            f"systems {first.name!r} and {system.name!r} were measured by different judgments, "
            f"{len(unlike):,} in all; {'; '.join(unlike[:_SHOWN])}. Measure both by the same"
        )


def _graded(grades: Mapping[str, int], document: str) -> str:
    return f"graded {grades[document]}" if document in grades else "not judged"


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:_SHOWN]))
    more = len(names) - _SHOWN
    return f"{shown} and {more:,} more" if more > 0 else shown
