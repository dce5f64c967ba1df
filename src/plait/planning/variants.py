"""Which texts are worth searching, and which variants are one and the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from plait.text.normalize import fold, normalize
from plait.types import Variant

__all__ = ["Usable", "merged", "same_text", "usable_texts"]

# What a model says instead of an answer. Users say "I can't" too: "I can't log in" is none.
_REFUSAL = re.compile(
    r"(?:i['’]?m|i am) sorry\b|sorry, (?:but )?i\b|as an ai\b|"
    r"i (?:can(?:['’]t|not| not)|am unable to|am not able to|won['’]t) "
    r"(?:help|assist|answer|provide|comply|fulfil|do that)|"
    r"(?:none|n/a|null|no (?:queries|questions|answer))\W*$",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w")


def same_text(text: str) -> str:
    """A form that is equal for texts which are searched alike: NFKC, case folded, single blanks.

    Example:
        >>> same_text("Ｅ１０４２  Closed") == same_text("e1042 closed")
        True
    """
    return " ".join(map(fold, normalize(text).split()))


@dataclass(frozen=True, slots=True)
class Usable:
    """What is left of a model's texts.

    Attributes:
        texts: Those worth searching, in their order, all different.
        dropped: How many were not, by the reason.
        repeats: Whether the question itself was among them.
    """

    texts: tuple[str, ...]
    dropped: tuple[str, ...]
    repeats: bool


def usable_texts(texts: Iterable[str], question: str, *, longest: int, most: int) -> Usable:
    """The texts that are worth searching beside the question.

    Left out are: the question itself, what was there before, refusals, texts without any letter
    or digit, texts that are too long, and what is more than was asked for.

    Args:
        texts: What a model wrote, each in one line.
        question: The question.
        longest: Characters that a text may have; a question that is itself longer may be
            answered with twice its length.
        most: How many texts are kept.

    Example:
        >>> usable_texts(["End my plan", "END my plan", "?"], "cancel", longest=500, most=3)
        Usable(texts=('End my plan',), dropped=('1 repeated', '1 without words'), repeats=False)
    """
    limit = max(longest, 2 * len(question))
    asked = same_text(question)
    kept: dict[str, str] = {}
    dropped: Counter[str] = Counter()
    repeats = False
    for text in texts:
        form = same_text(text)
        if not _WORD.search(text):
            dropped["without words"] += 1
        elif form == asked:
            repeats = True
        elif _REFUSAL.match(text):
            dropped["a refusal"] += 1
        elif len(text) > limit:
            dropped[f"longer than {limit:,} characters"] += 1
        elif form in kept:
            dropped["repeated"] += 1
        elif len(kept) == most:
            dropped["beyond the number asked for"] += 1
        else:
            kept[form] = text
    said = tuple(f"{count} {reason}" for reason, count in dropped.items())
    return Usable(tuple(kept.values()), said, repeats)


def merged(variants: Sequence[Variant]) -> tuple[Variant, ...]:
    """The variants, those that would be searched alike made one, their weights added.

    Alike are variants for the same legs with the same text by ``same_text``, if the later one has
    no embedding of its own. The first one's name and query stay.

    Example:
        >>> from plait.types import Query
        >>> question, again = Variant(Query("Why?")), Variant(Query("why?"), 0.5, name="rewrite")
        >>> [(variant.name, variant.weight) for variant in merged([question, again])]
        [('original', 1.5)]
    """
    kept: list[Variant] = []
    places: dict[tuple[str, str], int] = {}
    for variant in variants:
        text = variant.query.text
        key = (variant.legs, same_text(text or ""))
        place = places.get(key)
        if place is not None and text is not None and variant.query.embedding is None:
            first = kept[place]
            kept[place] = replace(first, weight=first.weight + variant.weight)
            continue
        if text is not None:
            places.setdefault(key, len(kept))
        kept.append(variant)
    return tuple(kept)
