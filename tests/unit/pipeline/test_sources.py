import pytest

from plait.collection import open as open_collection
from plait.errors import ConfigurationError
from plait.hybrid import HybridRetriever, Leg
from plait.lexical import BM25Retriever
from plait.pipeline.sources import as_hybrid, collection_of, documents_of
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


def test_a_collection_has_a_name_and_documents(tmp_path):
    with open_collection(tmp_path, "faq", embedder=None) as kb:
        kb.add(CHUNKS)
        for source in (kb, kb.retriever()):
            assert collection_of(source) == "faq"
            documents = documents_of(source, as_hybrid(source))
            assert [chunk.id for chunk in documents("doc")] == ["doc#0", "doc#1", "doc#2"]
    assert collection_of(BM25Retriever()) is None


def test_documents_come_from_a_leg_that_keeps_chunks():
    source = [lambda text: [], BM25Retriever(CHUNKS)]
    documents = documents_of(source, as_hybrid(source))
    assert [chunk.index for chunk in documents("doc")] == [0, 1, 2]
