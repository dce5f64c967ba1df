"""What holds for every reranking and every diversification."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from plait.refining import AtMost, Mmr, RoundRobin
from plait.rerankers import Reranking, apply_reranking, to_reranking
from plait.types import Chunk, Hit

finite = st.floats(allow_nan=False, allow_infinity=False, width=32)


@st.composite
def hits_and_scores(draw):
    scores = draw(st.lists(st.none() | finite, max_size=20))
    count = len(scores) + draw(st.integers(0, 5))
    hits = [
        Hit(Chunk(f"{n}", id=f"{n}"), 1 / (61 + n), n + 1, "fusion", fusion_score=1 / (61 + n))
        for n in range(count)
    ]
    return hits, scores


@given(hits_and_scores())
def test_scored_hits_come_first_by_score_and_all_others_as_they_were(drawn):
    hits, scores = drawn
    chunks = [hit.chunk for hit in hits[: len(scores)]]
    after = apply_reranking(hits, to_reranking(scores, chunks, "r"))
    assert sorted(hit.chunk.id for hit in after) == sorted(hit.chunk.id for hit in hits)
    assert [hit.rank for hit in after] == list(range(1, len(hits) + 1))
    given_scores = {f"{n}": score for n, score in enumerate(scores)}
    assert all(hit.rerank_score == given_scores.get(hit.chunk.id) for hit in after)
    scored = sum(score is not None for score in scores)
    first, rest = after[:scored], after[scored:]
    keys = [(-hit.rerank_score, int(hit.chunk.id)) for hit in first]
    assert keys == sorted(keys)
    assert [hit.rank for hit in rest] == list(range(scored + 1, len(hits) + 1))
    numbers = [int(hit.chunk.id) for hit in rest]
    assert numbers == sorted(numbers)
    assert all(hit.score == hit.fusion_score and hit.score_kind == "fusion" for hit in rest)
    assert all(hit.score == hit.rerank_score and hit.score_kind == "rerank" for hit in first)


@given(st.permutations(range(8)), st.integers(0, 8))
def test_an_order_is_final(positions, kept):
    hits = [Hit(Chunk(f"{n}", id=f"{n}"), 8.0 - n, n + 1) for n in range(8)]
    order = positions[:kept]
    chunks = [hit.chunk for hit in hits]
    forms = (
        Reranking(tuple(order)),
        [(position, -1.0 * place) for place, position in enumerate(order)],
        [(position, 1.0 * place) for place, position in enumerate(order)],
    )
    for form in forms if order else forms[:1]:
        after = apply_reranking(hits, to_reranking(form, chunks, "r"))
        assert [int(hit.chunk.id) for hit in after] == [*order, *sorted(positions[kept:])]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.text("xyz ", max_size=6)), max_size=12))
def test_diversity_loses_nothing_and_starts_with_the_best(drawn):
    hits = [
        Hit(Chunk(text, id=f"{n}", document_id=of), 1 / (61 + n), n + 1, "fusion")
        for n, (of, text) in enumerate(drawn)
    ]
    for kind in (Mmr(0.5), Mmr(0), RoundRobin(), AtMost(1)):
        after = kind(hits).hits
        assert sorted(hit.chunk.id for hit in after) == sorted(hit.chunk.id for hit in hits)
        assert [hit.rank for hit in after] == list(range(1, len(hits) + 1))
        assert [hit.chunk.id for hit in after[:1]] == [hit.chunk.id for hit in hits[:1]]
        assert kind(hits) == kind(hits)
    assert Mmr(1)(hits).hits == tuple(hits)


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.lists(st.integers(-3, 3), min_size=2, max_size=2)),
        min_size=2,
        max_size=9,
    ),
    st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]),
)
def test_mmr_is_the_papers_greedy_choice(drawn, balance):
    drawn.sort(key=lambda pair: -pair[0])
    hits = [
        Hit(Chunk("", id=f"{n}", embedding=vector), float(score), n + 1)
        for n, (score, vector) in enumerate(drawn)
    ]
    scores = np.array([score for score, _ in drawn], dtype=float)
    spread = scores.max() - scores.min()
    relevance = (scores - scores.min()) / spread if spread else np.ones(len(scores))

    def similarity(one, other):
        x, y = np.array(drawn[one][1], float), np.array(drawn[other][1], float)
        lengths = np.linalg.norm(x) * np.linalg.norm(y)
        return max(0.0, x @ y / lengths) if lengths else 0.0

    chosen = [0]
    while len(chosen) < len(hits):
        left = [n for n in range(len(hits)) if n not in chosen]
        marginal = {
            n: balance * relevance[n] - (1 - balance) * max(similarity(n, c) for c in chosen)
            for n in left
        }
        chosen.append(max(left, key=lambda n: (round(marginal[n], 9), -n)))
    assert [int(hit.chunk.id) for hit in Mmr(balance)(hits).hits] == chosen
