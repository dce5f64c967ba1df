"""Analyzer: how a text becomes the terms that are indexed and asked for."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, zip_longest
from typing import NamedTuple

from plait.errors import ConfigurationError
from plait.spec import format_spec, parse_spec
from plait.text.counting import Counting, TermRows
from plait.text.language import Stemmer, language_code, stop_words
from plait.text.normalize import fold
from plait.text.segments import Segmenter, Tokenizer, callable_name, segmenter
from plait.text.words import JOINERS, bigrams, characters

__all__ = ["Analysis", "Analyzer", "Span", "Tokenizer"]

_NOT_A_LETTER = re.compile(rf"[\d+#{JOINERS}]")
_CALLABLE = "callable:"
_PARAMETERS = frozenset({"language", "fold_accents", "tokenizer"})
_HINT = "such as \"analyzer(language='en')\""
_CACHED_WORDS = 1 << 17
_CACHED_LENGTH = 64
# Text of many kinds, so that analyzers which differ differ here.
_SAMPLE = """The user's Running shoes, 3.5 of them, weren't state-of-the-art: error E-1042 in
getUserName (snake_case, v1.2.3, C++, node.js). Die Straßen in KÖLN waren nicht größer. Où est la
bibliothèque naïve? ¿Dónde están los niños? Книги были интересными. كتب المدرسة हिन्दी की किताबें
申请退款流程 東京タワーへ 서울은 ภาษาไทย 𠮷野家 Ｅ１０４２ can\u2019t co\u00adoperate"""


class Analysis(NamedTuple):
    """The terms of a text.

    Attributes:
        terms: How often each term occurs: the number of positions that have it.
        length: Number of positions: words, and characters of unspaced runs.
    """

    terms: Mapping[str, int]
    length: int


class Span(NamedTuple):
    """A place in a text, ``text[start:end]``, and the terms that stand there."""

    start: int
    end: int
    terms: tuple[str, ...]


@dataclass(frozen=True)
class Analyzer:
    """How a text becomes terms: one object for what is indexed and for what is asked.

    A text is normalized (NFKC, case folding) and cut into positions. At each position stand one
    or more terms, and each position counts once in the length:

    ======================  ==========================================  =======================
    position                terms when indexed                          terms when asked
    ======================  ==========================================  =======================
    word ``Straße``         ``strasse``                                 the same
    ``getUserName``         ``getusername get user name``               the same
    ``E-1042``, ``E1042``   ``e1042 e 1042``                            ``e1042 1042``
    ``v1.2.3``              ``v1.2.3 v 1.2.3``                          ``v1.2.3 1.2.3``
    ``C++``                 ``c++ c``                                   ``c++``
    characters of ``申请``  ``申`` and ``申请``, ``请``                 ``申请``
    character ``申`` alone  ``申``                                      ``申``
    ======================  ==========================================  =======================

    The parts of an identifier that are one character long are not asked for: ``E-9999`` is not
    about ``E-1042``. Characters stand for words in Chinese, Japanese, Korean, Thai, Lao, Khmer and
    Burmese text. With a language, terms made of letters are stemmed, and stop words are dropped
    from queries only; a query of nothing else keeps them.

    An analyzer may be shared by any number of threads.

    Args:
        language: Code or English name of a language (``plait.text.LANGUAGES``), for stemming and
            stop words; needs the extra ``language``. None for neither.
        fold_accents: Take accents for nothing: ``café`` finds ``cafe``.
        tokenizer: Cuts texts instead: a callable from a text to a list of str, or the name
            ``"whitespace"``. Its tokens are the positions: they are folded, and stemmed with a
            language, but not taken apart; blank ones are dropped.

    Raises:
        ConfigurationError: An unknown language or tokenizer; when used, a tokenizer that does not
            give a list of str.
        MissingDependencyError: A language without the extra.

    Example:
        >>> analyzer = Analyzer()
        >>> sorted(analyzer.analyze("Error E1042.").terms)
        ['1042', 'e', 'e1042', 'error']
        >>> analyzer.query_terms("E1042 退款")
        ('e1042', '1042', '退款')
    """

    language: str | None = None
    fold_accents: bool = False
    tokenizer: Tokenizer | str | None = None
    _segmenter: Segmenter = field(init=False, repr=False, compare=False)
    _stem: Stemmer | None = field(init=False, repr=False, compare=False)
    _stop_words: frozenset[str] = field(init=False, repr=False, compare=False)
    _indexed: _TermsByWord = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.fold_accents, bool):
            raise ConfigurationError(f"fold_accents is {self.fold_accents!r}, expected a bool")
        code = None if self.language is None else language_code(self.language)
        stops = frozenset() if code is None else stop_words(code)
        derived = {
            "language": code,
            "_segmenter": segmenter(self.tokenizer),
            "_stem": None if code is None else Stemmer(code),
            "_stop_words": frozenset(fold(word, accents=self.fold_accents) for word in stops),
            "_indexed": _TermsByWord(self._index_terms if code else self._whole_and_parts),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.language, self.fold_accents, self.tokenizer))

    def analyze(self, text: str) -> Analysis:
        """The terms of a text to index; none for a blank one.

        Raises:
            ConfigurationError: The tokenizer does not give a list of str.
        """
        words, runs = self._segmenter.split(text)
        # Counted in C throughout, but for a word that is not in the cache.
        terms = Counter(chain.from_iterable(map(self._indexed.__getitem__, words)))
        length = len(words)
        for run in map(characters, runs):
            terms.update(run)
            terms.update(bigrams(run))
            length += len(run)
        return Analysis(terms, length)

    def count(self, texts: Iterable[str]) -> TermRows:
        """The terms of texts to index, as ``analyze`` gives them, many times faster for many.

        Raises:
            ConfigurationError: The tokenizer does not give a list of str.

        Example:
            >>> rows = Analyzer().count(["cats and cats", "dogs"])
            >>> rows.terms, rows.tf.tolist(), rows.lengths.tolist()
            (('cats', 'and', 'dogs'), [2, 1, 1], [3, 1])
        """
        counting = self.counting()
        counting.add(texts)
        return counting.rows()

    def counting(self) -> Counting:
        """Counts texts that come one after the other, as ``count`` does those that are there.

        Example:
            >>> counting = Analyzer().counting()
            >>> counting.add(["cats and cats"])
            >>> counting.add(["dogs"])
            >>> counting.rows().lengths.tolist()
            [3, 1]
        """
        return Counting(self._segmenter, self._indexed.__getitem__)

    def query_terms(self, text: str) -> tuple[str, ...]:
        """The terms to ask for, in the order of the text; one that is repeated comes again.

        Empty if the text has no word.

        Example:
            >>> Analyzer().query_terms("to be or not to be")
            ('to', 'be', 'or', 'not', 'to', 'be')
        """
        everything: list[str] = []
        telling: list[str] = []
        pieces = list(self._segmenter.pieces(text))
        for piece, following in zip_longest(pieces, pieces[1:]):
            if not piece.unspaced:
                terms = self._asked(piece.text)
            elif following is not None and following.joined:
                terms = (piece.text + following.text,)
            else:
                terms = () if piece.joined else (piece.text,)
            everything += terms
            if self._fold(piece.text) not in self._stop_words:
                telling += terms
        return tuple(telling or everything)

    def spans(self, text: str, wanted: AbstractSet[str] | None = None) -> Iterator[Span]:
        """Where terms stand in a text, for marking them.

        A span for each position, and one more for each two neighbors of an unspaced run. Offsets
        are those of the text as given, also where normalization changes its length.

        Args:
            text: The text.
            wanted: Only spans with one of these terms; None for all.

        Example:
            >>> text = "see «Ｅ１０４２»."
            >>> [text[start:end] for start, end, terms in Analyzer().spans(text)]
            ['see', 'Ｅ１０４２']
        """
        keep = None
        if wanted is not None:
            indexed, apart = self._indexed, wanted.isdisjoint

            def keep(word: str) -> bool:
                return not apart(indexed[word])

        before = None
        for piece in self._segmenter.located(text, keep):
            if not piece.unspaced:
                yield Span(piece.start, piece.end, self._indexed[piece.text])
            else:
                if piece.joined and before is not None:
                    pair = before.text + piece.text
                    if wanted is None or pair in wanted:
                        yield Span(before.start, piece.end, (pair,))
                if wanted is None or piece.text in wanted:
                    yield Span(piece.start, piece.end, (piece.text,))
            before = piece

    @cached_property
    def fingerprint(self) -> str:
        """A digest of what the analyzer makes of a sample text.

        Analyzers with the same fingerprint may be taken for the same. It tells one callable from
        another, and a stemmer from a later version of it that stems differently.
        """
        terms, length = self.analyze(_SAMPLE)
        made = [sorted(terms.items()), length, self.query_terms(_SAMPLE)]
        return hashlib.sha256(json.dumps(made).encode()).hexdigest()

    def __str__(self) -> str:
        """The text form, which ``parse`` reads back: ``analyzer(language='en')``."""
        parameters: dict[str, object] = {}
        if self.language is not None:
            parameters["language"] = self.language
        if self.fold_accents:
            parameters["fold_accents"] = True
        if isinstance(self.tokenizer, str):
            parameters["tokenizer"] = self.tokenizer
        elif self.tokenizer is not None:
            parameters["tokenizer"] = _CALLABLE + callable_name(self.tokenizer)
        return format_spec("analyzer", **parameters)

    @classmethod
    def parse(cls, text: str, *, tokenizer: Tokenizer | None = None) -> Analyzer:
        """The analyzer of a text form.

        Args:
            text: What ``str(analyzer)`` gave.
            tokenizer: The callable, if the text form names one, since code cannot be stored.

        Raises:
            ConfigurationError: Not the text form of an analyzer, one that names a callable which
                is not given, or a callable where it names none.

        Example:
            >>> Analyzer.parse("analyzer(language='de', fold_accents=True)")
            Analyzer(language='de', fold_accents=True, tokenizer=None)
        """
        name, parameters = parse_spec(text, "analyzer", hint=_HINT)
        if name != "analyzer" or not _PARAMETERS.issuperset(parameters):
            raise ConfigurationError(
                f"analyzer {text!r} is unknown, expected analyzer or analyzer(...) with "
                f"{', '.join(sorted(_PARAMETERS))}, {_HINT}"
            )
        named = parameters.get("tokenizer")
        needed = isinstance(named, str) and named.startswith(_CALLABLE)
        if needed and tokenizer is None:
            raise ConfigurationError(
                f"{text} was made with a callable, which cannot be stored; "
                "pass it again as tokenizer="
            )
        if tokenizer is not None and not needed:
            raise ConfigurationError(
                f"tokenizer={callable_name(tokenizer)} was given for {text}, which names none"
            )
        if needed:
            parameters["tokenizer"] = tokenizer
        return cls(**parameters)

    def _fold(self, word: str) -> str:
        return fold(word, accents=self.fold_accents)

    def _whole_and_parts(self, word: str) -> tuple[str, ...]:
        return self._segmenter.terms(word, accents=self.fold_accents)

    def _index_terms(self, word: str) -> tuple[str, ...]:
        return self._stemmed(self._whole_and_parts(word))

    def _asked(self, word: str) -> tuple[str, ...]:
        whole, *parts = self._whole_and_parts(word)
        asked = (part for part in parts if len(part) > 1 and part not in self._stop_words)
        return self._stemmed((whole, *asked))

    def _stemmed(self, terms: tuple[str, ...]) -> tuple[str, ...]:
        if self._stem is None:
            return terms
        of_other = _NOT_A_LETTER.search
        stems = [t if not t.isalpha() and of_other(t) else self._stem(t) for t in terms]
        return tuple(stems if len(stems) == 1 else dict.fromkeys(stems))


class _TermsByWord(dict[str, tuple[str, ...]]):
    """The terms of words, worked out when first asked for; forgets them all when full."""

    def __init__(self, terms_of: Callable[[str], tuple[str, ...]]) -> None:
        super().__init__()
        self._terms_of = terms_of

    def __missing__(self, word: str) -> tuple[str, ...]:
        terms = self._terms_of(word)
        if len(word) <= _CACHED_LENGTH:
            if len(self) >= _CACHED_WORDS:
                self.clear()
            self[word] = terms
        return terms
