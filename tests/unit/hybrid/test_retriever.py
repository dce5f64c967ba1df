import asyncio
import inspect
import logging
import threading
import time

import pytest

from plait.errors import (
    AllLegsFailedError,
    ConfigurationError,
    ContractError,
    LegError,
    LegTimeoutError,
    QueryError,
    StageError,
    StoreError,
)
from plait.fusion import Rrf, Rsf
from plait.hybrid import HybridRetriever, Leg
from plait.hybrid.retriever import Asked
from plait.lexical import BM25Retriever
from plait.retriever import Retriever
from plait.types import Chunk, Hit, Query, SearchResult


def chunk(name, **metadata):
    return Chunk(f"text of {name}", id=name, metadata=metadata)


def leg(*pairs):
    """A leg that answers with these (name, score) pairs."""
    answer = [(chunk(name), score) for name, score in pairs]
    return lambda text, top_k, filter=None: answer[:top_k]


def broken(text):
    raise OSError("connection refused")


def ids(result):
    return [hit.id for hit in result]


A = leg(("x", 9.0), ("y", 5.0))
B = leg(("y", 0.9), ("z", 0.1))


# Fusing


def test_reciprocal_ranks_add_up():
    result = HybridRetriever({"a": A, "b": B}).retrieve("q")
    assert ids(result) == ["y", "x", "z"]
    assert result[0].score == pytest.approx(1 / (60 + 2) + 1 / (60 + 1), abs=1e-12)
    assert result[1].score == pytest.approx(1 / (60 + 1), abs=1e-12)
    assert result.fusion == "rrf(k=60)"
    assert result.score_bound == pytest.approx(2 / 61, abs=1e-12)
    assert result.total == 3


def test_every_leg_has_a_contribution_in_every_hit():
    result = HybridRetriever({"a": A, "b": B}).retrieve("q")
    x = result[1]
    assert [(c.leg, c.rank, c.raw_score) for c in x.contributions] == [
        ("a", 1, 9.0),
        ("b", None, None),
    ]
    assert x.retrieval_score == 9.0
    assert result[0].retrieval_score is None
    assert result[0].source == "hybrid"


def test_a_nested_hybrid_explains_itself():
    inner = HybridRetriever({"a": A, "b": B})
    result = HybridRetriever({"inner": inner, "c": leg(("z", 1.0))}).retrieve("q")
    parts = result[0].contributions[0].parts
    assert [part.leg for part in parts] == ["a", "b"]
    assert sum(part.value for part in parts) == pytest.approx(result[0].contributions[0].raw_score)
    assert "  a " in result.explain()


def test_one_leg_keeps_its_order_and_the_result_says_so():
    result = HybridRetriever([A]).retrieve("q")
    assert ids(result) == ["x", "y"]
    assert "only leg" in result.notes[0]


# Arguments


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"top_k": 0}, "top_k is 0"),
        ({"top_k": -3}, "top_k is -3"),
        ({"top_k": True}, "top_k is True"),
        ({"top_k": 2.0}, "top_k is 2.0"),
        ({"offset": -1}, "offset is -1"),
        ({"fetch_k": 0}, "fetch_k is 0"),
        ({"fetch_k": 4, "top_k": 3, "offset": 2}, "pass fetch_k=5"),
        ({"filter": {"a": {"$regx": "b"}}}, r"unknown operator '\$regx'"),
        ({"filter": "a"}, "expected a mapping"),
        ({"legs": ["c"]}, "no leg 'c'; the legs are a, b"),
        ({"legs": []}, "legs is empty"),
        ({"legs": "a"}, "expected a list"),
        ({"options": {"c": {}}}, "options name the leg 'c'"),
        ({"options": {"a": {"fuzzy": 1}}}, "no option 'fuzzy'"),
        ({"options": {"a": 3}}, "options is {'a': 3}, expected a mapping"),
        ({"options": "a"}, "options is 'a', expected a mapping"),
        ({"options": {"a": {"fetch_k": 0}}}, "fetch_k is 0"),
        ({"options": {"a": {"timeout": -1}}}, "timeout of leg 'a' is -1"),
        ({"deadline": 0}, "deadline is 0, expected seconds > 0"),
        ({"weights": {"c": 1.0}}, "weights name unknown legs"),
        ({"weights": [1.0]}, "one number per leg"),
        ({"weights": [0, 0]}, "all weights are 0"),
        ({"weights": [1, -1]}, "-1"),
        ({"weights": [1, float("nan")]}, "nan"),
        ({"weights": "12"}, "one number per leg"),
        ({"weights": 2.0}, "one number per leg"),
        ({"fusion": "rff"}, "rff"),
        ({"fusion": 60}, "expected a Fusion"),
    ],
)
def test_mistakes_are_raised_before_any_leg_runs(call, said):
    ran = []

    def spy(text, top_k, filter):
        ran.append(1)
        return []

    hybrid = HybridRetriever({"a": spy, "b": spy})
    with pytest.raises(ValueError, match=said) as caught:
        hybrid.retrieve("q", **call)
    assert isinstance(caught.value, QueryError | ConfigurationError)
    with pytest.raises(type(caught.value)):
        asyncio.run(hybrid.aretrieve("q", **call))
    assert not ran


@pytest.mark.parametrize("query", ["", "  \n", Query, None, 7])
def test_queries_that_ask_nothing(query):
    with pytest.raises(QueryError):
        HybridRetriever([A]).retrieve(query)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"weights": [1]}, "one number per leg"),
        ({"weights": {"c": 1}}, "weights name unknown legs"),
        ({"weights": [0, 0]}, "all weights are 0"),
        ({"top_k": 0}, "top_k is 0"),
        ({"fetch_k": True}, "fetch_k is True"),
        ({"window": 0}, "window is 0"),
        ({"on_failure": "ignore"}, "'degrade' or 'raise'"),
        ({"deadline": 0}, "deadline is 0"),
        ({"lookup": {"x": A}}, "lookup is .*, expected a callable"),
        ({"key": "id"}, "key is 'id', expected a callable"),
        ({"name": ""}, "name is ''"),
        ({"fusion": None}, "expected a Fusion"),
    ],
)
def test_settings_are_checked_when_built(settings, said):
    with pytest.raises(ConfigurationError, match=said):
        HybridRetriever({"a": A, "b": B}, **settings)


def test_two_positional_retrievers_get_a_hint():
    with pytest.raises(ConfigurationError, match=r"HybridRetriever\(\[dense, bm25\]\)"):
        HybridRetriever(A, B)


def test_what_the_call_says_goes_before_the_hybrid_and_that_before_the_leg():
    asked = []

    def spy(text, top_k):
        asked.append(top_k)
        return []

    HybridRetriever([spy]).retrieve("q")
    HybridRetriever([Leg("a", spy, fetch_k=30)]).retrieve("q")
    HybridRetriever([Leg("a", spy, fetch_k=30)], fetch_k=40).retrieve("q")
    HybridRetriever([Leg("a", spy, fetch_k=30)], fetch_k=40).retrieve("q", fetch_k=50)
    HybridRetriever([Leg("a", spy)]).retrieve("q", fetch_k=50, options={"a": {"fetch_k": 60}})
    assert asked == [100, 30, 40, 50, 60]


def test_weights_by_leg_call_and_hybrid():
    hybrid = HybridRetriever({"a": Leg("a", A, weight=2.0), "b": B})
    assert hybrid.retrieve("q")[0].contributions[0].value == pytest.approx(2 / 62)
    first = hybrid.retrieve("q", weights={"a": 3.0})[0]
    assert [c.weight for c in first.contributions] == [3.0, 1.0]
    first = HybridRetriever({"a": Leg("a", A, weight=2.0), "b": B}, weights=[1, 5]).retrieve("q")[0]
    assert [c.weight for c in first.contributions] == [1.0, 5.0]


def test_a_leg_of_weight_0_is_not_run_and_not_in_the_explanation():
    hybrid = HybridRetriever({"a": A, "b": broken}, weights={"b": 0})
    result = hybrid.retrieve("q")
    assert not result.degraded
    assert [c.leg for c in result[0].contributions] == ["a"]


def test_a_leg_of_weight_0_that_is_asked_for_alone_runs():
    hybrid = HybridRetriever({"a": A, "b": B}, weights={"b": 0})
    assert ids(hybrid.retrieve("q", legs=["b"])) == ["y", "z"]
    with pytest.raises(QueryError, match="weight 0"):
        HybridRetriever({"a": A, "b": B, "c": A}, weights=[0, 0, 1]).retrieve("q", legs=["a", "b"])


def test_legs_and_fusion_of_one_call():
    hybrid = HybridRetriever({"a": A, "b": B})
    assert ids(hybrid.retrieve("q", legs=["a"])) == ["x", "y"]
    assert hybrid.retrieve("q", fusion="rsf()").fusion == str(Rsf())
    assert hybrid.retrieve("q", fusion=Rrf(k=10))[0].score == pytest.approx(1 / 12 + 1 / 11)


def test_options_reach_their_leg():
    def fuzzy(text, fuzziness=0):
        return [chunk(f"f{fuzziness}")]

    hybrid = HybridRetriever({"a": fuzzy, "b": B})
    assert ids(hybrid.retrieve("q", legs=["a"], options={"a": {"fuzziness": 2}})) == ["f2"]


def test_the_query_reaches_a_retriever_as_it_was_given_and_a_function_as_text():
    seen = []

    class Mine(Retriever):
        def retrieve(self, query, *, top_k=5, filter=None):
            seen.append(query)
            return SearchResult()

    query = Query("hello", embedding=[1.0])
    HybridRetriever([Mine(), lambda text: seen.append(text) or []]).retrieve(query)
    assert sorted(map(str, seen)) == sorted([str(query), "hello"])


# The pool


def many(count):
    answer = [(chunk(f"{n:03}"), float(count - n)) for n in range(count)]
    return lambda text, top_k: answer[:top_k]


def test_results_for_k_are_a_prefix_of_those_for_more_and_pages_do_not_repeat():
    other = [(chunk(f"{n:03}"), float(n)) for n in range(40, 0, -1)]
    hybrid = HybridRetriever({"a": many(60), "b": lambda text, top_k: other[:top_k]})
    whole = ids(hybrid.retrieve("q", top_k=60))
    for k in range(1, 20):
        assert ids(hybrid.retrieve("q", top_k=k)) == whole[:k]
    pages = [ids(hybrid.retrieve("q", top_k=7, offset=7 * page)) for page in range(9)]
    assert [name for page in pages for name in page] == whole


def test_the_total_is_that_of_the_pool():
    hybrid = HybridRetriever({"a": A, "b": B})
    assert hybrid.retrieve("q", top_k=1).total == 3
    assert ids(hybrid.retrieve("q", top_k=100)) == ["y", "x", "z"]
    assert ids(hybrid.retrieve("q", offset=50)) == []


def test_the_window_doubles_until_it_covers_the_page_and_the_result_says_so():
    hybrid = HybridRetriever({"a": many(900)}, window=100)
    result = hybrid.retrieve("q", top_k=350)
    assert result.fetch_k == 400
    assert len(result) == 350
    assert "grew from 100 to 400" in "".join(result.notes)
    assert hybrid.retrieve("q", top_k=100).fetch_k == 100


# Query forms


def test_a_leg_that_cannot_use_the_query_is_skipped_without_degrading():
    hybrid = HybridRetriever({"text": A, "any": lambda text, query: [chunk("v")]})
    result = hybrid.retrieve(Query(embedding=[1.0, 0.0]))
    assert ids(result) == ["v"]
    assert not result.degraded
    assert result.legs[0].status == "skipped"
    assert "needs text" in result.legs[0].notes[0]


def test_a_query_that_no_leg_can_use_is_an_error():
    with pytest.raises(QueryError, match="no leg can use this query: a needs text"):
        HybridRetriever({"a": A, "b": B}).retrieve(Query(embedding=[1.0]))


def test_a_nested_hybrid_that_cannot_use_the_query_is_skipped_like_any_leg():
    inner = HybridRetriever({"a": A, "off": lambda text, query: []}, weights={"off": 0})
    hybrid = HybridRetriever({"inner": inner, "any": lambda text, query: [chunk("v")]})
    result = hybrid.retrieve(Query(embedding=[1.0]))
    assert ids(result) == ["v"]
    assert (result.legs[0].status, result.degraded) == ("skipped", False)
    assert "no leg that can use this query: a needs text" in result.legs[0].notes[0]
    assert inner.unanswerable(Query("text")) is None


# Filters


def test_a_leg_that_cannot_filter_refuses_a_filter():
    hybrid = HybridRetriever({"a": A, "b": lambda text: []})
    with pytest.raises(QueryError, match="leg 'b' cannot filter"):
        hybrid.retrieve("q", filter={"tenant": "acme"})
    assert not hybrid.filters
    assert ids(hybrid.retrieve("q", filter={})) == ["x", "y"]


def test_post_filter_drops_what_does_not_pass_and_what_has_no_metadata():
    def leaky(text):
        return [chunk("evil", tenant="evil"), "bare", chunk("good", tenant="acme")]

    hybrid = HybridRetriever([Leg("a", leaky, post_filter=True, ids_only=True)])
    assert ids(hybrid.retrieve("q", filter={"tenant": "acme"})) == ["good"]
    assert hybrid.filters


def test_a_leak_of_a_leg_is_stopped_and_noted():
    def leaky(text, filter):
        return [chunk("evil", tenant="evil"), chunk("good", tenant="acme")]

    result = HybridRetriever({"a": leaky}).retrieve("q", filter={"tenant": "acme"})
    assert ids(result) == ["good"]
    assert "1 hit dropped" in result.legs[0].notes[0]


def test_a_leak_by_id_is_stopped_when_the_content_is_looked_up():
    known = {"evil": chunk("evil", tenant="evil"), "good": chunk("good", tenant="acme")}
    hybrid = HybridRetriever(
        {"a": lambda text, filter: ["evil", "good"]},
        lookup=lambda wanted: {name: known[name] for name in wanted},
    )
    result = hybrid.retrieve("q", filter={"tenant": "acme"})
    assert ids(result) == ["good"]
    assert "did not pass the filter" in "".join(result.notes)


def test_what_a_leg_does_to_the_filter_changes_it_for_nobody_else():
    seen = []

    def careless(text, filter):
        filter["tenant"]["$in"].append("evil")
        return []

    given = {"tenant": {"$in": ["acme"]}}
    hybrid = HybridRetriever([careless, lambda text, filter: seen.append(filter) or []])
    for _ in range(3):
        hybrid.retrieve("q", filter=given)
    assert seen == [{"tenant": {"$in": ["acme"]}}] * 3
    assert given == {"tenant": {"$in": ["acme"]}}


def test_the_filter_reaches_a_leg_as_it_was_given():
    seen = []
    given = {"tenant": {"$in": ["acme"]}}
    HybridRetriever([lambda text, filter: seen.append(filter) or []]).retrieve("q", filter=given)
    assert seen == [given]


# Ids and content


def test_bare_ids_get_their_content_from_other_legs():
    hybrid = HybridRetriever({"a": lambda text: ["y", "x"], "b": A})
    found = hybrid.retrieve("q")
    assert [(hit.id, hit.chunk.content) for hit in found] == [
        ("x", "text of x"),
        ("y", "text of y"),
    ]


def test_so_do_those_of_a_nested_hybrid():
    inner = HybridRetriever([Leg("bare", lambda text: ["x", "y"], ids_only=True)], name="inner")
    found = HybridRetriever({"inner": inner, "b": leg(("y", 2.0), ("x", 1.0))}).retrieve("q")
    assert [hit.chunk.content for hit in found] == ["text of x", "text of y"]
    with pytest.raises(ContractError, match="leg 'inner' returned the id 'x', and nothing knows"):
        HybridRetriever([inner]).retrieve("q")
    found = HybridRetriever([Leg("inner", inner, ids_only=True)]).retrieve("q")
    assert ids(found) == ["x", "y"]


def test_bare_ids_get_their_content_from_the_lookup_for_the_page_only():
    asked = []

    def lookup(wanted):
        asked.append(list(wanted))
        return {name: chunk(name) for name in wanted}

    hybrid = HybridRetriever([lambda text: ["a", "b", "c", "d"]], lookup=lookup)
    assert [hit.chunk.content for hit in hybrid.retrieve("q", top_k=2)] == [
        "text of a",
        "text of b",
    ]
    assert asked == [["a", "b"]]
    result = asyncio.run(hybrid.aretrieve("q", top_k=1, offset=3))
    assert result[0].chunk.content == "text of d"


def test_an_id_without_content_is_refused_unless_the_leg_is_marked():
    with pytest.raises(ContractError, match="'a', and nothing knows its content"):
        HybridRetriever([lambda text: ["a"]]).retrieve("q")
    with pytest.raises(ContractError, match="nothing knows"):
        HybridRetriever([lambda text: ["a"]], lookup=lambda wanted: {}).retrieve("q")
    hit = HybridRetriever([Leg("a", lambda text: ["a"], ids_only=True)]).retrieve("q")[0]
    assert (hit.id, hit.chunk.content) == ("a", "")


@pytest.mark.parametrize(
    ("lookup", "said"),
    [
        (lambda wanted: {}[wanted[0]], "lookup failed for 1 ids: KeyError: 'a'"),
        (lambda wanted: next(iter(())), "lookup failed for 1 ids: StopIteration"),
        (lambda wanted: [chunk("a")], "lookup returned list, expected a mapping"),
        (lambda wanted: {"a": "text"}, "lookup returned str for the id 'a', expected a Chunk"),
    ],
)
def test_a_lookup_that_fails_is_a_stage_that_failed(lookup, said):
    hybrid = HybridRetriever([lambda text: ["a"]], lookup=lookup)
    for ask in (hybrid.retrieve, lambda query: asyncio.run(hybrid.aretrieve(query))):
        with pytest.raises(StageError, match=said) as caught:
            ask("q")
        assert caught.value.stage == "lookup"


def test_a_lookup_may_raise_plaits_own_errors_and_say_none():
    def down(wanted):
        raise StoreError("down", "store")

    with pytest.raises(StoreError):
        HybridRetriever([lambda text: ["a"]], lookup=down).retrieve("q")
    with pytest.raises(ContractError, match="nothing knows its content"):
        HybridRetriever([lambda text: ["a"]], lookup=lambda wanted: {"a": None}).retrieve("q")


def pinned(*names):
    return lambda text, filter=None: list(names)


def test_the_chunks_that_a_leg_keeps_in_memory_are_content_for_every_leg():
    bm25 = BM25Retriever([chunk("refunds", year=2024), chunk("e1042", year=2026)])
    hybrid = HybridRetriever({"bm25": bm25, "pinned": pinned("refunds")})
    result = hybrid.retrieve("what does e1042 mean")
    assert {hit.id: hit.chunk.content for hit in result} == {
        "e1042": "text of e1042",
        "refunds": "text of refunds",
    }
    assert not result.degraded
    result = hybrid.retrieve("e1042", filter={"year": 2026})
    assert ids(result) == ["e1042"]
    assert result.notes == ("1 hit dropped: did not pass the filter",)


@pytest.mark.parametrize("lookup", [None, lambda wanted: {}])
def test_a_hit_without_content_is_dropped_and_the_result_degraded(lookup, caplog):
    hybrid = HybridRetriever({"a": A, "stale": pinned("gone", "x")}, lookup=lookup)
    with caplog.at_level(logging.WARNING, "plait"):
        result = hybrid.retrieve("q")
    assert ids(result) == ["x", "y"]
    assert [hit.rank for hit in result] == [1, 2]
    assert result.degraded
    assert result.total == 2
    assert result.notes[-1].startswith(
        "1 hit dropped: leg 'stale' returned the id 'gone', and nothing"
    )
    assert "nothing knows its content" in caplog.text
    assert ids(asyncio.run(hybrid.aretrieve("q"))) == ["x", "y"]


def test_a_hit_without_content_raises_where_its_leg_may_not_fail():
    stale = Leg("stale", pinned("gone"), required=True)
    for hybrid in (
        HybridRetriever({"a": A, "stale": stale}),
        HybridRetriever({"a": A, "stale": pinned("gone")}, on_failure="raise"),
    ):
        with pytest.raises(ContractError, match="'gone', and nothing knows"):
            hybrid.retrieve("q")


def test_dropped_hits_leave_full_pages_that_do_not_repeat():
    known = {f"{n:02}": chunk(f"{n:02}", even=n % 2 == 0) for n in range(30)}
    del known["04"]
    asked = []

    def lookup(wanted):
        asked.extend(wanted)
        return {name: known[name] for name in wanted if name in known}

    leaky = pinned(*(f"{n:02}" for n in range(30)))
    hybrid = HybridRetriever({"leaky": leaky}, lookup=lookup)
    whole = [name for name, kept in known.items() if kept.metadata["even"]]
    pages = [
        hybrid.retrieve("q", top_k=4, offset=4 * page, filter={"even": True}) for page in range(4)
    ]
    assert [hit.id for page in pages for hit in page] == whole
    assert [hit.rank for page in pages for hit in page] == list(range(1, 15))
    del asked[:]
    hybrid.retrieve("q", top_k=3)
    assert asked == ["00", "01", "02"]


def test_a_key_of_ones_own_decides_what_is_the_same():
    hybrid = HybridRetriever(
        {
            "a": lambda text: [Chunk("one", id="1", metadata={"doc": "d"})],
            "b": lambda text: [Chunk("two", id="2", metadata={"doc": "d"})],
        },
        key=lambda chunk: chunk.metadata["doc"],
    )
    assert len(hybrid.retrieve("q")) == 1


# Failure


def test_one_leg_down_is_survived_and_visible(caplog):
    hybrid = HybridRetriever({"a": A, "b": broken})
    with caplog.at_level(logging.WARNING, "plait"):
        result = hybrid.retrieve("q")
    assert ids(result) == ["x", "y"]
    assert result.degraded
    report = result.legs[1]
    assert (report.name, report.status, report.count) == ("b", "error", 0)
    assert report.error == "OSError: connection refused"
    assert len(caplog.records) == 1
    assert "connection refused" in caplog.text
    failed = result[0].contributions[1]
    assert (failed.leg, failed.rank, failed.value) == ("b", None, 0.0)


def test_weights_are_not_given_to_the_legs_that_are_left():
    fine = HybridRetriever({"a": A, "b": leg()}).retrieve("q")
    degraded = HybridRetriever({"a": A, "b": broken}).retrieve("q")
    assert [hit.score for hit in fine] == [hit.score for hit in degraded]
    assert not fine.degraded
    assert fine.legs[1].status == "empty"


@pytest.mark.parametrize("policy", ["degrade", "raise"])
def test_all_legs_down_raises(policy):
    hybrid = HybridRetriever({"a": broken, "b": lambda text: 1 / 0}, on_failure=policy)
    expected = AllLegsFailedError if policy == "degrade" else LegError
    with pytest.raises(expected) as caught:
        hybrid.retrieve("q")
    if policy == "degrade":
        assert set(caught.value.failures) == {"a", "b"}
        assert isinstance(caught.value.__cause__, OSError)
        assert "connection refused" in str(caught.value)
        assert "division by zero" in str(caught.value)


def test_the_only_leg_down_raises():
    with pytest.raises(AllLegsFailedError):
        HybridRetriever([broken]).retrieve("q")
    with pytest.raises(AllLegsFailedError):
        asyncio.run(HybridRetriever([broken]).aretrieve("q"))


def test_raise_and_required_raise_the_legs_error():
    for hybrid in (
        HybridRetriever({"a": A, "b": broken}, on_failure="raise"),
        HybridRetriever({"a": A, "b": Leg("b", broken, required=True)}),
    ):
        with pytest.raises(LegError, match="leg 'b' failed: OSError") as caught:
            hybrid.retrieve("q")
        assert caught.value.leg == "b"
        assert isinstance(caught.value.__cause__, OSError)


def test_a_leg_that_breaks_the_contract_is_dropped_and_reported():
    def bad(text):
        return [("x", float("nan"))]

    result = HybridRetriever({"a": A, "b": bad}).retrieve("q")
    assert ids(result) == ["x", "y"]
    assert result.legs[1].status == "error"
    assert "score nan at position 1" in result.legs[1].error
    with pytest.raises(ContractError):
        HybridRetriever({"a": A, "b": Leg("b", bad, required=True)}).retrieve("q")


def test_a_usage_error_inside_a_leg_is_never_degraded():
    def misused(text):
        raise QueryError("this leg needs a region")

    with pytest.raises(QueryError, match="region"):
        HybridRetriever({"a": A, "b": misused}).retrieve("q")


def test_a_late_leg_is_left_behind_at_its_timeout():
    gate = threading.Event()
    hybrid = HybridRetriever({"a": A, "b": Leg("b", lambda text: gate.wait(), timeout=0.05)})
    started = time.monotonic()
    result = hybrid.retrieve("q")
    assert time.monotonic() - started < 10  # it would wait for ever
    gate.set()
    assert ids(result) == ["x", "y"]
    assert result.legs[1].status == "timeout"
    assert result.degraded


def test_the_deadline_holds_for_all_legs():
    gate = threading.Event()
    hybrid = HybridRetriever({"a": A, "b": lambda text: gate.wait()}, deadline=0.05)
    result = hybrid.retrieve("q")
    gate.set()
    assert [report.status for report in result.legs] == ["ok", "timeout"]


def test_a_required_leg_that_is_late_raises_its_timeout():
    gate = threading.Event()
    hybrid = HybridRetriever(
        {"a": A, "b": Leg("b", lambda t: gate.wait(), timeout=0.05, required=True)}
    )
    with pytest.raises(LegTimeoutError):
        hybrid.retrieve("q")
    gate.set()


def test_transient_failures_are_tried_again():
    tries = []

    def flaky(text):
        tries.append(1)
        if len(tries) < 2:
            raise StoreError("busy", "store", transient=True)
        return [chunk("x")]

    result = HybridRetriever([Leg("a", flaky, retries=1)]).retrieve("q")
    assert ids(result) == ["x"]
    assert not result.degraded


def test_a_leg_that_keeps_failing_is_not_asked_for_a_while():
    calls = []

    def failing(text):
        calls.append(1)
        raise OSError("down")

    hybrid = HybridRetriever({"a": A, "b": Leg("b", failing, max_failures=2)})
    statuses = [hybrid.retrieve("q").legs[1].status for _ in range(4)]
    assert statuses == ["error", "error", "circuit_open", "circuit_open"]
    assert len(calls) == 2


def test_a_nested_hybrid_that_degrades_degrades_the_outer_one():
    inner = HybridRetriever({"a": A, "b": broken}, name="inner")
    result = HybridRetriever({"inner": inner, "c": B}).retrieve("q")
    assert result.degraded
    assert "degraded inside: b: OSError" in result.legs[0].notes[0]


def test_a_generator_is_read_in_the_time_and_at_the_risk_of_its_leg():
    gate = threading.Event()

    def breaks(text):
        yield chunk("x")
        raise OSError("midway")

    def waits(text):
        yield chunk("x")
        gate.wait()

    def endless(text):
        while True:
            yield chunk("x")

    async def later(text):
        return breaks(text)

    legs = {"b": breaks, "w": Leg("w", waits, timeout=0.05), "e": endless, "l": later, "a": A}
    hybrid = HybridRetriever(legs)
    expected = ["error", "timeout", "ok", "error", "ok"]
    assert [leg.status for leg in hybrid.retrieve("q").legs] == expected
    assert [leg.status for leg in asyncio.run(hybrid.aretrieve("q")).legs] == expected
    gate.set()


# Sync, async, threads


def test_async_legs_from_sync_and_async_code_and_inside_a_loop():
    async def search(text):
        await asyncio.sleep(0)
        return [(chunk("async"), 1.0)]

    hybrid = HybridRetriever({"a": A, "s": search})
    expected = ids(hybrid.retrieve("q"))
    assert "async" in expected
    assert ids(asyncio.run(hybrid.aretrieve("q"))) == expected

    async def handler():
        return hybrid.retrieve("q")

    assert ids(asyncio.run(handler())) == expected


def test_an_async_leg_that_calls_a_sync_retriever_works():
    inner = HybridRetriever({"a": A, "b": B})

    async def search(text):
        return inner.retrieve(text)

    assert ids(HybridRetriever([search]).retrieve("q")) == ["y", "x", "z"]


def test_32_threads_on_one_hybrid():
    hybrid = HybridRetriever({"a": A, "b": B})
    expected = hybrid.retrieve("q").to_dict()["hits"]
    wrong = []

    def hammer():
        for _ in range(30):
            if hybrid.retrieve("q").to_dict()["hits"] != expected:
                wrong.append(1)

    threads = [threading.Thread(target=hammer) for _ in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_hundred_async_queries_at_once():
    hybrid = HybridRetriever({"a": A, "b": B})

    async def main():
        return await asyncio.gather(*(hybrid.aretrieve("q") for _ in range(100)))

    assert {tuple(ids(result)) for result in asyncio.run(main())} == {("y", "x", "z")}


def test_a_query_may_bring_its_own_deadline():
    gate = threading.Event()
    hybrid = HybridRetriever({"a": lambda text: gate.wait(), "b": B}, deadline=60.0)
    try:
        result = hybrid.retrieve("q", deadline=0.05)
    finally:
        gate.set()
    assert [report.status for report in result.legs] == ["timeout", "ok"]


def test_retrieve_many_is_retrieve_for_each():
    hybrid = HybridRetriever({"a": A, "b": B})
    results = hybrid.retrieve_many(["q", "r"], top_k=2)
    assert [ids(result) for result in results] == [["y", "x"], ["y", "x"]]


def test_retrieve_many_takes_what_retrieve_takes_and_the_same_defaults():
    for method, asked in ((HybridRetriever.retrieve, "query"), (HybridRetriever._plan, "variants")):
        assert set(inspect.signature(method).parameters) == {"self", asked, *Asked.__annotations__}
    hybrid = HybridRetriever({"a": many(20), "b": B}, top_k=8)
    assert hybrid.retrieve_many(["q"])[0].hits == hybrid.retrieve("q").hits
    assert len(hybrid.retrieve_many(["q"])[0]) == 8
    given = {"top_k": 3, "offset": 2, "fetch_k": 9, "fusion": "rsf()", "legs": ["a"]}
    assert hybrid.retrieve_many(["q"], **given)[0].hits == hybrid.retrieve("q", **given).hits


@pytest.mark.parametrize(
    ("queries", "said"),
    [
        ("abc", "queries is str, expected several"),
        (Query("abc"), "queries is Query, expected several"),
        (None, "queries is NoneType"),
        (["fine", " "], r"queries\[1\]: the query is blank"),
    ],
)
def test_queries_that_cannot_be_are_refused_before_the_first_is_run(queries, said):
    ran = []
    hybrid = HybridRetriever([lambda text: ran.append(1) or []])
    with pytest.raises(QueryError, match=said):
        hybrid.retrieve_many(queries)
    with pytest.raises(QueryError, match=said):
        Retriever.retrieve_many(hybrid, queries)
    assert not ran


def test_legs_objects_are_not_changed():
    hit = Hit(chunk("x"), 0.5, 1, source="theirs")
    answer = SearchResult((hit,), total=1)
    HybridRetriever([lambda text: answer, A]).retrieve("q")
    assert answer.hits == (hit,)
    assert hit.source == "theirs"


def test_describe_of_a_nested_hybrid_keeps_its_own_and_the_legs_parameters_apart():
    inner = HybridRetriever([A], fetch_k=77, name="inner")
    described = HybridRetriever([Leg("inner", inner, fetch_k=50, order="position")]).describe()
    assert described["legs"]["inner"]["fetch_k"] == 77
    assert described["legs"]["inner"]["leg"]["fetch_k"] == 50
    assert described["legs"]["inner"]["leg"]["order"] == "position"


def test_describe_holds_every_parameter():
    one = HybridRetriever(
        {"a": Leg("a", A, timeout=1.0), "b": B}, weights=[1, 2], fusion="rrf(k=7)"
    )
    two = HybridRetriever(
        {"a": Leg("a", A, timeout=2.0), "b": B}, weights=[1, 2], fusion="rrf(k=7)"
    )
    assert one.describe() != two.describe()
    assert one.describe()["fusion"] == "rrf(k=7)"
    assert one.describe()["weights"] == {"a": 1.0, "b": 2.0}


@pytest.mark.parametrize("order", [["slow", "down"], ["down", "slow"]])
def test_the_failure_that_ends_a_query_is_the_one_that_is_raised(order):
    gate = threading.Event()
    legs = {"slow": lambda text: gate.wait(30), "down": broken}
    hybrid = HybridRetriever({name: legs[name] for name in order}, on_failure="raise")
    with pytest.raises(LegError, match="leg 'down' failed: OSError") as caught:
        hybrid.retrieve("q")
    gate.set()
    assert caught.value.leg == "down"


def test_the_error_of_a_nested_hybrid_names_the_leg_it_stands_in():
    inner = HybridRetriever({"deep": broken, "a": A}, on_failure="raise")
    with pytest.raises(LegError, match="leg 'inner' failed: LegError: leg 'deep'") as caught:
        HybridRetriever({"inner": inner, "b": B}, on_failure="raise").retrieve("q")
    assert caught.value.leg == "inner"


@pytest.mark.parametrize(
    "ask",
    [
        lambda hybrid, **given: hybrid.retrieve("q", **given),
        lambda hybrid, **given: asyncio.run(hybrid.aretrieve("q", **given)),
        lambda hybrid, **given: hybrid.retrieve_many(["q"], **given),
    ],
)
def test_unknown_arguments_are_refused(ask):
    hybrid = HybridRetriever({"a": A, "b": B})
    with pytest.raises(TypeError, match="topk"):
        ask(hybrid, topk=3)
