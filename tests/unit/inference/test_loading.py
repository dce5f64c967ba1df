"""Model files: found in a package, checked, loaded once."""

import hashlib
import os
import threading
from importlib import metadata
from pathlib import Path

import pytest

from plait.errors import ConfigurationError, MissingDependencyError
from plait.inference import OncePerProcess, PackagedFiles, digest, loading, require


class Package:
    """An installed package in a folder."""

    def __init__(self, folder):
        self.folder = folder

    def locate_file(self, name):
        return self.folder / name


@pytest.fixture
def package(tmp_path, monkeypatch):
    (tmp_path / "one.bin").write_bytes(b"one")
    (tmp_path / "two.bin").write_bytes(b"two")
    monkeypatch.setattr(metadata, "distribution", lambda name: Package(tmp_path))
    monkeypatch.setattr(metadata, "version", lambda name: "9.9")
    return tmp_path


def files(**changes):
    fields = {
        "distribution": "weights",
        "version": "1.0",
        "extra": "some",
        "purpose": "the embedder 'some'",
        "names": ("one.bin", "two.bin"),
        "expected": f"sha256:{hashlib.sha256(b'onetwo').hexdigest()}",
    }
    return PackagedFiles(**(fields | changes))


class TestPackagedFiles:
    def test_the_right_files_are_found(self, package):
        assert files().verify() == (package / "one.bin", package / "two.bin")

    @pytest.mark.parametrize("change", [b"two!", b"owt"])
    def test_other_bytes_are_refused_with_what_to_run(self, package, change):
        assert files().verify()
        (package / "two.bin").write_bytes(change)
        os.utime(package / "two.bin", ns=(1, 1))
        assert files().find()
        with pytest.raises(ConfigurationError) as raised:
            files().verify()
        assert "weights 9.9 has other files" in str(raised.value)
        assert "--no-deps 'weights==1.0'" in str(raised.value)

    def test_a_file_that_is_gone_is_named(self, package):
        (package / "two.bin").unlink()
        with pytest.raises(ConfigurationError, match=r"weights 9\.9 has no file .*two\.bin"):
            files().find()

    def test_a_package_that_is_not_there(self):
        with pytest.raises(
            MissingDependencyError, match=r"no-such-package .*pip install 'plait\[some\]'"
        ):
            files(distribution="no-such-package").find()


class TestDigest:
    def test_of_files_one_after_the_other(self, package):
        expected = f"sha256:{hashlib.sha256(b'twoone').hexdigest()}"
        assert digest([package / "two.bin", package / "one.bin"]) == expected

    def test_the_same_files_are_read_once(self, package, monkeypatch):
        first = digest([package / "one.bin"])
        monkeypatch.setattr(Path, "open", lambda *_: pytest.fail("read again"))
        assert digest([package / "one.bin"]) == first


class TestRequire:
    def test_what_is_there_passes(self):
        require("numpy", extra="x", purpose="y")

    def test_what_is_not_is_named(self):
        with pytest.raises(MissingDependencyError, match=r"pip install 'plait\[x\]'"):
            require("no_such_module", extra="x", purpose="y")


class TestOncePerProcess:
    def test_is_made_when_needed_and_once(self):
        made = []
        once = OncePerProcess(lambda: made.append(1) or object())
        assert made == []
        assert once.get() is once.get()
        assert made == [1]

    def test_32_threads_get_the_same(self):
        made, got = [], []
        barrier = threading.Barrier(32)

        def make():
            made.append(1)
            return object()

        once = OncePerProcess(make)

        def ask():
            barrier.wait()
            got.append(once.get())

        threads = [threading.Thread(target=ask) for _ in range(32)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (len(made), len(set(map(id, got)))) == (1, 1)

    def test_a_failure_is_not_kept(self):
        answers = iter([ConfigurationError("damaged"), "model"])

        def make():
            answer = next(answers)
            if isinstance(answer, Exception):
                raise answer
            return answer

        once = OncePerProcess(make)
        with pytest.raises(ConfigurationError, match="damaged"):
            once.get()
        assert once.get() == "model"

    def test_a_forked_process_makes_its_own_whoever_held_the_lock(self):
        made = []
        once = OncePerProcess(lambda: made.append(1) or len(made))
        assert once.get() == 1
        once._lock.acquire()
        loading._after_fork()  # what the child runs first
        assert once.get() == 2
