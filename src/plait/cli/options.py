"""Options and types of values that several commands share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from plait.cli.run import Session
from plait.errors import ConfigurationError, QueryError

__all__ = [
    "DEFAULT_FOLDER",
    "collection_option",
    "completed_by",
    "debug_option",
    "folder_option",
    "fusions",
    "json_option",
    "languages",
    "output_option",
    "read_filter",
    "read_fusion",
    "read_weights",
]

CommandT = TypeVar("CommandT", bound=Callable[..., Any])

DEFAULT_FOLDER = Path(".plait")


def _remember_debug(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        context.ensure_object(Session).debug = True


debug_option = click.option(
    "--debug",
    is_flag=True,
    expose_value=False,
    callback=_remember_debug,
    help="Show where an error comes from.",
)

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, for programs, instead of text."
)


def completed_by(
    *values: str, more: Callable[[], Iterable[str]] = tuple
) -> Callable[..., list[str]]:
    """Complete an option's value from these, and from those that ``more`` gives when asked."""

    def complete(_context: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
        return [value for value in (*values, *more()) if value.startswith(start)]

    return complete


def fusions() -> Iterable[str]:
    """Names of fusions."""
    from plait.fusion import fusion_names

    return fusion_names()


def languages() -> Iterable[str]:
    """Codes of languages."""
    from plait.text import LANGUAGES

    return LANGUAGES


def _complete_collection(
    context: click.Context, _parameter: click.Parameter, start: str
) -> list[str]:
    from plait.collection import collections

    names = collections(context.params.get("folder") or DEFAULT_FOLDER)
    return [name for name in names if name.startswith(start)]


collection_option = click.option(
    "--collection",
    default="default",
    show_default=True,
    metavar="NAME",
    shell_complete=_complete_collection,
    help="Name of the collection in the folder.",
)


def _place(context: click.Context, parameter: click.Parameter, value: Path | None) -> Path | None:
    """A file that can be written, as far as can be seen before the work."""
    if value is not None and not value.absolute().parent.is_dir():
        raise click.BadParameter(f"there is no folder {value.parent}", context, parameter)
    return value


def output_option(*names: str, help: str) -> Callable[[CommandT], CommandT]:
    """A file that the command writes; its folder is there."""
    return click.option(
        *names,
        type=click.Path(dir_okay=False, writable=True, path_type=Path),
        metavar="FILE",
        callback=_place,
        help=help,
    )


def folder_option(name: str, help: str) -> Callable[[CommandT], CommandT]:
    """The option that names the folder of the collections."""
    return click.option(
        name,
        "folder",
        type=click.Path(file_okay=False, path_type=Path),
        default=DEFAULT_FOLDER,
        show_default=True,
        help=help,
    )


def read_filter(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> dict[str, Any] | None:
    """A filter over metadata, given as JSON."""
    if value is None:
        return None
    from plait.filters import Filter

    try:
        source = json.loads(value, object_pairs_hook=_once)
        Filter.parse(source)
    except json.JSONDecodeError as error:
        message = (
            f"{value!r:.80} is not JSON ({error}); "
            """write it such as '{"product": "pro", "year": {"$gte": 2024}}'"""
        )
        raise click.BadParameter(message, context, parameter) from error
    except RecursionError as error:
        raise click.BadParameter("nested too deeply; flatten it", context, parameter) from error
    except ValueError as error:  # a QueryError, or an integer with thousands of digits
        raise click.BadParameter(str(error), context, parameter) from error
    return dict(source)


def _once(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    # JSON parsers keep the last of two equal names, which would drop a condition silently.
    entries: dict[str, Any] = {}
    for name, value in pairs:
        if name in entries:
            raise QueryError(f'{name!r} stands twice; write {{"$and": [...]}} for both')
        entries[name] = value
    return entries


def read_fusion(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    """A fusion in its text form."""
    if value is None:
        return None
    from plait.fusion import parse_fusion

    try:
        return str(parse_fusion(value))
    except ConfigurationError as error:
        raise click.BadParameter(str(error), context, parameter) from error


def read_weights(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> dict[str, float] | None:
    """Weights by leg name: ``dense=1,bm25=2``."""
    if value is None:
        return None
    weights: dict[str, float] = {}
    for entry in value.split(","):
        name, equals, number = (part.strip() for part in entry.partition("="))
        if not (name and equals) or name in weights:
            message = f"{value!r} is not of the form 'dense=1,bm25=2'"
            raise click.BadParameter(message, context, parameter)
        try:
            weights[name] = float(number)
        except ValueError as error:
            message = f"the weight of {name!r} is {number!r}, expected a number"
            raise click.BadParameter(message, context, parameter) from error
    return weights
