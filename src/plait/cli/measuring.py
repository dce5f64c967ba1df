"""Measuring what the command line names: systems of collections, and run files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Literal

from plait.cli.existing import open_existing
from plait.cli.systems import DEFAULT, System, split_name
from plait.errors import ConfigurationError
from plait.evaluation import Evaluation, Qrels, Recording, Topics, read_run, record, score_run

__all__ = ["Measuring", "Place"]


@dataclass(frozen=True, slots=True)
class Place:
    """A collection, and how the names of its systems begin.

    Attributes:
        folder: Where it is.
        name: Its name there.
        prefix: What tells its systems from those of the other collections.
    """

    folder: Path
    name: str
    prefix: str

    @classmethod
    def all_of(cls, folders: Sequence[Path], names: Sequence[str]) -> tuple[Place, ...]:
        """Every name in every folder; a prefix has what differs, and is empty for one place."""
        places = []
        for folder, name in product(folders, names):
            parts = [str(folder)] if len(folders) > 1 else []
            parts += [name] if len(names) > 1 else []
            places.append(cls(folder, name, f"{'/'.join(parts)}: " if parts else ""))
        return tuple(places)

    def called(self, system: str) -> str:
        """What a system of this collection is called."""
        return self.prefix + system


@dataclass(frozen=True, slots=True)
class Measuring:
    """What systems are asked, and how their answers are measured.

    Attributes:
        topics: The questions, None for run files alone: whatever is judged is measured.
        qrels: The judgments.
        measures: Names of the measures.
        top_k: Documents of a ranking that are measured.
        fetch_k: Candidates asked of each leg.
        by: What the judgments name.
    """

    topics: Topics | None
    qrels: Qrels
    measures: tuple[str, ...]
    top_k: int
    fetch_k: int
    by: Literal["document", "chunk"]

    def files(self, runs: Sequence[str]) -> Iterator[Evaluation]:
        """Run files, each ``FILE`` or ``NAME=FILE``; without a name it has that of its tag."""
        for text in runs:
            name, path = split_name(text)
            run = read_run(path, name=name)
            yield score_run(run, self.qrels, self.measures, topics=self.topics)

    def ask(
        self, place: Place, systems: Sequence[System], tell: Callable[[int, int], object]
    ) -> Iterator[Evaluation]:
        """Systems of a collection, whose legs run once.

        Args:
            place: The collection.
            systems: The systems; none for the collection as it is and each of its legs.
            tell: Called with how many topics are done, and how many there are.
        """
        with open_existing(place.folder, place.name) as opened:
            recording = record(
                opened, self._judged_topics(), fetch_k=self.fetch_k, by=self.by, progress=tell
            )
        for system in systems or _all_of(recording):
            named = replace(system, name=place.called(system.name))
            yield score_run(
                named.run(recording, self.top_k),
                self.qrels,
                self.measures,
                topics=self.topics,
                failures=named.failures(recording),
            )

    def _judged_topics(self) -> Topics:
        """The topics that can be measured: no leg runs for the others."""
        given = self.topics or Topics({})
        judged = Topics({topic: query for topic, query in given.items() if self.qrels.get(topic)})
        if not judged:
            raise ConfigurationError(
                f"none of the {len(given):,} topics has judgments, which are for "
                f"{len(self.qrels):,} topics; their ids must agree"
            )
        return judged


def _all_of(recording: Recording) -> Iterator[System]:
    """The collection as it is, and each leg that returned something."""
    yield System(DEFAULT)
    for place, leg in enumerate(recording.legs):
        if any(len(rankings[place]) for rankings in recording.rankings.values()):
            yield System(leg, leg=leg)
