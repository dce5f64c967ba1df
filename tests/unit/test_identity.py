import itertools

import pytest

from plait.errors import ConfigurationError
from plait.identity import group
from plait.types import Chunk, Ranking


def leg(name, *hits):
    """A ranking of chunks, and of bare ids where a hit is a str."""
    chunks = tuple(None if isinstance(hit, str) else hit for hit in hits)
    return Ranking(
        name,
        tuple(hit if isinstance(hit, str) else hit.id for hit in hits),
        tuple(float(-place) for place in range(len(hits))),
        chunks if any(chunks) else (),
    )


def partition(*rankings, key=None):
    """Who is the same, as sets of (leg, position); the same for every order of the rankings."""
    seen = None
    for order in itertools.permutations(rankings):
        names = {}
        for ranking, row in zip(order, group(order, key), strict=True):
            assert len(row) == len(ranking)
            for position, name in enumerate(row):
                names.setdefault(name, set()).add((ranking.leg, position))
        assert seen in (None, names), "names depend on the order of the legs"
        seen = names
    return sorted(sorted(members) for members in seen.values())


A, B, C = ("a", 0), ("b", 0), ("c", 0)


# Ids


def test_ids_given_by_the_user_are_the_names():
    assert group([leg("a", Chunk("x", id="1"), Chunk("y", id="2")), leg("b", "2", "3")]) == (
        ("1", "2"),
        ("2", "3"),
    )


def test_the_same_id_is_the_same_hit_whatever_else_differs():
    one = Chunk("x", id="1", metadata={}, document_id="d", index=0)
    other = Chunk("y", id="1", metadata={"leg": "bm25"}, document_id="e", index=4)
    third = Chunk("z")  # so that the general rule runs
    assert partition(leg("a", one), leg("b", other), leg("c", third)) == [[A, B], [C]]


def test_different_ids_with_the_same_text_stay_two():
    clause = "This agreement is governed by the laws of Ireland."
    assert partition(leg("a", Chunk(clause, id="1")), leg("b", Chunk(clause, id="2"))) == [[A], [B]]


def test_a_given_id_is_not_an_id_that_plait_makes():
    given = Chunk("text A", id="doc#1")
    made = Chunk("text B", document_id="doc", index=1)
    assert partition(leg("a", given), leg("b", made)) == [[A], [B]]
    assert partition(leg("a", given), leg("b", made.with_id())) == [[A], [B]]
    # The name of the second is not the id of the first.
    assert group([leg("a", given), leg("b", made)]) == (("doc#1",), ("doc#1~1",))


# The keys, one by one, strongest first


KEYS = {
    "document": ({"document_id": "d", "index": 1}, {"document_id": "d", "index": 2}),
    "path": ({"source_path": "p", "index": 1}, {"source_path": "q", "index": 1}),
    "uri": ({"source_uri": "u", "index": 1}, {"source_uri": "u", "index": 0}),
    "section": (
        {"source_name": "s", "section": "A > B", "index": 1},
        {"source_name": "s", "section": "A", "index": 1},
    ),
}


@pytest.mark.parametrize("kind", KEYS)
def test_a_key_that_both_carry_decides(kind):
    same, other = KEYS[kind]
    with_id = Chunk("old text", id="1", **same)
    assert partition(leg("a", with_id), leg("b", Chunk("new text", **same))) == [[A, B]]
    assert partition(leg("a", Chunk("old", **same)), leg("b", Chunk("new", **same))) == [[A, B]]
    # They disagree on it: the same content does not bring them together.
    assert partition(leg("a", Chunk("text", **same)), leg("b", Chunk("text", **other))) == [
        [A],
        [B],
    ]


@pytest.mark.parametrize("kind", KEYS)
def test_a_key_without_its_index_is_none(kind):
    same = {name: value for name, value in KEYS[kind][0].items() if name != "index"}
    assert partition(leg("a", Chunk("old", **same)), leg("b", Chunk("new", **same))) == [[A], [B]]


def test_a_section_needs_the_name_of_its_source():
    part = {"section": "A", "index": 1}
    assert partition(leg("a", Chunk("old", **part)), leg("b", Chunk("new", **part))) == [[A], [B]]
    named = {"source_name": "s", "index": 1}
    assert partition(leg("a", Chunk("old", **named)), leg("b", Chunk("new", **named))) == [
        [A],
        [B],
    ]


def test_index_0_is_an_index():
    first = {"document_id": "d", "index": 0}
    assert partition(leg("a", Chunk("old", **first)), leg("b", Chunk("new", **first))) == [[A, B]]


def test_keys_of_different_kinds_never_meet():
    path = Chunk("x", source_path="readme", index=1)
    uri = Chunk("y", source_uri="readme", index=1)
    document = Chunk("z", document_id="readme", index=1)
    assert partition(leg("a", path), leg("b", uri), leg("c", document)) == [[A], [B], [C]]


def test_content_is_the_last_key():
    assert partition(leg("a", Chunk("same text")), leg("b", Chunk("same text", id="1"))) == [[A, B]]


def test_empty_content_is_no_key():
    assert partition(leg("a", Chunk("")), leg("b", Chunk(""))) == [[A], [B]]


def test_chunks_without_content_but_with_the_same_made_id_are_the_same():
    blank = Chunk("").with_id()
    assert partition(leg("a", blank), leg("b", blank), leg("c", Chunk("x", id="1"))) == [
        [A, B],
        [C],
    ]


def test_the_same_text_at_another_index_needs_a_key_of_ones_own():
    # A leg that numbers chunks differently; nothing says which of the two numbers is right.
    one, other = (Chunk("text", document_id="d", index=n) for n in (0, 3))
    assert partition(leg("a", one), leg("b", other)) == [[A], [B]]
    by_text = lambda chunk: chunk.content  # noqa: E731
    assert partition(leg("a", one), leg("b", other), key=by_text) == [[A, B]]


# Joining the one group that qualifies


def test_a_hit_without_id_joins_the_one_group_that_has_its_key():
    place = {"document_id": "d", "index": 1}
    with_id, without = Chunk("x", id="1", **place), Chunk("y", **place)
    assert partition(leg("a", with_id), leg("b", without), leg("c", with_id)) == [[A, B, C]]


def test_if_two_groups_qualify_it_stays_alone():
    place = {"document_id": "d", "index": 1}
    one, two = Chunk("x", id="1", **place), Chunk("x", id="2", **place)
    assert partition(leg("a", one), leg("b", two), leg("c", Chunk("x", **place))) == [[A], [B], [C]]


def test_it_does_not_go_further_down_then():
    place = {"document_id": "d", "index": 1}
    one, two = Chunk("this", id="1", **place), Chunk("that", id="2", **place)
    loose = Chunk("this", **place)
    assert partition(leg("a", one), leg("b", two), leg("c", loose)) == [[A], [B], [C]]


def test_hits_that_only_two_groups_could_take_still_find_each_other():
    place = {"document_id": "d", "index": 1}
    ids = leg("a", Chunk("x", id="1", **place), Chunk("x", id="2", **place))
    loose = Chunk("y", **place)
    assert partition(ids, leg("b", loose), leg("c", loose)) == [[A], [("a", 1)], [B, C]]


def test_two_that_disagree_do_not_both_join_one_that_cannot_tell():
    # Which of the two files is it? Either way the other would be lost.
    text = Chunk("boilerplate", id="1")
    files = [Chunk("boilerplate", source_path=path, index=0) for path in ("p", "q")]
    assert partition(leg("a", text), leg("b", *files)) == [[A], [B], [("b", 1)]]


def test_three_that_agree_on_content_and_disagree_on_nothing_are_one():
    by_document = Chunk("text", document_id="d", index=1)
    by_path = Chunk("text", source_path="p", index=1)
    by_uri = Chunk("text", source_uri="u", index=1)
    assert partition(leg("a", by_document), leg("b", by_path), leg("c", by_uri)) == [[A, B, C]]


def test_a_group_grows_by_the_keys_of_its_members():
    # a and b agree on the document, b and c on the path: c joins through b.
    first = Chunk("x", document_id="d", index=1)
    second = Chunk("y", document_id="d", index=1, source_path="p")
    third = Chunk("z", source_path="p", index=1)
    assert partition(leg("a", first), leg("b", second), leg("c", third)) == [[A, B, C]]


def test_an_id_with_two_places_takes_a_hit_of_each():
    moved = leg("a", Chunk("x", id="1", document_id="d", index=1))
    again = leg("b", Chunk("x", id="1", document_id="d", index=2))
    loose = leg("c", Chunk("y", document_id="d", index=1), Chunk("z", document_id="d", index=2))
    assert partition(moved, again, loose) == [[A, B, C, ("c", 1)]]


def test_links_through_different_values_do_not_join_what_a_stronger_key_parts():
    # One id at two paths; a hit at each path, and these two are of different documents.
    one = Chunk("x", id="1", source_path="p", index=1)
    moved = Chunk("x", id="1", source_path="q", index=1)
    at_p = Chunk("y", document_id="d", source_path="p", index=1)
    at_q = Chunk("z", document_id="e", source_path="q", index=1)
    assert partition(leg("a", one, moved), leg("b", at_p), leg("c", at_q)) == [
        [A, ("a", 1)],
        [B],
        [C],
    ]


def test_two_groups_that_agree_twice_are_one():
    moved = leg("a", *(Chunk("x", id="1", source_path=path, index=1) for path in ("p", "q")))
    place = {"document_id": "d", "index": 1}
    loose = leg("b", *(Chunk("y", source_path=path, **place) for path in ("p", "q")))
    assert partition(moved, loose) == [[A, ("a", 1), B, ("b", 1)]]


def test_an_unrelated_hit_does_not_keep_two_apart():
    # The third carries an id and another document; it qualifies for neither of the others.
    loose = Chunk("text", document_id="d", index=1)
    plain_id = Chunk("text", id="1")
    elsewhere = Chunk("text", id="2", document_id="e", index=1)
    assert partition(leg("a", loose), leg("b", plain_id), leg("c", elsewhere)) == [[A, B], [C]]


def test_repeats_within_a_leg_have_one_name():
    assert (
        group([leg("a", Chunk("x"), Chunk("y"), Chunk("x"))])[0][0]
        == (group([leg("a", Chunk("x"), Chunk("y"), Chunk("x"))])[0][2])
    )


# Made ids and bare ids


def test_made_ids_are_the_same_by_what_they_were_made_from():
    place = Chunk("x", document_id="d", index=1).with_id()
    text = Chunk("y").with_id()
    assert group([leg("a", place, text), leg("b", text, place)]) == (
        ("d#1", text.id),
        (text.id, "d#1"),
    )


def test_a_made_id_meets_a_chunk_without_id():
    place = Chunk("x", document_id="d", index=1)
    assert partition(leg("a", place.with_id()), leg("b", place)) == [[A, B]]
    assert partition(leg("a", Chunk("x").with_id()), leg("b", Chunk("x"))) == [[A, B]]


def test_made_ids_from_a_path_go_by_the_path():
    # sha256 ids, but source path + index is the stronger key, and it says: two.
    one, other = (Chunk("text", source_path=path, index=0).with_id() for path in ("p", "q"))
    assert one.id == other.id
    assert partition(leg("a", one), leg("b", other)) == [[A], [B]]
    # An older copy of one place has another text, and so another id.
    older = Chunk("old text", source_path="p", index=0).with_id()
    assert partition(leg("a", one), leg("b", older)) == [[A, B]]


def test_a_made_id_joins_a_given_one_at_its_place():
    made = Chunk("x", document_id="d", index=1).with_id()
    given = Chunk("x", id="1", document_id="d", index=1)
    assert partition(leg("a", made), leg("b", given), leg("c", "d#1")) == [[A, B, C]]


def test_bare_ids_are_given_ids():
    assert partition(leg("a", "1"), leg("b", "1"), leg("c", Chunk("x", id="1"))) == [[A, B, C]]


def test_a_bare_id_meets_the_chunk_that_plait_gave_it():
    made = Chunk("x", document_id="d", index=1).with_id()
    assert partition(leg("a", made), leg("b", "d#1")) == [[A, B]]
    text = Chunk("x").with_id()
    assert partition(leg("a", text), leg("b", text.id)) == [[A, B]]
    # Also where other hits make the general rule run, and by a made id that went by its path.
    placed = Chunk("x", source_path="p", index=1).with_id()
    assert partition(leg("a", placed), leg("b", placed.id), leg("c", Chunk("y"))) == [[A, B], [C]]


def test_a_bare_id_that_some_user_gave_is_the_users():
    made = Chunk("x", document_id="d", index=1).with_id()
    given = Chunk("y", id="d#1")
    assert partition(leg("a", made), leg("b", given), leg("c", "d#1")) == [[A], [B, C]]


def test_bare_ids_of_two_groups_stay_apart_from_both_and_together():
    one, other = (Chunk("text", source_path=path, index=0).with_id() for path in ("p", "q"))
    hits = leg("a", one, other)
    assert partition(hits, leg("b", one.id), leg("c", one.id)) == [[A], [("a", 1)], [B, C]]


def test_a_leg_may_bring_chunks_for_some_of_its_ids():
    mixed = leg("a", Chunk("x", id="1"), "2")
    assert group([mixed, leg("b", "2", "1")]) == (("1", "2"), ("2", "1"))


# Names


def test_a_hit_without_id_is_named_by_the_id_that_plait_would_make():
    placed, text = Chunk("x", document_id="d", index=1), Chunk("y")
    assert group([leg("a", placed, text)]) == (("d#1", text.with_id().id),)


def test_names_differ_where_made_ids_are_equal():
    files = [Chunk("text", source_path=path, index=0) for path in ("p", "q", "r")]
    sha = files[0].with_id().id
    assert group([leg("a", *files)]) == ((sha, sha + "~1", sha + "~2"),)


# A key of one's own


def test_a_key_replaces_the_rule():
    one = Chunk("x", id="1", metadata={"doc": "A"})
    two = Chunk("y", id="2", metadata={"doc": "A"})
    doc = lambda chunk: chunk.metadata["doc"]  # noqa: E731
    assert partition(leg("a", one), leg("b", two), key=doc) == [[A, B]]
    assert group([leg("a", two, one)], doc) == (("2", "2"),)


def test_hits_without_a_key_go_by_the_rule_among_themselves():
    keyed = Chunk("x", id="1", metadata={"doc": "A"})
    unkeyed = Chunk("x")
    doc = lambda chunk: chunk.metadata.get("doc")  # noqa: E731
    assert partition(leg("a", keyed), leg("b", unkeyed), leg("c", unkeyed), key=doc) == [
        [A],
        [B, C],
    ]


def test_a_bare_id_has_the_key_of_the_best_chunk_with_that_id():
    good = Chunk("x", id="1", metadata={"doc": "A"})
    worse = leg(
        "b", Chunk("z", id="9", metadata={"doc": "Z"}), Chunk("y", id="1", metadata={"doc": "B"})
    )
    doc = lambda chunk: chunk.metadata["doc"]  # noqa: E731
    assert partition(leg("a", good), worse, leg("c", "1"), key=doc) == [[A, C], [B], [("b", 1)]]
    # No chunk of that id at all: it goes by the id.
    assert partition(leg("a", "7"), leg("b", good), leg("c", "7"), key=doc) == [[A, C], [B]]


@pytest.mark.parametrize(
    "key", [lambda chunk: chunk.metadata["doc"], lambda chunk: [chunk.content]]
)
def test_a_key_that_fails_is_named_with_leg_and_position(key):
    fine = Chunk("x", id="1")
    with pytest.raises(ConfigurationError, match=r"leg 'b'.*position 1.*id '2'") as caught:
        group([leg("b", Chunk("y", id="2"))], key)
    assert caught.value.__cause__ is not None
    assert group([leg("b", fine)], lambda chunk: (chunk.id, 1)) == (("1",),)


def test_nothing_to_group():
    assert group([]) == ()
    assert group([leg("a")]) == ((),)
    assert group([leg("a"), leg("b", Chunk("x"))], lambda chunk: chunk.content)[0] == ()
