import numpy as np
import pytest

from plait.errors import ContractError
from plait.types import Chunk, Contribution, Ranking

SHARE = (Contribution("a", 1, 2.0, 1.0, 1.0, 1.0),)


def test_an_empty_ranking() -> None:
    ranking = Ranking("bm25", (), ())
    assert len(ranking) == 0
    assert ranking.hits == ()
    assert ranking.total is None


def test_ties_missing_scores_and_duplicates_are_allowed() -> None:
    assert len(Ranking("leg", ("a", "b", "c", "a"), (2.0, 2.0, None, 1.0))) == 4


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ((1.0, 2.0), "leg 'leg': score 2.0 at position 2 is better .* expected descending order"),
        ((1.0, None, 1.5), "score 1.5 at position 3"),
        ((float("nan"), 1.0), "score nan at position 1; expected a finite float"),
        ((1.0, float("-inf")), "score -inf at position 2"),
        ((True, 0.5), "score True at position 1"),
        ((1, 0.5), "score 1 at position 1"),
        (("1.0", 0.5), "score '1.0' at position 1"),
        ((np.float32(1.0), 0.5), "at position 1"),
    ],
)
def test_bad_scores_are_refused_by_leg_and_position(scores: tuple, message: str) -> None:
    with pytest.raises(ContractError, match=message) as raised:
        Ranking("leg", tuple("abc"[: len(scores)]), scores)
    assert raised.value.leg == "leg"


def test_distances_ascend() -> None:
    ranking = Ranking("leg", ("a", "b", "c"), (0.1, None, 0.7), higher_is_better=False)
    assert ranking.oriented == (-0.1, None, -0.7)
    with pytest.raises(ContractError, match="expected ascending order"):
        Ranking("leg", ("a", "b"), (0.7, 0.1), higher_is_better=False)


def test_scores_stay_as_they_are_when_higher_is_better() -> None:
    assert Ranking("leg", ("a", "b"), (2.0, None)).oriented == (2.0, None)


def test_by_position_scores_may_stand_in_any_order_but_not_be_nan() -> None:
    assert len(Ranking("leg", ("a", "b"), (1.0, 2.0), order="position")) == 2
    with pytest.raises(ContractError, match="nan"):
        Ranking("leg", ("a", "b"), (1.0, float("nan")), order="position")


@pytest.mark.parametrize(
    "columns",
    [
        {"ids": ("a", "b"), "scores": (1.0,)},
        {"ids": ("a",), "scores": (1.0,), "chunks": (Chunk("x"), Chunk("y"))},
        {"ids": ("a", "b"), "scores": (2.0, 1.0), "parts": (SHARE,)},
    ],
)
def test_columns_have_one_length(columns: dict) -> None:
    with pytest.raises(
        ContractError, match=r"leg 'leg': .* the columns of a ranking have one length"
    ):
        Ranking("leg", **columns)


@pytest.mark.parametrize("chunks", [(), (Chunk("x"), None)])
def test_a_hit_has_an_id_or_a_chunk(chunks: tuple) -> None:
    with pytest.raises(ContractError, match="no id and no chunk at position 2"):
        Ranking("leg", ("a", None), (2.0, 1.0), chunks=chunks)


def test_a_chunk_may_stand_without_an_id() -> None:
    assert len(Ranking("leg", ("a", None), (2.0, 1.0), chunks=(None, Chunk("x")))) == 2


def test_hits_of_ids_are_placeholders() -> None:
    first, second = Ranking("leg", ("a", "b"), (2.0, None)).hits
    assert (first.chunk, first.score, first.rank) == (Chunk("", id="a"), 2.0, 1)
    assert (second.score, second.rank, second.retrieval_score) == (None, 2, None)
    assert (first.source, first.legs) == ("leg", ("leg",))


def test_hits_carry_the_chunks_that_are_there() -> None:
    first, second = Ranking("leg", ("a", "b"), (2.0, 1.0), chunks=(Chunk("x", id="a"), None)).hits
    assert first.chunk.content == "x"
    assert second.chunk == Chunk("", id="b")


@pytest.mark.parametrize("identity", [7, "", b"a", ("a",)])
def test_an_id_is_a_text_that_says_something(identity):
    with pytest.raises(ContractError, match=r"leg 'a': id .* at position 2; expected a non-empty"):
        Ranking("a", ("x", identity), (None, None))


def test_an_id_may_be_of_a_kind_of_text():
    class Name(str):
        __slots__ = ()

    assert Ranking("a", (Name("x"),), (None,)).ids == ("x",)


def test_a_cut_ranking_keeps_the_first_of_every_column():
    share = Contribution("inner", 1, 2.0, 1.0, 1.0, 1.0)
    ranking = Ranking(
        "bm25",
        ("a", "b", "c"),
        (3.0, 2.0, 1.0),
        (Chunk("x", id="a"), Chunk("y", id="b"), Chunk("z", id="c")),
        parts=((share,), (), ()),
        score_range=(0.0, None),
    )
    short = ranking.cut(2)
    assert short.ids == ("a", "b")
    assert short.scores == (3.0, 2.0)
    assert short.chunks == ranking.chunks[:2]
    assert short.parts == ((share,), ())
    assert short.score_range == (0.0, None)
    assert ranking.cut(3) is ranking
    assert ranking.cut(100) is ranking


def test_a_ranking_at_positions_keeps_these_of_every_column():
    ranking = Ranking("leg", ("a", "b", "c"), (3.0, 2.0, 1.0), filled=(False, True, True))
    some = ranking.at([0, 2])
    assert (some.ids, some.scores, some.filled) == (("a", "c"), (3.0, 1.0), (False, True))
    assert ranking.at([]).ids == ()
    assert ranking.at([]).filled == ()


def test_what_was_returned_is_what_was_not_filled():
    ranking = Ranking("leg", ("a", "b", "c"), (3.0, 2.0, 1.0), filled=(True, False, True))
    assert ranking.returned == Ranking("leg", ("b",), (2.0,))
    plain = Ranking("leg", ("a",), (1.0,))
    assert plain.returned is plain


def test_filled_is_a_column_like_the_others():
    with pytest.raises(ContractError, match="one length"):
        Ranking("leg", ("a", "b"), (2.0, 1.0), filled=(True,))
