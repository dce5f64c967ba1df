"""What the power cut leaves: at every moment all that was acknowledged is found.

The operations of a collection on its files are recorded: every commit of the SQLite file, which
SQLite itself makes durable or not at all, and every segment that is written or removed. The disk is
then put back into each state that a power cut could leave: a file whose bytes were never synced is
empty, one whose name was not, is not there.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from plait.collection import Collection
from plait.collection import open as open_collection
from plait.collection.segments import keeper
from plait.collection.store import Store
from plait.collection.writing import Writing
from plait.storage import Files
from plait.types import Chunk

Disk = dict[str, bytes]


class Recorder:
    """The states that the disk may be left in, one after the other, and what was acknowledged."""

    def __init__(self) -> None:
        self.moments: list[tuple[Disk, set[str], bool]] = []
        self.disk: Disk = {}
        self.acknowledged: set[str] = set()

    def happened(self, *, unsettled: Disk | None = None) -> None:
        """The disk as it is, and with what is not synced yet in its place."""
        if unsettled is not None:
            self.moments.append(({**self.disk, **unsettled}, self.acknowledged, False))
        self.moments.append((dict(self.disk), self.acknowledged, True))


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    made = Recorder()
    write, remove, writing = Files.write, Files.remove, Store.writing

    def written(self: Files, path: Path, pieces: Iterable[Any]) -> int:
        whole = [bytes(piece) for piece in pieces]
        name = f"{path.parent.name}/{path.name}"
        data = b"".join(whole)
        half = {f"{name}.unfinished": data[: len(data) // 2]}
        made.happened(unsettled=half)
        size = write(self, path, whole)
        assert path.read_bytes() == data
        made.disk[name] = data
        made.happened()
        return size

    def removed(self: Files, path: Path) -> bool:
        gone = remove(self, path)
        made.disk.pop(f"{path.parent.name}/{path.name}", None)
        made.happened()
        return gone

    @contextmanager
    def committed(self: Store) -> Iterator[Writing]:
        with writing(self) as found:
            yield found
        with closing(sqlite3.connect(self.path)) as source:
            made.disk[self.path.name] = copied(source)
        made.happened()

    monkeypatch.setattr(Files, "write", written)
    monkeypatch.setattr(Files, "remove", removed)
    monkeypatch.setattr(Store, "writing", committed)
    monkeypatch.setattr(keeper, "TAIL", 4)
    return made


def copied(source: sqlite3.Connection) -> bytes:
    """The file of a collection with what is in its log."""
    with closing(sqlite3.connect(":memory:")) as copy:
        source.backup(copy)
        return copy.serialize()


def chunks(first: int, last: int) -> list[Chunk]:
    return [Chunk(f"cats number {n}", id=f"{n:02}") for n in range(first, last)]


def found(kb: Collection) -> set[str]:
    sets = [
        {str(hit.id) for hit in kb.search("cats number", top_k=99, legs=[leg])}
        for leg in ("bm25", "dense")
    ]
    assert sets[0] == sets[1]
    return sets[0]


def test_every_moment_holds_what_was_acknowledged(
    recorder: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = open_collection(tmp_path / "kb", embedder="hash(dim=8)")
    script: list[Any] = [
        lambda: kb.add(chunks(0, 6)),
        lambda: kb.add(chunks(6, 12)),
        lambda: kb.delete(["00", "07"]),
        lambda: [kb.add(chunks(12 + 5 * n, 17 + 5 * n)) for n in range(3)],
        lambda: kb.reembed("hash(dim=16)"),
        lambda: kb.delete([f"{n:02}" for n in range(1, 6)]),
        kb.compact,
        lambda: kb.add(chunks(30, 40)),
        lambda: kb.add(iter(chunks(38, 50))),
    ]
    for step in script:
        before = found(kb)
        step()
        recorder.acknowledged = found(kb)
        recorder.happened()
        assert before or recorder.acknowledged
    kb.close()
    monkeypatch.undo()

    assert len(recorder.moments) > 40
    last: set[str] = set()
    for number, (disk, acknowledged, settled) in enumerate(recorder.moments):
        if "default.plait" not in disk:
            continue
        folder = tmp_path / f"moment-{number}"
        for name, data in disk.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        with open_collection(folder, read_only=True) as again:
            there = found(again)
            # What is under way may be there or not; nothing is there by half.
            assert acknowledged <= there | _deleted(recorder, number)
            if settled:
                # A file is on disk before it is listed, and gone only when it is not.
                assert again.verify() == ()
                assert again.search("cats").notes == again.search("number").notes
                assert not any("made anew" in note for note in again.search("cats").notes)
        last = there
    assert last == recorder.moments[-1][1]


def _deleted(recorder: Recorder, number: int) -> set[str]:
    """What the operation that is under way at a moment takes away."""
    following = next(
        (ids for _, ids, _ in recorder.moments[number:] if ids != recorder.moments[number][1]),
        recorder.moments[-1][1],
    )
    return recorder.moments[number][1] - following


def test_a_file_is_synced_before_it_has_its_name_and_the_name_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    happened: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def synced(handle: int) -> None:
        happened.append(f"sync {Path(f'/proc/self/fd/{handle}').readlink().name}")
        fsync(handle)

    def renamed(self: Path, target: Path) -> Path:
        happened.append(f"rename {self.name} {Path(target).name}")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("needs /proc to tell which file is synced")
    folder = tmp_path / "here"
    Files().make_folder(folder)
    assert happened == [f"sync {tmp_path.name}"]
    happened.clear()
    assert Files().write(folder / "x", [b"ab", b"c"]) == 3
    assert happened == ["sync x.unfinished", "rename x.unfinished x", "sync here"]
