"""A byte of the file that changed by itself is an error of plait's, or changes no answer."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from plait.collection import Collection
from plait.collection import open as open_collection
from plait.errors import IndexFormatError, StoreError
from plait.types import Chunk

PAGE = 4096


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a collection with upserts, deletions and a document."""
    folder = tmp_path_factory.mktemp("sound")
    words = ["cats", "dogs", "birds", "fish"]
    with open_collection(folder / "kb", embedder="hash(dim=8)") as kb:
        kb.add([Chunk(f"{words[n % 4]} number{n}", id=f"c{n}", title=f"T{n}") for n in range(40)])
        kb.add([Chunk("other dogs", id="c5")])
        kb.delete(ids=["c3"])
        (folder / "a.md").write_text("# Hello\n\nsome cats\n")
        kb.add_files(folder / "a.md")
        kb.compact()
    return folder / "kb" / "default.plait"


def answers(kb: Collection) -> list[Any]:
    found = [kb.search(query, top_k=50) for query in ("cats number7", "dogs", "hello")]
    told = [
        (hit.id, hit.score, hit.snippet, hit.chunk.content, hit.chunk.title)
        for result in found
        for hit in result
    ]
    return [told, kb.count(), kb.get("c1"), kb.get("c5"), kb.settings]


def broken(folder: Path, data: bytes, place: int, bit: int) -> Path:
    changed = bytearray(data)
    changed[place] ^= 1 << bit
    folder.mkdir(exist_ok=True)
    (folder / "default.plait").write_bytes(changed)
    return folder


def test_no_flipped_bit_gives_a_wrong_answer(sound: Path, tmp_path: Path) -> None:
    data = sound.read_bytes()
    with open_collection(sound.parent) as kb:
        expected = answers(kb)
    rng = random.Random(1)
    heads = [page + rng.randrange(40) for page in range(0, len(data), PAGE) for _ in range(6)]
    window = data.index(b"window")  # the last setting, and so the first in its page
    places = [*heads, *rng.sample(range(len(data)), 60), *range(window - 20, window + 20)]
    found = 0
    for number, place in enumerate(places):
        folder = broken(tmp_path / str(number), data, place, rng.randrange(8))
        try:
            with open_collection(folder, read_only=bool(number % 2)) as kb:
                assert answers(kb) == expected, f"bit of byte {place}"
        except (IndexFormatError, StoreError):
            found += 1
    assert found > len(places) // 5


@pytest.mark.parametrize(
    "what", ["CREATE TABLE chunk", "CREATE TABLE state", "fingerprint BLOB", "hash (lexical"]
)
def test_damage_of_what_describes_the_rest(what: str, sound: Path, tmp_path: Path) -> None:
    data = sound.read_bytes()
    for offset in range(len(what)):
        for bit in (0, 7):  # the second makes it text that is not UTF-8
            folder = broken(
                tmp_path / f"{offset}-{bit}", data, data.index(what.encode()) + offset, bit
            )
            try:
                with open_collection(folder, read_only=True) as kb:
                    answers(kb)
            except (IndexFormatError, StoreError):
                continue


def test_rows_that_a_damaged_page_no_longer_lists_are_missed(make: Any, sql: Any) -> None:
    kb = make()
    kb.add([Chunk("cats", id="a"), Chunk("dogs", id="b")])
    kb.close()
    # An index with an entry more than the table has rows, as when a page forgets one.
    (root,) = sql("SELECT rootpage FROM sqlite_master WHERE name = 'chunk'")[0]
    path = kb.path
    data = bytearray(path.read_bytes())
    cells = (root - 1) * PAGE + 3
    assert data[cells : cells + 2] == b"\x00\x02"
    data[cells + 1] = 1
    path.write_bytes(data)
    with pytest.raises(IndexFormatError, match="1 of 2 chunks are found"):
        make().search("cats")


def test_a_state_without_numbers_is_damage(make: Any, sql: Any) -> None:
    path = make().path
    sql(
        "CREATE TABLE other AS SELECT only, NULL AS generation, pruned, space, target, "
        "arrangement FROM state"
    )
    sql("DROP TABLE state")
    sql("ALTER TABLE other RENAME TO state")
    with pytest.raises(IndexFormatError, match="its state is missing"):
        open_collection(path.parent)


def test_a_state_that_names_no_space_is_damage(make: Any, sql: Any) -> None:
    make().close()
    sql("UPDATE state SET space = 77")
    with pytest.raises(IndexFormatError, match="embedder does not match its fingerprint"):
        make()
    sql("DELETE FROM state")
    with pytest.raises(IndexFormatError, match="its state is missing"):
        make()
