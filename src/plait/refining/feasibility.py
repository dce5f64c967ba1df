"""Feasibility: thresholds that no hit can pass are refused before any work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from plait.errors import ConfigurationError
from plait.fusion import Fusion, fuse
from plait.refining.thresholds import Threshold
from plait.types import Ranking

__all__ = ["check_thresholds"]

Range: TypeAlias = tuple[float | None, float | None]


def check_thresholds(
    thresholds: Sequence[Threshold],
    *,
    fusion: Fusion | None,
    weights: Mapping[str, float],
    shares: Sequence[float] | None = (1.0,),
    fetch_k: int = 200,
    ranges: Mapping[str, Range] | None = None,
    reranked: bool = False,
) -> tuple[str, ...]:
    """Refuse thresholds that can never pass, and say what a reader of the others should know.

    A floor of 0.25 on the fused score of RRF with two legs of weight 1 leaves nothing, ever: the
    highest score that a hit can have is 2/61.

    Args:
        thresholds: The thresholds.
        fusion: The fusion of the legs, None for a retriever that is asked alone.
        weights: Weight of every leg, by name.
        shares: Weights of the variants of a query, the original first: together they can score
            higher than it alone. None if they are not known; then a floor on the fused score may
            always be reached.
        fetch_k: Candidates asked of each leg.
        ranges: Lowest and highest raw score of legs where they are known, by name.
        reranked: Whether there is a reranker.

    Returns:
        Notes: that a rank-fused score is no measure of confidence, and which legs' best hits the
        threshold drops when no other leg returned them.

    Raises:
        ConfigurationError: A threshold that can never pass, or one on a score that hits will not
            have: of an unknown leg, a fused one without fusion, a scaled one where the fusion has
            no highest score, a rerank one without reranker.

    Example:
        >>> from plait.fusion import Rrf
        >>> legs = {"dense": 1.0, "bm25": 1.0}
        >>> check_thresholds([Threshold("fused", 0.25)], fusion=Rrf(), weights=legs)
        Traceback (most recent call last):
        ...
        plait.errors.ConfigurationError: the threshold fused>=0.25 can never pass: ...
    """
    notes: list[str] = []
    for threshold in thresholds:
        if threshold.score == "rerank":
            if not reranked:
                raise ConfigurationError(
                    f"the threshold {threshold} reads the rerank score, but there is no reranker; "
                    "add one, or set a threshold on 'leg:NAME' or 'fused_scaled'"
                )
        elif threshold.leg is not None:
            # A leg with the name of a variant, ``bm25@rewrite``, is there if there are variants.
            name = threshold.leg if shares == (1.0,) else threshold.leg.partition("@")[0]
            _check_leg(threshold, name, weights, ranges or {})
        elif fusion is None:
            raise ConfigurationError(
                f"the threshold {threshold} reads the fused score, but nothing is fused; "
                f"set one on the retriever's own score: leg:{next(iter(weights), 'NAME')}"
            )
        else:
            notes += _check_fused(threshold, fusion, weights, shares, fetch_k)
    return tuple(notes)


def _check_leg(
    threshold: Threshold, leg: str, weights: Mapping[str, float], ranges: Mapping[str, Range]
) -> None:
    if leg not in weights:
        raise ConfigurationError(
            f"the threshold {threshold} reads leg {leg!r}; the legs are {', '.join(weights)}"
        )
    if not weights[leg]:
        raise ConfigurationError(
            f"the threshold {threshold} reads leg {leg!r}, which is not run: its weight is 0"
        )
    lowest, highest = ranges.get(leg, (None, None))
    end = lowest if threshold.at_most else highest
    if end is not None and (threshold.limit < end if threshold.at_most else threshold.limit > end):
        extreme = "lowest" if threshold.at_most else "highest"
        raise ConfigurationError(
            f"the threshold {threshold} can never pass: the {extreme} score of leg {leg!r} is "
            f"{end:g}"
        )


def _check_fused(
    threshold: Threshold,
    fusion: Fusion,
    weights: Mapping[str, float],
    shares: Sequence[float] | None,
    fetch_k: int,
) -> list[str]:
    highest = _bound(fusion, _spread(weights, shares or (1.0,)), fetch_k)
    scaled = threshold.score == "fused_scaled"
    if scaled and highest is None:
        raise ConfigurationError(
            f"the threshold {threshold} reads the fused score in parts of its highest value, but "
            f"{fusion} has none; set a threshold on 'fused'"
        )
    if scaled and threshold.limit > 1:
        raise ConfigurationError(
            f"the threshold {threshold} can never pass: scaled, the highest fused score is 1"
        )
    if not scaled and highest is not None and shares and threshold.limit > highest:
        variants = f" and {len(shares)} variants" if len(shares) > 1 else ""
        raise ConfigurationError(
            f"the threshold {threshold} can never pass: the highest fused score that {fusion} "
            f"gives with the weights {dict(weights)!r}{variants} is {highest:.6g}; set a lower "
            "one, 'fused_scaled' from 0 to 1, or a leg's score, 'leg:NAME'"
        )
    scores = _scores(fusion, weights, power=1)
    if scores != _scores(fusion, weights, power=2):
        return []
    floor = threshold.limit * (highest or 1.0) if scaled else threshold.limit
    note = f"{threshold}: {fusion} reads ranks only, so its score is no measure of confidence"
    firsts = {leg: scores[f"{leg}:1"] for leg, weight in weights.items() if weight}
    lost = [f"{leg!r} ({score:.6g})" for leg, score in firsts.items() if score < floor]
    if lost:
        note += f"; this drops even the first hit of {', '.join(lost)} if no other leg returned it"
    return [note]


def _spread(weights: Mapping[str, float], shares: Sequence[float]) -> Mapping[str, float]:
    """The weight of every leg and variant; the original has the leg's own name."""
    return {
        leg if number == 0 else f"{leg}@{number}": weight * share
        for leg, weight in weights.items()
        for number, share in enumerate(shares)
    }


def _bound(fusion: Fusion, weights: Mapping[str, float], fetch_k: int) -> float | None:
    """The highest fused score over legs that are long, of one hit, or without scores."""
    bounds = [
        fuse(rankings, fusion, weights).score_bound
        for rankings in (
            [_ranking(leg, fetch_k) for leg in weights],
            [_ranking(leg, 1) for leg in weights],
            [Ranking(leg, (f"{leg}:1",), (None,)) for leg in weights],
        )
    ]
    known = [bound for bound in bounds if bound is not None]
    return max(known) if len(known) == len(bounds) else None


def _scores(fusion: Fusion, weights: Mapping[str, float], power: int) -> Mapping[str, float]:
    """Fused scores of hits that only one leg returned, by ``leg:rank``."""
    pool = fuse([_ranking(leg, 10, power) for leg in weights], fusion, weights)
    return {str(hit.id): hit.score or 0.0 for hit in pool.hits(0, len(pool))}


def _ranking(leg: str, length: int, power: int = 1) -> Ranking:
    """A ranking with ids of its own; the power bends its scores without changing the ranks."""
    ranks = range(1, length + 1)
    return Ranking(
        leg,
        tuple(f"{leg}:{rank}" for rank in ranks),
        tuple((1 - (rank - 1) / length) ** power for rank in ranks),
    )
