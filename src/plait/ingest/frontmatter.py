"""Front matter: the YAML block between ``---`` lines at the top of a Markdown file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from plait.errors import FormatError, MissingDependencyError
from plait.metadata import MAX_DEPTH

__all__ = ["split_front_matter"]

_BLOCK = re.compile(r"---[ \t]*\n(.{,65536}?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.M)


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    r"""The fields of the front matter, and the text after it.

    Plain values are read as in JSON: ``true`` and ``false``, integers, decimals, ``null`` (absent);
    everything else is text, so a date stays ``2026-03-01``, a time ``9:30`` and Norwegian ``no``.
    Quote a version such as ``"1.10"``: as a number it would be 1.1. Anchors are not read.

    Args:
        text: The whole file, line ends as ``\n``.

    Returns:
        The fields and the rest; no fields and the whole text where the block is missing,
        longer than 65,536 characters, or not a mapping (then ``---`` is a thematic break).

    Raises:
        FormatError: The block is not valid YAML; ``line`` is the line in the file, 0 if unknown.
        MissingDependencyError: There is a block, and PyYAML is not installed.

    Example:
        >>> split_front_matter("---\nlang: no\nbeta: true\n---\n# Title\n")
        ({'lang': 'no', 'beta': True}, '# Title\n')
    """
    match = _BLOCK.match(text)
    if match is None:
        return {}, text
    fields = _parse(match[1])
    if not isinstance(fields, Mapping):
        return {}, text
    return dict(fields), text[match.end() :]


def _parse(block: str) -> Any:
    try:
        import yaml
    except ImportError as error:
        raise MissingDependencyError(
            "PyYAML", extra="ingest", purpose="the front matter of Markdown files"
        ) from error
    try:
        depth = 0
        for event in yaml.parse(block):
            # A few lines of nested aliases can stand for gigabytes, and PyYAML's time grows with
            # the square of the depth.
            if isinstance(event, yaml.AliasEvent):
                raise FormatError("anchors and aliases are not read; write the value out")
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:
                raise FormatError(f"nested more than {MAX_DEPTH} levels deep")
        loader = yaml.SafeLoader(block)
        loader.yaml_implicit_resolvers = _plain_values()
        return loader.get_single_data()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error)
        raise FormatError(
            f"not valid YAML: {problem}", line=mark.line + 2 if mark else 0
        ) from error
    except ValueError as error:  # an integer with thousands of digits
        raise FormatError(str(error)) from error


@cache
def _plain_values() -> dict[str | None, list[tuple[str, re.Pattern[str]]]]:
    """What an unquoted value may be, by its first character, in the form PyYAML keeps it."""
    digits = "-0123456789"
    kinds = [
        ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
        ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
        ("int", r"-?(?:0|[1-9][0-9]*)", digits),
        ("float", r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", digits),
    ]
    resolvers: dict[str | None, list[tuple[str, re.Pattern[str]]]] = {}
    for name, pattern, starts in kinds:
        for start in starts:
            entry = (f"tag:yaml.org,2002:{name}", re.compile(rf"(?:{pattern})\Z"))
            resolvers.setdefault(start, []).append(entry)
    return resolvers
