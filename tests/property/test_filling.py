"""A filled ranking is the one without a limit, as far as any leg returned the hits."""

import tempfile

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import plait
from plait import BM25Retriever, Chunk, DenseRetriever, HybridRetriever
from plait.embedders import HashEmbedder

WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
METRICS = st.sampled_from(["cosine", "dot", "euclidean"])


@st.composite
def corpora(draw: st.DrawFn) -> list[Chunk]:
    contents = draw(st.lists(texts, min_size=1, max_size=25))
    languages = [draw(st.sampled_from(["de", "en"])) for _ in contents]
    names = draw(st.permutations([f"c{place}" for place in range(len(contents))]))
    return [
        Chunk(text, id=name, metadata={"lang": language})
        for text, name, language in zip(contents, names, languages, strict=True)
    ]


@settings(max_examples=60, deadline=None)
@given(
    chunks=corpora(),
    query=texts,
    fetch_k=st.integers(1, 6),
    metric=METRICS,
    keep=st.sampled_from([None, {"lang": "de"}]),
    variant=st.sampled_from(["lucene", "robertson", "okapi", "bm25plus"]),
)
def test_filled_is_unlimited_cut_to_the_pool(
    chunks: list[Chunk], query: str, fetch_k: int, metric: str, keep: dict | None, variant: str
) -> None:
    legs = [
        DenseRetriever(chunks, embedder=HashEmbedder(dim=16), metric=metric),
        BM25Retriever(chunks, variant=variant),
        # One that lacks some of the chunks.
        BM25Retriever(chunks[::2], name="half", b=0.0),
    ]
    hybrid = HybridRetriever(legs)
    plain = hybrid.rankings(query, filter=keep, fetch_k=fetch_k)
    filled = hybrid.run_legs(query, filter=keep, fetch_k=fetch_k, fill=True).rankings
    endless = hybrid.rankings(query, filter=keep, fetch_k=1000)
    pool = {name for ranking in plain for name in ranking.ids}
    for before, after, whole in zip(plain, filled, endless, strict=True):
        expected = [pair for pair in zip(whole.ids, whole.scores, strict=True) if pair[0] in pool]
        assert list(zip(after.ids, after.scores, strict=True)) == expected
        assert after.returned == before
        assert after.coverage == before.coverage
        assert sum(after.filled) == len(after) - len(before)


@settings(max_examples=15, deadline=None)
@given(chunks=corpora(), query=texts, fetch_k=st.integers(1, 4))
def test_so_it_is_for_a_collection(chunks: list[Chunk], query: str, fetch_k: int) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        plait.open(folder, embedder=HashEmbedder(dim=16)) as kb,
    ):
        kb.add([*chunks, Chunk("alpha to be replaced", id="c0")])
        kb.add(chunks)
        hybrid = kb.retriever()
        plain = hybrid.rankings(query, fetch_k=fetch_k)
        filled = hybrid.run_legs(query, fetch_k=fetch_k, fill=True).rankings
        endless = hybrid.rankings(query, fetch_k=1000)
        pool = {name for ranking in plain for name in ranking.ids}
        for after, whole in zip(filled, endless, strict=True):
            assert [
                pair for pair in zip(whole.ids, whole.scores, strict=True) if pair[0] in pool
            ] == (list(zip(after.ids, after.scores, strict=True)))
        result = kb.search(query, fetch_k=fetch_k, top_k=fetch_k, fill=True)
        for hit in result:
            total = sum(share.value for share in hit.contributions)
            assert np.isclose(total, hit.score, atol=1e-9)
            assert all(share.rank for share in hit.contributions if share.leg == "dense")
