"""What a language adds to an analyzer: a stemmer and a list of stop words.

Stemming is Snowball's (PyStemmer), the lists come from the ``stop-words`` package, except for
English. Both packages belong to the extra ``language`` and are imported when first used.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from plait.errors import ConfigurationError, MissingDependencyError
from plait.text.normalize import fold, normalize
from plait.text.words import cutter

__all__ = ["LANGUAGES", "Stemmer", "language_code", "stop_words"]


class Language(NamedTuple):
    """Where a language's parts come from: names in PyStemmer and in stop-words, None for none."""

    name: str
    stemmer: str | None
    stop_words: str | None


# Chinese, Japanese, Korean, Thai and their like are absent: bigrams need neither stems nor stop
# words. So are languages whose list in stop-words is not usable (Greek: of the ancient language;
# Vietnamese, Gujarati: full of content words) and that have no stemmer either.
LANGUAGES: Mapping[str, Language] = MappingProxyType(
    {
        "ar": Language("arabic", "arabic", "arabic"),
        "bg": Language("bulgarian", None, "bulgarian"),
        "ca": Language("catalan", "catalan", "catalan"),
        "cs": Language("czech", "czech", "czech"),
        "da": Language("danish", "danish", "danish"),
        "de": Language("german", "german", "german"),
        "el": Language("greek", "greek", None),
        "en": Language("english", "english", None),
        "eo": Language("esperanto", "esperanto", None),
        "es": Language("spanish", "spanish", "spanish"),
        "et": Language("estonian", "estonian", None),
        "eu": Language("basque", "basque", None),
        "fa": Language("persian", "persian", "persian"),
        "fi": Language("finnish", "finnish", "finnish"),
        "fr": Language("french", "french", "french"),
        "ga": Language("irish", "irish", None),
        "he": Language("hebrew", None, "hebrew"),
        "hi": Language("hindi", "hindi", "hindi"),
        "hu": Language("hungarian", "hungarian", "hungarian"),
        "hy": Language("armenian", "armenian", None),
        "id": Language("indonesian", "indonesian", "indonesian"),
        "it": Language("italian", "italian", "italian"),
        "lt": Language("lithuanian", "lithuanian", None),
        "ne": Language("nepali", "nepali", None),
        "nl": Language("dutch", "dutch", "dutch"),
        "no": Language("norwegian", "norwegian", "norwegian"),
        "pl": Language("polish", "polish", "polish"),
        "pt": Language("portuguese", "portuguese", "portuguese"),
        "ro": Language("romanian", "romanian", "romanian"),
        "ru": Language("russian", "russian", "russian"),
        "sk": Language("slovak", None, "slovak"),
        "sr": Language("serbian", "serbian", None),
        "sv": Language("swedish", "swedish", "swedish"),
        "ta": Language("tamil", "tamil", None),
        "tr": Language("turkish", "turkish", "turkish"),
        "uk": Language("ukrainian", None, "ukrainian"),
        "yi": Language("yiddish", "yiddish", None),
    }
)

# The closed classes of English. The list in stop-words counts 1,333 and would drop "computer",
# "http", "index", "shell" and "test" from a query.
_ENGLISH = """
a about above across after again against all along also although always am among an and another any
anybody anyone anything are aren't around as at be because been before behind being below beneath
beside besides between beyond both but by can can't cannot could couldn't did didn't do does
doesn't doing don't down during each either else even ever every everybody everyone everything
except few for from further had hadn't has hasn't have haven't having he he'd he'll he's her here
hers herself him himself his how i i'd i'll i'm i've if in into is isn't it it'll it's its itself
just may me might mine more most much must mustn't my myself neither no nobody none nor not nothing
of off on once only onto or other others our ours ourselves out over own per quite rather same
shall shan't she she'd she'll she's should shouldn't since so some somebody someone something such
than that that's the their theirs them themselves then there there's these they they'd they'll
they're they've this those though through throughout to too toward towards under unless until up
upon us very via was wasn't we we'd we'll we're we've were weren't what what's when where whether
which while who who's whoever whom whose why will with within without won't would wouldn't yet you
you'd you'll you're you've your yours yourself yourselves
"""

# Faults of the published lists: the Turkish one was read in the wrong encoding, the Slovak one
# has English words.
_TURKISH = str.maketrans("ýþð", "ışğ")
_NOT_SLOVAK = frozenset({"and", "for", "of", "the"})


def language_code(language: object) -> str:
    """The code of a language given by code or by English name, in any case.

    Raises:
        ConfigurationError: No such language, or not a str.

    Example:
        >>> language_code("German"), language_code("de")
        ('de', 'de')
    """
    if isinstance(language, str):
        wanted = language.strip().lower()
        for code, known in LANGUAGES.items():
            if wanted in (code, known.name):
                return code
    raise ConfigurationError(
        f"language is {language!r}, expected one of {', '.join(LANGUAGES)} or its English name; "
        "leave it out for other languages, for mixed text, and for scripts without spaces "
        "(Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese), which need none"
    )


class Stemmer:
    """The stemmer of one language, for any number of threads.

    A PyStemmer object must not be used by two threads at a time, so each thread gets its own.

    Args:
        code: A key of ``LANGUAGES``; without a stemmer of its own, words stay as they are.

    Raises:
        MissingDependencyError: PyStemmer is not installed.
        ConfigurationError: The installed PyStemmer is too old to know the language.
    """

    def __init__(self, code: str) -> None:
        self._algorithm = LANGUAGES[code].stemmer
        self._threads = threading.local()
        if self._algorithm is not None and self._algorithm not in _pystemmer().algorithms():
            raise ConfigurationError(
                f"the installed PyStemmer {_pystemmer().version()} has no stemmer for "
                f"language={code!r}; run: pip install -U PyStemmer"
            )

    def __call__(self, word: str) -> str:
        """The stem of a folded word."""
        if self._algorithm is None:
            return word
        stemmer = getattr(self._threads, "stemmer", None)
        if stemmer is None:
            # 0: without a cache of its own, the analyzer has one.
            stemmer = self._threads.stemmer = _pystemmer().Stemmer(self._algorithm, 0)
        return str(stemmer.stemWord(word))


def _pystemmer() -> Any:
    try:
        import Stemmer as pystemmer  # noqa: N813 (a module named like a class)
    except ImportError as error:
        raise MissingDependencyError(
            "PyStemmer", extra="language", purpose="stemming (language=...)"
        ) from error
    return pystemmer


@functools.cache
def stop_words(code: str) -> frozenset[str]:
    """The stop words of a language, folded; empty where none are known.

    Args:
        code: A key of ``LANGUAGES``.

    Raises:
        MissingDependencyError: stop-words is not installed.

    Example:
        >>> "the" in stop_words("en"), "computer" in stop_words("en")
        (True, False)
    """
    if code == "en":
        return frozenset(_ENGLISH.split())
    name = LANGUAGES[code].stop_words
    if name is None:
        return frozenset()
    try:
        import stop_words as package
    except ImportError as error:
        raise MissingDependencyError(
            "stop-words", extra="language", purpose="stop words (language=...)"
        ) from error
    words = package.get_stop_words(name)
    if code == "tr":
        words = [word.translate(_TURKISH) for word in words]
    elif code == "sk":
        words = [word for word in words if word not in _NOT_SLOVAK]
    # Some lists bring quotes, commas and digits along; an entry of several words matches no token.
    found = [cutter(word).word.findall(word) for word in map(normalize, words)]
    return frozenset(
        fold(entry[0]) for entry in found if len(entry) == 1 and not entry[0].isdecimal()
    )
