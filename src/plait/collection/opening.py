"""From a folder and a name to a collection: where the file is, and the checks on the way."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from plait.collection.collection import Collection
from plait.collection.describe import describe as describe_file
from plait.collection.embedding import DEFAULT, EmbedderLike, Embedders, as_embedder
from plait.collection.segments import SUFFIX as SEGMENTS
from plait.collection.segments import remove_segments
from plait.collection.settings import Settings
from plait.collection.store import Store
from plait.collection.verifying import problems
from plait.dense.metric import Metric
from plait.embedding import Embedder
from plait.errors import ConfigurationError
from plait.fusion import Fusion
from plait.ingest import Chunking
from plait.lexical import Bm25
from plait.text import Analyzer
from plait.types.checks import check_text

__all__ = ["collections", "describe", "open", "remove_if_empty", "verify"]

SUFFIX = ".plait"
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_")
_LONGEST_WAIT = 1_000_000  # seconds; SQLite counts milliseconds in an int
_LONGEST = 200  # bytes of a file name; file systems allow 255 with what SQLite appends


def open(  # noqa: A001 (it is called plait.open)
    path: str | PathLike[str],
    collection: str = "default",
    *,
    embedder: EmbedderLike = ...,
    analyzer: Analyzer | str | None = None,
    bm25: Bm25 | str | None = None,
    metric: Metric | str | None = None,
    chunking: Chunking | str | None = None,
    fusion: Fusion | str | None = None,
    window: int | None = None,
    read_only: bool = False,
    lock_timeout: float = 30.0,
) -> Collection:
    """Open a collection; it is made if it is not there, unless ``read_only``.

    What decides the answers is chosen when the collection is made, stored with it, and taken from
    there afterwards. What is given for a collection that is there is checked against it. Only code
    (a tokenizer or an embedder that is a function) cannot be stored and must be given again.

    The folder must be on a local disk: SQLite's write-ahead log does not work on network file
    systems.

    Args:
        path: A folder; it holds any number of collections.
        collection: Name of the collection, any non-empty text.
        embedder: An embedder or its text form such as ``"static"``; None for a collection that is
            searched by words only, or whose chunks and queries bring their vectors. Left out: that
            of the collection, for a new one ``"minilm"``.
        analyzer: How texts become terms, ``Analyzer()`` for a new collection; for text that is all
            in one language ``Analyzer(language=...)`` finds more, see docs/lexical-study.md.
        bm25: Parameters of the lexical leg, ``Bm25()`` for a new one.
        metric: ``"cosine"`` for a new one, ``"dot"`` or ``"euclidean"``.
        chunking: How ``add_files`` cuts documents, ``Chunking()`` for a new one.
        fusion: How the legs' rankings become one, ``Auto()`` for a new one: with it queries go by
            what ``apply`` stored.
        window: Candidates asked of each leg, 200 for a new one.
        read_only: Never write; works on read-only media too.
        lock_timeout: Seconds that a writer waits for another, > 0, at most a million.

    Returns:
        The collection; a context manager.

    Raises:
        ConfigurationError: A path that is a file or a folder of something else; something given
            that is not what the collection was made with; code that must be given again;
            ``read_only`` and no such collection; a file system on which WAL does not work.
        MissingDependencyError: The extra of the embedder is not installed.
        IndexFormatError: The file is damaged or of a newer format.
        LockedError: The file stayed locked while it was made.

    Example:
        >>> import tempfile
        >>> from plait.types import Chunk
        >>> with tempfile.TemporaryDirectory() as folder, open(folder, embedder="hash") as kb:
        ...     kb.add([Chunk("error E1042: socket closed", id="a"), Chunk("cats purr", id="b")])
        ...     [hit.id for hit in kb.search("E1042", top_k=1)]
        2
        ['a']
    """
    file = _file(path, collection)
    _check_folder(file)
    if type(lock_timeout) not in (int, float) or not 0 < lock_timeout <= _LONGEST_WAIT:
        raise ConfigurationError(
            f"lock_timeout is {lock_timeout!r}, expected seconds > 0, at most {_LONGEST_WAIT}"
        )
    given = {
        "analyzer": analyzer,
        "bm25": bm25,
        "metric": metric,
        "chunking": chunking,
        "fusion": fusion,
        "window": window,
    }
    made = None
    if not read_only and not file.exists():
        made = _New(given, embedder)  # before the folder, so that a mistake leaves nothing behind
        _make_folder(file.parent)
    store = Store(file, read_only=read_only, timeout=lock_timeout)
    try:
        if not store.is_made():
            made = made or _New(given, embedder)
            made.write(store)
        if made is not None:
            embedder = made.embedder
        embedders = Embedders(embedder, str(file))
        with store.reading() as reading:
            settings = Settings.stored(reading.settings(), given, str(file))
            embedders.check(reading.state().space)
        return Collection(collection, store, settings, embedders)
    except BaseException:
        store.close()
        raise


def collections(path: str | PathLike[str]) -> tuple[str, ...]:
    """The names of the collections in a folder, sorted; none if there is no such folder.

    Example:
        >>> collections("no/such/folder")
        ()
    """
    folder = _folder(path)
    if not folder.is_dir():
        return ()
    return tuple(sorted(_name(file) for file in folder.glob(f"*{SUFFIX}") if file.is_file()))


def describe(path: str | PathLike[str], collection: str = "default") -> Mapping[str, Any]:
    """What ``Collection.describe`` says, without the embedder that opening may need.

    Raises:
        ConfigurationError: There is no such collection.
        IndexFormatError: The file is damaged or of a newer format.
    """
    store = Store(_file(path, collection), read_only=True)
    try:
        return describe_file(collection, store)
    finally:
        store.close()


def verify(path: str | PathLike[str], collection: str = "default") -> tuple[str, ...]:
    """What ``Collection.verify`` says, without the embedder that opening may need.

    Raises:
        ConfigurationError: There is no such collection.
        IndexFormatError: The file is not a collection, or of a newer format.
    """
    store = Store(_file(path, collection), read_only=True)
    try:
        return tuple(problems(store))
    finally:
        store.close()


def remove_if_empty(path: str | PathLike[str], collection: str = "default") -> bool:
    """Remove a collection that holds no chunk and no document, so that it can be made anew.

    Returns:
        Whether it was removed; False if it holds something.

    Raises:
        ConfigurationError: There is no such collection.
        LockedError: Another process is writing to it.
    """
    store = Store(_file(path, collection), read_only=False)
    try:
        if not (store.is_made() and store.remove_if_empty()):
            return False
        remove_segments(store.path)
        return True
    finally:
        store.close()


class _New:
    """What a new collection is made of, checked before anything is written."""

    def __init__(self, given: Mapping[str, Any], embedder: EmbedderLike) -> None:
        self.settings = Settings.of(given)
        chosen = DEFAULT if embedder is ... else embedder
        self.embedder: Embedder | None = None if chosen is None else as_embedder(chosen)
        # Asked now, since it may have to read the model, and not while the lock is held.
        self.identity = None if self.embedder is None else self.embedder.identity

    def write(self, store: Store) -> None:
        """Make the collection, unless another process was faster."""
        with store.writing() as writing:
            if writing.settings():
                return
            writing.put_settings(self.settings.texts())
            if self.embedder is not None and self.identity is not None:
                spec, dim = self.embedder.spec, self.identity.dim
                writing.use_space(writing.space_for(self.identity, spec, dim))


def _folder(path: str | PathLike[str]) -> Path:
    if "://" in str(path):
        raise ConfigurationError(f"{path!r} is a URL; expected a folder on a local disk")
    return Path(path)


def _file(path: str | PathLike[str], collection: str) -> Path:
    """Where a collection is. Names are spelled so that no file system folds or forbids them."""
    check_text(collection, "collection")
    if not collection:
        raise ConfigurationError("collection is '', expected a non-empty str")
    name = "".join(chr(byte) if byte in _PLAIN else f"%{byte:02x}" for byte in collection.encode())
    if len(name) > _LONGEST:
        raise ConfigurationError(
            f"the name of collection {collection!r:.60} takes {len(name)} characters as a file "
            f"name, expected at most {_LONGEST}; give a shorter one"
        )
    return _folder(path).absolute() / f"{name}{SUFFIX}"  # the process may change its folder


def _name(file: Path) -> str:
    return unquote(file.name.removesuffix(SUFFIX))


def _check_folder(file: Path) -> None:
    """Refuse a folder of something else: a mistaken path must not sow files in it."""
    folder = file.parent
    if folder.exists() and not folder.is_dir():
        raise ConfigurationError(f"{folder} is a file, expected a folder that holds collections")
    if folder.is_dir() and not file.exists():
        found = (entry.name for entry in folder.iterdir() if not entry.name.startswith("."))
        names = [name for name in found if not name.endswith(SEGMENTS)]  # left by a removed one
        if names and not any(name.endswith(SUFFIX) for name in names):
            raise ConfigurationError(
                f"{folder} is not empty and holds no collection (it holds {min(names)!r}); give a "
                "new or empty folder, or one that plait made"
            )


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(f"the folder {folder} cannot be made: {error.strerror}") from error
