"""Values of rows, and what tells that they are as they were written."""

from __future__ import annotations

import json

import pytest

from plait.collection.stored import (
    Space,
    settings_checksum,
    space_fingerprint,
    stored_space,
)
from plait.embedders import HashEmbedder

IDENTITY = HashEmbedder(dim=8).identity
SHOWN = json.dumps(IDENTITY.to_dict())


def test_a_space_is_read_back() -> None:
    fingerprint = space_fingerprint(IDENTITY, 8)
    expected = Space(1, IDENTITY, "hash(dim=8)", 8)
    assert stored_space(1, fingerprint, SHOWN, "hash(dim=8)", 8) == expected
    brought = space_fingerprint(None, 3)
    assert stored_space(2, brought, None, None, 3) == Space(2, None, None, 3)


@pytest.mark.parametrize(
    "identity", ["", "{", "[]", "{}", SHOWN.replace("hash", "hasj"), SHOWN.replace("dim", "din")]
)
def test_a_space_that_is_not_as_it_was_written_is_none(identity: str) -> None:
    assert stored_space(1, space_fingerprint(IDENTITY, 8), identity, None, 8) is None


def test_spaces_that_do_not_compare_have_different_fingerprints() -> None:
    others = [HashEmbedder(dim=16).identity, None]
    assert len({space_fingerprint(each, 8) for each in [IDENTITY, *others]}) == 3
    assert space_fingerprint(None, 8) != space_fingerprint(None, 9)


def test_the_checksum_of_settings_does_not_depend_on_their_order() -> None:
    texts = {"fusion": "rsf()", "window": "200"}
    assert settings_checksum(texts) == settings_checksum(dict(reversed(texts.items())))
    for other in ({}, {"fusion": "rsf()"}, {**texts, "window": "201"}, {"fusion": "200"}):
        assert settings_checksum(texts) != settings_checksum(other)
