"""Where legs come from: a collection that is asked, or a file; both as a search would fuse them."""

from pathlib import Path

import click
import pytest

from plait.cli.recorded import Asked, Kept
from plait.cli.systems import System, read_systems
from plait.collection import open as open_collection
from plait.collection.tuning import Tuning
from plait.evaluation import Topics

TOPICS = Topics({"1": "cancel my plan", "2": "E1042 sockets", "3": "refunds"})


def read(*texts: str) -> tuple[System, ...]:
    context = click.Context(click.Command("compare"))
    return read_systems(context, click.Option(["--system"]), texts)


def ignore(_done: int, _total: int) -> None:
    """Where nobody wants to know."""


@pytest.fixture
def tuned(kb: Path) -> Path:
    """A collection that goes by a tuning: another method, weights, a window of 2."""
    with open_collection(kb) as opened:
        opened.apply(Tuning("rrf(k=3)", {"dense": 0.125, "bm25": 1.0}, 2))
    return kb


@pytest.mark.parametrize(
    ("text", "search"),
    [
        ("default", {}),
        ("auto", {"fusion": "auto"}),
        ("auto@bm25=3", {"fusion": "auto", "weights": {"bm25": 3}}),
        ("rsf", {"fusion": "rsf"}),
        ("rrf(k=7)@dense=0.25", {"fusion": "rrf(k=7)", "weights": {"dense": 0.25}}),
        ("rrf(k=7)@window=2", {"fusion": "rrf(k=7)", "fetch_k": 2}),
        ("dense", {"legs": ["dense"]}),
    ],
)
@pytest.mark.parametrize("is_tuned", [True, False])
def test_a_system_is_what_a_search_finds(
    kb: Path, request: pytest.FixtureRequest, text: str, search: dict, is_tuned: bool
) -> None:
    folder = request.getfixturevalue("tuned") if is_tuned else kb
    recording, (system,) = Asked("", folder, "default", None, "chunk").record(
        TOPICS, read(text), ignore
    )
    run = system.run(recording, top_k=2)
    with open_collection(folder, read_only=True) as opened:
        for topic, query in TOPICS.items():
            hits = opened.search(query, top_k=2, **search).hits
            # A leg alone is fused by a search, which changes its scores.
            found = [(hit.id, hit.retrieval_score if system.leg else hit.score) for hit in hits]
            assert list(run.rankings[topic]) == found
            assert hits


def test_the_widest_window_decides_how_many_are_asked_for(kb: Path) -> None:
    def reach(*texts: str, fetch_k: int | None = None) -> int:
        source = Asked("", kb, "default", fetch_k, "document")
        return source.record(TOPICS, read(*texts), ignore)[0].fetch_k

    assert reach("rsf", "bm25") == 200
    assert reach("rsf@window=7") == 200
    assert reach("rsf@window=300", "bm25") == 300
    assert reach("rsf", "default", fetch_k=5) == 5


def test_prefixes_say_what_differs() -> None:
    def prefixes(folders: list[str], names: list[str]) -> list[str]:
        places = Asked.all_of([Path(folder) for folder in folders], names, None, "chunk")
        return [place.prefix for place in places]

    assert prefixes(["a"], ["x"]) == [""]
    assert prefixes(["a"], ["x", "y"]) == ["x: ", "y: "]
    assert prefixes(["a", "b"], ["x"]) == ["a: ", "b: "]
    assert prefixes(["a", "b"], ["x", "y"]) == ["a/x: ", "a/y: ", "b/x: ", "b/y: "]


def test_a_file_has_its_path_as_prefix_unless_it_is_alone(kb: Path, tmp_path: Path) -> None:
    files = [tmp_path / "a", tmp_path / "b"]
    recording, _ = Asked("", kb, "default", None, "document").record(TOPICS, (), ignore)
    for file in files:
        recording.save(file)
    assert [kept.prefix for kept in Kept.all_of(files[:1])] == [""]
    assert [kept.prefix for kept in Kept.all_of(files)] == [f"{file}: " for file in files]


@pytest.mark.parametrize("text", ["default", "auto", "rsf", "rrf(k=7)@dense=0.25", "bm25"])
def test_a_file_gives_what_the_collection_did(kb: Path, tmp_path: Path, text: str) -> None:
    asked, (system,) = Asked("", kb, "default", None, "document").record(TOPICS, read(text), ignore)
    asked.save(tmp_path / "legs.jsonl.gz")
    (source,) = Kept.all_of([tmp_path / "legs.jsonl.gz"])
    kept, (again,) = source.record(TOPICS, read(text), ignore)
    assert again == system
    assert dict(again.run(kept, 10).rankings) == dict(system.run(asked, 10).rankings)
