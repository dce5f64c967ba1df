"""Diversity: MMR by hand, hits by turns, at most so many of a kind."""

import numpy as np
import pytest

from plait.embedders import HashEmbedder
from plait.errors import ConfigurationError
from plait.refining import AtMost, Mmr, RoundRobin, parse_diversity
from plait.text import Analyzer
from plait.types import Chunk, Hit


def hit(text, rank, score=None, kind="fusion", **fields):
    return Hit(Chunk(text, **fields), score, rank, kind)


def scored(*pairs):
    return [hit(text, rank, score) for rank, (text, score) in enumerate(pairs, start=1)]


def order(refined):
    return "".join(each.chunk.content for each in refined.hits)


class TestMmr:
    def test_by_hand(self):
        # Relevance by min-max of 5, 4, 3, 1: 1, 0.75, 0.5, 0. Similarities are cosines.
        vectors = {"a": (1, 0), "b": (1, 0), "c": (0.6, 0.8), "d": (0, 1)}
        scores = (5.0, 4.0, 3.0, 1.0)
        hits = [
            hit(text, rank, score, embedding=vector)
            for rank, ((text, vector), score) in enumerate(
                zip(vectors.items(), scores, strict=True), start=1
            )
        ]
        # With balance 0.5, behind a:  b 0.375 - 0.5 = -0.125   c 0.25 - 0.3 = -0.05   d 0 - 0 = 0
        # behind a and d:              b -0.125                 c 0.25 - 0.4 = -0.15
        refined = Mmr(0.5)(hits)
        assert order(refined) == "adbc"
        # With balance 0.8, behind a:  b 0.6 - 0.2 = 0.4        c 0.4 - 0.12 = 0.28    d 0
        assert order(Mmr(0.8)(hits)) == "abcd"

    def test_ranks_are_new_and_scores_are_not(self):
        hits = scored(("red apple", 3.0), ("red apple", 2.9), ("blue sky", 1.0))
        refined = Mmr(0.3)(hits)
        assert [(each.rank, each.score, each.score_kind) for each in refined.hits] == [
            (1, 3.0, "fusion"),
            (2, 1.0, "fusion"),
            (3, 2.9, "fusion"),
        ]
        assert (refined.step, refined.before, refined.after) == ("mmr(balance=0.3)", 3, 3)
        assert refined.notes == (
            "mmr(balance=0.3) chose its own order, which is not that of the scores",
            "relevance by score, similarity by common terms",
        )
        assert [each.rank for each in hits] == [1, 2, 3]

    def test_balance_one_keeps_the_order_and_zero_only_varies(self):
        hits = scored(("a b", 3.0), ("a b", 2.0), ("a c", 1.5), ("d", 1.0))
        assert order(Mmr(1)(hits)) == "a ba ba cd"
        assert Mmr(1)(hits).notes == ("relevance by score, similarity by common terms",)
        # Behind "a b" nothing is like "d"; then "a c" shares 1 of 3 terms, "a b" all.
        assert order(Mmr(0)(hits)) == "a bda ca b"

    def test_none_and_one(self):
        assert Mmr()([]).hits == ()
        (only,) = Mmr()([hit("a", 4, 0.5)]).hits
        assert (only.rank, only.score) == (1, 0.5)

    def test_equal_hits_keep_their_order(self):
        hits = [hit("same", rank, 1.0, id=f"{rank}") for rank in range(1, 6)]
        assert [each.chunk.id for each in Mmr()(hits).hits] == ["1", "2", "3", "4", "5"]

    def test_flat_scores_are_all_relevant(self):
        assert order(Mmr(0.9)(scored(("a", 1.0), ("a", 1.0), ("b", 1.0)))) == "aba"

    @pytest.mark.parametrize(
        "hits",
        [
            scored(("a", 3.0), ("a", None), ("b", 1.0)),
            [hit("a", 1, 2.0, "rerank"), hit("a", 2, 0.9), hit("b", 3, 0.1)],
            scored(("a", 1.0), ("a", 2.0), ("b", 3.0)),
        ],
        ids=["a missing score", "scores of two kinds", "an order that is not theirs"],
    )
    def test_scores_that_cannot_be_compared_are_not_used(self, hits):
        # By rank: relevance 1, 0.5, 0. Behind a: a 0.3 - 0.4 = -0.1, b 0 - 0 = 0.
        refined = Mmr(0.6)(hits)
        assert order(refined) == "aba"
        assert refined.notes[-1] == "relevance by rank, similarity by common terms"

    class TestSimilarity:
        def test_embeddings_of_the_chunks_come_first(self):
            hits = [
                hit("same words", 1, 3.0, embedding=(1, 0)),
                hit("same words", 2, 2.0, embedding=(0, 1)),
                hit("other words", 3, 1.0, embedding=(2, 0)),
            ]
            refined = Mmr(0.5, embedder=HashEmbedder(dim=16))(hits)
            assert [each.chunk.embedding.tolist() for each in refined.hits] == [
                [1, 0],
                [0, 1],
                [2, 0],
            ]
            assert refined.notes[-1] == "relevance by score, similarity by the chunks' embeddings"

        def test_an_embedder_where_one_lacks_them(self):
            hits = [hit("red apple", 1, 3.0, embedding=(1, 0)), *scored(("red apple", 2.0))]
            assert Mmr(embedder=HashEmbedder(dim=16))(hits).notes[-1].endswith("the embedder")
            assert Mmr()(hits).notes[-1].endswith("common terms")

        def test_embeddings_of_two_lengths_are_not_compared(self):
            hits = [hit("a", 1, 2.0, embedding=(1, 0)), hit("b", 2, 1.0, embedding=(1, 0, 0))]
            assert Mmr()(hits).notes[-1].endswith("common terms")

        def test_a_vector_of_zeros_is_like_none_and_opposites_are_not_less(self):
            hits = [
                hit("a", 1, 1.0, embedding=(1, 0)),
                hit("b", 2, 1.0, embedding=(0, 0)),
                hit("c", 3, 1.0, embedding=(-1, 0)),
            ]
            assert order(Mmr(0.5)(hits)) == "abc"

        def test_terms_are_the_analyzers(self):
            hits = scored(("run", 3.0), ("running", 2.0), ("walk", 1.0))
            assert order(Mmr(0.5)(hits)) == "runrunningwalk"
            pytest.importorskip("Stemmer")
            stemmed = Mmr(0.5, analyzer=Analyzer(language="en"))(hits)
            assert order(stemmed) == "runwalkrunning"

        def test_texts_without_terms_are_the_same(self):
            refined = Mmr(0.3)(scored(("", 3.0), ("!", 2.9), ("a", 1.0)))
            assert [each.score for each in refined.hits] == [3.0, 1.0, 2.9]

    @pytest.mark.parametrize("balance", [-0.1, 1.1, float("nan"), True, "0.5", None])
    def test_balance_is_between_0_and_1(self, balance):
        with pytest.raises(ConfigurationError, match="expected a number from 0"):
            Mmr(balance)

    def test_a_number_of_numpy_will_do(self):
        assert Mmr(np.float64(0.5)).balance == 0.5


def labeled(*labels):
    return [
        hit(f"{n}", n, 1 / n, metadata={} if label is None else {"kind": label})
        for n, label in enumerate(labels, start=1)
    ]


class TestRoundRobin:
    def test_each_kind_takes_its_turn(self):
        refined = RoundRobin("kind")(labeled("x", "x", "x", "y", "y", "z"))
        assert order(refined) == "146253"
        assert [each.rank for each in refined.hits] == [1, 2, 3, 4, 5, 6]
        assert [each.score for each in refined.hits][:2] == [1.0, 1 / 4]
        assert refined.step == "round_robin(by='kind')"

    def test_hits_without_the_field_are_alone(self):
        assert order(RoundRobin("kind")(labeled("x", "x", None, None))) == "1342"

    def test_true_is_not_1_and_lists_are_values(self):
        assert order(RoundRobin("kind")(labeled(1, 1.0, True, [1], [1]))) == "13425"

    def test_by_document(self):
        hits = [hit(f"{n}", n, document_id=of) for n, of in enumerate("aab", start=1)]
        assert order(RoundRobin()(hits)) == "132"

    def test_nothing_to_do(self):
        assert RoundRobin("kind")(labeled("x", "x")).notes == ()
        assert RoundRobin()([]).hits == ()


class TestAtMost:
    def test_more_of_a_kind_come_last_and_none_is_lost(self):
        assert order(AtMost(1, "kind")(labeled("x", "x", "y", "x", "z"))) == "13524"
        assert order(AtMost(2, "kind")(labeled("x", "x", "y", "x", "z"))) == "12354"

    def test_hits_without_the_field_are_alone(self):
        assert order(AtMost(1, "kind")(labeled(None, None, "x", "x"))) == "1234"

    @pytest.mark.parametrize("count", [0, -1, True, 1.0, None])
    def test_count_is_a_positive_int(self, count):
        with pytest.raises(ConfigurationError, match="expected an int >= 1"):
            AtMost(count)


@pytest.mark.parametrize("kind", [RoundRobin, lambda by: AtMost(1, by)])
@pytest.mark.parametrize("by", ["", " ", None, 5])
def test_what_is_no_field(kind, by):
    with pytest.raises(ConfigurationError, match="field is"):
        kind(by)


class TestParse:
    @pytest.mark.parametrize("kind", [Mmr(), Mmr(0.25), RoundRobin("lang"), AtMost(3, "a.b")])
    def test_text_forms_parse_back(self, kind):
        assert parse_diversity(str(kind)) == kind

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("maximal", "unknown diversity 'maximal', expected one such as mmr"),
            ("mmr(lambda_=0.5)", "unexpected keyword argument 'lambda_'; write one such as mmr"),
            ("at_most", "missing a required argument: 'count'"),
            ("mmr(balance=2)", "balance is 2"),
            ("mmr 0.5", "not of the form"),
        ],
    )
    def test_others_are_refused(self, text, message):
        with pytest.raises(ConfigurationError, match=message):
            parse_diversity(text)
