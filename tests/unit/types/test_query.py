import pytest

from plait.errors import QueryError
from plait.types import Query


def test_text_and_embedding() -> None:
    query = Query("why", embedding=[1.0, 0.0])
    assert query.text == "why"
    assert query.embedding.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("text", ["", "  ", "\n\t\u3000", None])
def test_a_blank_query_is_refused(text: str | None) -> None:
    with pytest.raises(QueryError, match="the query is blank; give it text, an embedding, or both"):
        Query(text)


def test_blank_text_counts_as_none_beside_an_embedding() -> None:
    assert Query("  ", embedding=[1.0]).text is None


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"text": 7}, r"Query\.text is int"),
        ({"text": "\udfff"}, "lone surrogate"),
        ({"embedding": [float("nan")]}, r"Query\.embedding holds NaN"),
        ({"text": "why", "embedding": []}, r"Query\.embedding has shape"),
    ],
)
def test_malformed_queries_are_query_errors(fields: dict, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        Query(**fields)


def test_of_takes_text_or_a_query() -> None:
    query = Query("why")
    assert Query.of(query) is query
    assert Query.of("why") == query


@pytest.mark.parametrize("wrong", [None, 3, b"why", ["why"]])
def test_of_refuses_the_rest(wrong: object) -> None:
    with pytest.raises(QueryError, match=r"expected str or plait\.Query"):
        Query.of(wrong)
