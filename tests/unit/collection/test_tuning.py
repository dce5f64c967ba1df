"""Tuning: what it may hold, its two text forms, and when it is stale."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from plait.collection import Tuning
from plait.errors import ConfigurationError, FormatError
from plait.fusion import Auto, Learned, Rrf, Rsf
from plait.hybrid import HybridRetriever
from plait.types import Chunk

AT = datetime(2024, 1, 1, tzinfo=UTC)
WEIGHTS = {"dense": 0.3, "bm25": 0.7}
EVIDENCE = {
    "by": "held-out sentences",
    "curve": [0.0, 0.25, 1e-7, 1e22],
    "as_good": [0, 1],
    "sure": True,
    "default": {"fusion": "rsf()", "weights": {"a.b": 1.0}, "nothing": {}},
    "odd": "quote \" backslash \\ tab \t newline \n bell \x07 delete \x7f 退款 𝔘 é [x] = # '''",
    'key "with" = everything\n.\x7f': 1,
    "": "no name",
}


class TestValues:
    def test_it_is_a_value(self) -> None:
        weights, evidence = dict(WEIGHTS), {"seed": 1, "more": [1]}
        tuning = Tuning("rrf(k=10)", weights, 50, evidence)
        weights["dense"] = 9.0
        evidence["more"].append(2)  # type: ignore[attr-defined]
        assert tuning == Tuning(Rrf(k=10), WEIGHTS, 50, {"seed": 1, "more": [1]})
        assert hash(tuning) == hash(Tuning(Rrf(k=10), WEIGHTS, 50, {"seed": 1, "more": [1]}))
        assert tuning != Tuning(Rrf(k=10), WEIGHTS, 50, {"seed": 2, "more": [1]})
        with pytest.raises(TypeError):
            tuning.weights["dense"] = 1.0  # type: ignore[index]
        with pytest.raises(TypeError):
            tuning.evidence["seed"] = 2  # type: ignore[index]

    def test_weights_are_floats_and_nothing_is_nothing(self) -> None:
        tuning = Tuning(Rsf(), {"a": 1, "b": 0}, 1, {"none": None, "at": AT})
        assert tuning.to_dict() == {
            "fusion": "rsf()",
            "weights": {"a": 1.0, "b": 0.0},
            "window": 1,
            "evidence": {"at": "2024-01-01T00:00:00+00:00"},
        }
        assert all(type(weight) is float for weight in tuning.weights.values())

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"fusion": "rsff()"}, "unknown fusion 'rsff', did you mean 'rsf'"),
            ({"fusion": None}, "fusion is NoneType"),
            ({"fusion": Rsf}, "fusion is type"),
            ({"weights": {}}, "weights is {}, expected a mapping"),
            ({"weights": [0.3, 0.7]}, "expected a mapping from leg name"),
            ({"weights": {"a": 0.0}}, "all weights are 0"),
            ({"weights": {"a": -1.0}}, "weight of leg 'a' is -1.0"),
            ({"weights": {"a": float("nan")}}, "weight of leg 'a' is nan"),
            ({"weights": {"a": True}}, "weight of leg 'a' is True"),
            ({"weights": {"a": "1"}}, "weight of leg 'a' is '1'"),
            ({"weights": {1: 1.0}}, "weights name the legs [1]"),
            ({"weights": {"": 1.0}}, "weights name the legs"),
            ({"window": 0}, "window is 0, expected an int >= 1"),
            ({"window": True}, "window is True"),
            ({"window": 200.0}, "window is 200.0"),
            ({"evidence": "seed 1"}, "evidence is not JSON values"),
            ({"evidence": {"x": float("inf")}}, "'x' is inf"),
            ({"evidence": {"x": {1, 2}}}, "'x' is a set"),
            ({"evidence": {1: 2}}, "named by a int"),
            ({"evidence": {"collection": "docs"}}, "evidence has 'docs' for 'collection'"),
            ({"evidence": {"collection": {"chunks": "many"}}}, "'collection'"),
            ({"evidence": {"collection": {"chunks": 1, "vectors": 2}}}, "'collection'"),
            ({"evidence": {"collection": {"chunks": 1, "more": 2}}}, "'collection'"),
        ],
    )
    def test_what_it_cannot_be(self, given: dict[str, Any], said: str) -> None:
        whole = {"fusion": "rsf()", "weights": WEIGHTS, "window": 200, **given}
        with pytest.raises(ConfigurationError) as error:
            Tuning(**whole)
        assert said in str(error.value)

    def test_a_hybrid_takes_it(self) -> None:
        tuning = Tuning("rrf(k=1)", {"a": 0.25, "b": 0.75}, 30)
        x, y = Chunk("one", id="x"), Chunk("two", id="y")
        legs = {"b": lambda text: [x], "a": lambda text: [y, x]}
        hybrid = HybridRetriever(legs, **tuning.options)
        result = hybrid.retrieve("anything")
        assert result.fetch_k == 30
        assert [(hit.id, hit.score) for hit in result] == [
            ("x", 0.75 / (1 + 1) + 0.25 / (1 + 2)),
            ("y", 0.25 / (1 + 1)),
        ]


class TestStale:
    @pytest.mark.parametrize(
        ("chunks", "stale"),
        [
            (100, None),
            (150, None),  # 100 · 1.5
            (151, "it was made on 100 chunks, and there are 151"),
            (67, None),  # 67 · 1.5 = 100.5
            (66, "it was made on 100 chunks, and there are 66"),
            (0, "it was made on 100 chunks, and there are 0"),
            (12_000, "it was made on 100 chunks, and there are 12,000"),
        ],
    )
    def test_when_the_collection_has_grown_or_shrunk(self, chunks: int, stale: str | None) -> None:
        evidence = {"collection": {"chunks": 100, "vectors": "abc"}}
        tuning = Tuning(Auto(), WEIGHTS, 200, evidence)
        assert tuning.stale(chunks, "abc") == stale

    def test_when_the_vectors_are_others(self) -> None:
        tuning = Tuning(Auto(), WEIGHTS, 200, {"collection": {"chunks": 9, "vectors": "abc"}})
        assert tuning.fits("abc")
        for other in ("abd", None):
            assert not tuning.fits(other)
            assert tuning.stale(9, other) == "it was made with the vectors of another embedder"

    def test_of_an_empty_collection(self) -> None:
        tuning = Tuning(Auto(), WEIGHTS, 200, {"collection": {"chunks": 0, "vectors": None}})
        assert tuning.stale(0, None) is None
        assert tuning.stale(1, None) == "it was made on 0 chunks, and there are 1"

    def test_one_from_elsewhere_fits_any(self) -> None:
        tuning = Tuning(Auto(), WEIGHTS, 200)
        assert tuning.fits("abc")
        assert tuning.fits(None)
        assert tuning.stale(10**9, "abc") is None


class TestJson:
    def test_round_trip(self) -> None:
        for fusion in (Auto(), Rrf(k=10), Learned(("dense", "bm25"), [[1, 2, 3], [0, 1, 0]])):
            tuning = Tuning(fusion, WEIGHTS, 50, EVIDENCE)
            again = Tuning.from_json(tuning.to_json())
            assert again == tuning
            assert again.to_json() == tuning.to_json()
            assert json.loads(tuning.to_json()) == tuning.to_dict()

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "a tuning is not JSON"),
            ("{", "a tuning is not JSON"),
            ("[" * 100_000, "a tuning is not JSON"),
            ("[1]", "a tuning is list, expected a mapping"),
            ("null", "a tuning is NoneType"),
            ("{}", "a tuning has nothing; expected fusion, weights, window, evidence"),
            ('{"fusion": "rsf()", "weights": {"a": 1}}', "a tuning has fusion, weights; expected"),
            (
                '{"fusion": "rsf()", "weights": {"a": 1}, "window": 1, "k": 2}',
                "a tuning has fusion, weights, window, k; expected",
            ),
            ('{"fusion": "rsf()", "weights": {"a": NaN}, "window": 1}', "weight of leg 'a'"),
            ('{"fusion": 5, "weights": {"a": 1}, "window": 1}', "fusion is int"),
        ],
    )
    def test_what_is_none(self, text: str, said: str) -> None:
        with pytest.raises(ConfigurationError, match=said):
            Tuning.from_json(text)


class TestToml:
    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        return tmp_path / "plait.toml"

    def test_round_trip(self, file: Path) -> None:
        for evidence in (EVIDENCE, {}):
            tuning = Tuning('dbsf(shape="3sigma", ddof=1)', {"a b": 1e-9, 'q"': 2}, 50, evidence)
            tuning.write(file)  # replaces the one before
            assert Tuning.read(file) == tuning

    def test_it_reads_well(self, file: Path) -> None:
        Tuning(Rrf(k=10), WEIGHTS, 50, {"seed": 0, "gain": 0.02}).write(str(file))
        assert file.read_text() == (
            "[fusion]\n"
            'method = "rrf(k=10)"\n'
            "window = 50\n"
            'weights = {"dense" = 0.3, "bm25" = 0.7}\n'
            "\n"
            "[fusion.evidence]\n"
            '"seed" = 0\n'
            '"gain" = 0.02\n'
        )

    def test_one_that_was_written_by_hand(self, file: Path) -> None:
        file.write_text("[fusion]\nmethod='rsf'\nwindow=9\n[fusion.weights]\ndense=1\nbm25=2\n")
        assert Tuning.read(file) == Tuning(Rsf(), {"dense": 1, "bm25": 2}, 9)

    def test_other_tables_are_kept(self, file: Path) -> None:
        text = "[fusion]\nmethod = 'rsf()'\n[project]\nname = 'mine'\n"
        file.write_text(text)
        with pytest.raises(ConfigurationError, match=r"holds project beside \[fusion\]"):
            Tuning(Rsf(), WEIGHTS, 9).write(file)
        assert file.read_text() == text

    def test_what_cannot_be_written_is_known_before(self, tmp_path: Path) -> None:
        Tuning.check_target(tmp_path / "new.toml")
        Tuning.check_target("new.toml")
        assert not (tmp_path / "new.toml").exists()
        with pytest.raises(ConfigurationError, match="there is no such folder"):
            Tuning.check_target(tmp_path / "no" / "new.toml")
        with pytest.raises(ConfigurationError, match="there is no such folder"):
            Tuning(Rsf(), WEIGHTS, 9).write(tmp_path / "no" / "new.toml")

    def test_a_file_that_is_no_toml_is_kept(self, file: Path) -> None:
        file.write_text("what is this")
        with pytest.raises(FormatError, match="cannot be read as TOML") as error:
            Tuning(Rsf(), WEIGHTS, 9).write(file)
        assert error.value.path == str(file)
        assert file.read_text() == "what is this"

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("fusion = 1", r"has no table \[fusion\]"),
            ("[fusio]\nmethod = 'rsf()'", r"has no table \[fusion\]"),
            ("", r"has no table \[fusion\]"),
            ("[fusion]\nwindow = 1", "names no method"),
            ("[fusion]\nmethod='rsf()'\nfusion='rsf()'", "names no method"),
            ("[fusion]\nmethod='rsff()'\nwindow=1\nweights={a=1}", "unknown fusion 'rsff'"),
            ("[fusion]\nmethod='rsf()'\nwindow=1", "expected fusion, weights, window"),
            ("[fusion]\nmethod='rsf()'\nwindow=1\nweights={a=1}\nk=1", "expected fusion"),
            ("[fusion]\nmethod='rsf()'\nwindow=1.5\nweights={a=1}", "window is 1.5"),
            ("[fusion]\nmethod='rsf()'\nwindow=1\nweights={a=nan}", "weight of leg 'a' is nan"),
            ("[fusion", "cannot be read as TOML"),
        ],
    )
    def test_damage(self, file: Path, text: str, said: str) -> None:
        file.write_text(text)
        with pytest.raises(FormatError, match=said) as error:
            Tuning.read(file)
        assert error.value.path == str(file)
        assert str(file) in str(error.value)

    def test_what_cannot_be_read(self, file: Path, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match="cannot be read as TOML"):
            Tuning.read(file)
        with pytest.raises(FormatError, match="cannot be read as TOML"):
            Tuning.read(tmp_path)
        file.write_bytes(b"\xff\xfe\x00")
        with pytest.raises(FormatError, match="cannot be read as TOML"):
            Tuning.read(file)
