from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest

from plait.errors import ConfigurationError
from plait.fusion import Fusion, Rrf, Rsf, Shares, fuse, parse_fusion
from plait.types import Contribution, Ranking


def leg(name, ids, scores=None):
    given = scores or [float(-place) for place in range(len(ids))]
    return Ranking(name, tuple(ids), tuple(given))


def order(pool):
    return [hit.id for hit in pool.hits(0, len(pool))]


LEGS = [leg("a", "xyz"), leg("b", "zw")]


# One method: contributions(ranking)


@dataclass(frozen=True)
class Top(Fusion):
    n: int = 1

    def contributions(self, ranking):
        return [1.0 if hit.rank <= self.n else 0.0 for hit in ranking.hits]


def test_a_method_of_ones_own_writes_contributions():
    pool = fuse(LEGS, Top(n=2), [1.0, 0.5])
    assert order(pool) == ["x", "y", "z", "w"]
    assert [hit.score for hit in pool.hits(0, 4)] == [1.0, 1.0, 0.5, 0.5]
    assert pool.hits(2, 3)[0].contributions[1] == Contribution("b", 1, 0.0, 1.0, 0.5, 0.5)
    assert pool.score_bound is None  # it did not say
    assert pool.notes == {"a": (), "b": ()}


def test_it_has_a_name_a_text_form_and_an_absent():
    assert str(Top()) == "top()"
    assert str(Top(n=3, absent="min")) == 'top(absent="min", n=3)'
    pool = fuse(LEGS, Top(n=3, absent=1.0))
    assert order(pool)[0] == "x"
    assert {hit.score for hit in pool.hits(0, 9)} == {2.0}


def test_it_may_say_its_bound_and_notes():
    class Told(Top):
        def bound(self, ranking):
            return 1.0

        def notes(self, ranking, given):
            return (f"{int(sum(given))} of {len(ranking)} count",)

    pool = fuse(LEGS, Told(), [1.0, 2.0])
    assert pool.score_bound == 3.0
    assert pool.notes == {"a": ("1 of 3 count",), "b": ("1 of 2 count",)}


def test_it_sees_the_ranking_without_duplicates_under_the_names_of_the_hits():
    seen = []

    class Watching(Fusion):
        def contributions(self, ranking):
            seen.append((ranking.leg, ranking.ids, ranking.score_range))
            return [0.0] * len(ranking)

    fuse([leg("a", "xxy"), Ranking("b", ("y",), (0.5,), score_range=(0.0, 1.0))], Watching())
    assert seen == [("a", ("x", "y"), (None, None)), ("b", ("y",), (0.0, 1.0))]


@pytest.mark.parametrize("kind", [np.array, tuple, iter])
def test_contributions_of_any_kind_become_floats(kind):
    class Kind(Fusion):
        def contributions(self, ranking):
            return kind([2] * len(ranking))

    for hit in fuse(LEGS, Kind()).hits(0, 9):
        assert type(hit.score) is float
        assert all(
            type(share.value) is type(share.normalized) is float for share in hit.contributions
        )


@pytest.mark.parametrize("wrong", [[], [1.0], [1.0, 2.0, 3.0, 4.0]])
def test_one_contribution_per_hit(wrong):
    class Wrong(Fusion):
        def contributions(self, ranking):
            return wrong

    with pytest.raises(
        ConfigurationError, match=rf"gave {len(wrong)} contributions for the 3 hits of leg 'a'"
    ):
        fuse(LEGS, Wrong())


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), float("-inf"), 1e301])
def test_contributions_that_cannot_be_added(wrong):
    class Wrong(Fusion):
        def contributions(self, ranking):
            return [1.0] * (len(ranking) - 1) + [wrong]

    with pytest.raises(
        ConfigurationError, match=r"fusion wrong\(\) gave leg 'a' contributions that"
    ):
        fuse(LEGS, Wrong())


@pytest.mark.parametrize("wrong", [[None] * 3, ["x"] * 3, [10**400] * 3, 7])
def test_contributions_that_are_no_numbers(wrong):
    class Wrong(Fusion):
        def contributions(self, ranking):
            return wrong

    with pytest.raises(ConfigurationError, match="expected one number per hit"):
        fuse(LEGS, Wrong())


def test_a_method_that_writes_nothing():
    class Nothing(Fusion):
        pass

    with pytest.raises(NotImplementedError, match="Nothing writes neither"):
        fuse(LEGS, Nothing())


# All legs at once: fuse(rankings, weights)


class Condorcet(Fusion):
    """Wins in pairwise comparisons, all given to the first leg with the hit."""

    name: ClassVar[str] = "condorcet"

    def fuse(self, rankings, weights):
        ids = sorted({identity for ranking in rankings for identity in ranking.ids})
        places = [
            ({identity: rank for rank, identity in enumerate(ranking.ids)}, weight)
            for ranking, weight in zip(rankings, weights, strict=True)
        ]

        def margin(one, other):
            last = len(ids)
            return sum(
                weight * (rank.get(one, last) < rank.get(other, last))
                - weight * (rank.get(one, last) > rank.get(other, last))
                for rank, weight in places
            )

        wins = {one: float(sum(margin(one, other) > 0 for other in ids)) for one in ids}
        given = set()
        columns = []
        for ranking in rankings:
            columns.append([0.0 if i in given else wins[i] for i in ranking.ids])
            given |= set(ranking.ids)
        return columns


def test_a_method_of_ones_own_may_see_all_legs():
    pool = fuse([leg("1", "abc"), leg("2", "bca"), leg("3", "bac")], Condorcet())
    assert order(pool) == ["b", "a", "c"]
    assert [hit.score for hit in pool.hits(0, 3)] == [2.0, 1.0, 0.0]
    # Without a normalized value of its own, the value is shown.
    assert pool.hits(0, 1)[0].contributions[0] == Contribution("1", 2, -1.0, 2.0, 1.0, 2.0)
    assert pool.score_bound is None


def test_it_is_given_the_legs_that_take_part():
    seen = []

    class Watching(Fusion):
        def fuse(self, rankings, weights):
            seen.append(([ranking.leg for ranking in rankings], list(weights)))
            return [[0.0] * len(ranking) for ranking in rankings]

    fuse([*LEGS, leg("c", "")], Watching(), [2.0, 0.0, 1.0])
    assert seen == [(["a", "c"], [2.0, 1.0])]


def test_it_may_return_shares():
    class Shared(Fusion):
        def fuse(self, rankings, weights):
            return [
                Shares([1.0] * len(ranking), absent=0.25, absent_normalized=0.5, bound=1.0)
                for ranking in rankings
            ]

    pool = fuse(LEGS, Shared())
    assert pool.score_bound == 2.0
    hit = next(hit for hit in pool.hits(0, 9) if hit.id == "w")
    assert hit.score == 1.25
    assert hit.contributions[0] == Contribution("a", None, None, 0.5, 1.0, 0.25)


def test_one_entry_per_leg():
    class Short(Fusion):
        def fuse(self, rankings, weights):
            return [[0.0] * 3]

    with pytest.raises(ConfigurationError, match="returned 1 entries for 2 rankings"):
        fuse(LEGS, Short())


def test_shares_of_the_wrong_length():
    class Wrong(Fusion):
        def fuse(self, rankings, weights):
            return [Shares([0.0] * len(r), normalized=[0.0]) for r in rankings]

    with pytest.raises(ConfigurationError, match="gave 1 contributions for the 3 hits"):
        fuse(LEGS, Wrong())


# Values


@pytest.mark.parametrize(
    ("k", "text"),
    [
        (np.int64(60), "rrf(k=60)"),
        (np.float32(0.5), "rrf(k=0.5)"),
        (Fraction(1, 4), "rrf(k=0.25)"),
        (1e20, "rrf(k=1e+20)"),
    ],
)
def test_any_real_number_is_a_parameter(k, text):
    assert str(Rrf(k=k)) == text
    assert parse_fusion(text) == Rrf(k=k)
    assert type(fuse(LEGS, Rrf(k=k)).hits(0, 1)[0].score) is float


def test_flags_have_a_text_form_too():
    @dataclass(frozen=True)
    class Flagged(Fusion):
        strict: bool = False

    assert str(Flagged(strict=True)) == "flagged(strict=True)"


def test_a_fusion_is_a_value():
    assert Rrf(k=60) == Rrf(k=60.0)
    assert hash(Rrf(k=60)) == hash(Rrf(k=60.0))
    assert Rrf(k=60) != Rrf(k=10)
    assert Rrf() != Rsf()
    with pytest.raises(AttributeError):
        Rrf().k = 3


@pytest.mark.parametrize("absent", ["max", float("nan"), float("inf"), True, None])
def test_an_absent_that_is_none(absent):
    with pytest.raises(ConfigurationError, match=r'rrf: absent is .* or "min"'):
        Rrf(absent=absent)


def test_absent_of_rank_fusion_is_checked_against_the_last_hit():
    pool = fuse(LEGS, Rrf(k=60, absent=1 / 63))
    scores = {hit.id: hit.score for hit in pool.hits(0, 4)}
    assert scores == {
        "x": 1 / 61 + 1 / 63,
        "y": 1 / 62 + 1 / 63,
        "z": 1 / 63 + 1 / 61,
        "w": 1 / 63 + 1 / 62,
    }
    with pytest.raises(ConfigurationError, match=r"leg 'a' gives 0\.015873 to the last hit"):
        fuse(LEGS, Rrf(k=60, absent=1 / 62))
    low = fuse(LEGS, Rrf(k=60, absent="min"))
    assert {hit.id: hit.score for hit in low.hits(0, 4)}["x"] == 1 / 61 + 1 / 62
