import importlib.metadata
from dataclasses import dataclass
from types import SimpleNamespace
from typing import ClassVar

import pytest

import plait.fusion.parse
from plait.errors import ConfigurationError
from plait.fusion import (
    Auto,
    Borda,
    CombMnz,
    CombSum,
    Convex,
    Dbsf,
    Fusion,
    Haystack,
    Isr,
    LangChain,
    Learned,
    LlamaIndex,
    QdrantDbsf,
    QdrantRrf,
    Ranx,
    Rbc,
    Rrf,
    Rsf,
    ZScore,
    fusion_names,
    parse_fusion,
    register_fusion,
)

FORMS = {
    "auto(coverage=0.5, lead=0.5)": Auto(),
    'auto(flat="rank", coverage=0, lead=1)': Auto(coverage=0, lead=1, flat="rank"),
    "rrf(k=60)": Rrf(),
    "rrf(k=2.5)": Rrf(k=2.5),
    'rrf(absent="min", k=10)': Rrf(k=10, absent="min"),
    "rsf()": Rsf(),
    "rsf(absent=-0.5, flat=0.25)": Rsf(flat=0.25, absent=-0.5),
    'rsf(flat="rank")': Rsf(flat="rank"),
    "dbsf()": Dbsf(),
    'dbsf(shape="3sigma", ddof=1)': Dbsf(shape="3sigma", ddof=1),
    'zscore(absent="min")': ZScore(),
    "zscore(absent=-3)": ZScore(absent=-3.0),
    "convex()": Convex(),
    "combsum()": CombSum(),
    "combmnz()": CombMnz(),
    "isr()": Isr(),
    "borda()": Borda(),
    "rbc(phi=0.8)": Rbc(phi=0.8),
    "learned(legs=('dense', 'bm25'), coefficients=((2.0, 0.0, 0.5), (1.25, 30.0, 0.0)), k=60)": (
        Learned(("dense", "bm25"), ((2, 0, 0.5), (1.25, 30, 0)), k=60)
    ),
    "langchain(c=60)": LangChain(),
    'llama_index(mode="relative_score")': LlamaIndex(mode="relative_score"),
    'haystack(mode="merge")': Haystack(mode="merge"),
    "qdrant_rrf(k=2)": QdrantRrf(),
    "qdrant_dbsf()": QdrantDbsf(),
    'ranx(method="mnz", norm="min-max")': Ranx(method="mnz"),
}


@pytest.fixture
def registry(monkeypatch):
    monkeypatch.setattr(plait.fusion.parse, "_registered", {})


@pytest.mark.parametrize("text", FORMS)
def test_text_forms_parse_back(text):
    fusion = FORMS[text]
    assert str(fusion) == text
    assert parse_fusion(text) == fusion
    assert str(parse_fusion(text)) == text


def test_every_built_in_has_a_text_form(registry):
    assert {text.partition("(")[0] for text in FORMS} == set(fusion_names())


def test_a_name_alone_takes_the_defaults():
    assert parse_fusion("rrf") == Rrf(k=60)
    assert parse_fusion(" rsf() ") == Rsf()
    assert parse_fusion("zscore()") == ZScore()


def test_unknown_names_are_refused_with_what_there_is():
    with pytest.raises(
        ConfigurationError,
        match=r"unknown fusion 'borde', did you mean 'borda'\? there are: auto, rrf, rsf, dbsf,",
    ):
        parse_fusion("borde()")
    with pytest.raises(ConfigurationError, match="unknown fusion 'quux'; there are: auto, rrf"):
        parse_fusion("quux")


def test_unknown_and_missing_parameters_are_refused_with_what_there_is():
    with pytest.raises(
        ConfigurationError, match="rrf has no parameter rank_constant; it has absent, k"
    ):
        parse_fusion("rrf(rank_constant=60)")
    with pytest.raises(ConfigurationError, match="isr has no parameter absent; it has none"):
        parse_fusion("isr(absent=0)")
    with pytest.raises(
        ConfigurationError, match=r"'rbc' cannot be built: .*phi.*; rbc takes absent, phi"
    ):
        parse_fusion("rbc")


@pytest.mark.parametrize(
    "text", ["", "rrf(k=", "rrf(60)", "rrf(k=k)", "a.b()", "rrf; rsf", "rrf(**{})"]
)
def test_what_is_no_text_form(text):
    with pytest.raises(ConfigurationError, match="is not of the form"):
        parse_fusion(text)


def test_bad_values_are_refused_by_the_fusion():
    with pytest.raises(ConfigurationError, match="rrf: k is -1"):
        parse_fusion("rrf(k=-1)")
    with pytest.raises(ConfigurationError, match="str such as 'rrf"):
        parse_fusion(Rrf())


# Third parties


def offer(monkeypatch, **objects):
    """Let an installed package offer fusions as entry points."""

    def load(value):
        if isinstance(value, Exception):
            raise value
        return value

    def entry_points(*, group):
        assert group == "plait.fusions"
        return [
            SimpleNamespace(name=name, value=f"package:{name}", load=lambda v=value: load(v))
            for name, value in objects.items()
        ]

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)


@dataclass(frozen=True)
class Steep(Fusion):
    power: float = 3.0
    name: ClassVar[str] = "steep"

    def contributions(self, ranking):
        return [rank**-self.power for rank in range(1, len(ranking) + 1)]


def test_a_registered_fusion_is_known_by_name(registry):
    assert register_fusion(Steep) is Steep
    assert parse_fusion("steep(power=2)") == Steep(power=2)
    assert str(Steep(power=2)) == "steep(power=2)"
    assert fusion_names()[-1] == "steep"


def test_a_class_that_is_defined_again_takes_the_place_of_the_first(registry):
    def define(default):
        @register_fusion
        @dataclass(frozen=True)
        class Mine(Fusion):
            power: float = default

        return Mine

    define(1.0)
    again = define(2.0)
    assert parse_fusion("mine") == again(power=2.0)


def test_names_are_not_taken_twice(registry):
    class Rrf2(Fusion):
        name = "rrf"

    with pytest.raises(
        ConfigurationError, match=r"'rrf' is taken by plait\.fusion\.rank_based\.Rrf"
    ):
        register_fusion(Rrf2)
    register_fusion(Steep)

    class Steep2(Fusion):
        name = "steep"

    with pytest.raises(ConfigurationError, match=r"'steep' is taken by .*Steep"):
        register_fusion(Steep2)


@pytest.mark.parametrize("name", ["my fusion", "Steep", "2nd", ""])
def test_names_can_be_written(registry, name):
    with pytest.raises(ConfigurationError, match="expected an identifier in lower case"):
        register_fusion(type("Odd", (Fusion,), {"name": name}))


@pytest.mark.parametrize("thing", [Rrf(), dict, "rrf"])
def test_what_is_no_fusion(registry, thing):
    with pytest.raises(ConfigurationError, match=r"not a subclass of plait\.Fusion"):
        register_fusion(thing)


def test_entry_points_are_loaded_when_asked_for(registry, monkeypatch):
    offer(monkeypatch, steep=Steep, broken=ImportError("no module named numba"), odd=dict)
    assert fusion_names()[-3:] == ("broken", "odd", "steep")
    assert parse_fusion("steep(power=2)") == Steep(power=2)
    with pytest.raises(
        ConfigurationError, match=r"'package:broken', which fails to load: ImportError"
    ):
        parse_fusion("broken")
    with pytest.raises(ConfigurationError, match="not a subclass"):
        parse_fusion("odd")
    with pytest.raises(ConfigurationError, match=r"there are: .*steep"):
        parse_fusion("quux")
