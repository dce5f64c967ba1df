"""Keeper: makes the segments of a collection, merges them, and removes those that are done with.

It works where somebody writes: after a commit, on ``compact`` and on ``close``; never in a thread
of its own. What it does changes no answer, so it holds no lock on the collection while it works: it
reads one state, writes files, and lists them in a transaction of its own. What is deleted meanwhile
is in the log of deletions, and each segment says up to where it has followed that. One process
works at a time; the others go on without.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from plait.collection.reading import Reading, batched
from plait.collection.segments.coverage import Deletions, gaps, without_overlaps
from plait.collection.segments.gathering import Gathering
from plait.collection.segments.numbers import RowNumbers
from plait.collection.segments.segment import LAYOUT, Segment, merge, open_segment
from plait.collection.segments.tiers import Extent, due, whole
from plait.collection.store import Store
from plait.collection.stored import Space, StoredSegment
from plait.dense import Metric, calibrate
from plait.errors import IndexFormatError, LockedError, StoreError
from plait.execution import start_anew_after_fork
from plait.lexical import PackedTerms
from plait.storage import FileLock, Files, Storable, write_arrays
from plait.text import Analyzer

__all__ = ["SUFFIX", "TAIL", "Keeper", "remove_segments"]

SUFFIX = ".segments"
"""How the name of the folder ends that holds the segments of the file beside it."""

TAIL = 8192
"""Chunks in no segment from which on they become one, if they are no heavier than a load."""

_LOAD = 1 << 25  # letters of their text and bytes of their vectors: more is heavy
_READ = 64  # chunks that are read at once
_WORTH_CODES = 8192  # chunks up to which all are compared anyway
_LOCK = "lock"


class Keeper:
    """Keeps the segments of a collection in order; any number of threads may use it.

    Args:
        store: The file of the collection.
        analyzer: How texts become terms.
        metric: How close two vectors are.

    Attributes:
        folder: Where the segments are.
        distrusted: Why files are left alone that are listed, by name.
    """

    def __init__(self, store: Store, analyzer: Analyzer, metric: Metric) -> None:
        self.folder = store.path.with_suffix(SUFFIX)
        self.distrusted: dict[str, str] = {}
        self._store = store
        self._analyzer = analyzer
        self._metric = metric
        self._files = Files()
        self.start_anew()
        start_anew_after_fork(self)

    def start_anew(self) -> None:
        """Nobody works on the segments in this process: so it is at first, and in a child."""
        self._lock = threading.Lock()

    def gathering(self) -> Gathering:
        """For chunks that are about to be written, so that ``settle`` need not read them again."""
        return Gathering(self._analyzer)

    def settle(self, least: int | None = None, gathering: Gathering | None = None) -> None:
        """Make segments of the chunks that are in none, if there are so many; merge what is due.

        Does nothing while another process or thread does it.

        Args:
            least: How many; by default so many that each process would have a long time to
                analyze them.
            gathering: Chunks that were written last, which need not be read again; it begins anew
                when they are in a segment.

        Raises:
            StoreError: A file cannot be written; every chunk is found all the same.
            IndexFormatError: A row of the collection is damaged.
        """
        with self._store.reading() as reading:
            self._forget(reading)
            lacking = reading.is_uncovered(_bearable(reading) if least is None else least)
        if lacking or self.distrusted:
            with self._working(wait=0.0) as free:
                if free:
                    self._tidy(due, gathering)

    def compact(self) -> None:
        """Make the fewest segments, without anything that was deleted; remove all other files.

        Raises:
            LockedError: Another process works on the segments for too long.
            StoreError, IndexFormatError: As ``settle``.
        """
        with self._store.reading():
            pass  # so that a collection that is gone gets no new folder
        with self._working(wait=self._store.timeout) as free:
            if not free:
                raise LockedError(
                    f"{self.folder} stayed locked by another process that writes segments; try "
                    "again, or open the collection with a longer lock_timeout"
                )
            self._tidy(lambda extents: next(iter(whole(extents)), None))
            with self._store.writing() as writing:
                writing.arrange()  # so that the list before this one keeps no file from going
            self._sweep()

    def cover(self, space: Space, upto: int) -> None:
        """Make segments with the vectors of a space that is not searched yet.

        Args:
            space: The space.
            upto: The last row that is sure to have a vector in it.
        """
        with self._working(wait=self._store.timeout) as free:
            if free:
                self._cover(space, upto, set())

    def open(self, stored: StoredSegment) -> Segment:
        """A listed segment as it was written.

        Raises:
            IndexFormatError: It cannot be used; it will be made anew.
        """
        path = self.folder / stored.name
        if stored.name in self.distrusted:
            raise IndexFormatError(self.distrusted[stored.name], str(path))
        try:
            return open_segment(path, stored, self._metric)
        except IndexFormatError as error:
            self.distrust(error)
            raise

    def distrust(self, error: IndexFormatError) -> bool:
        """Leave the file alone that an error names; False if it is none of these."""
        path = Path(error.path)
        if path.parent != self.folder:
            return False
        self.distrusted[path.name] = str(error)
        return True

    def _forget(self, reading: Reading) -> None:
        """Forget distrusted files that are not listed any more, as another process did it."""
        if self.distrusted:
            listed = {each.name for each in reading.segments(reading.state().space)}
            for name in self.distrusted.keys() - listed:
                self.distrusted.pop(name, None)

    @contextmanager
    def _working(self, wait: float) -> Iterator[bool]:
        """Whether nobody else works on the segments until the block ends."""
        if not self._lock.acquire(timeout=max(wait, 0.0)):
            yield False
            return
        try:
            self._files.make_folder(self.folder)
            with FileLock(self.folder / _LOCK).held(wait) as free:
                yield free
        finally:
            self._lock.release()

    def _tidy(
        self,
        choose: Callable[[Sequence[Extent]], range | None],
        gathering: Gathering | None = None,
    ) -> None:
        with self._store.reading() as reading:
            space, last = reading.state().space, reading.last_row()
        made: set[str] = set()
        while True:
            self._cover(space, last, made, gathering)
            try:
                while self._merge(space, choose, made):
                    pass
                if space is not None:
                    self._calibrate(space)
                break
            except IndexFormatError as error:  # damage shows at first touch
                if not self.distrust(error):
                    raise
        self._sweep()

    def _cover(
        self,
        space: Space | None,
        last: int,
        made: set[str],
        gathering: Gathering | None = None,
    ) -> None:
        """Make segments of all chunks up to a row that no usable one holds.

        Args:
            space: Whose vectors they hold.
            last: The row.
            made: Gets the names of what is written.
            gathering: Chunks that are known already.

        Raises:
            StoreError: Something that was made cannot be read.
        """
        while True:
            with self._store.reading() as reading:
                arrangement = reading.state().arrangement
                usable, broken = self._listed(reading, space)
                deletion = reading.last_deletion()
                above, upto, alive, rows = self._first_gap(reading, usable, space, last, gathering)
            if not alive and not broken:
                return
            if lost := made.intersection(broken):
                told = self.distrusted[min(lost)]
                raise StoreError(f"what was written a moment ago cannot be read: {told}", told)
            come = []
            if alive:
                arrays = rows.build(alive, self._metric)
                come = [self._write(arrays, space, above, upto, deletion)]
                made.add(come[0].name)
            self._arrange(arrangement, broken, come)

    def _first_gap(
        self,
        reading: Reading,
        usable: Sequence[StoredSegment],
        space: Space | None,
        last: int,
        known: Gathering | None,
    ) -> tuple[int, int, list[int], Gathering]:
        """The first chunks in no segment, as many as one may hold.

        Returns:
            The row numbers around them, their own, and the chunks with these numbers.
        """
        found = Gathering(self._analyzer, space)
        for above, end in gaps(usable):
            upto = last if end is None else min(end, last)
            if known is not None and known.numbers:
                alive = reading.rows_in(above, upto)
                if alive and known.holds(alive, space):
                    return above, upto, alive, known
                if alive:
                    known.begin(known.space)
            for rows in batched(reading.indexed(space, above=above, upto=upto), _READ):
                found.add(rows)
                if found.is_full:
                    return above, found.numbers[-1], found.numbers, found
            if found.numbers:
                return above, upto, found.numbers, found
        return last, last, [], found

    def _merge(
        self,
        space: Space | None,
        choose: Callable[[Sequence[Extent]], range | None],
        made: set[str],
    ) -> bool:
        """Merge the segments that are chosen; whether there were any."""
        with self._store.reading() as reading:
            arrangement = reading.state().arrangement
            listed, broken = self._listed(reading, space)
            deletion = reading.last_deletion()
            segments = self._followed(reading, listed)
        if broken:  # since they were covered: the next time somebody writes
            return False
        chosen = choose(
            [
                Extent(stored.size, stored.chunks, stored.chunks - segment.rows.count)
                for stored, segment in zip(listed, segments, strict=True)
            ]
        )
        if chosen is None:
            return False
        group = segments[chosen.start : chosen.stop]
        above, upto = listed[chosen.start].above, listed[chosen.stop - 1].upto
        come = []
        if any(segment.rows.count for segment in group):
            come = [self._write(merge(group), space, above, upto, deletion)]
            made.add(come[0].name)
        self._arrange(arrangement, [segment.name for segment in group], come)
        return True

    def _calibrate(self, space: Space) -> None:
        """Measure how many rows compact codes must propose, if there are twice as many by now."""
        with self._store.reading() as reading:
            known = reading.calibration(space)
            count = reading.count()
            if count < _WORTH_CODES or (known is not None and not known.is_stale(count)):
                return
            listed, _ = self._listed(reading, space)
            segments = self._followed(reading, listed)
        vectors = [segment.vectors for segment in segments if segment.vectors is not None]
        if not vectors:
            return
        calibration = calibrate(vectors)
        with self._store.writing() as writing:
            if writing.state().space == space:
                writing.put_calibration(space, calibration)
                writing.arrange()  # so that whoever has the index open reads it

    def _listed(
        self, reading: Reading, space: Space | None
    ) -> tuple[list[StoredSegment], list[str]]:
        """The listed segments that can be used, and the names of the others."""
        listed = reading.segments(space)
        usable = []
        for each in without_overlaps(listed):
            try:
                self.open(each)
            except IndexFormatError:
                continue
            usable.append(each)
        names = {each.name for each in usable}
        return usable, [each.name for each in listed if each.name not in names]

    def _followed(self, reading: Reading, listed: Sequence[StoredSegment]) -> list[Segment]:
        """Segments without what died since they were written."""
        log = Deletions.read(reading, min((each.deletion for each in listed), default=0))
        return [self.open(each).followed(log, each.deletion) for each in listed]

    def _write(
        self,
        arrays: Mapping[str, Storable],
        space: Space | None,
        above: int,
        upto: int,
        deletion: int,
    ) -> StoredSegment:
        """A new file of these arrays, not yet listed."""
        stored = StoredSegment(
            name=f"{uuid.uuid4().hex}.segment",
            space=None if space is None else space.number,
            above=above,
            upto=upto,
            deletion=deletion,
            chunks=RowNumbers.count(arrays),
            size=RowNumbers.count(arrays) + PackedTerms.postings(arrays),
            bytes=0,
            mark="",
        )
        mark = write_arrays(
            self.folder / stored.name,
            arrays,
            meta={**stored.facts, "layout": LAYOUT},
            files=self._files,
        )
        return replace(stored, bytes=mark.bytes, mark=mark.digest)

    def _arrange(
        self, arrangement: int, gone: Iterable[str], come: Iterable[StoredSegment]
    ) -> None:
        """Change the list, unless it is another one by now: everything may have been cleared."""
        with self._store.writing() as writing:
            if writing.state().arrangement == arrangement:
                writing.arrange(gone=gone, come=come)
        for name in gone:
            self.distrusted.pop(name, None)

    def _sweep(self) -> None:
        """Remove the files that neither the list nor the one before it names."""
        with self._store.reading() as reading:
            if self._files.names(self.folder) <= reading.segment_files() | {_LOCK}:
                return
        with self._store.writing() as writing:  # so that nobody lists one meanwhile
            for name in self._files.names(self.folder) - writing.segment_files() - {_LOCK}:
                self._files.remove(self.folder / name)


def _bearable(reading: Reading) -> int:
    """How many chunks each process may well analyze and hold: ``TAIL``, fewer if they are large."""
    space = reading.state().space
    each = reading.usual_letters() + (0 if space is None else 4 * space.dim)
    return min(TAIL, max(1, _LOAD // max(1, each)))


def remove_segments(file: Path) -> None:
    """Remove the segments of a collection's file that is gone."""
    files, folder = Files(), file.with_suffix(SUFFIX)
    for name in files.names(folder):
        files.remove(folder / name)
    files.remove_folder(folder)
