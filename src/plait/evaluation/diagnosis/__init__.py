"""Diagnosis: what is wrong with the legs and their fusion, without judgments or with.

One module per kind of finding; each is a pure function over a ``Case``, and holds its thresholds
with their reasons.
"""

from plait.evaluation.diagnosis.background import Background
from plait.evaluation.diagnosis.diagnosis import Diagnosis, diagnose
from plait.evaluation.diagnosis.finding import Example, Finding, Severity
from plait.evaluation.diagnosis.legs import LegFigures
from plait.evaluation.diagnosis.pairs import Pair
from plait.evaluation.diagnosis.sampling import sample_topics
from plait.evaluation.diagnosis.terms import QueryTerms

__all__ = [
    "Background",
    "Diagnosis",
    "Example",
    "Finding",
    "LegFigures",
    "Pair",
    "QueryTerms",
    "Severity",
    "diagnose",
    "sample_topics",
]
