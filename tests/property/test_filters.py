"""Filters against an oracle that shares nothing with the parser and the evaluator.

The oracle reads the filter as written and judges by flattening metadata into (path, value) pairs.
"""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from plait.filters import Filter
from plait.metadata import freeze

NAMES = st.sampled_from(["a", "b", "a.b", "b.a"])
SCALARS = st.one_of(
    st.booleans(),
    st.integers(-2, 2),
    st.sampled_from([0.0, 1.0, 1.5, -2.0, 1e300]),
    st.sampled_from(["", "1", "a", "b", "é", "𠮷", "true"]),
)
VALUES = st.recursive(
    SCALARS | st.none(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    ),
    max_leaves=6,
)
METADATA = st.dictionaries(NAMES, VALUES, max_size=3)


def operators() -> st.SearchStrategy[dict[str, Any]]:
    ordered = SCALARS.filter(lambda value: not isinstance(value, bool))
    plain = st.one_of(
        st.fixed_dictionaries({}, optional={"$eq": SCALARS, "$ne": SCALARS, "$contains": SCALARS}),
        st.fixed_dictionaries({}, optional=dict.fromkeys(["$gt", "$gte", "$lt", "$lte"], ordered)),
        st.fixed_dictionaries({}, optional=dict.fromkeys(["$in", "$nin"], st.lists(SCALARS))),
        st.fixed_dictionaries({"$exists": st.booleans()}),
    ).filter(bool)
    return st.recursive(plain, lambda inner: st.fixed_dictionaries({"$not": inner}), max_leaves=2)


ENTRIES = st.dictionaries(NAMES, SCALARS | operators(), max_size=2)
FILTERS = st.recursive(
    ENTRIES,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"$and": st.lists(inner, max_size=2)}),
        st.fixed_dictionaries({"$or": st.lists(inner, max_size=2)}),
        st.fixed_dictionaries({"$not": inner}),
        st.builds(lambda one, other: {**one, "$or": [other]}, ENTRIES, inner),
    ),
    max_leaves=4,
)


# The oracle


def found(value: Any, path: str) -> list[Any]:
    """Everything that stands at a path; a name written whole wins over one reached by parts."""
    if isinstance(value, list):
        return [x for item in value if isinstance(item, dict) for x in found(item, path)]
    if not isinstance(value, dict):
        return []
    if path in value:
        return [value[path]]
    parts = path.split(".", 1)
    return found(value.get(parts[0]), parts[1]) if len(parts) == 2 else []


def tagged(value: Any) -> tuple[str, Any] | None:
    if value is True or value is False:
        return ("bool", value)
    if isinstance(value, int | float):
        return ("number", value)
    return ("text", [ord(character) for character in value]) if isinstance(value, str) else None


def oracle_operator(values: list[Any], operator: str, operand: Any) -> bool:
    flat = [x for value in values for x in (value if isinstance(value, list) else [value])]
    tags = [tag for tag in map(tagged, flat) if tag is not None]
    if operator == "$exists":
        return bool(values) == operand
    if operator == "$contains":
        lists = [value for value in values if isinstance(value, list)]
        return tagged(operand) in [tagged(item) for value in lists for item in value]
    if operator == "$eq":
        return tagged(operand) in tags
    if operator == "$in":
        return any(tagged(item) in tags for item in operand)
    if operator in ("$ne", "$nin"):
        return not oracle_operator(values, {"$ne": "$eq", "$nin": "$in"}[operator], operand)
    if operator == "$not":
        return not all(oracle_operator(values, *entry) for entry in operand.items())
    kind, edge = tagged(operand)
    same = [content for tag, content in tags if tag == kind]
    below, above = any(x < edge for x in same), any(x > edge for x in same)
    equal = any(x == edge for x in same)
    return {"$gt": above, "$gte": above or equal, "$lt": below, "$lte": below or equal}[operator]


def oracle(source: dict[str, Any], metadata: dict[str, Any]) -> bool:
    verdicts = []
    for key, value in source.items():
        if key == "$and":
            verdicts.append(all(oracle(child, metadata) for child in value))
        elif key == "$or":
            verdicts.append(any(oracle(child, metadata) for child in value))
        elif key == "$not":
            verdicts.append(not oracle(value, metadata))
        else:
            tests = value if isinstance(value, dict) else {"$eq": value}
            values = found(metadata, key)
            verdicts.extend(oracle_operator(values, *entry) for entry in tests.items())
    return all(verdicts)


@given(FILTERS, METADATA)
def test_matches_the_oracle(source: dict[str, Any], metadata: dict[str, Any]) -> None:
    stored = freeze(metadata)
    assert Filter.parse(source).matches(stored) is oracle(source, stored)


@given(FILTERS, METADATA)
def test_not_is_the_exact_negation(source: dict[str, Any], metadata: dict[str, Any]) -> None:
    stored = freeze(metadata)
    positive, negative = Filter.parse(source), Filter.parse({"$not": source})
    assert negative.matches(stored) is not positive.matches(stored)


@given(NAMES, SCALARS, st.lists(SCALARS), METADATA)
def test_ne_and_nin_are_exact_negations(
    field: str, value: Any, values: list[Any], metadata: dict[str, Any]
) -> None:
    stored = freeze(metadata)
    for one, other, operand in (("$eq", "$ne", value), ("$in", "$nin", values)):
        positive = Filter.parse({field: {one: operand}}).matches(stored)
        assert Filter.parse({field: {other: operand}}).matches(stored) is not positive


@given(FILTERS, FILTERS, METADATA)
def test_equal_filters_answer_alike(
    one: dict[str, Any], other: dict[str, Any], metadata: dict[str, Any]
) -> None:
    first, second = Filter.parse(one), Filter.parse(other)
    stored = freeze(metadata)
    if first == second:
        assert hash(first) == hash(second)
        assert first.matches(stored) is second.matches(stored)


@given(FILTERS, METADATA)
def test_a_filter_that_is_empty_lets_everything_pass(
    source: dict[str, Any], metadata: dict[str, Any]
) -> None:
    keep = Filter.parse(source)
    if keep.is_empty:
        assert keep.matches(freeze(metadata))


@given(METADATA)
def test_freezing_is_idempotent_and_judged_alike(metadata: dict[str, Any]) -> None:
    stored = freeze(metadata)
    assert freeze(dict(stored)) == stored
    for field in ("a", "b", "a.b", "b.a"):
        exists = Filter.parse({field: {"$exists": True}})
        assert exists.matches(metadata) is exists.matches(stored)
