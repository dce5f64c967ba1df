"""From a folder and a name to a collection, and everything that is refused on the way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plait.collection import Collection, collections, describe
from plait.collection import open as open_collection
from plait.collection.store import Store
from plait.embedders import CallableEmbedder, HashEmbedder
from plait.errors import ConfigurationError, IndexFormatError, MissingDependencyError
from plait.text import Analyzer
from plait.types import Chunk

Make = Callable[..., Collection]
Sql = Callable[..., list[tuple[Any, ...]]]


class TestFolders:
    def test_it_is_made_with_its_parents(self, tmp_path: Path) -> None:
        path = tmp_path / "a" / "b" / "kb"
        with open_collection(str(path), embedder=None) as kb:
            kb.add([Chunk("x")])
        assert [each.name for each in path.iterdir()] == ["default.plait"]

    def test_a_file_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        for path in (tmp_path / "file", tmp_path / "file" / "kb"):
            with pytest.raises(ConfigurationError):
                open_collection(path, embedder=None)

    def test_a_folder_of_something_else_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "README.md").touch()
        with pytest.raises(ConfigurationError, match=r"holds no collection \(it holds 'README.md'"):
            open_collection(tmp_path, embedder=None)
        assert len(list(tmp_path.iterdir())) == 1
        (tmp_path / "README.md").unlink()
        (tmp_path / ".hidden").touch()
        open_collection(tmp_path, embedder=None).close()

    def test_a_url_is_refused(self) -> None:
        with pytest.raises(ConfigurationError, match="is a URL"):
            open_collection("postgresql://localhost/kb")

    def test_the_file_of_another_program_is_refused(self, folder: Path, sql: Sql) -> None:
        folder.mkdir()
        sql("CREATE TABLE mine (a)")
        with pytest.raises(IndexFormatError, match="not one that plait made"):
            open_collection(folder, embedder=None)

    def test_a_newer_format_is_refused_by_name(self, make: Make, folder: Path, sql: Sql) -> None:
        make().close()
        sql("PRAGMA user_version = 99")
        for read_only in (False, True):
            with pytest.raises(IndexFormatError, match="has format 99") as caught:
                make(read_only=read_only)
            assert caught.value.path == str(folder / "default.plait")

    def test_a_file_whose_making_was_interrupted_is_made_again(
        self, make: Make, folder: Path
    ) -> None:
        folder.mkdir()
        (folder / "default.plait").touch()
        make().add([Chunk("x", id="a")])
        assert make().count() == 1

    def test_of_two_that_make_it_the_first_decides(
        self, make: Make, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        is_made = Store.is_made
        others: list[Collection] = []

        def overtaken(self: Store) -> bool:
            found = is_made(self)
            if not others:
                others.append(None)  # type: ignore[arg-type]
                others[0] = make(embedder="hash(dim=32)", window=50)
                others[0].add([Chunk("x", id="a")])
            return found

        monkeypatch.setattr(Store, "is_made", overtaken)
        kb = make(embedder="hash(dim=32)")
        assert kb.settings.window == 50
        assert kb.count() == 1

    @pytest.mark.parametrize("seconds", [0, -1, 1e7, float("inf"), float("nan"), True, "1", None])
    def test_a_bad_timeout_is_refused(self, seconds: Any, make: Make) -> None:
        with pytest.raises(ConfigurationError, match="lock_timeout is"):
            make(lock_timeout=seconds)


class TestNames:
    def test_several_in_one_folder(self, make: Make, folder: Path) -> None:
        names = ["default", "Docs", "docs", "müller/../x", "a b", "CON", "%41", ".", "文書"]
        for number, name in enumerate(names):
            make(name).add([Chunk(f"cats {n}", id=str(n)) for n in range(number)])
        assert collections(folder) == tuple(sorted(names))
        for number, name in enumerate(names):
            assert make(name).count() == number
            assert make(name).name == name
        make("docs").clear()
        assert make("Docs").count() == 1
        assert all(each.parent == folder for each in folder.rglob("*"))

    def test_no_two_names_share_a_file_where_case_is_folded(self, make: Make, folder: Path) -> None:
        make("Docs")
        make("docs")
        files = {each.name.lower() for each in folder.glob("*.plait")}
        assert len(files) == 2

    @pytest.mark.parametrize("name", ["", None, 3, "x" * 201, "ü" * 40, "\ud800"])
    def test_bad_names(self, name: Any, make: Make) -> None:
        with pytest.raises(ConfigurationError, match="collection"):
            make(name)

    def test_no_folder_has_no_collections(self, tmp_path: Path) -> None:
        assert collections(tmp_path / "nothing") == ()
        assert collections(tmp_path) == ()


class TestEmbedders:
    def test_a_mismatch_says_both_and_what_to_do(self, make: Make) -> None:
        make(embedder="hash(dim=32)").close()
        for given in ("hash(dim=64)", HashEmbedder(dim=64), None):
            with pytest.raises(ConfigurationError, match="made with the embedder") as caught:
                make(embedder=given)
            assert "default.plait" in str(caught.value)
        for given in (..., "hash(dim=32)", HashEmbedder(dim=32)):
            make(embedder=given).close()

    def test_a_function_must_be_given_again(self, make: Make, counting: Any) -> None:
        make(embedder=counting()).close()
        with pytest.raises(ConfigurationError, match="open it with embedder="):
            make(embedder=...)
        with pytest.raises(ConfigurationError, match="'other'"):
            make(embedder=CallableEmbedder(list, name="other", dim=32))
        make(embedder=counting()).close()

    def test_a_missing_extra_is_an_error_and_leaves_nothing_behind(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Never a silent stand-in."""
        monkeypatch.setattr("plait.inference.loading.find_spec", lambda name: None)
        with pytest.raises(MissingDependencyError, match=r"pip install 'plait\[minilm\]'"):
            open_collection(folder)
        assert not folder.exists()
        open_collection(folder, embedder=None).close()

    def test_one_made_without_stays_without(self, make: Make) -> None:
        make(embedder=None).close()
        with pytest.raises(ConfigurationError, match="has no embedder"):
            make(embedder="hash(dim=32)")
        make(embedder=...).close()

    @pytest.mark.model
    def test_the_default_is_minilm(self, folder: Path) -> None:
        pytest.importorskip("onnxruntime")
        with open_collection(folder) as kb:
            kb.add([Chunk("How to end a subscription", id="a"), Chunk("Error E1042", id="b")])
            assert kb.search("cancel my plan", legs=["dense"])[0].id == "a"
            assert kb.describe()["embedder"] == "minilm"
        with open_collection(folder, embedder="minilm") as kb:
            assert kb.search("what is E1042")[0].id == "b"


class TestSettings:
    def test_they_are_taken_from_the_file(self, make: Make) -> None:
        made = make(
            analyzer=Analyzer(fold_accents=True),
            bm25="bm25(variant='lucene', k1=1.2, b=0.5)",
            metric="dot",
            chunking="chunking(max_tokens=50, overlap=5)",
            fusion="rrf(k=10)",
            window=40,
        )
        again = make(embedder=...)
        assert again.settings == made.settings
        again.add([Chunk("café", id="a")])
        result = again.search("cafe")
        assert result[0].id == "a"
        assert (result.fusion, result.fetch_k) == ("rrf(k=10)", 40)

    @pytest.mark.parametrize(
        "given",
        [
            {"analyzer": Analyzer(fold_accents=True)},
            {"bm25": "bm25(k1=2.0)"},
            {"metric": "dot"},
            {"fusion": "rrf(k=60)"},
            {"window": 100},
            {"chunking": "chunking(max_tokens=50, overlap=5)"},
        ],
    )
    def test_another_value_is_refused(self, given: dict[str, Any], make: Make) -> None:
        make().close()
        with pytest.raises(ConfigurationError, match=r"leave .* out"):
            make(**given)

    def test_a_mistake_makes_no_folder(self, folder: Path) -> None:
        with pytest.raises(ConfigurationError):
            open_collection(folder, embedder=None, fusion="nothing")
        assert not folder.exists()

    def test_a_tokenizer_that_is_code(self, make: Make) -> None:
        def halves(text: str) -> list[str]:
            return [text[: len(text) // 2], text[len(text) // 2 :]]

        analyzer = Analyzer(tokenizer=halves)
        make(embedder=None, analyzer=analyzer).add([Chunk("abcd", id="a")])
        with pytest.raises(ConfigurationError, match=r"analyzer=Analyzer\(tokenizer="):
            make(embedder=None)
        assert make(embedder=None, analyzer=analyzer).search("abxx")[0].id == "a"

    def test_settings_that_were_damaged_are_said(self, make: Make, sql: Sql) -> None:
        make().close()
        sql("UPDATE setting SET value = 'rff()' WHERE name = 'fusion'")
        with pytest.raises(IndexFormatError, match="settings do not match"):
            make()


class TestReadOnly:
    def test_it_answers_and_refuses_every_write(self, make: Make) -> None:
        kb = make()
        kb.add([Chunk("cats", id="a")])
        reader = make(read_only=True)
        assert reader.search("cats")[0].id == "a"
        writes: list[Callable[[], object]] = [
            lambda: reader.add([Chunk("x")]),
            lambda: reader.delete(ids=["a"]),
            lambda: reader.delete(filter={"a": 1}),
            reader.clear,
            reader.compact,
            lambda: reader.reembed("hash(dim=8)"),
        ]
        for write in writes:
            with pytest.raises(ConfigurationError, match="read_only=True"):
                write()
        kb.add([Chunk("cats and dogs", id="b")])
        assert len(reader.search("cats")) == 2

    def test_there_must_be_one(self, make: Make, folder: Path) -> None:
        with pytest.raises(ConfigurationError, match="does not exist"):
            make(read_only=True)
        assert not folder.exists()


class TestDescribe:
    def test_it_needs_no_embedder(self, make: Make, folder: Path, counting: Any) -> None:
        kb = make("code", embedder=counting())
        kb.add([Chunk("x")])
        said = describe(folder, "code")
        assert said == kb.describe()
        assert (said["name"], said["chunks"], said["embedder"]) == ("code", 1, None)
        assert said["embedder_identity"]["model"] == "counting"
        with pytest.raises(ConfigurationError, match="does not exist"):
            describe(folder, "nothing")


def test_it_is_a_context_manager_and_closing_again_does_nothing(make: Make) -> None:
    with make() as kb:
        kb.add([Chunk("cats", id="a")])
    kb.close()
    for call in (kb.count, lambda: kb.search("cats"), lambda: kb.add([Chunk("x")])):
        with pytest.raises(ConfigurationError, match="is closed; open it again"):
            call()

    async def use() -> int:
        async with make() as again:
            return await again.acount()

    assert asyncio.run(use()) == 1


def test_closed_the_folder_holds_one_file_to_copy(make: Make, folder: Path) -> None:
    kb = make()
    kb.add([Chunk("cats", id="a")])
    assert len(list(folder.iterdir())) == 3
    kb.close()
    assert [each.name for each in folder.iterdir()] == ["default.plait"]
