"""Case: what the findings look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, islice

from plait.evaluation.diagnosis.background import Background
from plait.evaluation.diagnosis.finding import Example
from plait.evaluation.diagnosis.pairs import Pair
from plait.evaluation.qrels import Qrels
from plait.evaluation.recording import Recording
from plait.fusion import Fusion, Pool, fuse
from plait.types import Hit, Ranking

__all__ = ["LITTLE", "TOP", "Case"]

TOP = 10
"""How many fused hits count as what a user sees."""

LITTLE = 10
"""Fewer queries than this say nothing about how often something happens."""


_NOTHING = Background()


@dataclass(frozen=True)
class Case:
    """What the findings look at: the legs' rankings, how they are fused, what else is known.

    Attributes:
        recording: The legs' rankings.
        fusion: How they are fused.
        weights: Weight of every leg, by name.
        qrels: Judgments, if there are any.
        background: What is known beside the rankings.
    """

    recording: Recording
    fusion: Fusion
    weights: Mapping[str, float]
    qrels: Qrels | None = None
    background: Background = field(default=_NOTHING)

    @property
    def legs(self) -> tuple[str, ...]:
        """Names of the legs."""
        return self.recording.legs

    @property
    def fused_legs(self) -> tuple[str, ...]:
        """Names of the legs that take part in the fusion."""
        return tuple(leg for leg in self.legs if self.weights[leg])

    def column(self, leg: str) -> Iterator[tuple[str, Ranking]]:
        """One leg's ranking for every topic that it answered, also with nothing."""
        place = self.legs.index(leg)
        for topic, rankings in self.recording.rankings.items():
            if leg not in self.recording.failures.get(topic, ()):
                yield topic, rankings[place]

    def both(self, first: str, second: str) -> Iterator[tuple[str, Ranking, Ranking]]:
        """The rankings of two legs for every topic for which both returned hits."""
        others = dict(self.column(second))
        for topic, ranking in self.column(first):
            other = others.get(topic)
            if other and ranking:
                yield topic, ranking, other

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """How much each two legs that take part in the fusion agree."""
        return tuple(
            Pair.of(first, second, ((one, other) for _, one, other in self.both(first, second)))
            for first, second in combinations(self.fused_legs, 2)
        )

    def fuse(
        self,
        topic: str,
        fusion: Fusion | None = None,
        *,
        window: int | None = None,
        without: str | None = None,
    ) -> Pool:
        """The topic's fused order: as it is, or with another fusion, a smaller window, less a leg.

        Args:
            topic: Id of the topic.
            fusion: Instead of the case's.
            window: Only the first so many hits of each ranking.
            without: A leg to leave out; at least one other takes part in the fusion.
        """
        rankings = [
            ranking if window is None else ranking.cut(window)
            for ranking in self.recording.rankings[topic]
            if ranking.leg != without
        ]
        weights = {ranking.leg: self.weights[ranking.leg] for ranking in rankings}
        return fuse(rankings, fusion or self.fusion, weights)

    @cached_property
    def top(self) -> Mapping[str, tuple[Hit, ...]]:
        """The first ten fused hits by topic, with what each leg contributed."""
        return {topic: self.fuse(topic).hits(0, TOP) for topic in self.recording.rankings}

    def examples(self, seen: Mapping[str, str]) -> tuple[Example, ...]:
        """The first three of the topics at which something was seen, with what was."""
        return tuple(
            Example(topic, self.recording.topics[topic].text, detail)
            for topic, detail in islice(seen.items(), 3)
        )
