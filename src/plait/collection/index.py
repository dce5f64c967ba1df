"""The index of a collection in this process: opened segments, and in memory what is in none."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeAlias

from plait.collection.reading import Reading, batched
from plait.collection.segments import Deletions, Keeper, Segment, Span, gaps, without_overlaps
from plait.collection.settings import Settings
from plait.collection.stored import Space, State, StoredSegment
from plait.collection.tail import Tail
from plait.collection.tuning import Tuning
from plait.dense import DenseView
from plait.errors import IndexFormatError
from plait.execution import start_anew_after_fork
from plait.filters import Filter
from plait.lexical import LexicalView

__all__ = ["IndexState", "LiveIndex", "Part"]

Part: TypeAlias = Segment | Tail

_BATCH = 2048  # chunks that are read and indexed at a time


@dataclass(frozen=True, slots=True, eq=False)
class IndexState:
    """The index over one state of the file; later commits do not show in it.

    Attributes:
        generation: The file's generation.
        arrangement: The file's list of segments.
        space: Whose vectors it holds, None for none.
        last_row: Highest row number that it has seen.
        last_deletion: Highest number in the log of deletions that it has seen.
        parts: The parts by the rows that they cover; the last is the one that grows.
        lexical: The terms of all parts.
        dense: The vectors of all parts, None without a space.
        tuning: What tuning decided, None if it never did.
        notes: Which files could not be used.
    """

    generation: int
    arrangement: int
    space: Space | None
    last_row: int
    last_deletion: int
    parts: tuple[Part, ...]
    lexical: LexicalView
    dense: DenseView | None
    tuning: Tuning | None = None
    notes: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many chunks there are."""
        return sum(part.rows.count for part in self.parts)

    def over(self, parts: Sequence[Part]) -> IndexState:
        """The same over other parts."""
        asked = [part for part in parts if part.rows.count] or parts[-1:]
        vectors = tuple(part.vectors for part in asked if part.vectors is not None)
        return replace(
            self,
            parts=tuple(parts),
            lexical=replace(self.lexical, parts=tuple(part.terms for part in asked)),
            dense=None if self.dense is None else replace(self.dense, parts=vectors),
        )

    def live_ids(self) -> list[str]:
        """The ids of all chunks, ascending."""
        return sorted(chain.from_iterable(p.rows.names(p.rows.live()) for p in self.parts))

    def matching(self, keep: Filter) -> list[int]:
        """Numbers of the rows that pass."""
        return [number for part in self.parts for number in part.matching(keep)]


class LiveIndex:
    """The index of one collection in this process, brought up to date when it is asked for.

    Args:
        settings: Of the collection.
        keeper: Opens its segments.
    """

    def __init__(self, settings: Settings, keeper: Keeper) -> None:
        self._settings = settings
        self._keeper = keeper
        self._state: IndexState | None = None
        self.start_anew()
        start_anew_after_fork(self)

    def start_anew(self) -> None:
        """Nobody brings it up to date in this process: so it is at first, and in a child."""
        self._lock = threading.Lock()

    def at(self, reading: Reading) -> IndexState | None:
        """The index over exactly the state that the transaction sees.

        None if the transaction is older than what the index stands at: then a new one will
        see that.

        Raises:
            IndexFormatError: A row is damaged; the index stays as it was.
        """
        state = reading.state()
        held = self._state
        if held is None or _is_behind(held, state):
            with self._lock:
                held = self._state
                if held is None or _is_behind(held, state):
                    held = self._state = self._up_to(held, reading, state)
        return held if held.generation == state.generation else None

    def anew(self, reading: Reading) -> IndexState:
        """The index over the state that the transaction sees, made for it alone."""
        return self._up_to(None, reading, reading.state())

    def distrust(self, error: IndexFormatError) -> bool:
        """Do without the segment that an error names from now on; False if it names none."""
        with self._lock:
            if not self._keeper.distrust(error):
                return False
            self._state = None
            return True

    def matching(self, keep: Filter) -> tuple[list[int], int]:
        """Numbers of the rows that pass, among those that it has seen, and the highest of these.

        It may be behind the file: some of the rows may be gone. Empty and 0 while it is not built.
        """
        held = self._state
        return ([], 0) if held is None else (held.matching(keep), held.last_row)

    def _up_to(self, held: IndexState | None, reading: Reading, state: State) -> IndexState:
        while True:
            try:
                return self._brought_up(held, reading, state)
            except IndexFormatError as error:
                if not self._keeper.distrust(error):
                    raise

    def _brought_up(self, held: IndexState | None, reading: Reading, state: State) -> IndexState:
        """What is held with the commits that it lacks, or a new build if they are not all known."""
        space = state.space
        last = reading.last_deletion()
        if held is None or held.space != space or held.last_deletion < state.pruned:
            held = None
        known = {} if held is None else {(part.name, part.span): part for part in held.parts}
        seen = last if held is None else held.last_deletion
        opened, notes = self._opened(reading, state, known)
        followed = [
            seen if (each.name, segment.span) in known else each.deletion
            for each, segment in opened
        ]
        log = Deletions.read(reading, min([seen, *followed]))
        parts: list[Part] = [
            segment.followed(log, after)
            for (_, segment), after in zip(opened, followed, strict=True)
        ]
        last_row = 0 if held is None else held.last_row
        for span in gaps([each for each, _ in opened]):
            tail = known.get((None, span))
            above = last_row
            if not isinstance(tail, Tail):
                tail, above = Tail.empty(span, space, self._settings.metric), span.above
            tail = tail.without(log.among(span, after=seen))
            for batch in batched(reading.indexed(space, above=above, upto=span.upto), _BATCH):
                tail = tail.grown(batch, self._settings.analyzer)
                last_row = max(last_row, batch[-1].row)
            if span.upto is None or tail.rows.count:
                parts.append(tail)
        parts.sort(key=lambda part: part.span.above)
        count = sum(part.rows.count for part in parts)
        # Counted in an index of the file, which a damaged page of the table does not shorten.
        if held is None and count != (expected := reading.count()):
            raise reading.damaged(f"{count} of {expected} chunks are found")
        settings = self._settings
        dense = None
        if space is not None:
            calibration = reading.calibration(space)
            candidates = None if calibration is None else calibration.candidates
            dense = DenseView((), settings.metric, space.dim, candidates)
        return IndexState(
            generation=state.generation,
            arrangement=state.arrangement,
            space=space,
            last_row=max([last_row, *(each.upto for each, _ in opened)]),
            last_deletion=last,
            parts=(),
            lexical=LexicalView((), settings.analyzer, settings.bm25),
            dense=dense,
            tuning=reading.tuning(),
            notes=notes,
        ).over(parts)

    def _opened(
        self, reading: Reading, state: State, known: Mapping[tuple[str | None, Span], Part]
    ) -> tuple[list[tuple[StoredSegment, Segment]], tuple[str, ...]]:
        """The listed segments as they are held or were written, and why others cannot be used."""
        opened, notes = [], []
        for each in without_overlaps(reading.segments(state.space)):
            segment = known.get((each.name, Span(each.above, each.upto)))
            if not isinstance(segment, Segment) or each.name in self._keeper.distrusted:
                if each.deletion < state.pruned:
                    continue  # what died since is no longer in the log
                try:
                    segment = self._keeper.open(each)
                except IndexFormatError as error:
                    notes.append(f"{error}; its chunks are indexed in memory until it is made anew")
                    continue
            opened.append((each, segment))
        return opened, tuple(notes)


def _is_behind(held: IndexState, state: State) -> bool:
    return (held.generation, held.arrangement) < (state.generation, state.arrangement)
