import asyncio
import json
import random
import sys
import threading

import numpy as np
import pytest

from plait.errors import ConfigurationError, QueryError
from plait.lexical import BM25Retriever
from plait.lexical.bm25 import VARIANTS
from plait.text import Analyzer
from plait.types import Chunk, Query

CHUNKS = [
    Chunk("Error E1042: socket closed.", id="a", metadata={"tenant": "acme"}),
    Chunk("Cats purr; a socket does not.", id="b", metadata={"tenant": "acme"}),
    Chunk("Error E1042 again, says the other tenant.", id="c", metadata={"tenant": "evil"}),
]


def ids(result):
    return [hit.id for hit in result]


def scored(result):
    return [(hit.id, hit.score) for hit in result]


# Parameters


def test_describe_gives_every_parameter():
    described = BM25Retriever(k1=2, b=0.5, variant="bm25l", delta=0.7, name="words").describe()
    assert described == {
        "type": "BM25Retriever",
        "name": "words",
        "variant": "bm25l",
        "k1": 2,
        "b": 0.5,
        "delta": 0.7,
        "analyzer": "analyzer",
    }
    assert json.loads(json.dumps(described)) == described
    assert BM25Retriever(k1=0.1, b=0).describe() != BM25Retriever(k1=3, b=1).describe()


def test_unknown_options_are_refused():
    with pytest.raises(TypeError, match="k_1"):
        BM25Retriever(k_1=2)
    with pytest.raises(ConfigurationError, match="k1 is -1"):
        BM25Retriever(k1=-1)
    with pytest.raises(ConfigurationError, match="name is ''"):
        BM25Retriever(name="")


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_range_is_that_of_the_variant(variant):
    lowest = None if variant in ("robertson", "okapi") else 0.0
    assert BM25Retriever(variant=variant).score_range == (lowest, None)


def test_analyzers_and_tokenizers():
    english = BM25Retriever(CHUNKS, analyzer="analyzer(language='en')")
    assert english.analyzer == BM25Retriever(analyzer=Analyzer(language="en")).analyzer
    assert ids(english.retrieve("closing")) == ["a"]
    assert BM25Retriever(CHUNKS).retrieve("closing").total == 0
    pipes = BM25Retriever([Chunk("New York|Paris", id="x")], tokenizer=lambda t: t.split("|"))
    assert ids(pipes.retrieve("paris|new york")) == ["x"]
    assert pipes.retrieve("york").total == 0
    with pytest.raises(ConfigurationError, match="both analyzer and tokenizer"):
        BM25Retriever(analyzer=Analyzer(), tokenizer=str.split)
    with pytest.raises(ConfigurationError, match=r"pass a function .* as tokenizer="):
        BM25Retriever(analyzer=str.split)


def test_a_tokenizer_that_fails_writes_nothing():
    def moody(text):
        if "bad" in text:
            raise RuntimeError("no")
        return text.split()

    retriever = BM25Retriever([Chunk("good", id="a")], tokenizer=moody)
    with pytest.raises(RuntimeError, match="no"):
        retriever.add([Chunk("good too", id="b"), Chunk("bad", id="c")])
    assert retriever.count() == 1
    assert ids(retriever.retrieve("good")) == ["a"]


# Writing


@pytest.mark.parametrize("wrong", [["text"], [None], [("id", "text")]])
def test_chunks_are_chunks(wrong):
    with pytest.raises(ConfigurationError, match=r"wrap text as Chunk\(text\)"):
        BM25Retriever(wrong)


def test_chunks_need_no_embedding_and_no_id():
    retriever = BM25Retriever([Chunk("a cat"), Chunk("a dog", document_id="doc", index=3)])
    assert ids(retriever.retrieve("dog")) == ["doc#3"]
    assert ids(retriever.retrieve("cat"))[0].startswith("sha256:")
    assert retriever.add([Chunk("a cat")]) == 1  # the same id: nothing new
    assert retriever.count() == 2


def test_title_section_and_content_are_indexed_and_the_content_is_shown():
    chunk = Chunk("It takes two weeks.", id="r", title="Refunds", section="Billing > Cards")
    retriever = BM25Retriever([chunk])
    for query in ("refunds", "billing", "cards", "weeks"):
        assert ids(retriever.retrieve(query)) == ["r"]
    assert retriever.retrieve("weeks refunds")[0].snippet == "It takes two «weeks»."
    assert retriever.retrieve("refunds")[0].snippet == "It takes two weeks."


def test_upsert_replaces():
    retriever = BM25Retriever(CHUNKS)
    retriever.add([Chunk("Now about dogs.", id="a")])
    assert ids(retriever.retrieve("E1042")) == ["c"]
    assert ids(retriever.retrieve("dogs")) == ["a"]
    assert retriever.count() == 3
    fresh = BM25Retriever([Chunk("Now about dogs.", id="a"), *CHUNKS[1:]])
    assert scored(retriever.retrieve("socket E1042 dogs")) == scored(
        fresh.retrieve("socket E1042 dogs")
    )


def test_deleted_chunks_leave_the_statistics():
    retriever = BM25Retriever([*CHUNKS, Chunk("socket socket socket " * 50, id="d")])
    assert retriever.delete(ids=["d", "nobody"]) == 1
    assert retriever.delete(filter={"tenant": "evil"}) == 1
    assert scored(retriever.retrieve("socket E1042 cats")) == scored(
        BM25Retriever(CHUNKS[:2]).retrieve("socket E1042 cats")
    )
    assert retriever.get("d") is None
    assert retriever.get("a") == CHUNKS[0]
    assert retriever.clear() == 2
    assert retriever.count() == 0
    assert retriever.retrieve("socket").total == 0


def test_delete_needs_a_target():
    retriever = BM25Retriever(CHUNKS)
    with pytest.raises(ConfigurationError, match="neither ids nor a filter"):
        retriever.delete()
    with pytest.raises(QueryError, match=r"clear\(\)"):
        retriever.delete(filter={})
    assert retriever.delete(ids=[]) == 0
    assert retriever.count() == 3


@pytest.mark.parametrize("variant", ["lucene", "okapi"])
def test_dead_rows_are_compacted_away(variant):
    retriever = BM25Retriever(variant=variant)
    for number in range(200):
        retriever.add([Chunk(f"word{number} common", id=f"{number % 10}")])
        assert retriever._state.index.size <= 2 * retriever.count() + 1
        assert retriever._state.index.count == retriever.count()
    fresh = BM25Retriever(
        [Chunk(f"word{number} common", id=f"{number % 10}") for number in range(190, 200)],
        variant=variant,
    )
    query = "word195 common word3"
    assert scored(retriever.retrieve(query, top_k=50)) == scored(fresh.retrieve(query, top_k=50))


def test_no_one_changes_what_is_indexed():
    chunks = list(CHUNKS)
    retriever = BM25Retriever(chunks)
    before = scored(retriever.retrieve("E1042"))
    chunks.clear()
    assert scored(retriever.retrieve("E1042")) == before
    with pytest.raises(TypeError):
        retriever.retrieve("E1042")[0].chunk.metadata["tenant"] = "evil"


# Asking


def test_a_query_needs_text():
    retriever = BM25Retriever(CHUNKS)
    with pytest.raises(QueryError, match="'bm25' needs a query with text"):
        retriever.retrieve(Query(embedding=np.ones(3)))
    assert retriever.unanswerable(Query("text")) is None
    with pytest.raises(QueryError, match="blank"):
        retriever.retrieve("  ")


def test_unknown_words_find_nothing_and_stop_words_are_searched():
    chunks = [Chunk("To be or not to be that is the question", id="x"), Chunk("cats purr", id="y")]
    for retriever in (
        BM25Retriever(chunks),
        BM25Retriever(chunks, analyzer=Analyzer(language="en")),
    ):
        assert retriever.retrieve("zzz qqq").total == 0
        assert ids(retriever.retrieve("to be or not to be")) == ["x"]
    assert BM25Retriever(chunks).retrieve("?!").total == 0


def test_top_k_and_total():
    retriever = BM25Retriever([Chunk("cat " * n, id=f"{n}") for n in range(1, 5)])
    assert len(retriever.retrieve("cat", top_k=10)) == 4
    assert retriever.retrieve("cat", top_k=1).total == 4
    for wrong in (0, -1, True, 2.0):
        with pytest.raises(QueryError, match="top_k"):
            retriever.retrieve("cat", top_k=wrong)


def test_no_tenant_sees_another():
    retriever = BM25Retriever(CHUNKS)
    assert ids(retriever.retrieve("E1042", top_k=9, filter={"tenant": "acme"})) == ["a"]
    assert ids(retriever.retrieve("E1042", top_k=9, filter={"tenant": {"$in": []}})) == []
    with pytest.raises(QueryError, match="unknown operator"):
        retriever.retrieve("E1042", filter={"tenant": {"$regx": "a"}})


def test_chunks_belong_in_a_list():
    said = r"BM25Retriever got 3 positional arguments; .*BM25Retriever\(\[chunk1, chunk2\]\)"
    with pytest.raises(ConfigurationError, match=said):
        BM25Retriever(*CHUNKS)


def test_many_queries_are_answered_like_one():
    retriever = BM25Retriever(CHUNKS)
    queries = ["E1042", "socket cats", "zzz"]
    assert retriever.retrieve_many(queries) == [retriever.retrieve(query) for query in queries]
    assert asyncio.run(retriever.aretrieve("E1042")) == retriever.retrieve("E1042")


def test_the_ranking_carries_the_chunks_it_was_made_from():
    retriever = BM25Retriever(CHUNKS)
    ranking = retriever.rank(Query("E1042"), top_k=5, filter=None)
    retriever.clear()
    assert [chunk.id for chunk in ranking.chunks] == list(ranking.ids)
    assert {chunk.id: chunk for chunk in ranking.chunks}["a"] is CHUNKS[0]


def test_32_threads_read_while_one_writes():
    """Every answer is of one state: a whole batch is there or none of it."""
    names, size, wrong = ("ant", "bee", "cat", "dog", "elk", "fox"), 6, []
    retriever = BM25Retriever()
    start = threading.Barrier(33)
    switching = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)  # so that threads meet in every line

    def read(seed):
        choose = random.Random(seed)
        start.wait()
        for _ in range(15):
            name = choose.choice(names)
            result = retriever.retrieve(name, top_k=3)
            right = all(hit.chunk.content.startswith(name) for hit in result)
            if result.total not in (0, size) or len(result) != min(3, result.total) or not right:
                wrong.append((name, result))
            chunk = retriever.get(f"{name}-0")
            if chunk is not None and not chunk.content.startswith(name):
                wrong.append((name, chunk))

    readers = [threading.Thread(target=read, args=(seed,)) for seed in range(32)]
    for reader in readers:
        reader.start()
    try:
        start.wait()
        for round in "xyz":
            for name in names:
                retriever.add([Chunk(f"{name} {round}", id=f"{name}-{n}") for n in range(size)])
            retriever.delete(ids=[f"bee-{n}" for n in range(size)])
        for reader in readers:
            reader.join()
    finally:
        sys.setswitchinterval(switching)
    assert wrong == []
    assert retriever.count() == 5 * size
