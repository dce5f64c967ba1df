"""Plan: one query's settled arguments. Every usage error is raised here, before any leg runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plait.errors import ConfigurationError, QueryError
from plait.execution import Call, Runner
from plait.filters import Filter, FilterLike
from plait.fusion import Fusion, Weights, parse_fusion, resolve_weights
from plait.hybrid.call import in_span, make_call
from plait.hybrid.callable import option_names
from plait.hybrid.leg import Leg, check_seconds
from plait.retriever import check_page
from plait.telemetry import is_enabled
from plait.types import ORIGINAL, Query, Variant

__all__ = ["Fusing", "Plan", "PlannedLeg", "check_fusion", "make_plan", "settle_weights"]


@dataclass(frozen=True, slots=True)
class Fusing:
    """How a query's rankings become one.

    Attributes:
        fusion: The method.
        weights: By leg name.
        window: Candidates of each leg when nothing else is said.
        notes: What the reader of the result should know of the choice.
    """

    fusion: Fusion
    weights: Mapping[str, float]
    window: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedLeg:
    """A leg that searches a variant of the query; in the fusion it is a leg of its own.

    Attributes:
        name: The leg's name, ``"bm25"``, or with that of a variant, ``"bm25@rewrite"``.
        leg: The leg.
        variant: What it searches.
        weight: The leg's weight in this query times that of the variant, > 0.
        fetch_k: Candidates asked of it.
        call: How to run it; None if it is skipped.
        skipped: Why it cannot use the variant, None if it can.
    """

    name: str
    leg: Leg
    variant: Variant
    weight: float
    fetch_k: int
    call: Call | None
    skipped: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What a query does: which legs run, with which windows and weights, and what is cut."""

    query: Query
    top_k: int
    offset: int
    keep: Filter | None
    fetch_k: int
    fusion: Fusion
    legs: tuple[PlannedLeg, ...]
    deadline: float | None
    notes: tuple[str, ...] = field(default=())
    fill: bool = False

    @property
    def due(self) -> list[PlannedLeg]:
        """The legs that run."""
        return [leg for leg in self.legs if leg.call is not None]

    @property
    def calls(self) -> list[Call]:
        """How to run them."""
        return [leg.call for leg in self.legs if leg.call is not None]

    @property
    def start(self) -> int:
        """First position of the page in the pool."""
        return self.offset

    @property
    def stop(self) -> int:
        """Position after the page's last."""
        return self.offset + self.top_k


def make_plan(
    legs: Sequence[Leg],
    runners: Mapping[str, Runner],
    fusing: Fusing,
    *,
    variants: Sequence[Variant],
    top_k: int,
    offset: int,
    filter: FilterLike,
    fetch_k: int | None,
    names: Sequence[str] | None,
    options: Mapping[str, Mapping[str, Any]] | None,
    deadline: float | None,
    raises: bool,
    fill: bool = False,
) -> Plan:
    """Settle a query's arguments.

    Args:
        legs: All legs of the hybrid, with names.
        runners: Their running sides, by name.
        fusing: How their rankings become one; the window is doubled until it covers the page.
        variants: The query, put in one way or several. The first is the main one if none is called
            original; a failure of another one never ends the query.
        top_k: Hits to return.
        offset: Hits to pass over first.
        filter: The filter as it was given; legs outside plait get it in this form.
        fetch_k: Candidates asked of each leg, None for the leg's own or the window.
        names: Legs to run, None for all.
        options: Options for single legs, by name.
        deadline: Seconds for all legs together, None for no limit.
        raises: Whether any failure ends the query.
        fill: Whether legs are asked to score the hits of other legs.

    Raises:
        QueryError: Whatever cannot be run, with what is accepted.
    """
    main = _main(variants)
    check_page(top_k, offset)
    _check_time(deadline, "deadline")
    if type(fill) is not bool:
        raise QueryError(f"fill is {fill!r}, expected True or False")
    keep = Filter.parse(filter)
    if keep is not None and keep.is_empty:
        keep = None
    chosen = _chosen(legs, names)
    settled = _options(chosen, options)
    wide, notes = _window(fetch_k, fusing.window, top_k + offset)
    notes = (*fusing.notes, *notes)
    planned = []
    for leg, weight in _weighed(
        chosen, fusing.weights, alone=names is not None and len(chosen) == 1
    ):
        name = str(leg.name)
        if keep is not None and not leg.retriever.filters and not leg.post_filter:
            raise QueryError(
                f"leg {name!r} cannot filter; give it a filter parameter, or post_filter=True on "
                "the leg to drop what does not pass after it answered"
            )
        own = dict(settled.get(name, {}))
        reach = own.pop("fetch_k", None) or fetch_k or leg.fetch_k or wide
        timeout = own.pop("timeout", leg.timeout)
        passed = None if leg.post_filter or keep is None else filter
        for variant in variants:
            if variant.legs == "dense" and leg.kind != "dense":
                continue
            call = None
            skipped = leg.retriever.unanswerable(variant.query)
            if skipped is None:
                fatal = variant is main and (raises or leg.required)
                call = make_call(
                    leg, runners[name], variant.query, reach, passed, keep, own, timeout, fatal
                )
                if is_enabled():
                    call = in_span(call, name, variant.name)
            called = name if variant.is_original else f"{name}@{variant.name}"
            share = weight * variant.weight
            planned.append(PlannedLeg(called, leg, variant, share, reach, call, skipped))
    fusing.fusion.check_legs([leg.name for leg in planned])
    unsearched = _unsearched(variants, planned)
    if all(leg.call is None for leg in planned):
        reasons = "; ".join([*(f"{leg.name} {leg.skipped}" for leg in planned), *unsearched])
        raise QueryError(f"no leg can use this query: {reasons}")
    notes = (*notes, *unsearched)
    if len(planned) == 1:
        notes = (*notes, f"only leg {planned[0].name!r} took part: the fusion keeps its order")
    return Plan(
        main.query, top_k, offset, keep, wide, fusing.fusion, tuple(planned), deadline, notes, fill
    )


def _main(variants: Sequence[Variant]) -> Variant:
    """The variant that stands for the query, after a look at all of them."""
    given: Any = variants
    if not isinstance(given, list | tuple):
        raise QueryError(f"variants is {given!r:.80}, expected a list of Variant values")
    if not given:
        raise QueryError("variants is empty, expected at least one Variant")
    by_name = {}
    for variant in given:
        if not isinstance(variant, Variant):
            raise QueryError(f"variants holds {type(variant).__name__}, expected Variant values")
        by_name[variant.name] = variant
    if len(by_name) < len(given):
        names = [variant.name for variant in variants]
        raise QueryError(f"variants are named {names!r}; every variant needs a name of its own")
    return by_name.get(ORIGINAL, variants[0])


def _weighed(
    legs: Sequence[Leg], weights: Mapping[str, float], *, alone: bool
) -> list[tuple[Leg, float]]:
    """The legs that take part, with their weights."""
    # A leg that is asked for alone runs, whatever its share in a fusion would be.
    least = 1.0 if alone else 0.0
    weighed = [(leg, weights[str(leg.name)] or least) for leg in legs]
    taking_part = [(leg, weight) for leg, weight in weighed if weight]
    if not taking_part:
        raise QueryError("every leg asked for has weight 0; give one of them a weight above 0")
    return taking_part


def _unsearched(variants: Sequence[Variant], planned: Sequence[PlannedLeg]) -> list[str]:
    """A line for each variant that no leg takes."""
    taken = {leg.variant.name for leg in planned}
    return [
        f"variant {variant.name!r} was not searched: it is for dense legs, and none takes part"
        for variant in variants
        if variant.name not in taken
    ]


def _chosen(legs: Sequence[Leg], names: Sequence[str] | None) -> list[Leg]:
    if names is None:
        return list(legs)
    if isinstance(names, str) or not isinstance(names, Sequence | set | frozenset):
        raise QueryError(f"legs is {names!r}, expected a list of leg names")
    known = [leg.name for leg in legs]
    for name in names:
        if name not in known:
            raise QueryError(f"there is no leg {name!r}; the legs are {', '.join(map(str, known))}")
    if not names:
        raise QueryError("legs is empty, expected at least one name; None runs all")
    return [leg for leg in legs if leg.name in names]


def _options(
    legs: Sequence[Leg], options: Mapping[str, Mapping[str, Any]] | None
) -> Mapping[str, Mapping[str, Any]]:
    if not options:
        return {}
    by_name = {leg.name: leg for leg in legs}
    if not isinstance(options, Mapping) or not all(
        isinstance(own, Mapping) for own in options.values()
    ):
        raise QueryError(
            f"options is {options!r:.80}, expected a mapping from leg name to a mapping of options"
        )
    for name, own in options.items():
        if name not in by_name:
            raise QueryError(
                f"options name the leg {name!r}; the legs are {', '.join(map(str, by_name))}"
            )
        accepted = {"fetch_k", "timeout", *option_names(by_name[name].retriever)}
        for option, value in own.items():
            if option not in accepted:
                raise QueryError(
                    f"leg {name!r} has no option {option!r}; it has {', '.join(sorted(accepted))}"
                )
            if option == "fetch_k":
                check_fetch_k(value)
            if option == "timeout":
                _check_time(value, f"timeout of leg {name!r}")
    return options


def _check_time(seconds: Any, what: str) -> None:
    try:
        check_seconds(seconds, what)
    except ConfigurationError as error:
        raise QueryError(str(error)) from error


def check_fetch_k(fetch_k: Any) -> None:
    """Refuse a window that is not an int >= 1; None leaves it open."""
    if fetch_k is not None and (type(fetch_k) is not int or fetch_k < 1):
        raise QueryError(f"fetch_k is {fetch_k!r}, expected an int >= 1")


def _window(fetch_k: int | None, window: int, needed: int) -> tuple[int, tuple[str, ...]]:
    check_fetch_k(fetch_k)
    if fetch_k is not None:
        if fetch_k < needed:
            raise QueryError(
                f"fetch_k is {fetch_k}, but top_k + offset is {needed}; pass fetch_k={needed} "
                "or more"
            )
        return fetch_k, ()
    wide = window
    while wide < needed:
        wide *= 2
    if wide == window:
        return wide, ()
    grown = (
        f"fetch_k grew from {window} to {wide} to cover top_k + offset = {needed}; results of "
        "different fetch_k are not prefixes of each other"
    )
    return wide, (grown,)


def check_fusion(fusion: Fusion | str) -> Fusion:
    """A fusion from its text form, or as it is."""
    if isinstance(fusion, str):
        return parse_fusion(fusion)
    if not isinstance(fusion, Fusion):
        raise ConfigurationError(
            f"fusion is {type(fusion).__name__} ({fusion!r:.60}), expected a Fusion such as Rrf() "
            'or its text form such as "rrf(k=60)"'
        )
    return fusion


def settle_weights(weights: Weights | None, defaults: Mapping[str, float]) -> dict[str, float]:
    """Weights by leg name: by position, or by name, where legs not named keep their default.

    Raises:
        ConfigurationError: As ``plait.fusion.resolve_weights``.
    """
    if weights is None or isinstance(weights, Mapping):
        weights = {**defaults, **(weights or {})}
    names = list(defaults)
    return dict(zip(names, resolve_weights(weights, names), strict=True))
