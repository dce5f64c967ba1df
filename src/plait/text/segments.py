"""Segments: a text cut into its positions, by plait's own rules or by a tokenizer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol, TypeAlias

from plait.errors import ConfigurationError
from plait.kernels.words import Rule
from plait.text.identifiers import terms_of
from plait.text.normalize import aligned, fold, normalize
from plait.text.words import characters, cutter

__all__ = [
    "Piece",
    "Segmenter",
    "TokenSegmenter",
    "Tokenizer",
    "WordSegmenter",
    "callable_name",
    "segmenter",
]

Tokenizer: TypeAlias = Callable[[str], list[str]]
Keep: TypeAlias = Callable[[str], bool]

_TOKENIZERS: Mapping[str, Tokenizer] = {"whitespace": str.split}


class Piece(NamedTuple):
    """One piece of a text.

    Attributes:
        text: A word, or a character of an unspaced run with its marks.
        start: Where it begins.
        end: Where it ends.
        unspaced: It is a character of an unspaced run.
        joined: It follows the piece before it in the same run.
    """

    text: str
    start: int
    end: int
    unspaced: bool = False
    joined: bool = False


class Segmenter(Protocol):
    """Cuts texts, and knows the terms of the words that come out."""

    @property
    def rule(self) -> Rule | None:
        """How compiled loops cut texts just so, None if they do not."""
        ...

    def split(self, text: str) -> tuple[list[str], list[str]]:
        """The words and the unspaced runs of a text, quickly."""
        ...

    def pieces(self, text: str) -> Iterator[Piece]:
        """The same in the order of the text, runs by character."""
        ...

    def located(self, text: str, keep: Keep | None = None) -> Iterator[Piece]:
        """The same with offsets in the original text; of words only those to keep."""
        ...

    def terms(self, word: str, *, accents: bool) -> tuple[str, ...]:
        """The folded terms of a word, the whole word first."""
        ...


class WordSegmenter:
    """plait's own rules: see ``plait.text.words``."""

    rule = Rule.WORDS

    def split(self, text: str) -> tuple[list[str], list[str]]:
        """The words and the unspaced runs of a text."""
        normal = normalize(text)
        patterns = cutter(normal)
        runs = [] if patterns.run is None else patterns.run.findall(normal)
        return patterns.word.findall(normal), runs

    def pieces(self, text: str) -> Iterator[Piece]:
        """The same in the order of the text, with offsets in the normalized text."""
        return self._pieces(normalize(text))

    def located(self, text: str, keep: Keep | None = None) -> Iterator[Piece]:
        """The same with offsets in the original text; of words only those to keep."""
        normal, origins = aligned(text)
        if origins is None:
            return self._pieces(normal, keep)
        return (
            Piece(text, origins[start], _origin_of_end(origins, end), unspaced, joined)
            for text, start, end, unspaced, joined in self._pieces(normal, keep)
        )

    def terms(self, word: str, *, accents: bool) -> tuple[str, ...]:
        """The word as a whole and in parts."""
        return terms_of(word, accents=accents)

    def _pieces(self, normal: str, keep: Keep | None = None) -> Iterator[Piece]:
        for match in cutter(normal).piece.finditer(normal):
            if match.lastgroup == "word":
                word = match[0]
                if keep is None or keep(word):
                    yield Piece(word, *match.span())
                continue
            start = match.start()
            for position, char in enumerate(characters(match[0])):
                end = start + len(char)
                yield Piece(char, start, end, unspaced=True, joined=position > 0)
                start = end


def _origin_of_end(origins: list[int], end: int) -> int:
    # One original character may have become several; a piece takes it whole.
    last = origins[end - 1]
    while origins[end] <= last:
        end += 1
    return origins[end]


class TokenSegmenter:
    """A tokenizer's rules: each token is a word, taken as a whole."""

    def __init__(self, tokenizer: Tokenizer, *, named: bool = False) -> None:
        self._tokenizer = tokenizer
        self._named = named  # one of plait's own, that gives pieces of the text
        self.rule = Rule.SPACES if tokenizer is str.split else None

    def split(self, text: str) -> tuple[list[str], list[str]]:
        """The normalized tokens, without blank ones; no runs."""
        tokens = self._tokens(text)
        if text.isascii() and self._named:  # as they are: none is blank, nothing to normalize
            return tokens, []
        normal = (normalize(token).strip() for token in tokens)
        return [token for token in normal if token], []

    def pieces(self, text: str) -> Iterator[Piece]:
        """The same; a tokenizer gives no offsets."""
        return (Piece(token, 0, 0) for token in self.split(text)[0])

    def located(self, text: str, keep: Keep | None = None) -> Iterator[Piece]:
        """The tokens that stand in the text as they are, one after the other, if to keep."""
        end = 0
        for token in self._tokens(text):
            start = text.find(token, end)
            normal = normalize(token).strip()
            if start >= 0 and normal:
                end = start + len(token)
                if keep is None or keep(normal):
                    yield Piece(normal, start, end)

    def terms(self, word: str, *, accents: bool) -> tuple[str, ...]:
        """The token."""
        return (fold(word, accents=accents),)

    def _tokens(self, text: str) -> list[str]:
        tokens = self._tokenizer(text)
        if self._named:
            return tokens
        if isinstance(tokens, list | tuple) and all(isinstance(token, str) for token in tokens):
            return list(tokens)
        raise ConfigurationError(
            f"tokenizer {callable_name(self._tokenizer)} returned {tokens!r:.60}, "
            "expected a list of str"
        )


def segmenter(tokenizer: Any) -> Segmenter:
    """The segmenter for a tokenizer: a callable, the name of one, or None for plait's own rules.

    Raises:
        ConfigurationError: Something else.
    """
    if tokenizer is None:
        return WordSegmenter()
    named = isinstance(tokenizer, str)
    if named and tokenizer in _TOKENIZERS:
        return TokenSegmenter(_TOKENIZERS[tokenizer], named=True)
    if callable(tokenizer):
        return TokenSegmenter(tokenizer)
    raise ConfigurationError(
        f"tokenizer is {tokenizer!r}, expected a callable from str to a list of str, "
        f"or one of {', '.join(_TOKENIZERS)}"
    )


def callable_name(function: object) -> str:
    """What a callable is called in messages and text forms.

    Example:
        >>> callable_name(str.split)
        'str.split'
    """
    name = getattr(function, "__qualname__", type(function).__qualname__)
    module = getattr(function, "__module__", None)
    return f"{module}.{name}" if module else name
