"""What a collection is, as JSON values, read from its file without loading anything else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from plait.collection.reading import Reading
from plait.collection.schema import FORMAT
from plait.collection.store import Store
from plait.collection.stored import vectors_of
from plait.collection.tuning import Tuning

__all__ = ["describe", "stamped"]


def describe(name: str, store: Store) -> Mapping[str, Any]:
    """What a collection is and what decides its answers."""
    with store.reading() as reading:
        state, settings, roots = reading.state(), reading.settings(), reading.roots()
        counts = {"chunks": reading.count(), "documents": reading.count_documents()}
        tuning, made = reading.tuning(), _made_of(reading)
        space = state.space
        segments = reading.segments(space)
        uncovered = reading.count(above=max((each.upto for each in segments), default=0))
        calibration = None if space is None else reading.calibration(space)
    made_by = None if space is None else space.identity
    return {
        "type": "Collection",
        "name": name,
        "path": str(store.path),
        "bytes": store.size() + sum(each.bytes for each in segments),
        "format": FORMAT,
        "generation": state.generation,
        **counts,
        "roots": roots,
        "embedder": None if space is None else space.spec,
        "embedder_identity": None if made_by is None else made_by.to_dict(),
        "dim": None if space is None else space.dim,
        **{name: settings[name] for name in ("analyzer", "bm25", "metric", "chunking", "fusion")},
        "window": int(settings["window"]),
        "segments": [
            {"file": each.name, "chunks": each.chunks, "bytes": each.bytes} for each in segments
        ],
        "indexed_in_memory": uncovered,
        "calibration": None if calibration is None else calibration.to_dict(),
        "tuning": None if tuning is None else {**tuning.to_dict(), "stale": tuning.stale(**made)},
    }


def stamped(tuning: Tuning, reading: Reading) -> Tuning:
    """The tuning with what the collection is made of now in its evidence."""
    return replace(tuning, evidence={**tuning.evidence, "collection": _made_of(reading)})


def _made_of(reading: Reading) -> dict[str, Any]:
    """What weights depend on, as ``Tuning.stale`` takes it."""
    return {"chunks": reading.count(), "vectors": vectors_of(reading.state().space)}
