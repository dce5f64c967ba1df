"""Every error that plait raises on purpose.

::

    PlaitError
    ├─ ConfigurationError (ValueError)       wrong argument or file, raised when built
    ├─ QueryError (ValueError)               bad top_k or filter, missing text or embedding
    ├─ MissingDependencyError (ImportError)  says the exact pip line
    ├─ IndexFormatError (ValueError)         .path
    ├─ LockedError (TimeoutError)
    ├─ StoreError                            .store .transient
    ├─ EmbeddingError                        .transient
    ├─ ServiceError                          .service .status .transient
    │  └─ ServiceTimeoutError (TimeoutError)
    ├─ ModelError                            .transient
    │  └─ ModelTimeoutError (TimeoutError)
    ├─ PartialWriteError                     .done .failed
    ├─ RetrievalError (RuntimeError)
    │  ├─ LegError                           .leg .elapsed_ms
    │  │  ├─ LegTimeoutError (TimeoutError)
    │  │  └─ ContractError                   a leg's answer breaks the contract
    │  ├─ StageError                         .stage
    │  └─ AllLegsFailedError                 .failures
    └─ FormatError (ValueError)              .path .line

A message says what is wrong, the value given, what is accepted and what to do.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = [
    "AllLegsFailedError",
    "ConfigurationError",
    "ContractError",
    "EmbeddingError",
    "FormatError",
    "IndexFormatError",
    "LegError",
    "LegTimeoutError",
    "LockedError",
    "MissingDependencyError",
    "ModelError",
    "ModelTimeoutError",
    "PartialWriteError",
    "PlaitError",
    "QueryError",
    "RetrievalError",
    "ServiceError",
    "ServiceTimeoutError",
    "StageError",
    "StoreError",
]


class PlaitError(Exception):
    """Base of all errors that plait raises on purpose."""


class ConfigurationError(PlaitError, ValueError):
    """A wrong argument or configuration file, found when the object is built."""


class QueryError(PlaitError, ValueError):
    """A query that cannot be run: bad ``top_k`` or filter, missing text or embedding."""


class MissingDependencyError(PlaitError, ImportError):
    """An optional package is not installed.

    Args:
        package: The package that could not be imported.
        extra: The extra of plait that brings it.
        purpose: What it is needed for, as the end of "... is needed for".
    """

    def __init__(self, package: str, *, extra: str, purpose: str) -> None:
        self.package = package
        self.extra = extra
        self.purpose = purpose
        super().__init__(
            f"{package} is needed for {purpose} but is not installed. "
            f"Run: pip install 'plait[{extra}]'"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return (_missing_dependency, (self.package, self.extra, self.purpose))


def _missing_dependency(package: str, extra: str, purpose: str) -> MissingDependencyError:
    return MissingDependencyError(package, extra=extra, purpose=purpose)


class IndexFormatError(PlaitError, ValueError):
    """A file of an index is damaged, or of a format that this version cannot read."""

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(message, path)
        self.path = path

    def __str__(self) -> str:
        return str(self.args[0])


class LockedError(PlaitError, TimeoutError):
    """Another writer held the collection for longer than the allowed wait."""


class StoreError(PlaitError):
    """A store failed. ``transient`` says whether trying again may help."""

    def __init__(self, message: str, store: str = "", transient: bool = False) -> None:
        super().__init__(message, store, transient)
        self.store = store
        self.transient = transient

    def __str__(self) -> str:
        return str(self.args[0])


class EmbeddingError(PlaitError):
    """An embedder failed or returned something that is not a usable vector."""

    def __init__(self, message: str, transient: bool = False) -> None:
        super().__init__(message, transient)
        self.transient = transient

    def __str__(self) -> str:
        return str(self.args[0])


class ServiceError(PlaitError):
    """A service on the network did not do what it was asked.

    Attributes:
        service: Name of the service.
        status: HTTP status of its answer, None if there was none.
        transient: Whether the same request may succeed later.
    """

    def __init__(
        self,
        message: str,
        service: str = "",
        status: int | None = None,
        transient: bool = False,
    ) -> None:
        super().__init__(message, service, status, transient)
        self.service = service
        self.status = status
        self.transient = transient

    def __str__(self) -> str:
        return str(self.args[0])


class ServiceTimeoutError(ServiceError, TimeoutError):
    """A service did not answer in time, repeated attempts included."""


class ModelError(PlaitError):
    """A language model failed, refused, or answered with nothing."""

    def __init__(self, message: str, transient: bool = False) -> None:
        super().__init__(message, transient)
        self.transient = transient

    def __str__(self) -> str:
        return str(self.args[0])


class ModelTimeoutError(ModelError, TimeoutError):
    """A language model did not answer in time."""


class PartialWriteError(PlaitError):
    """A write reached some legs and failed in others.

    Attributes:
        done: Names of the legs that were written.
        failed: What went wrong, by leg name.
    """

    def __init__(
        self, message: str, done: tuple[str, ...], failed: Mapping[str, BaseException]
    ) -> None:
        super().__init__(message, done, failed)
        self.done = done
        self.failed = failed

    def __str__(self) -> str:
        return str(self.args[0])


class RetrievalError(PlaitError, RuntimeError):
    """Answering a query failed."""


class LegError(RetrievalError):
    """One leg failed.

    Attributes:
        leg: Name of the leg.
        elapsed_ms: Milliseconds from submission to the failure.
    """

    def __init__(self, message: str, leg: str = "", elapsed_ms: float = 0.0) -> None:
        super().__init__(message, leg, elapsed_ms)
        self.leg = leg
        self.elapsed_ms = elapsed_ms

    def __str__(self) -> str:
        return str(self.args[0])


class LegTimeoutError(LegError, TimeoutError):
    """A leg did not answer before its timeout or the overall deadline."""


class ContractError(LegError):
    """A leg answered with something that is not a ranking: a NaN score, scores out of order."""


class StageError(RetrievalError):
    """A stage after the legs failed. ``stage`` names it."""

    def __init__(self, message: str, stage: str = "") -> None:
        super().__init__(message, stage)
        self.stage = stage

    def __str__(self) -> str:
        return str(self.args[0])


class AllLegsFailedError(RetrievalError):
    """Every leg that was due failed. ``failures`` holds the cause by leg name."""

    def __init__(self, message: str, failures: Mapping[str, BaseException]) -> None:
        super().__init__(message, failures)
        self.failures = failures

    def __str__(self) -> str:
        return str(self.args[0])


class FormatError(PlaitError, ValueError):
    """A file cannot be read as what it claims to be. ``line`` is 1-based, 0 if unknown."""

    def __init__(self, message: str, path: str = "", line: int = 0) -> None:
        super().__init__(message, path, line)
        self.path = path
        self.line = line

    def __str__(self) -> str:
        return str(self.args[0])
