"""ArrayFile: named arrays in one file, mapped into memory, each block under a checksum.

::

    magic         8 bytes       b"plaitseg"
    version       4 bytes       unsigned, little-endian, like every number here
    header bytes  4 bytes
    header        JSON          {"meta", "arrays": {name: [dtype, shape, offset]}, "data": bytes}
    digest        16 bytes      BLAKE2b over all that stands before it
    zeros         to a multiple of 4096 bytes
    data          the arrays, each from a multiple of 64 bytes on, large ones of 4096, zeros between
                  them, and behind the last to a multiple of 4096 bytes; offsets count from here
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
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plait.errors import IndexFormatError, StoreError
from plait.kernels.sums import BLOCK, sums
from plait.storage.blocks import Blocks, damaged
from plait.storage.files import Files
from plait.storage.streamed import Storable, Streamed

__all__ = ["VERSION", "ArrayFile", "FileMark", "write_arrays"]

VERSION = 1
"""Version of the format."""

_MAGIC = b"plaitseg"
_PREFIX = struct.Struct("<8sII")
_ALIGNED = 64
_LARGE = 16 * BLOCK  # bytes of an array that begins with a block, so that fewer rows lie in two
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
    path: Path, arrays: Mapping[str, Storable], *, meta: Mapping[str, Any], files: Files
) -> FileMark:
    """Write a file of arrays that is not there yet, whole or not at all.

    Args:
        path: The file.
        arrays: By name, of at least one dimension, of little-endian numbers. What is streamed is
            asked for its pieces once, in this order.
        meta: JSON values to keep beside them.
        files: The file system.

    Returns:
        The ``mark`` of the ``ArrayFile`` that it is.

    Raises:
        StoreError: It cannot be written; nothing of it stays.
        ValueError: An array is of another kind, or what is streamed is not as it says; nothing of
            the file stays.
    """
    places: dict[str, list[Any]] = {}
    end = 0
    for name, array in arrays.items():
        dtype = array.dtype if isinstance(array, Streamed) else array.dtype.str
        if dtype not in _DTYPES or not array.shape:
            raise ValueError(
                f"array {name!r} is {dtype} of shape {array.shape}, expected one of "
                f"{', '.join(sorted(_DTYPES))} and at least one dimension"
            )
        offset = _up(end, BLOCK if array.nbytes >= _LARGE else _ALIGNED)
        places[name] = [dtype, list(array.shape), offset]
        end = offset + array.nbytes
    data_bytes = _up(end, BLOCK)
    header = json.dumps({"meta": dict(meta), "arrays": places, "data": data_bytes}).encode()
    head = _PREFIX.pack(_MAGIC, VERSION, len(header)) + header
    head += _digest(head)
    packed = bytearray()

    def data() -> Iterator[bytes | memoryview]:
        at = 0
        for name, array in arrays.items():
            offset = places[name][2]
            yield bytes(offset - at)
            if isinstance(array, Streamed):
                yield from array.octets()
            else:
                yield np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
            at = offset + array.nbytes
        yield bytes(data_bytes - at)

    def pieces() -> Iterator[bytes | memoryview]:
        yield head + bytes(_up(len(head), BLOCK) - len(head))
        for piece in _in_blocks(data()):
            whole = np.frombuffer(piece, dtype=np.uint8)
            packed.extend(sums(whole, np.arange(len(whole) // BLOCK)).astype(_SUM).tobytes())
            yield piece
        yield bytes(packed) + _digest(packed)

    return FileMark(files.write(path, pieces()), _digest(head + packed).hex())


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
        mapped = _mapped(path)
        head = _head(path, mapped)
        with _sensible(path):
            header = _Header.parse(head)
        start, size = _up(len(head), BLOCK), len(mapped)
        end = start + header.data
        if size != end + header.data // BLOCK * _SUM.itemsize + _DIGEST:
            raise damaged(path, f"it has {size} bytes")
        if mapped[len(head) : start].any():
            raise damaged(path, "there is something behind its header")
        packed = mapped[end : size - _DIGEST].tobytes()
        if _digest(packed) != mapped[size - _DIGEST :].tobytes():
            raise damaged(path, "its checksums do not match theirs")
        self.path = path
        self.meta: Mapping[str, Any] = header.meta
        self.mark = FileMark(size, _digest(head + packed).hex())
        data = mapped[start:end]
        self._blocks = Blocks(path, data, np.frombuffer(packed, dtype=_SUM))
        with _sensible(path):
            self._arrays = {name: place.within(data) for name, place in header.arrays.items()}
        self._places = header.arrays
        self._whole: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def __getitem__(self, name: str) -> NDArray[Any]:
        """The array as it lies there, not yet checked."""
        return self._arrays[name]

    def touch(self, name: str, start: int = 0, stop: int | None = None) -> None:
        """Check the elements ``start`` to ``stop`` along the first axis, once for each block."""
        if name in self._whole:
            return
        place = self._places[name]
        start, stop, _ = slice(start, stop).indices(place.rows)
        if start < stop and place.stride:
            offset, stride = place.offset, place.stride
            self._blocks.touch(offset + start * stride, offset + stop * stride)
        if start == 0 and stop == place.rows:
            self._whole.add(name)

    def touch_spans(
        self, names: Iterable[str], starts: NDArray[np.int64], stops: NDArray[np.int64]
    ) -> None:
        """The same for several spans of some arrays, all inside and none empty, shape (n,) each."""
        places = [self._places[name] for name in names if name not in self._whole]
        if len(starts) and places:
            begins = np.concatenate([starts * place.stride + place.offset for place in places])
            ends = np.concatenate([stops * place.stride + place.offset for place in places])
            self._blocks.touch_spans(begins, ends)

    def touch_rows(self, name: str, rows: NDArray[np.integer]) -> None:
        """The same for single elements along the first axis, each at least 0, shape (n,)."""
        if name in self._whole:
            return
        place = self._places[name]
        if len(rows) and place.stride:
            starts = rows.astype(np.int64) * place.stride + place.offset
            self._blocks.touch_each(starts, place.stride)

    def read(self, name: str, start: int = 0, stop: int | None = None) -> NDArray[Any]:
        """The elements ``start`` to ``stop``, checked."""
        self.touch(name, start, stop)
        return self._arrays[name][start:stop]

    def verify(self) -> None:
        """Check everything, whatever was checked before.

        Raises:
            IndexFormatError: Something is not as it was written.
        """
        self._blocks.check_all()


class _Place(NamedTuple):
    """Where an array lies in the data, and in which steps."""

    dtype: str
    shape: tuple[int, ...]
    offset: int
    rows: int
    stride: int  # bytes of an element along the first axis

    @classmethod
    def parse(cls, given: list[Any], data: int) -> _Place:
        dtype, shape, offset = given
        if dtype not in _DTYPES:
            raise ValueError(dtype)
        rows, *others = (_natural(each) for each in shape)
        stride = np.dtype(dtype).itemsize * math.prod(others)
        if _natural(offset) % _ALIGNED or offset + rows * stride > data:
            raise ValueError(offset)
        return cls(dtype, (rows, *others), offset, rows, stride)

    def within(self, data: NDArray[np.uint8]) -> NDArray[Any]:
        end = self.offset + self.rows * self.stride
        return data[self.offset : end].view(self.dtype).reshape(self.shape)


class _Header(NamedTuple):
    """What the header says, as far as it can be true."""

    meta: dict[str, Any]
    arrays: dict[str, _Place]
    data: int

    @classmethod
    def parse(cls, head: bytes) -> _Header:
        header = json.loads(head[_PREFIX.size : -_DIGEST])
        data = _natural(header["data"])
        if data % BLOCK:
            raise ValueError(data)
        places = {name: _Place.parse(given, data) for name, given in dict(header["arrays"]).items()}
        return cls(dict(header["meta"]), places, data)


def _natural(number: Any) -> int:
    if type(number) is not int or number < 0:
        raise ValueError(number)
    return number


def _mapped(path: Path) -> NDArray[np.uint8]:
    """The bytes of a file, which nothing can change through them."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            if size < _PREFIX.size:
                raise damaged(path, f"it has {size} bytes")
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError as error:
        raise IndexFormatError(f"{path} is missing", str(path)) from error
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}", str(path)) from error
    return np.frombuffer(mapped, dtype=np.uint8)


def _head(path: Path, mapped: NDArray[np.uint8]) -> bytes:
    """What stands before the data, checked."""
    magic, version, length = _PREFIX.unpack(mapped[: _PREFIX.size].tobytes())
    if magic != _MAGIC:
        raise damaged(path, "it does not begin as one")
    if version > VERSION:
        raise IndexFormatError(
            f"{path} has format {version}, this version of plait reads format {VERSION}; "
            "upgrade plait to use it",
            str(path),
        )
    size = _PREFIX.size + length + _DIGEST
    head = mapped[:size].tobytes()
    if len(head) < size or _digest(head[:-_DIGEST]) != head[-_DIGEST:]:
        raise damaged(path, "its header does not match its checksum")
    return head


@contextmanager
def _sensible(path: Path) -> Iterator[None]:
    """Refuse what a header says if it cannot be, though its checksum is right: no accident."""
    try:
        yield
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise damaged(path, "its header makes no sense") from error


def _up(size: int, unit: int) -> int:
    return -(-size // unit) * unit


def _digest(data: bytes | bytearray) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST).digest()


def _in_blocks(pieces: Iterator[bytes | memoryview]) -> Iterator[bytes | memoryview]:
    """The same bytes in pieces of whole blocks, if their sum is whole."""
    rest = b""
    for piece in pieces:
        view = memoryview(piece)
        if rest:
            taken = min(BLOCK - len(rest), len(view))
            rest += bytes(view[:taken])
            view = view[taken:]
            if len(rest) < BLOCK:
                continue
            yield rest
            rest = b""
        whole = len(view) // BLOCK * BLOCK
        for at in range(0, whole, _PIECE):
            yield view[at : min(at + _PIECE, whole)]
        rest = bytes(view[whole:])
