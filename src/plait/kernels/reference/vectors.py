"""Vectors in NumPy: what the loops in ``c/vectors.c`` compute, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["distances", "dots", "encode", "lengths", "propose", "sums"]

Doubles: TypeAlias = NDArray[np.float64]
Floats: TypeAlias = NDArray[np.float32]
Bytes: TypeAlias = NDArray[np.uint8]
Ordinals: TypeAlias = NDArray[np.int64]

_BLOCK = 2**21  # float64 values worked on at once: 16 MB


def sums(terms: Doubles) -> Doubles:
    """Sums along the last axis by halving; overwrites ``terms``, shape (n, dim) to (n,)."""
    width = terms.shape[-1]
    while width > 1:
        half = (width + 1) // 2
        terms[..., : width - half] += terms[..., half:width]
        width = half
    return terms[..., 0].copy()


def dots(rows: Floats, query: Floats, ordinals: Ordinals | None) -> Doubles:
    """Dot products; the product of two float32 is exact in float64."""
    wide = query.astype(np.float64)
    found = np.empty(len(rows) if ordinals is None else len(ordinals), dtype=np.float64)
    for place, some in _slices(rows, ordinals):
        found[place] = sums(some * wide)
    return found


def distances(rows: Floats, query: Floats, ordinals: Ordinals | None) -> Doubles:
    """Euclidean distances."""
    wide = query.astype(np.float64)
    found = np.empty(len(rows) if ordinals is None else len(ordinals), dtype=np.float64)
    for place, some in _slices(rows, ordinals):
        some -= wide
        found[place] = np.sqrt(sums(some * some))
    return found


def lengths(rows: Floats) -> Doubles:
    """Euclidean lengths."""
    found = np.empty(len(rows), dtype=np.float64)
    for place, some in _slices(rows, None):
        found[place] = np.sqrt(sums(some * some))
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
    """Write codes and factors of rows."""
    dim, top = rows.shape[1], (1 << planes) - 1
    groups = codes.shape[1] // planes
    for place, some in _slices(rows, None):
        centered = some * scales[place, np.newaxis] - center
        square = sums(centered * centered)
        step = spread * np.sqrt(square / dim)
        inverse = np.divide(1.0, step, out=np.zeros_like(step), where=step > 0)
        level = np.floor(centered * inverse[:, np.newaxis]) + float(1 << (planes - 1))
        level = np.clip(level, 0.0, float(top))
        along = sums((2.0 * level - top) * centered)
        factor = np.divide(square, along, out=np.zeros_like(along), where=along > 0)
        bias = -0.5 * square if near else sums(centered * center)
        at = np.arange(first + place.start, first + place.start + len(some))
        factors[at // 64, 0, at % 64] = factor
        factors[at // 64, 1, at % 64] = bias
        for plane in range(planes):
            bits = np.packbits(level.astype(np.uint8) >> plane & 1, axis=1, bitorder="little")
            codes[at // 64, plane * groups : (plane + 1) * groups, at % 64] = bits


def propose(
    codes: Bytes,
    factors: Floats,
    allowed: NDArray[np.bool_],
    tables: Bytes,
    lines: Floats,
    keep: int,
) -> list[Ordinals]:
    """The best rows by key for each query, best first."""
    groups = tables.shape[1] // 2
    planes = codes.shape[1] // groups
    ordinals = np.flatnonzero(allowed)
    proposed = []
    for table, (slope, shift, pull) in zip(tables, lines, strict=True):
        pairs = table.reshape(groups, 2, 16).astype(np.int32)
        wide = (pairs[:, 1, :, np.newaxis] + pairs[:, 0, np.newaxis, :]).reshape(groups, 256)
        total = np.zeros((len(codes), 64), dtype=np.int32)
        for plane in range(planes):
            for group in range(groups):
                total += wide[group][codes[:, plane * groups + group]] << plane
        along = slope * total.astype(np.float32) + shift
        keys = (factors[:, 0] * along + pull * factors[:, 1]).ravel()[ordinals]
        proposed.append(ordinals[_best(keys, keep)])
    return proposed


def _best(keys: Floats, keep: int) -> Ordinals:
    """Positions of the highest keys, highest first; among equal ones the first."""
    inside = np.arange(len(keys))
    if keep < len(keys):
        inside = np.flatnonzero(keys >= np.partition(keys, len(keys) - keep)[len(keys) - keep])
    return inside[np.argsort(-keys[inside], kind="stable")[:keep]]


def _slices(rows: Floats, ordinals: Ordinals | None) -> Iterator[tuple[slice, Doubles]]:
    """The rows at the ordinals, or all, in float64, some at a time."""
    count = len(rows) if ordinals is None else len(ordinals)
    step = max(1, _BLOCK // max(1, rows.shape[1]))
    for start in range(0, count, step):
        place = slice(start, min(start + step, count))
        some = rows[place] if ordinals is None else rows[ordinals[place]]
        yield place, some.astype(np.float64)
