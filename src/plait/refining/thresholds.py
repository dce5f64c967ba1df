"""Threshold: a floor on one named score, and the hits that it keeps."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeAlias

from plait.errors import ConfigurationError
from plait.refining.refined import Refined
from plait.types import Hit

__all__ = ["Missing", "Threshold", "apply_threshold"]

Missing: TypeAlias = Literal["keep", "drop"]

_LEG = "leg:"
_FUSED = ("fused", "fused_scaled")
_RERANK = "rerank"
_TEXT_FORM = re.compile(r"\s*(\S.*?)\s*(>=|<=)\s*([^\s<>=]+)\s*", re.DOTALL)
_SCORES = (
    "'leg:NAME' (a leg's raw score), 'fused', 'fused_scaled' (fused score/its bound), 'rerank'"
)


@dataclass(frozen=True, slots=True)
class Threshold:
    """A floor on one score, which it names: no two scores are on one scale. Its text form parses.

    Args:
        score: Which score it reads: ``"leg:NAME"``, the raw score of one leg, where several
            variants of a query were searched the best of its scores, unless NAME is that of one
            variant (``bm25@rewrite``); ``"fused"``;
            ``"fused_scaled"``, the fused score divided by the highest that the fusion can give,
            so at most 1; or ``"rerank"``.
        limit: A finite number. Hits pass if their score is at least this.
        missing: What becomes of hits that do not have the score. By default a leg threshold keeps
            them: the leg did not return them (or gave no score), so it has nothing against them. A
            rerank threshold drops them: nobody has said that they reach it. Every fused hit has a
            fused score.
        at_most: For legs whose score is a distance: hits pass if it is at most ``limit``.

    Raises:
        ConfigurationError: An unknown score, a limit that is not a finite number, ``at_most`` for
            something else than a leg.

    Example:
        >>> Threshold.parse("rerank>=0.5")
        Threshold(score='rerank', limit=0.5, missing='drop', at_most=False)
        >>> str(Threshold("leg:bm25", 3.0))
        'leg:bm25>=3'
    """

    score: str
    limit: float
    missing: Missing | None = None
    at_most: bool = False

    hint: ClassVar[str] = "such as 'rerank>=0.5', 'leg:bm25>=3' or 'fused_scaled>=0.2'"

    def __post_init__(self) -> None:
        score: Any = self.score
        if not isinstance(score, str) or not (self.leg or score in (*_FUSED, _RERANK)):
            raise ConfigurationError(f"a threshold reads {score!r}, expected one of {_SCORES}")
        limit: Any = self.limit
        if (
            isinstance(limit, bool)
            or not isinstance(limit, int | float)
            or not math.isfinite(limit)
        ):
            raise ConfigurationError(
                f"the threshold on {score} is {limit!r}, expected a finite number"
            )
        object.__setattr__(self, "limit", float(limit))
        if self.at_most and not self.leg:
            raise ConfigurationError(
                f"the threshold {self} is an upper limit; only a leg's score can be a distance, of "
                f"which less is better: write {score}>={limit:g}"
            )
        if self.missing is None:
            object.__setattr__(self, "missing", "drop" if score == _RERANK else "keep")
        if self.missing not in ("keep", "drop"):
            raise ConfigurationError(
                f"missing is {self.missing!r} for the threshold {self}, expected 'keep' or 'drop'"
            )

    def __str__(self) -> str:
        return f"{self.score}{'<=' if self.at_most else '>='}{self.limit:.12g}"

    @classmethod
    def parse(cls, source: Threshold | str) -> Threshold:
        """A threshold from its text form, or as it is.

        Raises:
            ConfigurationError: Not of the form ``score>=number``.
        """
        if isinstance(source, Threshold):
            return source
        match = _TEXT_FORM.fullmatch(source) if isinstance(source, str) else None
        try:
            limit = float(match[3]) if match else math.nan
        except ValueError:
            limit = math.nan
        if match is None or math.isnan(limit):
            raise ConfigurationError(f"{source!r:.80} is not a threshold, expected {cls.hint}")
        return cls(match[1], limit, at_most=match[2] == "<=")

    @property
    def leg(self) -> str | None:
        """Name of the leg whose score it reads, None if it reads another score."""
        return self.score.removeprefix(_LEG) or None if self.score.startswith(_LEG) else None

    @property
    def stage(self) -> Literal["fusion", "rerank"]:
        """Behind which stage hits have the score."""
        return "rerank" if self.score == _RERANK else "fusion"

    def passes(self, hit: Hit, *, score_bound: float | None = None) -> bool:
        """Whether a hit passes; see ``apply_threshold``."""
        value = self._read(hit, score_bound)
        if value is None:
            return self.missing == "keep"
        return value <= self.limit if self.at_most else value >= self.limit

    def _read(self, hit: Hit, score_bound: float | None) -> float | None:
        if self.score == _RERANK:
            return hit.rerank_score
        if self.score == "fused":
            return hit.fusion_score
        if self.score == "fused_scaled":
            if score_bound is None or hit.fusion_score is None:
                return None
            return hit.fusion_score / score_bound
        if not hit.contributions:  # a retriever that is asked alone
            return hit.retrieval_score if hit.source == self.leg else None
        variants = f"{self.leg}@"
        scores = [
            part.raw_score
            for part in hit.contributions
            if part.raw_score is not None
            and (part.leg == self.leg or part.leg.startswith(variants))
        ]
        best = min if self.at_most else max
        return best(scores, default=None)


def apply_threshold(
    hits: Sequence[Hit], threshold: Threshold, *, score_bound: float | None = None
) -> Refined:
    """Keep the hits that pass a threshold, in their order, ranks numbered anew.

    Args:
        hits: Best first. They are not changed.
        threshold: The threshold.
        score_bound: ``SearchResult.score_bound``, for ``fused_scaled``.

    Returns:
        What is kept, and a note that says how many hits were dropped and how many of them for
        having no such score.

    Example:
        >>> from plait.types import Chunk
        >>> hits = [Hit(Chunk("a"), 0.9, 1, rerank_score=0.9), Hit(Chunk("b"), 0.1, 2)]
        >>> apply_threshold(hits, Threshold("rerank", 0.5)).notes
        ('rerank>=0.5 dropped 1 of 2 hits (1 without that score)',)
    """
    kept = [hit for hit in hits if threshold.passes(hit, score_bound=score_bound)]
    dropped = len(hits) - len(kept)
    notes: tuple[str, ...] = ()
    if dropped:
        plain = replace(threshold, missing="keep")
        without = dropped - sum(not plain.passes(hit, score_bound=score_bound) for hit in hits)
        said = f" ({without} without that score)" if without else ""
        plural = "s" * (len(hits) > 1)
        notes = (f"{threshold} dropped {dropped} of {len(hits)} hit{plural}{said}",)
    return Refined.of(str(threshold), hits, kept, notes)
