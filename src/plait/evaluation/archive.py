"""The file of a recording: JSON lines under gzip, a header and a line per topic. Data only."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from os import fspath
from pathlib import Path
from typing import Any

from plait.errors import ContractError, FormatError
from plait.evaluation.lines import FilePath, at, numbered_lines
from plait.types import Ranking

__all__ = ["ranking_to_json", "rankings_from_json", "read_archive", "read_well", "write_archive"]

_FORMAT = "plait-recording"
_VERSION = 1
# A recording has no chunks, and the name of the leg is said once.
_COLUMNS = tuple(
    field.name
    for field in fields(Ranking)
    if field.init and field.name not in ("leg", "chunks", "parts")
)


def write_archive(
    path: FilePath, header: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]
) -> None:
    """Write a header and rows; ``header["topics"]`` is how many there are."""
    marked = {"format": _FORMAT, "version": _VERSION, **header}
    with (
        Path(path).open("wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=0) as zipped,  # equal content, equal bytes
    ):
        for value in (marked, *rows):
            line = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=repr)
            zipped.write(line.encode() + b"\n")


def read_archive(path: FilePath) -> tuple[dict[str, Any], Iterator[tuple[int, dict[str, Any]]]]:
    """The header, and the rows with their line numbers.

    Raises:
        FormatError: Not such a file, of a newer version, damaged, or fewer or more rows than the
            header says; the last is found when the rows have been read.
    """
    lines = numbered_lines(path, "a recording")
    number, first = next(lines)
    header = _object(path, number, first)
    if header.get("format") != _FORMAT:
        raise at(path, number, "not a recording that plait saved")
    if header.get("version") != _VERSION:
        raise at(
            path,
            number,
            f"the recording has version {header.get('version')!r}, this version of plait reads "
            f"{_VERSION}; upgrade plait, or record again",
        )
    return header, _rows(path, lines, header.get("topics"))


def _rows(
    path: FilePath, lines: Iterator[tuple[int, str]], expected: Any
) -> Iterator[tuple[int, dict[str, Any]]]:
    found = 0
    for number, line in lines:
        found += 1
        yield number, _object(path, number, line)
    if found != expected:
        raise FormatError(
            f"{fspath(path)} is damaged: it holds {found} topics, its header says {expected!r:.20}",
            fspath(path),
        )


@contextmanager
def read_well(path: FilePath, number: int) -> Iterator[None]:
    """Say of whatever is wrong with the values of a line that the line is damaged."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, ContractError) as error:
        raise at(path, number, f"damaged: {type(error).__name__}: {error}") from error


def _object(path: FilePath, number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise at(path, number, f"damaged, or not a recording: {error}") from error
    if not isinstance(value, dict):
        raise at(path, number, "damaged, or not a recording: expected a JSON object")
    return value


def ranking_to_json(ranking: Ranking) -> dict[str, Any]:
    """A ranking of ids as JSON values; the name of its leg is in the header."""
    return {name: getattr(ranking, name) for name in _COLUMNS}


def rankings_from_json(
    legs: Iterable[str], values: Iterable[Mapping[str, Any]]
) -> tuple[Ranking, ...]:
    """The rankings again, one per leg; what is wrong with one is raised by ``Ranking``.

    Raises:
        ContractError, TypeError, ValueError: They were not made by ``ranking_to_json``.
    """
    return tuple([_ranking(leg, value) for leg, value in zip(legs, values, strict=True)])


def _ranking(leg: str, value: Mapping[str, Any]) -> Ranking:
    columns: dict[str, Any] = {
        name: tuple(each) if isinstance(each, list) else each for name, each in value.items()
    }
    return Ranking(leg, **columns)
