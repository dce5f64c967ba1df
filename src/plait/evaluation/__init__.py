"""Evaluation: topics, judgments and runs; measures, comparison, tuning and diagnosis."""
