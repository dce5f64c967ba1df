"""Systems as the command line spells them: what each is, and what is refused."""

from dataclasses import replace

import click
import pytest

from plait.cli.systems import System, read_systems, split_name
from plait.evaluation import Recording, Topics
from plait.fusion import parse_fusion
from plait.hybrid.plan import Fusing
from plait.types import Ranking


def read(*texts: str) -> tuple[System, ...]:
    context = click.Context(click.Command("compare"))
    return read_systems(context, click.Option(["--system"]), texts)


@pytest.mark.parametrize(
    ("text", "system"),
    [
        ("default", System("default")),
        ("bm25", System("bm25", leg="bm25")),
        ("words=bm25", System("words", leg="bm25")),
        ("rsf", System("rsf", fusion="rsf()")),
        ("rrf(k=60)", System("rrf(k=60)", fusion="rrf(k=60)")),
        (
            "rsf@dense=0.3,bm25=0.7",
            System("rsf@dense=0.3,bm25=0.7", fusion="rsf()", weights={"dense": 0.3, "bm25": 0.7}),
        ),
        (
            "mine = rrf(k=10)@dense=2@window=50",
            System("mine", fusion="rrf(k=10)", weights={"dense": 2.0}, window=50),
        ),
        ("rsf@window=7", System("rsf@window=7", fusion="rsf()", window=7)),
        ("now=default", System("now")),
        ("default@fill", System("default@fill", fill=True)),
        ("default@bm25=2", System("default@bm25=2", weights={"bm25": 2.0})),
        ("f=rsf@fill@window=7", System("f", fusion="rsf()", window=7, fill=True)),
    ],
)
def test_spelling(text: str, system: System) -> None:
    assert read(text) == (system,)


def test_all_in_their_order() -> None:
    assert [system.name for system in read("dense", "rsf", "bm25")] == ["dense", "rsf", "bm25"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("bogus", ["unknown fusion 'bogus'", "default, dense, bm25"]),
        ("rrf(k=-1)", ["k is -1"]),
        ("", ["default, dense, bm25"]),
        ("a=", ["default, dense, bm25"]),
        ("rsf@sparse=1", ["'sparse'", "'dense'", "'bm25'"]),
        ("rsf@dense", ["'dense'", "dense=1,bm25=2"]),
        ("rsf@dense=-1", ["-1"]),
        ("rsf@dense=0,bm25=0", ["all weights are 0"]),
        ("rsf@dense=1@bm25=1", ["weights twice"]),
        ("rsf@window=1@window=2", ["window twice"]),
        ("rsf@fill@fill", ["fill twice"]),
        ("rsf@window=0", ["'0'"]),
        ("rsf@window=many", ["'many'"]),
        ("rsf@window=²", ["'²'"]),
        ("bm25@window=3", ["bm25 takes no settings"]),
    ],
)
def test_what_is_no_system_is_wrong_usage(text: str, parts: list[str]) -> None:
    with pytest.raises(click.BadParameter) as caught:
        read(text)
    for part in parts:
        assert part in caught.value.format_message()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("old=runs/a=b.run", ("old", "runs/a=b.run")),
        ("runs/a.run", (None, "runs/a.run")),
        (" a = b ", ("a", "b")),
    ],
)
def test_names_of_files(text: str, expected: tuple[str | None, str]) -> None:
    assert split_name(text) == expected


RECORDING = Recording(
    legs=("dense", "bm25"),
    topics=Topics({"1": "q"}),
    rankings={
        "1": (
            Ranking("dense", ("a", "b", "c"), (0.9, 0.8, 0.7)),
            Ranking("bm25", ("c", "b"), (5.0, 4.0)),
        )
    },
    documents={},
    fetch_k=3,
    failures={},
    origin={},
)


def own(fusion, weights) -> Fusing:
    """A hybrid whose own fusion leaves bm25 out."""
    if fusion is None:
        return Fusing(parse_fusion("rrf(k=60)"), {"dense": 1.0, "bm25": 0.0}, 200)
    return Fusing(parse_fusion(fusion), {"dense": 1.0, "bm25": 1.0, **(weights or {})}, 100)


@pytest.mark.parametrize(
    ("text", "reach", "settled"),
    [
        ("bm25", 5, System("bm25", leg="bm25")),
        (
            "default", None,
            System("default", None, "rrf(k=60)", {"dense": 1.0, "bm25": 0.0}, 200),
        ),
        (
            "it=rsf@bm25=2", None,
            System("it", None, "rsf()", {"dense": 1.0, "bm25": 2.0}, 100),
        ),
        ("it=rsf", 5, System("it", None, "rsf()", {"dense": 1.0, "bm25": 1.0}, 5)),
        # A window that was asked for is not cut without a word: the run refuses it.
        ("it=rsf@window=9", 5, System("it", None, "rsf()", {"dense": 1.0, "bm25": 1.0}, 9)),
    ],
)  # fmt: skip
def test_settled(text: str, reach: int | None, settled: System) -> None:
    (system,) = read(text)
    assert system.settled(own, reach) == settled


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("dense", ["a", "b", "c"]),
        ("bm25", ["c", "b"]),
        ("rrf(k=1)", ["c", "b", "a"]),  # 1/4 + 1/2, 1/3 + 1/3, 1/2
        ("rrf(k=1)@bm25=0", ["a", "b", "c"]),
        ("rrf(k=1)@window=1", ["a", "c"]),  # 1/2 each
        ("default", ["a", "b", "c"]),  # by the weights of the collection
    ],
)
def test_run(text: str, ids: list[str]) -> None:
    (system,) = read(f"it={text}")
    system = system.settled(own, RECORDING.fetch_k)
    run = system.run(RECORDING, top_k=10)
    assert run.name == "it"
    assert [id for id, _ in run.rankings["1"]] == ids
    assert len(system.run(RECORDING, top_k=1).rankings["1"]) == 1


@pytest.mark.parametrize(
    ("text", "failures"),
    [
        ("dense", {"1": "dense: timeout"}),
        ("bm25", {"2": "bm25: gone"}),
        ("rsf", {"1": "dense: timeout", "2": "bm25: gone"}),
        ("rsf@dense=0", {"2": "bm25: gone"}),
        ("default", {"1": "dense: timeout"}),  # the collection's weight of bm25 is 0
    ],
)
def test_failures_are_those_of_the_legs_in_use(text: str, failures: dict[str, str]) -> None:
    (system,) = read(text)
    failed = replace(RECORDING, failures={"1": {"dense": "timeout"}, "2": {"bm25": "gone"}})
    assert system.settled(own).failures(failed) == failures
