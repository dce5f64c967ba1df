"""ArrayFile: named arrays in one file, mapped into memory, each block under a checksum.

::

    magic         8 bytes       b"plaitseg"
    version       4 bytes       unsigned, little-endian, like every number here
    header bytes  4 bytes
    header        JSON          {"meta", "arrays": {name: [dtype, shape, offset]}, "data": bytes}
    digest        16 bytes      BLAKE2b over all that stands before it
    zeros         to a multiple of 4096 bytes
    data          the arrays, each from a multiple of 64 bytes on, zeros between them, and behind
                  the last to a multiple of 4096 bytes; offsets count from here
    sums          4 bytes each  CRC-32 of each 4096 bytes of the data
    digest        16 bytes      BLAKE2b over the sums

At open the header, the size of the file and the sums are checked, which reads a thousandth of the
file. A block of the data is checked when it is first touched. Nothing in the file is code.
"""

from __future__ import annotations

import hashlib
import json
import math
import mmap
import struct
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plait.errors import IndexFormatError, StoreError
from plait.storage.files import Files

__all__ = ["VERSION", "ArrayFile", "FileMark", "write_arrays"]

VERSION = 1
"""Version of the format."""

_MAGIC = b"plaitseg"
_PREFIX = struct.Struct("<8sII")
_BLOCK = 4096
_ALIGNED = 64
_DIGEST = 16
_SUM = np.dtype("<u4")
_PIECE = 1 << 22  # bytes that are written at a time, whole blocks
_DTYPES = frozenset({"|u1", "|i1", "<u2", "<u4", "<u8", "<i4", "<i8", "<f4", "<f8"})


class FileMark(NamedTuple):
    """What a file is recognized by.

    Attributes:
        bytes: Its size.
        digest: A checksum over all of it, in hexadecimal.
    """

    bytes: int
    digest: str


def write_arrays(
    path: Path, arrays: Mapping[str, NDArray[Any]], *, meta: Mapping[str, Any], files: Files
) -> FileMark:
    """Write a file of arrays that is not there yet, whole or not at all.

    Args:
        path: The file.
        arrays: By name, of at least one dimension, of little-endian numbers.
        meta: JSON values to keep beside them.
        files: The file system.

    Raises:
        StoreError: It cannot be written; nothing of it stays.
    """
    laid = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    places: dict[str, list[Any]] = {}
    end = 0
    for name, array in laid.items():
        if array.dtype.str not in _DTYPES or not array.ndim:
            raise ValueError(f"array {name!r} is {array.dtype.str} of shape {array.shape}")
        offset = _up(end, _ALIGNED)
        places[name] = [array.dtype.str, list(array.shape), offset]
        end = offset + array.nbytes
    data_bytes = _up(end, _BLOCK)
    header = json.dumps({"meta": dict(meta), "arrays": places, "data": data_bytes}).encode()
    head = _PREFIX.pack(_MAGIC, VERSION, len(header)) + header
    head += _digest(head)
    sums: list[int] = []

    def data() -> Iterator[bytes | memoryview]:
        at = 0
        for name, array in laid.items():
            offset = places[name][2]
            yield bytes(offset - at)
            yield array.reshape(-1).view(np.uint8).data
            at = offset + array.nbytes
        yield bytes(data_bytes - at)

    def pieces() -> Iterator[bytes | memoryview]:
        yield head + bytes(_up(len(head), _BLOCK) - len(head))
        for piece in _in_blocks(data()):
            sums.extend(zlib.crc32(piece[at : at + _BLOCK]) for at in range(0, len(piece), _BLOCK))
            yield piece
        packed = np.array(sums, dtype=_SUM).tobytes()
        yield packed + _digest(packed)

    size = files.write(path, pieces())
    return FileMark(size, _mark(head, np.array(sums, dtype=_SUM).tobytes()))


class ArrayFile:
    """The arrays of a file that ``write_arrays`` made; see ``Arrays``.

    The file stays mapped as long as one of its arrays is used, also when it has been removed.

    Attributes:
        path: The file.
        meta: What was written beside the arrays.
        mark: What it is recognized by.

    Raises:
        IndexFormatError: It is missing, damaged, cut short, of a newer format, or not plait's.
        StoreError: It cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                size = file.seek(0, 2)
                if size < _PREFIX.size:
                    raise self._damaged(f"it has {size} bytes")
                mapped = np.frombuffer(
                    mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), dtype=np.uint8
                )
        except FileNotFoundError as error:
            raise IndexFormatError(f"{path} is missing", str(path)) from error
        except OSError as error:
            raise StoreError(f"{path} cannot be read: {error.strerror}", str(path)) from error
        head = self._head(mapped)
        try:
            self._lay_out(mapped, head)
        except (KeyError, TypeError, ValueError) as error:  # of a hand that knows the format
            raise self._damaged("its header makes no sense") from error

    def _lay_out(self, mapped: NDArray[np.uint8], head: bytes) -> None:
        """Find the arrays that a header speaks of."""
        size = len(mapped)
        header = json.loads(head[_PREFIX.size : -_DIGEST])
        start, data_bytes = _up(len(head), _BLOCK), header["data"]
        blocks = data_bytes // _BLOCK
        if size != start + data_bytes + blocks * _SUM.itemsize + _DIGEST:
            raise self._damaged(f"it has {size} bytes")
        if mapped[len(head) : start].any():
            raise self._damaged("there is something behind its header")
        sums = mapped[start + data_bytes : size - _DIGEST].tobytes()
        if _digest(sums) != mapped[size - _DIGEST :].tobytes():
            raise self._damaged("its checksums do not match theirs")
        self.meta: Mapping[str, Any] = header["meta"]
        self.mark = FileMark(size, _mark(head, sums))
        self._data = mapped[start : start + data_bytes]
        self._sums = np.frombuffer(sums, dtype=_SUM)
        self._checked = np.zeros(blocks, dtype=np.bool_)
        self._whole: set[str] = set()
        self._places: dict[str, tuple[int, int]] = {}  # offset, bytes of an element
        self._arrays: dict[str, NDArray[Any]] = {}
        for name, (dtype, shape, offset) in header["arrays"].items():
            if dtype not in _DTYPES:
                raise ValueError(dtype)
            kind = np.dtype(dtype)
            array = self._data[offset : offset + kind.itemsize * math.prod(shape)].view(kind)
            self._arrays[name] = array.reshape(shape)
            self._places[name] = offset, kind.itemsize * math.prod(shape[1:])

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def __getitem__(self, name: str) -> NDArray[Any]:
        """The array as it lies there, not yet checked."""
        return self._arrays[name]

    def touch(self, name: str, start: int = 0, stop: int | None = None) -> None:
        """Check the elements ``start`` to ``stop`` along the first axis, once for each block."""
        if name in self._whole:
            return
        rows = len(self._arrays[name])
        stop = rows if stop is None else min(stop, rows)
        offset, stride = self._places[name]
        if start < stop and stride:
            first = (offset + start * stride) // _BLOCK
            last = (offset + stop * stride - 1) // _BLOCK
            if last - first < 2 and self._checked[first] and self._checked[last]:
                return  # by far the most frequent
            unchecked = np.flatnonzero(~self._checked[first : last + 1])
            if len(unchecked):
                self._check(unchecked + first)
        if start == 0 and stop == rows:
            self._whole.add(name)

    def touch_rows(self, name: str, rows: NDArray[np.integer]) -> None:
        """The same for single elements along the first axis, shape (n,)."""
        offset, stride = self._places[name]
        if name in self._whole or not len(rows) or not stride:
            return
        first = (offset + rows.astype(np.int64) * stride) // _BLOCK
        for step in range((stride - 1) // _BLOCK + 2):
            last = (offset + (rows.astype(np.int64) + 1) * stride - 1) // _BLOCK
            blocks = np.minimum(first + step, last)
            unchecked = blocks[~self._checked[blocks]]
            if len(unchecked):
                self._check(np.unique(unchecked))

    def read(self, name: str, start: int = 0, stop: int | None = None) -> NDArray[Any]:
        """The elements ``start`` to ``stop``, checked."""
        self.touch(name, start, stop)
        return self._arrays[name][start:stop]

    def verify(self) -> None:
        """Check everything, whatever was checked before.

        Raises:
            IndexFormatError: Something is not as it was written.
        """
        self._check(np.arange(len(self._checked)))

    def _check(self, blocks: NDArray[np.int64]) -> None:
        data, sums = self._data.data, self._sums
        for block in blocks.tolist():
            at = block * _BLOCK
            if zlib.crc32(data[at : at + _BLOCK]) != sums[block]:
                raise self._damaged(f"the block at byte {at} of its data was changed")
        self._checked[blocks] = True

    def _head(self, mapped: NDArray[np.uint8]) -> bytes:
        """What stands before the data, checked."""
        magic, version, length = _PREFIX.unpack(mapped[: _PREFIX.size].tobytes())
        if magic != _MAGIC:
            raise self._damaged("it does not begin as one")
        if version > VERSION:
            raise IndexFormatError(
                f"{self.path} has format {version}, this version of plait reads format {VERSION}; "
                "upgrade plait to use it",
                str(self.path),
            )
        head = mapped[: _PREFIX.size + length + _DIGEST].tobytes()
        if len(head) < _PREFIX.size + length + _DIGEST or (
            _digest(head[:-_DIGEST]) != head[-_DIGEST:]
        ):
            raise self._damaged("its header does not match its checksum")
        return head

    def _damaged(self, what: str) -> IndexFormatError:
        return IndexFormatError(
            f"{self.path} is damaged: {what}, so it is not the file of arrays that was written",
            str(self.path),
        )


def _up(size: int, unit: int) -> int:
    return -(-size // unit) * unit


def _mark(head: bytes, sums: bytes) -> str:
    return _digest(head + sums).hex()


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST).digest()


def _in_blocks(pieces: Iterator[bytes | memoryview]) -> Iterator[bytes | memoryview]:
    """The same bytes in pieces of whole blocks, if their sum is whole."""
    rest = b""
    for piece in pieces:
        view = memoryview(piece)
        if rest:
            taken = min(_BLOCK - len(rest), len(view))
            rest += bytes(view[:taken])
            view = view[taken:]
            if len(rest) < _BLOCK:
                continue
            yield rest
            rest = b""
        whole = len(view) // _BLOCK * _BLOCK
        for at in range(0, whole, _PIECE):
            yield view[at : min(at + _PIECE, whole)]
        rest = bytes(view[whole:])
