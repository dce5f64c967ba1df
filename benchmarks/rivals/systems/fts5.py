"""FTS5, the full-text index that comes with SQLite and so with Python."""

from __future__ import annotations

import sqlite3
from typing import Any

from rivals.corpus import Asked
from rivals.systems.system import System


class Adapter(System):
    def build(self) -> None:
        with sqlite3.connect(self.folder / "fts5.db") as database:
            database.execute("CREATE VIRTUAL TABLE docs USING fts5(text)")
            database.executemany(
                "INSERT INTO docs(rowid, text) VALUES (?, ?)", enumerate(self.corpus.texts())
            )
            database.commit()
            database.execute("INSERT INTO docs(docs) VALUES ('optimize')")
        database.close()
        self.open()

    def open(self) -> None:
        self.database = sqlite3.connect(self.folder / "fts5.db")

    def ids(self, asked: Asked, top_k: int) -> tuple[list[Any], list[float]]:
        rows = self._rows("rowid, rank", asked, top_k)
        return [number for number, _ in rows], [-rank for _, rank in rows]

    def contents(self, asked: Asked, top_k: int) -> list[str]:
        return [text for (text,) in self._rows("text", asked, top_k)]

    def _rows(self, columns: str, asked: Asked, top_k: int) -> list[Any]:
        words = " OR ".join(f'"{word}"' for word in asked.text.split())
        return self.database.execute(
            f"SELECT {columns} FROM docs WHERE docs MATCH ? ORDER BY rank LIMIT ?",
            (words, top_k),
        ).fetchall()
