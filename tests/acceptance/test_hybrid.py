"""What the hybrid promises, one test per promise."""

import hashlib
import threading
import time

import pytest

from plait import (
    AllLegsFailedError,
    BM25Retriever,
    Chunk,
    DenseRetriever,
    HashEmbedder,
    HybridRetriever,
)

CHUNKS = [
    Chunk("error E1042 socket closed by the gateway", id="e1042"),
    Chunk("cats purr when they are content", id="cats"),
    Chunk("the gateway restarts at night", id="gateway"),
]


@pytest.fixture
def dense():
    return DenseRetriever(CHUNKS, embedder=HashEmbedder(dim=256))


@pytest.fixture
def bm25():
    return BM25Retriever(CHUNKS)


def down(text):
    raise ConnectionError("no route to host")


def test_the_chunk_with_the_exact_keyword_comes_first(dense, bm25):
    result = HybridRetriever([dense, bm25]).retrieve("E1042")
    assert result[0].id == "e1042"


def test_under_rrf_a_chunk_found_by_both_legs_ranks_above_one_found_by_one():
    one = lambda text: [("only-one", 9.0), ("both", 8.0)]  # noqa: E731
    other = lambda text: [("only-other", 0.9), ("both", 0.1)]  # noqa: E731
    known = {name: Chunk(name, id=name) for name in ("both", "only-one", "only-other")}
    hybrid = HybridRetriever({"one": one, "other": other}, lookup=lambda ids: known)
    result = hybrid.retrieve("q")
    assert result[0].id == "both"
    assert result[0].score == pytest.approx(2 / (60 + 2))
    assert result[1].score == pytest.approx(1 / (60 + 1))


def test_one_leg_down_is_survived_and_visible(bm25):
    result = HybridRetriever({"dense": down, "bm25": bm25}).retrieve("E1042")
    assert result[0].id == "e1042"
    assert result.degraded
    assert [report.status for report in result.legs] == ["error", "ok"]
    assert "no route to host" in result.legs[0].error
    assert "no route to host" in result.explain()


def test_all_legs_down_raises():
    with pytest.raises(AllLegsFailedError, match="no route to host"):
        HybridRetriever({"dense": down, "bm25": down}).retrieve("E1042")


class Watched:
    """A leg that notes when it ran."""

    def __init__(self, name, work, barrier):
        self.__name__ = name
        self._work = work
        self._barrier = barrier

    def __call__(self, text):
        self._barrier.wait(30)
        self.started = time.monotonic()
        self._work()
        self.ended = time.monotonic()
        return [Chunk(self.__name__, id=self.__name__)]


def wait():
    time.sleep(0.4)


def compute():
    # OpenSSL's key derivation: native code that releases the interpreter's lock.
    hashlib.pbkdf2_hmac("sha256", b"password", b"salt", 600_000)


@pytest.mark.parametrize("work", [wait, compute])
def test_two_legs_cost_what_the_slower_one_costs(work):
    barrier = threading.Barrier(2)
    one, other = Watched("one", work, barrier), Watched("other", work, barrier)
    started = time.monotonic()
    HybridRetriever([one, other]).retrieve("q")
    total = time.monotonic() - started
    # They ran at the same time, so the query took less than both of them one after the other.
    assert one.started < other.ended
    assert other.started < one.ended
    assert total < (one.ended - one.started) + (other.ended - other.started)


def test_a_filter_never_leaks(dense, bm25):
    chunks = [Chunk(f"E1042 of {who}", id=f"{who}-{n}", metadata={"tenant": who})
              for who in ("acme", "evil") for n in range(20)]  # fmt: skip
    hybrid = HybridRetriever([dense, bm25])
    hybrid.clear()
    hybrid.add(chunks)
    result = hybrid.retrieve("E1042 of evil", top_k=50, filter={"tenant": "acme"})
    assert len(result) == 20
    assert {hit.chunk.metadata["tenant"] for hit in result} == {"acme"}


def test_a_deleted_chunk_is_gone_from_every_leg(dense, bm25):
    hybrid = HybridRetriever([dense, bm25])
    assert hybrid.delete(ids=["e1042"]) == 1
    assert "e1042" not in [hit.id for hit in hybrid.retrieve("E1042")]


def test_a_leg_that_keeps_no_chunks_does_not_change_the_winner(dense, bm25):
    hybrid = HybridRetriever([dense, bm25])
    result = hybrid.retrieve("zzz qqq")
    assert [report.status for report in result.legs] == ["ok", "empty"]
    alone = dense.retrieve("zzz qqq")
    assert [hit.id for hit in result] == [hit.id for hit in alone]
