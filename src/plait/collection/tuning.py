"""Tuning: a fusion with its weights and its window, chosen by evidence, and that evidence."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Self

from plait.errors import ConfigurationError, FormatError
from plait.fusion import Fusion, parse_fusion, resolve_weights
from plait.metadata import EMPTY, freeze

__all__ = ["Tuning"]

_TABLE = "fusion"
_GROWN = 1.5  # how much a collection may grow or shrink until what was learned from it is doubtful
_MADE_OF = "collection"


@dataclass(frozen=True, slots=True)
class Tuning:
    """What tuning decided: a method, weights by leg, a window, and on what evidence.

    A collection keeps one (``Collection.apply``) and answers by it where its fusion is ``"auto"``;
    a hybrid takes it as ``HybridRetriever(legs, **tuning.options)``.

    Args:
        fusion: The method or its text form.
        weights: By leg name, >= 0 and not all 0.
        window: Candidates asked of each leg, >= 1.
        evidence: JSON values that say how it was found: generation, seed, figures, confidence.
            ``"collection"`` is what ``Collection.apply`` writes there: number of chunks, and whose
            vectors, which decides whether it still fits.

    Raises:
        ConfigurationError: A value out of range, or evidence that is not JSON.

    Example:
        >>> tuning = Tuning("rsf()", {"dense": 0.3, "bm25": 0.7}, 200)
        >>> Tuning.from_json(tuning.to_json()) == tuning
        True
    """

    fusion: Fusion
    weights: Mapping[str, float]
    window: int
    evidence: Mapping[str, Any] = field(default=EMPTY, hash=False)

    def __post_init__(self) -> None:
        fusion, window = self.fusion, self.window
        if isinstance(fusion, str):
            fusion = parse_fusion(fusion)
        if not isinstance(fusion, Fusion):
            raise ConfigurationError(
                f"fusion is {type(fusion).__name__} ({fusion!r:.60}), expected a Fusion or its "
                "text form"
            )
        if not isinstance(self.weights, Mapping) or not self.weights:
            raise ConfigurationError(
                f"weights is {self.weights!r:.60}, expected a mapping from leg name to weight"
            )
        names = list(self.weights)
        if not all(isinstance(name, str) and name for name in names):
            raise ConfigurationError(f"weights name the legs {names!r:.80}, expected non-empty str")
        weights = dict(zip(names, resolve_weights(self.weights, names), strict=True))
        if type(window) is not int or window < 1:
            raise ConfigurationError(f"window is {window!r}, expected an int >= 1")
        object.__setattr__(self, "fusion", fusion)
        object.__setattr__(self, "weights", freeze(weights))
        object.__setattr__(self, "evidence", _checked(self.evidence))

    @property
    def options(self) -> dict[str, Any]:
        """What ``HybridRetriever`` takes: fusion, weights and window."""
        return {"fusion": self.fusion, "weights": dict(self.weights), "window": self.window}

    def stale(self, chunks: int, vectors: str | None) -> str | None:
        """Why it should be done again, None if there is no reason.

        Args:
            chunks: How many chunks the collection has now.
            vectors: Whose vectors it has now.
        """
        if not self.fits(vectors):
            return "it was made with the vectors of another embedder"
        known = self.evidence.get(_MADE_OF, {}).get("chunks", chunks)
        if not known <= chunks * _GROWN or not chunks <= known * _GROWN:
            return f"it was made on {known:,} chunks, and there are {chunks:,}"
        return None

    def fits(self, vectors: str | None) -> bool:
        """Whether it was made with these vectors; one that was stored elsewhere fits any."""
        stored = self.evidence.get(_MADE_OF)
        return stored is None or stored.get("vectors") == vectors

    def to_dict(self) -> dict[str, Any]:
        """JSON values that ``of`` reads back."""
        return {
            "fusion": str(self.fusion),
            "weights": dict(self.weights),
            "window": self.window,
            "evidence": dict(self.evidence),
        }

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """The tuning of ``to_dict``.

        Raises:
            ConfigurationError: Something else, with what is missing or unknown.
        """
        expected = ("fusion", "weights", "window", "evidence")
        if not isinstance(values, Mapping):
            raise ConfigurationError(f"a tuning is {type(values).__name__}, expected a mapping")
        unknown = [name for name in values if name not in expected]
        missing = [name for name in expected[:-1] if name not in values]
        if unknown or missing:
            raise ConfigurationError(
                f"a tuning has {', '.join(map(str, values)) or 'nothing'}; expected "
                f"{', '.join(expected)}"
            )
        return cls(**values)

    def to_json(self) -> str:
        """Its text form."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The tuning of ``to_json``.

        Raises:
            ConfigurationError: It is not one.
        """
        try:
            values = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ConfigurationError(f"a tuning is not JSON: {error}") from error
        return cls.of(values)

    def write(self, path: str | PathLike[str]) -> None:
        """Write it to a TOML file as the table ``[fusion]``, replacing such a file.

        Raises:
            ConfigurationError, FormatError: As ``check_target``.
            OSError: The file cannot be written.
        """
        self.check_target(path)
        lines = [
            f"[{_TABLE}]",
            f"method = {_toml(str(self.fusion))}",
            f"window = {self.window}",
            f"weights = {_toml(self.weights)}",
        ]
        if self.evidence:
            lines += ["", f"[{_TABLE}.evidence]"]
            lines += [f"{_toml(name)} = {_toml(value)}" for name, value in self.evidence.items()]
        Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")

    @staticmethod
    def check_target(path: str | PathLike[str]) -> None:
        """Raise what ``write`` raises for what is there; for whoever has long work to do before.

        Raises:
            ConfigurationError: The file holds other tables, which would be lost, or there is no
                such folder.
            FormatError: The file is there and is not TOML.
        """
        if not Path(path).parent.is_dir():
            raise ConfigurationError(f"{path} cannot be written: there is no such folder")
        if Path(path).exists() and (others := _read(path).keys() - {_TABLE}):
            raise ConfigurationError(
                f"{path} holds {', '.join(sorted(others))} beside [{_TABLE}], which would be lost; "
                "give another file"
            )

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Self:
        """The tuning in a TOML file, from its table ``[fusion]``.

        Raises:
            FormatError: No such file, not TOML, no such table, or a table that is not a tuning.
        """
        table = _read(path).get(_TABLE)
        if not isinstance(table, dict):
            raise FormatError(f"{path} has no table [{_TABLE}]", str(path))
        if "fusion" in table or "method" not in table:
            raise FormatError(
                f"{path}: [{_TABLE}] names no method, expected such as method = 'rsf()'", str(path)
            )
        named = {("fusion" if name == "method" else name): value for name, value in table.items()}
        try:
            return cls.of(named)
        except ConfigurationError as error:
            raise FormatError(f"{path}: [{_TABLE}]: {error}", str(path)) from error


def _checked(evidence: Any) -> Mapping[str, Any]:
    """Evidence that can be stored and read back, and says of a collection what ``stale`` reads."""
    try:
        frozen = freeze(evidence)
    except ConfigurationError as error:
        raise ConfigurationError(f"evidence is not JSON values: {error}") from error
    made_of = frozen.get(_MADE_OF)
    if made_of is None:
        return frozen
    if (
        not isinstance(made_of, Mapping)
        or not made_of.keys() <= {"chunks", "vectors"}
        or type(made_of.get("chunks")) is not int
        or not isinstance(made_of.get("vectors"), str | None)
    ):
        raise ConfigurationError(
            f"evidence has {made_of!r:.80} for {_MADE_OF!r}, where Collection.apply writes number "
            "of chunks and vectors; give yours another name"
        )
    return frozen


def _read(path: str | PathLike[str]) -> dict[str, Any]:
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # TOML errors and wrong encodings are ValueErrors
        raise FormatError(f"{path} cannot be read as TOML: {error}", str(path)) from error


def _toml(value: Any) -> str:
    """A JSON value in TOML."""
    if isinstance(value, Mapping):
        entries = ", ".join(f"{_toml(name)} = {_toml(each)}" for name, each in value.items())
        return f"{{{entries}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    # JSON's spelling of the other values is TOML's too, but for this one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
