"""On real collections: what is known to be wrong is found, and nothing where nothing is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import plait
from plait.evaluation import Background, Diagnosis, Topics, diagnose, read_topics, record

pytestmark = [
    pytest.mark.data,
    pytest.mark.model,
    pytest.mark.skipif("PLAIT_DATA" not in os.environ, reason="PLAIT_DATA names no collections"),
]


def diagnosed(name: str, folder: Path, fusion: str, *, topics: int = 100) -> Diagnosis:
    data = Path(os.environ["PLAIT_DATA"]) / name
    asked = list(read_topics(data / "queries.jsonl.gz").items())[:topics]
    with plait.open(folder, embedder="static", analyzer=plait.Analyzer(language="en")) as kb:
        kb.add_files(data / "corpus.jsonl.gz")
        with kb.snapshot() as view:
            recording = record(view, Topics(dict(asked)))
            background = Background.of(view, kb.settings.analyzer, recording)
    return diagnose(recording, fusion=fusion, weights=[1, 1], background=background)


def test_rank_fusion_loses_exact_error_codes(tmp_path: Path) -> None:
    diagnosis = diagnosed("error-codes-id", tmp_path, "rrf(k=60)")
    lost = {finding.kind: finding for finding in diagnosis.findings}["lost_hits"]
    assert (lost.severity, lost.legs) == ("problem", ("bm25",))
    assert lost.figures["kept_by_rsf"] > 0.9 * lost.figures["lost"]


def test_questions_in_another_language(tmp_path: Path) -> None:
    diagnosis = diagnosed("xquad-de2en", tmp_path, "rsf()")
    words = {finding.kind: finding for finding in diagnosis.findings}["unknown_words"]
    assert words.figures["unknown"] > 0.6 * words.figures["words"]


@pytest.mark.parametrize("fusion", ["rsf()", "rrf(k=60)"])
def test_where_both_legs_are_of_use_there_is_nothing_to_say(tmp_path: Path, fusion: str) -> None:
    assert diagnosed("cranfield", tmp_path, fusion).findings == ()
