"""A passage holds the chunks of its hits."""

from __future__ import annotations

import pytest

from plait.errors import ConfigurationError
from plait.types import Chunk, Hit, Passage


def test_a_hit_alone_is_a_passage() -> None:
    hit = Hit(Chunk("text"), 1.0, 1)
    assert Passage.of(hit) == Passage((hit.chunk,), (hit,))


def test_lists_become_tuples() -> None:
    hit = Hit(Chunk("text"), 1.0, 1)
    passage = Passage([Chunk("before"), hit.chunk], [hit])
    assert isinstance(passage.chunks, tuple)
    assert isinstance(passage.hits, tuple)


def test_a_passage_without_hits_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="1 chunks and 0 hits"):
        Passage((Chunk("text"),), ())


def test_a_hit_from_elsewhere_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="must be among its chunks"):
        Passage((Chunk("text"),), (Hit(Chunk("other"), 1.0, 1),))
