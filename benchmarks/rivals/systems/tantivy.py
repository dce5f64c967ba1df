"""tantivy: an inverted index in files, Lucene's BM25 with its k1=1.2 and lengths in a byte."""

from __future__ import annotations

from typing import Any

import tantivy

from rivals.corpus import Asked
from rivals.systems.system import System


class Adapter(System):
    def build(self) -> None:
        schema = tantivy.SchemaBuilder()
        schema.add_integer_field("number", fast=True)
        # No positions: nothing else that is measured can search phrases either.
        schema.add_text_field("text", stored=True, tokenizer_name="whitespace", index_option="freq")
        (self.folder / "index").mkdir()
        index = tantivy.Index(schema.build(), path=str(self.folder / "index"))
        writer = index.writer(heap_size=500_000_000, num_threads=self.cores)
        for number, text in enumerate(self.corpus.texts()):
            writer.add_document(tantivy.Document(number=number, text=text))
        writer.commit()
        writer.wait_merging_threads()
        self.open()

    def open(self) -> None:
        self.index = tantivy.Index.open(str(self.folder / "index"))
        self.searcher = self.index.searcher()

    def ids(
        self, asked: Asked, top_k: int, *, count: bool = False
    ) -> tuple[list[Any], list[float]]:
        """``count``, as it does unless told otherwise, has it look at every match."""
        hits = self._best(asked, top_k, count=count)
        found = self.searcher.fast_field_values("number", [address for _, address in hits])
        return found, [score for score, _ in hits]

    def contents(self, asked: Asked, top_k: int) -> list[str]:
        return [self.searcher.doc(address)["text"][0] for _, address in self._best(asked, top_k)]

    def _best(self, asked: Asked, top_k: int, *, count: bool = False) -> list[Any]:
        query = self.index.parse_query(asked.text, ["text"])
        hits: list[Any] = self.searcher.search(query, top_k, count=count).hits
        return hits
