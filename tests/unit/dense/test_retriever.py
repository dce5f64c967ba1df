"""DenseRetriever: what is embedded, what is refused, what is found."""

import threading

import numpy as np
import pytest

from plait.dense import DenseRetriever
from plait.embedders import CallableEmbedder, HashEmbedder
from plait.embedding import EmbedderIdentity
from plait.errors import ConfigurationError, EmbeddingError, QueryError
from plait.types import Chunk, Query

COMPASS = {"east": [1.0, 0.0], "north": [0.0, 1.0], "west": [-1.0, 0.0], "zero": [0.0, 0.0]}


class Compass(CallableEmbedder):
    """Knows the directions, and what it was asked."""

    def __init__(self, **options):
        self.asked = []
        options = {"name": "compass", "dim": 2, "normalize": False} | options
        super().__init__(self._look, **options)

    def _look(self, texts):
        self.asked.extend(texts)
        return [COMPASS[text] for text in texts]


def ids(result):
    return [hit.id for hit in result]


def brought(**vectors):
    return [Chunk(f"text of {id}", id=id, embedding=vector) for id, vector in vectors.items()]


class TestVectors:
    def test_those_brought_and_those_made(self):
        chunks = [Chunk("east", id="a"), *brought(b=[0, 2])]
        found = DenseRetriever(chunks, embedder=Compass()).vectors(["b", "a", "nobody"])
        assert {name: vector.tolist() for name, vector in found.items()} == {
            "b": [0, 2],
            "a": [1, 0],
        }


class TestAdd:
    def test_chunks_that_bring_an_embedding_are_not_embedded_again(self):
        embedder = Compass()
        dense = DenseRetriever(
            [Chunk("east", id="a"), Chunk("no direction", id="b", embedding=[0, 2])],
            embedder=embedder,
        )
        assert embedder.asked == ["east"]
        assert ids(dense.retrieve("north", top_k=2)) == ["b", "a"]

    def test_all_of_one_call_stand_in_their_own_rows(self):
        chunks = [
            Chunk("north", id="a"),
            Chunk("-", id="b", embedding=[-1, 0]),
            Chunk("east", id="c"),
            Chunk("-", id="d", embedding=[0, -1]),
        ]
        dense = DenseRetriever(chunks, embedder=Compass())
        for query, nearest in (("north", "a"), ("west", "b"), ("east", "c")):
            assert dense.retrieve(query, top_k=1)[0].id == nearest
        assert dense.retrieve(Query(embedding=[0, -1]), top_k=1)[0].id == "d"

    def test_what_is_embedded_is_the_index_text(self):
        asked = []

        def look(texts):
            asked.extend(texts)
            return [[1.0]] * len(texts)

        embedder = CallableEmbedder(look, name="look", dim=1, passage_prefix="passage: ")
        DenseRetriever([Chunk("content", title="Title", section="Section")], embedder=embedder)
        assert asked == ["passage: Title\nSection\ncontent"]

    def test_the_same_chunk_twice_is_one(self):
        chunk = Chunk("east")
        dense = DenseRetriever([chunk, chunk], embedder=Compass())
        assert (dense.count(), len(dense.retrieve("east"))) == (1, 1)
        dense.add([chunk])
        assert (dense.count(), len(dense.retrieve("east"))) == (1, 1)

    def test_upsert_replaces_the_vector(self):
        dense = DenseRetriever([Chunk("east", id="a"), Chunk("north", id="b")], embedder=Compass())
        dense.add([Chunk("west", id="a")])
        result = dense.retrieve("east")
        assert ids(result) == ["b", "a"]
        assert result[1].score == -1.0
        assert result[1].chunk.content == "west"

    def test_blank_text_is_indexed_like_any(self):
        chunks = [Chunk("", id="blank"), Chunk("  \n", id="space"), Chunk("cats purr", id="cats")]
        dense = DenseRetriever(chunks, embedder=HashEmbedder(dim=64))
        result = dense.retrieve("cats")
        assert result[0].id == "cats"
        assert dense.count() == 3

    def test_a_chunk_without_embedding_and_no_embedder(self):
        dense = DenseRetriever(brought(a=[1, 0]))
        with pytest.raises(ConfigurationError, match="chunk 'x' brings no embedding and retriever"):
            dense.add([*brought(b=[0, 1]), Chunk("text", id="x")])
        assert (dense.count(), dense.get("b")) == (1, None)

    @pytest.mark.parametrize(
        ("vector", "message"),
        [
            ([1, 0, 0], "chunk 'bad': 3 dimensions, but this index holds vectors of 2"),
            ([0, 0], "chunk 'bad': the vector is all zeros"),
            ([1e-30, 0], "chunk 'bad': the vector has length 1e-30"),
        ],
    )
    def test_a_vector_that_does_not_fit_is_refused_before_any_work(self, vector, message):
        embedder = Compass()
        dense = DenseRetriever(brought(a=[1, 0]), embedder=embedder)
        with pytest.raises(ConfigurationError, match=message):
            dense.add([Chunk("east", id="b"), Chunk("-", id="bad", embedding=vector)])
        assert embedder.asked == []
        assert (dense.count(), dense.get("bad"), dense.get("b")) == (1, None, None)

    def test_vectors_of_two_lengths_in_the_first_call(self):
        with pytest.raises(ConfigurationError, match="chunk 'b': 1 dimensions"):
            DenseRetriever(brought(a=[1, 0], b=[1]))

    def test_an_embedder_that_gives_zeros_names_the_chunk(self):
        with pytest.raises(ConfigurationError, match="chunk 'b': the vector is all zeros"):
            DenseRetriever([Chunk("east", id="a"), Chunk("zero", id="b")], embedder=Compass())
        euclidean = DenseRetriever(
            [Chunk("east", id="a"), Chunk("zero", id="b")], embedder=Compass(), metric="euclidean"
        )
        assert euclidean.count() == 2

    def test_an_embedder_that_gives_too_few_vectors(self):
        class Short(HashEmbedder):
            def embed_passages(self, texts, *, progress=None):
                return super().embed_passages(texts)[:-1]

        with pytest.raises(EmbeddingError, match=r"shape \(1, 8\) for 2 texts"):
            DenseRetriever([Chunk("a"), Chunk("b")], embedder=Short(8))

    @pytest.mark.parametrize("metric", ["cosine", "dot", "euclidean"])
    @pytest.mark.parametrize(
        ("value", "message"),
        [(np.nan, "NaN or infinite values for the text 'why'"), (0.0, "zeros for the query 'why'")],
    )
    def test_a_query_that_the_embedder_makes_nothing_of_is_no_mistake_of_the_query(
        self, metric, value, message
    ):
        class Sick(HashEmbedder):
            def embed_query(self, text):
                return np.full(8, value)

        dense = DenseRetriever([Chunk("a")], embedder=Sick(8), metric=metric)
        with pytest.raises(EmbeddingError, match=message):
            dense.retrieve("why")

    def test_an_error_of_the_embedder_passes_and_nothing_is_written(self):
        def fail(texts):
            raise TimeoutError("endpoint is down")

        dense = DenseRetriever(embedder=CallableEmbedder(fail, name="down", dim=2))
        with pytest.raises(EmbeddingError, match="endpoint is down"):
            dense.add([Chunk("text", id="a")])
        assert (dense.count(), dense.get("a")) == (0, None)

    def test_cleared_it_takes_vectors_of_another_length(self):
        dense = DenseRetriever(brought(a=[1, 0]))
        assert dense.clear() == 1
        dense.add(brought(b=[1, 0, 0]))
        assert ids(dense.retrieve(Query(embedding=[1, 1, 1]))) == ["b"]

    def test_with_the_last_chunk_deleted_it_takes_vectors_of_another_length(self):
        dense = DenseRetriever(brought(a=[1, 0]))
        assert dense.delete(ids=["a"]) == 1
        dense.add(brought(b=[1, 0, 0]))
        assert ids(dense.retrieve(Query(embedding=[1, 1, 1]))) == ["b"]

    def test_what_was_deleted_is_not_found(self):
        dense = DenseRetriever(brought(a=[1, 0], b=[0, 1], c=[1, 1]))
        dense.delete(ids=["c"])
        result = dense.retrieve(Query(embedding=[1, 1]))
        assert (ids(result), result.total) == (["a", "b"], 2)


class TestRetrieve:
    @pytest.fixture
    def dense(self):
        return DenseRetriever(
            [
                Chunk("east", id="e", metadata={"sun": "rise"}),
                Chunk("north", id="n"),
                Chunk("west", id="w", metadata={"sun": "set"}),
            ],
            embedder=Compass(),
        )

    def test_hits_carry_what_was_stored(self, dense):
        hit = dense.retrieve("east", top_k=1)[0]
        assert (hit.chunk.content, hit.score, hit.rank) == ("east", 1.0, 1)
        assert (hit.source, hit.retrieval_score, hit.chunk.metadata) == (
            "dense",
            1.0,
            {"sun": "rise"},
        )
        assert dense.retrieve("east", top_k=1).total == 3

    def test_the_queries_embedding_comes_before_its_text(self, dense):
        embedder = dense.embedder.embedder
        embedder.asked.clear()
        assert ids(dense.retrieve(Query("east", embedding=[-1, 0]), top_k=1)) == ["w"]
        assert embedder.asked == []

    def test_a_repeated_query_is_embedded_once(self, dense):
        embedder = dense.embedder.embedder
        embedder.asked.clear()
        for _ in range(3):
            dense.retrieve("north")
        dense.retrieve_many(["north", "east", "north"])
        assert embedder.asked == ["north", "east"]

    def test_the_query_prefix_is_sent(self):
        asked = []

        def look(texts):
            asked.extend(texts)
            return [[1.0]] * len(texts)

        embedder = CallableEmbedder(look, name="look", dim=1, query_prefix="query: ")
        DenseRetriever(embedder=embedder).retrieve("plan")
        assert asked == ["query: plan"]

    def test_retrieve_many_is_retrieve_of_each(self, dense):
        queries = ["east", Query(embedding=[1, 3]), Query("west", embedding=[0, 1])]
        for options in ({}, {"top_k": 1}, {"filter": {"sun": {"$exists": True}}}):
            many = dense.retrieve_many(queries, **options)
            assert many == [dense.retrieve(query, **options) for query in queries]
        assert dense.retrieve_many([]) == []

    def test_a_filter_keeps_out_what_is_nearer(self, dense):
        result = dense.retrieve("east", filter={"sun": "set"})
        assert (ids(result), result.total) == (["w"], 1)
        assert ids(dense.retrieve("east", top_k=3, filter={"sun": "noon"})) == []

    def test_more_than_there_are(self, dense):
        assert ids(dense.retrieve("east", top_k=10)) == ["e", "n", "w"]
        assert ids(dense.retrieve("east", top_k=10)) == ["e", "n", "w"]

    def test_nothing_there(self):
        result = DenseRetriever(embedder=Compass()).retrieve("east")
        assert (ids(result), result.total) == ([], 0)
        assert ids(DenseRetriever().retrieve(Query(embedding=[1, 2, 3]))) == []

    @pytest.mark.parametrize("query", ["", " \n"])
    def test_a_blank_query_is_an_error(self, dense, query):
        with pytest.raises(QueryError, match="blank"):
            dense.retrieve(query)

    def test_many_queries_are_checked_by_position(self, dense):
        with pytest.raises(QueryError, match=r"queries\[1\]: .*blank"):
            dense.retrieve_many(["east", " "])
        with pytest.raises(QueryError, match="queries is str, expected several"):
            dense.retrieve_many("east")

    def test_chunks_belong_in_a_list(self):
        said = r"DenseRetriever got 3 positional arguments; .*DenseRetriever\(\[chunk1, chunk2\]\)"
        with pytest.raises(ConfigurationError, match=said):
            DenseRetriever(*brought(a=[1, 0], b=[0, 1], c=[1, 1]))
        with pytest.raises(ConfigurationError, match=r"got 2 .* everything else by name"):
            DenseRetriever(brought(a=[1, 0]), HashEmbedder(dim=2))

    @pytest.mark.parametrize("top_k", [0, -1, True, 2.0, None])
    def test_top_k_is_an_int_from_one(self, dense, top_k):
        for ask in (dense.retrieve, lambda query, **o: dense.retrieve_many([query], **o)):
            with pytest.raises(QueryError, match="top_k"):
                ask("east", top_k=top_k)

    @pytest.mark.parametrize(
        ("embedding", "message"),
        [([1, 0, 0], "3 dimensions"), ([0, 0], "all zeros"), ([1e30, 1e30], "length 1.41e")],
    )
    def test_a_query_vector_that_does_not_fit(self, dense, embedding, message):
        query = Query("east", embedding=embedding)
        with pytest.raises(QueryError, match=message):
            dense.retrieve(query)
        with pytest.raises(QueryError, match=message):
            dense.retrieve_many(["east", query])

    def test_nan_never_reaches_it(self):
        with pytest.raises(QueryError, match="NaN"):
            Query(embedding=[float("nan"), 1])
        with pytest.raises(ConfigurationError, match="NaN"):
            Chunk("x", embedding=[float("nan"), 1])

    def test_without_embedder_a_query_needs_a_vector(self):
        dense = DenseRetriever(brought(a=[1, 0]))
        reason = dense.unanswerable(Query("text"))
        assert "needs a query with an embedding" in reason
        assert dense.unanswerable(Query(embedding=[1, 0])) is None
        for ask in (dense.retrieve, lambda query: dense.retrieve_many([query])):
            with pytest.raises(QueryError, match="retriever 'dense' has no embedder"):
                ask("text")
        with pytest.raises(QueryError, match="retriever 'dense' has no embedder"):
            dense.rank(Query("text"), top_k=1, filter=None)

    def test_an_unknown_operator_raises_before_the_query_is_embedded(self, dense):
        embedder = dense.embedder.embedder
        embedder.asked.clear()
        for ask in (dense.retrieve, lambda query, **o: dense.retrieve_many([query], **o)):
            with pytest.raises(QueryError, match="near"):
                ask("north", filter={"sun": {"$near": 3}})
        assert embedder.asked == []


ROWS = {"near": [2.0, 0.0], "long": [30.0, 30.0], "across": [0.0, 1.0], "away": [-3.0, 0.0]}


class TestMetrics:
    @pytest.mark.parametrize(
        ("metric", "expected"),
        [
            ("cosine", ["near", "long", "across", "away"]),
            ("dot", ["long", "near", "across", "away"]),
            ("euclidean", ["near", "across", "away", "long"]),
        ],
    )
    def test_the_best_comes_first_and_the_worst_last(self, metric, expected):
        dense = DenseRetriever(brought(**ROWS), metric=metric)
        result = dense.retrieve(Query(embedding=[1, 0]))
        assert ids(result) == expected
        scores = [hit.score for hit in result]
        assert scores == sorted(scores, reverse=metric != "euclidean")

    def test_the_default_is_cosine(self):
        assert DenseRetriever().describe()["metric"] == "cosine"

    def test_a_distance_says_that_lower_is_better(self):
        dense = DenseRetriever(brought(**ROWS), metric="euclidean")
        assert (dense.higher_is_better, dense.score_range) == (False, (0.0, None))
        assert dense.retrieve(Query(embedding=[2, 0]), top_k=1)[0].score == 0.0

    def test_an_unknown_metric(self):
        with pytest.raises(ConfigurationError, match="expected one of cosine, dot, euclidean"):
            DenseRetriever(metric="l2")


class TestDescribe:
    def test_every_parameter_that_decides(self):
        embedder = HashEmbedder(dim=64)
        dense = DenseRetriever(embedder=embedder, metric="dot", name="meaning")
        assert dense.describe() == {
            "type": "DenseRetriever",
            "name": "meaning",
            "metric": "dot",
            "dim": 64,
            "index": "flat",
            "embedder": embedder.identity.to_dict(),
        }
        assert EmbedderIdentity.from_dict(dense.describe()["embedder"]) == embedder.identity

    @pytest.mark.parametrize(
        "options",
        [
            {"embedder": HashEmbedder(32)},
            {"embedder": HashEmbedder(64, normalize=False)},
            {"embedder": HashEmbedder(64), "metric": "dot"},
            {"embedder": HashEmbedder(64), "name": "other"},
            {},
        ],
        ids=str,
    )
    def test_what_differs_is_described_differently(self, options):
        assert (
            DenseRetriever(**options).describe()
            != DenseRetriever(embedder=HashEmbedder(64)).describe()
        )

    def test_a_hash_says_that_it_is_lexical(self):
        described = DenseRetriever(embedder=HashEmbedder(8)).describe()
        assert "not semantic" in described["embedder"]["model"]

    @pytest.mark.parametrize("embedder", ["minilm", len, HashEmbedder])
    def test_what_is_no_embedder_is_refused(self, embedder):
        with pytest.raises(ConfigurationError, match="embedder is"):
            DenseRetriever(embedder=embedder)


def test_32_threads_read_while_one_writes():
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((200, 8)).astype(np.float32)
    fixed = [Chunk("fixed", id=f"f{n:03}", embedding=vectors[n]) for n in range(100)]
    dense = DenseRetriever(fixed)
    query = Query(embedding=vectors[0])
    expected = [(hit.id, hit.score) for hit in dense.retrieve(query, top_k=100)]
    wrong = []

    def read():
        for _ in range(20):
            hits = dense.retrieve(query, top_k=200)
            found = [(hit.id, hit.score) for hit in hits if hit.chunk.content == "fixed"]
            if found != expected:
                wrong.append(found)

    readers = [threading.Thread(target=read) for _ in range(32)]
    for reader in readers:
        reader.start()
    for step in range(20):
        dense.add(
            Chunk("moving", id=f"m{n:03}", embedding=vectors[100 + (n + step) % 100])
            for n in range(100)
        )
        dense.delete(ids=[f"m{n:03}" for n in range(step, 100, 2)])
    for reader in readers:
        reader.join()
    assert wrong == []
