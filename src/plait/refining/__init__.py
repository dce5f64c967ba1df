"""Refining: what happens to hits after fusion; pure functions from hits to hits."""

from plait.refining.diversity import AtMost, Diversity, Mmr, RoundRobin, parse_diversity
from plait.refining.expansion import (
    Expanded,
    Expansion,
    Fetch,
    Neighbors,
    SameSection,
    WholeDocument,
    expand,
    parse_expansion,
)
from plait.refining.feasibility import check_thresholds
from plait.refining.grouping import Group, Grouped, Grouping, group_hits
from plait.refining.refined import Refined
from plait.refining.thresholds import Threshold, apply_threshold

__all__ = [
    "AtMost",
    "Diversity",
    "Expanded",
    "Expansion",
    "Fetch",
    "Group",
    "Grouped",
    "Grouping",
    "Mmr",
    "Neighbors",
    "Refined",
    "RoundRobin",
    "SameSection",
    "Threshold",
    "WholeDocument",
    "apply_threshold",
    "check_thresholds",
    "expand",
    "group_hits",
    "parse_diversity",
    "parse_expansion",
]
