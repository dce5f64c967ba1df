"""Measuring what the command line names: systems of collections, and run files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from plait.cli.systems import System, every, split_name
from plait.evaluation import (
    Evaluation,
    Qrels,
    Recording,
    Topics,
    parse_measure,
    read_run,
    score_run,
)
from plait.evaluation.scoring import ir_measures, measurable

if TYPE_CHECKING:
    from plait.cli.recorded import Source, Tell

__all__ = ["Measuring"]


@dataclass(frozen=True, slots=True)
class Measuring:
    """What systems are asked, and how their answers are measured.

    Attributes:
        topics: The questions, None for run files alone: whatever is judged is measured.
        qrels: The judgments.
        measures: Names of the measures.
        top_k: Documents of a ranking that are measured.
    """

    topics: Topics | None
    qrels: Qrels
    measures: tuple[str, ...]
    top_k: int

    def files(self, runs: Sequence[str]) -> Iterator[Evaluation]:
        """Run files, each ``FILE`` or ``NAME=FILE``; without a name it has that of its tag."""
        for text in runs:
            name, path = split_name(text)
            run = read_run(path, name=name)
            yield score_run(run, self.qrels, self.measures, topics=self.topics)

    def systems(
        self, source: Source, systems: Sequence[System], tell: Tell
    ) -> Iterator[Evaluation]:
        """Systems over the legs of one source, which run once.

        Args:
            source: Where the legs come from.
            systems: The systems; none for the source as it is used and each of its legs that
                returned something.
            tell: Called with how many topics are done, and how many there are.
        """
        ir_measures()
        asked = measurable(self.topics or Topics({}), self.qrels)
        recording, settled = source.record(asked, systems or every(source.legs), tell)
        for system in settled:
            if not systems and not _answers(system, recording):
                continue
            yield self.score(replace(system, name=source.prefix + system.name), recording)

    def score(self, system: System, recording: Recording) -> Evaluation:
        """A settled system over recorded legs."""
        found = score_run(
            system.run(recording, self.top_k),
            self.qrels,
            self.measures,
            topics=self.topics,
            failures=system.failures(recording),
        )
        asked = recording.fetch_k if system.window is None else system.window
        deep = [name for name in found.measures if (parse_measure(name).cutoff or 0) > asked]
        if not deep:
            return found
        note = f"{asked:,} candidates of each leg take part, fewer than {', '.join(deep)} look at"
        return replace(found, notes=(*found.notes, note))


def _answers(system: System, recording: Recording) -> bool:
    """Whether it has anything to say: a leg is there, and returned something."""
    if system.leg is None:
        return True
    if system.leg not in recording.legs:
        return False
    place = recording.legs.index(system.leg)
    return any(len(rankings[place]) for rankings in recording.rankings.values())
