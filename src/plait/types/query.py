"""Query: a question, as text, as an embedding, or both."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from plait.errors import ConfigurationError, QueryError
from plait.types.checks import FloatVector, as_vector, check_text


@dataclass(frozen=True, slots=True)
class Query:
    """A question, as text, as an embedding, or both.

    A dense retriever uses the embedding when it is given and embeds the text otherwise.

    Args:
        text: The question; blank text counts as none.
        embedding: Its vector, shape (dim,), kept as float32.

    Raises:
        QueryError: Neither text nor embedding, or one of them is malformed.

    Example:
        >>> Query("how do I cancel my plan").text
        'how do I cancel my plan'
    """

    text: str | None = None
    embedding: FloatVector | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        try:
            if self.text is not None:
                check_text(self.text, "Query.text")
            if self.embedding is not None:
                object.__setattr__(self, "embedding", as_vector(self.embedding, "Query.embedding"))
        except ConfigurationError as error:
            raise QueryError(str(error)) from error
        if self.text is not None and not self.text.strip():
            object.__setattr__(self, "text", None)
        if self.text is None and self.embedding is None:
            raise QueryError("the query is blank; give it text, an embedding, or both")

    @classmethod
    def of(cls, query: QueryLike) -> Query:
        """A ``Query`` from text, or the same ``Query``."""
        if isinstance(query, Query):
            return query
        if isinstance(query, str):
            return cls(query)
        raise QueryError(f"the query is {type(query).__name__}, expected str or plait.Query")


QueryLike: TypeAlias = str | Query
