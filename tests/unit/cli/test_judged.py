"""Options that name topics, judgments and measures."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from plait.cli.judged import Judged, judged_options, labelled_options

QUERIES = '{"_id": "1", "text": "why"}\n'
QRELS = "query-id\tcorpus-id\tscore\n1\ta\t1\n"


def ask(options: Callable[[Any], Any], *given: object) -> Judged:
    """What a command with these options is handed."""
    seen: list[Judged] = []

    @click.command()
    @options
    @click.option("--other", default="x")
    def command(judged: Judged, other: str) -> None:
        assert other == "x"
        seen.append(judged)

    command.main([str(each) for each in given], standalone_mode=False)
    return seen[0]


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "queries.jsonl").write_text(QUERIES)
    (tmp_path / "qrels.tsv").write_text(QRELS)
    judged = ask(judged_options, "--data", tmp_path)
    topics, qrels, measures = judged.read()
    assert topics["1"].text == "why"
    assert qrels == {"1": {"a": 1}}
    assert [str(measure) for measure in measures] == ["nDCG@10", "R@100", "RR@10"]
    assert judged.names_topics


@pytest.mark.parametrize("qrels", ["qrels.tsv.gz", "qrels/test.tsv", "qrels/test.tsv.gz"])
def test_names_that_a_folder_may_have(tmp_path: Path, qrels: str) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "queries.jsonl.gz").write_bytes(gzip.compress(QUERIES.encode()))
    (tmp_path / qrels).write_bytes(gzip.compress(QRELS.encode()))
    topics, judgments, measures = ask(labelled_options, "--data", tmp_path).read()
    assert (len(topics), len(judgments), measures) == (1, 1, ())


def test_files_go_before_the_folder(tmp_path: Path) -> None:
    (tmp_path / "queries.jsonl").write_text(QUERIES)
    (tmp_path / "mine.txt").write_text("1 0 b 1\n")
    judged = ask(judged_options, "--data", tmp_path, "--qrels", tmp_path / "mine.txt")
    assert judged.read()[1] == {"1": {"b": 1}}


def test_judgments_alone(tmp_path: Path) -> None:
    (tmp_path / "qrels.tsv").write_text(QRELS)
    judged = ask(judged_options, "--qrels", tmp_path / "qrels.tsv")
    assert not judged.names_topics
    assert judged.read_qrels() == {"1": {"a": 1}}
    with pytest.raises(click.UsageError, match="give --topics FILE, or --data DIR"):
        judged.read()


def test_a_missing_file_is_found_before_the_other_is_read(tmp_path: Path) -> None:
    (tmp_path / "qrels.tsv").write_text("not judgments")
    with pytest.raises(click.UsageError, match=r"has no queries\.jsonl"):
        ask(judged_options, "--data", tmp_path).read()


def test_measures_are_checked_early(tmp_path: Path) -> None:
    judged = ask(judged_options, "--measure", "p@5,AP", "--measure", "rr")
    assert [str(measure) for measure in judged.measures] == ["P@5", "AP", "RR"]
    with pytest.raises(click.BadParameter, match="unknown measure 'foo'"):
        ask(judged_options, "--measure", "foo")
