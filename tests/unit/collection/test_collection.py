"""The public class: its async forms, damage, and what stays in the file."""

from __future__ import annotations

import asyncio
import inspect
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plait.collection import Collection, collections
from plait.collection import open as open_collection
from plait.errors import ConfigurationError, IndexFormatError, StoreError
from plait.hybrid import Asked
from plait.types import Chunk

Make = Callable[..., Collection]
Sql = Callable[..., list[tuple[Any, ...]]]

ASYNC = [
    "add", "add_files", "delete", "clear", "reembed", "compact", "get", "count", "snapshot",
    "describe", "close", "search",
]  # fmt: skip


@pytest.mark.parametrize("name", ASYNC)
def test_every_call_that_touches_the_disk_has_an_async_form(name: str) -> None:
    sync, other = getattr(Collection, name), getattr(Collection, f"a{name}")
    assert inspect.iscoroutinefunction(other)
    if name == "search":  # its arguments are written out once
        assert set(inspect.signature(sync).parameters) == {
            "self", "query", *Asked.__annotations__
        }  # fmt: skip
    else:
        assert inspect.signature(other) == inspect.signature(sync)
    assert other.__name__ == f"a{name}"
    assert "without blocking" in other.__doc__


def test_async_forms_do_the_same(make: Make, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("Cats purr.")
    kb = make()

    async def use() -> None:
        assert await kb.aadd([Chunk("dogs bark", id="d"), Chunk("cows moo", id="c")]) == 2
        assert (await kb.aadd_files(tmp_path / "docs")).added == 1
        results = await asyncio.gather(*(kb.asearch(q) for q in ("dogs", "cats", "cows")))
        assert [result[0].id for result in results] == ["d", "a.txt#0", "c"]
        found = await kb.aget("d")
        assert found is not None
        with await kb.asnapshot() as view:
            assert await kb.adelete(ids=["d"]) == 1
            assert view.get("d") == found
        async with await kb.asnapshot() as view:
            assert (await view.asearch("cats"))[0].id == "a.txt#0"
        assert kb._store._connections._lent == {}
        assert await kb.acount() == 2
        assert (await kb.adescribe())["chunks"] == 2
        assert await kb.areembed("hash(dim=16)") == 2
        await kb.acompact()
        assert await kb.aclear() == 2
        with pytest.raises(ConfigurationError):
            await kb.aadd(["text"])  # type: ignore[list-item]
        await kb.aclose()

    asyncio.run(use())


def test_many_async_writes_at_once(kb: Collection) -> None:
    async def use() -> None:
        await asyncio.gather(*(kb.aadd([Chunk(f"text {n}", id=str(n))]) for n in range(40)))

    asyncio.run(use())
    assert kb.count() == 40


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE chunk SET content = 'cats pvrr' WHERE id = 'a'",
        "UPDATE chunk SET metadata = '{\"n\":2}' WHERE id = 'a'",
        "UPDATE chunk SET fields = '{\"page\":1}' WHERE id = 'a'",
        "UPDATE chunk SET content = x'ff63' WHERE id = 'a'",
        "UPDATE vector SET data = zeroblob(128) WHERE key = (SELECT key FROM chunk WHERE id = 'a')",
        "DELETE FROM vector WHERE key = (SELECT key FROM chunk WHERE id = 'a')",
    ],
)
def test_damage_is_found_when_it_is_read_and_can_be_mended(
    damage: str, make: Make, folder: Path, sql: Sql
) -> None:
    good = Chunk("cats purr", id="a", metadata={"n": 1})
    with make() as kb:
        kb.add([good, Chunk("dogs bark", id="b")])
    sql(damage)
    kb = make()
    searches: list[Callable[[], object]] = [
        lambda: kb.search("cats"),
        lambda: kb.search("dogs", legs=["bm25"]),
        lambda: kb.get("a"),
        kb.snapshot,
    ]
    for search in searches:
        with pytest.raises(IndexFormatError, match="chunk 'a' is") as caught:
            search()
        assert caught.value.path == str(folder / "default.plait")
    assert kb.get("b") == Chunk("dogs bark", id="b")
    assert kb.count() == 2
    kb.add([good])
    assert kb.search("cats")[0].chunk == good
    assert kb._store._connections._lent == {}


def test_damage_after_the_index_was_built_is_found_in_the_hit(make: Make, sql: Sql) -> None:
    kb = make()
    kb.add([Chunk("cats purr", id="a"), Chunk("dogs bark", id="b")])
    kb.search("cats")
    sql("UPDATE chunk SET content = 'cats hiss' WHERE id = 'a'")
    with pytest.raises(IndexFormatError, match="chunk 'a' is damaged"):
        kb.search("cats")
    assert kb.search("dogs", top_k=1, legs=["bm25"])[0].id == "b"
    assert kb._store._connections._lent == {}


def test_a_damaged_chunk_can_be_deleted_and_the_rest_lives_on(make: Make, sql: Sql) -> None:
    with make() as kb:
        kb.add([Chunk("cats purr", id="a"), Chunk("dogs bark", id="b")])
    sql("UPDATE chunk SET content = 'x' WHERE id = 'a'")
    kb = make()
    assert kb.delete(ids=["a"]) == 1
    assert [hit.id for hit in kb.search("cats dogs")] == ["b"]


def test_a_torn_file_is_an_error_that_names_it(make: Make, folder: Path) -> None:
    with make() as kb:
        kb.add([Chunk(f"text {n} " * 50, id=str(n)) for n in range(200)])
    file = folder / "default.plait"
    whole = file.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:5000] + b"\xff" * 4096 + whole[9096:]):
        file.write_bytes(damaged)

        def use() -> None:
            with make() as kb:
                kb.search("text")

        with pytest.raises(IndexFormatError) as caught:
            use()
        assert str(file) in str(caught.value)


def test_deleted_text_is_gone_from_disk_after_compact(make: Make, folder: Path) -> None:
    def on_disk(text: bytes) -> bool:
        return any(text in each.read_bytes() for each in folder.rglob("*") if each.is_file())

    kb = make()
    kb.add([Chunk("confidential words", id="secret-1", metadata={"owner": "somebody"})])
    kb.add([Chunk("stays here", id="b")])
    kb.search("words")
    kb.delete(ids=["secret-1"])
    kb.compact()
    for text in (b"confidential", b"secret-1", b"somebody"):
        assert not on_disk(text)
    assert on_disk(b"stays here")
    assert [hit.id for hit in kb.search("stays words")] == ["b"]
    kb.add([Chunk("first version", id="b")])
    kb.compact()
    assert not on_disk(b"stays here")
    kb.clear()
    kb.compact()
    assert not on_disk(b"first version")


def test_collections_of_one_folder_are_apart(make: Make, folder: Path) -> None:
    one, two = make("one"), make("two", embedder=None)
    one.add([Chunk("cats", id="a")])
    two.add([Chunk("cats", id="a"), Chunk("dogs", id="b")])
    one.clear()
    assert (one.count(), two.count()) == (0, 2)
    assert collections(folder) == ("one", "two")


def test_pages_and_windows(kb: Collection) -> None:
    kb.add([Chunk(f"cats {n}", id=f"{n:03}") for n in range(450)])
    wide = kb.search("cats", top_k=300)
    assert (len(wide), wide.fetch_k) == (300, 400)
    assert "grew from 200 to 400" in wide.notes[0]
    page = kb.search("cats", top_k=10, offset=100)
    assert page.fetch_k == 200
    assert page.hits == kb.search("cats", top_k=150).hits[100:110]


def test_what_it_looks_like(kb: Collection, folder: Path) -> None:
    assert repr(kb) == f"<Collection 'default' in {folder}>"


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be removed there")
def test_a_file_that_is_another_one_now_is_refused(make: Make, folder: Path) -> None:
    kb = make()
    kb.add([Chunk("cats", id="a")])
    shutil.rmtree(folder)
    uses: list[Callable[[], Any]] = [
        lambda: kb.add([Chunk("lost", id="lost")]),
        lambda: kb.search("cats"),
        kb.describe,
        kb.compact,
    ]
    for use in uses:
        with pytest.raises(StoreError, match="was removed or replaced while it was open"):
            use()
    assert not folder.exists()
    other = make()
    other.add([Chunk("dogs", id="b")])
    for use in uses:
        with pytest.raises(StoreError, match="was removed or replaced while it was open"):
            use()
    assert other.count() == 1


def test_a_relative_path_stays_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with open_collection("kb", embedder="hash") as kb:
        monkeypatch.chdir("elsewhere")
        kb.add([Chunk("cats", id="a")])
        assert kb.describe()["path"] == str(tmp_path / "kb" / "default.plait")
        assert kb.search("cats")[0].id == "a"
