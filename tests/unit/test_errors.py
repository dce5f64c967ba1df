"""The tree of errors: as drawn in the module, picklable, messages and fields kept."""

import inspect
import pickle
import re

import pytest

from plait import errors

SAMPLES = {
    "PlaitError": errors.PlaitError("it broke"),
    "ConfigurationError": errors.ConfigurationError("it broke"),
    "QueryError": errors.QueryError("it broke"),
    "MissingDependencyError": errors.MissingDependencyError(
        "rich", extra="cli", purpose="the command line"
    ),
    "IndexFormatError": errors.IndexFormatError("it broke", "/kb/plait.db"),
    "LockedError": errors.LockedError("it broke"),
    "StoreError": errors.StoreError("it broke", "qdrant", transient=True),
    "EmbeddingError": errors.EmbeddingError("it broke", transient=True),
    "ServiceError": errors.ServiceError("it broke", "chat", 503, transient=True),
    "ServiceTimeoutError": errors.ServiceTimeoutError("it broke", "chat", 504, transient=True),
    "ModelError": errors.ModelError("it broke", transient=True),
    "ModelTimeoutError": errors.ModelTimeoutError("it broke", transient=True),
    "PartialWriteError": errors.PartialWriteError("it broke", ("bm25",), {"dense": OSError(5)}),
    "RetrievalError": errors.RetrievalError("it broke"),
    "LegError": errors.LegError("it broke", "bm25", 12.5),
    "LegTimeoutError": errors.LegTimeoutError("it broke", "bm25", 12.5),
    "ContractError": errors.ContractError("it broke", "bm25"),
    "StageError": errors.StageError("it broke", "rerank"),
    "AllLegsFailedError": errors.AllLegsFailedError("it broke", {"bm25": ValueError("no")}),
    "FormatError": errors.FormatError("it broke", "runs.txt", 7),
}


def drawn_tree() -> dict[str, tuple[str, ...]]:
    """Name -> the bases that the drawing in the docstring gives it."""
    drawn: dict[str, tuple[str, ...]] = {"PlaitError": ("Exception",)}
    parents = ["PlaitError"]
    drawing = re.compile(r"^ {4}((?:│  |   )*)[├└]─ (\w+)(?: \((\w+)\))?")
    for line in inspect.getdoc(errors).splitlines():
        match = drawing.match(line)
        if match:
            indent, name, builtin = match.groups()
            depth = len(indent) // 3
            parents[depth + 1 :] = [name]
            drawn[name] = (parents[depth], *([builtin] if builtin else []))
    return drawn


def test_tree_is_as_drawn() -> None:
    defined = {
        name: tuple(base.__name__ for base in error.__bases__)
        for name, error in vars(errors).items()
        if inspect.isclass(error) and issubclass(error, errors.PlaitError)
    }
    assert drawn_tree() == defined


def test_every_error_is_exported_and_has_a_sample_here() -> None:
    assert set(errors.__all__) == set(drawn_tree()) == set(SAMPLES)


@pytest.mark.parametrize("error", SAMPLES.values(), ids=SAMPLES)
def test_pickle_keeps_type_message_and_fields(error: errors.PlaitError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert repr(copy.__dict__) == repr(error.__dict__)


@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "MissingDependencyError"])
def test_message_is_only_the_message(name: str) -> None:
    assert str(SAMPLES[name]) == "it broke"


def test_fields() -> None:
    assert SAMPLES["IndexFormatError"].path == "/kb/plait.db"
    assert (SAMPLES["FormatError"].path, SAMPLES["FormatError"].line) == ("runs.txt", 7)
    assert (SAMPLES["StoreError"].store, SAMPLES["StoreError"].transient) == ("qdrant", True)
    assert SAMPLES["EmbeddingError"].transient is True
    assert SAMPLES["PartialWriteError"].done == ("bm25",)
    assert list(SAMPLES["PartialWriteError"].failed) == ["dense"]
    assert (SAMPLES["LegTimeoutError"].leg, SAMPLES["LegTimeoutError"].elapsed_ms) == ("bm25", 12.5)
    assert (SAMPLES["ServiceError"].service, SAMPLES["ServiceError"].status) == ("chat", 503)
    assert (SAMPLES["ServiceTimeoutError"].status, SAMPLES["ServiceError"].transient) == (504, True)
    assert SAMPLES["ModelError"].transient is True
    assert SAMPLES["StageError"].stage == "rerank"
    assert list(SAMPLES["AllLegsFailedError"].failures) == ["bm25"]


def test_fields_have_defaults() -> None:
    assert errors.StoreError("it broke").transient is False
    assert errors.EmbeddingError("it broke").transient is False
    assert errors.ServiceError("it broke").status is None
    assert errors.FormatError("it broke").line == 0


def test_missing_dependency_says_the_pip_line() -> None:
    assert str(SAMPLES["MissingDependencyError"]) == (
        "rich is needed for the command line but is not installed. Run: pip install 'plait[cli]'"
    )
