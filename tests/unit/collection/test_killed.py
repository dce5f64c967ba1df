"""A process that is killed at any moment loses nothing acknowledged and leaves nothing half there.

A child runs operations one after another and says after each that it returned; it is killed with
SIGKILL at a random moment. What is found then must be the state after the operations that returned,
or that and the one that was under way. ``PLAIT_KILL_ROUNDS=1000`` makes it long.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from plait.collection import Collection
from plait.collection import open as open_collection
from plait.collection.segments import gathering, keeper
from plait.collection.vectors import BATCH
from plait.dense import DenseRetriever
from plait.embedders import parse_embedder
from plait.lexical import BM25Retriever
from plait.types import Chunk

ROUNDS = int(os.environ.get("PLAIT_KILL_ROUNDS", "25"))
WORDS = ["cats", "dogs", "birds", "fish", "purr", "bark", "sing", "swim"]

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
    pytest.mark.timeout(300 + 5 * ROUNDS),
]

Model = dict[str, Chunk]
Step = tuple[str, Any]


def steps(seed: int) -> Iterator[Step]:
    """Operations without end, the same for the same seed."""
    rng = random.Random(seed)
    while True:
        name = rng.choices(
            ["add", "stream", "many", "delete", "filter", "clear", "reembed", "compact", "reopen"],
            [5, 3, 1, 4, 2, 0.5, 2, 3, 1],
        )[0]
        if name in ("add", "stream", "many"):
            count = BATCH + 50 if name == "many" else rng.randint(1, 30)
            ids = range(1000, 1000 + count) if name == "many" else range(60)
            given: Any = [
                Chunk(
                    f"{' '.join(rng.choices(WORDS, k=6))} {rng.random()}",
                    id=str(n),
                    metadata={"kind": rng.randint(0, 3)},
                )
                for n in rng.sample(ids, count)
            ]
        elif name == "delete":
            given = [str(n) for n in rng.sample(range(60), 15)]
        elif name == "filter":
            given = rng.randint(0, 3)
        else:
            given = rng.choice([8, 16]) if name == "reembed" else None
        yield name, given


def apply(model: Model, step: Step) -> Model:
    """What an operation means."""
    name, given = step
    if name in ("add", "stream", "many"):
        return {**model, **{str(chunk.id): chunk for chunk in given}}
    if name == "delete":
        return {id: chunk for id, chunk in model.items() if id not in given}
    if name == "filter":
        return {id: chunk for id, chunk in model.items() if chunk.metadata["kind"] != given}
    return {} if name == "clear" else model


def run(kb: Collection, step: Step) -> Collection:
    name, given = step
    if name in ("add", "many"):
        kb.add(given)
    elif name == "stream":
        kb.add(iter(given))
    elif name == "delete":
        kb.delete(ids=given)
    elif name == "filter":
        kb.delete(filter={"kind": given})
    elif name == "clear":
        kb.clear()
    elif name == "reembed":
        kb.reembed(f"hash(dim={given})")
    elif name == "compact":
        kb.compact()
    else:
        kb.close()
        return open_collection(kb.path.parent)
    return kb


def killed(folder: Path, seed: int) -> int:
    """Run the operations in a child and kill it; how many of them had returned."""
    rng = random.Random(-seed - 1)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            kb = open_collection(folder)
            for step in steps(seed):
                kb = run(kb, step)
                os.write(writer, b".")
        finally:
            os.write(writer, b"!")
            os._exit(1)
    os.close(writer)
    done = b""
    wanted = rng.randint(0, 12)
    while len(done) < wanted and (more := os.read(reader, 1)):
        done += more
    time.sleep(rng.random() * 0.03)  # into the middle of whatever comes next
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while more := os.read(reader, 100):
        done += more
    os.close(reader)
    assert b"!" not in done, "an operation failed"
    return len(done)


def check(folder: Path, acknowledged: Model, under_way: Model) -> Model:
    """Find one of the two states, whole, in both legs."""
    with closing(sqlite3.connect(folder / "default.plait")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with open_collection(folder) as kb:
        with kb._store.reading() as reading:
            found = {str(each.chunk.id): each.chunk for each in reading.chunks_after(0, None)}
            space = reading.state().space
            list(reading.chunks_after(0, space))  # every vector is there and sound
        assert found in (acknowledged, under_way)
        assert kb.verify() == ()
        embedder = parse_embedder(str(kb.describe()["embedder"]))
        chunks = list(found.values())
        legs = {"bm25": BM25Retriever(chunks), "dense": DenseRetriever(chunks, embedder=embedder)}
        for query in ("cats purr", "dogs bark sing", "nothing"):
            for name, leg in legs.items():
                result = kb.search(query, top_k=50, legs=[name])
                assert [(hit.id, hit.retrieval_score) for hit in result] == [
                    (hit.id, hit.score) for hit in leg.retrieve(query, top_k=50)
                ]
    return found


@pytest.mark.parametrize("tail", [keeper.TAIL, 20], ids=["memory", "segments"])
def test_a_killed_process_loses_nothing_acknowledged(
    tmp_path: Path, tail: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "TAIL", tail)  # the children have it too
    monkeypatch.setattr(gathering, "_ROWS", tail)
    folder = tmp_path / "kb"
    open_collection(folder, embedder="hash(dim=8)").close()
    model: Model = {}
    for seed in range(ROUNDS):
        count = killed(folder, seed)
        script = steps(seed)
        for _ in range(count):
            model = apply(model, next(script))
        model = check(folder, model, apply(model, next(script)))
