"""Where paths lie below their roots."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plait.collection.places import Place, out_of_reach, within
from plait.ingest import Skipped


def test_what_lies_in_a_place() -> None:
    whole, part, file = (
        Place("docs", "/x/docs", relative) for relative in (".", "billing", "plans.txt")
    )
    assert whole.holds("a/b/c.md")
    assert part.holds("billing/refunds.md")
    assert not part.holds("billing.md")
    assert not part.holds("billing-old/refunds.md")
    assert file.holds("plans.txt")
    assert not file.holds("plans.txt.md")
    assert whole.below("/x/docs/a/b.md") == "a/b.md"
    assert whole.below("/x/docs") == "."
    assert whole.below("/x/other") is None


def test_a_folder_is_its_own_root_and_a_file_has_that_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").touch()
    assert Place.of(folder, None) == Place("docs", str(folder), ".")
    assert Place.of(folder / "a.txt", None) == Place("docs", str(folder), "a.txt")
    assert Place.of(folder / "a.txt", tmp_path).relative == "docs/a.txt"


def test_within() -> None:
    assert within("a/b", "a")
    assert within("a", "a")
    assert within("a", ".")
    assert not within("ab", "a")
    assert not within("a", "a/b")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_what_can_be_read_or_is_gone_is_not_out_of_reach(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text")
    (tmp_path / "empty.txt").touch()
    os.mkfifo(tmp_path / "pipe.txt")  # opening it would wait for ever
    for name in (".", "a.txt", "empty.txt", "pipe.txt", "nothing.txt"):
        assert not out_of_reach(Skipped(str(tmp_path / name), None, "whatever"))


def test_what_fails_to_be_read_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(path: object, *_: object) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "a.txt").write_text("text")
    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(os, "listdir", refuse)
    assert out_of_reach(Skipped(str(tmp_path / "a.txt"), None, "cannot be read"))
    assert out_of_reach(Skipped(str(tmp_path), None, "cannot be read"))
    assert not out_of_reach(Skipped(str(tmp_path / "a.txt"), 3, "no text"))  # a line, not the file
