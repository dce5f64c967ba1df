"""From files to documents to chunks.

``walk`` finds the files below the given paths, ``read`` gives the documents of one file, ``load``
does both, and ``split`` cuts a document into chunks. Input that cannot be used is reported as a
``Skipped`` in the same stream, and nothing else is lost with it.
"""

from plait.ingest.chunking import Chunking, TokenCounter, split
from plait.ingest.document import Document, Skipped, settle_id
from plait.ingest.jsonl import Fields
from plait.ingest.reading import load, read
from plait.ingest.sources import PassedOver, Root, Source
from plait.ingest.tokens import estimate_tokens
from plait.ingest.walking import walk

__all__ = [
    "Chunking",
    "Document",
    "Fields",
    "PassedOver",
    "Root",
    "Skipped",
    "Source",
    "TokenCounter",
    "estimate_tokens",
    "load",
    "read",
    "settle_id",
    "split",
    "walk",
]
