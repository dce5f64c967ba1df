"""Several processes over one collection: readers, writers, forks."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from plait.collection import Collection
from plait.types import Chunk

Make = Callable[..., Collection]

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

# Evaluates each line that it is sent, with kb and Chunk at hand.
PROGRAM = """
import sys
from plait.collection import open as open_collection
from plait.types import Chunk
kb = open_collection(sys.argv[1], embedder="hash(dim=32)", lock_timeout=float(sys.argv[2]))
held = []
def clear_and_hold():
    held.append(kb._store.writing())
    return held[0].__enter__().clear()
for line in sys.stdin:
    try:
        said = repr(eval(line))
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    print(said.replace("\\n", " "), flush=True)
"""


class Other:
    """Another process with the collection open."""

    def __init__(self, folder: Path, timeout: float) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(folder), str(timeout)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self, line: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def other(folder: Path, kb: Collection) -> Iterator[Other]:
    made = Other(folder, 0.05)
    yield made
    made.close()


def test_a_reader_sees_commits_at_its_next_query(kb: Collection, other: Other) -> None:
    ask = "[(hit.id, hit.chunk.content) for hit in kb.search('cats dogs')]"
    assert other(ask) == "[]"
    kb.add([Chunk("cats", id="a")])
    assert other(ask) == "[('a', 'cats')]"
    kb.add([Chunk("dogs", id="a")])
    assert other(ask) == "[('a', 'dogs')]"
    kb.delete(ids=["a"])
    assert other(ask) == "[]"
    kb.add([Chunk("cats", id="b")])
    kb.compact()
    assert other(ask) == "[('b', 'cats')]"
    assert other("kb.add([Chunk('cats and dogs', id='c')])") == "1"
    assert [hit.id for hit in kb.search("dogs", legs=["bm25"])] == ["c"]
    kb.clear()
    assert other(ask) == "[]"
    assert other("kb.count(), kb.get('c')") == "(0, None)"


def test_a_reader_follows_a_change_of_embedder(kb: Collection, other: Other) -> None:
    kb.add([Chunk("cats purr", id="a"), Chunk("dogs bark", id="b")])
    ask = "[hit.id for hit in kb.search('cats', legs=['dense'], top_k=1)]"
    assert other(ask) == "['a']"
    kb.reembed("hash(dim=16)")
    assert other(ask) == "['a']"
    assert other("kb.describe()['dim']") == "16"


def test_a_second_writer_waits_and_then_is_told(kb: Collection, other: Other) -> None:
    with kb._store.writing():
        said = other("kb.add([Chunk('cats', id='a')])")
        assert said.startswith("LockedError: ")
        assert other("len(kb.search('cats'))") == "0"  # readers do not wait
    assert other("kb.add([Chunk('cats', id='a')])") == "1"


def test_a_writer_that_dies_with_the_lock_lets_it_go(kb: Collection, other: Other) -> None:
    kb.add([Chunk("cats", id="a")])
    assert other("clear_and_hold()") == "1"
    other.close()
    kb.add([Chunk("dogs", id="b")])
    assert kb.count() == 2  # nothing of the unfinished write


def in_child(work: Callable[[], Any]) -> str:
    """What ``work`` gives in a forked process."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            said = repr(work())
        except BaseException as error:  # noqa: BLE001 (said to the parent)
            said = f"{type(error).__name__}: {error}"
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    os.waitpid(pid, 0)
    with os.fdopen(reader) as pipe:
        return pipe.read()


def test_a_forked_process_reopens(kb: Collection) -> None:
    kb.add([Chunk("cats", id="a")])
    kb.search("cats")

    def use() -> Any:
        before = [hit.id for hit in kb.search("cats dogs")]
        kb.add([Chunk("dogs", id="b")])
        return before, sorted(str(hit.id) for hit in kb.search("cats dogs")), kb.count()

    assert in_child(use) == "(['a'], ['a', 'b'], 2)"
    assert {hit.id for hit in kb.search("cats dogs")} == {"a", "b"}
    kb.add([Chunk("birds", id="c")])
    assert in_child(kb.count) == "3"


def test_parent_and_children_write_together(kb: Collection) -> None:
    children = []
    for number in range(3):
        pid = os.fork()
        if pid == 0:
            try:
                for n in range(5):
                    kb.add([Chunk(f"child {number} {n}", id=f"{number}-{n}")])
            finally:
                os._exit(0)
        children.append(pid)
    for n in range(5):
        kb.add([Chunk(f"parent {n}", id=f"p-{n}")])
    for pid in children:
        os.waitpid(pid, 0)
    assert kb.count() == 20
    assert len(kb.search("child parent", top_k=50, legs=["bm25"])) == 20


def test_a_snapshot_stays_with_the_process_that_took_it(kb: Collection) -> None:
    kb.add([Chunk("cats", id="a")])
    with kb.snapshot() as view:
        assert "belongs to the process that forked" in in_child(lambda: view.search("cats"))
        assert "in use when this process was forked" in in_child(kb.count)
        assert in_child(view.close) == "None"
        assert view.search("cats")[0].id == "a"
    assert in_child(kb.count) == "1"
