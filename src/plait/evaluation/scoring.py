"""score_run: measure a run by judgments."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import ModuleType

from plait.errors import ConfigurationError, MissingDependencyError
from plait.evaluation.evaluation import Estimate, Evaluation
from plait.evaluation.frozen import FrozenMapping
from plait.evaluation.measures import DEFAULT_MEASURES, Measure, parse_measures
from plait.evaluation.qrels import Qrels
from plait.evaluation.run import Run
from plait.evaluation.statistics import bootstrap_interval
from plait.evaluation.topics import Topics
from plait.metadata import EMPTY

__all__ = ["estimate", "ir_measures", "measurable", "score_run"]


def score_run(
    run: Run,
    qrels: Qrels,
    measures: Sequence[str] = DEFAULT_MEASURES,
    *,
    topics: Collection[str] | None = None,
    failures: Mapping[str, str] = EMPTY,
) -> Evaluation:
    """Measure a run by judgments.

    The figures are those of trec_eval, through ir-measures: the ideal is taken from the judgments
    and not from what was returned, unjudged documents count as not relevant, and cutoffs do not
    shrink to what was returned. A document that stands twice counts once, at its best place.

    Every topic with judgments counts. One without results counts 0, which a note tells. Results
    for topics without judgments are left out and counted in a note.

    Args:
        run: What a system returned.
        qrels: The judgments.
        measures: Names such as ``"nDCG@10"``; see ``Measure``.
        topics: The topics that were asked, when the judgments are for more than these; by default
            all that have judgments.
        failures: What went wrong, by topic id, to be told with the figures.

    Raises:
        ConfigurationError: An unknown measure, or no topic that has judgments.
        MissingDependencyError: The extra ``evaluation`` is not installed.

    Example:
        >>> run = Run("mine", {"1": (("a", 0.9), ("b", 0.5))})
        >>> found = score_run(run, Qrels({"1": {"b": 1}}), ["RR", "P@10"])
        >>> found.means["RR"].mean, found.means["P@10"].mean
        (0.5, 0.1)
    """
    parsed = parse_measures(measures)
    _check_measurable(run.rankings if topics is None else topics, qrels)
    asked = None if topics is None else set(topics)
    judged = {
        topic: grades
        for topic, grades in qrels.items()
        if grades and (asked is None or topic in asked)
    }
    returned = {
        topic: tuple(dict.fromkeys(document for document, _ in run.rankings.get(topic, ())))
        for topic in judged
    }
    names = tuple(str(measure) for measure in parsed)
    values: dict[str, dict[str, float]] = {topic: dict.fromkeys(names, 0.0) for topic in judged}
    for topic, name, value in _measured(returned, judged, parsed):
        values[topic][name] = value
    return Evaluation(
        name=run.name,
        run=run,
        measures=names,
        per_query=FrozenMapping({topic: FrozenMapping(row) for topic, row in values.items()}),
        means=FrozenMapping(
            {name: estimate([row[name] for row in values.values()]) for name in names}
        ),
        notes=tuple(_notes(run, qrels, judged, returned, asked, failures)),
        failures=FrozenMapping(failures),
        qrels=qrels,
    )


def estimate(values: Sequence[float], *, seed: int = 0) -> Estimate:
    """The mean of values of several topics, with its interval."""
    low, high = bootstrap_interval(values, seed=seed)
    # Rounding in either must not put the mean of equal values beside its interval.
    mean = math.fsum(values) / len(values)
    return Estimate(mean, min(low, mean), max(high, mean), len(values))


def _measured(
    returned: Mapping[str, Sequence[str]],
    judged: Mapping[str, Mapping[str, int]],
    measures: Sequence[Measure],
) -> Iterator[tuple[str, str, float]]:
    """(topic, measure, value) for every topic with results."""
    package = ir_measures()
    answered = [topic for topic, documents in returned.items() if documents]
    if not answered:
        return
    # Scores that are all different keep our order whatever is done about ties. Short names for
    # topics and documents keep out characters that C strings cannot hold. Grades below 0 count as
    # 0 does, and make trec_eval write outside of its arrays.
    grades, scores = {}, {}
    for place, topic in enumerate(answered):
        documents = returned[topic]
        short = {name: str(n) for n, name in enumerate(dict.fromkeys((*documents, *judged[topic])))}
        grades[str(place)] = {short[name]: max(grade, 0) for name, grade in judged[topic].items()}
        scores[str(place)] = {
            short[name]: float(len(documents) - rank) for rank, name in enumerate(documents)
        }
    wanted = [package.parse_measure(str(measure)) for measure in measures]
    for metric in package.iter_calc(wanted, grades, scores):
        yield answered[int(metric.query_id)], str(metric.measure), float(metric.value)


def measurable(topics: Topics, qrels: Qrels) -> Topics:
    """The topics that have judgments: those that are worth asking.

    Raises:
        ConfigurationError: No topic has judgments.
    """
    _check_measurable(topics, qrels)
    return Topics({topic: query for topic, query in topics.items() if qrels.get(topic)})


def _check_measurable(topics: Iterable[str], qrels: Qrels) -> None:
    asked = list(topics)
    judged = next((topic for topic, grades in qrels.items() if grades), None)
    if judged is None:
        raise ConfigurationError("there are no judgments to measure by")
    if asked and not any(qrels.get(topic) for topic in asked):
        raise ConfigurationError(
            f"no topic has judgments; ids are such as {asked[0]!r:.40} in the topics and "
            f"{judged!r:.40} in the judgments, and must agree"
        )


def ir_measures() -> ModuleType:
    """The package ir-measures; called before topics are asked that it is to measure.

    Raises:
        MissingDependencyError: The extra ``evaluation`` is not installed.
    """
    try:
        import ir_measures
    except ImportError as error:
        raise MissingDependencyError(
            "ir-measures", extra="evaluation", purpose="measuring a run"
        ) from error
    return ir_measures


def _notes(
    run: Run,
    qrels: Qrels,
    judged: Mapping[str, Mapping[str, int]],
    returned: Mapping[str, Sequence[str]],
    asked: set[str] | None,
    failures: Mapping[str, str],
) -> Iterator[str]:
    """What a reader of the means should know."""
    failed = [topic for topic in judged if topic in failures]
    if failed:
        yield f"{_some(failed)} failed in part or as a whole and counted with what was returned"
    silent = [topic for topic, documents in returned.items() if not documents]
    if silent:
        yield f"{_some(silent)} without results counted 0"
    unjudged = [topic for topic in (asked or run.rankings) if topic not in judged]
    if unjudged:
        yield f"{_some(sorted(unjudged))} without judgments left out"
    if asked is not None:
        unasked = [topic for topic, grades in qrels.items() if grades and topic not in asked]
        if unasked:
            yield f"{_some(unasked)} with judgments not asked"
    hopeless = [topic for topic, grades in judged.items() if max(grades.values()) < 1]
    if hopeless:
        yield f"{_some(hopeless)} without a relevant document: no system can find one"
    repeated = sum(len(run.rankings.get(topic, ())) - len(returned[topic]) for topic in judged)
    if repeated:
        yield f"repeated documents counted once, at their best place: {repeated:,} left out"
    if not any(judged[topic].keys() & set(returned[topic]) for topic in judged):
        yield from _strangers(judged, returned)


def _strangers(
    judged: Mapping[str, Mapping[str, int]], returned: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """A note on results none of which was judged."""
    for topic, documents in returned.items():
        if documents:
            example = next(iter(judged[topic]))
            yield (
                f"no result has a judgment: results are such as {documents[0]!r:.60}, judgments "
                f"such as {example!r:.60}; do both name the same, documents or chunks?"
            )
            return


def _some(topics: Sequence[str]) -> str:
    """How many topics, and the first of them."""
    shown = ", ".join(topics[:3]) + (", ..." if len(topics) > 3 else "")
    return f"{len(topics)} topic{'s' * (len(topics) != 1)} ({shown})"
