"""Weights that need no labels: a collection asks itself its own sentences."""

from plait.evaluation.self_supervised.holding_out import HeldOut, hold_out
from plait.evaluation.self_supervised.result import SelfTuning
from plait.evaluation.self_supervised.shift import features, likeness
from plait.evaluation.self_supervised.tuner import tune_self
from plait.evaluation.self_supervised.weighing import weigh

__all__ = ["HeldOut", "SelfTuning", "features", "hold_out", "likeness", "tune_self", "weigh"]
