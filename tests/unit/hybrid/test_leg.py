from fractions import Fraction

import numpy as np
import pytest

from plait.errors import ConfigurationError
from plait.hybrid import CallableRetriever, Leg
from plait.hybrid.leg import as_retriever, name_legs
from plait.retriever import Retriever
from plait.types import SearchResult


class Fixed(Retriever):
    name = "fixed"

    def retrieve(self, query, *, top_k=5, filter=None):
        return SearchResult()


class Nothing(Retriever):
    pass


def test_names_come_from_the_retrievers_and_are_numbered_when_they_repeat():
    legs = name_legs([Fixed(), Fixed(), Leg("fixed_2", Fixed()), Fixed()])
    assert [leg.name for leg in legs] == ["fixed", "fixed_3", "fixed_2", "fixed_4"]


def test_a_mapping_names_its_legs():
    legs = name_legs({"one": Fixed(), "two": Leg(None, Fixed(), weight=2.0), "three": len})
    assert [(leg.name, leg.weight) for leg in legs] == [("one", 1.0), ("two", 2.0), ("three", 1.0)]


def test_functions_are_named_after_themselves():
    def faq(text):
        return []

    legs = name_legs([faq, lambda text: [], lambda text: []])
    assert [leg.name for leg in legs] == ["faq", "leg", "leg_2"]


@pytest.mark.parametrize(
    ("legs", "said"),
    [
        ([], "at least one leg"),
        ({}, "at least one leg"),
        (Fixed(), "expected a list"),
        ("fixed", "expected a list"),
        ([Leg("a", Fixed()), Leg("a", Fixed())], "share the name 'a'"),
        ({"a": Leg("b", Fixed())}, "calls itself 'b'"),
        ([Fixed], "class Fixed, expected an instance"),
        ([7], "expected a Retriever"),
        ([Nothing()], "neither retrieve nor aretrieve"),
    ],
)
def test_legs_that_cannot_be(legs, said):
    with pytest.raises(ConfigurationError, match=said):
        name_legs(legs)


@pytest.mark.parametrize(
    "settings",
    [
        {"name": ""},
        {"name": 3},
        {"name": "bm25@rewrite"},
        {"kind": "sparse"},
        {"weight": -1},
        {"weight": float("nan")},
        {"weight": float("inf")},
        {"weight": True},
        {"weight": "1"},
        {"fetch_k": 0},
        {"fetch_k": True},
        {"fetch_k": 2.0},
        {"timeout": 0},
        {"timeout": -1.0},
        {"timeout": float("nan")},
        {"retries": -1},
        {"max_late": 0},
        {"max_failures": 0},
        {"probe_after": 0},
        {"probe_after": None},
        {"timeout": True},
        {"timeout": "1"},
        {"timeout": 1j},
        {"retry_on": OSError},
        {"retry_on": ("OSError",)},
        {"score_range": (1.0,)},
        {"score_range": (1.0, 1.0)},
        {"score_range": (0.0, float("nan"))},
        {"score_range": ("0", None)},
        {"score_range": [0.0, 1.0]},
        {"order": "random"},
    ],
)
def test_settings_out_of_range_are_refused(settings):
    with pytest.raises(ConfigurationError) as caught:
        Leg(**{"name": "leg", "retriever": Fixed(), **settings})
    assert repr(next(iter(settings.values()))) in str(caught.value)


def test_unset_limits_are_allowed():
    leg = Leg(None, Fixed(), fetch_k=None, timeout=None, max_failures=None)
    assert leg.name is None


def test_limits_may_be_of_any_type_of_real_number():
    leg = Leg(None, Fixed(), timeout=np.int64(2), probe_after=Fraction(1, 3), score_range=(0, None))
    assert leg.timeout == 2


class TooFew(Retriever):
    def retrieve(self, query, *, top_k=5):
        return SearchResult()


class Misnamed(Retriever):
    async def retrieve(self, query, *, top_k=5, filter=None):
        return SearchResult()


class AsyncTooFew(Retriever):
    async def aretrieve(self, query):
        return SearchResult()


def no_text():
    return []


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (TooFew(), r"TooFew.retrieve takes \(query, \*, top_k=5\), expected .*'filter'"),
        (AsyncTooFew(), r"AsyncTooFew.aretrieve takes \(query\), expected"),
        (Misnamed(), r"Misnamed.retrieve is async; name it aretrieve"),
        (no_text, "cannot be given the query's text as its first argument: too many"),
        (lambda *, query: [], "cannot be given the query's text"),
    ],
)
def test_what_would_fail_at_every_query_is_refused_when_built(source, said):
    with pytest.raises(ConfigurationError, match=said):
        as_retriever(source)


def test_foreign_objects_with_retrieve_are_legs():
    class Foreign:
        def retrieve(self, query, top_k):
            return [query] * top_k

    retriever = as_retriever(Foreign())
    assert isinstance(retriever, CallableRetriever)
    assert retriever.name == "foreign"
    assert retriever("q", 2, None) == ["q", "q"]


def test_foreign_objects_with_aretrieve_are_async_legs():
    class Foreign:
        name = "theirs"

        async def aretrieve(self, query):
            return [query]

    retriever = as_retriever(Foreign())
    assert retriever.name == "theirs"
    assert retriever.runs_async


def test_a_collection_is_a_leg_through_its_retriever():
    class Collection:
        def retriever(self):
            return Fixed()

    assert [leg.name for leg in name_legs([Collection(), Fixed()])] == ["fixed", "fixed_2"]


def test_the_kind_of_a_leg_is_its_retrievers_unless_it_says_another():
    class Vectors(Fixed):
        kind = "dense"

    legs = name_legs([Vectors(), Leg("b", Vectors(), kind="other"), Fixed()])
    assert [leg.kind for leg in legs] == ["dense", "other", "other"]
