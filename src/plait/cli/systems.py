"""Systems to compare, as the command line spells them: ``[NAME=]WHAT``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import click

from plait.cli.options import read_fusion, read_weights
from plait.errors import ConfigurationError

if TYPE_CHECKING:
    from plait.evaluation import Recording, Run
    from plait.hybrid.plan import Fusing

__all__ = ["DEFAULT", "LEGS", "Fuse", "System", "every", "read_systems", "split_name"]

LEGS = ("dense", "bm25")
"""Legs of a collection."""

DEFAULT = "default"
"""The system that a search of the collection is, as it is set up."""

Fuse: TypeAlias = "Callable[[str | None, Mapping[str, float] | None], Fusing]"
"""What a hybrid makes of a fusion and weights, None where none are given."""

_WINDOW = "window="
_FILL = "fill"
# Up to a "=" that is not inside of what a system is: rrf(k=60), rsf@dense=1.
_NAMED = re.compile(r"([^=@()]+)=(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class System:
    """One way to make a ranking from recorded legs.

    Attributes:
        name: What it is called in the comparison.
        leg: The leg that it is alone, else None.
        fusion: Text form of the fusion; None, with no leg, for the collection's own settings.
        weights: Weight by leg, None for the hybrid's own.
        window: Candidates of each leg that take part, None for as many as the hybrid takes.
        fill: Whether each leg scores the hits that only others returned.
    """

    name: str
    leg: str | None = None
    fusion: str | None = None
    weights: Mapping[str, float] | None = None
    window: int | None = None
    fill: bool = False

    def settled(self, fusing: Fuse, reach: int | None = None) -> System:
        """The same with everything written out that it leaves to the hybrid.

        Args:
            fusing: What the hybrid makes of a fusion and weights, None where none are given.
            reach: Candidates that there are of each leg, None for as many as a window needs.
        """
        if self.leg is not None:
            return self
        own = fusing(self.fusion, self.weights)
        window = own.window if reach is None else min(own.window, reach)
        return replace(
            self, fusion=str(own.fusion), weights=own.weights, window=self.window or window
        )

    def run(self, recording: Recording, top_k: int) -> Run:
        """What it returns for the recorded topics once settled, at most ``top_k`` documents each.

        Raises:
            ConfigurationError: Its window is wider than what was recorded.
        """
        if self.leg is not None:
            return replace(recording.leg(self.leg, top_k=top_k), name=self.name)
        return recording.fused(
            str(self.fusion),
            self.weights,
            window=self.window,
            top_k=top_k,
            name=self.name,
            fill=self.fill,
        )

    def failures(self, recording: Recording) -> dict[str, str]:
        """What went wrong in the legs that it uses, by topic id."""
        weights = self.weights or {}
        used = [
            leg
            for leg in recording.legs
            if (leg == self.leg if self.leg is not None else weights.get(leg, 1.0))
        ]
        found = {
            topic: "; ".join(f"{leg}: {failed[leg]}" for leg in used if leg in failed)
            for topic, failed in recording.failures.items()
        }
        return {topic: said for topic, said in found.items() if said}


def every(legs: Sequence[str]) -> tuple[System, ...]:
    """What is compared when nothing else is asked: the collection as it is used, and its legs."""
    return (System(DEFAULT), *(System(leg, leg=leg) for leg in legs))


def split_name(text: str) -> tuple[str | None, str]:
    """The name in ``NAME=WHAT``, None without one, and the rest.

    Example:
        >>> split_name("mine=rrf(k=60)"), split_name("rsf@dense=0.3")
        (('mine', 'rrf(k=60)'), (None, 'rsf@dense=0.3'))
    """
    named = _NAMED.fullmatch(text)
    return (named[1].strip(), named[2].strip()) if named else (None, text.strip())


def read_systems(
    context: click.Context,
    parameter: click.Parameter,
    values: Iterable[str],
    legs: Sequence[str] = LEGS,
) -> tuple[System, ...]:
    """Systems of the command line over legs of these names, each checked before anything runs."""
    return tuple(_read(context, parameter, value, legs) for value in values)


def _read(
    context: click.Context, parameter: click.Parameter, text: str, legs: Sequence[str]
) -> System:
    name, what = split_name(text)
    name = name or what
    if what in legs:
        return System(name, leg=what)
    method, *settings = (part.strip() for part in what.split("@"))
    windows = [part.removeprefix(_WINDOW) for part in settings if part.startswith(_WINDOW)]
    fills = [part for part in settings if part == _FILL]
    weights = [part for part in settings if part != _FILL and not part.startswith(_WINDOW)]
    if method in legs:
        message = f"{method} takes no settings, they are a fusion's: 'rsf@bm25=2'"
        raise click.BadParameter(message, context, parameter)
    for given, called in ((windows, "window"), (weights, "weights"), (fills, _FILL)):
        if len(given) > 1:
            message = f"{text!r} gives its {called} twice"
            raise click.BadParameter(message, context, parameter)
    return System(
        name,
        fusion=None if method == DEFAULT else _fusion(context, parameter, method, legs),
        weights=_weights(context, parameter, weights[0], legs) if weights else None,
        window=_window(context, parameter, windows[0]) if windows else None,
        fill=bool(fills),
    )


def _fusion(
    context: click.Context, parameter: click.Parameter, text: str, legs: Sequence[str]
) -> str | None:
    try:
        return read_fusion(context, parameter, text)
    except click.BadParameter as error:
        what = ", ".join((DEFAULT, *legs))
        message = f"{error.message}; or one of {what}"
        raise click.BadParameter(message, context, parameter) from error


def _weights(
    context: click.Context, parameter: click.Parameter, text: str, legs: Sequence[str]
) -> Mapping[str, float] | None:
    from plait.fusion import resolve_weights

    weights = read_weights(context, parameter, text)
    try:
        resolve_weights(weights, legs)
    except ConfigurationError as error:
        raise click.BadParameter(str(error), context, parameter) from error
    return weights


def _window(context: click.Context, parameter: click.Parameter, text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) >= 1):
        message = f"the window is {text!r}, expected a whole number from 1 on"
        raise click.BadParameter(message, context, parameter)
    return int(text)
