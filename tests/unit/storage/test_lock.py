"""FileLock: one holder at a time, in threads, in processes, through forks and kills."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from plait.errors import StoreError
from plait.storage import FileLock, lock

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def is_free(path: Path) -> bool:
    with FileLock(path).held() as free:
        return free


def in_child(work: Callable[[], bool]) -> bool:
    """What a forked child finds."""
    child = os.fork()
    if child == 0:
        code = 2
        try:
            code = int(work())
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, 1)
    return bool(code)


def test_it_has_one_holder(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    same = FileLock(path)
    with same.held() as free:
        assert free
        assert not is_free(path)
        with same.held() as again:
            assert not again
        assert not is_free(path)  # who did not get it did not let go of it
    assert is_free(path)
    with pytest.raises(KeyError), same.held():
        raise KeyError
    assert is_free(path)
    assert lock._files == set()


def test_threads_take_turns(tmp_path: Path) -> None:
    inside, most, turns = 0, 0, 0

    def work() -> None:
        nonlocal inside, most, turns
        with FileLock(tmp_path / "lock").held(60) as free:
            assert free
            inside += 1
            most = max(most, inside)
            turns += 1
            inside -= 1

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (most, turns) == (1, 8)


def test_it_is_waited_for_so_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr("time.sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    with FileLock(tmp_path / "lock").held(), FileLock(tmp_path / "lock").held(2.0) as free:
        assert not free
        assert 102.0 <= now[0] < 102.1


def test_it_is_had_as_soon_as_it_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = FileLock(tmp_path / "lock").held()
    assert first.__enter__()
    monkeypatch.setattr("time.sleep", lambda _: first.__exit__(None, None, None))
    with FileLock(tmp_path / "lock").held(60) as free:
        assert free


def test_another_process_has_it_until_it_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    script = (
        "import sys\nfrom pathlib import Path\nfrom plait.storage import FileLock\n"
        "with FileLock(Path(sys.argv[1])).held() as free:\n"
        "    print(free, flush=True)\n    sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        assert not is_free(path)
        process.kill()
        process.wait()
        assert is_free(path)


@forks
class TestAFork:
    def test_a_child_does_not_hold_it(self, tmp_path: Path) -> None:
        path = tmp_path / "lock"
        with FileLock(path).held() as free:
            assert free
            assert not in_child(lambda: is_free(path))
        assert in_child(lambda: is_free(path))

    def test_a_child_that_leaves_the_block_does_not_let_go_of_it(self, tmp_path: Path) -> None:
        path = tmp_path / "lock"
        held = FileLock(path).held()
        assert held.__enter__()

        def leave() -> bool:
            held.__exit__(None, None, None)
            return True

        assert in_child(leave)
        assert not is_free(path)
        held.__exit__(None, None, None)
        assert is_free(path)

    def test_a_child_can_lock_what_it_likes(self, tmp_path: Path) -> None:
        held = FileLock(tmp_path / "parent").held()
        assert held.__enter__()

        def work() -> bool:
            with FileLock(tmp_path / "child").held() as free:  # with the number of the other file
                held.__exit__(None, None, None)
                return free and not is_free(tmp_path / "child")

        assert in_child(work)
        held.__exit__(None, None, None)

    def test_a_child_does_not_keep_what_a_dead_parent_held(self, tmp_path: Path) -> None:
        path = tmp_path / "lock"
        ready, tell = os.pipe()
        wait, go = os.pipe()
        parent = os.fork()
        if parent == 0:
            try:
                with FileLock(path).held() as free:
                    if os.fork() == 0:
                        os.close(go)
                        os.write(tell, b"1" if free else b"0")
                        os.read(wait, 1)  # lives on until the test ends
                    else:
                        signal.pause()
            finally:
                os._exit(1)
        os.close(wait)
        try:
            assert os.read(ready, 1) == b"1"
            assert not is_free(path)
            os.kill(parent, signal.SIGKILL)
            os.waitpid(parent, 0)
            assert is_free(path)
        finally:
            for handle in (ready, tell, go):
                os.close(handle)

    def test_while_other_threads_take_and_leave_it(self, tmp_path: Path) -> None:
        done = threading.Event()

        def work() -> None:
            while not done.is_set():
                with FileLock(tmp_path / "lock").held():
                    pass

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(20):
                assert in_child(lambda: lock._files == set() and is_free(tmp_path / "other"))
        finally:
            done.set()
            for thread in threads:
                thread.join()


def test_where_there_are_no_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(lock, "_lock", unknown)
    with (
        pytest.raises(StoreError, match="lock cannot be locked: No locks available"),
        FileLock(tmp_path / "lock").held(),
    ):
        pass
    assert lock._files == set()


def test_where_it_cannot_be_made(tmp_path: Path) -> None:
    path = tmp_path / "none" / "lock"
    with pytest.raises(StoreError, match="cannot be locked"), FileLock(path).held():
        pass
