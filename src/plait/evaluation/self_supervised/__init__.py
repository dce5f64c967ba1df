"""Weights that need no labels: a collection asks itself its own sentences."""

from plait.evaluation.self_supervised.holding_out import HeldOut, hold_out
from plait.evaluation.self_supervised.self_tuning import SelfTuning, tune_self, weigh
from plait.evaluation.self_supervised.shift import features, likeness

__all__ = ["HeldOut", "SelfTuning", "features", "hold_out", "likeness", "tune_self", "weigh"]
