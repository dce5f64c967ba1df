"""Reranking: what a reranker may answer, and what becomes of the hits."""

import math
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from plait.errors import ContractError, LegError
from plait.rerankers import Reranking, apply_reranking, to_reranking
from plait.types import Chunk, Contribution, Hit

CHUNKS = tuple(Chunk(text, id=text) for text in ("a", "b", "c"))


def fused(*texts):
    """Hits as a fusion leaves them: 1/(60 + r) from one leg."""
    return tuple(
        Hit(
            Chunk(text, id=text, metadata={"n": rank}),
            score=1 / (60 + rank),
            rank=rank,
            score_kind="fusion",
            source="hybrid",
            legs=("bm25",),
            retrieval_score=9.0 - rank,
            fusion_score=1 / (60 + rank),
            contributions=(
                Contribution("bm25", rank, 9.0 - rank, 1 / (60 + rank), 1.0, 1 / (60 + rank)),
            ),
        )
        for rank, text in enumerate(texts, start=1)
    )


def ids(hits):
    return "".join(hit.chunk.content for hit in hits)


class TestScores:
    def test_a_score_for_each_chunk_orders_them(self):
        assert to_reranking([0.2, 0.9, 0.5], CHUNKS, "r") == Reranking(
            (1, 2, 0), (0.9, 0.5, 0.2), "r"
        )

    def test_equal_ones_keep_the_fused_order(self):
        assert to_reranking([0.5, 0.9, 0.5], CHUNKS, "r").order == (1, 0, 2)
        assert to_reranking([0.0, -0.0, 0.0], CHUNKS, "r").order == (0, 1, 2)

    def test_none_is_not_scored_and_zero_is(self):
        assert to_reranking([None, 0.0, -1.0], CHUNKS, "r") == Reranking((1, 2), (0.0, -1.0), "r")
        assert to_reranking([None, None, None], CHUNKS, "r").order == ()

    @pytest.mark.parametrize(
        "scores",
        [
            (1, 3, 2),
            np.array([0.1, 0.3, 0.2], dtype=np.float32),
            np.array([1, 3, 2], dtype=np.int64),
            (score for score in (0.1, 0.3, 0.2)),
            [np.float32(0.1), np.int64(3), 0.2],
        ],
    )
    def test_numbers_of_any_kind_in_any_sequence(self, scores):
        ranked = to_reranking(scores, CHUNKS, "r")
        assert ranked.order == (1, 2, 0)
        assert all(type(score) is float for score in ranked.scores)

    @pytest.mark.parametrize(
        ("scores", "said"),
        [
            ([0.1, math.nan, 0.2], "score nan at place 2"),
            ([0.1, 0.2, math.inf], "score inf at place 3"),
            ([10**400, 0.2, 0.1], "at place 1"),
            ([0.1, True, 0.2], "score True at place 2"),
            ([0.1, "0.9", 0.2], "score '0.9' at place 2"),
            (np.array([0.1, np.nan, 0.2]), "score nan at place 2"),
            ([0.1, 0.2], "2 scores for 3 chunks"),
            ([], "0 scores for 3 chunks"),
            ([0.1, 0.2, 0.3, 0.4], "more entries than its 3 chunks"),
            ({0: 0.1}, "returned dict"),
            ({0.1, 0.2, 0.3}, "returned set"),
            ("abc", "returned str"),
            (None, "returned NoneType"),
            (0.5, "returned float"),
            (np.float32(0.5), "returned float"),
        ],
    )
    def test_what_is_no_score_is_refused_with_its_place(self, scores, said):
        with pytest.raises(ContractError, match="reranker 'mine'") as caught:
            to_reranking(scores, CHUNKS, "mine")
        assert said in str(caught.value)
        assert caught.value.leg == "mine"
        assert isinstance(caught.value, LegError)

    def test_an_endless_answer_is_not_read_to_its_end(self):
        def endless():
            while True:
                yield 0.5

        with pytest.raises(ContractError, match="more entries than its 3 chunks"):
            to_reranking(endless(), CHUNKS, "r")

    def test_ints_that_may_be_positions_are_refused(self):
        with pytest.raises(ContractError, match=r"may be scores or positions.*Reranking\(order\)"):
            to_reranking([2, 0, 1], CHUNKS, "r")
        # These cannot be positions of all three, so they are scores.
        assert to_reranking([2, 0, 2], CHUNKS, "r").order == (0, 2, 1)
        assert to_reranking([0], CHUNKS[:1], "r").scores == (0.0,)


class TestPairs:
    def test_their_order_is_final_whatever_the_scores_say(self):
        pairs = [(2, 0.1), (0, 0.9)]
        assert to_reranking(pairs, CHUNKS, "r") == Reranking((2, 0), (0.1, 0.9), "r")

    def test_lists_numpy_positions_and_missing_scores(self):
        assert to_reranking([[np.int64(1), None], (0, 3)], CHUNKS, "r") == Reranking(
            (1, 0), (None, 3.0), "r"
        )

    @pytest.mark.parametrize(
        ("pairs", "said"),
        [
            ([(0, 0.5), (3, 0.4)], "position 3 at place 2 of 3 chunks, expected 0 to 2"),
            ([(-1, 0.5)], "position -1 at place 1"),
            ([(1, 0.5), (1, 0.4)], "position 1 at place 2 is there twice"),
            ([(True, 0.5)], "position True at place 1"),
            ([(0.0, 0.5)], "position 0.0 at place 1"),
            ([("a", 0.5)], "position 'a' at place 1"),
            ([(0, math.nan)], "score nan at place 1"),
            ([(0, False)], "score False at place 1"),
            ([(0, 0.5), 1], "returned 1 at place 2"),
            ([(0, 0.5, 1)], "returned (0, 0.5, 1) at place 1"),
        ],
    )
    def test_what_is_no_pair_is_refused_with_its_place(self, pairs, said):
        with pytest.raises(ContractError, match="reranker 'mine'") as caught:
            to_reranking(pairs, CHUNKS, "mine")
        assert said in str(caught.value)


class TestChunks:
    def test_the_given_ones_in_another_order(self):
        answer = [CHUNKS[index] for index in (2, 0, 1)]
        assert to_reranking(answer, CHUNKS, "r") == Reranking((2, 0, 1), (), "r")

    def test_with_scores_and_copies(self):
        copy = Chunk("b, shortened", id="b")
        assert to_reranking([(copy, 0.5)], CHUNKS, "r") == Reranking((1,), (0.5,), "r")

    def test_chunks_without_ids_are_found_by_identity_then_by_value(self):
        twins = (Chunk("same"), Chunk("same"), Chunk("other"))
        assert to_reranking([twins[1], twins[0]], twins, "r").order == (1, 0)
        assert to_reranking([Chunk("other")], twins, "r").order == (2,)

    def test_one_twice_and_a_foreign_one(self):
        with pytest.raises(ContractError, match="position 0 at place 2 is there twice"):
            to_reranking([CHUNKS[0], CHUNKS[0]], CHUNKS, "r")
        with pytest.raises(ContractError, match="a chunk that it was not given at place 1"):
            to_reranking([Chunk("new", id="new")], CHUNKS, "r")
        with pytest.raises(ContractError, match="a chunk that it was not given at place 1"):
            to_reranking([Chunk("new")], CHUNKS, "r")


class TestReranking:
    def test_it_is_a_frozen_value_of_tuples(self):
        ranked = Reranking([np.int64(1), 0], [1, None])
        assert ranked == Reranking((1, 0), (1.0, None))
        assert [type(position) for position in ranked.order] == [int, int]
        with pytest.raises(FrozenInstanceError):
            ranked.order = ()

    def test_an_order_of_positions_without_scores(self):
        ranked = to_reranking(Reranking((2, 0, 1), notes=("n",)), CHUNKS, "mine")
        assert ranked == Reranking((2, 0, 1), (None, None, None), "mine", ("n",))

    def test_scores_of_another_number(self):
        with pytest.raises(ContractError, match="2 positions and 1 scores"):
            Reranking((0, 1), (0.5,))

    def test_a_position_past_the_chunks(self):
        with pytest.raises(ContractError, match="position 5 at place 1 of 3 chunks"):
            to_reranking(Reranking((5,)), CHUNKS, "r")


class TestApply:
    def test_an_order_without_scores_is_kept(self):
        # A reranker that returns its hits in another order must not be a no-op.
        hits = apply_reranking(fused("a", "b", "c"), Reranking((2, 0, 1)))
        assert ids(hits) == "cab"
        assert [hit.rank for hit in hits] == [1, 2, 3]
        assert [hit.rerank_score for hit in hits] == [None, None, None]
        assert [hit.score for hit in hits] == [1 / (60 + 3), 1 / (60 + 1), 1 / (60 + 2)]
        assert {hit.score_kind for hit in hits} == {"fusion"}

    def test_hits_without_a_rerank_score_come_after_with_their_own(self):
        # One of three scored, 0.2 below the fused scores of others: the others get no 0.2 or 0.9.
        hits = apply_reranking(fused("a", "b", "c"), Reranking((1,), (-4.0,)))
        assert ids(hits) == "bac"
        assert [hit.rerank_score for hit in hits] == [-4.0, None, None]
        assert [hit.score for hit in hits] == [-4.0, 1 / (60 + 1), 1 / (60 + 3)]
        assert [hit.score_kind for hit in hits] == ["rerank", "fusion", "fusion"]
        assert [hit.fusion_score for hit in hits] == [1 / 62, 1 / 61, 1 / 63]

    def test_everything_else_of_a_hit_stays(self):
        before = fused("a", "b")
        after = apply_reranking(before, Reranking((1, 0), (2.0, 1.0)))
        for hit, was in zip(after, (before[1], before[0]), strict=True):
            scored = {"rank": was.rank, "score": was.score, "score_kind": "fusion"}
            assert replace(hit, rerank_score=None, **scored) == was
            assert hit.chunk is was.chunk

    def test_the_given_hits_and_their_chunks_are_not_changed(self):
        before = fused("a", "b")
        copies = fused("a", "b")
        apply_reranking(before, Reranking((1, 0), (2.0, 1.0)))
        assert before == copies
        assert dict(before[0].chunk.metadata) == {"n": 1}

    def test_an_earlier_rerank_score_does_not_live_on(self):
        once = apply_reranking(fused("a", "b"), Reranking((0, 1), (3.0, 2.0)))
        twice = apply_reranking(once, Reranking((1,), (7.0,)))
        assert [hit.rerank_score for hit in twice] == [7.0, None]

    def test_nothing_placed_nothing_moved(self):
        assert apply_reranking(fused("a", "b"), Reranking(())) == fused("a", "b")
        assert apply_reranking((), Reranking(())) == ()

    def test_a_position_past_the_hits(self):
        with pytest.raises(ContractError, match="position 2 at place 1 of 2 chunks"):
            apply_reranking(fused("a", "b"), Reranking((2,)))
