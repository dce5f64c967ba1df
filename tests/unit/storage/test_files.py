"""Files: whole or not at all, with errors that name the file."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plait.errors import StoreError
from plait.storage import Files, write_arrays


def failing(code: int) -> Any:
    def fail(*_: Any, **__: Any) -> Any:
        raise OSError(code, os.strerror(code))

    return fail


def test_a_file_is_its_pieces(tmp_path: Path) -> None:
    assert Files().write(tmp_path / "x", [b"ab", memoryview(b"cd"), b""]) == 4
    assert (tmp_path / "x").read_bytes() == b"abcd"
    assert Files().names(tmp_path) == {"x"}


class TestADiskThatFails:
    @pytest.mark.parametrize(
        ("code", "what", "transient"),
        [
            (errno.ENOSPC, "the disk is full", True),
            (errno.EDQUOT, "the disk is full", True),
            (errno.EIO, os.strerror(errno.EIO), False),
            (errno.EROFS, os.strerror(errno.EROFS), False),
        ],
    )
    def test_is_told_with_the_name_of_the_file(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        code: int,
        what: str,
        transient: bool,
    ) -> None:
        monkeypatch.setattr(os, "fsync", failing(code))
        with pytest.raises(StoreError) as caught:
            Files().write(tmp_path / "x", [b"ab"])
        assert str(caught.value) == f"{tmp_path / 'x'} could not be written: {what}"
        assert caught.value.store == str(tmp_path / "x")
        assert caught.value.transient is transient
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
    def test_because_it_is_really_full(self, tmp_path: Path) -> None:
        (tmp_path / "x.unfinished").symlink_to("/dev/full")
        arrays = {"n": np.arange(100_000, dtype="<u4")}
        with pytest.raises(StoreError, match="x could not be written: the disk is full"):
            write_arrays(tmp_path / "x", arrays, meta={}, files=Files())
        assert list(tmp_path.iterdir()) == []

    def test_when_the_name_is_synced(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Files, "_sync_folder", failing(errno.EIO))
        with pytest.raises(StoreError, match="could not be written"):
            Files().write(tmp_path / "x", [b"ab"])
        assert list(tmp_path.iterdir()) == []

    def test_and_cannot_remove_either(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(os, "fsync", failing(errno.ENOSPC))
        monkeypatch.setattr(Path, "unlink", failing(errno.EIO))
        with pytest.raises(StoreError, match="the disk is full"):
            Files().write(tmp_path / "x", [b"ab"])

    @pytest.mark.parametrize(
        ("call", "method", "message"),
        [
            (Files().names, "os.listdir", "could not be listed"),
            (Files().remove, "pathlib.Path.unlink", "could not be removed"),
            (Files().remove_folder, "pathlib.Path.rmdir", "could not be removed"),
            (Files().make_folder, "pathlib.Path.mkdir", "could not be made"),
        ],
    )
    def test_whatever_is_done(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        call: Any,
        method: str,
        message: str,
    ) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(method, failing(errno.EIO))
            with pytest.raises(StoreError, match=f"x {message}: {os.strerror(errno.EIO)}"):
                call(tmp_path / "x")


def test_what_stops_halfway_leaves_nothing(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"ab"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Files().write(tmp_path / "x", pieces())
    assert list(tmp_path.iterdir()) == []


def test_there_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="could not be written"):
        Files().write(tmp_path / "none" / "x", [b""])
    assert Files().names(tmp_path / "none") == set()


def test_folders(tmp_path: Path) -> None:
    files, folder = Files(), tmp_path / "here"
    files.make_folder(folder)
    files.make_folder(folder)
    files.write(folder / "x", [b"a"])
    files.remove_folder(folder)  # it is not empty, and stays
    assert files.names(folder) == {"x"}
    assert files.remove(folder / "x")
    assert files.remove(folder / "x")  # gone is gone
    files.remove_folder(folder)
    files.remove_folder(folder)
    assert not folder.exists()


def test_a_file_that_is_in_use_may_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Files().write(tmp_path / "x", [b"a"])
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", failing(errno.EACCES))
        assert not Files().remove(tmp_path / "x")
    assert Files().names(tmp_path) == {"x"}
