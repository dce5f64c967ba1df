"""Readers in threads and processes while one writes, merges and compacts: each sees one state."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from plait.collection import Collection
from plait.collection.segments import keeper
from plait.types import Chunk

Make = Callable[..., Collection]

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

READER = """
import sys
from plait.collection import open as open_collection
with open_collection(sys.argv[1], read_only=True) as kb:
    rounds, seen = 0, set()
    print("ready", flush=True)
    while True:
        with kb.snapshot() as state:
            found = {hit.chunk.content.split()[1] for hit in state.search("round", top_k=99)}
            count = state.count()
        if not (len(found) <= 1 and count in (0, 12)):
            raise SystemExit(f"half a state: {found} {count}")
        seen |= found
        rounds += 1
        if "last" in found:
            break
    print(rounds, len(seen), flush=True)
"""


def chunks(word: str) -> list[Chunk]:
    return [Chunk(f"round {word} of cats", id=f"{n:02}") for n in range(12)]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper, "TAIL", 4)


def test_other_processes_read_while_one_writes_and_compacts(kb: Collection) -> None:
    kb.add(chunks("first"))
    readers = [
        subprocess.Popen(
            [sys.executable, "-c", READER, str(kb.path.parent)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for reader in readers:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "ready\n"
    for number in range(12):
        kb.add(chunks(f"n{number}"))
        if number % 3 == 0:
            kb._keeper.compact()
    kb.add(chunks("last"))
    for reader in readers:
        out, err = reader.communicate(timeout=60)
        assert reader.returncode == 0, err
        assert int(out.split()[0]) >= 1


def test_threads_read_while_one_writes_and_compacts(kb: Collection) -> None:
    kb.add(chunks("first"))
    done = threading.Event()
    wrong: list[Any] = []
    answered = [0] * 32

    def read(place: int) -> None:
        try:
            while not done.is_set() or not answered[place]:
                result = kb.search("round", top_k=99)
                words = {hit.chunk.content.split()[1] for hit in result}
                if len(words) != 1 or len(result) != 12:
                    wrong.append((words, len(result)))
                answered[place] += 1
        except BaseException as error:  # noqa: BLE001 (shown by the test)
            wrong.append(error)

    threads = [threading.Thread(target=read, args=(place,)) for place in range(32)]
    for thread in threads:
        thread.start()
    for number in range(8):
        kb.add(chunks(f"n{number}"))
        kb._keeper.compact()
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert all(answered)


def test_two_writers_and_their_segments(make: Make) -> None:
    one, other = make(), make()

    def write(kb: Collection, first: int) -> None:
        for start in range(first, first + 40, 5):
            kb.add([Chunk(f"cats {n}", id=f"{n:03}") for n in range(start, start + 5)])

    threads = [
        threading.Thread(target=write, args=(one, 0)),
        threading.Thread(target=write, args=(other, 100)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = {f"{n:03}" for n in [*range(40), *range(100, 140)]}
    for kb in (one, other, make()):
        assert {hit.id for hit in kb.search("cats", top_k=99)} == expected
        assert kb.verify() == ()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_reads_the_same_segments(kb: Collection) -> None:
    kb.add(chunks("first"))
    before = [(hit.id, hit.score) for hit in kb.search("cats", top_k=99)]
    child = os.fork()
    if child == 0:
        try:
            same = before == [(hit.id, hit.score) for hit in kb.search("cats", top_k=99)]
            kb.add(chunks("child"))
            os._exit(0 if same else 1)
        finally:
            os._exit(2)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert {hit.chunk.content.split()[1] for hit in kb.search("round", top_k=99)} == {"child"}
