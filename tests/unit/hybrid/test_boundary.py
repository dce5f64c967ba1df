import numpy as np
import pytest

from plait.errors import ContractError
from plait.filters import Filter
from plait.hybrid.boundary import taken, to_ranking
from plait.types import Chunk, Contribution, Hit, Ranking, SearchResult


def rank(answer, **settings):
    return to_ranking(answer, "leg", **{"limit": 10, **settings})


def test_ids_have_no_scores():
    ranking = rank(["a", "b"])
    assert ranking.ids == ("a", "b")
    assert ranking.scores == (None, None)
    assert ranking.chunks == ()


def test_pairs_of_id_and_score():
    ranking = rank([("a", 2), ("b", np.float32(0.5)), ["c", None]])
    assert ranking.scores == (2.0, 0.5, None)
    assert all(score is None or type(score) is float for score in ranking.scores)


def test_chunks_and_pairs_of_chunk_and_score():
    first, second = Chunk("one", id="1"), Chunk("two")
    ranking = rank([(first, 3.0), second])
    assert ranking.ids == ("1", None)
    assert ranking.chunks == (first, second)


def test_hits_bring_score_and_nested_contributions():
    inside = (Contribution("x", 1, 2.0, 1.0, 1.0, 1.0),)
    ranking = rank([Hit(Chunk("one", id="1"), 0.7, 1, contributions=inside)])
    assert ranking.scores == (0.7,)
    assert ranking.parts == (inside,)


def test_a_search_result_keeps_its_notes():
    result = SearchResult((Hit(Chunk("one", id="1"), 0.7, 1),), notes=("only half",))
    assert rank(result).notes == ("only half",)


def test_a_generator_is_taken():
    assert rank(name for name in "ab").ids == ("a", "b")


def test_no_hits():
    assert len(rank([])) == 0


def test_a_ranking_takes_the_name_of_the_leg():
    assert rank(Ranking("bm25", ("a",), (1.0,))).leg == "leg"


def test_what_a_ranking_says_of_the_query_stays_whatever_is_cut_or_dropped():
    chunks = tuple(Chunk("x", id=name, metadata={"n": n}) for n, name in enumerate("abc"))
    given = Ranking("bm25", tuple("abc"), (3.0, 2.0, 1.0), chunks, coverage=0.25, total=9)
    keep = Filter.parse({"n": {"$gt": 0}})
    for ranking in (rank(given), rank(given, limit=1), rank(given, keep=keep)):
        assert (ranking.leg, ranking.coverage, ranking.total) == ("leg", 0.25, 9)
    assert rank(given).cut(1).coverage == 0.25
    assert rank(["a"]).coverage is None


def test_more_than_was_asked_for_is_cut():
    assert rank(["a", "b", "c"], limit=2).ids == ("a", "b")
    assert rank(Ranking("leg", ("a", "b", "c"), (3.0, 2.0, 1.0)), limit=2).ids == ("a", "b")


@pytest.mark.parametrize(
    "answer", [None, 7, "abc", b"abc", {"a", "b"}, {"a": 0.9}, {"a": 1}.keys()]
)
def test_what_is_no_list_is_refused(answer):
    with pytest.raises(ContractError, match="leg 'leg' returned"):
        rank(answer)


@pytest.mark.parametrize("item", [7, None, ("a",), ("a", 1, 2), (7, 1.0), {"id": "a"}])
def test_what_is_no_hit_is_refused_by_position(item):
    with pytest.raises(ContractError, match="at position 2") as caught:
        rank([("a", 1.0), item])
    assert caught.value.leg == "leg"


@pytest.mark.parametrize(
    "score",
    [
        float("nan"),
        float("inf"),
        True,
        "high",
        np.float64("nan"),
        pytest.param(10**5000, id="huge"),
        1j,
    ],
)
def test_a_score_that_is_none_is_refused_by_position(score):
    with pytest.raises(ContractError, match="position 2"):
        rank([("a", 1.0), ("b", score)])


def test_scores_out_of_order_are_refused():
    with pytest.raises(ContractError, match="position 2"):
        rank([("a", 1.0), ("b", 2.0)])
    assert rank([("a", 1.0), ("b", 2.0)], higher_is_better=False).ids == ("a", "b")
    assert rank([("a", 1.0), ("b", 2.0)], order="position").ids == ("a", "b")
    with pytest.raises(ContractError, match="ascending"):
        rank([("a", 2.0), ("b", 1.0)], higher_is_better=False)


RED, BLUE = Chunk("r", id="r", metadata={"c": "red"}), Chunk("b", id="b", metadata={"c": "blue"})
KEEP = Filter.parse({"c": "red"})


def test_a_hit_that_should_have_been_filtered_is_dropped_and_noted():
    ranking = rank([(BLUE, 2.0), (RED, 1.0)], keep=KEEP)
    assert ranking.ids == ("r",)
    assert ranking.notes == ("1 hit dropped: did not pass the filter",)
    already = Ranking("leg", ("b", "r"), (2.0, 1.0), (BLUE, RED))
    assert rank(already, keep=KEEP).ids == ("r",)


def test_a_leg_that_filters_afterwards_loses_hits_without_metadata_too():
    ranking = rank([(BLUE, 3.0), ("x", 2.0), (RED, 1.0)], keep=KEEP, needs_metadata=True)
    assert ranking.ids == ("r",)
    assert ranking.notes == ()
    assert len(rank(["x"], keep=KEEP, needs_metadata=True)) == 0


def test_ids_only_from_a_leg_that_filters_itself_are_kept():
    assert rank(["x"], keep=KEEP).ids == ("x",)


def test_the_answer_itself_is_not_changed():
    answer = [("a", 1.0), ("b", 0.5)]
    rank(answer, limit=1)
    assert answer == [("a", 1.0), ("b", 0.5)]


def test_ids_of_numpy_become_plain_text():
    ranking = rank(np.array(["a", "ß"]))
    assert ranking.ids == ("a", "ß")
    assert {type(identity) for identity in ranking.ids} == {str}


@pytest.mark.parametrize("identity", ["", "\ud800"])
def test_an_id_that_no_chunk_could_have_is_refused_by_position(identity):
    with pytest.raises(ContractError, match="leg 'leg': the id at position 2"):
        rank(["a", identity])


def test_a_list_is_taken_as_it_is_now_and_a_generator_is_read_to_the_limit():
    shared = ["a", "b"]
    now = taken(shared, 10)
    shared.clear()
    assert now == ["a", "b"]
    read = iter(range(10))
    assert taken(read, 3) == [0, 1, 2]
    assert next(read) == 3


@pytest.mark.parametrize("answer", [None, "abc", {"a"}, {"a": 1}, SearchResult(), rank(["a"])])
def test_what_is_no_list_is_left_for_the_check(answer):
    assert taken(answer, 3) is answer
