"""The conformance suite: what every retriever and every store promises, as tests to inherit.

Nothing here needs pytest. Subclass, say how to make one, and let a runner find the subclass::

    from plait.testing import RetrieverConformance

    class TestMyRetriever(RetrieverConformance):
        def make(self, chunks):
            return MyRetriever(chunks)

``RetrieverConformance`` is about answering, ``WritableConformance`` adds add, upsert, delete and
clear, ``CollectionConformance`` adds search by pages and reopening. A test of something that a
retriever does not offer raises ``unittest.SkipTest``, which pytest and unittest both understand.
"""

from plait.testing.collection import CollectionConformance
from plait.testing.retriever import RetrieverConformance
from plait.testing.sample import CHUNKS, FILTERS, QUERIES
from plait.testing.writing import WritableConformance

__all__ = [
    "CHUNKS",
    "FILTERS",
    "QUERIES",
    "CollectionConformance",
    "RetrieverConformance",
    "WritableConformance",
]
