"""Verifying: everything is read, and what is not as it was written is told."""

from __future__ import annotations

from collections.abc import Iterator

from plait.collection.reading import Reading
from plait.collection.segments import SUFFIX, Deletions, open_segment
from plait.collection.store import Store
from plait.dense import parse_metric
from plait.errors import IndexFormatError

__all__ = ["problems"]


def problems(store: Store) -> Iterator[str]:
    """What is wrong with a collection, one sentence for each; nothing if all is well.

    Reads the structure of the file, every row and every vector against its checksum, and every
    block of every segment, and compares which rows the segments hold with those that there are.
    """
    try:
        with store.reading() as reading:
            yield from _of_rows(reading)
            yield from _of_segments(reading, store)
    except IndexFormatError as error:
        yield str(error)


def _of_rows(reading: Reading) -> Iterator[str]:
    for (found,) in reading.connection.execute("PRAGMA integrity_check"):
        if found != "ok":
            yield f"{reading.path}: {found}"
    space = reading.state().space
    reading.settings()
    reading.tuning()
    last: int | None = 0
    while last is not None:
        try:
            for row in reading.indexed(space, above=last):
                last = row.row
            return
        except IndexFormatError as error:
            yield str(error)
        last = reading.row_after(last)


def _of_segments(reading: Reading, store: Store) -> Iterator[str]:
    listed = reading.segments(reading.state().space)
    metric = parse_metric(reading.settings()["metric"])
    log = Deletions.read(reading, min((each.deletion for each in listed), default=0))
    for stored in listed:
        path = store.path.with_suffix(SUFFIX) / stored.name
        try:
            segment = open_segment(path, stored, metric)
            segment.arrays.verify()
        except IndexFormatError as error:
            yield str(error)
            continue
        numbers = sorted(segment.followed(log, stored.deletion).matching(None))
        if numbers != reading.rows_in(stored.above, stored.upto):
            yield f"{path} does not hold the chunks that the collection has"
