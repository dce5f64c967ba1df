"""Tuning: method, window and weights chosen on labelled queries, and whether that is real."""
