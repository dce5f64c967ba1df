import pytest

from plait.errors import QueryError
from plait.pipeline import RagRequest
from plait.planning import Message
from plait.types import Query


def test_a_request_settles_its_query_and_its_history():
    request = RagRequest("q", history=[("user", "hello"), {"role": "assistant", "content": "hi"}])
    assert request.query == Query("q")
    assert request.history == (Message("user", "hello"), Message("assistant", "hi"))


@pytest.mark.parametrize(
    ("given", "final", "retrieved"),
    [
        ({}, None, None),
        ({"top_k": 4}, 4, None),
        ({"final_top_k": 3}, 3, None),
        ({"top_k": 9, "final_top_k": 3}, 3, 9),
        ({"top_k": 3, "final_top_k": 3}, 3, 3),
    ],
)
def test_what_top_k_means(given, final, retrieved):
    request = RagRequest("q", **given)
    assert (request.final, request.retrieved) == (final, retrieved)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"query": "  "}, "blank"),
        ({"query": 3}, "expected str"),
        ({"top_k": 0}, "top_k is 0"),
        ({"top_k": True}, "top_k is True"),
        ({"final_top_k": -1}, "final_top_k is -1"),
        ({"fetch_k": 2.0}, "fetch_k is 2.0"),
        ({"top_k": 2, "final_top_k": 3}, "final_top_k is 3, but only top_k=2"),
        ({"filter": {"a": {"$regx": "b"}}}, "unknown operator"),
        ({"collection": 3}, "collection is 3"),
        ({"history": "hello"}, "history is str"),
        ({"trace": 1}, "trace is 1"),
    ],
)
def test_what_a_request_cannot_be(given, said):
    with pytest.raises(QueryError, match=said):
        RagRequest(**{"query": "q", **given})


def test_a_name_that_a_request_does_not_have():
    with pytest.raises(QueryError, match="a request has no rerank_k; it has top_k, final_top_k"):
        RagRequest.of("q", rerank_k=3)


def test_a_request_with_something_else():
    request = RagRequest("q", top_k=3)
    assert RagRequest.of(request) is request
    assert RagRequest.of(request, top_k=4) == RagRequest("q", top_k=4)
