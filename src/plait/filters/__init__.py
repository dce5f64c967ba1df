"""Filters over metadata: one language, parsed before any work, one reference evaluator.

Every index and store must give what ``Filter.matches`` gives.

A filter is a mapping from field to a value or to operators::

    {"product": "pro", "year": {"$gte": 2024}, "$or": [{"lang": "en"}, {"beta": True}]}

Types never mix: a bool is not a number, ``"1"`` is not ``1``; a comparison across types does not
match. Ints and floats compare by value, strings by code point. A list matches if one of its
elements does. ``$ne``, ``$nin`` and ``$not`` are exact negations, so they match when the field is
absent. A dotted field reaches into nested mappings; a field that itself has a dot in its name is
found by its whole name first. Empty ``$in`` and ``$or`` match nothing, ``$and`` of nothing and
``{}`` everything.
"""

from plait.filters.filter import Filter, FilterLike
from plait.filters.nodes import And, Condition, Not, Or

__all__ = ["And", "Condition", "Filter", "FilterLike", "Not", "Or"]
