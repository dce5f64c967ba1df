"""Ints of any size as texts in the same order, for those that no float equals."""

from __future__ import annotations

__all__ = ["from_text", "has_float", "to_text"]

_DIGITS = "0123456789abcdef"
_TURNED = str.maketrans(_DIGITS, _DIGITS[::-1])


def has_float(value: float) -> bool:
    """Whether a float has exactly this value, as it has that of every int up to 2^53."""
    try:
        return float(value) == value
    except OverflowError:
        return False


def to_text(value: int) -> str:
    """A text that is less than that of every greater int.

    It is the sign, how many hexadecimal digits there are, and these, all of them but the sign
    turned around if the int is negative.

    Example:
        >>> to_text(255), to_text(-255)
        ('+00000002ff', '!fffffffd00')
        >>> sorted([-(2**70), -3, 0, 9, 2**70], key=to_text) == [-(2**70), -3, 0, 9, 2**70]
        True
    """
    digits = f"{abs(value):x}"
    text = f"{len(digits):08x}{digits}"
    return f"+{text}" if value >= 0 else f"!{text.translate(_TURNED)}"


def from_text(text: str) -> int:
    """The int that a text was made of.

    Example:
        >>> from_text(to_text(-(2**70))) == -(2**70)
        True
    """
    if text[0] == "+":
        return int(text[9:], 16)
    return -int(text[9:].translate(_TURNED), 16)
