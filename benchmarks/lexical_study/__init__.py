"""The lexical study: BM25's parameters and the analyzer's settings on every collection."""
