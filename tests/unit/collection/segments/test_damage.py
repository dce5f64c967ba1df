"""No byte of a segment that is changed gives a wrong answer, nor a crash."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from plait.collection import open as open_collection
from plait.collection.segments import keeper
from plait.errors import IndexFormatError
from plait.storage import ArrayFile
from plait.types import Chunk

QUESTIONS: list[dict[str, Any]] = [
    {"query": "cats number 3"},
    {"query": "dogs", "legs": ["bm25"]},
    {"query": "cats", "legs": ["dense"], "filter": {"kind": {"$in": [1, 2]}}},
]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound") / "kb"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keeper, "TAIL", 4)
        with open_collection(folder, embedder="hash(dim=8)") as kb:
            kb.add(
                [
                    Chunk(f"{'cats' if n % 2 else 'dogs'} number {n}", id=f"{n:02}",
                          metadata={"kind": n % 4, "tags": ["x", f"t{n}"]})
                    for n in range(30)
                ]
            )  # fmt: skip
            kb.delete(["04", "05"])
    return folder


def answers(folder: Path) -> Any:
    with open_collection(folder, read_only=True) as kb:
        return [[(hit.id, hit.score) for hit in kb.search(top_k=30, **q)] for q in QUESTIONS]


def segment_of(folder: Path) -> Path:
    (found,) = (each for each in folder.rglob("*.segment"))
    return found


def test_flipped_bits(sound: Path, tmp_path: Path) -> None:
    """At many places of the file: in the header, the arrays, the padding, the checksums."""
    folder = tmp_path / "kb"
    shutil.copytree(sound, folder)
    expected = answers(folder)
    path = segment_of(folder)
    data = path.read_bytes()
    draw = random.Random(0)
    places = {0, 8, 12, 16, len(data) - 1, len(data) - 17, *draw.sample(range(len(data)), 150)}
    for place in sorted(places):
        changed = bytearray(data)
        changed[place] ^= 1 << draw.randrange(8)
        path.write_bytes(changed)
        assert answers(folder) == expected, f"byte {place}"


def test_lengths_that_it_may_be_cut_to(sound: Path, tmp_path: Path) -> None:
    folder = tmp_path / "kb"
    shutil.copytree(sound, folder)
    expected = answers(folder)
    path = segment_of(folder)
    data = path.read_bytes()
    for size in (0, 1, 15, 16, 100, 4095, 4096, 4097, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:size])
        assert answers(folder) == expected, f"{size} bytes"
    path.write_bytes(data + b"x")
    assert answers(folder) == expected


def test_a_newer_format_is_named_and_done_without(sound: Path, tmp_path: Path) -> None:
    folder = tmp_path / "kb"
    shutil.copytree(sound, folder)
    expected = answers(folder)
    path = segment_of(folder)
    data = bytearray(path.read_bytes())
    data[8] = 99
    path.write_bytes(data)
    assert answers(folder) == expected
    with open_collection(folder) as kb:
        assert "has format 99" in kb.search("cats").notes[-1]
        assert str(path) in kb.search("cats").notes[-1]


def test_another_layout_is_done_without_and_made_anew(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "kb"
    shutil.copytree(sound, folder)
    expected = answers(folder)
    for module in ("segment", "keeper"):
        monkeypatch.setattr(f"plait.collection.segments.{module}.LAYOUT", 99)
    assert answers(folder) == expected
    with open_collection(folder) as kb:
        assert "has layout 2, this version of plait reads 99" in kb.search("cats").notes[-1]
        kb.add([Chunk("mice", id="99")])
        assert not any("layout" in note for note in kb.search("cats").notes)
        assert kb.verify() == ()


def test_a_damaged_row_behind_a_segment_is_told_when_it_is_shown(
    sound: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "kb"
    shutil.copytree(sound, folder)
    with open_collection(folder) as kb:
        with kb._store.writing() as writing:
            writing.connection.execute("UPDATE chunk SET content = 'no cats' WHERE id = '03'")
        assert kb.search("number 7", top_k=1, legs=["bm25"])[0].id == "07"
        with pytest.raises(IndexFormatError, match="chunk '03' is damaged"):
            kb.search("number 3", top_k=1, legs=["bm25"])
        assert any("chunk '03' is damaged" in told for told in kb.verify())


@pytest.mark.parametrize("then", ["search", "compact"])
def test_damage_that_shows_when_a_chunk_is_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, then: str
) -> None:
    """The numbers of the rows are read for nothing else, so an open segment may have it."""
    monkeypatch.setattr(keeper, "TAIL", 4)
    count = 1200  # so that their first block holds nothing else
    with open_collection(tmp_path / "kb", embedder=None) as kb:
        kb.add([Chunk("cats", id=f"{n:04}") for n in range(count)])
    path = segment_of(tmp_path / "kb")
    data = bytearray(path.read_bytes())
    assert next(iter(ArrayFile(path)._places)) == "rows.numbers"
    head = 16 + int.from_bytes(data[12:16], "little") + 16
    data[-(-head // 4096) * 4096] ^= 1
    path.write_bytes(data)
    with open_collection(tmp_path / "kb", embedder=None) as kb:
        assert kb.search("cats", top_k=1)[0].id == "0000"
        assert not kb._keeper.distrusted
        kb.delete(["0003"])
        if then == "compact":
            kb.compact()
        found = {hit.id for hit in kb.search("cats", top_k=count)}
        assert found == {f"{n:04}" for n in range(count)} - {"0003"}
        kb.add([Chunk("dogs", id="dogs")])
        assert not kb._keeper.distrusted
        assert kb.verify() == ()


def test_damage_that_shows_while_a_merged_segment_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The vectors of the parts are first looked at then: nothing half written stays."""
    monkeypatch.setattr(keeper, "TAIL", 4)
    chunks = [Chunk(f"{'cats' if n % 2 else 'dogs'} number {n}", id=f"{n:02}") for n in range(10)]
    folder = tmp_path / "kb"
    with open_collection(folder, embedder="hash(dim=8)") as kb:
        kb.add(chunks[:5])
        kb.add(chunks[5:])
    asked = {"query": "cats number 3", "top_k": 10}
    with open_collection(folder, read_only=True) as kb:
        expected = [(hit.id, hit.score) for hit in kb.search(**asked)]
    path, _ = sorted(folder.rglob("*.segment"))
    rows = ArrayFile(path)["vectors.rows"].tobytes()
    data = path.read_bytes()
    place = data.index(rows) + 3
    path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
    with open_collection(folder) as kb:
        kb.compact()
        assert [(hit.id, hit.score) for hit in kb.search(**asked)] == expected
        (segment,) = folder.rglob("*.segment")
        assert not list(folder.rglob("*.unfinished"))
        ArrayFile(segment).verify()


def test_damage_among_many_queries(sound: Path, tmp_path: Path) -> None:
    queries = [f"cats number {n}" for n in range(40)]
    with open_collection(sound, read_only=True) as kb:
        expected = [result.hits for result in kb.retriever().retrieve_many(queries)]
    folder = tmp_path / "kb"
    shutil.copytree(sound, folder)
    path = segment_of(folder)
    data = path.read_bytes()
    rows = data.find(ArrayFile(path)["vectors.rows"].tobytes())
    path.write_bytes(data[:rows] + bytes([data[rows] ^ 1]) + data[rows + 1 :])
    with open_collection(folder, read_only=True) as kb:
        results = kb.retriever().retrieve_many(queries)
    assert [result.hits for result in results] == expected
    assert all("was changed" in result.notes[-1] for result in results)
