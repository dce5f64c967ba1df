"""Refining: what happens to hits after fusion; pure functions from hits to hits."""
