"""Sentences: where one ends, in many scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["SENTENCE_END", "sentences"]

# Possessive (*+, ++): what a run of marks took is not given back, so that a line of ten thousand
# dots is read once and not ten thousand times.
_CLOSING = r"[\"'”’»›)\]}」』）】》*_]*+"
SENTENCE_END = re.compile(
    # What ends a sentence by itself: Chinese, Japanese, Hindi, Arabic, Urdu, Ethiopic, Khmer,
    # Burmese, Tibetan, Armenian marks.
    rf"[。！？｡．।॥؟۔።፧។៕။།։]++{_CLOSING}"
    # What does if white space follows, and then no small letter; not an initial, as in J. Smith.
    rf"|(?<![.!?…])(?:(?<!\b[^\W\d_])\.|[!?…]|\.(?=[.!?…]))[.!?…]*+{_CLOSING}"
    r"(?=\s++(?![a-zà-öø-ÿа-я])|\s*+\Z)"
    # The end of a paragraph.
    r"|(?<=\S)(?=[^\S\n]*\n[^\S\n]*\n)"
)
"""The end of a sentence or of a paragraph; its end is where the next one may begin."""

_LINE_END = re.compile(r"\n+")
_ITEM = re.compile(r"\(?\d{1,3}[.)]")  # the number of a list item, which its text follows


def sentences(text: str) -> Iterator[tuple[int, int]]:
    r"""The sentences of a text; a line break ends one too, as in code and lists.

    Yields:
        (start, end) of each, without white space around it, none of them empty.

    Example:
        >>> text = "Cats sleep. Dogs bark!\n猫が寝る。犬が吠える"
        >>> [text[start:end] for start, end in sentences(text)]
        ['Cats sleep.', 'Dogs bark!', '猫が寝る。', '犬が吠える']
    """
    ends = {len(text)}
    for pattern in (SENTENCE_END, _LINE_END):
        ends.update(match.end() for match in pattern.finditer(text))
    start = 0
    for end in sorted(ends):
        piece = text[start:end]
        sentence = piece.strip()
        if text[end : end + 1] == " " and piece[-1:] != "\n" and _ITEM.fullmatch(sentence):
            continue
        if sentence:
            first = start + len(piece) - len(piece.lstrip())
            yield first, first + len(sentence)
        start = end
