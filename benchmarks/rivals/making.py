"""Make the corpora once, in a work folder: what is there is not made again."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from corpora import zipf_documents, zipf_queries

from rivals.corpus import QUERIES, QUERY_VECTORS, RAW, TEXTS, VECTORS, Corpus
from rivals.truth import best_by_words
from rivals.vectors import enlarged, matching_sigma, nearest, pooled, real_sets

ASKED = 320  # queries of a corpus
DEPTH = 200  # the deepest ranking that is asked for
_WORDS = re.compile(r"[a-z0-9]+")


def zipf(work: Path, documents: int) -> Corpus:
    """Texts and queries of the seeded corpus."""
    folder = work / f"words-{documents}"
    _once(folder / TEXTS, lambda file: _write(file, map(" ".join, zipf_documents(documents))))
    _once(folder / QUERIES, lambda file: _write_json(file, zipf_queries(ASKED)))
    return Corpus(folder)


def with_vectors(work: Path, documents: int, vectors: Path, model: str) -> Corpus:
    """The seeded corpus with vectors: real ones of a model, enlarged to its size."""
    plain, folder = zipf(work, documents).folder, work / f"both-{documents}"
    for name in (TEXTS, QUERIES):
        _once(folder / name, lambda file, name=name: shutil.copyfile(plain / name, file))
    if not (folder / VECTORS).exists():
        docs, queries = pooled(real_sets(vectors, model), ASKED)
        sigma, real, made = matching_sigma(docs, documents)
        np.save(folder / QUERY_VECTORS, queries)
        facts = {"model": model, "real": len(docs), "sigma": sigma}
        facts |= {"tenth_neighbor_real": round(real, 4), "tenth_neighbor_made": round(made, 4)}
        _write_json(folder / "facts.json", facts)
        _once(folder / VECTORS, lambda file: _save(file, enlarged(docs, documents, sigma)))
    return Corpus(folder)


def real(work: Path, data: Path, name: str) -> Corpus:
    """A collection in BEIR's shape: ``texts`` its words in lower case, ``raw`` as it is."""
    folder = work / f"real-{name}"
    _once(folder / RAW, lambda file: _write(file, map(_line, _rows(data / name, "corpus"))))
    corpus = Corpus(folder)
    _once(folder / TEXTS, lambda file: _write(file, map(_plain, corpus.texts(raw=True))))
    _once(folder / QUERIES, lambda file: _write_json(file, _questions(data / name)))
    return corpus


def vector_sets(work: Path, vectors: Path, model: str) -> dict[str, Corpus]:
    """Every real set of vectors as a corpus whose documents have a word each."""
    made = {}
    for name, (docs, queries) in real_sets(vectors, model).items():
        made[name] = _vector_set(work / f"set-{name}-{model}", docs, queries)
    return made


def _vector_set(folder: Path, docs: Any, queries: Any) -> Corpus:
    _once(folder / TEXTS, lambda file: _write(file, _words(len(docs))))
    _once(folder / QUERIES, lambda file: _write_json(file, _words(len(queries))))
    _once(folder / VECTORS, lambda file: _save(file, docs))
    _once(folder / QUERY_VECTORS, lambda file: _save(file, queries))
    return Corpus(folder)


def nearest_of(corpus: Corpus) -> tuple[Any, Any]:
    """The exact nearest of every query, and their similarities; see ``vectors.nearest``."""
    file = corpus.folder / "nearest.npz"
    if not file.exists():
        numbers, scores = nearest(corpus.vectors, corpus.query_vectors, 2 * DEPTH)
        _once(file, lambda place: np.savez(place, numbers=numbers, scores=scores))
    with np.load(file) as held:
        return held["numbers"], held["scores"]


def best_of(corpus: Corpus) -> tuple[list[Any], list[Any]]:
    """The exact best of every query by its words; see ``truth.best_by_words``."""
    file = corpus.folder / "best.npz"
    if not file.exists():
        found, scores = best_by_words(corpus.texts(), corpus.query_texts, DEPTH)
        sizes = np.array([len(each) for each in found])
        _once(
            file,
            lambda place: np.savez(
                place, numbers=np.concatenate(found), scores=np.concatenate(scores), sizes=sizes
            ),
        )
    with np.load(file) as held:
        cuts = np.cumsum(held["sizes"])[:-1]
        return np.split(held["numbers"], cuts), np.split(held["scores"], cuts)


def facts_of(corpus: Corpus) -> dict[str, Any]:
    """How the vectors of a corpus were made."""
    facts: dict[str, Any] = json.loads((corpus.folder / "facts.json").read_text(encoding="utf-8"))
    return facts


def _once(file: Path, make: Callable[[Path], Any]) -> None:
    """Make a file, whole or not at all."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_name(f"part-{file.name}")
        make(part)
        part.replace(file)


def _write(file: Path, lines: Iterable[str]) -> None:
    with file.open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(f"{line}\n" for line in lines)


def _write_json(file: Path, value: Any) -> None:
    file.write_text(json.dumps(value), encoding="utf-8")


def _save(file: Path, rows: Any) -> None:
    np.save(file, np.asarray(rows, dtype=np.float32))


def _rows(folder: Path, name: str) -> Iterable[dict[str, str]]:
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def _line(row: dict[str, str]) -> str:
    return " ".join(f"{row.get('title') or ''} {row['text']}".split()) or "empty"


def _plain(text: str) -> str:
    return " ".join(_WORDS.findall(text.lower())) or "empty"


def _words(count: int) -> list[str]:
    return [f"w{number}" for number in range(count)]


def _questions(folder: Path) -> list[str]:
    """Some of the queries of a collection, spread over all of them."""
    given = [_plain(row["text"]) for row in _rows(folder, "queries")]
    step = max(1, len(given) // ASKED)
    return given[::step][:ASKED]
