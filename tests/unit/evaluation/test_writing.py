"""Runs for trec_eval: columns, scores that keep the order, ids that the format cannot hold."""

import gzip
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from plait.errors import ConfigurationError
from plait.evaluation import Run, read_run, write_run


def scores_in(path: Path) -> list[float]:
    return [float(line.split()[4]) for line in path.read_text().splitlines()]


def test_columns(tmp_path: Path) -> None:
    write_run(Run("my run", {"1": (("a", 2.0), ("b", 0.5)), "2": ()}), tmp_path / "a.run")
    assert (tmp_path / "a.run").read_text() == "1 Q0 a 1 2 my_run\n1 Q0 b 2 0.5 my_run\n"


@pytest.mark.parametrize(
    "scores",
    [
        [1.0, 1.0, 1.0, 0.5],
        [0.0, 0.0, -0.0],
        [1 / 61 + 1e-12, 1 / 61, 1 / 61 - 1e-12],  # equal in single precision
        [1e300, 1e299, 1e39],  # beyond it
        [-1e39, -1e300, -1e301],
        [1e-50, 1e-60, 0.0],
        [16777217.0, 16777216.0, 16777216.0],
    ],
)
def test_scores_descend_in_single_precision(tmp_path: Path, scores: list[float]) -> None:
    path = tmp_path / "a.run"
    # Ids against the order that trec_eval has for ties, and with it.
    for names in ("abcd", "dcba"):
        run = Run("x", {"1": tuple(zip(names, scores, strict=False))})
        write_run(run, path)
        written = np.array(scores_in(path), dtype=np.float32)
        assert all(above > below for above, below in pairwise(written))
        assert np.isfinite(written).all()
        found = [document for document, _ in read_run(path).rankings["1"]]
        assert found == list(names[: len(scores)])


def test_scores_without_ties_are_written_as_they_are(tmp_path: Path) -> None:
    write_run(Run("x", {"1": (("a", 0.1), ("b", 1 / 3))[:1]}), tmp_path / "a.run")
    assert scores_in(tmp_path / "a.run") == [pytest.approx(0.1, rel=1e-7)]


def test_a_document_is_written_once_at_its_best_place(tmp_path: Path) -> None:
    write_run(Run("x", {"1": (("a", 3.0), ("b", 2.0), ("a", 1.0))}), tmp_path / "a.run")
    assert [line.split()[2:4] for line in (tmp_path / "a.run").read_text().splitlines()] == [
        ["a", "1"],
        ["b", "2"],
    ]


def test_compressed_by_name_with_equal_bytes(tmp_path: Path) -> None:
    run = Run("x", {"1": (("ä", 1.0),)})
    write_run(run, tmp_path / "a.run.gz")
    first = (tmp_path / "a.run.gz").read_bytes()
    write_run(run, tmp_path / "a.run.gz")
    assert (tmp_path / "a.run.gz").read_bytes() == first
    assert gzip.decompress(first).decode() == "1 Q0 ä 1 1 x\n"


@pytest.mark.parametrize("identity", ["my file.md", "a\tb", "a\nb", "a\u00a0b", "a\0b"])
def test_refuses_ids_that_columns_cannot_hold(tmp_path: Path, identity: str) -> None:
    for run in (Run("x", {"1": ((identity, 1.0),)}), Run("x", {identity: (("a", 1.0),)})):
        with pytest.raises(ConfigurationError, match="has white space in it"):
            write_run(run, tmp_path / "a.run")
    assert not (tmp_path / "a.run").exists()
