"""Scale: which values an axis covers, and where on it a value stands."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Scale"]

_MARGIN = 4.0  # percent of the width left free at both ends, so that no mark is cut


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from ``low`` to ``high``, in percent of a width that is known only when shown.

    Attributes:
        low: Value at the left end, the first tick.
        high: Value at the right end, the last tick.
        ticks: Round values from ``low`` to ``high``, ascending, equally far apart.
        digits: Decimals that tell neighboring ticks apart.
    """

    low: float
    high: float
    ticks: tuple[float, ...]
    digits: int

    @classmethod
    def over(cls, values: Iterable[float], *, most: int = 6) -> Scale:
        """The tightest scale with at most ``most`` round ticks around all values.

        Round is 1, 2 or 5 times a power of ten. Values that are all equal stand in the middle of a
        scale of two steps; without values the scale is from 0 to 1.

        Example:
            >>> Scale.over([0.41, 0.58]).ticks
            (0.4, 0.45, 0.5, 0.55, 0.6)
        """
        finite = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
        low, high = min(finite), max(finite)
        if high - low < 1e-9 * max(1.0, abs(high)):
            spread = abs(high) * 0.1 or 0.1
            low, high = low - spread, high + spread
        exponent = math.floor(math.log10((high - low) / most))
        for power in (exponent, exponent + 1, exponent + 2):
            for factor in (1, 2, 5):
                step = factor * 10.0**power
                # Not to lose a step when a value is a tick but for its last bit.
                first = math.floor(low / step + 1e-9)
                last = math.ceil(high / step - 1e-9)
                if last - first < most:
                    digits = max(0, -power)
                    ticks = tuple(round(n * step, digits) + 0.0 for n in range(first, last + 1))
                    return cls(ticks[0], ticks[-1], ticks, digits)
        raise AssertionError("a step of ten times the range always fits")

    def percent(self, value: float) -> float:
        """Where a value stands, in percent of the width from the left."""
        inner = 100 - 2 * _MARGIN
        return _MARGIN + inner * (value - self.low) / (self.high - self.low)

    def label(self, tick: float) -> str:
        """A tick as text, as exact as the ticks are apart."""
        return f"{tick:.{self.digits}f}"
