"""Closing: what is open until it is closed, by hand or at the end of a ``with`` block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

from plait.execution import run_in_thread

__all__ = ["Closing"]


class Closing(ABC):
    """A context manager, sync and async, that closes at its end."""

    @abstractmethod
    def close(self) -> None:
        """Let go of what is held; closing again does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await run_in_thread(self.close)
