import random

import pytest

from plait.errors import ConfigurationError
from plait.evaluation import Qrels, Recording, Topics
from plait.evaluation.learning import learn
from plait.fusion import Learned
from plait.types import Ranking


def recording(rankings, documents=None, fetch_k=10):
    legs = tuple(ranking.leg for ranking in next(iter(rankings.values())))
    topics = Topics({topic: f"question {topic}" for topic in rankings})
    return Recording(legs, topics, rankings, documents or {}, fetch_k, failures={}, origin={})


def noisy(topics=40, hits=8, seed=0):
    """Leg "good" puts the relevant hit first, "bad" puts hits in any order."""
    shuffle = random.Random(seed)
    rankings, grades = {}, {}
    for topic in range(topics):
        ids = [f"{topic}-{hit}" for hit in range(hits)]
        shuffled = shuffle.sample(ids, hits)
        scores = tuple(float(hits - place) for place in range(hits))
        rankings[str(topic)] = (
            Ranking("good", tuple(ids), scores),
            Ranking("bad", tuple(shuffled), scores),
        )
        grades[str(topic)] = {ids[0]: 1}
    return recording(rankings), Qrels(grades)


def test_the_leg_that_finds_gets_the_weight():
    learned = learn(*noisy())
    assert isinstance(learned, Learned)
    assert learned.legs == ("good", "bad")
    good, bad = learned.coefficients
    assert sum(good) > 5 * sum(bad)
    assert min(*good, *bad) >= 0


def test_it_learns_from_the_topics_named_and_within_the_window():
    taken, qrels = noisy()
    some = [str(topic) for topic in range(20)]
    assert learn(taken, qrels, topics=some) == learn(
        *(
            recording({topic: taken.rankings[topic] for topic in some}),
            Qrels({topic: qrels[topic] for topic in some}),
        )
    )
    cut = recording({t: tuple(r.cut(3) for r in rows) for t, rows in taken.rankings.items()})
    assert learn(taken, qrels, window=3) == learn(cut, qrels)
    assert learn(taken, qrels, window=3) != learn(taken, qrels)


def test_grades_are_of_documents_and_hits_are_chunks_of_them():
    rankings = {"1": (Ranking("a", ("d1#0", "d2#0"), (2.0, 1.0)), Ranking("b", (), ()))}
    documents = {"d1#0": "d1", "d2#0": "d2"}
    learned = learn(recording(rankings, documents), Qrels({"1": {"d1": 1}}))
    assert max(learned.coefficients[0]) > 0
    assert learned.coefficients[1] == (0.0, 0.0, 0.0)


def test_the_rank_constant_is_that_of_the_fusion():
    learned = learn(*noisy(), k=60)
    assert learned.k == 60
    # The feature is (k + 1)/(k + r), so b is 61 times its weight, which is below 10.
    assert 0 < learned.coefficients[0][1] < 610


def test_order_of_topics_and_scale_of_grades_do_not_matter():
    taken, qrels = noisy()
    backwards = recording(dict(reversed(taken.rankings.items())))
    high = Qrels({topic: dict.fromkeys(grades, 3) for topic, grades in qrels.items()})
    for other, other_qrels in ((backwards, qrels), (taken, high)):
        learned = learn(other, other_qrels)
        for one, two in zip(learned.coefficients, learn(taken, qrels).coefficients, strict=True):
            assert one == pytest.approx(two, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("grades", [{}, {"1": {}}, {"1": {"z": 1}}, {"1": {"x": 1, "y": 2}}])
def test_topics_without_both_kinds_of_hits_teach_nothing(grades):
    taken = recording({"1": (Ranking("a", ("x", "y"), (2.0, 1.0)),)})
    with pytest.raises(ConfigurationError, match="nothing to learn from"):
        learn(taken, Qrels(grades))


def test_legs_that_rank_upside_down_teach_nothing_that_may_be_used():
    taken = recording({"1": (Ranking("a", ("x", "y"), (2.0, 1.0)),)})
    with pytest.raises(ConfigurationError, match="neither scores nor ranks tell"):
        learn(taken, Qrels({"1": {"y": 1}}))


@pytest.mark.parametrize(
    ("window", "said"), [(11, "10 candidates of each leg"), (0, "window is 0")]
)
def test_a_bad_window_is_refused(window, said):
    with pytest.raises(ConfigurationError, match=said):
        learn(*noisy(topics=2), window=window)
