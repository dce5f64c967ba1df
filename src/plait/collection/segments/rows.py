"""SegmentRows: the rows of a segment in one state of what is alive."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from plait.bits import cleared, full, has, ordinals
from plait.columns import Columns
from plait.filters import Filter
from plait.storage import Names
from plait.table import Bits, Ordinals

__all__ = ["SegmentRows"]


@dataclass(frozen=True, slots=True, eq=False)
class SegmentRows:
    """The rows of a segment, in the order of their ids.

    Attributes:
        ids: Their ids.
        columns: Their metadata.
        size: Rows, dead ones included.
        count: Rows that are alive.
        alive: Which are; None for all.
    """

    ids: Names
    columns: Columns
    size: int
    count: int
    alive: Bits | None = None

    def names(self, rows: Ordinals, /) -> list[str]:
        """The ids at these ordinals."""
        return self.ids.at(rows)

    def allowed(self, keep: Filter | None, /) -> Bits | None:
        """The rows that are alive and pass; None for every row."""
        if keep is None:
            return self.alive
        passing = self.columns.passing(keep)
        return passing if self.alive is None else passing & self.alive

    def rows(self, ids: Iterable[str], keep: Filter | None = None, /) -> Ordinals:
        """The ordinals of ids that are alive and pass the filter; other ids are left out."""
        found = self.ids.locate(list(ids))
        found = found[found >= 0]
        allowed = self.allowed(keep)
        return found if allowed is None else found[has(allowed, found)]

    def live(self, keep: Filter | None = None) -> Ordinals:
        """The ordinals of the rows that are alive and pass the filter, ascending."""
        allowed = self.allowed(keep)
        return np.arange(self.size) if allowed is None else ordinals(allowed)

    def alive_of(self, rows: Ordinals) -> Ordinals:
        """Those of these ordinals that are alive."""
        return rows if self.alive is None else rows[has(self.alive, rows)]

    def without(self, rows: Ordinals) -> SegmentRows:
        """Without these rows, each once and alive."""
        alive = full(self.size) if self.alive is None else self.alive
        return replace(self, alive=cleared(alive, rows), count=self.count - len(rows))
