"""A leg is asked to score the hits that only other legs returned."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from plait.errors import ConfigurationError, LegError, QueryError
from plait.filters import Filter
from plait.hybrid import HybridRetriever, Leg
from plait.retriever import Retriever
from plait.types import Chunk, Contribution, Hit, Query, SearchResult, Variant


class Scoring(Retriever):
    """Knows the score of every chunk, and returns the best."""

    def __init__(self, name: str, scores: Mapping[str, float], *, sign: float = 1.0) -> None:
        self.name = name
        self.scores = scores
        self.higher_is_better = sign > 0
        self.asked: list[tuple[str | None, tuple[str, ...], Filter | None]] = []
        self.answer: Any = None

    def retrieve(self, query: Any, *, top_k: int = 5, filter: Any = None) -> SearchResult:
        sign = 1 if self.higher_is_better else -1
        best = sorted(self.scores.items(), key=lambda entry: (-sign * entry[1], entry[0]))[:top_k]
        hits = [
            Hit(Chunk(f"{self.name} on {name}", id=name, metadata={"in": "yes"}), score, rank)
            for rank, (name, score) in enumerate(best, start=1)
        ]
        return SearchResult(tuple(hits))

    def score(
        self, query: Query, ids: Sequence[str], *, filter: Filter | None
    ) -> Mapping[str, float]:
        self.asked.append((query.text, tuple(ids), filter))
        if isinstance(self.answer, Exception):
            raise self.answer
        if self.answer is not None:
            return self.answer
        return {name: self.scores[name] for name in ids if name in self.scores}


def pair() -> tuple[Scoring, Scoring]:
    return (
        Scoring("a", {"x": 1.0, "y": 0.5, "z": 0.25}),
        Scoring("b", {"z": 8.0, "w": 4.0, "y": 2.0}),
    )


def shares(result: SearchResult, name: str) -> tuple[Contribution, ...]:
    return next(hit.contributions for hit in result if hit.id == name)


def test_each_leg_gives_its_scores_of_the_others_hits() -> None:
    a, b = pair()
    result = HybridRetriever([a, b], fusion="rsf()", fetch_k=2, top_k=2).retrieve("q", fill=True)
    # a returned x 1, y .5 and is asked for z .25: min-max over the three gives 1, 1/3, 0.
    # b returned z 8, w 4 and is asked for y 2; x it does not know: 1, 1/3, 0.
    assert [(hit.id, pytest.approx(hit.score)) for hit in result] == [("x", 1.0), ("z", 1.0)]
    assert shares(result, "z") == (
        Contribution("a", 3, 0.25, 0.0, 1.0, 0.0, filled=True),
        Contribution("b", 1, 8.0, 1.0, 1.0, 1.0),
    )
    assert a.asked == [("q", ("z", "w"), None)]
    assert b.asked == [("q", ("x", "y"), None)]


def test_a_filled_hit_is_one_that_the_leg_did_not_return() -> None:
    a, b = pair()
    result = HybridRetriever([a, b], fetch_k=2).retrieve("q", top_k=2, fill=True)
    hit = next(hit for hit in result if hit.id == "z")
    assert hit.legs == ("b",)
    assert hit.retrieval_score == 8.0
    assert hit.chunk.content == "b on z"
    assert set(hit.sources) == {"b"}


def test_the_pool_has_the_same_hits() -> None:
    a, b = pair()
    hybrid = HybridRetriever([a, b], fetch_k=2)
    plain, filled = hybrid.retrieve("q", top_k=2), hybrid.retrieve("q", top_k=2, fill=True)
    assert plain.total == filled.total == 4
    assert not a.asked[1:]


def test_the_reports_say_it() -> None:
    a, b = pair()
    result = HybridRetriever([a, b], fetch_k=2, fill=True).retrieve("q", top_k=2)
    assert [report.notes for report in result.legs] == [("scored 1 hit of other legs",)] * 2
    assert [report.count for report in result.legs] == [3, 3]
    assert "3 filled" in result.explain()
    shown = {hit["id"]: hit["contributions"] for hit in result.to_dict()["hits"]}
    assert shown["z"][0]["filled"] is True
    assert "filled" not in shown["z"][1]
    assert not result.degraded


def test_it_is_off_unless_asked_for() -> None:
    a, b = pair()
    hybrid = HybridRetriever([a, b], fetch_k=2, top_k=2)
    assert hybrid.describe()["fill"] is False
    hybrid.retrieve("q")
    assert not a.asked
    HybridRetriever([a, b], fetch_k=2, top_k=2, fill=True).retrieve("q", fill=False)
    assert not a.asked


def test_distances_fill_from_below() -> None:
    near = Scoring("near", {"x": 0.1, "y": 0.2, "z": 0.3}, sign=-1.0)
    other = Scoring("other", {"z": 1.0, "x": 0.5})
    hybrid = HybridRetriever([near, other], fetch_k=1)
    ranking = hybrid.run_legs("q", fill=True).rankings[0]
    assert (ranking.ids, ranking.scores) == (("x", "z"), (0.1, 0.3))
    assert ranking.filled == (False, True)
    assert ranking.returned.ids == ("x",)


def test_a_leg_of_an_approximate_index_is_put_right() -> None:
    """One that missed a better hit gets it where its score puts it, equal ones behind its own."""

    class Missing(Scoring):
        def retrieve(self, query: Any, *, top_k: int = 5, filter: Any = None) -> SearchResult:
            return SearchResult((Hit(Chunk("q", id="q"), 0.5, 1), Hit(Chunk("r", id="r"), 0.25, 2)))

    found = Missing("a", {"m": 0.75, "b": 0.5})
    hybrid = HybridRetriever([found, Scoring("b", {"m": 2.0, "b": 1.0})], fetch_k=2)
    ranking = hybrid.run_legs("q", fill=True).rankings[0]
    assert ranking.ids == ("m", "q", "b", "r")
    assert ranking.filled == (True, False, True, False)


def test_legs_that_cannot_score_are_left_as_they_are() -> None:
    a = Scoring("a", {"x": 1.0, "y": 0.5})
    ids = HybridRetriever({"a": a, "ids": lambda text: ["z", "y"]}, fetch_k=1)
    outcome = ids.run_legs("q", fill=True)
    assert [ranking.ids for ranking in outcome.rankings] == [("x",), ("z",)]
    assert outcome.reports[1].notes == ()


@pytest.mark.parametrize("order", ["position", None])
def test_a_leg_is_not_asked_where_scores_do_not_make_its_order(order: Any) -> None:
    class Bare(Scoring):
        def retrieve(self, query: Any, *, top_k: int = 5, filter: Any = None) -> Any:
            return [("x", 1.0)] if order else ["x"]

    bare = Bare("a", {"x": 1.0, "z": 2.0})
    legs = [Leg("a", bare, order=order, ids_only=True), Scoring("b", {"z": 1.0})]
    HybridRetriever(legs).retrieve("q", fill=True)
    assert not bare.asked


def test_a_leg_that_found_nothing_is_asked() -> None:
    class Shy(Scoring):
        def retrieve(self, query: Any, *, top_k: int = 5, filter: Any = None) -> SearchResult:
            return SearchResult()

    outcome = HybridRetriever([Shy("a", {"z": 2.0}), Scoring("b", {"z": 1.0})]).run_legs(
        "q", fill=True
    )
    assert outcome.rankings[0].ids == ("z",)
    assert outcome.rankings[0].returned.ids == ()


def test_failed_and_skipped_legs_are_not_asked() -> None:
    class Failing(Scoring):
        def retrieve(self, query: Any, *, top_k: int = 5, filter: Any = None) -> SearchResult:
            raise OSError("down")

    class Picky(Scoring):
        def unanswerable(self, query: Query) -> str:
            return "needs something else"

    legs = [Failing("a", {"z": 1.0}), Picky("b", {"z": 1.0}), Scoring("c", {"z": 1.0})]
    result = HybridRetriever(legs).retrieve("q", fill=True)
    assert [report.status for report in result.legs] == ["error", "skipped", "ok"]
    assert not legs[0].asked
    assert not legs[1].asked


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (OSError("gone"), "OSError: gone"),
        ([1.0], "score returned list"),
        ({"z": float("nan")}, "score gave 'z' nan"),
        ({"z": None}, "score gave 'z' None"),
        ({"z": True}, "score gave 'z' True"),
    ],
)
def test_a_leg_that_fails_at_it_keeps_its_hits(answer: Any, said: str) -> None:
    a, b = pair()
    a.answer = answer
    result = HybridRetriever([a, b], fetch_k=2).retrieve("q", top_k=2, fill=True)
    report = result.legs[0]
    assert result.degraded
    assert report.status == "ok"
    assert report.count == 2
    assert report.notes[0].startswith("could not score hits of other legs: ")
    assert said in report.notes[0]
    assert result.legs[1].count == 3


def test_scores_nobody_asked_for_are_passed_over_and_ints_are_scores() -> None:
    a, b = pair()
    a.answer = {"z": 0, "unknown": 9.0}
    ranking = HybridRetriever([a, b], fetch_k=2).run_legs("q", fill=True).rankings[0]
    assert (ranking.ids, ranking.scores) == (("x", "y", "z"), (1.0, 0.5, 0.0))


@pytest.mark.parametrize("required", [True, False])
def test_a_failure_that_ends_queries_ends_this_one(required: bool) -> None:
    a, b = pair()
    a.answer = OSError("gone")
    on_failure: Any = "degrade" if required else "raise"
    hybrid = HybridRetriever(
        [Leg(None, a, required=required), b], fetch_k=2, top_k=2, on_failure=on_failure, fill=True
    )
    with pytest.raises(LegError, match="leg 'a' failed: OSError: gone") as raised:
        hybrid.retrieve("q")
    assert isinstance(raised.value.__cause__, OSError)


def test_legs_get_the_filter_unless_they_cannot_filter() -> None:
    a, b = pair()
    legs = [a, Leg("b", b, post_filter=True)]
    HybridRetriever(legs, fetch_k=2, top_k=2).retrieve("q", filter={"in": "yes"}, fill=True)
    assert a.asked[0][2] == Filter.parse({"in": "yes"})
    assert b.asked[0][2] is None


def test_every_variant_is_scored_by_its_own_text() -> None:
    a, b = pair()
    variants = [Variant("q"), Variant("other", name="rewrite")]
    HybridRetriever([a, b], fetch_k=2, top_k=2).retrieve_variants(variants, fill=True)
    assert {text for text, _, _ in a.asked} == {"q", "other"}


def test_async_gives_the_same() -> None:
    a, b = pair()
    hybrid = HybridRetriever([a, b], fetch_k=2, top_k=2, fill=True)
    there = asyncio.run(hybrid.aretrieve("q"))
    assert [hit.contributions for hit in there] == [
        hit.contributions for hit in hybrid.retrieve("q")
    ]


def test_what_is_left_of_the_time_is_what_filling_has() -> None:
    a, b = pair()
    result = HybridRetriever([Leg(None, a, timeout=60.0), b], fetch_k=2, deadline=90.0).retrieve(
        "q", top_k=2, fill=True
    )
    assert [report.count for report in result.legs] == [3, 3]


@pytest.mark.parametrize("fill", [1, "yes", None])
def test_fill_is_true_or_false(fill: Any) -> None:
    a, b = pair()
    with pytest.raises(ConfigurationError, match=r"fill is .*, expected True or False"):
        HybridRetriever([a, b], fill=fill)
    if fill is not None:
        with pytest.raises(QueryError, match=r"fill is .*, expected True or False"):
            HybridRetriever([a, b]).retrieve("q", fill=fill)


def test_one_that_does_not_score_says_so() -> None:
    class Plain(Retriever):
        def retrieve(self, query: Any, *, top_k: int = 5, filter: Any = None) -> SearchResult:
            return SearchResult()

    assert not Plain.is_scoring()
    with pytest.raises(NotImplementedError, match="Plain does not score single chunks"):
        Plain().score(Query("q"), ["x"], filter=None)
