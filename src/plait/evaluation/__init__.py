"""Evaluation: how well does a system answer, is another one better, and with which settings?"""

from plait.evaluation.comparison import Comparison, Difference, compare
from plait.evaluation.contrast import Contrast, Returned
from plait.evaluation.evaluation import Estimate, Evaluation
from plait.evaluation.qrels import Qrels
from plait.evaluation.recorder import record
from plait.evaluation.recording import Recording
from plait.evaluation.run import Run
from plait.evaluation.statistics import bootstrap_interval, holm, randomization_test
from plait.evaluation.topics import Topics

__all__ = [
    "Comparison",
    "Contrast",
    "Difference",
    "Estimate",
    "Evaluation",
    "Qrels",
    "Recording",
    "Returned",
    "Run",
    "Topics",
    "bootstrap_interval",
    "compare",
    "holm",
    "randomization_test",
    "record",
]
