"""Files that cannot lie: named arrays under checksums, written whole or not at all."""

from plait.storage.array_file import ArrayFile, FileMark, write_arrays
from plait.storage.arrays import Arrays, MemoryArrays
from plait.storage.files import Files
from plait.storage.lock import FileLock
from plait.storage.names import Names, Order
from plait.storage.streamed import Storable, Streamed, neighbors

__all__ = [
    "ArrayFile",
    "Arrays",
    "FileLock",
    "FileMark",
    "Files",
    "MemoryArrays",
    "Names",
    "Order",
    "Storable",
    "Streamed",
    "neighbors",
    "write_arrays",
]
