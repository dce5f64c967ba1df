"""The space of a search: methods, windows and weights, and the candidates in it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from plait.errors import ConfigurationError
from plait.evaluation.frozen import check_count
from plait.evaluation.tuning.simplex import count_points, simplex
from plait.fusion import Fusion, parse_fusion

__all__ = ["Candidate", "Space"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to fuse.

    Args:
        fusion: The method or its text form.
        window: Candidates taken from each leg, >= 1.
        weights: One per leg, in the order of the legs; their scale means nothing.

    Raises:
        ConfigurationError: A fusion or a window that is none.
    """

    fusion: Fusion
    window: int
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        if isinstance(self.fusion, str):
            object.__setattr__(self, "fusion", parse_fusion(self.fusion))
        if not isinstance(self.fusion, Fusion):
            raise ConfigurationError(f"fusion is {self.fusion!r:.60}, expected a Fusion")
        check_count(self.window, "window")

    @property
    def shares(self) -> tuple[float, ...]:
        """The weights as parts of their sum."""
        total = math.fsum(self.weights)
        return tuple([weight / total for weight in self.weights])

    def to_dict(self, legs: Sequence[str]) -> dict[str, Any]:
        """JSON values, weights by leg name."""
        weights: Mapping[str, float] = dict(zip(legs, self.weights, strict=True))
        return {"fusion": str(self.fusion), "window": self.window, "weights": weights}


@dataclass(frozen=True)
class Space:
    """Which candidates are tried: every method with every window and every weighting.

    Args:
        methods: Fusions or their text forms; different parameters make different methods.
        windows: Candidates taken from each leg, each >= 1.
        steps: The weights are all splits of ``steps`` over the legs, divided by it, 0 and 1
            included: C(steps + legs − 1, legs − 1) of them.

    Raises:
        ConfigurationError: Nothing to try, something twice, a text form that is none, a window or
            steps out of range.

    Example:
        >>> space = Space(("rsf()", "rrf(k=60)"), windows=(50, 100), steps=2)
        >>> space.size(legs=2)
        12
        >>> space.candidates(legs=2)[1]
        Candidate(fusion=Rsf(absent=0.0, flat=None), window=50, weights=(0.5, 0.5))
    """

    methods: Sequence[Fusion | str]
    windows: Sequence[int] = (20, 50, 100, 200)
    steps: int = 10

    def __post_init__(self) -> None:
        if isinstance(self.methods, str):
            raise ConfigurationError(f"methods is {self.methods!r}, expected a list of fusions")
        fusions = [parse_fusion(m) if isinstance(m, str) else m for m in self.methods]
        for fusion in fusions:
            if not isinstance(fusion, Fusion):
                raise ConfigurationError(f"methods hold {fusion!r:.60}, expected fusions")
        for window in self.windows:
            check_count(window, "a window")
        count_points(1, self.steps)  # checks the steps
        for values, what in ((fusions, "methods"), (self.windows, "windows")):
            named = [str(value) for value in values]
            if not named or len(set(named)) < len(named):
                raise ConfigurationError(
                    f"{what} is {', '.join(named) or 'empty'}; expected at least one, each once"
                )
        object.__setattr__(self, "methods", tuple(fusions))
        object.__setattr__(self, "windows", tuple(self.windows))

    @classmethod
    def default(cls, legs: int, fetch_k: int) -> Self:
        """What is tried unless told otherwise.

        Score-based methods and RRF with three constants, windows of 20 to 200 within what was
        fetched, weights in steps of 0.1, of 0.2 for four legs and more.
        """
        windows = [window for window in (20, 50, 100, 200) if window < fetch_k]
        if fetch_k <= 200:
            windows.append(fetch_k)
        return cls(_METHODS, windows, steps=10 if legs <= 3 else 5)

    def size(self, legs: int) -> int:
        """How many candidates there are for so many legs."""
        return len(self.methods) * len(self.windows) * count_points(legs, self.steps)

    def candidates(self, legs: int) -> tuple[Candidate, ...]:
        """All of them: by method, then window, then weights."""
        points = simplex(legs, self.steps).tolist()
        weightings = [tuple([part / self.steps for part in point]) for point in points]
        return tuple(
            [
                Candidate(fusion, window, weights)
                for fusion in self.methods
                if isinstance(fusion, Fusion)
                for window in self.windows
                for weights in weightings
            ]
        )


_METHODS = (
    "rsf()",
    "auto()",
    "convex()",
    "dbsf()",
    'dbsf(shape="3sigma")',
    'zscore(absent="min")',
    "rrf(k=60)",
    "rrf(k=10)",
    "rrf(k=2)",
)
