"""Recording: what every leg returned for every topic, so that fusions can be tried without them."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plait.errors import ConfigurationError
from plait.evaluation.archive import (
    ranking_to_json,
    rankings_from_json,
    read_archive,
    read_well,
    write_archive,
)
from plait.evaluation.frozen import FrozenMapping, check_count, check_id
from plait.evaluation.lines import FilePath
from plait.evaluation.run import Run, RunRanking, scored
from plait.evaluation.topics import Topics
from plait.fusion import Fusion, Weights, fuse, parse_fusion, resolve_weights
from plait.metadata import EMPTY
from plait.types import Query, Ranking

__all__ = ["Recording"]


@dataclass(frozen=True)
class Recording:
    """What every leg returned for every topic. Made by ``record``.

    Fusions, weights and windows are tried on it without running a leg again.

    Attributes:
        legs: Names of the legs.
        topics: The questions.
        rankings: One ranking per leg, in the order of ``legs``, by topic id: ids only, hits of two
            legs being the same exactly if their ids are. A leg that failed or could not use the
            question has an empty one.
        documents: The id that judgments use, by chunk id, where it is another one: the document
            that the chunk is a part of.
        fetch_k: Candidates asked of each leg.
        failures: What went wrong, by leg, by topic id.
        origin: The hybrid's ``describe()``, and the ``generation`` of a collection.
        filled: The rankings with the hits that other legs returned, scored by each leg that can,
            by topic id; empty unless they were asked for.
    """

    legs: tuple[str, ...]
    topics: Topics = field(repr=False)
    rankings: Mapping[str, tuple[Ranking, ...]] = field(repr=False)
    documents: Mapping[str, str] = field(repr=False)
    fetch_k: int
    failures: Mapping[str, Mapping[str, str]] = field(repr=False)
    origin: Mapping[str, Any] = field(repr=False)
    filled: Mapping[str, tuple[Ranking, ...]] = field(default=EMPTY, repr=False)

    def fused(
        self,
        fusion: Fusion | str,
        weights: Weights | None = None,
        *,
        window: int | None = None,
        top_k: int = 100,
        name: str | None = None,
        fill: bool = False,
    ) -> Run:
        """The run of the hybrid with this fusion; no leg runs.

        A document stands where its best chunk does, with the score of that chunk.

        Args:
            fusion: A fusion or its text form.
            weights: By position or by leg name, default 1.0; 0 leaves a leg out.
            window: Candidates of each leg that take part, up to ``fetch_k``; all by default.
            top_k: Documents per topic at most, >= 1.
            name: Name of the run; by default fusion and weights.
            fill: Legs score the hits that only others returned, as ``HybridRetriever(fill=True)``.

        Raises:
            ConfigurationError: Bad weights or fusion, a window above ``fetch_k``; ``fill`` where it
                was not recorded.

        Example:
            >>> from plait.evaluation import Topics, record
            >>> from plait.hybrid import HybridRetriever
            >>> hybrid = HybridRetriever({"a": lambda text: ["x", "y"], "b": lambda text: ["y"]})
            >>> recording = record(hybrid, Topics({"1": "anything"}))
            >>> [id for id, _ in recording.fused("rrf(k=60)").rankings["1"]]
            ['y', 'x']
        """
        method = parse_fusion(fusion) if isinstance(fusion, str) else fusion
        reach = self._window(window)
        check_count(top_k, "top_k")
        if fill and not self.filled:
            raise ConfigurationError(
                "the legs were not asked to score each other's hits; record with fill=True"
            )
        shares = resolve_weights(weights, self.legs)
        rankings = {}
        for topic in self.rankings:
            legs = [ranking.cut(reach) for ranking in self.rankings[topic]]
            if fill:
                used = (leg for leg, share in zip(legs, shares, strict=True) if share)
                pool_ids = {name for leg in used for name in leg.ids}
                legs = [_within(ranking, pool_ids) for ranking in self.filled[topic]]
            scores = fuse(legs, method, shares).scores
            rankings[topic] = self._judged(tuple(scores), tuple(scores.values()), top_k)
        return Run(name or _name(method, weights, window, fill), rankings)

    def leg(self, name: str, *, top_k: int = 100) -> Run:
        """The run of one leg alone.

        Its scores are the leg's, distances with the sign turned; 1/rank where the leg gave none, or
        none that its order follows.

        Raises:
            ConfigurationError: There is no such leg.
        """
        if name not in self.legs:
            raise ConfigurationError(
                f"there is no leg {name!r} in the recording; it has {', '.join(self.legs)}"
            )
        check_count(top_k, "top_k")
        place = self.legs.index(name)
        found = ((topic, rankings[place]) for topic, rankings in self.rankings.items())
        runs = {
            topic: self._judged(ranking.ids, ranking.oriented, top_k) for topic, ranking in found
        }
        return Run(name, runs)

    def save(self, path: FilePath) -> None:
        """Write it to a file, replacing what is there: JSON lines under gzip, data only.

        Raises:
            OSError: The file cannot be written.
        """
        header = {
            "topics": len(self.topics),
            "legs": self.legs,
            "fetch_k": self.fetch_k,
            "documents": dict(self.documents),
            "origin": dict(self.origin),
        }
        write_archive(path, header, (self._row(topic) for topic in self.topics))

    @classmethod
    def load(cls, path: FilePath) -> Recording:
        """Read what ``save`` wrote.

        Raises:
            FormatError: Not such a file, of a newer version, or damaged; names file and line.
            OSError: The file cannot be opened.
        """
        header, rows = read_archive(path)
        queries: dict[str, Query] = {}
        rankings: dict[str, tuple[Ranking, ...]] = {}
        filled: dict[str, tuple[Ranking, ...]] = {}
        failures: dict[str, Mapping[str, str]] = {}
        with read_well(path, 1):
            legs = tuple(check_id(leg, "a leg") for leg in header["legs"])
            if len(set(legs)) < len(legs):
                raise ConfigurationError(f"legs {list(legs)!r} share a name")
            check_count(header["fetch_k"], "fetch_k")
            documents = FrozenMapping(dict(header["documents"]))
            origin = dict(header["origin"])
        for number, row in rows:
            with read_well(path, number):
                topic = check_id(row["topic"], "the topic")
                if topic in queries:
                    raise ConfigurationError(f"topic {topic!r} stands twice")
                queries[topic] = Query(row["text"], row["embedding"])
                rankings[topic] = rankings_from_json(legs, row["rankings"])
                if row["filled"]:
                    filled[topic] = rankings_from_json(legs, row["filled"])
                if row["failures"]:
                    failures[topic] = FrozenMapping(row["failures"])
        return cls(
            legs=legs,
            topics=Topics(queries),
            rankings=FrozenMapping(rankings),
            documents=documents,
            fetch_k=header["fetch_k"],
            failures=FrozenMapping(failures),
            origin=origin,
            filled=FrozenMapping(filled),
        )

    def _row(self, topic: str) -> dict[str, Any]:
        query = self.topics[topic]
        return {
            "topic": topic,
            "text": query.text,
            "embedding": None if query.embedding is None else query.embedding.tolist(),
            "rankings": [ranking_to_json(ranking) for ranking in self.rankings[topic]],
            "filled": [ranking_to_json(ranking) for ranking in self.filled.get(topic, ())],
            "failures": dict(self.failures.get(topic, EMPTY)),
        }

    def _judged(
        self, ids: Sequence[str | None], scores: Sequence[float | None], top_k: int
    ) -> RunRanking:
        """Chunks as what is judged: each document once, where its best chunk stands."""
        best: dict[str, float | None] = {}
        for chunk, score in zip(ids, scores, strict=True):
            if chunk is not None:  # a recording knows every hit by its id
                best.setdefault(self.documents.get(chunk, chunk), score)
        return scored(tuple(best), tuple(best.values()))[:top_k]

    def _window(self, window: int | None) -> int:
        if window is None:
            return self.fetch_k
        check_count(window, "window")
        if window > self.fetch_k:
            raise ConfigurationError(
                f"window is {window}, but {self.fetch_k} candidates of each leg were recorded; "
                f"record with fetch_k={window} or more"
            )
        return window


def _within(ranking: Ranking, pool: Container[str | None]) -> Ranking:
    return ranking.at([place for place, name in enumerate(ranking.ids) if name in pool])


def _name(fusion: Fusion, weights: Weights | None, window: int | None, fill: bool) -> str:
    parts = [str(fusion)]
    if isinstance(weights, Mapping):
        parts.append(", ".join(f"{leg} {weight:g}" for leg, weight in weights.items()))
    elif weights is not None:
        parts.append(", ".join(f"{weight:g}" for weight in weights))
    if window is not None:
        parts.append(f"window {window}")
    if fill:
        parts.append("filled")
    return "; ".join(parts)
