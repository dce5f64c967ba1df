"""Planner and Planned: what all planners have in common."""

from __future__ import annotations

import asyncio

import pytest

from plait.errors import ConfigurationError, QueryError
from plait.planning import NoPlanner, Planned, Planner
from plait.types import Query, Variant


class Sync(Planner):
    def plan(self, query, history=(), *, timeout=None):
        return Planned((Variant(Query.of(query)),), (f"{len(history)} turns, {timeout} s",))


class Async(Planner):
    async def aplan(self, query, history=(), *, timeout=None):
        await asyncio.sleep(0)
        return Planned((Variant(Query.of(query)),), (f"{len(history)} turns, {timeout} s",))


@pytest.mark.parametrize("planner", [Sync(), Async()])
def test_one_form_gives_the_other(planner):
    history = [("user", "a")]
    assert planner.plan("why", history, timeout=2).notes == ("1 turns, 2 s",)
    assert asyncio.run(planner.aplan("why", history, timeout=2)).notes == ("1 turns, 2 s",)


def test_neither_written_is_refused():
    class Neither(Planner):
        pass

    with pytest.raises(ConfigurationError, match="Neither has neither plan nor aplan"):
        Neither().plan("why")
    with pytest.raises(ConfigurationError, match="writes one of them"):
        asyncio.run(Neither().aplan("why"))


def test_description():
    assert Sync().describe() == {"type": "Sync", "name": "planner"}


class TestNoPlanner:
    def test_the_question_is_asked_as_it_is(self):
        query = Query("why", [1.0])
        planned = NoPlanner().plan(query, [("user", "a")])
        assert planned == Planned((Variant(query),))
        assert planned.variants[0].query is query
        assert asyncio.run(NoPlanner().aplan("why")) == NoPlanner().plan("why")
        assert not planned.fell_back

    def test_a_blank_question(self):
        with pytest.raises(QueryError, match="blank"):
            NoPlanner().plan(" ")

    def test_what_it_shows(self):
        planner = NoPlanner()
        assert (planner.spec, repr(planner), planner.describe()) == (
            "none", "NoPlanner()", {"type": "none"},
        )  # fmt: skip


class TestPlanned:
    def test_same_variants_are_merged(self):
        planned = Planned((Variant(Query("a")), Variant(Query("A"), 0.5, "rewrite")))
        assert [(each.name, each.weight) for each in planned.variants] == [("original", 1.0 + 0.5)]

    def test_none_is_refused(self):
        with pytest.raises(ConfigurationError, match="variants is empty"):
            Planned(())

    def test_names_are_unique(self):
        with pytest.raises(ConfigurationError, match="named b, b; each needs a name of its own"):
            Planned((Variant(Query("a"), name="b"), Variant(Query("c"), name="b")))
