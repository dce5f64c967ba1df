"""Measures by name: ``nDCG@10``, ``R@100``, ``RR@10``, ``AP``, ..."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from plait.errors import ConfigurationError

__all__ = ["DEFAULT_MEASURES", "Measure", "parse_measure", "parse_measures"]

DEFAULT_MEASURES = ("nDCG@10", "R@100", "RR@10")

# Whether a measure stands with @k: always, or as one likes.
_ALWAYS, _OPTIONAL = True, False
_KINDS = {
    "nDCG": _OPTIONAL,
    "R": _ALWAYS,
    "P": _ALWAYS,
    "RR": _OPTIONAL,
    "AP": _OPTIONAL,
    "Success": _ALWAYS,
    "Judged": _ALWAYS,
}
_BY_LOWER = {kind.lower(): kind for kind in _KINDS}
_FORM = re.compile(r"([A-Za-z]+)(?:@([1-9][0-9]{0,5}))?")
_LIST = "nDCG, nDCG@k, R@k, P@k, RR, RR@k, AP, AP@k, Success@k, Judged@k, with k from 1 to 999999"


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure; ``str`` gives its name.

    - ``nDCG``: discounted cumulative gain by that of the best possible ranking of what was judged
      (Järvelin, Kekäläinen 2002); the gain is the grade, the discount 1/log2(rank + 1).
    - ``R``, ``P``: the share of all relevant documents, of the first k, that is found and relevant.
    - ``RR``: 1/rank of the first relevant document, 0 if there is none.
    - ``AP``: the mean of the precision at each relevant document.
    - ``Success``: 1 if there is a relevant document.
    - ``Judged``: the share of what was returned that has a judgment.

    Attributes:
        kind: Which one.
        cutoff: Looks at so many results only, None for all.
    """

    kind: str
    cutoff: int | None = None

    def __str__(self) -> str:
        return self.kind if self.cutoff is None else f"{self.kind}@{self.cutoff}"


def parse_measure(text: str) -> Measure:
    """The measure with this name, in upper or lower case.

    Raises:
        ConfigurationError: There is none; the message lists what there is.

    Example:
        >>> parse_measure("ndcg@10")
        Measure(kind='nDCG', cutoff=10)
    """
    form = _FORM.fullmatch(text.strip()) if isinstance(text, str) else None
    kind = _BY_LOWER.get(form[1].lower()) if form else None
    if form is None or kind is None or (_KINDS[kind] is _ALWAYS and form[2] is None):
        raise ConfigurationError(f"unknown measure {text!r:.60}; there are {_LIST}")
    return Measure(kind, int(form[2]) if form[2] else None)


def parse_measures(measures: Iterable[str]) -> tuple[Measure, ...]:
    """Several, each once.

    Raises:
        ConfigurationError: None at all, one text instead of several, an unknown one.

    Example:
        >>> [str(measure) for measure in parse_measures(["AP", "p@5", "AP"])]
        ['AP', 'P@5']
    """
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        raise ConfigurationError(
            f"measures is {measures!r:.60}, expected several: put one in a list"
        )
    parsed = tuple(dict.fromkeys(parse_measure(measure) for measure in measures))
    if not parsed:
        raise ConfigurationError(f"no measure given; there are {_LIST}")
    return parsed
