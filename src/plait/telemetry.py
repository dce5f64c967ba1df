"""Telemetry: OpenTelemetry spans around what plait does, from when they are asked for.

Until ``enable_telemetry`` is called no span is made and OpenTelemetry is not imported. A span is
the child of the one that is current where its work was asked for: context variables travel with
plait's calls into threads and tasks, so requests that run at the same time keep their spans apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeAlias

from plait.errors import MissingDependencyError

__all__ = ["Note", "disable_telemetry", "enable_telemetry", "is_enabled", "span"]

Note: TypeAlias = Callable[[Mapping[str, Any]], None]
"""Adds attributes to a span that is open."""

_tracer: Any = None


def enable_telemetry(tracer_provider: Any = None) -> None:
    """Make spans from now on: ``plait.rag`` for a request, ``plait.rag.STAGE`` for each of its
    stages, ``plait.leg`` for each leg and variant that is searched.

    Args:
        tracer_provider: Where the spans go; None for OpenTelemetry's global one.

    Raises:
        MissingDependencyError: opentelemetry-api is not installed.
    """
    global _tracer
    try:
        from opentelemetry import trace
    except ImportError as error:
        raise MissingDependencyError(
            "opentelemetry-api", extra="telemetry", purpose="spans"
        ) from error
    _tracer = trace.get_tracer("plait", tracer_provider=tracer_provider)


def disable_telemetry() -> None:
    """Make no more spans; open ones end as they would."""
    global _tracer
    _tracer = None


def is_enabled() -> bool:
    """Whether spans are made."""
    return _tracer is not None


def span(name: str, attributes: Mapping[str, Any] | None = None) -> AbstractContextManager[Note]:
    """A span around a block of code, which is given a function that adds attributes to it.

    An error that leaves the block is recorded in it. Attributes that are None are left out.

    Example:
        >>> with span("plait.rag.rerank") as note:
        ...     note({"plait.hits": 3})
    """
    return _NOTHING if _tracer is None else _opened(_tracer, name, attributes or {})


@contextmanager
def _opened(tracer: Any, name: str, attributes: Mapping[str, Any]) -> Iterator[Note]:
    with tracer.start_as_current_span(name, attributes=_known(attributes)) as opened:
        yield lambda more: opened.set_attributes(_known(more))


def _known(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if value is not None}


_NOTHING: AbstractContextManager[Note] = nullcontext(lambda _attributes: None)
