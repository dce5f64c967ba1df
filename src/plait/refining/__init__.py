"""Refining: what happens to hits after fusion; pure functions from hits to hits."""

from plait.refining.diversity import AtMost, Diversity, Mmr, RoundRobin, parse_diversity

__all__ = ["AtMost", "Diversity", "Mmr", "RoundRobin", "parse_diversity"]
