import threading

import numpy as np

from plait.filters import Filter
from plait.table import ChunkTable, PartRanking, merge_rankings
from plait.types import Chunk


def test_an_empty_table() -> None:
    view = ChunkTable().view()
    assert (view.size, view.count) == (0, 0)
    assert view.allow(None).tolist() == []
    assert view.allow(Filter.parse({"a": 1})).tolist() == []


def test_adding_nothing_changes_nothing() -> None:
    table = ChunkTable()
    added, dead = table.add([], [])
    assert (added.tolist(), dead.tolist()) == ([], [])
    assert (added.dtype, dead.dtype) == (np.int64, np.int64)


def test_ordinals_are_given_once() -> None:
    table = ChunkTable()
    table.add(["a", "b"], [{}, {}])
    table.remove(["b"])
    added, dead = table.add(["b", "a"], [{}, {}])
    assert (added.tolist(), dead.tolist()) == ([2, 3], [0])
    assert (table.ordinal("a"), table.ordinal("b"), table.ordinal("z")) == (3, 2, None)
    assert (len(table), "a" in table, "z" in table) == (2, True, False)
    assert (table.view().size, table.view().count) == (4, 2)


def test_of_an_id_repeated_in_one_call_the_last_row_stays() -> None:
    table = ChunkTable()
    added, dead = table.add(["a", "a", "a"], [{"v": 1}, {"v": 2}, {"v": 3}])
    assert (added.tolist(), dead.tolist()) == ([0, 1, 2], [0, 1])
    view = table.view()
    assert view.alive.tolist() == [False, False, True]
    assert (view.count, view.metadata[2]) == (1, {"v": 3})


def test_removing_unknown_and_repeated_ids() -> None:
    table = ChunkTable()
    table.add(["a", "b"], [{}, {}])
    assert table.remove(["z", "a", "a"]).tolist() == [0]
    assert table.remove([]).tolist() == []
    assert table.view().alive.tolist() == [False, True]


def test_a_view_does_not_see_later_writes() -> None:
    table = ChunkTable()
    table.add(["a", "b"], [{"x": 1}, {"x": 1}])
    view = table.view()
    table.remove(["a"])
    table.add(["b", "c"], [{"x": 2}, {"x": 1}])
    keep = Filter.parse({"x": 1})
    assert (view.size, view.count) == (2, 2)
    assert view.allow(keep).tolist() == [True, True]
    assert table.view().allow(keep).tolist() == [False, False, False, True]


def test_dead_rows_never_pass() -> None:
    table = ChunkTable()
    table.add(["a", "b"], [{"x": 1}, {"x": 1}])
    table.remove(["a"])
    view = table.view()
    assert view.allow(None).tolist() == [False, True]
    assert view.allow(Filter.parse({})).tolist() == [False, True]
    assert view.allow(Filter.parse({"y": {"$exists": False}})).tolist() == [False, True]


def test_live_ids_are_sorted_and_without_the_dead() -> None:
    table = ChunkTable()
    table.add(["b", "c", "a"], [{}, {}, {}])
    view = table.view()
    table.add(["b"], [{}])
    table.remove(["c"])
    assert view.live_ids() == ["a", "b", "c"]
    assert table.view().live_ids() == ["a", "b"]
    assert ChunkTable().view().live_ids() == []


def test_masks_are_read_only_and_cached() -> None:
    table = ChunkTable()
    table.add(["a"], [{"x": 1}])
    view = table.view()
    mask = view.allow(Filter.parse({"x": 1}))
    assert view.allow(Filter.parse({"x": 1})) is mask
    assert not mask.flags.writeable
    assert not view.allow(None).flags.writeable


def test_one_and_true_do_not_share_a_mask() -> None:
    table = ChunkTable()
    table.add(["int", "bool"], [{"x": 1}, {"x": True}])
    view = table.view()
    assert view.allow(Filter.parse({"x": 1})).tolist() == [True, False]
    assert view.allow(Filter.parse({"x": True})).tolist() == [False, True]
    assert view.allow(Filter.parse({"x": {"$in": [True]}})).tolist() == [False, True]
    assert view.allow(Filter.parse({"x": {"$in": [1]}})).tolist() == [True, False]


def test_the_cache_of_masks_stays_small_and_right() -> None:
    table = ChunkTable()
    table.add([str(n) for n in range(100)], [{"n": n} for n in range(100)])
    view = table.view()
    for n in (*range(100), 0, 1):
        assert np.flatnonzero(view.allow(Filter.parse({"n": n}))).tolist() == [n]
    assert len(view._masks) <= 64


def test_views_are_read_while_one_thread_writes() -> None:
    table = ChunkTable()
    wrong = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            view = table.view()
            mask = view.allow(Filter.parse({"even": True}))
            alive = [view.ids[ordinal] for ordinal in np.flatnonzero(view.alive)]
            if len(alive) != view.count or len(mask) != view.size or len(set(alive)) != view.count:
                wrong.append(view)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    try:
        for n in range(300):
            table.add([str(n % 50)], [{"even": n % 2 == 0}])
            if n % 7 == 0:
                table.remove([str(n % 50)])
    finally:
        done.set()
        for reader in readers:
            reader.join()
    assert wrong == []


def test_first_is_the_smallest_keys_with_ties_by_id() -> None:
    table = ChunkTable()
    rows, _ = table.add(["d", "b", "a", "c"], [{}] * 4)
    view = table.view()
    keys = np.array([1.0, 0.5, 1.0, 1.0], dtype=np.float32)
    for top_k in (1, 2, 3, 4, 9):
        assert view.first(rows, keys, top_k).tolist() == [1, 2, 3, 0][:top_k]
    assert view.first(rows[2:], keys[2:], 1).tolist() == [0]  # positions, not ordinals
    assert view.first(rows[:0], keys[:0], 3).tolist() == []
    assert view.first(rows, np.array([0.0, -0.0, 0.0, -0.0]), 2).tolist() == [2, 1]


class TestMergeRankings:
    left = PartRanking(("b", "d"), (2.0, 1.0), 5)
    right = PartRanking(("a", "c", "e"), (2.0, 1.5, 1.0), 7)

    def test_by_score_then_id(self) -> None:
        merged = merge_rankings([self.left, self.right], 9)
        assert merged == PartRanking(("a", "b", "c", "d", "e"), (2.0, 2.0, 1.5, 1.0, 1.0), 5 + 7)

    def test_distances_ascend(self) -> None:
        near, far = PartRanking(("b", "a"), (0.0, 3.0), 2), PartRanking(("c",), (1.0,), 1)
        merged = merge_rankings([near, far], 2, higher_is_better=False)
        assert (merged.ids, merged.scores, merged.total) == (("b", "c"), (0.0, 1.0), 3)

    def test_the_cut_does_not_change_the_total(self) -> None:
        assert merge_rankings([self.left, self.right], 1) == PartRanking(("a",), (2.0,), 12)
        assert merge_rankings([self.right], 1) == PartRanking(("a",), (2.0,), 7)

    def test_one_part_is_its_own_merge(self) -> None:
        assert merge_rankings([self.left], 2) is self.left

    def test_no_parts(self) -> None:
        assert merge_rankings([], 3) == PartRanking((), (), 0)

    def test_chunks_come_along_if_every_part_has_them(self) -> None:
        chunk = {name: Chunk(name, id=name) for name in "ab"}
        one = PartRanking(("b",), (1.0,), 1, (chunk["b"],))
        two = PartRanking(("a",), (1.0,), 1, (chunk["a"],))
        assert merge_rankings([one, two], 2).chunks == (chunk["a"], chunk["b"])
        assert merge_rankings([one, self.right], 2).chunks == ()
        assert merge_rankings([one, PartRanking((), (), 0)], 2).chunks == (chunk["b"],)
