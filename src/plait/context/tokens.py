"""Tokens: how many a text has, by a tokenizer if there is one, else by an estimate that says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.context.estimate import estimate_tokens
from plait.errors import ConfigurationError, MissingDependencyError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["TokenCounter", "as_counter"]

_ESTIMATE = "estimate"


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """What counts tokens.

    Attributes:
        name: Says what counts: ``"estimate"``, or the name of a tokenizer.
        function: From a text to its number of tokens.
        estimated: True if it estimates.
    """

    name: str = _ESTIMATE
    function: Callable[[str], int] = field(default=estimate_tokens, repr=False)

    @property
    def estimated(self) -> bool:
        """Whether it is the estimate."""
        return self.function is estimate_tokens

    def __call__(self, text: str) -> int:
        """Tokens of a text.

        Raises:
            ConfigurationError: The function returned something else than an int >= 0.
        """
        count = self.function(text)
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise ConfigurationError(
                f"the token counter {self.name} returned {count!r:.60} for a text of {len(text)} "
                "characters, expected an int >= 0; a function that returns tokens is wrapped as "
                "lambda text: len(function(text))"
            )
        return count

    def __str__(self) -> str:
        return self.name


def as_counter(source: Any = None) -> TokenCounter:
    """What counts tokens, from anything that can.

    Args:
        source: One of

            - None or ``"estimate"``: ``estimate_tokens``, marked as an estimate;
            - the path of a ``tokenizer.json``, or a ``tokenizers.Tokenizer``; a limit of length set
              in it is not applied;
            - the name of an encoding of tiktoken (``"o200k_base"``) or of a model that it knows
              (``"gpt-4o"``), or a ``tiktoken.Encoding``;
            - a tokenizer with ``encode``, as transformers has them;
            - an object with ``count_tokens``, such as an embedder, which counts its own marks too;
            - a function from a text to its number of tokens.

    Raises:
        ConfigurationError: Something else; a name that tiktoken does not know or cannot load.
        MissingDependencyError: tiktoken or tokenizers is not installed.

    Example:
        >>> as_counter(lambda text: len(text.split()))("three short words")
        3
        >>> as_counter().estimated
        True
    """
    if isinstance(source, TokenCounter):
        return source
    if source is None or source == _ESTIMATE:
        return TokenCounter()
    if isinstance(source, Path) or (isinstance(source, str) and source.endswith(".json")):
        return _of_tokenizers(_read_tokenizer(Path(source)), Path(source).name)
    if isinstance(source, str):
        return _of_tiktoken(source)
    if not isinstance(source, type):
        for make in _KINDS:
            counter = make(source)
            if counter is not None:
                return counter
    raise ConfigurationError(
        f"tokens is {source!r:.60}, expected a function from text to int, a tokenizer, the path of "
        "a tokenizer.json, the name of a tiktoken encoding such as 'o200k_base', or None for an "
        "estimate"
    )


def _counting(source: Any) -> TokenCounter | None:
    if not callable(getattr(source, "count_tokens", None)):
        return None
    spec = getattr(source, "spec", None)
    return TokenCounter(str(spec or type(source).__name__), source.count_tokens)


def _encoding(source: Any) -> TokenCounter | None:
    """A ``tiktoken.Encoding``: marks such as <|endoftext|> in a text are text."""
    encode = getattr(source, "encode_ordinary", None)
    if not callable(encode):
        return None
    return TokenCounter(str(getattr(source, "name", "tiktoken")), lambda text: len(encode(text)))


def _fast(source: Any) -> TokenCounter | None:
    if not (hasattr(source, "no_truncation") and hasattr(source, "to_str")):
        return None
    return _of_tokenizers(source, "tokenizers")


def _encoding_ids(source: Any) -> TokenCounter | None:
    encode = getattr(source, "encode", None)
    if not callable(encode):
        return None
    name = getattr(source, "name_or_path", "") or type(source).__name__
    return TokenCounter(str(name), lambda text: len(encode(text, add_special_tokens=False)))


def _function(source: Any) -> TokenCounter | None:
    if not callable(source):
        return None
    return TokenCounter(str(getattr(source, "__name__", type(source).__name__)), source)


# Many tokenizers can be called as well, with another meaning: that comes last.
_KINDS = (_counting, _encoding, _fast, _encoding_ids, _function)


def _of_tokenizers(tokenizer: Tokenizer, name: str) -> TokenCounter:
    if tokenizer.truncation is not None or tokenizer.padding is not None:
        tokenizer = type(tokenizer).from_str(tokenizer.to_str())  # the caller's stays as it is
        tokenizer.no_truncation()
        tokenizer.no_padding()
    return TokenCounter(
        name, lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)
    )


def _read_tokenizer(path: Path) -> Tokenizer:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingDependencyError(
            "tokenizers", extra="tokens", purpose="counting tokens with a tokenizer.json"
        ) from error
    if not path.is_file():
        raise ConfigurationError(f"there is no tokenizer at {path}; give a tokenizer.json")
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing more specific
        raise ConfigurationError(f"{path} is not a tokenizer.json: {error}") from error


def _of_tiktoken(name: str) -> TokenCounter:
    try:
        import tiktoken
    except ImportError as error:
        raise MissingDependencyError(
            "tiktoken", extra="tokens", purpose=f"counting tokens with {name!r}"
        ) from error
    try:
        known = name in tiktoken.list_encoding_names()
        encoding = tiktoken.get_encoding(name) if known else tiktoken.encoding_for_model(name)
    except KeyError as error:
        raise ConfigurationError(
            f"tiktoken knows no encoding or model {name!r:.60}; its encodings are "
            f"{', '.join(tiktoken.list_encoding_names())}. The path of a tokenizer ends in .json"
        ) from error
    except Exception as error:  # it loads the encoding over the network with whatever that raises
        raise ConfigurationError(
            f"tiktoken cannot load {name!r}: {type(error).__name__}: {error}; it is fetched once "
            "over the network, or read from the folder in TIKTOKEN_CACHE_DIR"
        ) from error
    return TokenCounter(encoding.name, lambda text: len(encoding.encode_ordinary(text)))
