from plait.evaluation.diagnosis.correlation import opposite_order


def answers(healthy, *, upside_down: bool) -> list[dict]:
    found = healthy(20)
    if upside_down:  # the right hits, worst first: a distance read as a similarity
        for legs in found:
            hits = legs["dense"]
            scores = [score for _, score in hits]
            legs["dense"] = [
                (id, score) for (id, _), score in zip(reversed(hits), scores, strict=True)
            ]
    return found


def test_a_leg_that_is_upside_down(case, healthy) -> None:
    (finding,) = opposite_order(case(*answers(healthy, upside_down=True)))
    assert (finding.severity, finding.legs) == ("problem", ("dense", "bm25"))
    assert finding.figures["correlation"] < -0.1
    assert "higher_is_better=False" in finding.advice


def test_legs_the_right_way_up(case, healthy) -> None:
    assert list(opposite_order(case(*answers(healthy, upside_down=False)))) == []


def test_a_few_queries_prove_nothing(case, healthy) -> None:
    assert list(opposite_order(case(*answers(healthy, upside_down=True)[:9]))) == []


def test_a_mean_below_zero_that_may_be_chance_is_not_told(case) -> None:
    ids = [f"c{n}" for n in range(10)]
    first = [(id, 10.0 - n) for n, id in enumerate(ids)]
    turned = list(zip(reversed(ids), range(10, 0, -1), strict=True))
    alike = {"dense": first, "bm25": first}
    opposed = {"dense": first, "bm25": [(id, float(score)) for id, score in turned]}
    # 6 of 10 opposed: mean -0.2, deviation 1.03, error 0.33
    assert list(opposite_order(case(*[alike] * 4, *[opposed] * 6))) == []
    assert list(opposite_order(case(*[alike] * 10, *[opposed] * 90))) != []
