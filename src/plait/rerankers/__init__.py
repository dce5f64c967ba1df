"""Rerankers: a second look at the best candidates."""
