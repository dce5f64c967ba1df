"""walk: which files, in what order, under which ids; links, junk, and what cannot be read."""

import os
import sys
from pathlib import Path

import pytest

from plait.errors import ConfigurationError
from plait.ingest import PassedOver, Skipped, Source, walk
from plait.ingest.sources import format_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="makes links and odd names")


def make(folder: Path, *files: str) -> Path:
    for name in files:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
    return folder


def relatives(paths, **options) -> list[str]:
    return [item.relative for item in walk(paths, **options) if isinstance(item, Source)]


def others(paths, kind):
    return [item for item in walk(paths) if isinstance(item, kind)]


def test_a_folder_is_walked_in_the_order_of_its_paths(tmp_path):
    make(tmp_path, "b.md", "a/z.txt", "a/b/c.jsonl", "a-b.md", "Z.md", "a.text")
    assert relatives(tmp_path) == ["Z.md", "a/b/c.jsonl", "a/z.txt", "a-b.md", "a.text", "b.md"]


def test_a_source_says_how_to_read_it(tmp_path):
    make(tmp_path / "docs", "sub/a.md")
    (source,) = walk(str(tmp_path / "docs"))
    assert source == Source(
        tmp_path / "docs/sub/a.md", source.root, "sub/a.md", format="markdown", size=1
    )
    assert (source.root.name, source.root.path) == ("docs", str(tmp_path / "docs"))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.txt", "text"),
        ("a.text", "text"),
        ("a.md", "markdown"),
        ("A.MARKDOWN", "markdown"),
        ("a.jsonl", "jsonl"),
        ("a.ndjson", "jsonl"),
        ("a.jsonl.gz", "jsonl"),
        ("a.b.MD.GZ", "markdown"),
        ("a.log", None),
        ("a.json", None),
        ("a.gz", None),
        ("a", None),
        (".md", None),
        ("md", None),
    ],
)
def test_formats(name, kind):
    assert format_of(Path(name)) == kind


def test_hidden_files_and_junk_are_left_out(tmp_path):
    make(tmp_path, "a.md", ".a.md", ".git/a.md", ".plait/a.md", ".venv/a.md")
    make(tmp_path, "node_modules/x/a.md", "sub/__pycache__/a.txt", "venv/a.md", "sub/b.md")
    assert relatives(tmp_path) == ["a.md", "sub/b.md"]
    assert others(tmp_path, PassedOver) == []


def test_what_is_given_itself_is_walked_even_if_hidden(tmp_path):
    make(tmp_path, ".notes/a.md", ".notes/.b.md")
    assert relatives(tmp_path / ".notes") == ["a.md"]
    assert relatives(tmp_path / ".notes/.b.md") == [".b.md"]


def test_other_types_are_counted(tmp_path):
    make(tmp_path, "a.md", "x.png", "sub/y.PNG", "z.pdf", "LICENSE", ".hidden.png")
    (note,) = others(tmp_path, PassedOver)
    assert note == PassedOver(str(tmp_path), ((".png", 2), ("", 1), (".pdf", 1)))
    assert note.count == 2 + 1 + 1
    assert str(note).endswith(
        ": 4 files of other types passed over (2 .png, 1 without suffix, 1 .pdf)"
    )
    make(tmp_path / "one", "x.png")
    assert "1 file of another type" in str(others(tmp_path / "one", PassedOver)[0])


def test_a_file_of_another_type_that_is_given_is_skipped(tmp_path):
    make(tmp_path, "x.pdf")
    (skipped,) = walk(tmp_path / "x.pdf")
    assert skipped.path == str(tmp_path / "x.pdf")
    assert skipped.reason.startswith("unknown type; plait reads .txt .text .md")


def test_a_file_has_its_folder_as_root(tmp_path):
    make(tmp_path / "docs", "sub/a.md")
    (source,) = walk(tmp_path / "docs/sub/a.md")
    assert (source.root.name, source.relative) == ("sub", "a.md")


def test_several_paths_come_in_the_order_given_and_each_file_once(tmp_path):
    make(tmp_path, "docs/a.md", "docs/sub/b.md", "api/c.md")
    docs, api = tmp_path / "docs", tmp_path / "api"
    assert relatives([api, docs]) == ["c.md", "a.md", "sub/b.md"]
    assert relatives(iter([docs / "sub", docs, docs / "a.md"])) == ["b.md", "a.md"]


def test_one_root_for_several_paths(tmp_path):
    make(tmp_path, "x/docs/a.md", "y/docs/a.md")
    given = [tmp_path / "x/docs", tmp_path / "y/docs/a.md"]
    assert relatives(given, root=tmp_path) == ["x/docs/a.md", "y/docs/a.md"]


def test_two_roots_of_one_name_are_refused_before_any_work(tmp_path):
    make(tmp_path, "x/docs/a.md", "y/docs/b.md")
    with pytest.raises(ConfigurationError, match="two roots of one name"):
        walk([tmp_path / "x/docs", tmp_path / "y/docs"])
    assert relatives([tmp_path / "x/docs", tmp_path / "x/../x/docs"]) == ["a.md"]


def test_the_name_of_a_root_is_the_one_given(tmp_path, monkeypatch):
    make(tmp_path, "v2/a.md")
    (tmp_path / "docs").symlink_to("v2")
    (linked,) = walk(tmp_path / "docs")
    monkeypatch.chdir(tmp_path / "v2")
    (here,) = walk(".")
    (file,) = walk("a.md")
    assert [linked.root.name, here.root.name, file.root.name] == ["docs", "v2", "v2"]
    assert str(here.path) == str(file.path) == "a.md"


def test_wrong_arguments(tmp_path):
    make(tmp_path, "docs/a.md", "api/b.md")
    with pytest.raises(ConfigurationError, match="no path"):
        walk([])
    with pytest.raises(ConfigurationError, match="docz does not exist"):
        walk([tmp_path / "docs", tmp_path / "docz"])
    with pytest.raises(ConfigurationError, match="is not inside root="):
        walk(tmp_path / "docs", root=tmp_path / "api")
    with pytest.raises(ConfigurationError, match="is not inside root="):
        walk(tmp_path / "docs/a.md", root=tmp_path / "docs/a.md")


@pytest.mark.parametrize("wrong", ["", None, 5, b"docs", ["docs", ""], [None]], ids=repr)
def test_what_is_no_path_is_refused(wrong, tmp_path, monkeypatch):
    make(tmp_path, "docs/a.md")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigurationError, match=r"a path is .*, expected a file or a folder"):
        walk(wrong)


def test_a_path_that_cannot_be_looked_at(tmp_path):
    with pytest.raises(ConfigurationError, match=r"aaa cannot be read: File name too long"):
        walk(tmp_path / ("a" * 5000))


def test_an_empty_folder_has_nothing(tmp_path):
    assert list(walk(tmp_path)) == []


class TestLinks:
    def test_loops_end(self, tmp_path):
        make(tmp_path, "a.md", "sub/b.md")
        (tmp_path / "sub/up").symlink_to("..")
        (tmp_path / "self").symlink_to(".")
        assert relatives(tmp_path) == ["a.md", "sub/b.md"]

    def test_many_links_to_one_another_do_not_multiply(self, tmp_path):
        for name in "abcdefgh":
            make(tmp_path, f"{name}/x.md")
            for other in "abcdefgh":
                (tmp_path / name / f"to-{other}").symlink_to(f"../{other}")
        assert relatives(tmp_path) == [f"{name}/x.md" for name in "abcdefgh"]

    def test_what_is_really_there_comes_before_links_to_it(self, tmp_path):
        make(tmp_path, "z/a.md", "y.md")
        (tmp_path / "b").symlink_to("z")
        (tmp_path / "a.md").symlink_to("y.md")
        assert relatives(tmp_path) == ["y.md", "z/a.md"]

    def test_links_to_the_outside_are_followed_once(self, tmp_path):
        make(tmp_path, "docs/a.md", "far/b.md", "far.md")
        for name in ("one", "two"):
            (tmp_path / "docs" / name).symlink_to("../far")
        (tmp_path / "docs/far.md").symlink_to("../far.md")
        assert relatives(tmp_path / "docs") == ["a.md", "far.md", "one/b.md"]

    def test_links_of_links(self, tmp_path):
        make(tmp_path, "docs/a.md", "far/b.md", "further/c.md")
        (tmp_path / "docs/far").symlink_to("../far")
        (tmp_path / "far/further").symlink_to("../further")
        assert relatives(tmp_path / "docs") == ["a.md", "far/b.md", "far/further/c.md"]

    def test_broken_links_are_named(self, tmp_path):
        (tmp_path / "gone.md").symlink_to("nowhere")
        (tmp_path / "round.md").symlink_to("round.md")
        (tmp_path / "gone").symlink_to("nowhere")
        found = others(tmp_path, Skipped)
        assert [Path(skipped.path).name for skipped in found] == ["gone.md", "round.md"]
        assert all(skipped.reason.startswith("cannot be read: ") for skipped in found)
        assert others(tmp_path, PassedOver)[0].suffixes == (("", 1),)


class TestUnreadable:
    def test_a_folder_that_may_not_be_listed(self, tmp_path, monkeypatch):
        make(tmp_path, "a.md", "locked/b.md", "open/c.md")
        real = os.scandir

        def scandir(path):
            if Path(path).name == "locked":
                raise PermissionError(13, "Permission denied", str(path))
            return real(path)

        monkeypatch.setattr(os, "scandir", scandir)
        assert relatives(tmp_path) == ["a.md", "open/c.md"]
        assert others(tmp_path, Skipped) == [
            Skipped(str(tmp_path / "locked"), None, "cannot be read: Permission denied")
        ]

    def test_a_pipe_is_not_opened(self, tmp_path):
        os.mkfifo(tmp_path / "pipe.md")
        assert others(tmp_path, Skipped) == [
            Skipped(str(tmp_path / "pipe.md"), None, "not a regular file")
        ]

    def test_a_name_that_is_not_text(self, tmp_path):
        make(tmp_path, "good.md")
        try:
            make(tmp_path, os.fsdecode(b"caf\xe9.md"))
        except OSError:
            pytest.skip("this file system refuses such names")
        (skipped,) = others(tmp_path, Skipped)
        assert skipped.path == str(tmp_path / "caf\\xe9.md")
        assert "not valid UTF-8" in skipped.reason
        assert relatives(tmp_path) == ["good.md"]
