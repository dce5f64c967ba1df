"""BM25: its parameters, its variants, and the arithmetic of one term."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from numbers import Real
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.errors import ConfigurationError
from plait.kernels.postings import Formula
from plait.kernels.terms import FORMULAS

__all__ = ["VARIANTS", "Bm25", "Doubles"]

Doubles: TypeAlias = NDArray[np.float64]

# Far past any use, and far from where a score would no longer fit float32.
_LARGEST = 1e6
_ENDLESS = 1e200


class Variant(NamedTuple):
    """One published form of BM25.

    Attributes:
        idf: The weight of a term, from n and N: n of N chunks have it.
        formula: The share of the term's frequency, as a place in ``plait.kernels.terms.FORMULAS``.
        nonnegative: No score is below 0.
        delta: Default of delta; None if the variant has none.
        epsilon: Default of epsilon; None if the variant has none.
    """

    idf: Callable[[int, int], float]
    formula: int
    nonnegative: bool = True
    delta: float | None = None
    epsilon: float | None = None


_SATURATED, _SCALED, _LIFTED, _SHIFTED = range(len(FORMULAS))

# math.log, not NumPy's: every kernel and platform has the same one, whatever its vectors.
VARIANTS: Mapping[str, Variant] = MappingProxyType(
    {
        "lucene": Variant(
            lambda n, total: math.log(1.0 + (total - n + 0.5) / (n + 0.5)), _SATURATED
        ),
        "robertson": Variant(
            lambda n, total: math.log((total - n + 0.5) / (n + 0.5)), _SATURATED, nonnegative=False
        ),
        "atire": Variant(lambda n, total: math.log(total / n), _SCALED),
        "bm25l": Variant(lambda n, total: math.log((total + 1.0) / (n + 0.5)), _SHIFTED, delta=0.5),
        "bm25plus": Variant(lambda n, total: math.log((total + 1.0) / n), _LIFTED, delta=1.0),
        "okapi": Variant(
            lambda n, total: math.log(total - n + 0.5) - math.log(n + 0.5),
            _SCALED,
            nonnegative=False,
            epsilon=0.25,
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Bm25:
    """Parameters of BM25, and the score of one term.

    A chunk's score is the sum over the terms it shares with the query, in the order in which the
    query first has them, of (times in the query) * idf * frequency, with tf times in the chunk and
    norm = 1 - b + b * length / (mean length):

    ==============  ==================================  =============================  ===========
    variant         idf (n of N chunks have the term)   frequency                      scores
    ==============  ==================================  =============================  ===========
    ``lucene``      ln(1 + (N - n + 0.5)/(n + 0.5))     tf/(tf + k1 norm)              > 0
    ``robertson``   ln((N - n + 0.5)/(n + 0.5))         tf/(tf + k1 norm)              any sign
    ``atire``       ln(N/n)                             (k1 + 1) tf/(tf + k1 norm)     >= 0
    ``bm25l``       ln((N + 1)/(n + 0.5))               (k1 + 1)(c + delta)/(k1 + c    > 0
                                                        + delta), c = tf/norm
    ``bm25plus``    ln((N + 1)/n)                       delta + that of atire          > 0
    ``okapi``       ln(N - n + 0.5) - ln(n + 0.5), if   that of atire                  any sign
                    negative epsilon * mean idf
    ==============  ==================================  =============================  ===========

    Sources: S. Robertson and H. Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond,
    2009 (robertson); Lucene's BM25Similarity (lucene); A. Trotman, X. Jia and M. Crane, Towards an
    Efficient and Effective Search Engine, 2012 (atire); Y. Lv and C. Zhai, When Documents Are Very
    Long, BM25 Fails!, 2011 (bm25l) and Lower-Bounding Term Frequency Normalization, 2011
    (bm25plus); C. Kamphuis et al., Which BM25 Do You Mean?, 2020 compares them. ``okapi`` is the
    form of the package rank_bm25, where the mean is over the terms of the collection.

    As in the papers, bm25l and bm25plus add nothing for query terms that a chunk does not have.

    Args:
        k1: How slowly repetition saturates, 0 to 1,000,000; 0 counts presence only.
        b: How much length counts, 0 to 1.
        variant: One of the names above.
        delta: Lower bound of a term's frequency, up to the same; for bm25l (0.5) and bm25plus (1)
            only.
        epsilon: Share of the mean idf for very common terms, up to the same; for okapi (0.25) only.

    Raises:
        ConfigurationError: An unknown variant, a parameter that is out of range, not a number, or
            not the variant's.

    Example:
        >>> Bm25().idf(1, 2) == math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
        True
        >>> Bm25(variant="bm25l").delta
        0.5
    """

    k1: float = 1.5
    b: float = 0.75
    variant: str = "lucene"
    delta: float | None = None
    epsilon: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.variant, str) or self.variant not in VARIANTS:
            raise ConfigurationError(
                f"variant is {self.variant!r}, expected one of {', '.join(VARIANTS)}"
            )
        variant = VARIANTS[self.variant]
        checked = {"k1": _number("k1", self.k1), "b": _number("b", self.b, highest=1.0)}
        for name, default in (("delta", variant.delta), ("epsilon", variant.epsilon)):
            value = getattr(self, name)
            if default is not None:
                checked[name] = _number(name, default if value is None else value)
            elif value is not None:
                raise ConfigurationError(
                    f"{name} is {value!r}, but variant {self.variant!r} has no {name}; leave it out"
                )
        for name, number in checked.items():
            object.__setattr__(self, name, number)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that count, as JSON values."""
        given = {"variant": self.variant, "k1": self.k1, "b": self.b}
        optional = {"delta": self.delta, "epsilon": self.epsilon}
        return given | {name: value for name, value in optional.items() if value is not None}

    @property
    def score_range(self) -> tuple[float | None, float | None]:
        """The theoretical range: (0, None), or (None, None) where scores may be negative."""
        return (0.0, None) if VARIANTS[self.variant].nonnegative else (None, None)

    @property
    def needs_mean_idf(self) -> bool:
        """Whether ``idf`` reads ``mean``."""
        return self.epsilon is not None

    @property
    def peak(self) -> float:
        """What ``frequency`` comes up to for a term that a text has without end."""
        return _peak(self)

    @property
    def kernel(self) -> Formula:
        """How tf and length become a share, as loops take it."""
        return Formula(VARIANTS[self.variant].formula, self.k1, self.b, self.delta or 0.0)

    def idf(self, n: int, total: int, mean: float = 0.0) -> float:
        """The weight of a term.

        Args:
            n: How many chunks have the term, >= 1.
            total: How many chunks there are.
            mean: What ``mean_idf`` gives; read by okapi only.
        """
        weight = VARIANTS[self.variant].idf(n, total)
        if self.epsilon is not None and weight < 0.0:
            return self.epsilon * mean
        return weight

    def mean_idf(self, sizes: Mapping[int, int], total: int) -> float:
        """The mean of the idf over all terms of a collection, before okapi's floor.

        Args:
            sizes: How many terms are in n chunks, by n >= 1.
            total: How many chunks there are.

        Returns:
            The mean, exactly rounded, so that no order of the terms shows; 0 without terms.
        """
        idf = VARIANTS[self.variant].idf
        terms = sum(sizes.values())
        return math.fsum(count * idf(n, total) for n, count in sizes.items()) / max(terms, 1)

    def frequency(self, tf: NDArray[np.int32], relative: Doubles) -> Doubles:
        """The share of the frequency, for each chunk that has the term.

        Args:
            tf: Times in each chunk, >= 1, shape (n,).
            relative: Each chunk's length over the mean length, > 0, shape (n,).

        Returns:
            Shape (n,), float64.
        """
        norm = (1.0 - self.b) + self.b * relative
        return self._share(tf.astype(np.float64), norm)

    def _share(self, tf: Doubles, norm: Doubles) -> Doubles:
        kind, k1, _, delta = self.kernel
        return FORMULAS[kind](tf, norm, k1, delta)


@lru_cache(maxsize=64)
def _peak(bm25: Bm25) -> float:
    kind, k1, _, delta = bm25.kernel
    return float(FORMULAS[kind](np.array([_ENDLESS]), np.ones(1), k1, delta)[0])


def _number(name: str, value: Any, highest: float = _LARGEST) -> float:
    real = isinstance(value, Real) and not isinstance(value, bool)
    if real and 0.0 <= value <= highest:  # false for NaN
        return float(value)
    raise ConfigurationError(f"{name} is {value!r:.60}, expected a number from 0 to {highest:.0f}")
