"""Reranker: one of two methods written, the other derived; how many candidates it sees."""

import asyncio

import pytest

from plait.errors import ConfigurationError, ContractError, QueryError
from plait.rerankers import (
    NoReranker,
    Reranker,
    Reranking,
    TextReranker,
    apply_reranking,
)
from plait.types import Chunk, Hit


class ByLength(Reranker):
    name = "by-length"

    def rerank(self, query, chunks):
        self.seen = (query, chunks)
        return [float(len(chunk.content)) for chunk in chunks]


class ByLengthAsync(Reranker):
    async def arerank(self, query, chunks):
        await asyncio.sleep(0)
        return [float(len(chunk.content)) for chunk in chunks]


HITS = tuple(Hit(Chunk("x" * n), 1 / n, n) for n in range(1, 61))


@pytest.mark.parametrize("kind", [ByLength, ByLengthAsync])
class TestEither:
    def test_both_ways_give_the_same(self, kind):
        sync = kind().decide("q", HITS[:3])
        assert sync.order == (2, 1, 0)
        assert asyncio.run(kind().adecide("q", HITS[:3])) == sync

    def test_sync_inside_a_running_loop(self, kind):
        async def handler():
            return kind().decide("q", HITS[:3])

        assert asyncio.run(handler()).order == (2, 1, 0)


def test_it_sees_rerank_k_candidates_and_never_fewer():
    reranker = ByLength()
    ranked = reranker.decide("the question", HITS)
    assert reranker.seen == ("the question", tuple(hit.chunk for hit in HITS[:50]))
    assert ranked.order == tuple(range(49, -1, -1))
    assert len(reranker.decide("q", HITS, rerank_k=3).order) == 3
    assert len(reranker.decide("q", HITS, rerank_k=1000).order) == 60


def test_hits_behind_rerank_k_stay_behind_in_fused_order():
    hits = apply_reranking(HITS[:5], ByLength().decide("q", HITS[:5], rerank_k=2))
    assert [len(hit.chunk.content) for hit in hits] == [2, 1, 3, 4, 5]
    assert [hit.rerank_score for hit in hits] == [2.0, 1.0, None, None, None]


def test_without_hits_it_is_not_asked():
    class Never(Reranker):
        def rerank(self, query, chunks):
            raise ZeroDivisionError

    assert Never().decide("q", ()).order == ()
    assert asyncio.run(Never().adecide("q", ())).order == ()


@pytest.mark.parametrize("query", ["", "  ", None, 5])
def test_a_query_is_text(query):
    with pytest.raises(QueryError, match="a reranker reads it"):
        ByLength().decide(query, HITS)
    with pytest.raises(QueryError, match="a reranker reads it"):
        asyncio.run(ByLength().adecide(query, HITS))


@pytest.mark.parametrize("rerank_k", [0, -1, True, 2.0, None])
def test_rerank_k_is_a_positive_int(rerank_k):
    with pytest.raises(QueryError, match="rerank_k is"):
        ByLength().decide("q", HITS, rerank_k=rerank_k)


def test_an_answer_is_checked_in_the_name_of_the_reranker():
    class Broken(Reranker):
        name = "broken"

        def rerank(self, query, chunks):
            return [float("nan")]

    with pytest.raises(ContractError, match="reranker 'broken': score nan at place 1"):
        Broken().decide("q", HITS[:1])


def test_what_it_raises_is_raised():
    class Failing(Reranker):
        async def arerank(self, query, chunks):
            raise ConnectionError("down")

    with pytest.raises(ConnectionError, match="down"):
        Failing().decide("q", HITS)


def test_one_of_the_two_is_written():
    class Neither(Reranker):
        pass

    with pytest.raises(ConfigurationError, match="Neither has neither rerank nor arerank"):
        Neither().decide("q", HITS)
    with pytest.raises(ConfigurationError, match="Neither has neither rerank nor arerank"):
        asyncio.run(Neither().adecide("q", HITS))
    assert not ByLength().only_async
    assert ByLengthAsync().only_async


def test_no_reranker_changes_nothing():
    ranked = NoReranker().decide("q", HITS[:3])
    assert ranked == Reranking((), (), "none")
    assert apply_reranking(HITS[:3], ranked) == HITS[:3]
    assert NoReranker().describe() == {"type": "NoReranker", "name": "none"}


class TestText:
    chunk = Chunk("Within 14 days.", title="Refunds", section="Billing > Refunds")

    def test_a_passage_is_what_is_indexed(self):
        assert TextReranker("r").passages([self.chunk]) == [
            "Refunds\nBilling > Refunds\nWithin 14 days."
        ]

    def test_or_what_the_caller_makes_of_it(self):
        reranker = TextReranker("r", text=lambda chunk: chunk.content.upper())
        assert reranker.passages([self.chunk]) == ["WITHIN 14 DAYS."]

    def test_it_has_to_be_text(self):
        reranker = TextReranker("r", text=lambda chunk: chunk.page)
        with pytest.raises(ConfigurationError, match="text= gave NoneType for chunk 0"):
            reranker.passages([self.chunk])

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"name": ""}, "name is ''"),
            ({"name": None}, "name is None"),
            ({"name": "r", "text": "content"}, "text is 'content', expected a function"),
        ],
    )
    def test_bad_parameters(self, arguments, message):
        with pytest.raises(ConfigurationError, match=message):
            TextReranker(**arguments)
