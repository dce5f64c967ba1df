"""read and load: every document is there, everything else is named."""

import gzip
import os
import tracemalloc
from pathlib import Path

import pytest

from plait.errors import ConfigurationError
from plait.ingest import Document, Fields, PassedOver, Skipped, Source, load, read, reading, walk


@pytest.fixture
def docs(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    return folder


def only(folder: Path) -> Source:
    (source,) = walk(folder)
    assert isinstance(source, Source)
    return source


def one(folder: Path, name: str, data: str | bytes) -> list[Document | Skipped]:
    (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
    return list(read(only(folder)))


class TestText:
    def test_a_file_is_a_document(self, docs):
        (docs / "sub").mkdir()
        assert one(docs / "sub", "a.txt", "# not a heading\r\nbody\n") == [
            Document("a.txt", "# not a heading\nbody\n", source_name="sub", source_path="a.txt")
        ]

    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
    def test_marks_do_not_show(self, docs, encoding):
        (document,) = one(docs, "a.md", "# Größe\n".encode(encoding))
        assert (document.text, document.title) == ("# Größe\n", "Größe")

    @pytest.mark.parametrize("name", ["a.txt", "a.md", "a.jsonl", "a.txt.gz", "a.jsonl.gz"])
    @pytest.mark.parametrize("data", [b"", b" \n\t\r\n", b"\xef\xbb\xbf"])
    def test_empty_files_are_named(self, docs, name, data):
        found = one(docs, name, gzip.compress(data) if name.endswith("gz") else data)
        assert found == [Skipped(str(docs / name), None, "empty")]

    def test_binary_and_wrong_encoding_are_named(self, docs):
        (binary,) = one(docs, "a.txt", b"\x7fELF\x00")
        (latin,) = one(docs, "a.txt", "café".encode("latin-1"))
        assert binary.reason == "binary, not text: a NUL at position 4"
        assert latin.reason.startswith("wrong encoding: not UTF-8 (byte 0xE9 at position 3)")

    def test_one_too_large_is_named_and_not_held(self, docs, monkeypatch):
        monkeypatch.setattr(reading, "LARGEST", 2**20)
        (skipped,) = one(docs, "a.txt.gz", gzip.compress(b"a" * 2**26))
        assert skipped.reason == "larger than 1 MiB; split it into several files"


class TestMarkdown:
    def test_front_matter_and_title(self, docs):
        text = "---\nproduct: pro\nsince: 2.1\n---\n# *Billing* guide\n\nBody\n"
        (document,) = one(docs, "a.md", text)
        assert document == Document(
            "a.md",
            "# *Billing* guide\n\nBody\n",
            "markdown",
            "Billing guide",
            {"product": "pro", "since": 2.1},
            source_name="docs",
            source_path="a.md",
        )

    def test_the_title_of_the_front_matter_counts(self, docs):
        (document,) = one(docs, "a.md", "---\ntitle: 2024\n---\n# Other\n")
        assert (document.title, document.metadata) == ("2024", {})

    def test_a_title_without_text_is_the_text(self, docs):
        (document,) = one(docs, "a.md", "---\ntitle: Coming soon\n---\n")
        assert (document.text, document.title) == ("Coming soon", None)
        (skipped,) = one(docs, "a.md", "---\nlang: en\n---\n\n")
        assert skipped == Skipped(str(docs / "a.md"), None, "empty")

    @pytest.mark.parametrize(
        ("block", "line", "reason"),
        [
            ("a: b: c", 2, "not valid YAML"),
            ("title: [a, b]", 1, "the title is of type list"),
            ("1: x", 1, "metadata field 1 is named by a int"),
            ("when: !!timestamp 2024-01-01", 1, "metadata field 'when' is a date"),
            ('a: "\\ud800"', 1, "lone surrogate"),
            ('title: "\\ud800"', 1, "the title holds a lone surrogate"),
        ],
    )
    def test_unusable_front_matter_is_named_and_kept_as_text(self, docs, block, line, reason):
        text = f"---\n{block}\n---\n# Title\n"
        skipped, document = one(docs, "a.md", text)
        assert (skipped.path, skipped.line) == (str(docs / "a.md"), line)
        assert skipped.reason.startswith("front matter not used: ")
        assert reason in skipped.reason
        assert (document.text, document.title, document.metadata) == (text, "Title", {})


class TestJsonl:
    def test_lines_with_and_without_their_own_id(self, docs):
        data = '{"_id": "E1042", "title": "T", "text": "one", "n": 1}\n\n{"text": "two\\r\\nlines"}'
        assert one(docs, "a.jsonl", data) == [
            Document(
                "E1042",
                "one",
                title="T",
                metadata={"n": 1},
                source_name="docs",
                source_path="a.jsonl",
                line=1,
                id_given=True,
            ),
            Document("a.jsonl:3", "two\nlines", source_name="docs", source_path="a.jsonl", line=3),
        ]

    def test_each_bad_line_is_named_and_no_other_is_lost(self, docs):
        bad = [
            b"{broken",
            b'["a list"]',
            b'{"id": 1}',
            b'{"text": "  "}',
            b'{"text": 1}',
            b'{"text": "caf\xe9"}',
            b'{"text": "\\ud800"}',
            b'{"text": "x", "tag": "\\ud800"}',
            b'{"text": "x", "n": 1e999}',
            b'{"text": "x", "id": []}',
        ]
        good = b'{"text": "good"}'
        found = one(docs, "a.jsonl", b"\n".join(good + b"\n" + line for line in bad))
        assert [item.line for item in found] == list(range(1, 2 * len(bad) + 1))
        assert all(isinstance(item, Document) for item in found[::2])
        assert all(isinstance(item, Skipped) for item in found[1::2])
        assert found[5].reason == "no text in a field named text or content or contents or body"
        assert found[7].reason == found[5].reason

    def test_a_title_without_text_is_the_text(self, docs):
        (document,) = one(docs, "a.jsonl", '{"_id": "d", "title": "Only a title", "text": ""}')
        assert (document.id, document.text, document.title) == ("d", "Only a title", None)

    def test_fields_can_be_named(self, docs):
        (docs / "a.jsonl").write_text('{"q": "How?", "a": "So."}')
        fields = Fields(title=("q",), text=("a",))
        (document,) = read(only(docs), fields=fields)
        (loaded,) = load(docs, fields=fields)
        assert document == loaded
        assert (document.title, document.text) == ("How?", "So.")

    def test_a_binary_file_is_one_line_of_report(self, docs):
        assert len(one(docs, "a.jsonl", b"\x00\x01\n" * 1000)) == 1

    def test_memory_does_not_grow_with_the_file(self, docs):
        line = b'{"text": "' + b"word " * 200 + b'"}\n'
        with (docs / "a.jsonl").open("wb") as file:
            for _ in range(10_000):
                file.write(line)
        source = only(docs)
        tracemalloc.start()
        try:
            count = sum(1 for _ in read(source))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert count == 10_000
        assert peak < source.size / 10


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.txt", b"some text"),
        ("a.md", b"# Title\n"),
        ("a.jsonl", b'{"text": "x"}\n' * 5000),
        ("a.jsonl", b'{"text": "x"}\nbroken\n\n\n'),
        ("a.jsonl.gz", gzip.compress(b'{"text": "x"}\n' * 5000, mtime=0)),
        ("a.txt.gz", gzip.compress(b"some text", mtime=0)),
    ],
)
def test_progress_adds_up_to_the_size_of_the_file(docs, name, data):
    (docs / name).write_bytes(data)
    source = only(docs)
    steps: list[int] = []
    list(read(source, progress=steps.append))
    assert sum(steps) == source.size == len(data)
    assert all(step > 0 for step in steps)


class TestUnreadable:
    def test_a_file_that_vanished(self, docs):
        (docs / "a.md").write_text("x")
        source = only(docs)
        (docs / "a.md").unlink()
        (skipped,) = read(source)
        assert skipped.reason == f"cannot be read: {os.strerror(2)}"

    def test_a_file_that_may_not_be_read(self, docs, monkeypatch):
        for name in ("a.md", "b.md"):
            (docs / name).write_text(name)
        real = Path.open

        def opened(path, *args, **kwargs):
            if path.name == "a.md":
                raise PermissionError(13, "Permission denied", str(path))
            return real(path, *args, **kwargs)

        monkeypatch.setattr(Path, "open", opened)
        skipped, document = load(docs)
        assert skipped == Skipped(str(docs / "a.md"), None, "cannot be read: Permission denied")
        assert document.text == "b.md"

    @pytest.mark.parametrize("name", ["a.txt.gz", "a.jsonl.gz"])
    def test_what_is_no_archive(self, docs, name):
        found = one(docs, name, b"plain text\n")
        assert [type(item) for item in found] == [Skipped]
        assert "ot a gzipped file" in found[0].reason

    def test_a_damaged_archive(self, docs):
        packed = gzip.compress(os.urandom(5_000).hex().encode())
        (short,) = one(docs, "a.txt.gz", packed[:-2000])
        (wrong,) = one(docs, "a.txt.gz", packed[:100] + b"\0" * 50 + packed[150:])
        assert short.reason.startswith("cannot be read: ")
        assert wrong.reason.startswith("cannot be read: ")

    def test_a_damaged_archive_of_lines_keeps_what_comes_before(self, docs):
        packed = gzip.compress(b"".join(b'{"text": "%d"}\n' % n for n in range(50_000)), mtime=0)
        *documents, skipped = one(docs, "a.jsonl.gz", packed[: len(packed) // 2])
        assert [document.text for document in documents[:2]] == ["0", "1"]
        assert skipped.line == len(documents) + 1
        assert skipped.reason.startswith("cannot be read from here on: ")


def test_a_root_whose_name_is_not_text(tmp_path, monkeypatch):
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("this file system refuses such names")
    (folder / "a.md").write_text("x")
    monkeypatch.chdir(folder)
    (skipped,) = load(".")
    assert skipped.path == "a.md"
    assert "Document.source_name holds a lone surrogate" in skipped.reason


class TestLoad:
    def test_documents_and_notes_in_one_stream(self, docs):
        (docs / "a.md").write_text("# A\n")
        (docs / "b.txt").write_bytes(b"\x00")
        (docs / "c.png").write_bytes(b"")
        kinds = [type(item) for item in load(docs)]
        assert kinds == [Document, Skipped, PassedOver]

    def test_wrong_paths_are_refused_at_once(self, docs):
        with pytest.raises(ConfigurationError):
            load(docs / "nowhere")

    def test_root_is_passed_on(self, docs):
        (docs / "a.md").write_text("# A\n")
        (document,) = load(docs, root=docs.parent)
        assert (document.id, document.source_name) == ("docs/a.md", docs.parent.name)

    def test_a_moved_folder_gives_the_same_documents(self, docs, tmp_path):
        (docs / "a.md").write_text("# A\n")
        before = list(load(docs))
        moved = tmp_path / "elsewhere/docs"
        moved.parent.mkdir()
        docs.rename(moved)
        assert list(load(moved)) == before
