"""When a query goes by what tuning stored, and what goes before it."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from plait.collection import Collection, Tuning
from plait.collection.fusing import tuned
from plait.collection.settings import PRIOR
from plait.errors import ConfigurationError, IndexFormatError
from plait.fusion import Auto, Fusion, Rrf, Rsf, register_fusion
from plait.fusion import parse as registry
from plait.hybrid import HybridRetriever
from plait.hybrid.plan import Fusing
from plait.types import Chunk, Query, Ranking, Variant

Make = Callable[..., Collection]

TUNING = Tuning(Rrf(k=10), {"dense": 0.9, "bm25": 0.1}, 50, {"seed": 7})
EQUAL = {"dense": 1.0, "bm25": 1.0}
CHUNKS = [Chunk("cats purr", id="a"), Chunk("dogs bark", id="b"), Chunk("cats and dogs", id="c")]


@pytest.fixture
def filled(kb: Collection) -> Collection:
    kb.add(CHUNKS)
    return kb


def used(kb: Any, **given: Any) -> tuple[str | None, dict[str, float], int | None]:
    """Fusion, weights and window that a search of "cats" goes by, as its result tells."""
    result = kb.search("cats", **given) if hasattr(kb, "search") else kb.retrieve("cats", **given)
    weights = {each.leg: each.weight for each in result[0].contributions}
    return result.fusion, weights, result.fetch_k


class TestTheRule:
    """The pure function, without a collection."""

    MINE: ClassVar[Fusing] = Fusing(Auto(), EQUAL, 200)
    STORED: ClassVar[Tuning] = Tuning(
        Rrf(k=10), {"dense": 0.9, "bm25": 0.1}, 50, {"collection": {"chunks": 3, "vectors": "v"}}
    )

    def test_without_a_tuning_the_weights_are_the_prior(self) -> None:
        assert tuned(self.MINE, None, "v") == Fusing(Auto(), PRIOR, 200)
        assert dict(PRIOR) == {"dense": 0.3, "bm25": 0.7}

    def test_a_tuning_gives_all_three(self) -> None:
        assert tuned(self.MINE, self.STORED, "v") == Fusing(Rrf(k=10), self.STORED.weights, 50)

    def test_another_fusion_is_left_as_it_is(self) -> None:
        for fusion in (Rsf(), Rrf(k=60)):
            asked = Fusing(fusion, EQUAL, 200)
            assert tuned(asked, self.STORED, "v") is asked
            assert tuned(asked, None, "v") is asked

    def test_what_is_given_goes_first(self) -> None:
        given = Fusing(Auto(), {"dense": 5.0, "bm25": 1.0}, 20)
        assert tuned(given, self.STORED, "v", weighted=True) == Fusing(Rrf(k=10), given.weights, 50)
        assert tuned(given, None, "v", weighted=True) is given
        assert tuned(self.MINE, self.STORED, "v", windowed=True).window == 200

    def test_an_auto_of_ones_own_takes_weights_and_window_only(self) -> None:
        mine = Fusing(Auto(coverage=0.25), EQUAL, 200)
        expected = Fusing(Auto(coverage=0.25), self.STORED.weights, 50)
        assert tuned(mine, self.STORED, "v") == expected

    def test_a_single_leg_keeps_its_weight(self) -> None:
        for leg in EQUAL:
            alone = Fusing(Auto(), {leg: 1.0}, 200)
            assert tuned(alone, None, "v") == alone
            assert tuned(alone, self.STORED, "v") == Fusing(Rrf(k=10), {leg: 1.0}, 50)

    def test_a_leg_without_a_stored_weight_has_none(self) -> None:
        stored = Tuning(Auto(), {"bm25": 2.0}, 50)
        assert tuned(self.MINE, stored, "v").weights == {"dense": 0.0, "bm25": 2.0}

    def test_one_of_other_vectors_is_not_used(self) -> None:
        for weighted in (False, True):
            found = tuned(self.MINE, self.STORED, "other", weighted=weighted)
            assert (found.fusion, found.window) == (Auto(), 200)
            assert found.weights == (EQUAL if weighted else PRIOR)
            (note,) = found.notes
            assert note.startswith("the stored tuning is not used: it was made with another")


class TestApplying:
    def test_it_is_used_kept_and_forgotten(self, filled: Collection, make: Make) -> None:
        untuned = ("auto(coverage=0.5, lead=0.5)", dict(PRIOR), 200)
        assert filled.tuning is None
        assert used(filled) == untuned
        filled.apply(TUNING)
        for kb in (filled, make(), make(read_only=True)):
            assert kb.tuning is not None
            assert kb.tuning.options == TUNING.options
            assert kb.tuning.evidence["seed"] == 7
            assert used(kb) == ("rrf(k=10)", dict(TUNING.weights), 50)
            assert used(kb.retriever()) == ("rrf(k=10)", dict(TUNING.weights), 50)
        other = make()
        asyncio.run(filled.aapply(None))
        for kb in (filled, other, make()):
            assert kb.tuning is None
            assert used(kb) == untuned

    def test_its_score_is_the_arithmetic_of_the_stored_weights(self, filled: Collection) -> None:
        filled.apply(TUNING)
        hit = filled.search("dogs bark", top_k=1)[0]
        assert (hit.id, {each.leg: each.rank for each in hit.contributions}) == (
            "b",
            {"dense": 1, "bm25": 1},
        )
        assert hit.score == pytest.approx(0.9 / (10 + 1) + 0.1 / (10 + 1), abs=1e-12)

    def test_the_evidence_says_of_what_it_was_made(self, filled: Collection) -> None:
        filled.apply(TUNING)
        tuning = filled.tuning
        assert tuning is not None
        assert tuning.evidence["collection"]["chunks"] == 3
        told = filled.describe()["tuning"]
        assert told == {**tuning.to_dict(), "stale": None}
        filled.apply(tuning)  # what is there is no reason to refuse
        assert filled.tuning == tuning

    def test_it_counts_as_a_change(self, filled: Collection) -> None:
        before = filled.describe()["generation"]
        filled.apply(TUNING)
        assert filled.search("cats").generation == before + 1
        filled.apply(None)
        assert filled.search("cats").generation == before + 2

    def test_a_snapshot_keeps_the_weights_that_it_was_taken_with(self, filled: Collection) -> None:
        with filled.snapshot() as before:
            filled.apply(TUNING)
            with filled.snapshot() as after:
                filled.apply(None)
                for view, fusing in (
                    (before, ("auto(coverage=0.5, lead=0.5)", dict(PRIOR), 200)),
                    (after, ("rrf(k=10)", dict(TUNING.weights), 50)),
                ):
                    hybrid = view.retriever()
                    described = hybrid.describe()
                    assert used(view) == used(hybrid) == fusing
                    assert asyncio.run(view.asearch("cats")).fusion == fusing[0]
                    assert (
                        described["fusion"],
                        described["weights"],
                        described["window"],
                    ) == fusing
                    own = hybrid.fusing()
                    assert (str(own.fusion), dict(own.weights), own.window) == fusing

    def test_a_snapshot_describes_the_vectors_that_it_has(self, filled: Collection) -> None:
        with filled.snapshot() as view:
            filled.reembed("hash(dim=8)")
            assert view.retriever().describe()["legs"]["dense"]["dim"] == 32
            assert filled.retriever().describe()["legs"]["dense"]["dim"] == 8

    def test_another_process_sees_it(self, filled: Collection, folder: Path) -> None:
        filled.apply(TUNING)
        program = (
            "import sys; from plait.collection import open\n"
            "kb = open(sys.argv[1]); print(kb.search('cats').fusion, kb.tuning.to_json())"
        )
        ran = subprocess.run(
            [sys.executable, "-c", program, str(folder)], capture_output=True, text=True, check=True
        )
        fusion, text = ran.stdout.split(" ", 1)
        assert fusion == "rrf(k=10)"
        assert Tuning.from_json(text) == filled.tuning

    def test_read_only_it_is_refused(self, filled: Collection, make: Make) -> None:
        kb = make(read_only=True)
        with pytest.raises(ConfigurationError, match="read_only"):
            kb.apply(TUNING)
        assert filled.tuning is None

    def test_it_lives_through_compacting_clearing_and_new_chunks(self, filled: Collection) -> None:
        filled.apply(TUNING)
        filled.compact()
        assert used(filled)[0] == "rrf(k=10)"
        filled.clear()
        assert filled.describe()["tuning"]["stale"] == ("it was made on 3 chunks, and there are 0")
        filled.add(CHUNKS)
        assert filled.describe()["tuning"]["stale"] is None
        filled.add([Chunk("birds sing", id="d"), Chunk("fish swim", id="e")])
        assert filled.describe()["tuning"]["stale"] == ("it was made on 3 chunks, and there are 5")
        assert used(filled)[0] == "rrf(k=10)"  # stale, and still better than nothing

    def test_with_other_vectors_it_is_not_used_and_the_result_says_so(
        self, filled: Collection
    ) -> None:
        filled.apply(TUNING)
        filled.reembed("hash(dim=8)")
        result = filled.search("cats")
        assert result.fusion == "auto(coverage=0.5, lead=0.5)"
        assert [note for note in result.notes if "tune again" in note]
        assert filled.describe()["tuning"]["stale"] == (
            "it was made with the vectors of another embedder"
        )
        assert filled.search("cats", fusion="rsf()").notes == ()
        filled.reembed("hash(dim=32)")  # back again: the weights fit again
        assert filled.search("cats").fusion == "rrf(k=10)"
        filled.reembed("hash(dim=8)")
        filled.apply(TUNING)
        assert filled.search("cats").fusion == "rrf(k=10)"

    def test_the_checksum_of_the_settings_covers_it(
        self, filled: Collection, make: Make, sql: Callable[..., Any]
    ) -> None:
        filled.apply(TUNING)
        filled.close()
        sql("UPDATE setting SET value = replace(value, '0.9', '0.8') WHERE name = 'tuning'")
        with pytest.raises(IndexFormatError, match="settings do not match their checksum"):
            make()

    def test_settings_and_roots_stay(self, filled: Collection, tmp_path: Path) -> None:
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs" / "a.txt").write_text("Birds sing.")
        filled.apply(TUNING)
        filled.add_files(tmp_path / "docs")
        assert filled.tuning is not None
        filled.apply(TUNING)
        assert filled.describe()["roots"] == {"docs": str(tmp_path / "docs")}

    @pytest.mark.parametrize(
        ("wrong", "said"),
        [
            ("auto()", "tuning is 'auto()', expected a Tuning or None"),
            (TUNING.to_dict(), "expected a Tuning or None"),
            (Tuning(Rsf(), {"bm25": 1, "splade": 1}, 9), "weight for 'splade'; a collection has"),
        ],
    )
    def test_what_is_none_is_refused(self, filled: Collection, wrong: Any, said: str) -> None:
        with pytest.raises(ConfigurationError) as error:
            filled.apply(wrong)
        assert said in str(error.value)
        assert filled.tuning is None


@dataclass(frozen=True)
class Halving(Fusion):
    """1/2 for the first, 1/4 for the second, and so on."""

    name: ClassVar[str] = "halving"

    def contributions(self, ranking: Ranking) -> Sequence[float]:
        return [2.0**-rank for rank in range(1, len(ranking) + 1)]


class TestForeignFusions:
    @pytest.fixture(autouse=True)
    def forgotten(self) -> Iterator[None]:
        yield
        registry._registered.pop("halving", None)

    def test_one_that_nobody_knows_cannot_be_stored(self, filled: Collection) -> None:
        with pytest.raises(ConfigurationError, match="cannot be stored: unknown fusion 'halving'"):
            filled.apply(Tuning(Halving(), {"bm25": 1}, 9))

    def test_one_whose_text_form_leads_elsewhere_cannot_be_stored(self, filled: Collection) -> None:
        class Odd(Rsf):
            def __str__(self) -> str:
                return "rrf(k=60)"

        with pytest.raises(ConfigurationError, match="its text form gives another one"):
            filled.apply(Tuning(Odd(), {"bm25": 1}, 9))

    def test_one_that_is_not_known_here_is_told(self, filled: Collection, make: Make) -> None:
        register_fusion(Halving)
        filled.apply(Tuning(Halving(), {"dense": 1, "bm25": 1}, 9))
        assert filled.search("cats").fusion == "halving()"
        registry._registered.pop("halving")
        kb = make()
        for ask in (
            lambda: kb.search("cats"),
            lambda: kb.tuning,
            kb.describe,
            lambda: kb.retriever().describe(),
        ):
            with pytest.raises(IndexFormatError, match="unknown fusion 'halving'") as error:
                ask()
            assert "the stored tuning cannot be read" in str(error.value)
            assert "kb.apply(None)" in str(error.value)
            assert error.value.path == str(kb.path)
        kb.apply(None)
        assert kb.search("cats").fusion == "auto(coverage=0.5, lead=0.5)"


class TestPrecedence:
    """Call, then retriever, then collection; and only ``auto`` is tuned."""

    @pytest.fixture
    def kb(self, make: Make) -> Collection:
        kb = make()
        kb.add(CHUNKS)
        kb.apply(TUNING)
        return kb

    def test_a_fusion_that_is_named_never_takes_tuned_weights(self, kb: Collection) -> None:
        assert used(kb, fusion="rsf()") == ("rsf()", EQUAL, 200)
        assert used(kb, fusion=Rrf(k=10)) == ("rrf(k=10)", EQUAL, 200)
        assert used(kb.retriever(fusion="rsf()")) == ("rsf()", EQUAL, 200)

    def test_auto_that_is_named_does(self, kb: Collection) -> None:
        tuned = ("rrf(k=10)", dict(TUNING.weights), 50)
        assert used(kb, fusion="auto") == used(kb, fusion=Auto()) == tuned
        assert used(kb.retriever(fusion="rsf()"), fusion="auto()") == tuned
        assert used(kb, fusion="auto(lead=0)") == (
            "auto(coverage=0.5, lead=0)",
            dict(TUNING.weights),
            50,
        )

    def test_a_collection_of_another_fusion_is_tuned_only_when_asked(self, make: Make) -> None:
        kb = make("other", fusion="rsf()", window=30)
        kb.add(CHUNKS)
        kb.apply(TUNING)
        assert used(kb) == ("rsf()", EQUAL, 30)
        assert used(kb, fusion="auto") == ("rrf(k=10)", dict(TUNING.weights), 50)
        assert used(kb.retriever(fusion="auto")) == ("rrf(k=10)", dict(TUNING.weights), 50)

    def test_the_collections_window_is_behind_the_stored_one(self, make: Make) -> None:
        kb = make("other", window=30)
        kb.add(CHUNKS)
        assert used(kb) == ("auto(coverage=0.5, lead=0.5)", dict(PRIOR), 30)
        kb.apply(TUNING)
        assert used(kb)[2] == 50

    def test_weights_and_windows_that_are_given_win(self, kb: Collection) -> None:
        given = {"dense": 2.0, "bm25": 4.0}
        assert used(kb, weights=given) == ("rrf(k=10)", given, 50)
        assert used(kb, weights=[2.0, 4.0]) == ("rrf(k=10)", given, 50)
        assert used(kb, weights={"dense": 2.0}) == ("rrf(k=10)", {"dense": 2.0, "bm25": 1.0}, 50)
        assert used(kb, fetch_k=7) == ("rrf(k=10)", dict(TUNING.weights), 7)
        hybrid = kb.retriever(weights=given, window=20)
        assert used(hybrid) == ("rrf(k=10)", given, 20)
        assert used(hybrid, weights=EQUAL) == ("rrf(k=10)", EQUAL, 20)
        assert used(hybrid, fusion="rsf()") == ("rsf()", given, 20)
        assert used(kb.retriever(fetch_k=9)) == ("rrf(k=10)", dict(TUNING.weights), 9)

    def test_a_leg_alone_runs_whatever_its_weight(self, kb: Collection) -> None:
        kb.apply(Tuning(Rrf(k=10), {"dense": 0, "bm25": 1}, 50))
        assert [each.name for each in kb.search("cats").legs] == ["bm25"]
        alone = kb.search("cats", legs=["dense"])
        assert [each.name for each in alone.legs] == ["dense"]
        assert alone[0].score == 1 / (10 + 1)
        assert [each.name for each in kb.retriever(legs=["dense"]).retrieve("cats").legs] == [
            "dense"
        ]
        both = kb.search("cats", legs=["dense", "bm25"])
        assert [each.name for each in both.legs] == ["bm25"]

    def test_a_window_that_is_too_small_grows(self, kb: Collection) -> None:
        result = kb.search("cats", top_k=60)
        assert result.fetch_k == 100
        assert any("fetch_k grew from 50 to 100" in note for note in result.notes)

    def test_variants_have_the_stored_weights_times_their_own(self, kb: Collection) -> None:
        variants = [Variant(Query("cats")), Variant(Query("cats purr"), weight=0.5, name="more")]
        result = kb.retriever().retrieve_variants(variants)
        assert result.fusion == "rrf(k=10)"
        assert {each.leg: each.weight for each in result[0].contributions} == {
            "dense": 0.9,
            "dense@more": 0.9 * 0.5,
            "bm25": 0.1,
            "bm25@more": 0.1 * 0.5,
        }

    def test_by_words_only(self, make: Make) -> None:
        kb = make("words", embedder=None)
        kb.add(CHUNKS)
        assert used(kb) == ("auto(coverage=0.5, lead=0.5)", {"bm25": 1.0}, 200)
        kb.apply(TUNING)
        assert used(kb) == ("rrf(k=10)", {"bm25": 1.0}, 50)

    def test_in_a_hybrid_of_ones_own_it_answers_as_tuned(self, kb: Collection) -> None:
        outer = HybridRetriever([kb.retriever()])
        assert [hit.id for hit in outer.retrieve("cats")] == [hit.id for hit in kb.search("cats")]

    def test_no_query_is_degraded_for_it(
        self, kb: Collection, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.WARNING):
            assert not kb.search("cats").degraded
        assert not caplog.records
