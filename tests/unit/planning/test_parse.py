"""Planners by their text form."""

from __future__ import annotations

import pytest

from plait.errors import ConfigurationError
from plait.planning import (
    Hyde,
    MultiQuery,
    NoPlanner,
    Planner,
    Rewrite,
    as_planner,
    parse_planner,
    planner_names,
)


def model(prompt):
    return "a"


@pytest.mark.parametrize(
    "text",
    [
        "none",
        "rewrite",
        "rewrite(replace=True)",
        "multi_query",
        "multi_query(n=5)",
        "multi_query(weight=1.0, n=5)",
        "hyde(n=2)",
        "decompose(timeout=None)",
        "step_back(original_weight=2.0)",
    ],
)
def test_a_text_form_and_back(text):
    planner = parse_planner(text, model=model)
    assert planner.spec == text
    assert parse_planner(planner.spec, model=model).describe() == planner.describe()


def test_all_names_are_known():
    assert planner_names() == (
        "none", "rewrite", "multi_query", "hyde", "decompose", "step_back",
    )  # fmt: skip
    for name in planner_names():
        assert parse_planner(name, model=model).name == name


def test_a_prompt_in_the_text():
    assert parse_planner("rewrite(prompt='Zu {query}')", model=model).prompt.text == "Zu {query}"


def test_defaults_are_those_of_the_classes():
    assert parse_planner("multi_query()", model=model).describe() == MultiQuery(model).describe()
    assert isinstance(parse_planner("hyde", model=model), Hyde)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("expand", "unknown planner 'expand'; there are: none, rewrite, multi_query"),
        ("multi_query(k=3)", "planner multi_query has no parameter k; it has prompt, weight"),
        ("rewrite(model='x')", "planner rewrite has no parameter model"),
        ("none(n=3)", "planner none has no parameter n; it has none"),
        ("multi_query(n=0)", "n of multi_query is 0"),
        ("multi_query(3)", "is not of the form name"),
        ("", "is not of the form name"),
        (7, "text form is int, expected one of none, rewrite"),
    ],
)
def test_other_forms(text, said):
    with pytest.raises(ConfigurationError, match=said):
        parse_planner(text, model=model)


def test_a_planner_without_a_model():
    assert parse_planner("none").name == "none"
    with pytest.raises(ConfigurationError, match="planner rewrite has no model"):
        parse_planner("rewrite")


class TestAsPlanner:
    def test_none(self):
        assert isinstance(as_planner(None), NoPlanner)

    def test_a_planner_stays_itself(self):
        planner = Rewrite(model)
        assert as_planner(planner) is planner

    def test_text(self):
        assert as_planner("rewrite", model=model).spec == "rewrite"

    @pytest.mark.parametrize("source", [7, Planner, model, ["rewrite"]])
    def test_anything_else_is_refused(self, source):
        with pytest.raises(ConfigurationError, match=r"the planner is .*, expected a Planner"):
            as_planner(source)
