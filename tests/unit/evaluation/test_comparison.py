"""Comparison: means, differences, p-values and wins by hand; what may not be compared."""

from collections.abc import Mapping
from types import SimpleNamespace

import pytest

from plait.errors import ConfigurationError
from plait.evaluation.comparison import compare
from plait.evaluation.evaluation import Estimate, Evaluation
from plait.evaluation.qrels import Qrels
from plait.evaluation.run import Run

QRELS = Qrels({f"t{position}": {"a": 1} for position in range(8)})


def system(
    name: str, values: list[float] | Mapping[str, float], *, measure: str = "nDCG@10", **more
) -> Evaluation:
    by_topic = values if isinstance(values, Mapping) else dict(zip(QRELS, values, strict=False))
    mean = sum(by_topic.values()) / max(len(by_topic), 1)
    return Evaluation(
        name=name,
        run=Run(name, dict.fromkeys(by_topic, (("a", 1.0),))),
        measures=(measure,),
        per_query={topic: {measure: value} for topic, value in by_topic.items()},
        means={measure: Estimate(mean, mean - 0.1, mean + 0.1, len(by_topic))},
        **more,
    )


def test_three_gains_of_three_are_two_sign_patterns_of_eight() -> None:
    compared = compare([system("base", [0.4, 0.4, 0.6]), system("new", [0.5, 0.6, 0.9])])
    entry = compared.difference("new")
    assert entry.p == 2 / 2**3  # +++ and ---
    assert entry.p_adjusted == 2 / 2**3
    assert not entry.is_real
    assert entry.estimate.mean == pytest.approx((0.1 + 0.2 + 0.3) / 3)
    assert (entry.wins, entry.ties, entry.losses) == (3, 0, 0)


def test_six_gains_are_real_alone_but_not_among_two() -> None:
    base, new, other = (
        system("base", [0.0] * 6),
        system("new", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]),
        system("other", [0.1, -0.1, 0.0, 0.0, 0.0, 0.0]),
    )
    alone = compare([base, new]).difference("new")
    assert alone.p_adjusted == 2 / 2**6
    assert alone.is_real
    among = compare([base, new, other])
    # Holm: the smaller of two p-values counts twice, the larger once.
    assert among.difference("new").p == 2 / 2**6
    assert among.difference("new").p_adjusted == 2 * 2 / 2**6
    assert not among.difference("new").is_real
    assert among.difference("other").p == 1  # +- sums to 0, and no pattern is nearer to it
    assert among.difference("other").p_adjusted == 1


def test_the_correction_counts_every_measure() -> None:
    def both(name: str, values: list[float]) -> Evaluation:
        first, second = system(name, values), system(name, values, measure="RR@10")
        return Evaluation(
            name=name,
            run=first.run,
            measures=("nDCG@10", "RR@10"),
            per_query={
                topic: {**first.per_query[topic], **second.per_query[topic]} for topic in QRELS
            },
            means={**first.means, **second.means},
        )

    systems = [both("base", [0.0] * 8), both("new", [0.1 * (n + 1) for n in range(8)])]
    compared = compare(systems, measure=["nDCG@10", "RR@10"])
    for measure in ("nDCG@10", "RR@10"):
        assert compared.difference("new", measure).p == 2 / 2**8
        assert compared.difference("new", measure).p_adjusted == 2 * 2 / 2**8
    assert compare(systems, measure="RR@10").difference("new").p_adjusted == 2 / 2**8


def test_values_closer_than_a_billionth_are_a_tie() -> None:
    base = system("base", [0.5, 0.5, 0.5, 0.5])
    new = system("new", [0.5 + 5e-10, 0.5 - 5e-10, 0.5 + 2e-9, 0.5 - 2e-9])
    entry = compare([base, new]).difference("new")
    assert (entry.wins, entry.ties, entry.losses) == (1, 2, 1)


def test_equal_systems_differ_by_nothing() -> None:
    compared = compare([system("base", [0.3, 0.7]), system("same", [0.3, 0.7])])
    entry = compared.difference("same")
    assert (entry.estimate, entry.p) == (Estimate(0.0, 0.0, 0.0, 2), 1.0)
    assert (entry.wins, entry.ties, entry.losses) == (0, 2, 0)
    assert compared.contrasts["same"] == ()


def test_a_difference_that_is_the_same_everywhere_has_an_interval_of_one_point() -> None:
    entry = compare([system("base", [0.0, 0.5]), system("new", [0.25, 0.75])]).difference("new")
    assert entry.estimate == Estimate(0.25, 0.25, 0.25, 2)


def test_one_topic() -> None:
    entry = compare([system("base", [0.5]), system("new", [1.0])]).difference("new")
    assert (entry.p, entry.wins, entry.estimate) == (1.0, 1, Estimate(0.5, 0.5, 0.5, 1))


def test_the_baseline_is_the_first_or_the_one_named() -> None:
    systems = [system("a", [0.1, 0.2]), system("b", [0.5, 0.5]), system("c", [0.9, 0.9])]
    first = compare(systems)
    assert (first.baseline, first.others) == ("a", ("b", "c"))
    named = compare(systems, baseline="b")
    assert (named.baseline, named.others) == ("b", ("a", "c"))
    assert named.difference("a").estimate.mean == pytest.approx((0.1 + 0.2) / 2 - 0.5)
    assert list(named.contrasts) == ["a", "c"]


def test_topics_are_paired_by_id_not_by_place() -> None:
    base = system("base", {"x": 0.1, "y": 0.9})
    new = system("new", {"y": 0.9, "x": 0.2})
    compared = compare([base, new])
    assert compared.topics == ("x", "y")
    assert compared.values["nDCG@10"] == {"base": (0.1, 0.9), "new": (0.2, 0.9)}
    assert compared.per_topic("new") == (0.2 - 0.1, 0.9 - 0.9)


def test_the_means_are_those_of_the_evaluations() -> None:
    base = system("base", [0.5])
    assert compare([base, system("new", [1.0])]).means["nDCG@10"]["base"] is base.means["nDCG@10"]


def test_the_same_seed_gives_the_same_figures() -> None:
    base = system("base", {f"{n}": (n * 7 % 11) / 11 for n in range(40)})
    new = system("new", {f"{n}": (n * 5 % 13) / 13 for n in range(40)})
    once, again = compare([base, new], seed=3), compare([base, new], seed=3)
    assert once.differences == again.differences
    assert once.seed == 3
    other = compare([base, new], seed=4).differences[0]
    assert other.estimate.low != once.differences[0].estimate.low


def test_notes_say_which_system_they_are_of_unless_of_all() -> None:
    base = system("base", [0.5, 0.5], notes=("2 topics not judged", "slow"))
    new = system("new", [0.0, 1.0], notes=("1 topic without results", "2 topics not judged"))
    assert compare([base, new]).notes == (
        "2 topics not judged",
        "base: slow",
        "new: 1 topic without results",
    )


def test_the_result_cannot_be_changed() -> None:
    compared = compare([system("base", [0.5]), system("new", [1.0])])
    with pytest.raises(AttributeError):
        compared.baseline = "new"  # type: ignore[misc]
    for mapping in (compared.values, compared.values["nDCG@10"], compared.means,
                    compared.means["nDCG@10"], compared.contrasts):  # fmt: skip
        with pytest.raises(TypeError):
            mapping["new"] = ()  # type: ignore[index]


@pytest.mark.parametrize(
    ("systems", "given", "parts"),
    [
        ([], {}, ["two or more"]),
        ([system("a", [0.5])], {}, ["['a']", "two or more"]),
        ([system("a", [0.5]), system("a", [0.6])], {}, ["names ['a']"]),
        ([system("a", [0.5]), system("b", [0.6])], {"baseline": "c"}, ["'c'", "['a', 'b']"]),
        ([system("a", [0.5]), system("b", [0.6])], {"measure": ()}, ["nDCG@10"]),
        ([system("a", [0.5]), system("b", [0.6])], {"measure": ["AP", "AP"]}, ["['AP', 'AP']"]),
        ([system("a", [0.5]), system("b", [0.6], measure="AP")], {}, ["'b'", "nDCG@10", "['AP']"]),
        ([system("a", []), system("b", [])], {}, ["'a' has no topic"]),
        ([system("a", [0.5]), system("b", [0.6])], {"top": 0}, ["top is 0"]),
        ([system("a", [0.5]), system("b", [0.6])], {"contrasts": 0}, ["contrasts is 0"]),
        ([SimpleNamespace(name="a"), system("b", [0.6])], {}, ["SimpleNamespace", "Evaluation"]),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused(systems, given, parts: list[str]) -> None:
    with pytest.raises(ConfigurationError) as caught:
        compare(systems, **given)
    for part in parts:
        assert part in str(caught.value)


def test_different_topics_are_named() -> None:
    few = system("few", {"1": 0.5, "2": 0.5, "new": 0.1})
    many = system("many", {str(n): 0.5 for n in range(1, 10)})
    with pytest.raises(ConfigurationError) as caught:
        compare([few, many])
    message = str(caught.value)
    assert "only 'few' has 'new'" in message
    assert "only 'many' has '3', '4', '5', '6', '7' and 2 more" in message
    assert "same topics" in message


def test_different_judgments_are_named() -> None:
    ours = {"t0": {"a": 1, "b": 0}, "t1": {"c": 2}, "left out": {"z": 1}}
    theirs = {"t0": {"a": 2, "b": 0}, "t1": {"c": 2, "d": 1}}
    base = system("base", [0.5, 0.5], qrels=Qrels(ours))
    with pytest.raises(ConfigurationError) as caught:
        compare([base, system("new", [0.6, 0.6], qrels=Qrels(theirs))])
    message = str(caught.value)
    assert "different judgments, 2 in all" in message
    assert "topic 't0': 'a' is graded 1 for 'base' and graded 2 for 'new'" in message
    assert "topic 't1': 'd' is not judged for 'base' and graded 1 for 'new'" in message
    compare([base, system("new", [0.6, 0.6], qrels=Qrels(ours))])  # equal, not the same object


@pytest.mark.parametrize(("name", "measure"), [("base", None), ("x", None), ("new", "AP")])
def test_a_difference_that_there_is_not(name: str, measure: str | None) -> None:
    compared = compare([system("base", [0.5]), system("new", [1.0])])
    with pytest.raises(ConfigurationError, match=r"\['new'\]"):
        compared.difference(name, measure)


def test_printed_it_is_a_sentence_for_each_system() -> None:
    systems = [
        system("base", [0.5] * 8),
        system("same", [0.5] * 8),
        system("new", [0.75] * 8, notes=("two\nlines",)),
    ]
    # 8 gains of 8 are 2 sign patterns of 2^8, and the smaller p of two is doubled.
    assert str(compare(systems)).splitlines() == [
        "3 systems over 8 topics, compared with base",
        "same and base have the same nDCG@10 on every topic",
        (
            "new is better than base: +0.250 nDCG@10, 95 % interval +0.250 to +0.250, "
            "adjusted p = 0.016"
        ),
        "note: new: two lines",
    ]
