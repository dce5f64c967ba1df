import numpy as np

from plait.evaluation.tuning.search import halve
from plait.evaluation.tuning.table import Table


class Counted:
    """Scores candidate c on topic t as quality[c] + noise, and counts what it is asked."""

    def __init__(self, quality, topics=400, seed=0):
        self.topics = tuple(map(str, range(topics)))
        self.quality = quality
        self.noise = np.random.default_rng(seed).normal(0, 0.3, (len(quality), topics))
        self.asked = 0

    def scores(self, candidates, topics):
        self.asked += len(candidates) * len(topics)
        return self.quality[candidates][:, None] + self.noise[np.ix_(candidates, topics)]


def table_of(count, **given):
    quality = np.linspace(0.0, 0.6, count)
    scorer = Counted(quality, **given)
    return Table(scorer, range(count)), scorer


def test_a_value_is_computed_once_and_only_when_asked_for():
    table, scorer = table_of(10)
    rows, topics = np.array([1, 4]), np.array([0, 2, 3])
    first = table.scores(rows, topics)
    assert scorer.asked == 6
    assert (
        first.tolist() == (scorer.quality[rows][:, None] + scorer.noise[[1, 4]][:, topics]).tolist()
    )
    table.scores(rows, topics)
    assert scorer.asked == 6
    table.scores(np.array([1, 4, 5]), np.array([0, 2]))
    assert scorer.asked == 8


def test_a_grid_is_left_whole():
    table, scorer = table_of(50)
    assert halve(table, np.arange(400), always=0, seed=0, all=50).tolist() == list(range(50))
    assert scorer.asked == 0


def test_halving_keeps_the_good_ones_and_costs_a_part():
    table, scorer = table_of(3000)
    rows = halve(table, np.arange(400), always=0, seed=0, all=1000)
    # 3000 on 30 topics, 1001 on 90, 335 on 270; 113 are left.
    assert len(rows) == -(-(-(-3000 // 3) + 1) // 9) + 1 == 113
    assert scorer.asked < 3000 * 400 / 4
    assert 0 in rows  # the worst, but the default
    assert rows.tolist() == sorted(rows.tolist())
    assert rows[1:].min() > 1500
    assert 2999 in rows


def test_halving_follows_the_seed():
    first, second = (
        halve(table_of(3000)[0], np.arange(400), always=0, seed=seed, all=1000).tolist()
        for seed in (1, 1)
    )
    other = halve(table_of(3000)[0], np.arange(400), always=0, seed=2, all=1000).tolist()
    assert first == second != other


def test_few_topics_are_not_sampled():
    table, scorer = table_of(3000)
    assert len(halve(table, np.arange(25), always=0, seed=0, all=1000)) == 3000
    assert scorer.asked == 0
