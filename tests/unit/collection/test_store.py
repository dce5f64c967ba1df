"""Transactions: who sees what, who waits for whom, and files that only can be read."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from plait.collection.connections import Connections
from plait.collection.reading import Reading
from plait.collection.rows import encode
from plait.collection.store import Pin, Store
from plait.collection.writing import Writing
from plait.errors import ConfigurationError, IndexFormatError, LockedError, StoreError
from plait.types import Chunk


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kb" / "default.plait"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    path.parent.mkdir()
    made = Store(path, timeout=0.05)
    yield made
    made.close()


def put(store: Store, *texts: str) -> None:
    with store.writing() as writing:
        writing.put([encode(Chunk(text, id=text)) for text in texts])


def test_a_new_file_gets_its_tables_with_the_first_write(store: Store) -> None:
    assert not store.is_made()
    put(store, "a")
    assert store.is_made()
    with store.reading() as reading:
        assert reading.count() == 1
        assert reading.state().generation == 1


def test_a_write_that_raises_leaves_nothing(store: Store) -> None:
    put(store, "a")

    def break_off() -> None:
        with store.writing() as writing:
            writing.put([encode(Chunk("b", id="b"))])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        break_off()
    with store.reading() as reading:
        assert list(reading.chunks(["a", "b"])) == ["a"]
        assert reading.state().generation == 1


def test_only_what_a_query_can_find_counts_as_a_generation(store: Store) -> None:
    put(store, "a")
    put(store, "a")  # as it is stored
    with store.writing() as writing:
        writing.put_settings({"x": "y"})
        assert writing.delete(["nobody"]) == 0
    with store.reading() as reading:
        assert reading.state().generation == 1


def test_a_reader_sees_one_state_and_the_next_reader_the_commit(store: Store) -> None:
    put(store, "a")
    with store.reading() as old:
        assert old.count() == 1
        put(store, "b")
        assert old.count() == 1
        with store.reading() as new:
            assert new.count() == 2


def test_a_second_writer_waits_and_then_gives_up(store: Store, path: Path) -> None:
    put(store, "a")
    other = Store(path, timeout=0.05)
    with store.writing(), pytest.raises(LockedError, match="stayed locked by another writer"):
        put(other, "b")
    put(other, "b")
    other.close()


def test_a_second_writer_that_waits_long_enough_goes_on(store: Store, path: Path) -> None:
    put(store, "a")
    other = Store(path, timeout=10)
    holding = threading.Event()

    def hold() -> None:
        with store.writing() as writing:
            writing.put([encode(Chunk("b", id="b"))])
            holding.set()
            release.wait(5)

    release = threading.Event()
    thread = threading.Thread(target=hold)
    thread.start()
    holding.wait(5)
    threading.Timer(0.05, release.set).start()
    put(other, "c")
    thread.join()
    with other.reading() as reading:
        assert reading.count() == 3
        assert reading.state().generation == 3
    other.close()


def test_what_is_not_a_database_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"not a database, but long enough to be read as one" * 100)
    for read_only in (False, True):
        with pytest.raises(IndexFormatError, match=r"default\.plait is damaged") as caught:
            Store(path, read_only=read_only)
        assert caught.value.path == str(path)


def test_a_full_disk_keeps_nothing_of_the_write(store: Store) -> None:
    put(store, "a")

    def fill() -> None:
        with store.writing() as writing:
            pages = writing.connection.execute("PRAGMA page_count").fetchone()[0]
            writing.connection.execute(f"PRAGMA max_page_count = {pages}")
            writing.put([encode(Chunk("long " * 9999, id="b"))])

    with pytest.raises(StoreError, match="the disk is full") as caught:
        fill()
    assert caught.value.transient
    with store.reading() as reading:
        assert list(reading.chunks(["a", "b"])) == ["a"]


def test_switching_to_wal_waits_for_whoever_has_the_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite itself does not wait here."""
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(LockedError):
            Store(path, timeout=0.05)
        tries: list[float] = []

        def nap(seconds: float) -> None:
            tries.append(seconds)
            if len(tries) == 2:
                holder.execute("ROLLBACK")

        monkeypatch.setattr("plait.collection.store.time.sleep", nap)
        monkeypatch.setattr("plait.collection.connections.sqlite3.connect", impatient)
        Store(path, timeout=60).close()
    assert len(tries) == 2


CONNECT = sqlite3.connect


def impatient(*args: object, **given: object) -> sqlite3.Connection:
    return CONNECT(*args, **{**given, "timeout": 0})  # type: ignore[call-overload, no-any-return]


class TestReadOnly:
    def test_it_reads_and_never_writes(self, store: Store, path: Path) -> None:
        put(store, "a")
        reader = Store(path, read_only=True)
        with reader.reading() as reading:
            assert reading.count() == 1
        with pytest.raises(ConfigurationError, match="read_only=True; open it without"):
            put(reader, "b")
        put(store, "b")
        with reader.reading() as reading:
            assert reading.count() == 2
        reader.close()

    def test_nothing_to_read(self, path: Path) -> None:
        with pytest.raises(ConfigurationError, match="does not exist"):
            Store(path, read_only=True)
        path.parent.mkdir()
        path.touch()
        with pytest.raises(ConfigurationError, match="is empty"):
            Store(path, read_only=True)
        assert path.stat().st_size == 0

    def _without_side_files(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """As on read-only media: SQLite can open the file, but none of the files beside it."""
        connect = sqlite3.connect

        def refuse(address: str, **given: object) -> sqlite3.Connection:
            if "immutable" not in address:
                error = sqlite3.OperationalError("unable to open database file")
                error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
                raise error
            return connect(address, **given)  # type: ignore[call-overload, no-any-return]

        monkeypatch.setattr(sqlite3, "connect", refuse)

    def test_where_no_side_file_can_be_made(
        self, store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(store, "a")
        store.close()
        self._without_side_files(monkeypatch)
        reader = Store(path, read_only=True)
        with reader.reading() as reading:
            assert reading.count() == 1
        assert [each.name for each in path.parent.iterdir()] == [path.name]
        os.utime(path, ns=(1, 1))
        with pytest.raises(StoreError, match="has been changed; open it again"), reader.reading():
            pass
        with pytest.raises(StoreError, match="has been changed"):
            reader.pin()
        reader.close()

    def test_commits_in_a_log_that_cannot_be_read_are_not_passed_over(
        self, store: Store, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(store, "a")
        copy = tmp_path / "copy" / path.name
        shutil.copytree(path.parent, copy.parent)  # with the log, as of a process that was killed
        assert copy.with_name(f"{path.name}-wal").stat().st_size > 0
        self._without_side_files(monkeypatch)
        with pytest.raises(StoreError, match=r"commits in default\.plait-wal"):
            Store(copy, read_only=True)

    @pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs users and file modes")
    def test_a_folder_that_cannot_be_written(self, store: Store, path: Path) -> None:
        """Really, as a user that may only read; root may write anything, so root steps down."""
        put(store, "a")
        store.close()
        folder = path.parent
        path.chmod(0o444)
        folder.chmod(0o555)
        for parent in (folder.parent, *folder.parent.parents):
            if parent.stat().st_uid == os.geteuid():
                parent.chmod(parent.stat().st_mode | 0o555)
        program = (
            "import os, sys\n"
            "from plait.collection.store import Store\n"
            "from pathlib import Path\n"
            "if os.geteuid() == 0: os.setgid(65534); os.setuid(65534)\n"
            "store = Store(Path(sys.argv[1]), read_only=True)\n"
            "with store.reading() as reading: print(reading.count())\n"
            "store.close()\n"
        )
        try:
            done = subprocess.run(
                [sys.executable, "-c", program, str(path)],
                capture_output=True,
                text=True,
                check=False,
            )
        finally:
            folder.chmod(0o755)
        assert done.stdout.strip() == "1", done.stderr
        assert [each.name for each in folder.iterdir()] == [path.name]


class TestPin:
    def test_it_keeps_its_state_until_renewed(self, store: Store) -> None:
        put(store, "a")
        pin = store.pin()
        with pin.reading() as reading:
            assert reading.count() == 1
        put(store, "b")
        with pin.reading() as reading:
            assert reading.count() == 1
        pin.renew()
        with pin.reading() as reading:
            assert reading.count() == 2
        pin.close()

    def test_closed_it_says_so_and_closing_again_does_nothing(self, store: Store) -> None:
        put(store, "a")
        pin: Pin = store.pin(long=True)
        pin.close()
        pin.close()
        with pytest.raises(StoreError, match=r"this view of .* is closed"), pin.reading():
            pass

    def test_errors_of_sqlite_are_translated(self, store: Store) -> None:
        put(store, "a")
        pin = store.pin()
        with pytest.raises(IndexFormatError, match="no such table"), pin.reading() as reading:
            reading.connection.execute("SELECT * FROM missing")
        pin.close()


class TestVacuum:
    def test_deleted_text_is_gone_from_every_file(self, store: Store, path: Path) -> None:
        put(store, "stays here", "confidential words", *map(str, range(1000)))
        with store.writing() as writing:
            # Some builds of SQLite overwrite what is deleted at once; not all.
            writing.connection.execute("PRAGMA secure_delete = OFF")
            writing.delete(["confidential words", *map(str, range(1000))])
            writing.prune()
        with store.reading() as reading:
            reading.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        assert b"confidential" in path.read_bytes()
        before = store.size()
        store.vacuum()
        assert b"confidential" not in everything(path)
        assert b"stays here" in everything(path)
        assert store.size() < before / 2

    @pytest.mark.parametrize(
        ("delete", "rewritten"),
        [
            (lambda writing: writing.put([encode(Chunk("more", id="more"))]), False),
            (lambda writing: writing.prune(), False),
            (lambda writing: writing.delete(["no such chunk"]), False),
            (lambda writing: writing.delete(["text"]), True),
            (lambda writing: writing.put([encode(Chunk("other", id="text"))]), True),
            (lambda writing: writing.clear(), True),
            (lambda writing: writing.put_document("d", "docs", "d", "new", "c", []), True),
            (lambda writing: writing.put_settings({"a": "new"}), True),
        ],
    )
    def test_the_file_is_rewritten_once_if_something_was_deleted(
        self, store: Store, delete: Callable[[Writing], object], rewritten: bool
    ) -> None:
        def rewrites() -> int:
            with store.reading() as reading:
                (count,) = reading.connection.execute("PRAGMA schema_version").fetchone()
                return int(count)

        put(store, "text")
        with store.writing() as writing:
            writing.put_settings({"a": "old"})
            writing.put_document("d", "docs", "d", "old", "c", [])
        before = rewrites()
        store.vacuum()
        assert rewrites() == before
        with store.writing() as writing:
            delete(writing)
        store.vacuum()
        after = rewrites()
        assert (after > before) == rewritten
        store.vacuum()
        assert rewrites() == after

    def test_an_open_view_keeps_the_text_and_that_is_said(self, store: Store, path: Path) -> None:
        put(store, "confidential words")
        pin = store.pin()
        with pin.reading() as reading:
            assert reading.count() == 1
        with store.writing() as writing:
            writing.delete(["confidential words"])
        with pytest.raises(LockedError, match="a reader still holds an older state"):
            store.vacuum()
        pin.close()
        store.vacuum()
        assert b"confidential" not in everything(path)

    def test_it_waits_for_another_checkpoint(
        self, store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(store, "confidential words")
        with store.writing() as writing:
            writing.delete(["confidential words"])
        lend = Connections.lend
        answers = [(1, 0, 0), (1, 0, 0)]  # busy twice, as while another process folds its log

        class Busy:
            def __init__(self, connection: sqlite3.Connection) -> None:
                self.connection = connection

            def execute(self, statement: str, values: tuple[int, ...] = ()) -> Any:
                if "wal_checkpoint" in statement and answers:
                    return self.connection.execute("SELECT ?, ?, ?", answers.pop())
                return self.connection.execute(statement, values)

        @contextmanager
        def busy(self: Connections) -> Iterator[Any]:
            with lend(self) as connection:
                yield Busy(connection)

        with monkeypatch.context() as patched:
            patched.setattr(Connections, "lend", busy)
            store.vacuum()
        assert answers == []
        assert b"confidential" not in everything(path)

    def test_the_size_counts_the_log(self, store: Store, path: Path) -> None:
        put(store, "a" * 50_000)
        assert store.size() == len(everything(path)) - shared_memory(path)


def everything(path: Path) -> bytes:
    return b"".join(each.read_bytes() for each in sorted(path.parent.iterdir()))


def shared_memory(path: Path) -> int:
    return path.with_name(f"{path.name}-shm").stat().st_size


def test_many_processes_making_one_file_agree(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from plait.collection.store import Store\n"
        "from pathlib import Path\n"
        "store = Store(Path(sys.argv[1]))\n"
        "with store.writing() as writing: writing.put_settings({sys.argv[2]: 'x'})\n"
        "store.close()\n"
    )
    path = tmp_path / "one.plait"
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(path), str(number)])
        for number in range(4)
    ]
    assert [each.wait() for each in running] == [0] * 4
    with closing(sqlite3.connect(path)) as connection:
        assert Reading(connection, path).settings() == dict.fromkeys("0123", "x")


class TestRemoving:
    def test_what_holds_something_stays(self, store: Store, path: Path) -> None:
        put(store, "a")
        assert not store.remove_if_empty()
        with closing(Store(path)) as again, again.reading() as reading:
            assert reading.count() == 1

    def test_what_is_empty_is_removed_with_its_log(self, store: Store, path: Path) -> None:
        put(store)
        assert store.remove_if_empty()
        assert not list(path.parent.iterdir())

    def test_a_writer_that_waited_meanwhile_is_told_and_not_acknowledged(
        self, store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(store)
        waiting = threading.Event()
        outcome: list[BaseException | str] = []

        def write() -> None:
            with closing(Store(path, timeout=10)) as other:
                # The file is still there when it is looked at; then the lock is waited for.
                lend = other._connections.lend

                @contextmanager
                def lent() -> Iterator[sqlite3.Connection]:
                    with lend() as connection:
                        waiting.set()
                        yield connection

                monkeypatch.setattr(other._connections, "lend", lent)
                try:
                    put(other, "b")
                    outcome.append("acknowledged")
                except StoreError as error:
                    outcome.append(error)

        writer = threading.Thread(target=write)
        unlink = Path.unlink

        def unlink_slowly(file: Path, missing_ok: bool = False) -> None:
            if not writer.ident:
                writer.start()
                assert waiting.wait(10)
            unlink(file, missing_ok=missing_ok)

        monkeypatch.setattr(Path, "unlink", unlink_slowly)
        assert store.remove_if_empty()
        writer.join(10)
        assert isinstance(outcome[0], StoreError)
        assert "was removed or replaced" in str(outcome[0])
