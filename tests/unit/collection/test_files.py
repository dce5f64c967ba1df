"""Files into a collection: new, changed, unchanged, gone; interrupted and repeated."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plait.collection import Collection, FilesReport, Progress
from plait.errors import ConfigurationError
from plait.ingest import Chunking, Fields
from plait.types import Chunk

Make = Callable[..., Collection]


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "billing").mkdir(parents=True)
    (folder / "plans.txt").write_text("You can cancel your plan at any time.")
    (folder / "billing" / "refunds.md").write_text(
        "# Refunds\n\nRefunds take 14 days.\n\n## Cards\n\nOld cards are fine.\n"
    )
    (folder / "errors.jsonl").write_text(
        '{"id": "E1", "text": "Error E1 means 1."}\n{"id": "E2", "text": "Error E2 means 2."}\n'
    )
    (folder / "logo.png").write_bytes(b"\x89PNG")
    return folder


def counts(report: FilesReport) -> tuple[int, int, int, int]:
    return report.added, report.updated, report.unchanged, report.removed


def ids(kb: Collection) -> list[str]:
    with kb._store.reading() as reading:
        return sorted(str(each.chunk.id) for each in reading.chunks_after(0, None))


def test_a_folder_becomes_chunks_with_their_source(kb: Collection, docs: Path) -> None:
    report = kb.add_files(docs)
    assert counts(report) == (4, 0, 0, 0)
    assert report.chunks == kb.count() == 4
    assert report.skipped == ()
    assert [str(each) for each in report.passed_over] == [
        f"{docs}: 1 file of another type passed over (1 .png)"
    ]
    assert ids(kb) == ["E1#0", "E2#0", "billing/refunds.md#0", "plans.txt#0"]
    hit = kb.search("refunds")[0]
    assert hit.chunk.document_id == hit.chunk.source_path == "billing/refunds.md"
    assert hit.chunk.source_name == "docs"
    assert hit.chunk.title == "Refunds"


def test_an_unchanged_folder_is_left_alone(make: Make, docs: Path, counting: Any) -> None:
    embedder = counting()
    kb = make(embedder=embedder)
    kb.add_files(docs)
    generation = kb.describe()["generation"]
    del embedder.sent[:]
    assert counts(kb.add_files(docs)) == (0, 0, 4, 0)
    assert embedder.sent == []
    assert kb.describe()["generation"] == generation


def test_what_has_not_changed_is_neither_cut_nor_needs_the_embedder(
    make: Make, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make().add_files(docs)
    kb = make(embedder=...)
    monkeypatch.setattr("plait.collection.files.split", None)
    monkeypatch.setattr("plait.collection.embedding.parse_embedder", None)
    assert counts(kb.add_files(docs)) == (0, 0, 4, 0)


def test_a_changed_file_replaces_its_chunks_and_embeds_what_is_new(
    make: Make, tmp_path: Path, counting: Any
) -> None:
    embedder = counting()
    kb = make(embedder=embedder, chunking=Chunking(max_tokens=12))
    file = tmp_path / "docs" / "long.txt"
    file.parent.mkdir()
    paragraphs = [f"Paragraph {n} speaks of the topic number {n} only." for n in range(6)]
    file.write_text("\n\n".join(paragraphs))
    kb.add_files(file.parent)
    assert len(embedder.sent) == kb.count() == 6
    changed = [paragraphs[0], "Something quite new stands here now.", *paragraphs[2:5]]
    file.write_text("\n\n".join(changed))
    assert counts(kb.add_files(file.parent)) == (0, 1, 0, 0)
    assert embedder.sent[6:] == ["Something quite new stands here now."]
    assert ids(kb) == [f"long.txt#{n}" for n in range(5)]
    assert [kb.get(f"long.txt#{n}").content for n in range(5)] == changed  # type: ignore[union-attr]
    # A paragraph that moves to the front keeps its vector too.
    file.write_text("\n\n".join([paragraphs[5], *changed]))
    kb.add_files(file.parent)
    assert embedder.sent[7:] == []


def test_what_is_gone_is_removed(kb: Collection, docs: Path) -> None:
    kb.add_files(docs)
    kb.add([Chunk("by hand", id="mine")])
    (docs / "plans.txt").unlink()
    (docs / "errors.jsonl").write_text('{"id": "E2", "text": "Error E2 means 2."}\n')
    assert counts(kb.add_files(docs)) == (0, 0, 2, 2)
    assert ids(kb) == ["E2#0", "billing/refunds.md#0", "mine"]


def test_only_below_the_given_paths(kb: Collection, docs: Path) -> None:
    kb.add_files(docs)
    (docs / "plans.txt").unlink()
    (docs / "billing" / "refunds.md").write_text("Refunds take 10 days.")
    assert counts(kb.add_files(docs / "billing" / "refunds.md", root=docs)) == (0, 1, 0, 0)
    assert counts(kb.add_files(docs / "billing", root=docs)) == (0, 0, 1, 0)
    (docs / "billing" / "refunds.md").unlink()
    assert counts(kb.add_files([docs / "billing"], root=docs)) == (0, 0, 0, 1)
    assert ids(kb) == ["E1#0", "E2#0", "plans.txt#0"]
    # A single file: its lines that are gone, and nothing of its neighbors.
    (docs / "errors.jsonl").write_text('{"id": "E1", "text": "Error E1 means 1."}\n')
    assert counts(kb.add_files(docs / "errors.jsonl")) == (0, 0, 1, 1)
    assert ids(kb) == ["E1#0", "plans.txt#0"]


def test_what_can_no_longer_be_read_is_removed_and_said(kb: Collection, docs: Path) -> None:
    kb.add_files(docs)
    (docs / "plans.txt").write_bytes(b"\x00\x01\x02 binary")
    report = kb.add_files(docs)
    assert counts(report) == (0, 0, 3, 1)
    assert [Path(each.path).name for each in report.skipped] == ["plans.txt"]
    assert "plans.txt#0" not in ids(kb)


def test_bad_lines_are_skipped_by_number_and_nothing_else_is_lost(
    kb: Collection, docs: Path
) -> None:
    (docs / "errors.jsonl").write_text(
        '{"id": "E1", "text": "one"}\nbroken\n{"id": "E2", "text": "two"}\n'
        '{"id": "E1", "text": "again"}\n'
    )
    report = kb.add_files(docs)
    assert [(each.line, each.reason.split(":")[0]) for each in report.skipped] == [
        (2, "broken JSON"),
        (4, "the id 'E1' was already given to a document before it; every id stands once"),
    ]
    assert report.added == 4
    found = kb.get("E1#0")
    assert found is not None
    assert found.content == "one"
    assert counts(kb.add_files(docs)) == (0, 0, 4, 0)


def test_chunks_deleted_by_hand_come_back(kb: Collection, docs: Path) -> None:
    kb.add_files(docs)
    kb.delete(ids=["plans.txt#0"])
    assert counts(kb.add_files(docs)) == (0, 1, 3, 0)
    assert "plans.txt#0" in ids(kb)
    kb.clear()
    assert counts(kb.add_files(docs)) == (4, 0, 0, 0)


def test_another_chunking_or_embedder_cuts_again(make: Make, docs: Path, counting: Any) -> None:
    kb = make()
    kb.add_files(docs)
    finer = Chunking(max_tokens=5)
    assert counts(kb.add_files(docs, chunking=str(finer))) == (0, 4, 0, 0)
    assert counts(kb.add_files(docs, chunking=finer)) == (0, 0, 4, 0)
    kb.reembed(counting())
    assert counts(kb.add_files(docs, chunking=finer)) == (0, 4, 0, 0)


def test_the_embedder_counts_the_tokens(make: Make, docs: Path, counting: Any) -> None:
    embedder = counting()
    embedder.count_tokens = lambda text: len(text.split())
    kb = make(embedder=embedder, chunking=Chunking(max_tokens=2))
    kb.add_files(docs / "plans.txt")
    assert [kb.get(f"plans.txt#{n}").content for n in range(4)] == [  # type: ignore[union-attr]
        "You can",
        "cancel your",
        "plan at",
        "any time.",
    ]


def test_many_documents_are_compared_a_few_hundred_at_a_time(
    kb: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plait.collection.files._DOCUMENTS", 2)
    lines = [f'{{"id": "E{n}", "text": "Error {n}"}}\n' for n in range(7)]
    (tmp_path / "errors.jsonl").write_text("".join(lines))
    assert counts(kb.add_files(tmp_path / "errors.jsonl")) == (7, 0, 0, 0)
    lines[5] = '{"id": "E5", "text": "Another error"}\n'
    (tmp_path / "errors.jsonl").write_text("".join(lines[1:]))
    assert counts(kb.add_files(tmp_path / "errors.jsonl")) == (0, 1, 5, 1)


def test_a_file_that_cannot_be_reached_is_skipped(kb: Collection, docs: Path) -> None:
    (docs / "dangling.txt").symlink_to(docs / "nothing.txt")
    report = kb.add_files(docs)
    assert report.added == 4
    assert [Path(each.path).name for each in report.skipped] == ["dangling.txt"]


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that fails to read")
def test_what_cannot_be_reached_at_the_moment_keeps_what_is_stored(
    kb: Collection, docs: Path
) -> None:
    kb.add_files(docs)
    (docs / "plans.txt").unlink()
    (docs / "plans.txt").symlink_to("/proc/self/mem")  # as on a failing disk
    report = kb.add_files(docs)
    assert counts(report) == (0, 0, 3, 0)
    assert [Path(each.path).name for each in report.skipped] == ["plans.txt"]
    assert kb.count() == 4
    (docs / "plans.txt").unlink()
    assert counts(kb.add_files(docs)) == (0, 0, 3, 1)


def test_a_folder_that_cannot_be_listed_keeps_what_is_stored(
    kb: Collection, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb.add_files(docs)
    listdir, scandir = os.listdir, os.scandir

    def refuse(path: Any) -> Any:
        if str(path).endswith("billing"):
            raise PermissionError(13, "Permission denied", str(path))
        return listdir(path)

    def refuse_too(path: Any) -> Any:
        if str(path).endswith("billing"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "listdir", refuse)
    monkeypatch.setattr(os, "scandir", refuse_too)
    report = kb.add_files(docs)
    assert counts(report) == (0, 0, 3, 0)
    assert [Path(each.path).name for each in report.skipped] == ["billing"]
    monkeypatch.undo()
    assert counts(kb.add_files(docs)) == (0, 0, 4, 0)


def test_two_roots_with_the_same_paths_are_kept_apart(kb: Collection, tmp_path: Path) -> None:
    for name in ("docs", "api"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "README.md").write_text(f"About {name}.")
    assert counts(kb.add_files([tmp_path / "docs", tmp_path / "api"])) == (2, 0, 0, 0)
    assert ids(kb) == ["README.md#0", "api:README.md#0"]
    assert counts(kb.add_files([tmp_path / "api", tmp_path / "docs"])) == (0, 0, 2, 0)
    (tmp_path / "docs" / "README.md").unlink()
    assert counts(kb.add_files(tmp_path / "docs")) == (0, 0, 0, 1)
    assert counts(kb.add_files(tmp_path / "api")) == (0, 0, 1, 0)
    assert ids(kb) == ["api:README.md#0"]


def test_another_folder_of_the_same_name_is_refused_unless_the_first_has_moved(
    kb: Collection, docs: Path, tmp_path: Path
) -> None:
    kb.add_files(docs)
    other = tmp_path / "elsewhere" / "docs"
    other.mkdir(parents=True)
    (other / "plans.txt").write_text("Other plans.")
    with pytest.raises(ConfigurationError, match=r"a root named 'docs' was indexed from .*root="):
        kb.add_files(other)
    assert kb.count() == 4
    docs.rename(tmp_path / "old")
    assert counts(kb.add_files(other)) == (0, 1, 0, 3)
    found = kb.get("plans.txt#0")
    assert found is not None
    assert found.content == "Other plans."


def test_another_folder_of_the_same_name_can_be_told_apart_by_a_root_above(
    kb: Collection, docs: Path, tmp_path: Path
) -> None:
    kb.add_files(docs)
    other = tmp_path / "elsewhere" / "docs"
    other.mkdir(parents=True)
    (other / "plans.txt").write_text("Other plans.")
    assert counts(kb.add_files(other, root=other.parent)) == (1, 0, 0, 0)
    assert counts(kb.add_files(other)) == (0, 0, 1, 0)  # known now, without saying it again
    assert ids(kb)[2:] == ["billing/refunds.md#0", "docs/plans.txt#0", "plans.txt#0"]


def test_a_path_inside_a_known_root_is_a_part_of_it(
    kb: Collection, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb.add_files(docs)
    before = ids(kb)
    monkeypatch.chdir(docs)
    for path in (docs / "billing", docs / "billing" / "refunds.md", "billing", "plans.txt", "."):
        assert kb.add_files(path).added == 0
        assert ids(kb) == before
    (docs / "billing" / "refunds.md").unlink()
    (docs / "plans.txt").unlink()
    (docs / "billing" / "new.txt").write_text("new")
    assert counts(kb.add_files("billing")) == (1, 0, 0, 1)  # and plans.txt is not looked at
    assert ids(kb) == ["E1#0", "E2#0", "billing/new.txt#0", "plans.txt#0"]
    assert list(kb.describe()["roots"]) == ["docs"]


def test_a_folder_above_a_known_root_takes_it_over(
    make: Make, docs: Path, tmp_path: Path, counting: Any
) -> None:
    embedder = counting()
    kb = make(embedder=embedder)
    (docs / "refunds.md").write_text("# Other refunds\n\nThe same path below two roots.\n")
    for part in (docs / "billing", docs / "errors.jsonl"):
        kb.add_files(part)
    assert ids(kb) == ["E1#0", "E2#0", "refunds.md#0"]
    del embedder.sent[:]
    # refunds.md is another file now, billing/refunds.md and plans.txt are new.
    assert counts(kb.add_files(docs)) == (2, 1, 2, 0)
    fresh = make("fresh")
    fresh.add_files(docs)
    assert ids(kb) == ids(fresh)
    assert kb.get("refunds.md#0") == fresh.get("refunds.md#0")
    assert kb.describe()["roots"] == {"docs": str(docs)}
    assert len(embedder.sent) == 2  # the chunks of billing/refunds.md kept their vectors
    assert counts(kb.add_files(docs)) == (0, 0, 5, 0)
    assert counts(kb.add_files(docs / "billing")) == (0, 0, 1, 0)


def test_a_folder_takes_over_one_of_the_same_name_inside_it(
    kb: Collection, docs: Path, tmp_path: Path
) -> None:
    outer = tmp_path / "new" / "docs"
    outer.mkdir(parents=True)
    docs.rename(outer / "docs")
    kb.add_files(outer / "docs")
    assert counts(kb.add_files(outer)) == (2, 2, 0, 2)
    assert ids(kb) == ["E1#0", "E2#0", "docs/billing/refunds.md#0", "docs/plans.txt#0"]
    assert kb.describe()["roots"] == {"docs": str(outer)}


def test_a_root_given_inside_a_known_one_takes_its_part(kb: Collection, docs: Path) -> None:
    kb.add_files(docs)
    kb.add_files(docs / "billing", root=docs / "billing")
    assert ids(kb) == ["E1#0", "E2#0", "plans.txt#0", "refunds.md#0"]
    kb.add_files(docs)
    assert ids(kb) == ["E1#0", "E2#0", "billing/refunds.md#0", "plans.txt#0"]


def test_paths_inside_each_other_are_one_root(kb: Collection, docs: Path) -> None:
    (docs / ".notes").mkdir()
    (docs / ".notes" / "hidden.txt").write_text("hidden")
    assert kb.add_files([docs / "billing", docs, docs / ".notes"]).added == 5
    assert ids(kb)[:1] == [".notes/hidden.txt#0"]
    assert list(kb.describe()["roots"]) == ["docs"]


def test_a_folder_reached_by_another_path_is_the_same(
    kb: Collection, docs: Path, tmp_path: Path
) -> None:
    kb.add_files(docs)
    (tmp_path / "alias").symlink_to(tmp_path, target_is_directory=True)
    assert counts(kb.add_files(tmp_path / "alias" / "docs")) == (0, 0, 4, 0)


def test_an_interrupted_run_keeps_what_was_committed(
    make: Make, tmp_path: Path, counting: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plait.collection.files._CHUNKS", 2)
    docs = tmp_path / "docs"
    docs.mkdir()
    for n in range(7):
        (docs / f"{n}.txt").write_text(f"Text number {n}")
    embedder = counting()
    kb = make(embedder=embedder)

    def stop(progress: Progress) -> None:
        if progress.chunks == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kb.add_files(docs, progress=stop)
    assert kb.count() == 4
    assert counts(kb.add_files(docs)) == (3, 0, 4, 0)
    assert ids(kb) == [f"{n}.txt#0" for n in range(7)]


def test_progress_counts_bytes_to_the_end(kb: Collection, docs: Path) -> None:
    told: list[Progress] = []
    kb.add_files(docs, progress=told.append)
    size = sum(
        each.stat().st_size for each in docs.rglob("*") if each.suffix in (".txt", ".md", ".jsonl")
    )
    assert told[-1] == Progress(size, size, "bytes", 4)
    assert [each.done for each in told] == sorted(each.done for each in told)
    del told[:]
    kb.add_files(docs, progress=told.append)
    assert told[-1] == Progress(size, size, "bytes", 0)


def test_fields_of_jsonl_can_be_named(kb: Collection, tmp_path: Path) -> None:
    (tmp_path / "faq.jsonl").write_text('{"q": "How?", "a": "Like this."}\n')
    kb.add_files(tmp_path / "faq.jsonl", fields=Fields(text=("a",), title=("q",)))
    found = kb.get("faq.jsonl:1#0")
    assert found is not None
    assert (found.title, found.content) == ("How?", "Like this.")


def test_no_such_path_writes_nothing(kb: Collection, docs: Path) -> None:
    with pytest.raises(ConfigurationError, match="does not exist"):
        kb.add_files([docs, docs / "nothing"])
    assert kb.count() == 0
    with pytest.raises(ConfigurationError, match="not a chunking"):
        kb.add_files(docs, chunking="big")


def test_vectors_made_elsewhere_and_files_do_not_mix(make: Make, docs: Path) -> None:
    kb = make(embedder=None)
    kb.add([Chunk("a", id="a", embedding=[1.0])])
    with pytest.raises(ConfigurationError, match="has no embedder to make one"):
        kb.add_files(docs)
    assert ids(kb) == ["a"]


def test_a_root_without_documents_is_forgotten(kb: Collection, docs: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    kb.add_files([docs, tmp_path / "empty"])
    assert list(kb.describe()["roots"]) == ["docs"]
    for file in (docs / "plans.txt", docs / "billing" / "refunds.md", docs / "errors.jsonl"):
        file.unlink()
    assert kb.add_files(docs).removed == 4
    assert kb.describe()["roots"] == {}
