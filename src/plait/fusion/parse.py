"""Fusions by name: the registry, and the text form ``"rrf(k=60)"``."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, TypeVar

from plait.errors import ConfigurationError
from plait.fusion.auto import Auto
from plait.fusion.distribution import Dbsf, ZScore
from plait.fusion.learned import Learned
from plait.fusion.method import Fusion
from plait.fusion.presets import Haystack, LangChain, LlamaIndex, QdrantDbsf, QdrantRrf, Ranx
from plait.fusion.rank_based import Borda, Isr, Rbc, Rrf
from plait.fusion.score_based import CombMnz, CombSum, Convex, Rsf
from plait.spec import parse_spec

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["fusion_names", "parse_fusion", "register_fusion"]

ENTRY_POINTS = "plait.fusions"

_METHODS = (Auto, Rrf, Rsf, Dbsf, ZScore, Convex, CombSum, CombMnz, Isr, Borda, Rbc, Learned)
_PRESETS = (LangChain, LlamaIndex, Haystack, QdrantRrf, QdrantDbsf, Ranx)
_BUILT_IN: Mapping[str, type[Fusion]] = {cls.name: cls for cls in (*_METHODS, *_PRESETS)}
_registered: dict[str, type[Fusion]] = {}

F = TypeVar("F", bound=Fusion)


def register_fusion(cls: type[F]) -> type[F]:
    """Make a fusion class known under its name, for text forms. Usable as a decorator.

    A package does the same with an entry point in the group ``plait.fusions``, whose name is
    the fusion's name and whose object is the class.

    Raises:
        ConfigurationError: Not a subclass of ``Fusion``, a name that is not an identifier in lower
            case, or one that another class has.
    """
    if not (isinstance(cls, type) and issubclass(cls, Fusion)):
        raise ConfigurationError(f"{cls!r} is not a subclass of plait.Fusion")
    name = cls.name
    if not name.isidentifier() or name != name.lower():
        raise ConfigurationError(
            f"the fusion {cls.__name__} has the name {name!r}, expected an identifier in lower case"
        )
    other = _BUILT_IN.get(name, _registered.get(name, cls))
    # A module or a notebook's cell that runs again defines its class again.
    if (other.__module__, other.__qualname__) != (cls.__module__, cls.__qualname__):
        raise ConfigurationError(
            f"the fusion name {name!r} is taken by {other.__module__}.{other.__qualname__}; "
            "set another name on the class"
        )
    _registered[name] = cls
    return cls


def fusion_names() -> tuple[str, ...]:
    """Names of all fusions: plait's own, registered ones, those of installed packages."""
    return (*_BUILT_IN, *sorted({*_registered, *_entry_points()} - _BUILT_IN.keys()))


def parse_fusion(text: str) -> Fusion:
    """The fusion of a text form, such as ``"rrf(k=60)"`` or ``"rsf"``.

    ``str(fusion)`` is a text form that parses to an equal fusion.

    Raises:
        ConfigurationError: Not of the form ``name(key=value, ...)``, an unknown name, unknown,
            missing or bad parameters; the message lists what there is.

    Example:
        >>> parse_fusion("rrf(k=10)")
        Rrf(absent=0.0, k=10)
        >>> str(parse_fusion("rsf"))
        'rsf()'
    """
    if not isinstance(text, str):
        raise ConfigurationError(
            f"a fusion's text form is {type(text).__name__}, expected str such as 'rrf(k=60)'"
        )
    name, parameters = parse_spec(text, "fusion")
    cls = _find(name)
    accepted = {field.name: field for field in fields(cls) if field.init}
    unknown = [parameter for parameter in parameters if parameter not in accepted]
    if unknown:
        raise ConfigurationError(
            f"fusion {name} has no parameter {', '.join(unknown)}; "
            f"it has {', '.join(accepted) or 'none'}"
        )
    try:
        return cls(**parameters)
    except TypeError as error:
        raise ConfigurationError(
            f"fusion {text!r:.80} cannot be built: {error}; "
            f"{name} takes {', '.join(accepted) or 'no parameters'}"
        ) from error


def _find(name: str) -> type[Fusion]:
    known = _BUILT_IN.get(name) or _registered.get(name)
    if known is not None:
        return known
    offered = _entry_points()
    if name in offered:
        entry = offered[name]
        try:
            cls = entry.load()
        except Exception as error:
            raise ConfigurationError(
                f"fusion {name!r} comes from the entry point {entry.value!r}, which fails to load: "
                f"{type(error).__name__}: {error}"
            ) from error
        return register_fusion(cls)
    near = difflib.get_close_matches(name, fusion_names(), n=1)
    raise ConfigurationError(
        f"unknown fusion {name!r}"
        + (f", did you mean {near[0]!r}?" if near else ";")
        + f" there are: {', '.join(fusion_names())}"
    )


def _entry_points() -> Mapping[str, EntryPoint]:
    from importlib.metadata import entry_points  # slow to import, and seldom needed

    return {entry.name: entry for entry in entry_points(group=ENTRY_POINTS)}
