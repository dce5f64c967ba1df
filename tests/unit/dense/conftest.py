"""Rows of a part, from lists."""

import dataclasses

import numpy as np
import pytest

from plait import bits


@dataclasses.dataclass(frozen=True)
class ListRows:
    """Rows by id and metadata, ids ascending; those in ``dead`` are not alive."""

    ids: tuple
    metadata: tuple
    dead: frozenset = frozenset()

    @property
    def size(self):
        return len(self.ids)

    @property
    def count(self):
        return self.size - len(self.dead)

    def names(self, ordinals):
        return [self.ids[row] for row in ordinals.tolist()]

    def mask(self, keep):
        rows = zip(self.ids, self.metadata, strict=True)
        passing = [
            name not in self.dead and (keep is None or keep.matches(values))
            for name, values in rows
        ]
        return np.array(passing, dtype=bool)

    def allowed(self, keep):
        mask = self.mask(keep)
        return None if mask.all() else bits.of_mask(mask)

    def rows(self, ids, keep=None):
        mask = self.mask(keep)
        found = [self.ids.index(name) for name in ids if name in self.ids]
        return np.array([row for row in found if mask[row]], dtype=np.int64)


@pytest.fixture
def list_rows():
    def make(ids, metadata=None, dead=()):
        return ListRows(tuple(ids), tuple(metadata or [{}] * len(ids)), frozenset(dead))

    return make
