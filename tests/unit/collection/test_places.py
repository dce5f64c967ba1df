"""Where paths lie below their roots."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plait.collection.places import Place, below, find, out_of_reach, rooted, within
from plait.ingest import Skipped


def test_what_lies_in_a_place() -> None:
    whole, part, file = (
        Place("docs", "/x/docs", relative) for relative in (".", "billing", "plans.txt")
    )
    assert whole.part_of("docs", "/x/docs") == "."
    assert part.part_of("docs", "/x/docs") == "billing"
    # Of other roots: one inside it, one around it, one elsewhere.
    assert whole.part_of("cards", "/x/docs/billing/cards") == "."
    assert part.part_of("x", "/x") == "docs/billing"
    assert file.part_of("x", "/x") == "docs/plans.txt"
    assert part.part_of("old", "/x/docs/billing-old") is None


def test_a_folder_is_its_own_root_and_a_file_has_that_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    file = folder / "a.txt"
    file.touch()
    assert rooted([folder, file], None, {}) == [(folder, folder), (file, folder)]
    assert rooted([file], None, {}) == [(file, folder)]
    assert rooted([file], tmp_path, {"docs": str(folder)}) == [(file, tmp_path)]
    assert Place.of(folder, folder) == Place("docs", str(folder), ".")
    assert Place.of(file, tmp_path).relative == "docs/a.txt"


def test_a_path_belongs_to_the_nearest_known_root_and_to_the_widest_given_folder(
    tmp_path: Path,
) -> None:
    wide, docs, sub, other = (tmp_path / name for name in ("w", "w/docs", "w/docs/sub", "other"))
    sub.mkdir(parents=True)
    other.mkdir()
    known = {"w": str(wide), "docs": str(docs), "gone": str(tmp_path / "gone")}
    assert rooted([sub, other], None, known) == [(sub, docs), (other, other)]
    assert rooted([sub, docs], None, {}) == [(sub, docs), (docs, docs)]
    assert rooted([sub, docs], None, {"sub": str(sub)}) == [(sub, docs), (docs, docs)]
    assert rooted([wide, docs], None, known) == [(wide, wide), (docs, wide)]
    link = tmp_path / "link"
    link.symlink_to(docs, target_is_directory=True)
    assert rooted([link / "sub"], None, known) == [(sub, docs)]
    assert rooted([link], None, known) == [(docs / ".", docs)]


def test_where_a_path_lies_below_a_folder(tmp_path: Path) -> None:
    (tmp_path / "docs" / "a").mkdir(parents=True)
    (tmp_path / "far").mkdir()
    (tmp_path / "alias").symlink_to(tmp_path / "docs", target_is_directory=True)
    (tmp_path / "docs" / "link").symlink_to(tmp_path / "far", target_is_directory=True)
    assert below(tmp_path / "docs" / "a", tmp_path / "docs") == "a"
    assert below(tmp_path / "docs", tmp_path / "docs") == "."
    assert below(tmp_path / "docs" / "link", tmp_path / "docs") == "link"  # as it is spelled
    assert below(tmp_path / "alias" / "a", tmp_path / "docs") == "a"
    assert below(tmp_path / "docs2", tmp_path / "docs") is None


def test_within() -> None:
    assert within("a/b", {"a"})
    assert within("a", {"b", "a"})
    assert within("a", {"."})
    assert not within("ab", {"a"})
    assert not within("a", {"a/b"})
    assert not within("a", set())


def test_each_file_is_found_once_also_from_several_roots(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.txt").write_text(name)
    (tmp_path / "two" / "again.txt").symlink_to(tmp_path / "one" / "one.txt")
    found = find([(tmp_path / name, tmp_path / name) for name in ("one", "two")])
    assert [getattr(item, "relative", None) for item in found] == ["one.txt", "two.txt"]


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
