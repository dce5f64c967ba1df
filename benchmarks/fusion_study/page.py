"""The pages docs/fusion-study.md and docs/fusion-study-tables.md, from the results of a study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from report import about, table

from fusion_study.cells import (
    AUTO,
    GENERATED,
    counts,
    number,
    percent,
    percents,
    probability,
    short,
    shown,
    signed,
    span,
    whole,
)
from fusion_study.methods import BASE
from fusion_study.results import BEST, BETTER, SIMULATED
from fusion_study.results import REAL as ALL
from fusion_study.tables import CHANCE, tables
from fusion_study.text import INTRODUCTION, LIMITS, NOTES

SHIPPED = ", shipped"
HURT = 0.02
FOREIGN, MANY = 0.6, 0.25  # of the questions' words known, of the other leg's hits lacking

Results = Mapping[str, Any]


def pages(found: Results) -> dict[str, str]:
    """The text of each page, by its name."""
    return {
        "fusion-study.md": "\n".join(page(found)) + "\n",
        "fusion-study-tables.md": "\n".join(tables(found)) + "\n",
    }


def page(found: Results) -> Iterator[str]:
    yield GENERATED
    yield INTRODUCTION.format(**figures(found))
    yield from targets(found)
    yield NOTES["collections"]
    yield from collections(found)
    yield NOTES["methods"]
    yield from methods(found["classes"][ALL])
    yield NOTES["classes"]
    yield from classes(found["classes"])
    yield NOTES["auto"]
    yield from families(found)
    yield NOTES["constants"]
    yield from constants(found)
    yield NOTES["parts"]
    yield from parts(found["parts"][ALL])
    yield NOTES["loss"]
    yield from losses(found)
    yield f"\nReally more than 0.02 behind: {losing(found)}."
    yield f"With the constants that plait ships: {losing(found, SHIPPED)}."
    if found["windows"]:
        yield NOTES["windows"]
        yield from varied(found["windows"])
        yield NOTES["weights"]
        yield from varied(found["weights"])
    yield NOTES["filled"]
    yield from filled(found["filled"])
    yield NOTES["hurts"]
    yield from hurts(found)
    yield NOTES["fails"]
    yield from fails(found)
    yield LIMITS.format(**figures(found))
    yield from about(found)


def figures(found: Results) -> dict[str, str]:
    """What the introduction says in figures."""
    systems = found["classes"][ALL]
    fitting = found["classes"].get("a model of the language", found["classes"][ALL])
    best = [pair["dense part"][BEST] for pair in real_pairs(found)]
    return {
        "least": short(min(best)),
        "most": short(max(best)),
        "collections": str(len(found["collections"])),
        "families": str(len(found["families"][ALL])),
        "pairs": str(len(real_pairs(found))),
        "rrf": number(systems[BASE]["mean"]),
        "rrf_worse": str(systems[BASE]["leg"]["worse"]),
        "better": number(systems[BETTER]["mean"]),
        "bm25": number(systems["BM25"]["mean"]),
        "rrf2": number(systems["rrf(k=2)"]["mean"]),
        "rsf": number(systems["rsf()"]["mean"]),
        "zscore": number(systems["zscore()"]["mean"]),
        "rsf3": number(systems["rsf(), dense .3"]["mean"]),
        "best": number(systems[BEST]["mean"]),
        "chunks": number(systems["auto, chunks"]["mean"]),
        "zscore_fit": number(fitting["zscore()"]["mean"]),
        "chunks_fit": number(fitting["auto, chunks"]["mean"]),
        "losing": losing(found),
    }


def targets(found: Results) -> Iterator[str]:
    """The claims, in figures."""
    rows = []
    for name, systems in found["classes"].items():
        for column, label in AUTO.items():
            each = systems[f"auto, {column}"]
            rows.append(
                [
                    name if column == "untuned" else "",
                    label,
                    number(each["mean"]),
                    f"{percent(each['rrf']['ratio'])} {percents(each['rrf']['ratio interval'])}",
                    percents(each["rrf"]["ratio over families"]),
                    f"{signed(each['leg']['gain'])} {span(each['leg']['interval'])}",
                    signed(each["mean"] - systems[BEST]["mean"]),
                ]
            )
    header = ["dense leg", "", "nDCG@10", "over RRF(60)", "drawing families too"]
    yield from table([*header, "over the better leg", "to the best fixed weight"], rows)


def collections(found: Results) -> Iterator[str]:
    rows = [
        [
            entry["name"],
            entry["family"],
            f"{entry['documents']:,}",
            entry["questions"],
            ", ".join(name for name in entry["embedders"] if name != SIMULATED),
        ]
        for entry in found["collections"]
    ]
    yield from table(["collection", "family", "documents", "questions", "dense legs"], rows)


def methods(systems: Mapping[str, Any]) -> Iterator[str]:
    """Every method by mean."""
    names = [name for name in systems if not name.endswith("shipped")]
    rows = []
    for name in sorted(names, key=lambda name: -systems[name]["mean"]):
        each = systems[name]
        rows.append(
            [
                shown(name),
                f"{number(each['mean'])} {span(each['interval'])}",
                "" if name == BASE else percent(each["rrf"]["ratio"]),
                "" if name == BASE else counts(each["rrf"]),
                "" if name == BETTER else signed(each["leg"]["gain"]),
                "" if name == BETTER else counts(each["leg"]),
            ]
        )
    header = ["method", "nDCG@10", "over RRF(60)", "families + / −", "over the better leg"]
    yield from table([*header, "families + / −"], rows)


def classes(by_class: Mapping[str, Any]) -> Iterator[str]:
    """Some methods by the strength of the dense leg."""
    rows = []
    for name in BRIEF:
        cells = []
        for systems in by_class.values():
            each = systems[name]
            gain = "" if name == BASE else f" ({percent(each['rrf']['ratio'])})"
            cells.append(f"{number(each['mean'])}{gain}")
        rows.append([shown(name), *cells])
    yield from table(["", *by_class], rows)


BRIEF = (
    "BM25", "dense", BETTER, BASE, "rrf(k=60)", "rrf(k=2)", "rsf()", "rsf(), dense .3", "zscore()",
    "margin per query", *(f"auto, {column}" for column in AUTO), BEST,
)  # fmt: skip


def families(found: Results) -> Iterator[str]:
    rows = []
    for family, systems in found["families"][ALL].items():
        columns = [systems[name] for name in FAMILY]
        rows.append([family, *map(number, columns)])
    means = [found["classes"][ALL][name]["mean"] for name in FAMILY]
    rows.append(["**mean**", *(f"**{number(mean)}**" for mean in means)])
    yield from table(["family", *map(shown, FAMILY)], rows)


FAMILY = (
    "BM25", "dense", BASE, BETTER, "rsf()", *(f"auto, {column}" for column in AUTO), BEST,
)  # fmt: skip


def constants(found: Results) -> Iterator[str]:
    systems = found["classes"][ALL]
    rows = []
    for column, label in AUTO.items():
        chosen = found["constants"][column]
        counted: dict[str, int] = {}
        for each in chosen["left out"].values():
            counted[constant(each)] = counted.get(constant(each), 0) + 1
        rows.append(
            [
                label,
                "; ".join(f"{what} ({times}×)" for what, times in counted.items()),
                number(systems[f"auto, {column}"]["mean"]),
                constant(chosen["shipped"]),
                number(systems[f"auto, {column}, shipped"]["mean"]),
            ]
        )
    yield from table(
        ["", "chosen with one family left out", "nDCG@10 there", "shipped", "nDCG@10"], rows
    )


def constant(each: Mapping[str, Any]) -> str:
    coverage, lead = each["trust"]
    named = {"prior": each["prior"], "coverage": coverage, "lead": lead}
    parts = [f"{name} {short(value)}" for name, value in named.items()]
    if each["strength"] is not None:
        parts.append(f"{each['strength']:g} SE")
    return ", ".join(parts)


def losses(found: Results) -> Iterator[str]:
    by_system = found["losses"][ALL]
    rows = []
    for family in by_system["auto, untuned"]:
        cells = []
        for column in AUTO:
            each = by_system[f"auto, {column}"][family]
            beyond = f", p {probability(each['p'])}" if each["p"] < 1 else ""
            cells.append(f"{signed(each['loss'])} {span(each['interval'])}{beyond}")
        rows.append([family, *cells])
    yield from table(["family", *AUTO.values()], rows)


def filled(by_method: Mapping[str, Any]) -> Iterator[str]:
    rows = [
        [
            shown(name),
            number(each["plain"]),
            number(each["filled"]),
            f"{signed(each['filled'] - each['plain'])} {span(each['interval'])}",
            counts(each),
        ]
        for name, each in by_method.items()
    ]
    yield from table(["", "as returned", "filled", "difference", "families + / −"], rows)


def varied(by_method: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    steps = list(next(iter(by_method.values())))
    rows = [
        [f"`{method}`", *(best(value, values.values()) for value in values.values())]
        for method, values in by_method.items()
    ]
    yield from table(["", *map(short, steps)], rows)


def best(value: float, values: Any) -> str:
    return f"**{number(value)}**" if value == max(values) else number(value)


def hurts(found: Results) -> Iterator[str]:
    """Of each collection the real dense leg with which RRF is furthest behind the better leg."""
    worst: dict[str, Mapping[str, Any]] = {}
    for pair in sorted(real_pairs(found), key=lambda pair: -loss(pair, BASE)):
        if really_behind(pair, BASE):
            worst.setdefault(pair["collection"], pair)
    names = ("BM25", "dense", BASE, "rsf()", "auto, chunks")
    rows = [
        [
            pair["collection"],
            pair["embedder"],
            *(number(pair["systems"][name]["mean"]) for name in names),
            cause(pair),
        ]
        for pair in worst.values()
    ]
    header = ["collection", "dense leg", "BM25", "dense", "RRF(60)", "`rsf()`", AUTO["chunks"]]
    yield from table([*header, "cause"], rows)


def fails(found: Results) -> Iterator[str]:
    """Pairs on which ``auto`` with weights from the chunks is really behind the better leg."""
    rows = []
    for pair in sorted(real_pairs(found), key=lambda pair: -loss(pair, "auto, chunks")):
        if not really_behind(pair, "auto, chunks"):
            continue
        systems, parts = pair["systems"], pair["dense part"]
        rows.append(
            [
                pair["collection"],
                pair["embedder"],
                *(number(systems[name]["mean"]) for name in ("BM25", "dense")),
                *(
                    f"{number(systems[f'auto, {column}']['mean'])} ({short(parts[column])})"
                    for column in AUTO
                ),
                f"{number(systems[BEST]['mean'])} ({short(parts[BEST])})",
            ]
        )
    header = ["collection", "dense leg", "BM25", "dense", *AUTO.values(), BEST]
    yield from table(header, rows)


def real_pairs(found: Results) -> list[Mapping[str, Any]]:
    return [pair for pair in found["pairs"] if pair["embedder"] != SIMULATED]


def really_behind(pair: Mapping[str, Any], system: str) -> bool:
    return loss(pair, system) > HURT and pair["systems"][system]["leg"]["p"] < CHANCE


def parts(by_part: Mapping[str, Any]) -> Iterator[str]:
    yield from table(
        ["", *AUTO.values()],
        [[part, *(number(by_part[part][column]) for column in AUTO)] for part in by_part],
    )


def losing(found: Results, suffix: str = "") -> str:
    """The families on which each column really loses more than the margin."""
    said = []
    for column, label in AUTO.items():
        families = found["losses"][ALL][f"auto, {column}{suffix}"]
        real = [name for name, each in families.items() if each["p"] < CHANCE]
        shares = [f"{name} ({number(families[name]['loss'])})" for name in real]
        said.append(f"{label.removeprefix('auto, ')} on {', '.join(shares) or 'none'}")
    return "; ".join(said)


def loss(pair: Mapping[str, Any], system: str) -> float:
    return float(pair["systems"][BETTER]["mean"] - pair["systems"][system]["mean"])


def cause(pair: Mapping[str, Any]) -> str:
    """Why fusing hurts, from the legs' figures."""
    facts = pair["facts"]
    weak, lacks = (
        ("BM25", "BM25 lacks") if pair["better"] == "dense" else ("the dense leg", "dense lacks")
    )
    if weak == "BM25" and facts["known"] < FOREIGN:
        return f"{whole(facts['known'])} of the questions' words are in the collection"
    if facts[lacks] > MANY:
        return f"{weak} lacks {whole(facts[lacks])} of what the other leg finds"
    return f"{weak} has other hits: {whole(facts['overlap'])} of the first ten are the same"
