"""Compose a query: plan it, run the legs, fuse their rankings, cut the page.

``leg`` is a retriever's place in a hybrid, ``callable`` makes one of a function, ``plan`` settles
a query's arguments, ``boundary`` turns a leg's answer into a ranking, ``outcome`` says what became
of each leg, ``retriever`` is the composer, ``writing`` its writing half.
"""

from plait.hybrid.callable import CallableRetriever
from plait.hybrid.leg import Leg
from plait.hybrid.retriever import Asked, HybridRetriever

__all__ = ["Asked", "CallableRetriever", "HybridRetriever", "Leg"]
