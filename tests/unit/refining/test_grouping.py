"""Hits of one document, or with one value in a field, are one result."""

from __future__ import annotations

from typing import Any

import pytest

from plait.errors import ConfigurationError
from plait.refining import Grouping, group_hits
from plait.types import Chunk, Hit, ScoreKind


def hit(
    name: str,
    score: float | None,
    document: str | None = None,
    *,
    kind: ScoreKind = "fusion",
    **fields: Any,
) -> Hit:
    return Hit(Chunk(name, id=name, document_id=document, **fields), score, 1, score_kind=kind)


def names(grouped: Any) -> list[list[str]]:
    return [[each.chunk.content for each in group.hits] for group in grouped.groups]


HITS = [hit("a1", 5.0, "a"), hit("b1", 4.0, "b"), hit("b2", 3.0, "b"), hit("a2", 0.5, "a")]


def test_members_are_kept_and_the_best_stands_for_the_group() -> None:
    grouped = group_hits(HITS)
    assert names(grouped) == [["a1", "a2"], ["b1", "b2"]]
    assert [(each.id, each.rank) for each in grouped.hits] == [("a1", 1), ("b1", 2)]
    assert [group.score for group in grouped.groups] == [5.0, 4.0]
    assert (grouped.before, grouped.found, grouped.after) == (4, 2, 2)


def test_the_sum_is_another_order() -> None:
    grouped = group_hits(HITS, Grouping(rule="sum"))
    assert names(grouped) == [["b1", "b2"], ["a1", "a2"]]
    assert [group.score for group in grouped.groups] == [4.0 + 3.0, 5.0 + 0.5]


def test_so_is_the_mean() -> None:
    grouped = group_hits(HITS, Grouping(rule="mean"))
    assert [group.score for group in grouped.groups] == [(4.0 + 3.0) / 2, (5.0 + 0.5) / 2]


def test_equal_groups_are_in_the_order_of_their_best_hits() -> None:
    hits = [hit("a", 2.0, "a"), hit("b", 1.0, "b"), hit("b", 1.0, "b")]
    assert names(group_hits(hits, Grouping(rule="sum"))) == [["a"], ["b", "b"]]


def test_top_k_counts_groups() -> None:
    grouped = group_hits(HITS, top_k=1)
    assert names(grouped) == [["a1", "a2"]]
    assert (grouped.found, grouped.after) == (2, 1)


@pytest.mark.parametrize("top_k", [0, -1, True, 1.0])
def test_a_bad_top_k_is_refused(top_k: Any) -> None:
    with pytest.raises(ConfigurationError, match="top_k of groups"):
        group_hits(HITS, top_k=top_k)


def test_chunks_without_the_field_are_groups_of_their_own() -> None:
    hits = [hit("x", 3.0), hit("y", 2.0), hit("a", 1.0, "a")]
    grouped = group_hits(hits)
    assert names(grouped) == [["x"], ["y"], ["a"]]
    assert grouped.notes == ("2 hits have no document: each is a group of its own",)


def test_a_document_is_known_by_its_source_if_it_has_no_id() -> None:
    hits = [
        hit("a", 4.0, source_path="a.md"),
        hit("b", 3.0, source_uri="a.md"),  # the same text in another field is another document
        hit("c", 2.0, source_path="a.md"),
        hit("d", 1.0, "a.md"),
    ]
    assert names(group_hits(hits)) == [["a", "c"], ["b"], ["d"]]


def test_any_field_of_the_metadata_groups() -> None:
    hits = [
        hit("a", 4.0, metadata={"product": {"tier": 1}}),
        hit("b", 3.0, metadata={"product": {"tier": True}}),  # a bool is no number
        hit("c", 2.0, metadata={"product": {"tier": 1.0}}),
        hit("d", 1.0, metadata={"product": {"tier": "1"}}),
    ]
    assert names(group_hits(hits, "product.tier")) == [["a", "c"], ["b"], ["d"]]


# FAULTS: the list of a reranker or of a diversity step is sorted again behind it.
def test_the_given_order_is_final_for_the_best_rule() -> None:
    hits = [hit("a", 0.1, "a"), hit("b", 0.9, "b"), hit("c", 0.5, "c")]
    assert names(group_hits(hits)) == [["a"], ["b"], ["c"]]


def test_scores_of_different_kinds_are_never_added_or_compared() -> None:
    hits = [
        hit("a1", 0.2, "a", kind="rerank"),
        hit("b1", 0.1, "b", kind="rerank"),
        hit("c1", 9.0, "c"),
        hit("b2", 8.0, "b"),
    ]
    grouped = group_hits(hits, Grouping(rule="sum"))
    assert names(grouped) == [["a1"], ["b1", "b2"], ["c1"]]
    assert [group.score for group in grouped.groups] == [0.2, 0.1, 9.0]


def test_hits_without_scores_keep_their_order() -> None:
    hits = [hit("a", None, "a"), hit("b", None, "b"), hit("a2", None, "a")]
    grouped = group_hits(hits, Grouping(rule="mean"))
    assert names(grouped) == [["a", "a2"], ["b"]]
    assert [group.score for group in grouped.groups] == [None, None]


def test_a_sum_of_negative_scores_is_told() -> None:
    hits = [hit("a", -1.0, "a"), hit("a2", -1.0, "a"), hit("b", -1.5, "b")]
    grouped = group_hits(hits, Grouping(rule="sum"))
    assert names(grouped) == [["b"], ["a", "a2"]]
    assert grouped.notes == ("some scores are negative: their sum is lower for larger groups",)


def test_no_hits_are_no_groups() -> None:
    grouped = group_hits([])
    assert (grouped.groups, grouped.hits, grouped.found, grouped.notes) == ((), (), 0, ())


@pytest.mark.parametrize(
    "grouping", [Grouping(), Grouping("product.tier", "sum"), Grouping("lang", "mean")]
)
def test_the_text_form_parses_back(grouping: Grouping) -> None:
    assert Grouping.parse(str(grouping)) == grouping
    assert Grouping.parse(grouping) is grouping


def test_the_name_of_a_field_is_a_text_form() -> None:
    assert Grouping.parse("lang") == Grouping(by="lang")


@pytest.mark.parametrize("source", ["", "groups(by='a')", "grouping(of='a')", None, 3])
def test_what_is_no_grouping_is_refused(source: Any) -> None:
    with pytest.raises(ConfigurationError):
        Grouping.parse(source)


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="expected one of best, sum, mean"):
        Grouping(rule="max")  # type: ignore[arg-type]
