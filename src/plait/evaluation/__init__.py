"""Evaluation: how well does a system answer, is another one better, and with which settings?"""

from plait.evaluation.comparison import Comparison, compare
from plait.evaluation.contrast import Contrast, Returned
from plait.evaluation.diagnosis import Background, Diagnosis, Finding, diagnose, sample_topics
from plait.evaluation.difference import Difference
from plait.evaluation.evaluating import evaluate
from plait.evaluation.evaluation import Estimate, Evaluation
from plait.evaluation.learning import learn
from plait.evaluation.measures import Measure, parse_measure
from plait.evaluation.qrels import Qrels
from plait.evaluation.query_log import read_queries
from plait.evaluation.reading import read_qrels, read_run, read_topics
from plait.evaluation.recorder import record
from plait.evaluation.recording import Recording
from plait.evaluation.run import Run
from plait.evaluation.scoring import score_run
from plait.evaluation.self_supervised import SelfTuning, tune_self
from plait.evaluation.statistics import bootstrap_interval, holm, randomization_test
from plait.evaluation.topics import Topics
from plait.evaluation.tuning import Candidate, Space, Tried, TuneResult, tune
from plait.evaluation.writing import write_run

__all__ = [
    "Background",
    "Candidate",
    "Comparison",
    "Contrast",
    "Diagnosis",
    "Difference",
    "Estimate",
    "Evaluation",
    "Finding",
    "Measure",
    "Qrels",
    "Recording",
    "Returned",
    "Run",
    "SelfTuning",
    "Space",
    "Topics",
    "Tried",
    "TuneResult",
    "bootstrap_interval",
    "compare",
    "diagnose",
    "evaluate",
    "holm",
    "learn",
    "parse_measure",
    "randomization_test",
    "read_qrels",
    "read_queries",
    "read_run",
    "read_topics",
    "record",
    "sample_topics",
    "score_run",
    "tune",
    "tune_self",
    "write_run",
]
