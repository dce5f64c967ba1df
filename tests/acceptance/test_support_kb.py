"""The sample knowledge base: sound in itself, and each leg finds what its README says."""

import json
from collections import Counter
from pathlib import Path

import pytest

from plait import BM25Retriever, DenseRetriever, HybridRetriever, MiniLM
from plait.collection.settings import PRIOR, Settings
from plait.ingest import Document, load, split
from plait.text import Analyzer

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def documents():
    return list(load(EXAMPLES / "support-kb"))


def test_every_file_is_read(documents):
    assert all(isinstance(document, Document) for document in documents)
    assert len({document.id for document in documents}) == len(documents) == 65
    assert len({document.content_hash for document in documents}) == 65


def test_every_document_can_be_filtered(documents):
    texts = [document for document in documents if document.source_path.endswith(".txt")]
    assert len(texts) == 2
    languages = Counter(
        document.metadata["lang"] for document in documents if document not in texts
    )
    assert languages == {"en": 65 - 2 - 9, "de": 3, "ja": 3, "ar": 3}
    assert all("product" in document.metadata for document in documents if document not in texts)
    assert all(document.title for document in documents if document not in texts)


def test_judgments_name_queries_and_documents_that_are_there(documents):
    lines = (EXAMPLES / "support-kb-queries.jsonl").read_text(encoding="utf-8").splitlines()
    queries = {query["_id"]: query["text"] for query in map(json.loads, lines)}
    header, *rows = (EXAMPLES / "support-kb-qrels.tsv").read_text(encoding="utf-8").splitlines()
    judged = [row.split("\t") for row in rows]

    assert header == "query-id\tcorpus-id\tscore"
    assert len(queries) == len(set(queries.values())) == 30
    assert {query for query, _, _ in judged} == set(queries)
    assert {document for _, document, _ in judged} <= {document.id for document in documents}
    assert len({(query, document) for query, document, _ in judged}) == len(judged)
    assert {query for query, _, score in judged if score == "2"} == set(queries)
    assert {score for _, _, score in judged} == {"1", "2"}


@pytest.fixture(scope="module")
def legs(documents):
    model = MiniLM()
    chunks = [
        chunk for document in documents for chunk in split(document, None, model.count_tokens)
    ]
    bm25 = BM25Retriever(chunks, analyzer=Analyzer(language="en"))
    dense = DenseRetriever(chunks, embedder=model)
    new = Settings()  # of a collection that is made without any
    woven = HybridRetriever([dense, bm25], fusion=new.fusion, weights=PRIOR, fetch_k=new.window)
    return {"bm25": bm25, "dense": dense, "woven": woven}


@pytest.mark.model
@pytest.mark.parametrize(
    ("query", "answer", "first", "not_among"),
    [
        ("E1042", "E1042", "bm25", {"dense": 5}),
        (
            "how do I cancel my plan",
            "billing/ending-your-subscription.md",
            "dense",
            {"bm25": 5},
        ),
        (
            "webhook deliveries stop after SYNC-409",
            "api/events-during-conflicts.md",
            None,
            {"bm25": 2, "dense": 2},
        ),
    ],
)
def test_three_searches_find_what_the_readme_says(legs, query, answer, first, not_among):
    def found(leg: str, top_k: int) -> list[str]:
        return [hit.chunk.document_id for hit in legs[leg].retrieve(query, top_k=top_k)]

    assert found("woven", 1) == [answer]
    if first:
        assert found(first, 1) == [answer]
    for leg, places in not_among.items():
        assert answer not in found(leg, places)
