"""Vectors: exact scores of rows, compact codes of them, and the rows that codes propose.

**Exact.** Products and differences of float32 values in float64, summed by halving: the upper half
of the terms is added to the lower until one is left. That order is the same on every machine,
so a row's score depends on nothing but the row and the query.

**Codes.** A row x, scaled, is center + v. The code tells v by a few bits for each dimension: u_i
counts steps of a grid, and w_i = 2 u_i - top says where in multiples of half a step. <v, d> is then
estimated without bias by <w, d> |v|^2 / <v, w> (Gao, Long, "RaBitQ", SIGMOD 2024; they rotate at
random first, which embeddings do not need). The *factor* |v|^2 / <v, w> is kept beside the code,
and so is a *bias*, a part of the score that is known without the query.

A block of 64 rows lies together: for each plane of bits and each group of 8 dimensions one byte
of each row, bit i being dimension 8 * group + i.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.kernels import native
from plait.kernels.native import address as _at
from plait.kernels.reference import vectors as reference

__all__ = ["LARGEST", "distances", "dots", "encode", "lengths", "propose"]

Doubles: TypeAlias = NDArray[np.float64]
Floats: TypeAlias = NDArray[np.float32]
Bytes: TypeAlias = NDArray[np.uint8]
Bits: TypeAlias = NDArray[np.uint64]
Ordinals: TypeAlias = NDArray[np.int64]

LARGEST = 63
"""Largest number in a table: four of them fit into a byte."""

_SHORT = 1 << 14  # products that take microseconds
_QUERIES = 16  # asked at once: as many tables stay in the cache beside the codes


def dots(rows: Floats, query: Floats, ordinals: Ordinals | None = None) -> Doubles:
    """Dot products of rows with a query.

    Args:
        rows: Float32 of shape (n, dim), dim >= 1.
        query: Float32 of shape (dim,).
        ordinals: Which rows, int64 of shape (m,), each in 0 to n - 1; None for all.

    Returns:
        Float64 of shape (m,) or (n,).

    Example:
        >>> dots(np.float32([[1, 2], [3, 4]]), np.float32([10, 1])).tolist()
        [12.0, 34.0]
    """
    if (lib := _library(rows, ordinals)) is None:
        return reference.dots(rows, query, ordinals)
    return _measure(_declared(lib).plait_vector_dots, rows, query, ordinals)


def distances(rows: Floats, query: Floats, ordinals: Ordinals | None = None) -> Doubles:
    """Euclidean distances of rows from a query; arguments as ``dots``.

    Example:
        >>> distances(np.float32([[3, 4], [0, 0]]), np.float32([0, 0])).tolist()
        [5.0, 0.0]
    """
    if (lib := _library(rows, ordinals)) is None:
        return reference.distances(rows, query, ordinals)
    return _measure(_declared(lib).plait_vector_distances, rows, query, ordinals)


def lengths(rows: Floats) -> Doubles:
    """Euclidean lengths of rows, float32 of shape (n, dim) to float64 of shape (n,).

    Example:
        >>> lengths(np.float32([[3, 4]])).tolist()
        [5.0]
    """
    if (lib := _library(rows)) is None:
        return reference.lengths(rows)
    rows = np.ascontiguousarray(rows)
    count, dim = rows.shape
    found, terms = np.empty(count), np.empty(dim)
    _declared(lib).plait_vector_lengths(_at(rows), dim, count, _at(terms), _at(found))
    return found


def encode(
    rows: Floats,
    scales: Doubles,
    center: Doubles,
    *,
    planes: int,
    spread: float,
    near: bool,
    first: int,
    codes: Bytes,
    factors: Floats,
) -> None:
    """Write the codes and factors of some rows to their place.

    Args:
        rows: Float32 of shape (n, dim).
        scales: What each row is multiplied with, shape (n,).
        center: What is taken from it then, shape (dim,).
        planes: Bits for each dimension, 1 to 8.
        spread: Step of the grid, in root mean squares of v.
        near: Whether the bias is -|v|^2 / 2; else it is <v, center>.
        first: Ordinal of the first row.
        codes: Shape (blocks, planes * groups, 64), zeros where nothing was written yet; groups is
            (dim + 7) // 8.
        factors: Shape (blocks, 2, 64): factor and bias.
    """
    if (lib := native.library()) is None:
        reference.encode(
            rows, scales, center, planes=planes, spread=spread, near=near, first=first,
            codes=codes, factors=factors,
        )  # fmt: skip
        return
    rows = np.ascontiguousarray(rows)
    count, dim = rows.shape
    work = np.empty(2 * dim)
    _declared(lib).plait_vector_codes(
        _at(rows), dim, first, count, _at(scales), _at(center), planes, spread, near, _at(work),
        _at(codes), _at(factors),
    )  # fmt: skip


def propose(
    codes: Bytes,
    factors: Floats,
    size: int,
    allowed: Bits | None,
    tables: Bytes,
    lines: Floats,
    keep: int,
) -> list[Ordinals]:
    """The rows with the highest keys, for each of some queries.

    The key of a row is factor * (slope * sum + shift) + pull * bias in float32, rounded after each
    step. The sum is that of what the query's tables say to each 4 bits of the code, times 2^plane.

    Args:
        codes: As ``encode`` wrote them.
        factors: Likewise.
        size: Rows.
        allowed: Which of them may be proposed; None for all.
        tables: Shape (queries, 2 * groups, 16), at most ``LARGEST``, so small that no sum of one
            number of each table passes 2^16 - 1.
        lines: Shape (queries, 3): slope, shift, pull.
        keep: How many rows, >= 1.

    Returns:
        For each query the ordinals by descending key, among equal keys the lower ordinal first;
        fewer come back if fewer are allowed.
    """
    if (lib := native.library()) is None:
        octets = (
            np.full((size + 7) // 8, 255, np.uint8) if allowed is None else allowed.view(np.uint8)
        )
        mask = np.unpackbits(octets, count=size, bitorder="little").view(np.bool_)
        return reference.propose(codes, factors, mask, tables, lines, keep)
    run = _declared(lib).plait_vector_propose
    groups = tables.shape[1] // 2
    proposed: list[Ordinals] = []
    for start in range(0, len(tables), _QUERIES):
        some = np.ascontiguousarray(tables[start : start + _QUERIES])
        each = np.ascontiguousarray(lines[start : start + _QUERIES])
        wide = np.empty((len(some), groups, 256), dtype=np.uint16)
        numbers = np.empty((len(some), 2 * keep + 64), dtype=np.uint64)
        least, found = np.empty(len(some), dtype=np.float32), np.empty(len(some), dtype=np.int64)
        run(
            _at(codes), _at(factors), size, groups, codes.shape[1] // groups,
            None if allowed is None else _at(allowed), _at(some), _at(each), len(some), keep,
            _at(wide), _at(numbers), _at(least), _at(found),
        )  # fmt: skip
        for row, count in zip(numbers, found.tolist(), strict=True):
            # the lower half of each number is the ordinal, the upper descends with the key
            best = np.sort(row[:count]) & np.uint64(2**32 - 1)
            proposed.append(best.astype(np.int64))
    return proposed


def _library(rows: Floats, ordinals: Ordinals | None = None) -> ctypes.CDLL | None:
    """The compiled loops for so many rows."""
    count = len(rows) if ordinals is None else len(ordinals)
    return native.quick() if count * rows.shape[1] < _SHORT else native.library()


def _measure(
    run: Callable[..., None], rows: Floats, query: Floats, ordinals: Ordinals | None
) -> Doubles:
    rows, query = np.ascontiguousarray(rows), np.ascontiguousarray(query)
    picked = None if ordinals is None else np.ascontiguousarray(ordinals)
    found = np.empty(len(rows) if picked is None else len(picked))
    work = np.empty(2 * len(query))
    chosen = None if picked is None else _at(picked)
    run(_at(rows), len(query), chosen, len(found), _at(query), _at(work), _at(found))
    return found


@functools.cache
def _declared(lib: ctypes.CDLL) -> ctypes.CDLL:
    """The library with the types of its arguments told."""
    pointer, number, small = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32
    measure = [pointer, number, pointer, number, pointer, pointer, pointer]
    for name, arguments in {
        "dots": measure,
        "distances": measure,
        "lengths": [pointer, number, number, pointer, pointer],
        "codes": [
            pointer, number, number, number, pointer, pointer, small, ctypes.c_double, small,
            pointer, pointer, pointer,
        ],
        "propose": [
            pointer, pointer, number, number, small, pointer, pointer, pointer, number, number,
            pointer, pointer, pointer, pointer,
        ],
    }.items():  # fmt: skip
        run = getattr(lib, f"plait_vector_{name}")
        run.argtypes, run.restype = arguments, None
    return lib
