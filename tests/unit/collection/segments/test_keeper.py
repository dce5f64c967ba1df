"""Segments are made, merged and removed, and no answer changes by it."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plait.collection import Collection
from plait.collection.reading import Reading
from plait.collection.segments import Segment, gathering, keeper
from plait.collection.segments.gathering import Gathering
from plait.errors import IndexFormatError, LockedError, StoreError
from plait.storage import FileLock, Files
from plait.types import Chunk, Query

Make = Callable[..., Collection]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few chunks are a segment, so that these tests have many."""
    monkeypatch.setattr(keeper, "TAIL", 4)


def chunks(first: int, last: int, word: str = "cats") -> list[Chunk]:
    return [
        Chunk(f"{word} number {n} of {n % 3}", id=f"{n:03}", metadata={"even": n % 2 == 0})
        for n in range(first, last)
    ]


def segments(kb: Collection) -> list[Segment]:
    with kb.snapshot() as snapshot:
        return [part for part in snapshot._view.index.parts if isinstance(part, Segment)]


def files(kb: Collection) -> set[str]:
    folder = kb._keeper.folder
    return {each.name for each in folder.iterdir()} - {"lock"} if folder.exists() else set()


def answers(kb: Collection) -> Any:
    """What a collection says to some questions, with scores."""
    return [
        [(hit.id, hit.score, hit.chunk) for hit in kb.search(query, top_k=50, **given)]
        for query in ("cats number 2", "of 1", "dogs", "7")
        for given in ({}, {"legs": ["bm25"]}, {"legs": ["dense"]}, {"filter": {"even": True}})
    ]


@pytest.fixture
def fresh(tmp_path: Path) -> Callable[[list[Chunk]], Any]:
    """What a new collection of these chunks would answer, all of it in memory."""

    def ask(given: list[Chunk]) -> Any:
        from plait.collection import open as open_collection

        with open_collection(tmp_path / "fresh", embedder="hash(dim=32)") as kb:
            kb.clear()
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(kb._keeper, "settle", lambda *given: None)
                kb.add(given)
                assert not segments(kb)
                return answers(kb)

    return ask


def test_few_chunks_stay_in_memory(kb: Collection) -> None:
    kb.add(chunks(0, 3))
    assert segments(kb) == []
    assert files(kb) == set()
    assert kb.describe()["indexed_in_memory"] == 3


def test_more_become_a_segment_and_the_answers_stay(
    kb: Collection, make: Make, fresh: Callable[[list[Chunk]], Any]
) -> None:
    kb.add(chunks(0, 5))
    (segment,) = segments(kb)
    assert segment.rows.count == 5
    assert files(kb) == {segment.name}
    expected = fresh(chunks(0, 5))
    assert answers(kb) == expected
    assert answers(make()) == expected


def test_what_becomes_a_segment_at_once_is_bounded_by_its_size(
    make: Make, monkeypatch: pytest.MonkeyPatch, fresh: Callable[[list[Chunk]], Any]
) -> None:
    kb = make()
    loads: list[int] = []
    build = Gathering.build

    def watched(self: Gathering, alive: Any, metric: Any) -> Any:
        loads.append(len(list(alive)))
        return build(self, alive, metric)

    one = len("cats number 0 of 0") + len('{"even":false}') + 32 * 4  # more or less
    monkeypatch.setattr(Gathering, "build", watched)
    monkeypatch.setattr(gathering, "_LOAD", 10 * one)
    monkeypatch.setattr(keeper, "_READ", 1)
    kb.add(chunks(0, 100))
    assert len(loads) >= 9
    assert max(loads) <= 12
    assert sum(segment.rows.count for segment in segments(kb)) == 100
    assert answers(kb) == fresh(chunks(0, 100))


def test_large_chunks_become_a_segment_sooner(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper, "TAIL", 100)
    monkeypatch.setattr(keeper, "_LOAD", 6000)
    kb = make()
    for n in range(9):  # of 18 letters, with vectors of 128 bytes
        kb.add(chunks(n, n + 1))
    assert segments(kb) == []
    kb.add([Chunk("cats " * 1000, id="long")])  # the newest are about 600 letters now
    assert [segment.rows.count for segment in segments(kb)] == [10]


def test_a_history_of_segments_equals_a_fresh_build(
    kb: Collection, make: Make, fresh: Callable[[list[Chunk]], Any]
) -> None:
    for start in range(0, 35, 5):
        kb.add(chunks(start, start + 5))
    kb.add(chunks(10, 13, "dogs"))  # replaces rows of a segment
    kb.delete(["000", "001", "033"])
    kb.delete(filter={"even": True})
    kb.add(chunks(2, 4, "mice"))
    held = {chunk.id: chunk for chunk in chunks(0, 35) if not chunk.metadata["even"]}
    held |= {chunk.id: chunk for chunk in chunks(10, 13, "dogs") if not chunk.metadata["even"]}
    held |= {chunk.id: chunk for chunk in chunks(2, 4, "mice")}
    for gone in ("001", "033"):
        del held[gone]
    expected = fresh(list(held.values()))
    assert len(segments(kb)) > 1
    assert answers(kb) == expected
    assert answers(make()) == expected
    assert kb.verify() == ()
    kb.compact()
    assert len(segments(kb)) == 1
    assert answers(kb) == expected
    assert answers(make()) == expected
    assert files(kb) == {segments(kb)[0].name}


def test_an_open_snapshot_keeps_its_answers_while_files_go(kb: Collection) -> None:
    kb.add(chunks(0, 9))
    snapshot = kb.snapshot()
    before = [hit.id for hit in snapshot.search("cats", top_k=50)]
    kb.delete(["000"])
    kb._writer._keeper.compact()
    assert [hit.id for hit in snapshot.search("cats", top_k=50)] == before
    snapshot.close()
    assert "000" not in [hit.id for hit in kb.search("cats", top_k=50)]


def test_closing_leaves_what_is_worth_it_in_a_segment(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plait.collection.collection._WORTH_A_SEGMENT", 2)
    kb = make()
    kb.add(chunks(0, 1))
    kb.close()
    kb.close()
    kb = make()
    assert segments(kb) == []
    kb.add(chunks(1, 2))
    kb.close()
    assert [each.rows.count for each in segments(make())] == [2]


@pytest.mark.parametrize("harm", ["gone", "cut", "flipped", "another"])
def test_a_segment_that_cannot_be_used_is_done_without_and_made_anew(
    kb: Collection, make: Make, fresh: Callable[[list[Chunk]], Any], harm: str
) -> None:
    kb.add(chunks(0, 6))
    (segment,) = segments(kb)
    kb.close()
    path = kb._keeper.folder / segment.name
    data = bytearray(path.read_bytes())
    if harm == "gone":
        path.unlink()
    elif harm == "cut":
        path.write_bytes(data[:-5])
    elif harm == "another":
        path.write_bytes(data.replace(b'"chunks": 6', b'"chunks": 5'))
    else:
        place = data.index(b"cats")
        data[place] ^= 1
        path.write_bytes(data)
    again = make()
    assert answers(again) == fresh(chunks(0, 6))
    assert "made anew" in again.search("cats").notes[-1]
    if harm != "gone":
        assert "damaged" in again.search("cats").notes[-1] or harm == "another"
    (told,) = again.verify()
    assert segment.name in told
    again.add(chunks(6, 7))
    assert [each.rows.count for each in segments(again)] == [7]
    assert again.search("cats").notes == again.search("number").notes
    assert not any("anew" in note for note in again.search("cats").notes)
    assert again.verify() == ()
    assert segment.name not in files(again) or harm != "gone"


def test_a_list_of_segments_that_was_changed_gives_no_wrong_answer(
    kb: Collection, make: Make, fresh: Callable[[list[Chunk]], Any]
) -> None:
    kb.add(chunks(0, 6))
    with kb._store.writing() as writing:
        writing.connection.execute("UPDATE segment SET upto = upto - 2")
        writing.connection.execute("UPDATE state SET arrangement = arrangement + 1")
    assert answers(make()) == fresh(chunks(0, 6))


def test_a_full_disk_loses_no_chunk(
    kb: Collection,
    fresh: Callable[[list[Chunk]], Any],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def full(self: Files, path: Path, pieces: Any) -> int:
        raise StoreError(
            f"{path} could not be written: the disk is full", str(path), transient=True
        )

    with monkeypatch.context() as patch:
        patch.setattr(Files, "write", full)
        with caplog.at_level(logging.WARNING, "plait.collection"):
            assert kb.add(chunks(0, 6)) == 6
        assert "the disk is full" in caplog.text
        assert segments(kb) == []
        assert answers(kb) == fresh(chunks(0, 6))
        with pytest.raises(StoreError, match="the disk is full"):
            kb.compact()
    kb.add(chunks(6, 7))
    assert [each.rows.count for each in segments(kb)] == [7]


def test_while_another_process_works_on_them_one_goes_on_without(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = make(lock_timeout=0.05)
    kb.add(chunks(0, 5))
    with FileLock(kb._keeper.folder / "lock").held() as free:
        assert free
        kb.add(chunks(5, 10))
        assert [each.rows.count for each in segments(kb)] == [5]
        with pytest.raises(LockedError, match="another process that writes segments"):
            kb.compact()
    kb.add(chunks(10, 11))
    assert [each.rows.count for each in segments(kb)] == [5, 6]


def test_another_embedder_has_its_segments_before_it_is_used(kb: Collection) -> None:
    kb.add(chunks(0, 9))
    kb.reembed("hash(dim=64)")
    (segment,) = segments(kb)
    assert segment.vectors is not None
    assert segment.vectors.dim == 64
    assert len(files(kb)) <= 3  # the old ones are those of the list before
    kb.compact()
    assert len(files(kb)) == 1


def test_clearing_takes_every_segment_off(kb: Collection) -> None:
    kb.add(chunks(0, 9))
    kb.clear()
    assert segments(kb) == []
    kb.add(chunks(0, 2, "dogs"))
    assert [hit.id for hit in kb.search("cats dogs", legs=["bm25"])] == ["000", "001"]


def test_a_file_that_nobody_lists_is_removed(kb: Collection) -> None:
    kb.add(chunks(0, 5))
    (kb._keeper.folder / "left-by-a-kill.segment.unfinished").write_bytes(b"half")
    kb.add(chunks(5, 10))
    assert files(kb) == {each.name for each in segments(kb)}


def test_codes_are_calibrated_once_there_is_enough(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "_WORTH_CODES", 10)
    kb = make(embedder=None)
    draw = np.random.default_rng(0)
    vectors = draw.normal(size=(60, 16)).astype(np.float32)
    kb.add([Chunk(f"c {n}", id=f"{n:02}", embedding=vectors[n]) for n in range(60)])
    described = kb.describe()["calibration"]
    assert described["count"] == 60
    assert described["candidates"] is None  # so few are all compared
    found = kb.search(Query(embedding=vectors[7]), top_k=1)
    assert found[0].id == "07"


def test_a_row_whose_chunks_all_died_needs_no_segment(kb: Collection) -> None:
    kb.add(chunks(0, 6))
    kb.delete([chunk.id for chunk in chunks(0, 6) if chunk.id])
    kb.compact()
    assert segments(kb) == []
    assert files(kb) == set()
    kb.add(chunks(0, 5))
    assert len(segments(kb)) == 1


def test_what_cannot_be_read_right_after_it_was_written_is_told_once(
    kb: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plait.collection.segments.segment.LAYOUT", -1)
    assert kb.add(chunks(0, 6)) == 6
    assert len(kb.search("cats", top_k=50)) == 6
    with pytest.raises(StoreError, match="written a moment ago cannot be read"):
        kb.compact()


def test_a_damage_that_another_process_has_mended_is_forgotten(make: Make) -> None:
    """Else each chunk that is added would become a segment of its own."""
    one, other = make(), make()
    one.add(chunks(0, 8))
    (name,) = files(one)
    (one._keeper.folder / name).unlink()
    with make() as third:
        third.search("cats")  # finds it missing, as the next one does
        other.search("cats")
        third.add(chunks(8, 9))
    before = files(other)
    for n in range(9, 12):
        other.add(chunks(n, n + 1))
    assert files(other) == before
    assert not other._keeper.distrusted


def test_only_deletions_that_were_not_seen_are_read(
    kb: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    every = Reading.deletions_after

    def watched(self: Reading, number: int) -> Any:
        found = every(self, number)
        read.append(len(found))
        return found

    monkeypatch.setattr(Reading, "deletions_after", watched)
    kb.add(chunks(0, 8))
    kb.search("cats")
    for name in ("001", "002", "003"):
        kb.delete([name])
        read.clear()
        assert name not in [hit.id for hit in kb.search("cats", top_k=10)]
        assert read == [1]


def test_damage_that_shows_again_in_what_was_just_made_is_told_once(
    kb: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb.add(chunks(0, 5))
    kb.add(chunks(5, 10))

    def damaged(group: list[Segment]) -> None:
        path = kb._keeper.folder / group[0].name
        raise IndexFormatError(f"{path} is damaged", str(path))

    monkeypatch.setattr(keeper, "merge", damaged)
    with pytest.raises(StoreError, match="written a moment ago cannot be read"):
        kb.compact()
    assert len(kb.search("cats", top_k=50)) == 10


def test_a_small_tail_is_not_counted_after_each_commit(kb: Collection) -> None:
    kb.add(chunks(0, 5))
    asked: list[str] = []
    with kb._store.reading() as reading:
        reading.connection.set_trace_callback(asked.append)
        try:
            assert not reading.is_uncovered(4)
        finally:
            reading.connection.set_trace_callback(None)
    assert not any("FROM chunk" in statement for statement in asked)
    kb.add(chunks(5, 8))
    with kb._store.reading() as reading:
        assert not reading.is_uncovered(4)
        assert reading.is_uncovered(3)


def test_a_calibration_that_was_changed_is_not_gone_by(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "_WORTH_CODES", 10)
    kb = make()
    kb.add(chunks(0, 20))
    assert kb.describe()["calibration"]["count"] == 20
    with kb._store.writing() as writing:
        writing.connection.execute("UPDATE calibration SET value = replace(value, '20', '10')")
    assert kb.describe()["calibration"] is None
    kb.compact()
    assert kb.describe()["calibration"]["count"] == 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_does_not_wait_for_what_its_parent_was_doing(kb: Collection) -> None:
    kb.add(chunks(0, 6))
    with kb._keeper._lock, kb._live._lock:  # another thread, in the middle of it
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            try:
                kb.add(chunks(6, 12))
                found = len(kb.search("cats", top_k=50))
                os._exit(0 if (found, len(segments(kb))) == (12, 2) else 1)
            finally:
                os._exit(2)
        _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
