"""Evaluation: how well does a system answer, is another one better, and with which settings?"""

from plait.evaluation.evaluation import Estimate, Evaluation
from plait.evaluation.qrels import Qrels
from plait.evaluation.recorder import record
from plait.evaluation.recording import Recording
from plait.evaluation.run import Run
from plait.evaluation.statistics import bootstrap_interval, holm, randomization_test
from plait.evaluation.topics import Topics

__all__ = [
    "Estimate",
    "Evaluation",
    "Qrels",
    "Recording",
    "Run",
    "Topics",
    "bootstrap_interval",
    "holm",
    "randomization_test",
    "record",
]
