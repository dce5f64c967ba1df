"""Comparisons, whatever the values: order does not matter, and swapping sides turns the sign."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.evaluation import Comparison, Estimate, Evaluation, Run, compare

VALUES = st.lists(
    st.tuples(*[st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0])] * 3), min_size=1, max_size=30
)


def _systems(rows: list[tuple[float, ...]]) -> list[Evaluation]:
    return [
        Evaluation(
            name=name,
            run=Run(name, {}),
            measures=("AP",),
            per_query={str(n): {"AP": row[column]} for n, row in enumerate(rows)},
            means={"AP": Estimate(0.5, 0.0, 1.0, len(rows))},
        )
        for column, name in enumerate("abc")
    ]


def _compare(systems: list[Evaluation], baseline: str) -> Comparison:
    return compare(systems, measure="AP", baseline=baseline)


@settings(max_examples=40, deadline=None)
@given(VALUES)
def test_order_of_systems_does_not_matter(rows: list[tuple[float, ...]]) -> None:
    systems = _systems(rows)
    one, other = _compare(systems, "a"), _compare(systems[::-1], "a")
    assert {entry.system: entry for entry in one.differences} == {
        entry.system: entry for entry in other.differences
    }
    assert dict(one.contrasts) == dict(other.contrasts)


@settings(max_examples=40, deadline=None)
@given(VALUES)
def test_swapping_sides_turns_the_sign(rows: list[tuple[float, ...]]) -> None:
    pair = _systems(rows)[:2]
    there, back = _compare(pair, "a").difference("b"), _compare(pair, "b").difference("a")
    assert there.estimate.mean == pytest.approx(-back.estimate.mean, abs=1e-12)
    assert there.estimate.low == pytest.approx(-back.estimate.high, abs=1e-12)
    assert (there.wins, there.ties, there.losses) == (back.losses, back.ties, back.wins)
    # The same pattern of signs is as likely as its opposite; random ones differ only by chance.
    assert there.p == pytest.approx(back.p, abs=0.03)


@settings(max_examples=40, deadline=None)
@given(VALUES)
def test_figures_are_in_their_ranges(rows: list[tuple[float, ...]]) -> None:
    for entry in _compare(_systems(rows), "b").differences:
        assert 0 < entry.p <= entry.p_adjusted <= 1
        assert entry.estimate.low <= entry.estimate.mean + 1e-12
        assert entry.estimate.mean <= entry.estimate.high + 1e-12
        assert entry.wins + entry.ties + entry.losses == len(rows) == entry.estimate.n
