"""Files that cannot lie: named arrays under checksums, written whole or not at all."""

from plait.storage.arrays import Arrays, MemoryArrays

__all__ = ["Arrays", "MemoryArrays"]
