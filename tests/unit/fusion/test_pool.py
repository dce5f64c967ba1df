import dataclasses
import threading
from collections.abc import Sequence

import pytest

from plait.errors import ConfigurationError
from plait.fusion import Borda, Fusion, Rrf, Rsf, ZScore, fuse, parse_fusion
from plait.types import Chunk, Contribution, Ranking


def leg(name, ids, scores=None, **fields):
    given = scores or [float(-place) for place in range(len(ids))]
    return Ranking(name, tuple(ids), tuple(given), **fields)


def chunked(name, *chunks, **fields):
    scores = tuple(float(-place) for place in range(len(chunks)))
    return Ranking(name, tuple(chunk.id for chunk in chunks), scores, chunks, **fields)


def order(pool):
    return [hit.id for hit in pool.hits(0, len(pool))]


# What is fused


def test_duplicates_keep_their_best_rank_and_the_ranks_below_move_up():
    pool = fuse([leg("a", "xyyz", [9.0, 5.0, 5.0, 1.0])], Rrf(k=60))
    hits = pool.hits(0, 9)
    assert [hit.id for hit in hits] == ["x", "y", "z"]
    assert [hit.contributions[0].rank for hit in hits] == [1, 2, 3]
    assert hits[1].score == 1 / 62  # not 1/62 + 1/63: x stays first
    assert pool.counts == {"a": 3}
    assert pool.notes == {"a": ("1 duplicate removed",)}


def test_duplicates_are_told_by_identity_and_keep_their_columns_together():
    part = Contribution("inner", 1, 2.0, 1.0, 1.0, 1.0)
    ranking = Ranking(
        "a",
        (None, "1", None, "2"),
        (4.0, 3.0, 2.0, 1.0),
        (Chunk("x"), Chunk("x", id="1"), Chunk("y"), Chunk("z", id="2")),
        parts=((), (part,), (), (part, part)),
    )
    hits = fuse([ranking], Rsf()).hits(0, 9)
    assert [hit.chunk.content for hit in hits] == ["x", "y", "z"]
    assert [hit.contributions[0].raw_score for hit in hits] == [4.0, 2.0, 1.0]
    assert [len(hit.contributions[0].parts) for hit in hits] == [0, 0, 2]
    assert fuse([ranking], Rsf()).notes["a"][0] == "1 duplicate removed"


def test_several_duplicates():
    assert fuse([leg("a", "xxx")], Rrf()).notes["a"] == ("2 duplicates removed",)


def test_chunks_of_one_source_do_not_add_up_inside_a_leg():
    doc = lambda chunk: chunk.metadata["doc"]  # noqa: E731
    x = [Chunk(f"x{n}", id=f"x{n}", metadata={"doc": "X"}) for n in range(3)]
    y = Chunk("y", id="y", metadata={"doc": "Y"})
    pool = fuse([chunked("a", *x, y), chunked("b", y, x[0])], Rrf(k=60), key=doc)
    # X: 1/61 + 1/62. Y: 1/62 (it moved up) + 1/61. Both have been first: by id.
    assert [(hit.id, hit.score) for hit in pool.hits(0, 9)] == [
        ("x0", 1 / 61 + 1 / 62),
        ("y", 1 / 61 + 1 / 62),
    ]


def test_a_leg_with_weight_0_is_as_if_it_had_not_run():
    legs = [leg("a", "xy"), leg("b", "zy"), leg("c", "w")]
    pool = fuse(legs, Rrf(k=60), {"b": 0})
    without = fuse([legs[0], legs[2]], Rrf(k=60))
    assert order(pool) == order(without) == ["w", "x", "y"]
    assert pool.score_bound == without.score_bound
    assert pool.counts == {"a": 2, "b": 0, "c": 1}
    assert pool.hits(2, 3)[0].contributions[1] == Contribution("b", None, None, 0.0, 0.0, 0.0)
    assert pool.hits(2, 3)[0].legs == ("a",)


def test_a_leg_with_weight_0_joins_no_hits():
    place = {"document_id": "d", "index": 0}
    bridge = chunked("b", Chunk("y", **place, source_path="p"))
    legs = [chunked("a", Chunk("x", **place)), chunked("c", Chunk("z", source_path="p", index=0))]
    assert len(fuse([*legs, bridge], Rrf())) == 1
    assert len(fuse([*legs, bridge], Rrf(), [1, 1, 0])) == 2


def test_an_empty_leg_contributes_0_and_keeps_its_weight():
    for fusion in (Rrf(k=60), Rsf(), ZScore()):
        pool = fuse([leg("a", "xy"), leg("b", "")], fusion, [1.0, 3.0])
        assert order(pool) == ["x", "y"]
        assert pool.hits(0, 1)[0].contributions[1] == Contribution("b", None, None, 0.0, 3.0, 0.0)
        alone = fuse([leg("a", "xy")], fusion)
        assert [hit.score for hit in pool.hits(0, 2)] == [hit.score for hit in alone.hits(0, 2)]
    assert fuse([leg("a", "x"), leg("b", "")], Rrf(k=60), [1.0, 3.0]).score_bound == 4 / 61


def test_all_legs_empty():
    pool = fuse([leg("a", ""), leg("b", "")], Rsf())
    assert (len(pool), pool.hits(0, 10), pool.missing(0, 10)) == (0, (), ())
    assert (pool.counts, pool.score_bound) == ({"a": 0, "b": 0}, 2.0)


def test_what_cannot_be_fused():
    with pytest.raises(ConfigurationError, match="no rankings"):
        fuse([], Rrf())
    with pytest.raises(ConfigurationError, match=r"\['a', 'a'\] repeat"):
        fuse([leg("a", "x"), leg("a", "y")], Rrf())
    for weights in ([-1, 2], [1], [0, 0], [True, 1], [float("nan"), 1], {"c": 1}):
        with pytest.raises(ConfigurationError, match="weight"):
            fuse([leg("a", "x"), leg("b", "y")], Rrf(), weights)


# Order


def test_ties_go_by_best_rank_and_then_by_id():
    pool = fuse([leg("c", "y"), leg("b", ["q", "x"]), leg("a", ["p", "x"])], Rrf(k=0))
    # p, q and y have 1/1, x has 1/2 + 1/2: all equal. Rank 1 before rank 2, then by id.
    assert {hit.score for hit in pool.hits(0, 4)} == {1.0}
    assert order(pool) == ["p", "q", "y", "x"]


def test_scores_equal_to_12_digits_are_equal():
    class Near(Fusion):
        def contributions(self, ranking: Ranking) -> Sequence[float]:
            return [score or 0.0 for score in ranking.scores]

    def placed(first, second):
        legs = [
            leg("a", ["z", "b"], [first, second]),
            leg("b", ["p", "q", "r"], [1e-5, 1e-6, 1e-7]),
        ]
        return order(fuse([*legs, leg("c", ["b"], [0.0])], Near()))[:2]

    # b is second in a but first in c; z is first in a. Of equal scores the id decides.
    assert placed(0.25, 0.25 * (1 - 1e-11)) == ["z", "b"]
    assert placed(0.25, 0.25 * (1 - 1e-13)) == ["b", "z"]


def test_what_rounding_leaves_of_a_sum_of_0_does_not_decide():
    class Given(Fusion):
        def contributions(self, ranking: Ranking) -> Sequence[float]:
            return [score or 0.0 for score in ranking.scores]

    # b: 0.1 + 0.2 − 0.3 = 2.8e-17 exactly rounded; a: 0. Both have been first.
    legs = [
        leg("1", ["b", "a"], [0.1, 0.0]),
        leg("2", ["b", "a"], [0.2, 0.0]),
        leg("3", ["a", "b"], [0.0, -0.3]),
    ]
    pool = fuse(legs, Given())
    assert 0 < pool.hits(1, 2)[0].score < 1e-16
    assert order(pool) == ["a", "b"]


def test_a_sum_is_rounded_once():
    class Given(Fusion):
        def contributions(self, ranking: Ranking) -> Sequence[float]:
            return [score or 0.0 for score in ranking.scores]

    legs = [leg(str(n), "x", [score]) for n, score in enumerate([1e16, 1.0, -1e16])]
    assert fuse(legs, Given()).hits(0, 1)[0].score == 1.0  # from left to right it would be 0


def test_pages_are_cuts_of_one_order():
    pool = fuse([leg("a", "qwertyuiop"), leg("b", "poiuytrewq")], Rrf())
    whole = pool.hits(0, 10)
    assert [pool.hits(0, stop) for stop in range(11)] == [whole[:stop] for stop in range(11)]
    assert pool.hits(3, 6) + pool.hits(6, 9) == whole[3:9]
    assert pool.hits(8, 50) == whole[8:]
    assert pool.hits(50, 60) == ()
    assert [hit.rank for hit in pool.hits(3, 6)] == [4, 5, 6]


def test_the_order_is_one_whichever_page_is_read_first():
    names = [f"{n:03}" for n in range(300)]
    legs = [leg("a", names), leg("b", names[::-1]), leg("c", names[7:] + names[:7])]
    whole = order(fuse(legs, Rrf()))
    for first in (1, 2, 3, 10, 149, 299, 300, 301):
        pool = fuse(legs, Rrf())
        assert list(pool.best(first)) == whole[:first]
        assert [hit.id for hit in pool.hits(first - 1, first + 50)] == whole[first - 1 : first + 50]
        assert list(pool.best(0)) == []
        assert pool.best(-290) == dict(list(pool.scores.items())[:10])
        assert [hit.rank for hit in pool.hits(-2, 300)] == [299, 300]
        assert list(pool.scores) == whole
        assert list(pool.scores.values()) == sorted(pool.scores.values(), reverse=True)


def test_threads_read_one_pool():
    names = [f"{n:04}" for n in range(2000)]
    whole = order(fuse([leg("a", names), leg("b", names[::-1])], Rrf()))
    pool = fuse([leg("a", names), leg("b", names[::-1])], Rrf())
    start, found = threading.Barrier(8), {}

    def read(number):
        start.wait()
        found[number] = [list(pool.best(stop)) for stop in range(number, 2000, 300)]

    threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, pages in found.items():
        assert pages == [whole[:stop] for stop in range(number, 2000, 300)]


# The fields of a hit


def test_a_hit_of_several_legs():
    pool = fuse(
        [
            chunked("a", Chunk("other", id="o"), Chunk("x in a", id="x", metadata={"page": 3})),
            chunked("b", Chunk("x in b", id="x", metadata={"lang": "en"})),
            chunked("c", Chunk("x in c", id="x")),
        ],
        Rrf(k=60),
        [1.0, 2.0, 1.0],
    )
    hit = pool.hits(0, 1)[0]
    assert hit.score == hit.fusion_score == pytest.approx(1 / 62 + 2 / 61 + 1 / 61)
    assert (hit.score_kind, hit.source, hit.rank) == ("fusion", "hybrid", 1)
    assert hit.legs == ("b", "c", "a")  # best rank first, then by name
    assert hit.chunk.content == "x in b"
    assert list(hit.sources.items()) == [("b", {"lang": "en"}), ("c", {}), ("a", {"page": 3})]
    assert hit.retrieval_score is None  # raw scores of different legs are never compared
    assert hit.rerank_score is None
    assert hit.contributions == (
        Contribution("a", 2, -1.0, 1 / 62, 1.0, 1 / 62),
        Contribution("b", 1, 0.0, 1 / 61, 2.0, 2 / 61),
        Contribution("c", 1, 0.0, 1 / 61, 1.0, 1 / 61),
    )


def test_a_hit_of_one_leg_keeps_that_legs_score():
    pool = fuse([leg("a", "x", [0.9]), leg("b", "y", [17.4])], Rrf(k=60))
    assert [(hit.id, hit.retrieval_score) for hit in pool.hits(0, 2)] == [("x", 0.9), ("y", 17.4)]
    unscored = fuse([Ranking("a", ("x",), (None,))], Rrf(k=60)).hits(0, 1)[0]
    assert (unscored.retrieval_score, unscored.fusion_score) == (None, 1 / 61)


def test_sources_cannot_be_changed():
    hit = fuse([chunked("a", Chunk("x", id="x"))], Rrf()).hits(0, 1)[0]
    with pytest.raises(TypeError):
        hit.sources["b"] = {}


def test_parts_of_a_nested_hybrid_are_carried_along():
    inner = (Contribution("bm25", 1, 2.0, 1 / 61, 1.0, 1 / 61),)
    nested = Ranking("inner", ("x",), (1 / 61,), parts=(inner,))
    hit = fuse([nested, leg("b", "y")], Rrf()).hits(0, 1)[0]
    assert hit.contributions[0].parts == inner
    assert hit.contributions[1].parts == ()


# Ids without content


def test_bare_ids_are_missing_until_found():
    pool = fuse([leg("a", ["x", "y"]), chunked("b", Chunk("text of y", id="y"))], Rrf())
    assert pool.missing(0, 2) == ("x",)
    assert pool.missing(0, 1) == ()
    placeholder = pool.hits(0, 2)[1]
    assert (placeholder.chunk, placeholder.sources) == (Chunk("", id="x"), {})
    found = Chunk("text of x", id="x", metadata={"lang": "en"})
    hit = pool.hits(0, 2, {"x": found})[1]
    assert (hit.chunk, hit.sources) == (found, {"a": {"lang": "en"}})
    # A leg's own copy goes before one that was looked up.
    again = pool.hits(0, 1, {"y": Chunk("newer text of y", id="y")})[0]
    assert again.chunk.content == "text of y"
    assert again.id == "y"


def test_the_copy_with_content_is_shown_where_the_best_has_none():
    pool = fuse([leg("a", ["y"]), chunked("b", Chunk("x", id="x"), Chunk("y", id="y"))], Rrf())
    hit = pool.hits(0, 1)[0]
    assert (hit.legs, hit.chunk.content, dict(hit.sources)) == (("a", "b"), "y", {"b": {}})


def test_an_id_that_stayed_alone_is_missing_under_its_own_id():
    text = [Chunk("text", source_path=path, index=0).with_id() for path in ("p", "q")]
    pool = fuse([chunked("a", *text), leg("b", [text[0].id])], Rrf())
    assert len(pool) == 3
    assert pool.missing(0, 3) == (text[0].id,)
    assert {hit.id for hit in pool.hits(0, 3)} == {text[0].id}


# Notes and what is not touched


def test_notes_name_every_leg():
    pool = fuse([Ranking("a", ("x", "x"), (None, None)), leg("b", "x", [1.0])], Rsf(), [1, 2])
    assert pool.notes == {
        "a": ("1 duplicate removed", "used by rank: some of its hits have no score"),
        "b": ("its only hit counts 1",),
    }
    with pytest.raises(TypeError):
        pool.notes["a"] = ()


def test_rankings_are_not_changed():
    chunks = (Chunk("x", id="1", metadata={"a": [1]}), Chunk("x", id="1"), Chunk("y", id="2"))
    ranking = Ranking("a", ("1", "1", "2"), (3.0, 2.0, 1.0), chunks)
    before = dataclasses.replace(ranking)
    fuse([ranking, leg("b", "2")], Rsf(), key=lambda chunk: chunk.content).hits(0, 9)
    assert ranking == before


def test_a_tie_at_the_top_goes_to_the_better_rank_in_any_leg():
    def ranked(leg, place, name):
        ids = [f"{leg}{rank}" for rank in range(1, 9)]
        ids[place - 1] = name
        return Ranking(leg, tuple(ids), tuple(float(9 - rank) for rank in range(1, 9)))

    # Both get (n - r + 1) twice, with ranks that add up to 14; the best of them is 6 and 7.
    given = [ranked("a", 6, "z"), ranked("b", 8, "z"), ranked("c", 7, "y"), ranked("d", 7, "y")]
    first, second = fuse(given, Borda()).hits(0, 2)
    assert first.score == second.score
    assert [first.id, second.id] == ["z", "y"]


@pytest.mark.parametrize("weight", [0.3, 0.7, 1.1])
@pytest.mark.parametrize("names", ["az", "za"])
def test_scores_never_rise_down_the_order_also_where_rounding_would_have_it(weight, names):
    often, once = names
    given = [Ranking(leg, (often,), (1.0,)) for leg in "abc"] + [Ranking("d", (once,), (1.0,))]
    weights = [weight] * 3 + [3 * weight]
    first, second = fuse(given, Rrf(), weights).hits(0, 2)
    assert [first.id, second.id] == ["a", "z"]
    assert first.score == second.score == pytest.approx(3 * weight / 61, rel=1e-12)


def test_a_large_negative_share_of_one_hit_makes_no_other_hits_equal():
    far = leg("far", ["a", "z"], [0.0, 2.5e14], higher_is_better=False)
    near = leg("near", ["c"], [0.25])
    pool = fuse([far, near], parse_fusion('haystack(mode="merge")'))
    assert [(hit.id, hit.score) for hit in pool.hits(0, 3)] == [
        ("c", 0.125),
        ("a", 0.0),
        ("z", -1.25e14),
    ]


def test_ids_without_a_chunk_come_with_the_legs_that_returned_them():
    pool = fuse(
        [leg("b", ["x", "y"]), leg("a", ["y", "x"]), chunked("c", Chunk("t", id="y"))], Rrf()
    )
    assert pool.bare(0, 10) == {"x": ("b", "a")}
