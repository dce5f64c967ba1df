"""A corpus in a folder, as every system reads it: texts, vectors, queries. Needs NumPy alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

TEXTS, RAW, QUERIES = "texts.txt", "raw.txt", "queries.json"
VECTORS, QUERY_VECTORS = "vectors.npy", "query_vectors.npy"


@dataclass(frozen=True)
class Asked:
    """One query: its words, its vector, or both."""

    text: str
    vector: Any


class Corpus:
    """Documents in a folder; the number of a document is its line and its row.

    ``texts.txt`` holds a document a line, words between spaces that every tokenizer takes the same
    way; ``raw.txt`` the text that they came from where that is another.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def size(self) -> int:
        if self.has_vectors:
            return len(self.vectors)
        return sum(1 for _ in self.texts())

    @property
    def has_vectors(self) -> bool:
        return (self.folder / VECTORS).exists()

    @cached_property
    def vectors(self) -> Any:
        """Unit vectors, float32 of shape (documents, dimensions), read from the file as used."""
        return np.load(self.folder / VECTORS, mmap_mode="r")

    @cached_property
    def query_texts(self) -> list[str]:
        texts: list[str] = json.loads((self.folder / QUERIES).read_text(encoding="utf-8"))
        return texts

    @cached_property
    def query_vectors(self) -> Any:
        return np.load(self.folder / QUERY_VECTORS)

    def texts(self, *, raw: bool = False) -> Iterator[str]:
        name = RAW if raw and (self.folder / RAW).exists() else TEXTS
        with (self.folder / name).open(encoding="utf-8", newline="\n") as file:
            for line in file:
                yield line[:-1]

    def asked(self, number: int) -> Asked:
        """A query by its number, over and over again from the first after the last."""
        vector = None
        if self.has_vectors:
            vector = self.query_vectors[number % len(self.query_vectors)]
        return Asked(self.query_texts[number % len(self.query_texts)], vector)


def name_of(number: int) -> str:
    """The id of a document; ids sort as their numbers do."""
    return f"{number:07}"


def number_of(name: Any) -> int:
    """The number of a document from the id that a system gave back."""
    return int(name)
