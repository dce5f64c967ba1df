"""Numbers as a reader sees them, the same in every form of a report."""

from __future__ import annotations

__all__ = ["interval", "number", "p_value", "signed"]

_DIGITS = 3


def number(value: float) -> str:
    """A mean or a value of a topic.

    Example:
        >>> number(0.71236)
        '0.712'
    """
    return f"{_rounded(value):.{_DIGITS}f}"


def signed(value: float) -> str:
    """A difference, with its sign.

    Example:
        >>> signed(0.0312), signed(-0.0001)
        ('+0.031', '+0.000')
    """
    return f"{_rounded(value):+.{_DIGITS}f}"


def interval(low: float, high: float, *, sign: bool = False) -> str:
    """The two ends of an interval.

    Example:
        >>> interval(0.68, 0.741)
        '0.680 to 0.741'
    """
    shown = signed if sign else number
    return f"{shown(low)} to {shown(high)}"


def p_value(p: float) -> str:
    """A p-value; a smaller one than can be read off the digits is said to be smaller.

    Example:
        >>> p_value(0.0123), p_value(0.0001)
        ('0.012', '<0.001')
    """
    return f"<{10**-_DIGITS:g}" if p < 10**-_DIGITS else f"{p:.{_DIGITS}f}"


def _rounded(value: float) -> float:
    return round(value, _DIGITS) + 0.0  # -0.0 becomes 0.0
