"""The compiled loops as a library: found, loaded and described; or the reason why there is none.

The library is plain C without Python's interface, so one file serves every Python on a platform,
and calling it through ctypes lets other threads run meanwhile. It is built when plait is installed
and there is a C compiler. ``PLAIT_KERNELS=numpy`` leaves it alone.
"""

from __future__ import annotations

import ctypes
import functools
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from plait.errors import ConfigurationError

__all__ = ["ABI", "FILE", "VARIABLE", "address", "describe", "library", "quick", "without"]

ABI = 1
"""Counts the changes of the C functions' arguments; a library with another number is not used."""

FILE = Path(__file__).with_name("_plait_kernels.so")
"""Where the library is; the suffix is the same on every platform, ctypes does not mind."""

VARIABLE = "PLAIT_KERNELS"

_lock = threading.Lock()
_found: tuple[ctypes.CDLL | None, str] | None = None
_disabled: ContextVar[bool] = ContextVar("plait_kernels_disabled", default=False)


def library() -> ctypes.CDLL | None:
    """The compiled loops, None where NumPy does the work.

    Raises:
        ConfigurationError: ``PLAIT_KERNELS`` is neither ``native`` nor ``numpy``, or asks for a
            library that is not there.
    """
    return None if _disabled.get() else _load()[0]


def quick() -> ctypes.PyDLL | None:
    """The same library for calls of microseconds: they keep Python's lock.

    Whoever lets go of it waits for it again behind every thread that wants it.
    """
    loaded = library()
    return None if loaded is None else _quick(loaded)


@functools.cache
def _quick(loaded: ctypes.CDLL) -> ctypes.PyDLL:
    return ctypes.PyDLL(None, handle=loaded._handle)  # noqa: SLF001 (it has no other name)


def address(array: NDArray[Any]) -> int:
    """Where the data of a contiguous array is, for a call during which the array lives."""
    if array.flags.writeable and array.size:  # four times as quick as what works for all
        return ctypes.addressof(ctypes.c_char.from_buffer(array.data))
    found: int = array.__array_interface__["data"][0]
    return found


def describe() -> str:
    """Which loops run, and if they are not the compiled ones, why."""
    loaded, told = _load()
    return f"compiled ({told})" if loaded else f"numpy ({told})"


@contextmanager
def without() -> Iterator[None]:
    """NumPy instead of the compiled loops inside the block, for comparing the two."""
    token = _disabled.set(True)
    try:
        yield
    finally:
        _disabled.reset(token)


def _load() -> tuple[ctypes.CDLL | None, str]:
    global _found
    if _found is None:
        with _lock:
            if _found is None:
                _found = _find()
    return _found


def _find() -> tuple[ctypes.CDLL | None, str]:
    wanted = os.environ.get(VARIABLE, "")
    if wanted not in ("", "native", "numpy"):
        raise ConfigurationError(f"{VARIABLE} is {wanted!r}, expected native or numpy")
    if wanted == "numpy":
        return None, f"{VARIABLE}=numpy"
    loaded, told = _open(FILE)
    if loaded is None and wanted == "native":
        raise ConfigurationError(f"{VARIABLE}=native, but the compiled loops are not used: {told}")
    return loaded, told


def _open(path: Path) -> tuple[ctypes.CDLL | None, str]:
    if not path.is_file():
        return None, "plait was installed without a C compiler"
    try:
        loaded = ctypes.CDLL(str(path))
        loaded.plait_abi.restype = ctypes.c_int
        loaded.plait_features.restype = ctypes.c_char_p
        number = loaded.plait_abi()
        features = loaded.plait_features().decode()
    except (OSError, AttributeError) as error:
        return None, f"{path.name} cannot be loaded: {error}"
    if number != ABI:
        return None, f"{path.name} is of another version of plait"
    return loaded, features
