"""The embedder of a collection: checked at open, rebuilt when needed, never another one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plait.collection.embedding import Embedders, as_embedder
from plait.collection.stored import Space
from plait.embedders import CallableEmbedder, HashEmbedder
from plait.embedding import EmbedderIdentity
from plait.errors import ConfigurationError

HASH = HashEmbedder(dim=32)
MINE = CallableEmbedder(lambda texts: np.ones((len(texts), 4)), name="mine", dim=4)

STORED = Space(1, HASH.identity, HASH.spec, 32)
CODE = Space(2, MINE.identity, None, 4)
BROUGHT = Space(3, None, None, 4)


@pytest.mark.parametrize(
    ("given", "space"),
    [
        (..., None),
        (..., STORED),
        (..., BROUGHT),
        (None, None),
        (None, BROUGHT),
        (HASH, STORED),
        ("hash(dim=32)", STORED),
        (MINE, CODE),
    ],
)
def test_the_same_embedder_or_none_given_is_accepted(given: Any, space: Space | None) -> None:
    Embedders(given, "kb").check(space)


@pytest.mark.parametrize(
    ("given", "space", "said"),
    [
        (HASH, None, r"has no embedder and is opened with hash\(dim=32\).*reembed"),
        (HASH, BROUGHT, "has no embedder and is opened with"),
        (None, STORED, r"made with the embedder 'hash .*opened with embedder=None.*legs="),
        ("hash(dim=64)", STORED, "dim 32 there and 64 here.*open it with the first"),
        (MINE, STORED, "'hash .*' and is opened with 'mine': weights"),
        (..., CODE, "'mine', which is code and cannot be rebuilt.*open it with embedder="),
        (HASH, CODE, r"'mine' and is opened with hash\(dim=32\)"),
    ],
)
def test_another_one_is_refused_and_both_are_named(
    given: Any, space: Space | None, said: str
) -> None:
    with pytest.raises(ConfigurationError, match=said):
        Embedders(given, "kb").check(space)


def test_what_is_not_an_embedder_is_refused() -> None:
    for wrong in (3, HashEmbedder, lambda texts: texts):
        with pytest.raises(ConfigurationError, match="embedder is"):
            Embedders(wrong, "kb")  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="unknown embedder 'hush'"):
        as_embedder("hush")


def test_it_is_rebuilt_from_text_once_and_its_recent_queries_are_kept() -> None:
    embedders = Embedders(..., "kb")
    rebuilt = embedders.of(STORED)
    assert rebuilt.identity == HASH.identity
    assert embedders.of(STORED) is rebuilt
    assert rebuilt.embed_query("cats") is rebuilt.embed_query("cats")
    with pytest.raises(ConfigurationError, match=r"brought their vectors along.*reembed"):
        embedders.of(BROUGHT)


def test_the_given_object_is_used() -> None:
    assert Embedders(MINE, "kb").of(CODE).embedder is MINE


def test_a_text_form_that_means_another_embedder_here_is_refused() -> None:
    there = EmbedderIdentity("hash", "code:hash-0", dim=32, pooling="sum")
    with pytest.raises(ConfigurationError, match="weights 'code:hash-0' there and 'code:hash-1'"):
        Embedders(..., "kb").of(Space(1, there, "hash(dim=32)", 32))


def test_after_another_process_has_changed_the_embedder() -> None:
    """What can be rebuilt is; code that nobody gave is asked for."""
    embedders = Embedders(HASH, "kb")
    changed = HashEmbedder(dim=64)
    assert embedders.of(Space(4, changed.identity, changed.spec, 64)).dim == 64
    with pytest.raises(ConfigurationError, match="'mine' and is opened with"):
        embedders.of(CODE)
    embedders.adopt(MINE)
    assert embedders.of(CODE).embedder is MINE
    assert embedders.of(STORED).embedder is HASH
