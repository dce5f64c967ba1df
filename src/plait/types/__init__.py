"""The values that flow from a query to its result. All are frozen.

``Query`` goes in, as one ``Variant`` or several; each leg answers with a ``Ranking``, fusion makes
``Hit`` values with their ``Contribution`` values, and a ``SearchResult`` carries them out with a
``LegReport`` per leg.
"""

from plait.types.checks import FloatVector
from plait.types.chunk import Chunk, in_reading_order
from plait.types.hit import Contribution, Hit, ScoreKind
from plait.types.passage import Passage
from plait.types.query import Query, QueryLike
from plait.types.ranking import Ranking
from plait.types.result import LegReport, LegStatus, SearchResult
from plait.types.variant import ORIGINAL, Variant, VariantLegs, alone

__all__ = [
    "ORIGINAL",
    "Chunk",
    "Contribution",
    "FloatVector",
    "Hit",
    "LegReport",
    "LegStatus",
    "Passage",
    "Query",
    "QueryLike",
    "Ranking",
    "ScoreKind",
    "SearchResult",
    "Variant",
    "VariantLegs",
    "alone",
    "in_reading_order",
]
