"""Recording: legs run once, fused as the hybrid fuses, documents by best chunk, kept in a file."""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import plait
from plait.dense import DenseRetriever
from plait.embedders import HashEmbedder
from plait.errors import (
    ConfigurationError,
    FormatError,
    MissingDependencyError,
    QueryError,
    RetrievalError,
)
from plait.evaluation import Recording, Topics, record
from plait.hybrid import HybridRetriever
from plait.lexical import BM25Retriever
from plait.types import Chunk, Query, Ranking

TOPICS = Topics({"1": "red apple", "2": "pie", "3": "nothing of it"})
TEXTS = ["red apple pie", "green apple", "red car", "apple apple", "blue sky", "pie chart"]
FUSIONS = ("rrf(k=60)", "rrf(k=1)", "rsf()", "dbsf()", "zscore()", "convex()", "combsum()")


def two_legs(**options: Any) -> HybridRetriever:
    chunks = [Chunk(text, id=str(n)) for n, text in enumerate(TEXTS)]
    return HybridRetriever(
        [DenseRetriever(chunks, embedder=HashEmbedder()), BM25Retriever(chunks)], **options
    )


class TestRecord:
    def test_legs_run_once_for_any_number_of_fusions(self) -> None:
        calls: Counter[str] = Counter()

        def counting(name: str, ids: list[str]) -> Any:
            def leg(text: str) -> list[tuple[str, float]]:
                calls[name] += 1
                return [(each, 1.0 / rank) for rank, each in enumerate(ids, start=1)]

            return leg

        hybrid = HybridRetriever({"a": counting("a", ["x", "y"]), "b": counting("b", ["y", "z"])})
        recording = record(hybrid, TOPICS)
        runs = [
            recording.fused(fusion, [weight, 1], window=window)
            for fusion in FUSIONS
            for weight in (0, 0.5, 2)
            for window in (1, None)
        ]
        assert len(runs) == 7 * 3 * 2
        assert calls == {"a": 3, "b": 3}

    def test_keeps_ids_scores_and_how_to_read_them(self) -> None:
        recording = record(two_legs(), TOPICS, fetch_k=2)
        dense, bm25 = recording.rankings["1"]
        assert recording.legs == ("dense", "bm25")
        assert (dense.score_range, bm25.score_range) == ((-1.0, 1.0), (0.0, None))
        assert len(dense) == len(bm25) == 2 == recording.fetch_k
        assert dense.chunks == bm25.chunks == ()
        assert recording.documents == recording.failures == {}
        assert recording.origin["legs"]["bm25"]["type"] == "BM25Retriever"

    def test_a_leg_of_weight_0_is_recorded_too(self) -> None:
        recording = record(two_legs(weights=[0, 1]), TOPICS)
        assert all(len(ranking) for ranking in recording.rankings["1"])

    def test_a_filter_holds(self) -> None:
        chunks = [Chunk("apple", id=n, metadata={"n": n}) for n in "ab"]
        recording = record(
            HybridRetriever([BM25Retriever(chunks)]), Topics({"1": "apple"}), filter={"n": "b"}
        )
        assert recording.rankings["1"][0].ids == ("b",)

    def test_failures_by_leg(self) -> None:
        def sometimes(text: str) -> list[str]:
            if text == "pie":
                raise OSError("gone")
            return ["x"]

        recording = record(HybridRetriever({"a": sometimes, "b": lambda text: ["y"]}), TOPICS)
        assert recording.failures == {"2": {"a": "OSError: gone"}}
        assert [len(ranking) for ranking in recording.rankings["2"]] == [0, 1]

    def test_a_topic_that_failed_as_a_whole(self) -> None:
        def sometimes(text: str) -> list[str]:
            if text == "pie":
                raise OSError("gone")
            return ["x"]

        recording = record(HybridRetriever({"a": sometimes}), TOPICS)
        assert recording.failures == {"2": {"a": "OSError: gone"}}
        assert recording.rankings["2"] == (Ranking("a", (), ()),)

    def test_a_query_that_no_leg_can_use(self) -> None:
        topics = Topics({"1": "apple", "2": Query(embedding=[1.0])})
        recording = record(HybridRetriever([BM25Retriever([Chunk("apple")])]), topics)
        assert list(recording.failures) == ["2"]
        assert "needs a query with text" in recording.failures["2"]["bm25"]

    def test_all_failed(self) -> None:
        def boom(text: str) -> list[str]:
            raise OSError("gone")

        with pytest.raises(RetrievalError, match=r"every topic failed, the first with .*gone"):
            record(HybridRetriever({"a": boom}), TOPICS)

    def test_what_is_wrong_with_the_setup_is_raised_at_once(self) -> None:
        def needs(text: str) -> list[str]:
            raise MissingDependencyError("torch", extra="cross-encoder", purpose="reranking")

        told: list[int] = []
        with pytest.raises(MissingDependencyError):
            record(HybridRetriever({"a": needs}), TOPICS, progress=lambda n, _: told.append(n))
        assert told == []

    def test_progress(self) -> None:
        told: list[tuple[int, int]] = []
        record(two_legs(), TOPICS, progress=lambda done, total: told.append((done, total)))
        assert told == [(1, 3), (2, 3), (3, 3)]

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"fetch_k": 0}, "fetch_k is 0"),
            ({"fetch_k": True}, "fetch_k is True"),
            ({"by": "page"}, "by is 'page', expected 'document' or 'chunk'"),
        ],
    )
    def test_refuses(self, given: dict[str, Any], message: str) -> None:
        with pytest.raises(ConfigurationError, match=message):
            record(two_legs(), TOPICS, **given)

    def test_refuses_what_it_cannot_record(self) -> None:
        with pytest.raises(ConfigurationError, match=r"put a retriever in a hybrid"):
            record(BM25Retriever([Chunk("a")]), TOPICS)  # type: ignore[arg-type]
        with pytest.raises(ConfigurationError, match="expected Topics with at least one"):
            record(two_legs(), Topics({}))
        with pytest.raises(ConfigurationError, match="expected Topics"):
            record(two_legs(), {"1": "a"})  # type: ignore[arg-type]
        with pytest.raises(QueryError, match="regx"):
            record(two_legs(), TOPICS, filter={"a": {"$regx": "b"}})


class TestFused:
    @pytest.mark.parametrize("fusion", FUSIONS)
    @pytest.mark.parametrize("weights", [None, [2, 1], {"bm25": 0}])
    def test_is_what_the_hybrid_returns(self, fusion: str, weights: Any) -> None:
        recording = record(two_legs(), TOPICS, fetch_k=6)
        run = recording.fused(fusion, weights)
        asked = two_legs(fusion=fusion, weights=weights)
        for topic, query in TOPICS.items():
            result = asked.retrieve(query, top_k=6, fetch_k=6)
            assert run.rankings[topic] == tuple((hit.id, hit.score) for hit in result)

    def test_window_cuts_each_ranking_first(self) -> None:
        recording = record(two_legs(), TOPICS, fetch_k=6)
        narrow = record(two_legs(), TOPICS, fetch_k=2)
        assert recording.fused("rsf", window=2).rankings == narrow.fused("rsf").rankings

    def test_top_k(self) -> None:
        recording = record(two_legs(), TOPICS)
        whole, cut = recording.fused("rrf"), recording.fused("rrf", top_k=2)
        assert {topic: pairs[:2] for topic, pairs in whole.rankings.items()} == cut.rankings

    def test_names(self) -> None:
        recording = record(two_legs(), TOPICS)
        assert recording.fused("rrf").name == "rrf(k=60)"
        assert recording.fused("rsf", {"bm25": 2}).name == "rsf(); bm25 2"
        assert recording.fused("rsf", [1, 0.5], window=9).name == "rsf(); 1, 0.5; window 9"
        assert recording.fused("rsf", name="mine").name == "mine"

    def test_refuses(self) -> None:
        recording = record(two_legs(), TOPICS, fetch_k=5)
        with pytest.raises(ConfigurationError, match="record with fetch_k=6 or more"):
            recording.fused("rrf", window=6)
        for given, message in (
            ({"window": 0}, "window is 0"),
            ({"top_k": 0}, "top_k is 0"),
            ({"weights": {"foo": 1}}, "unknown legs"),
        ):
            with pytest.raises(ConfigurationError, match=message):
                recording.fused("rrf", **given)
        with pytest.raises(ConfigurationError, match="unknown fusion"):
            recording.fused("foo")


class TestLeg:
    def test_is_the_leg_alone(self) -> None:
        recording = record(two_legs(), TOPICS)
        run = recording.leg("bm25")
        assert run.name == "bm25"
        assert [each for each, _ in run.rankings["2"]] == ["5", "0"]
        assert run.rankings["3"] == ()

    def test_distances_are_turned(self) -> None:
        def near(text: str) -> list[tuple[str, float]]:
            return [("a", 0.1), ("b", 0.7)]

        leg = plait.Leg("near", near, higher_is_better=False)
        recording = record(HybridRetriever([leg]), Topics({"1": "x"}))
        assert recording.leg("near").rankings["1"] == (("a", -0.1), ("b", -0.7))

    def test_without_scores(self) -> None:
        recording = record(HybridRetriever({"a": lambda text: ["x", "y"]}), Topics({"1": "x"}))
        assert recording.leg("a").rankings["1"] == (("x", 1.0), ("y", 0.5))

    def test_unknown(self) -> None:
        with pytest.raises(ConfigurationError, match="no leg 'foo' in the recording; it has dense"):
            record(two_legs(), TOPICS).leg("foo")


class TestDocuments:
    CHUNKS = (
        Chunk("cats purr", id="a1", document_id="a"),
        Chunk("cats cats sleep", id="a2", document_id="a"),
        Chunk("cats eat mice in the house at night", id="b1", document_id="b"),
        Chunk("cats", id="alone"),
    )

    def test_a_document_stands_where_its_best_chunk_does(self) -> None:
        hybrid = HybridRetriever([BM25Retriever(self.CHUNKS)])
        recording = record(hybrid, Topics({"1": "cats"}))
        chunks = recording.rankings["1"][0]
        order = [{"a1": "a", "a2": "a", "b1": "b"}.get(str(each), each) for each in chunks.ids]
        assert recording.documents == {"a1": "a", "a2": "a", "b1": "b"}
        run = recording.leg("bm25")
        assert [each for each, _ in run.rankings["1"]] == list(dict.fromkeys(order))
        assert dict(run.rankings["1"])["a"] == max(
            score
            for each, score in zip(chunks.ids, chunks.scores, strict=True)
            if str(each).startswith("a") and each != "alone"
        )

    def test_by_chunk(self) -> None:
        hybrid = HybridRetriever([BM25Retriever(self.CHUNKS)])
        recording = record(hybrid, Topics({"1": "cats"}), by="chunk")
        assert recording.documents == {}
        assert len(recording.leg("bm25").rankings["1"]) == 4

    def test_top_k_counts_documents(self) -> None:
        hybrid = HybridRetriever([BM25Retriever(self.CHUNKS)])
        recording = record(hybrid, Topics({"1": "cats"}))
        assert len(recording.fused("rrf", top_k=3).rankings["1"]) == 3

    def test_documents_of_bare_ids_come_from_the_lookup(self) -> None:
        known = {chunk.id: chunk for chunk in self.CHUNKS}
        hybrid = HybridRetriever({"a": lambda text: ["a1", "stranger"]}, lookup=lambda ids: known)
        recording = record(hybrid, Topics({"1": "x"}))
        assert recording.documents == {"a1": "a"}
        assert [each for each, _ in recording.leg("a").rankings["1"]] == ["a", "stranger"]


class TestCollection:
    @pytest.fixture
    def kb(self, tmp_path: Path) -> Any:
        with plait.open(tmp_path, embedder="hash(dim=64)") as opened:
            opened.add(list(TestDocuments.CHUNKS))
            yield opened

    def test_both_legs_documents_and_generation(self, kb: Any) -> None:
        recording = record(kb, Topics({"1": "cats"}))
        assert recording.legs == ("dense", "bm25")
        assert recording.documents == {"a1": "a", "a2": "a", "b1": "b"}
        assert recording.origin["generation"] == kb.describe()["generation"]

    def test_snapshot_and_retriever_give_the_same(self, kb: Any) -> None:
        recording = record(kb, Topics({"1": "cats"}))
        with kb.snapshot() as view:
            assert record(view, Topics({"1": "cats"})) == recording
        assert record(kb.retriever(), Topics({"1": "cats"})).rankings == recording.rankings

    def test_all_topics_see_one_state(self, kb: Any) -> None:
        def write(done: int, total: int) -> None:
            kb.add([Chunk(f"cats {done}", id=f"new{done}")])

        recording = record(kb, Topics({"1": "cats", "2": "cats"}), progress=write)
        assert recording.rankings["1"] == recording.rankings["2"]
        assert kb.count() == 6

    def test_a_snapshot_as_a_leg_stays_as_it_is(self, kb: Any) -> None:
        with kb.snapshot() as view:
            hybrid = HybridRetriever([view])
            before = [hit.id for hit in hybrid.retrieve("cats", top_k=9)]
            kb.clear()
            assert [hit.id for hit in hybrid.retrieve("cats", top_k=9)] == before
            assert view.retriever().retrieve("cats")[0].snippet
        assert len(before) == 4


class TestFile:
    @pytest.fixture
    def recording(self) -> Recording:
        def sometimes(text: str) -> list[Any]:
            if text == "pie":
                raise OSError("gone")
            return [(Chunk("ü", id="x", document_id="d"), 1 / 3), Chunk("y", id="y")]

        def far(text: str) -> list[tuple[str, float]]:
            return [("x", 0.1), ("z", 0.25)]

        legs = {
            "a": sometimes,
            "b": plait.Leg("b", far, higher_is_better=False, score_range=(0.0, 2.0)),
        }
        topics = Topics({"1": "apple", "2": "pie", "ü": Query("x", embedding=[0.1, 1 / 3])})
        return record(HybridRetriever(legs), topics, fetch_k=50)

    def test_round_trip(self, recording: Recording, tmp_path: Path) -> None:
        path = tmp_path / "legs.gz"
        recording.save(path)
        loaded = Recording.load(path)
        assert loaded == recording
        assert loaded.topics["ü"].embedding is not None
        assert loaded.topics["ü"].embedding.tolist() == recording.topics["ü"].embedding.tolist()
        assert loaded.fused("rsf").rankings == recording.fused("rsf").rankings
        assert loaded.failures == {"2": {"a": "OSError: gone"}}
        assert loaded.documents == {"x": "d"}

    def test_everything_that_a_fusion_reads_is_kept(self, tmp_path: Path) -> None:
        recording = record(two_legs(), Topics({"1": "red zebra", "2": "pie"}))
        recording.save(tmp_path / "a")
        loaded = Recording.load(tmp_path / "a")
        bm25 = loaded.rankings["1"][1]
        assert bm25.coverage is not None
        assert bm25.coverage < 1
        for fusion in ("auto", *FUSIONS):
            assert loaded.fused(fusion).rankings == recording.fused(fusion).rankings

    def test_equal_content_gives_equal_bytes(self, recording: Recording, tmp_path: Path) -> None:
        recording.save(tmp_path / "a")
        Recording.load(tmp_path / "a").save(tmp_path / "b")
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()

    def test_every_truncation_is_found(self, recording: Recording, tmp_path: Path) -> None:
        recording.save(tmp_path / "a")
        data = (tmp_path / "a").read_bytes()
        for length in range(0, len(data), 7):
            (tmp_path / "b").write_bytes(data[:length])
            with pytest.raises(FormatError):
                Recording.load(tmp_path / "b")

    def test_every_changed_byte_is_found_or_harmless(
        self, recording: Recording, tmp_path: Path
    ) -> None:
        recording.save(tmp_path / "a")
        data = bytearray((tmp_path / "a").read_bytes())
        for place in range(0, len(data), 5):
            changed = data.copy()
            changed[place] ^= 0xFF
            (tmp_path / "b").write_bytes(changed)
            try:
                loaded = Recording.load(tmp_path / "b")
            except FormatError:
                continue
            assert loaded == recording  # a byte of gzip's header that says nothing

    @pytest.mark.parametrize(
        ("line", "change", "message"),
        [
            (0, {"format": "other"}, "line 1: not a recording that plait saved"),
            (0, {"version": 2}, "line 1: the recording has version 2, this version of plait reads"),
            (0, {"topics": 4}, "it holds 3 topics, its header says 4"),
            (0, {"topics": None}, "its header says None"),
            (0, {"fetch_k": "50"}, "line 1: damaged: ConfigurationError: fetch_k is '50'"),
            (0, {"legs": [1, 2]}, "line 1: damaged: ConfigurationError: a leg is 1"),
            (0, {"legs": ["a", "a"]}, "line 1: damaged: ConfigurationError: legs .* share a name"),
            (0, {"documents": 3}, "line 1: damaged: TypeError"),
            (2, {"rankings": []}, "line 3: damaged: ValueError"),
            (2, {"text": ""}, "line 3: damaged: QueryError"),
            (2, {"topic": None}, "line 3: damaged: ConfigurationError"),
            (2, {"topic": "1"}, "line 3: damaged: .* twice"),
            (2, {"failures": [1]}, "line 3: damaged: TypeError"),
        ],
    )
    def test_says_what_is_damaged_and_where(
        self,
        recording: Recording,
        tmp_path: Path,
        line: int,
        change: dict[str, Any],
        message: str,
    ) -> None:
        recording.save(tmp_path / "a")
        rows = [
            json.loads(row) for row in gzip.decompress((tmp_path / "a").read_bytes()).splitlines()
        ]
        rows[line].update(change)
        (tmp_path / "a").write_text("\n".join(map(json.dumps, rows)))
        with pytest.raises(FormatError, match=message):
            Recording.load(tmp_path / "a")

    def test_scores_that_are_no_ranking(self, recording: Recording, tmp_path: Path) -> None:
        recording.save(tmp_path / "a")
        rows = [
            json.loads(row) for row in gzip.decompress((tmp_path / "a").read_bytes()).splitlines()
        ]
        rows[1]["rankings"][1]["scores"] = [0.5, float("nan")]
        (tmp_path / "a").write_text("\n".join(map(json.dumps, rows)))
        with pytest.raises(FormatError, match="line 2: damaged: ContractError: leg 'b'"):
            Recording.load(tmp_path / "a")

    def test_not_a_recording(self, tmp_path: Path) -> None:
        for content in (b"", b"hello\n", b"[1]\n", b"{}\n", b"\x00\x01", b"[" * 100_000):
            (tmp_path / "a").write_bytes(content)
            with pytest.raises(FormatError):
                Recording.load(tmp_path / "a")
        with pytest.raises(FileNotFoundError):
            Recording.load(tmp_path / "none")
