"""The persistent collection: one SQLite file as the only truth, an index beside it.

``opening`` goes from a folder and a name to a ``collection``, the public class. ``schema`` has the
tables, ``rows`` turns chunks and vectors into rows and back, ``stored`` has what other rows say;
``connections``, ``store``, ``reading`` and ``writing`` are transactions. ``writer`` writes chunks,
``vectors`` makes what they lack, ``files`` and ``places`` bring in documents. ``segments`` are
files that hold the index of most chunks, ``tail`` is the rest in memory, ``index`` brings both up
to date, ``verifying`` reads everything. ``view`` pins one state of index and file, ``retriever``
is the hybrid that asks it, ``snapshot`` a state kept for longer. ``tuning`` is a fusion chosen by
evidence, and ``fusing`` says when a query goes by it; ``exchanged`` is the index with other chunks
in the place of some. ``searching`` and ``closing`` are what a collection and a snapshot of it have
in common.
"""

from plait.collection.collection import Collection
from plait.collection.files import FilesReport
from plait.collection.opening import (
    collections,
    describe,
    open,  # noqa: A004 (plait.open)
    remove_if_empty,
    verify,
)
from plait.collection.progress import Progress
from plait.collection.retriever import CollectionRetriever
from plait.collection.settings import Settings
from plait.collection.snapshot import Snapshot
from plait.collection.tuning import Tuning

__all__ = [
    "Collection",
    "CollectionRetriever",
    "FilesReport",
    "Progress",
    "Settings",
    "Snapshot",
    "Tuning",
    "collections",
    "describe",
    "open",
    "remove_if_empty",
    "verify",
]
