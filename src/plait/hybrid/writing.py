"""Writing through a hybrid: every leg that keeps an index gets the same chunks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from plait.errors import ConfigurationError, PartialWriteError
from plait.execution import Runner, run_in_thread, start_anew_after_fork
from plait.filters import FilterLike
from plait.hybrid.callable import CallableRetriever
from plait.hybrid.leg import Leg
from plait.memory import check_chunks, check_deletion
from plait.retriever import Retriever
from plait.types import Chunk

__all__ = ["HybridWriter"]


class HybridWriter:
    """The writing half of a hybrid.

    A write goes to every leg that keeps an index, which is one with ``add`` and ``delete``, also to
    legs of weight 0. All legs check and prepare it first (a dense leg embeds), so that what one of
    them refuses is written nowhere. Writes of several threads reach all legs in one order.
    """

    legs: tuple[Leg, ...]
    _runners: Mapping[str, Runner]

    def __init__(self) -> None:
        self.start_anew()
        start_anew_after_fork(self)

    def start_anew(self) -> None:
        """A lock of its own at first, and in a forked child."""
        self._writing = threading.Lock()

    def add(self, chunks: Iterable[Chunk]) -> int:
        """Add chunks to every leg that keeps an index; a known id is replaced.

        Returns:
            The largest count that a leg reports, 0 for no chunks.

        Raises:
            ConfigurationError: Something that is not a ``Chunk``, no leg that keeps an index, or
                what a leg refuses; nothing is written then.
            PartialWriteError: A leg failed after others had written.
        """
        return self.prepare(chunks)()

    def index(self, chunks: Iterable[Chunk]) -> int:
        """The same as ``add``, under the name that other libraries use."""
        return self.add(chunks)

    def prepare(self, chunks: Iterable[Chunk]) -> Callable[[], int]:
        """Check and prepare an ``add`` in every leg; the returned function writes it."""
        given = check_chunks(chunks)
        writers = self._writers()
        if not given:
            return lambda: 0
        jobs = self._together({name: _prepare(writer, given) for name, writer in writers.items()})
        for job in jobs.values():
            job.result()  # raises what a leg refuses, before anything is written
        prepared = {name: job.result() for name, job in jobs.items()}
        return lambda: self._write(prepared)

    def delete(self, ids: Iterable[str] | None = None, filter: FilterLike = None) -> int:
        """Delete by id, or by filter, from every leg that keeps an index.

        Returns:
            The largest count that a leg reports.

        Raises:
            ConfigurationError: Neither ids nor filter, or both.
            QueryError: A malformed filter, or ``{}``: use ``clear``.
            PartialWriteError: A leg failed after others had written.
        """
        named, keep = check_deletion(ids, filter)
        given = {"ids": named} if keep is None else {"filter": filter}
        return self._write(
            {name: _bind(writer.delete, given) for name, writer in self._writers().items()}
        )

    def clear(self) -> int:
        """Delete everything from every leg that keeps an index; returns the largest count."""
        writers = self._writers()
        for name, writer in writers.items():
            if not callable(getattr(writer, "clear", None)):
                raise ConfigurationError(
                    f"leg {name!r} keeps an index but has no clear; delete by ids or filter"
                )
        return self._write({name: writer.clear for name, writer in writers.items()})

    async def aadd(self, chunks: Iterable[Chunk]) -> int:
        """``add`` without blocking the event loop."""
        return await run_in_thread(self.add, chunks)

    async def aindex(self, chunks: Iterable[Chunk]) -> int:
        """``index`` without blocking the event loop."""
        return await run_in_thread(self.index, chunks)

    async def adelete(self, ids: Iterable[str] | None = None, filter: FilterLike = None) -> int:
        """``delete`` without blocking the event loop."""
        return await run_in_thread(self.delete, ids, filter)

    async def aclear(self) -> int:
        """``clear`` without blocking the event loop."""
        return await run_in_thread(self.clear)

    def _writers(self) -> dict[str, Any]:
        writers = {
            str(leg.name): index
            for leg in self.legs
            if (index := _index_of(leg.retriever)) is not None
        }
        if not writers:
            names = ", ".join(str(leg.name) for leg in self.legs)
            raise ConfigurationError(
                f"no leg of this hybrid keeps an index (legs: {names}); write where they read from"
            )
        return writers

    def _together(self, work: Mapping[str, Callable[[], Any]]) -> dict[str, Future[Any]]:
        return {name: self._runners[name].submit(job) for name, job in work.items()}

    def _write(self, work: Mapping[str, Callable[[], int]]) -> int:
        failed: dict[str, BaseException] = {}
        counts: dict[str, int] = {}
        with self._writing:  # or two threads could leave different chunks under one id
            for name, job in self._together(work).items():
                error = job.exception()
                if error is None:
                    counts[name] = job.result()
                else:
                    failed[name] = error
        if not failed:
            return max(counts.values())
        first = next(iter(failed.values()))
        if not counts and len(failed) == 1:
            raise first
        said = "; ".join(f"{name}: {error}" for name, error in failed.items())
        raise PartialWriteError(
            f"written: {', '.join(counts) or 'no leg'}; failed: {said}. The legs no longer hold "
            "the same chunks; write again, or clear and add",
            tuple(counts),
            failed,
        ) from first


def _index_of(retriever: Retriever) -> Any:
    """What a leg's chunks are written to, None if it keeps no index."""
    writer = retriever.source if isinstance(retriever, CallableRetriever) else retriever
    if isinstance(writer, HybridWriter):
        return writer if any(_index_of(leg.retriever) is not None for leg in writer.legs) else None
    keeps = all(callable(getattr(writer, name, None)) for name in ("add", "delete"))
    return writer if keeps else None


def _prepare(writer: Any, chunks: Sequence[Chunk]) -> Callable[[], Callable[[], int]]:
    prepare = getattr(writer, "prepare", None)
    if prepare is None:
        return lambda: lambda: int(writer.add(chunks))
    return lambda: prepare(chunks)


def _bind(delete: Callable[..., int], given: Mapping[str, Any]) -> Callable[[], int]:
    return lambda: delete(**given)
