"""The numbers of other systems, for moving to plait without a change in ranking.

Each preset follows the source of the system that it names, on input without duplicates and
without missing scores; elsewhere plait's own rules hold. Two differences stay everywhere: ties are
broken by best rank and then id, and hits are the same by plait's rule of identity.

Where a system does not weight legs, unequal weights are refused rather than ignored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from plait.errors import ConfigurationError
from plait.fusion.method import Absent, Fusion, Shares, check_number
from plait.fusion.rank_based import Rrf
from plait.fusion.recipe import (
    MinMax,
    Preset,
    Raw,
    Recipe,
    Signed,
    SignedThreeSigma,
    ThreeSigma,
    Weighting,
    ZeroMean,
)
from plait.types import Ranking

__all__ = ["Haystack", "LangChain", "LlamaIndex", "QdrantDbsf", "QdrantRrf", "Ranx"]


@dataclass(frozen=True)
class LangChain(Preset):
    """LangChain's ``EnsembleRetriever``: w/(c + r), r the 1-based rank.

    ``langchain_classic.retrievers.ensemble``, ``weighted_reciprocal_rank``. Weights are used as
    given, and default to 1/n there: give ``weights=[0.5, 0.5]`` for its default with two legs.

    Args:
        c: Rank constant, >= 0.
    """

    c: float = 60
    name: ClassVar[str] = "langchain"
    _shown: ClassVar[frozenset[str]] = frozenset({"c"})

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("langchain: c", self.c, low=0)

    def recipe(self) -> Recipe:
        """RRF with the weights as given."""
        return Recipe(Rrf(k=self.c))


_LLAMA_INDEX = {
    # The rank counts from 0 there: 1/(60 + r - 1).
    "reciprocal_rerank": Recipe(Rrf(k=59), "equal"),
    "relative_score": Recipe(Signed(), "shares"),
    "dist_based_score": Recipe(SignedThreeSigma(shape="3sigma", ddof=0), "shares"),
    "simple": Recipe(Raw(), "equal", combine="max"),
}


@dataclass(frozen=True)
class LlamaIndex(Preset):
    """LlamaIndex's ``QueryFusionRetriever``.

    ``llama_index.core.retrievers.fusion_retriever``:

    * ``reciprocal_rerank``: 1/(60 + i), i the rank from 0; legs are not weighted.
    * ``relative_score``: w/Σw · (s − min)/(max − min); equal scores count 1 if positive, else 0.
    * ``dist_based_score``: w/Σw · (s − (μ − 3σ))/6σ, population σ; equal scores as above.
    * ``simple``: the highest raw score of any leg; legs are not weighted.

    It divides by ``num_queries`` too, which is the same as one leg per query and retriever here.

    Args:
        mode: One of the above.
    """

    mode: str
    name: ClassVar[str] = "llama_index"

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_choice("llama_index: mode", self.mode, _LLAMA_INDEX)

    def recipe(self) -> Recipe:
        """The recipe of the mode."""
        return _LLAMA_INDEX[self.mode]


_HAYSTACK = {
    "concatenate": Recipe(Raw(), "equal", combine="max"),
    "merge": Recipe(Raw(), "shares"),
    # Weights become parts of their sum, and the score is divided by the highest possible, 1/61.
    "reciprocal_rank_fusion": Recipe(Rrf(k=60), "shares", scale=61.0),
    "distribution_based_rank_fusion": Recipe(
        ThreeSigma(shape="3sigma", ddof=0, flat=0.0), "equal", combine="max"
    ),
}


@dataclass(frozen=True)
class Haystack(Preset):
    """Haystack's ``DocumentJoiner``.

    ``haystack.components.joiners.document_joiner``:

    * ``concatenate``: the highest raw score of any leg; legs are not weighted.
    * ``merge``: the sum of w/Σw · s over raw scores.
    * ``reciprocal_rank_fusion``: the sum of w/Σw · 61/(60 + r); 1 for the first of every leg.
    * ``distribution_based_rank_fusion``: (s − (μ − 3σ))/6σ, population σ, 0 for equal scores; the
      highest of any leg, not the sum; legs are not weighted.

    Args:
        mode: One of the above.
    """

    mode: str
    name: ClassVar[str] = "haystack"

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_choice("haystack: mode", self.mode, _HAYSTACK)

    def recipe(self) -> Recipe:
        """The recipe of the mode."""
        return _HAYSTACK[self.mode]


@dataclass(frozen=True)
class QdrantRrf(Fusion):
    """Qdrant's RRF: 1/(r/w + k − 1), r the 1-based rank; 1/(k + r − 1) with weight 1.

    ``lib/segment/src/common/reciprocal_rank_fusion.rs``. A weight stretches the ranks rather than
    the shares: with 3 to 1, about three hits of the first leg come to one of the second.
    Scaling all weights therefore does change the order, unlike everywhere else in plait.

    Args:
        k: Rank constant, an int >= 1; 2 is Qdrant's default.

    Example:
        >>> a, b = Ranking("a", ("x",), (0.9,)), Ranking("b", ("y",), (0.8,))
        >>> [shares.values for shares in QdrantRrf(k=2).fuse([a, b], [3.0, 1.0])]
        [[0.75], [0.5]]
    """

    absent: Absent = field(default=0.0, init=False, repr=False)
    k: int = 2
    name: ClassVar[str] = "qdrant_rrf"
    _shown: ClassVar[frozenset[str]] = frozenset({"k"})

    def __post_init__(self) -> None:
        super().__post_init__()
        if type(self.k) is not int or self.k < 1:
            raise ConfigurationError(f"qdrant_rrf: k is {self.k!r}, expected an int >= 1")

    def contributions(self, ranking: Ranking) -> Sequence[float]:
        """1/(k + r − 1) for every rank r: the form without weight."""
        return Rrf(k=self.k - 1).contributions(ranking)

    def fuse(self, rankings: Sequence[Ranking], weights: Sequence[float]) -> Sequence[Shares]:
        """1/(r/w + k − 1), shown as w times 1/(r + w·(k − 1))."""
        shares = []
        for ranking, weight in zip(rankings, weights, strict=True):
            below = self.k - 1
            values = [1 / (rank / weight + below) for rank in range(1, len(ranking) + 1)]
            shares.append(
                Shares(
                    values=values,
                    normalized=[value / weight for value in values],
                    bound=1 / (1 / weight + below),
                )
            )
        return shares


@dataclass(frozen=True)
class QdrantDbsf(Preset):
    """Qdrant's DBSF: (s − (μ − 3σ))/6σ, sample σ, not clipped; 0.5 for one hit or equal scores.

    ``lib/segment/src/common/score_fusion.rs``. Legs are not weighted. A hit that a leg did not
    return gets 0 from it, also where the leg gives less to a hit far below its mean.
    """

    name: ClassVar[str] = "qdrant_dbsf"

    def recipe(self) -> Recipe:
        """Three sigma of a sample, added without weights."""
        return _QDRANT_DBSF


_QDRANT_DBSF = Recipe(ThreeSigma(shape="3sigma", ddof=1), "equal")
_RANX_NORMS: Mapping[str, Fusion] = {"min-max": MinMax(flat=0.0), "zmuv": ZeroMean(flat=0.0)}
_RANX_METHODS: Mapping[str, tuple[Weighting, Literal["sum", "mnz"]]] = {
    "wsum": ("given", "sum"),
    "sum": ("equal", "sum"),
    "mnz": ("equal", "mnz"),
}


@dataclass(frozen=True)
class Ranx(Preset):
    """ranx's ``fuse`` with a score method: CombSUM, CombMNZ or a weighted sum.

    ``ranx.fuse(runs, norm, method)``: equal scores count 0, and a hit that a run lacks counts 0,
    also under ``zmuv``, where that is the mean. Its ``rrf``, ``isr``, ``bordafuse`` and ``rbc`` are
    plait's ``Rrf``, ``Isr``, ``Borda`` and ``Rbc``.

    Args:
        method: ``"wsum"``, ``"sum"`` or ``"mnz"``; only the first takes weights.
        norm: ``"min-max"`` or ``"zmuv"`` (z-scores).
    """

    method: str = "wsum"
    norm: str = "min-max"
    name: ClassVar[str] = "ranx"
    _shown: ClassVar[frozenset[str]] = frozenset({"method", "norm"})

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_choice("ranx: method", self.method, _RANX_METHODS)
        _check_choice("ranx: norm", self.norm, _RANX_NORMS)

    def recipe(self) -> Recipe:
        """The recipe of the method, over the norm."""
        weighting, combine = _RANX_METHODS[self.method]
        return Recipe(_RANX_NORMS[self.norm], weighting, combine=combine)


def _check_choice(what: str, value: str, choices: Mapping[str, object]) -> None:
    if value not in choices:
        raise ConfigurationError(f"{what} is {value!r}, expected one of: {', '.join(choices)}")
