"""What the lexical leg promises after any history of writes."""

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from plait.filters import Filter
from plait.lexical import BM25Retriever
from plait.lexical.bm25 import VARIANTS
from plait.types import Chunk

WORDS = ("cat", "dog", "E1042", "退款", "user_id", "the")
IDS = [f"{number:02}" for number in range(12)]
CONTENTS = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
KINDS = st.sampled_from([{}, {"kind": "a"}, {"kind": "b"}])
CHUNKS = st.builds(
    lambda id, content, kind: Chunk(content, id=id, metadata=kind),
    st.sampled_from(IDS),
    CONTENTS,
    KINDS,
)
QUERIES = ("cat", "dog cat dog", "the E1042 退款", "user", "zzz", "退")
SETTINGS = st.builds(
    lambda variant, k1, b: {"variant": variant, "k1": k1, "b": b},
    st.sampled_from(sorted(VARIANTS)),
    st.sampled_from([0, 1.2, 1.5]),
    st.sampled_from([0, 0.4, 1]),
)

each = settings(max_examples=50, deadline=None)  # an example asks many queries


def answers(retriever, filter=None):
    return [retriever.retrieve(query, top_k=50, filter=filter) for query in QUERIES]


class Histories(RuleBasedStateMachine):
    """Any writes give the answers of a fresh build from what is left."""

    def __init__(self):
        super().__init__()
        self.retrievers = [BM25Retriever(variant=variant) for variant in ("lucene", "okapi")]
        self.chunks = {}

    @rule(chunks=st.lists(CHUNKS, max_size=6))
    def add(self, chunks):
        latest = {chunk.id: chunk for chunk in chunks}
        self.chunks |= latest
        for retriever in self.retrievers:
            assert retriever.add(chunks) == len(latest)

    @rule(chunk=CHUNKS)
    def add_one(self, chunk):
        self.add([chunk])

    @rule(ids=st.lists(st.sampled_from(IDS), max_size=8))
    def delete(self, ids):
        count = len(self.chunks.keys() & set(ids))
        for id in ids:
            self.chunks.pop(id, None)
        for retriever in self.retrievers:
            assert retriever.delete(ids=ids) == count

    @rule(kind=st.sampled_from("ab"))
    def delete_by_filter(self, kind):
        gone = [id for id, chunk in self.chunks.items() if chunk.metadata.get("kind") == kind]
        for id in gone:
            del self.chunks[id]
        for retriever in self.retrievers:
            assert retriever.delete(filter={"kind": kind}) == len(gone)

    @rule()
    def clear(self):
        for retriever in self.retrievers:
            assert retriever.clear() == len(self.chunks)
        self.chunks = {}

    @invariant()
    def it_is_a_fresh_build(self):
        for retriever in self.retrievers:
            fresh = BM25Retriever(
                sorted(self.chunks.values(), key=lambda chunk: str(chunk.id), reverse=True),
                variant=retriever.bm25.variant,
            )
            assert retriever.count() == len(self.chunks)
            assert answers(retriever) == answers(fresh)
            assert answers(retriever, {"kind": "a"}) == answers(fresh, {"kind": "a"})
            assert [retriever.get(id) for id in IDS] == [self.chunks.get(id) for id in IDS]


TestHistories = Histories.TestCase
TestHistories.settings = settings(max_examples=25, stateful_step_count=12, deadline=None)


@each
@given(st.lists(CHUNKS, max_size=12), SETTINGS, st.integers(1, 5))
def test_any_segmentation_gives_the_same(chunks, parameters, batch):
    whole = BM25Retriever(chunks, **parameters)
    parts = BM25Retriever(**parameters)
    for start in range(0, len(chunks), batch):
        parts.add(chunks[start : start + batch])
    assert answers(parts) == answers(whole)


@each
@given(st.lists(CHUNKS, max_size=12), SETTINGS)
def test_hits_are_the_chunks_that_share_a_term(chunks, parameters):
    retriever = BM25Retriever(chunks, **parameters)
    latest = {chunk.id: chunk for chunk in chunks}
    for query in QUERIES:
        asked = set(retriever.analyzer.query_terms(query))
        expected = {
            id
            for id, chunk in latest.items()
            if not asked.isdisjoint(retriever.analyzer.analyze(chunk.content).terms)
        }
        result = retriever.retrieve(query, top_k=50)
        assert {hit.id for hit in result} == expected
        assert result.total == len(expected)
        lowest = retriever.score_range[0]
        assert lowest is None or all(hit.score >= lowest for hit in result)


@each
@given(st.lists(CHUNKS, max_size=12), SETTINGS, st.integers(1, 14))
def test_a_cut_is_a_prefix(chunks, parameters, top_k):
    retriever = BM25Retriever(chunks, **parameters)
    for query in QUERIES:
        whole = retriever.retrieve(query, top_k=50)
        cut = retriever.retrieve(query, top_k=top_k)
        assert list(cut) == list(whole[:top_k])
        assert cut.total == whole.total
        order = [(-hit.score, hit.id) for hit in whole]
        assert order == sorted(order)


@each
@given(st.lists(CHUNKS, max_size=12), st.integers(1, 14), st.sampled_from(["a", "b", "c"]))
def test_nothing_that_is_filtered_out_comes_back(chunks, top_k, kind):
    retriever = BM25Retriever(chunks)
    keep = Filter.parse({"kind": kind})
    for query in QUERIES:
        whole = retriever.retrieve(query, top_k=50)
        allowed = [hit for hit in whole if keep.matches(hit.chunk.metadata)]
        found = retriever.retrieve(query, top_k=top_k, filter=keep)
        assert [(hit.id, hit.score) for hit in found] == [
            (hit.id, hit.score) for hit in allowed[:top_k]
        ]
        assert found.total == len(allowed)


@each
@given(st.lists(CHUNKS, max_size=8), SETTINGS)
def test_identical_chunks_have_identical_scores(chunks, parameters):
    retriever = BM25Retriever(**parameters)
    for chunk in chunks:
        retriever.add([chunk])
        retriever.add([Chunk(chunk.content, id=f"{chunk.id}-twin", metadata=chunk.metadata)])
    for query in QUERIES:
        scores = {hit.id: hit.score for hit in retriever.retrieve(query, top_k=50)}
        for id, score in scores.items():
            if not id.endswith("-twin"):
                assert scores[f"{id}-twin"] == score


@each
@given(st.lists(CHUNKS, max_size=8), st.lists(st.sampled_from(WORDS), min_size=1, max_size=6))
def test_many_are_answered_like_one(chunks, words):
    retriever = BM25Retriever(chunks)
    query = " ".join(words)
    assert retriever.retrieve_many([query])[0] == retriever.retrieve(query)
