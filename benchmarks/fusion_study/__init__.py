"""The fusion study: every fusion on every collection with every embedder, and what auto adds."""
