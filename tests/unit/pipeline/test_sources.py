import pytest

from plait.collection import open as open_collection
from plait.dense import DenseRetriever
from plait.embedders import HashEmbedder
from plait.errors import ConfigurationError
from plait.hybrid import HybridRetriever, Leg
from plait.lexical import BM25Retriever
from plait.pipeline import Rag
from plait.pipeline.sources import (
    as_hybrid,
    collection_of,
    documents_of,
    embedders_of,
    vectors_of,
)
from plait.types import Chunk

CHUNKS = [Chunk(f"part {n}", document_id="doc", index=n).with_id() for n in range(3)]


def test_a_hybrid_stays_itself():
    hybrid = HybridRetriever([BM25Retriever()])
    assert as_hybrid(hybrid) is hybrid


@pytest.mark.parametrize(
    "source",
    [
        BM25Retriever(CHUNKS),
        Leg("bm25", BM25Retriever(CHUNKS)),
        [BM25Retriever(CHUNKS)],
        {"bm25": BM25Retriever(CHUNKS)},
    ],
)
def test_what_may_be_a_leg_becomes_one(source):
    assert [leg.name for leg in as_hybrid(source).legs] == ["bm25"]


def test_a_path_is_told_where_to_go():
    with pytest.raises(ConfigurationError, match=r"write plait\.open\('./kb'\)"):
        as_hybrid("./kb")
    with pytest.raises(ConfigurationError, match="expected a Retriever"):
        as_hybrid(3)


@pytest.fixture
def kb(tmp_path):
    with open_collection(tmp_path, "faq", embedder="hash(dim=32)") as opened:
        opened.add(CHUNKS)
        yield opened


def test_a_collection_stays_one_inside_what_searches_it_alone(kb):
    named = kb.retriever(name="mine")
    with kb.snapshot() as snapshot:
        for source in (kb, named, snapshot, [named], Rag(kb), Rag([named])):
            assert collection_of(as_hybrid(source)) == "faq"
            documents = documents_of(as_hybrid(source))
            assert [chunk.id for chunk in documents("doc")] == ["doc#0", "doc#1", "doc#2"]
            assert set(vectors_of(as_hybrid(source))(["doc#1"])) == {"doc#1"}
            assert embedders_of(as_hybrid(source))[0] == "hash(dim=32)"
    assert collection_of(as_hybrid([named, BM25Retriever(CHUNKS)])) is None
    assert collection_of(as_hybrid(BM25Retriever())) is None


def test_an_embedder_counts_if_its_leg_runs(kb):
    dense = DenseRetriever(CHUNKS, embedder=HashEmbedder(dim=16))
    model = dense.embedder.identity.model
    source = {"dense": dense, "bm25": BM25Retriever(CHUNKS), "kb": kb.retriever()}
    assert embedders_of(as_hybrid(source)) == (
        "hash(dim=16)", model, "hash(dim=32)", model,
    )  # fmt: skip
    weighed = HybridRetriever(source, weights={"kb": 0.0})
    assert "hash(dim=32)" not in embedders_of(weighed)
    assert embedders_of(as_hybrid(BM25Retriever())) == ()


def test_documents_come_from_a_leg_that_keeps_chunks():
    documents = documents_of(as_hybrid([lambda text: [], BM25Retriever(CHUNKS)]))
    assert [chunk.index for chunk in documents("doc")] == [0, 1, 2]


def test_nothing_may_keep_vectors():
    assert vectors_of(as_hybrid(BM25Retriever(CHUNKS))) is None
