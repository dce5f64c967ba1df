"""Tuning: method, window and weights chosen on labelled queries, and whether that is real."""

from plait.evaluation.tuning.result import Tried, TuneResult
from plait.evaluation.tuning.space import Candidate, Space
from plait.evaluation.tuning.tuner import fused_by, tune

__all__ = ["Candidate", "Space", "Tried", "TuneResult", "fused_by", "tune"]
