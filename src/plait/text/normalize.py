"""Normalization: one form for texts that a reader takes for the same.

Two steps. ``normalize`` works on whole texts and keeps the case, which shows where the parts of
``getUserName`` begin; ``fold`` works on single words, where its cost is paid once a word.
"""

from __future__ import annotations

import functools
import re
import unicodedata

from plait.text.unicode_classes import MARK, MARK_ABOVE

__all__ = ["IGNORED", "aligned", "fold", "normalize"]

# Invisible or ornamental: soft hyphen, joiners and directions (not U+200B, which parts words),
# Arabic elongation, variation selectors, enclosing keycaps, and the signs that NFKC would glue to
# a name as the letters TM and SM.
IGNORED = (
    "\u00ad\u034f\u061c\u0640\u180b-\u180f\u200c-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f"
    "\u20dd-\u20e0\u20e2-\u20e4\u2120\u2122\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff"
)
_IGNORED = re.compile(f"[{IGNORED}]")
_DIGIT = re.compile(r"\d")
# Apostrophes and hyphens have look-alikes that NFKC keeps apart.
_SAME = str.maketrans({"’": "'", "ʼ": "'", "‐": "-", "‑": "-", "׳": "'"})
# Letters that are accented by their shape, so that no mark can be taken off.
_BARE = str.maketrans(
    {"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ŧ": "t", "ı": "i"}
    | {"æ": "ae", "œ": "oe", "þ": "th"}
)


def normalize(text: str) -> str:
    r"""The text in NFKC, without characters that do not show.

    Full-width forms, ligatures and composed or decomposed accents become one form.

    Example:
        >>> normalize("Ｅ１０４２ co\u00adoperate")
        'E1042 cooperate'
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _IGNORED.sub("", text))


def fold(word: str, *, accents: bool = False) -> str:
    """A normalized word without its case, and without its accents if asked.

    Unicode case folding (so ß is ss), then NFKC again, since folding may leave it. Digits of
    other scripts become ASCII, typographic apostrophes and hyphens too.

    Args:
        word: A word of a text that ``normalize`` returned.
        accents: Also take off accents: marks that stand above, below or through Latin, Greek and
            Cyrillic letters, and the points of Hebrew and Arabic. Marks that are letters of
            their own kind stay (Indic vowels, Thai tones, the voicing of kana).

    Example:
        >>> fold("STRASSE") == fold("Straße")
        True
        >>> fold("Café", accents=True)
        'cafe'
    """
    if word.isascii():
        return word.lower()
    folded = unicodedata.normalize("NFKC", word.casefold()).translate(_SAME)
    # Turkish İ folds to an i with a dot above; without a language it is taken for an i.
    folded = folded.replace("i\u0307", "i")
    folded = _DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), folded)
    return _without_accents(folded) if accents else folded


def _without_accents(word: str) -> str:
    bare = "".join(
        char
        for char in unicodedata.normalize("NFD", word)
        # Combining classes: 10 to 36 are Hebrew, Arabic and Syriac points, from 200 on attached
        # and surrounding accents; between and below are nuktas, viramas and tones.
        if not (10 <= (order := unicodedata.combining(char)) <= 36 or order >= 200)
    )
    return unicodedata.normalize("NFC", bare).translate(_BARE)


def aligned(text: str) -> tuple[str, list[int] | None]:
    """The normalized text, and where each of its characters comes from.

    Returns:
        The text as ``normalize`` gives it, but put together of characters with their marks, and
        the offset in ``text`` of each character's origin, with ``len(text)`` at the end. None
        instead of offsets where nothing changed, so that offsets are their own origin.

    Example:
        >>> aligned("ﬁt")
        ('fit', [0, 0, 1, 2])
    """
    if normalize(text) == text:
        return text, None
    pieces: list[str] = []
    origins: list[int] = []
    for cluster in _cluster().finditer(text):
        piece = normalize(cluster[0])
        pieces.append(piece)
        origins += [cluster.start()] * len(piece)
    origins.append(len(text))
    return "".join(pieces), origins


@functools.cache
def _cluster() -> re.Pattern[str]:
    """A character with all that can merge with it under NFKC.

    That is marks, the vowels and finals of Hangul letters, and half-width voiced sound marks.
    Compiled when first used: it takes milliseconds, as all patterns with classes of Unicode.
    """
    return re.compile(f"(?s:.)[{MARK}{MARK_ABOVE}\u1160-\u11ff\uff9e\uff9f]*")
