"""plait index: what is stored, what is said, what is refused."""

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from plait.cli.indexing import IndexingBar, report_lines
from plait.collection import FilesReport, Progress, describe
from plait.collection import open as open_collection
from plait.embedders import HashEmbedder
from plait.errors import MissingDependencyError
from plait.ingest import Chunking
from plait.ingest.sources import SUFFIXES
from plait.text import Analyzer


def index(cli, docs: Path, folder: Path, *options: object):
    return cli("index", docs, "--to", folder, "--embedder", "hash(dim=64)", *options)


def test_the_summary_names_what_was_done(cli, docs: Path, tmp_path: Path) -> None:
    done = index(cli, docs, tmp_path / "kb", "--language", "en")
    assert done.code == 0
    first, *rest = done.out.splitlines()
    assert first.startswith("3 documents from 3 files in ")
    assert rest == [
        "  documents  3 added, 0 updated, 0 unchanged, 0 removed",
        "  chunks     3 written, 3 in the collection",
        "  skipped    2, named above",
        "  embedder   hash(dim=64)",
        "  analyzer   analyzer(language='en')",
        f"  stored in  {tmp_path / 'kb' / 'default.plait'}",
    ]


def test_skipped_input_is_named_on_stderr(cli, docs: Path, tmp_path: Path) -> None:
    lines = index(cli, docs, tmp_path / "kb", "--language", "en").err.splitlines()
    assert lines[0].startswith(f"skipped {docs}/binary.txt: ")
    assert lines[1].startswith(f"skipped {docs}/errors.jsonl:2: broken JSON")
    assert lines[2] == f"note: {docs}: 1 file of another type passed over (1 .png)"
    assert len(lines) == 3


def test_again_it_brings_the_collection_up_to_date(cli, docs: Path, kb: Path) -> None:
    assert "3 unchanged" in index(cli, docs, kb).out
    (docs / "billing" / "cancel.md").write_text("# Cancel\n\nNo longer possible.\n")
    (docs / "new.txt").write_text("A new document.")
    (docs / "errors.jsonl").unlink()
    again = index(cli, docs, kb)
    assert "1 added, 1 updated, 0 unchanged, 2 removed" in again.out
    assert "  chunks     2 written, 2 in the collection" in again.out
    assert "language:" not in again.err


def test_json(cli, docs: Path, tmp_path: Path) -> None:
    done = index(cli, docs, tmp_path / "kb", "--language", "en", "--json")
    values = done.json
    assert values["files"] == 3
    assert values["documents"] == {"added": 3, "updated": 0, "unchanged": 0, "removed": 0}
    assert values["chunks_written"] == 3
    assert [(entry["path"], entry["line"]) for entry in values["skipped"]] == [
        (f"{docs}/binary.txt", None),
        (f"{docs}/errors.jsonl", 2),
    ]
    assert values["passed_over"] == [{"path": str(docs), "suffixes": {".png": 1}}]
    assert values["seconds"] >= 0
    assert values["collection"] == dict(describe(tmp_path / "kb"))
    assert "skipped" in done.err


ENGLISH = "The plan that you have is not what it was, and this is why we will cancel it for you. "
GERMAN = "Der Tarif, den Sie haben, ist nicht mehr der, der er war, und darum werden wir ihn "


@pytest.mark.parametrize(
    ("text", "analyzer", "said"),
    [
        (ENGLISH * 3, Analyzer(language="en"), "language: en (guessed from the text; "),
        (GERMAN * 3, Analyzer(language="de"), "language: de (guessed from the text; "),
        ("E1042 木材", Analyzer(), "language: none (the text does not tell; "),
    ],
)
def test_the_language_is_guessed_stored_and_said(
    cli, tmp_path: Path, text: str, analyzer: Analyzer, said: str
) -> None:
    file = tmp_path / "text.txt"
    file.write_text(text)
    done = index(cli, file, tmp_path / "kb")
    assert done.err == f"{said}--language chooses)\n"
    assert describe(tmp_path / "kb")["analyzer"] == str(analyzer)


def test_the_guess_reads_files_from_all_over_the_list(cli, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(200):
        (docs / f"{number:03}.txt").write_text(GERMAN if number < 60 else ENGLISH)
    assert index(cli, docs, tmp_path / "kb").err.startswith("language: en ")


def test_without_the_packages_to_guess_it_says_so(
    cli, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "stop_words", None)
    from plait.text.language import stop_words

    stop_words.cache_clear()
    done = index(cli, docs, tmp_path / "kb")
    stop_words.cache_clear()
    assert done.code == 0
    assert done.err.splitlines()[0] == (
        "language: none (guessing needs stop-words: pip install 'plait[language]'; "
        "--language chooses)"
    )


def test_choices_are_stored(cli, docs: Path, tmp_path: Path) -> None:
    kb = tmp_path / "kb"
    done = cli(
        "index", docs, "--to", kb, "--collection", "small", "--embedder", "none",
        "--language", "none", "--max-tokens", "10", "--overlap", "2",
    )  # fmt: skip
    assert done.code == 0
    described = describe(kb, "small")
    assert described["embedder"] is None
    assert described["analyzer"] == str(Analyzer())
    assert described["chunking"] == str(Chunking(10, overlap=2))
    assert "  embedder   none" in done.out


def test_what_was_chosen_once_may_be_said_again_but_not_changed(cli, docs: Path, kb: Path) -> None:
    same = ("--language", "English", "--max-tokens", "200", "--overlap", "0")
    assert index(cli, docs, kb, *same).code == 0
    for option, stored, other in (
        ("language", "'en'", "de"),
        ("language", "'en'", "none"),
        ("max-tokens", "200", "100"),
        ("overlap", "0", "5"),
        ("embedder", "'hash(dim=64)'", "hash(dim=32)"),
        ("embedder", "'hash(dim=64)'", "none"),
    ):
        refused = cli("index", docs, "--to", kb, f"--{option}", other)
        assert refused.code == 2
        assert refused.err == (
            f"plait index: the {option} of a collection is chosen once, it is {stored}; for "
            f"another: plait index PATHS --collection NAME --{option} {shlex.quote(other)}. "
            "See: plait index --help\n"
        )


def test_choices_may_be_said_again_where_there_are_none(cli, docs: Path, tmp_path: Path) -> None:
    none = ("--to", tmp_path / "kb", "--embedder", "none", "--language", "none")
    assert cli("index", docs, *none).code == 0
    assert cli("index", docs, *none).code == 0


def missing(self: HashEmbedder, texts: list[str], *, progress: object = None) -> None:
    raise MissingDependencyError("model", extra="minilm", purpose="the embedder")


def test_a_first_run_that_wrote_nothing_leaves_no_collection(
    cli, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = tmp_path / "kb"
    with monkeypatch.context() as without:
        without.setattr(HashEmbedder, "embed_passages", missing)
        failed = index(cli, docs, kb, "--language", "de")
    assert failed.code == 1
    assert failed.err.startswith("plait: model is needed for the embedder")
    assert not list(kb.glob("default.plait*"))
    assert index(cli, docs, kb, "--language", "en").code == 0


def test_a_later_run_that_fails_leaves_the_collection(
    cli, docs: Path, kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in (docs / "billing" / "cancel.md", docs / "errors.jsonl"):
        file.unlink()
    assert index(cli, docs, kb).code == 0
    assert describe(kb)["chunks"] == 0
    (docs / "new.txt").write_text("A new document.")
    monkeypatch.setattr(HashEmbedder, "embed_passages", missing)
    assert index(cli, docs, kb).code == 1
    assert describe(kb)["analyzer"] == str(Analyzer(language="en"))


def test_a_wrong_encoding_comes_with_what_to_do(cli, docs: Path, tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (docs / name).write_bytes("Müll".encode("latin1"))
    lines = index(cli, docs, tmp_path / "kb", "--language", "de").err.splitlines()
    assert sum("wrong encoding" in line for line in lines) == 2
    assert lines[-1] == "note: for UTF-8, such as from Latin-1: iconv -f latin1 -t utf-8 OLD > NEW"


def test_the_help_names_every_type_that_is_read(cli) -> None:
    words = cli("index", "--help").out.split()
    assert set(SUFFIXES) <= {word.strip(",") for word in words}


def test_fields_of_jsonl(cli, tmp_path: Path) -> None:
    file = tmp_path / "faq.jsonl"
    file.write_text('{"key": "a", "question": "Why?", "answer": "Because.", "id": 7}\n')
    fields = ("--id-field", "key", "--title-field", "question", "--text-field", "answer")
    assert index(cli, file, tmp_path / "kb", *fields).code == 0
    with open_collection(tmp_path / "kb") as opened:
        chunk = opened.get("a#0")
    assert (chunk.title, chunk.content, chunk.metadata) == ("Why?", "Because.", {"id": 7})


def test_ids_are_relative_to_the_root(cli, docs: Path, tmp_path: Path) -> None:
    done = index(cli, docs / "billing", tmp_path / "kb", "--root", docs)
    assert done.code == 0
    with open_collection(tmp_path / "kb") as opened:
        assert opened.get("billing/cancel.md#0") is not None


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (("--embedder", "bogus"), ["Invalid value for '--embedder'", "bogus", "none"]),
        (("--embedder", "hash(dim=0)"), ["Invalid value for '--embedder'", "dim"]),
        (("--language", "xx"), ["Invalid value for '--language'", "xx"]),
        (("--max-tokens", "0"), ["'--max-tokens'"]),
        (("--max-tokens", "5", "--overlap", "5"), ["overlap is 5"]),
        (("--id-field", "text"), ["'text'"]),
        (("--root", "no-such-folder"), ["'--root'", "does not exist"]),
    ],
)
def test_wrong_usage(cli, docs: Path, tmp_path: Path, options: tuple, parts: list[str]) -> None:
    shown = cli("index", docs, "--to", tmp_path / "kb", *options)
    assert shown.code == 2
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert shown.err.startswith("plait index: ")
    for part in parts:
        assert part in shown.err
    assert not (tmp_path / "kb").exists()


def test_a_path_that_does_not_exist(cli, tmp_path: Path) -> None:
    shown = cli("index", tmp_path / "nope", "--to", tmp_path / "kb")
    assert shown.code == 2
    assert "does not exist" in shown.err
    assert not (tmp_path / "kb").exists()


def test_a_folder_of_something_else_is_left_alone(cli, docs: Path) -> None:
    shown = index(cli, docs, docs, "--language", "en")
    assert shown.code == 1
    assert "is not empty and holds no collection" in shown.err


def test_nothing_to_index_makes_no_collection(cli, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "logo.png").write_bytes(b"\x89PNG")
    shown = index(cli, empty, tmp_path / "kb")
    assert shown.code == 1
    assert shown.out == ""
    note, error = shown.err.splitlines()
    assert note == f"note: {empty}: 1 file of another type passed over (1 .png)"
    assert error.startswith("plait: nothing could be indexed: ")
    assert not (tmp_path / "kb").exists()


def test_a_single_file_of_another_type(cli, docs: Path, tmp_path: Path) -> None:
    shown = index(cli, docs / "logo.png", tmp_path / "kb")
    assert shown.code == 1
    assert shown.err.startswith(f"skipped {docs / 'logo.png'}: unknown type; ")


def test_input_that_is_all_skipped_is_an_error(cli, docs: Path, tmp_path: Path) -> None:
    shown = index(cli, docs / "binary.txt", tmp_path / "kb", "--language", "en", "--json")
    assert shown.code == 1
    assert shown.json["documents"] == {"added": 0, "updated": 0, "unchanged": 0, "removed": 0}
    assert not (tmp_path / "kb" / "default.plait").exists()
    assert shown.err.splitlines()[0].startswith("skipped ")
    assert shown.err.splitlines()[1].startswith("plait: nothing could be indexed")
    assert index(cli, docs / "binary.txt", tmp_path / "kb", "--language", "en").out == ""


def test_an_emptied_folder_is_no_error(cli, docs: Path, kb: Path) -> None:
    (docs / "errors.jsonl").unlink()
    (docs / "billing" / "cancel.md").unlink()
    done = index(cli, docs, kb)
    assert done.code == 0
    assert "3 removed" in done.out


def test_names_of_files_cannot_play_with_the_terminal(cli, tmp_path: Path) -> None:
    file = tmp_path / "a\x1b[2Jb.txt"
    file.write_bytes(b"\x00\x01")
    shown = index(cli, file, tmp_path / "kb", "--language", "en")
    assert "\x1b" not in shown.err
    assert "a [2Jb.txt" in shown.err


def test_the_missing_package_of_an_embedder(
    cli, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    shown = cli("index", docs, "--to", tmp_path / "kb", "--language", "en")
    assert shown.code == 1
    assert shown.err.splitlines()[-1].endswith("Run: pip install 'plait[minilm]'")
    assert shown.err.splitlines()[-1].startswith("plait: onnxruntime is needed")


def test_the_bar_shows_how_far_it_has_come(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "70")
    with IndexingBar() as bar:
        bar.show(Progress(50, 200, "bytes", 1234))
    shown = capsys.readouterr()
    assert shown.out == ""
    for part in ("indexing", "25%", "1,234 chunks"):
        assert part in shown.err


def test_no_bar_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with IndexingBar() as bar:
        bar.show(Progress(50, 200, "bytes", 1234))
    assert capsys.readouterr() == ("", "")


def test_one_is_one() -> None:
    report = FilesReport(1, 0, 0, 0, 1, (), ())
    described = {"chunks": 1, "embedder": None, "analyzer": "x", "path": "y"}
    assert next(iter(report_lines(report, described, 1, 0.04))) == "1 document from 1 file in 0.0 s"


SLOW = """
import sys, time
from plait.cli.app import plait
from plait.cli.run import run
from plait.embedders import HashEmbedder
made = HashEmbedder.embed_passages
calls = []
def embed(self, texts, *, progress=None):
    calls.append(len(texts))
    if len(calls) > 1:
        print("second batch", flush=True)
        time.sleep(60)
    return made(self, texts, progress=progress)
HashEmbedder.embed_passages = embed
sys.exit(run(plait, sys.argv[1:]))
"""


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_interrupted_it_keeps_what_was_committed(cli, tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    file.write_text("".join(f'{{"text": "number {n}"}}\n' for n in range(2000)))
    options = [str(file), "--to", str(tmp_path / "kb"), "--embedder", "hash", "--language", "en"]
    with subprocess.Popen(
        [sys.executable, "-c", SLOW, "index", *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout.readline() == "second batch\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out) == (130, "")
    assert err == "plait: interrupted; what is committed stays, run it again to go on\n"
    committed = describe(tmp_path / "kb")["chunks"]
    assert 0 < committed < 2000
    done = cli("index", *options, "--json").json
    assert done["documents"]["unchanged"] == committed
    assert done["documents"]["added"] == 2000 - committed
