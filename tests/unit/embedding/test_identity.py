"""Which embedders are the same, and the keys of their vectors."""

import dataclasses
import json
from hashlib import sha256

import pytest

from plait.embedding import (
    EmbedderIdentity,
    text_key,
)
from plait.errors import ConfigurationError


def identity(**changes):
    return dataclasses.replace(EmbedderIdentity("m", "sha256:1", dim=3), **changes)


OTHERS = [
    {"weights": "sha256:2"},
    {"dim": 4},
    {"pooling": "cls"},
    {"normalize": False},
    {"max_tokens": 128},
    {"query_prefix": "query: "},
    {"passage_prefix": "passage: "},
]


class TestIdentity:
    def test_the_model_is_a_name_to_show_and_not_part_of_what_it_is(self):
        assert identity(model="a copy elsewhere") == identity()
        assert hash(identity(model="a copy elsewhere")) == hash(identity())
        assert text_key(identity(model="a copy elsewhere"), "x") == text_key(identity(), "x")

    @pytest.mark.parametrize("change", OTHERS, ids=lambda change: next(iter(change)))
    def test_everything_else_makes_another_embedder_and_another_key(self, change):
        assert identity(**change) != identity()
        assert text_key(identity(**change), "x") != text_key(identity(), "x")

    def test_round_trip_through_json(self):
        full = identity(max_tokens=256, query_prefix="q: ", pooling="mean")
        stored = json.loads(json.dumps(full.to_dict()))
        assert EmbedderIdentity.from_dict(stored) == full
        assert EmbedderIdentity.from_dict(stored).model == "m"

    @pytest.mark.parametrize(
        "stored",
        [{}, None, [], {**identity().to_dict(), "more": 1}, {"model": "m", "weights": "w"}],
    )
    def test_a_stored_form_with_other_fields_is_refused(self, stored):
        with pytest.raises(ConfigurationError, match="identity of an embedder"):
            EmbedderIdentity.from_dict(stored)

    @pytest.mark.parametrize(
        "change",
        [
            {"dim": 0}, {"dim": True}, {"dim": 2.0}, {"dim": None}, {"max_tokens": 0},
            {"max_tokens": "9"}, {"normalize": 1}, {"model": ""}, {"weights": ""},
            {"query_prefix": None}, {"pooling": 3},
        ],
        ids=str,
    )  # fmt: skip
    def test_fields_out_of_range_are_refused_by_name(self, change):
        with pytest.raises(ConfigurationError, match=next(iter(change))):
            identity(**change)

    def test_prefixes_are_part_of_what_is_sent(self):
        named = identity(query_prefix="query: ", passage_prefix="passage: ")
        assert named.as_query("x") == "query: x"
        assert named.as_passage("x") == "passage: x"


class TestTextKey:
    def test_is_the_same_in_every_process(self):
        """Stores keep it, so its form must not change."""
        fields = (
            '{"dim": 3, "max_tokens": null, "normalize": true, "passage_prefix": "", '
            '"pooling": "", "query_prefix": "", "weights": "sha256:1"}'
        )
        expected = sha256(sha256(fields.encode()).digest() + b"x").digest()
        assert text_key(identity(), "x") == expected
        assert len(expected) == 32

    def test_texts_differ_by_what_is_sent(self):
        assert text_key(identity(), "query: x") != text_key(identity(), "x")
        assert text_key(identity(), "") != text_key(identity(), " ")
