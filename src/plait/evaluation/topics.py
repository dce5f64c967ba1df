"""Topics: the questions of an evaluation, by id."""

from __future__ import annotations

from collections.abc import Mapping

from plait.errors import ConfigurationError, QueryError
from plait.evaluation.frozen import FrozenMapping, check_id, check_mapping
from plait.types import Query, QueryLike

__all__ = ["Topics"]


class Topics(FrozenMapping[Query]):
    """The questions of an evaluation: a read-only mapping from topic id to ``Query``.

    Args:
        queries: Text or ``Query`` by topic id; may be empty.

    Raises:
        ConfigurationError: An id that is not a non-empty str, a blank question, or something else
            than a question; names the topic.

    Example:
        >>> topics = Topics({"1": "how do I cancel my plan"})
        >>> topics["1"].text
        'how do I cancel my plan'
    """

    __slots__ = ()

    def __init__(self, queries: Mapping[str, QueryLike]) -> None:
        entries = {}
        for topic, query in check_mapping(queries, "queries").items():
            check_id(topic, "a topic id")
            try:
                entries[topic] = Query.of(query)
            except QueryError as error:
                raise ConfigurationError(f"topic {topic!r}: {error}") from error
        super().__init__(entries)

    def __repr__(self) -> str:
        return f"<Topics of {len(self)}>"
