"""What a collection says of itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from plait.collection import Collection
from plait.types import Chunk

Make = Callable[..., Collection]


def test_it_is_json_and_whole(make: Make, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("Cats purr.")
    kb = make("mine")
    kb.add([Chunk("dogs bark", id="d")])
    kb.add_files(tmp_path / "docs")
    said = dict(kb.describe())
    assert json.loads(json.dumps(said)) == said
    assert said.pop("bytes") >= (folder / "mine.plait").stat().st_size
    assert said.pop("embedder_identity")["weights"] == "code:hash-1"
    assert said == {
        "type": "Collection",
        "name": "mine",
        "path": str(folder / "mine.plait"),
        "format": 3,
        "generation": 3,
        "chunks": 2,
        "documents": 1,
        "roots": {"docs": str(tmp_path / "docs")},
        "embedder": "hash(dim=32)",
        "dim": 32,
        "analyzer": str(kb.settings.analyzer),
        "bm25": "bm25(variant='lucene', k1=1.5, b=0.75)",
        "metric": "cosine",
        "chunking": str(kb.settings.chunking),
        "fusion": "auto(coverage=0.5, lead=0.5)",
        "window": 200,
        "segments": [],
        "indexed_in_memory": 2,
        "calibration": None,
        "tuning": None,
    }


def test_without_vectors(make: Make) -> None:
    said = make(embedder=None).describe()
    assert (said["embedder"], said["embedder_identity"], said["dim"]) == (None, None, None)
