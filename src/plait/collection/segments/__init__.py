"""Segments: the index of most chunks in files that are derived from the collection's file."""

from plait.collection.segments.coverage import Deletions, Span, gaps, without_overlaps
from plait.collection.segments.gathering import Gathering
from plait.collection.segments.keeper import SUFFIX, Keeper, remove_segments
from plait.collection.segments.segment import Segment, open_segment

__all__ = [
    "SUFFIX",
    "Deletions",
    "Gathering",
    "Keeper",
    "Segment",
    "Span",
    "gaps",
    "open_segment",
    "remove_segments",
    "without_overlaps",
]
