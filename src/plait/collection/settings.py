"""What decides a collection's answers: chosen when it is made, stored as text, checked at open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Self

from plait.dense.metric import COSINE, Metric, parse_metric
from plait.errors import ConfigurationError, IndexFormatError
from plait.fusion import Auto, Fusion, parse_fusion
from plait.ingest import Chunking
from plait.lexical import Bm25
from plait.spec import format_spec, parse_spec
from plait.text import Analyzer

__all__ = ["PRIOR", "Settings"]

WINDOW = 200
"""Candidates asked of each leg: what helps score fusion, measured over 20 to 200."""

PRIOR: Mapping[str, float] = MappingProxyType({"dense": 0.3, "bm25": 0.7})
"""Weights of the legs where ``auto`` has no tuned ones; see docs/fusion-study.md."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What decides a collection's answers, beside its chunks and its embedder.

    Attributes:
        analyzer: How texts and queries become terms.
        bm25: Parameters of the lexical leg.
        metric: How close two vectors are.
        chunking: How documents are cut.
        fusion: How the rankings of the legs become one; ``auto`` takes what tuning stored.
        window: Candidates asked of each leg when a query does not say, >= 1.
    """

    analyzer: Analyzer = field(default_factory=Analyzer)
    bm25: Bm25 = field(default_factory=Bm25)
    metric: Metric = COSINE
    chunking: Chunking = field(default_factory=Chunking)
    fusion: Fusion = field(default_factory=Auto)
    window: int = WINDOW

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """The settings of a new collection: what is given, defaults for what is None.

        Args:
            given: Values or their text forms, by the names of the attributes.

        Raises:
            ConfigurationError: A value of the wrong type, or text that is not its form.
        """
        return cls(
            **{name: _FORMS[name](value) for name, value in given.items() if value is not None}
        )

    @classmethod
    def stored(cls, texts: Mapping[str, str], given: Mapping[str, Any], path: str) -> Self:
        """The settings of a collection that is there.

        Args:
            texts: What ``texts`` gave when it was made.
            given: Values or text forms to be checked against them, None for no opinion.
            path: The file, for messages.

        Raises:
            ConfigurationError: Something given is not what the collection was made with, or is
                code that must be given again and is not.
            IndexFormatError: A stored text form cannot be read.
        """
        values = {}
        for name, parse in _FORMS.items():
            if name not in texts:
                raise IndexFormatError(f"{path} is damaged: it has no setting {name!r}", path)
            if given.get(name) is not None:
                values[name] = parse(given[name])
                _check_same(name, values[name], texts, path)
            else:
                values[name] = _read(name, texts[name], path)
        return cls(**values)

    def texts(self) -> dict[str, str]:
        """The text form of every setting by name, which ``stored`` reads back."""
        texts = {each.name: _text(getattr(self, each.name)) for each in fields(self)}
        return {**texts, "fingerprint": self.analyzer.fingerprint}


def _text(value: Any) -> str:
    return format_spec("bm25", **value.parameters) if isinstance(value, Bm25) else str(value)


def _parse_bm25(text: str) -> Bm25:
    name, parameters = parse_spec(text, "bm25")
    if name != "bm25" or not parameters.keys() <= {each.name for each in fields(Bm25)}:
        raise ConfigurationError(
            f"{text!r} is not the text form of Bm25, expected such as {_text(Bm25())!r}"
        )
    return Bm25(**parameters)


def _read(name: str, text: str, path: str) -> Any:
    if name == "analyzer" and "callable:" in text:
        raise ConfigurationError(
            f"{path} was made with {text}; code cannot be stored, so open it with the same "
            "tokenizer: analyzer=Analyzer(tokenizer=...)"
        )
    try:
        return _FORMS[name](text)
    except ConfigurationError as error:
        raise IndexFormatError(f"{path}: the setting {name} cannot be read: {error}", path) from (
            error
        )


def _check_same(name: str, value: Any, texts: Mapping[str, str], path: str) -> None:
    if _text(value) != texts[name]:
        raise ConfigurationError(
            f"{path} was made with {name}={texts[name]!r} and is opened with {_text(value)!r}; "
            f"leave {name} out to take the stored one, or index again into a new collection"
        )
    if (
        name == "analyzer"
        and callable(value.tokenizer)
        and (value.fingerprint != texts["fingerprint"])
    ):
        raise ConfigurationError(
            f"{path} was made with {texts[name]}, and the tokenizer given now cuts a sample text "
            "differently; open it with the same one, or index again into a new collection"
        )


def _form(kind: type, parse: Callable[[str], Any], what: str) -> Callable[[Any], Any]:
    """From a value or its text form to the value."""

    def read(value: Any) -> Any:
        if isinstance(value, str):
            return parse(value)
        if isinstance(value, kind):
            return value
        raise ConfigurationError(
            f"{what} is {type(value).__name__} ({value!r:.60}), expected {kind.__name__} or its "
            "text form"
        )

    return read


def _window(value: Any) -> int:
    if isinstance(value, str) and value.isdecimal():
        value = int(value)
    if type(value) is not int or value < 1:
        raise ConfigurationError(f"window is {value!r}, expected an int >= 1")
    return value


_FORMS: dict[str, Callable[[Any], Any]] = {
    "analyzer": _form(Analyzer, Analyzer.parse, "analyzer"),
    "bm25": _form(Bm25, _parse_bm25, "bm25"),
    "metric": _form(Metric, parse_metric, "metric"),
    "chunking": _form(Chunking, Chunking.parse, "chunking"),
    "fusion": _form(Fusion, parse_fusion, "fusion"),
    "window": _window,
}
