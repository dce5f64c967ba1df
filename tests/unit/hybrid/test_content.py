from collections import UserDict

import pytest

from plait.errors import StageError, StoreError
from plait.hybrid.content import look_up
from plait.types import Chunk

KNOWN = {name: Chunk(f"text of {name}", id=name) for name in "abc"}


def test_only_what_was_asked_for_and_is_known_comes_back():
    assert look_up(lambda ids: UserDict(KNOWN, d=None), ["a", "d", "e"]) == {"a": KNOWN["a"]}


@pytest.mark.parametrize(
    ("lookup", "said"),
    [
        (lambda ids: {}[ids[0]], "lookup failed for 1 ids: KeyError: 'a'"),
        (lambda ids: list(KNOWN.values()), "lookup returned list, expected a mapping"),
        (lambda ids: {"a": "text"}, "lookup returned str for the id 'a', expected a Chunk"),
    ],
)
def test_a_failure_names_the_stage(lookup, said):
    with pytest.raises(StageError, match=said) as caught:
        look_up(lookup, ["a"])
    assert caught.value.stage == "lookup"


def test_errors_of_plait_pass():
    def down(ids):
        raise StoreError("down", "store")

    with pytest.raises(StoreError):
        look_up(down, ["a"])
