import inspect

import pytest

import plait
from plait.collection import open as open_collection
from plait.errors import ConfigurationError, QueryError
from plait.pipeline import Rag, RagBuilder, rag
from plait.types import Chunk


@pytest.fixture
def folder(tmp_path):
    with open_collection(tmp_path, embedder="hash(dim=32)") as kb:
        kb.add([Chunk(f"plan {n}", document_id="plans", index=n) for n in range(9)])
    return tmp_path


def test_the_root_has_it_also_once_the_package_is_imported():
    assert plait.rag is rag
    assert plait.Rag is Rag


def test_the_retrievers_number_of_hits_is_kept(folder):
    with plait.rag(folder).retriever("hybrid", top_k=8).build() as service:
        assert len(service.search("plan")) == 8


def test_every_word_is_an_argument_of_the_constructor(folder):
    def longest(query, chunks):
        return [float(len(chunk.content)) for chunk in chunks]

    def model(prompt):
        return "other words"

    with (
        (
            rag(folder)
            .retriever("bm25")
            .planner("rewrite", timeout=2.0)
            .rerank(longest, rerank_k=7, timeout=3.0)
            .threshold("leg:bm25>=0.01")
            .threshold("rerank>=0")
            .group("document")
            .expand("section")
            .context(500)
            .model(model, prompt="Be brief.", timeout=4.0)
            .top_k(2)
            .fetch_k(60)
            .deadline(9.0)
            .build()
        ) as service,
        open_collection(folder, read_only=True) as kb,
    ):
        by_hand = Rag(
            kb.retriever(legs=["bm25"]), planner="rewrite", planner_timeout=2.0,
            reranker=longest, rerank_k=7, reranker_timeout=3.0,
            thresholds=["leg:bm25>=0.01", "rerank>=0"], group="document", expand="section",
            context=plait.pipeline.service.ContextBuilder(500), model=model, model_timeout=4.0,
            prompt="Be brief.",
            top_k=2, fetch_k=60, deadline=9.0,
        )  # fmt: skip
        assert service.describe() == by_hand.describe()
        assert service.search("plan").hits == by_hand.search("plan").hits


def test_the_builder_has_a_word_for_every_argument():
    words = {name for name in vars(RagBuilder) if not name.startswith("_")}
    assert words == {
        "retriever", "planner", "rerank", "threshold", "group", "diversify", "expand", "context",
        "model", "top_k", "fetch_k", "deadline", "build",
    }  # fmt: skip
    given = set(inspect.signature(Rag).parameters)
    assert given == {
        "retriever", "planner", "planner_timeout", "reranker", "rerank_k", "reranker_timeout",
        "thresholds", "group", "diversity", "expand", "documents", "context", "model",
        "model_timeout", "prompt", "top_k", "fetch_k", "deadline", "name", "owned",
    }  # fmt: skip


def test_the_collection_is_closed_with_the_service_and_one_that_was_open_is_not(folder):
    with plait.rag(folder).build() as service:
        assert service.collection == "default"
        assert service.search("plan", collection="default")
        with pytest.raises(QueryError, match="searches the collection 'default'"):
            service.search("plan", collection="other")
    with pytest.raises(plait.PlaitError, match="closed"):
        service.search("plan")
    with open_collection(folder) as kb:
        with rag(kb).build() as service:
            service.search("plan")
        assert kb.count() == 9


def test_over_any_retriever():
    service = rag(lambda text: [Chunk(text, id=text)]).diversify("mmr").build()
    assert [hit.id for hit in service.search("q")] == ["q"]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: rag([]).build(), "at least one leg"),
        (lambda: rag("no/such/folder").build(), "does not exist"),
        (lambda: rag("kb").retriever("sparse"), "expected one of 'hybrid', 'bm25', 'dense'"),
        (lambda: rag("kb").retriever(topk=3), "retriever has no option topk; it has"),
        (lambda: rag("kb").retriever("bm25", legs=["dense"]), "retriever has no option legs"),
        (lambda: rag(len).retriever("bm25"), "is for a collection"),
        (lambda: rag(len, embedder="hash"), "embedder is for opening a folder"),
        (lambda: rag(len, "faq"), "collection is for opening a folder"),
    ],
)
def test_what_does_not_fit_is_refused(call, said):
    with pytest.raises(ConfigurationError, match=said):
        call()


def test_unknown_words_are_refused(folder):
    with pytest.raises(TypeError):
        rag(folder).rerank(len, k=3)


def test_nothing_stays_open_when_the_service_cannot_be(folder):
    with pytest.raises(ConfigurationError, match="there is no reranker"):
        rag(folder).threshold("rerank>=0.5").build()
