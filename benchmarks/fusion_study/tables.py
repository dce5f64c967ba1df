"""The page docs/fusion-study-tables.md: every method on every collection with every dense leg."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from report import table

from fusion_study.cells import AUTO, GENERATED, number, shown, span
from fusion_study.methods import BASE
from fusion_study.results import BEST, BETTER
from fusion_study.text import NOTES

CHANCE = 0.05  # p-values below it are real


def tables(found: Mapping[str, Any]) -> Iterator[str]:
    yield GENERATED
    yield NOTES["tables"]
    names = [name for name in found["pairs"][0]["systems"] if name != BETTER]
    auto = [*(f"auto, {column}" for column in AUTO), BEST]
    groups = {
        "Legs and methods by rank": BY_RANK,
        "Methods by score": [name for name in names if name not in (*BY_RANK, *auto)],
        "auto": auto,
    }
    for title, chosen in groups.items():
        yield f"\n## {title}\n"
        yield from table(
            ["collection", "dense leg", *map(shown, chosen)],
            [
                [
                    pair["collection"],
                    pair["embedder"],
                    *(cell(pair["systems"][name]) for name in chosen),
                ]
                for pair in found["pairs"]
            ],
        )


BY_RANK = (
    "BM25", "dense", BASE, "rrf(k=60)", "rrf(k=10)", "rrf(k=2)", "rrf(k=60), dense .3", "isr()",
    "borda()", "rbc(phi=0.8)",
)  # fmt: skip


def cell(each: Mapping[str, Any]) -> str:
    """Mean, interval, and marks: + and − against RRF(60), ▲ and ▼ against the better leg."""
    marks = "".join(
        rise if each[rival]["gain"] > 0 else fall
        for rival, rise, fall in (("rrf", "+", "−"), ("leg", "▲", "▼"))
        if each[rival]["p"] < CHANCE
    )
    return f"{number(each['mean'])}{marks} {span(each['interval'])}"
