"""Settings: defaults, text forms, and the check of what is given against what is stored."""

from __future__ import annotations

from typing import Any

import pytest

from plait.collection.settings import Settings
from plait.dense.metric import DOT
from plait.errors import ConfigurationError, IndexFormatError
from plait.fusion import Auto, Rrf
from plait.ingest import Chunking
from plait.lexical import Bm25
from plait.text import Analyzer

CHOSEN: dict[str, Any] = {
    "analyzer": Analyzer(fold_accents=True),
    "bm25": Bm25(k1=1.2, variant="bm25l", delta=0.7),
    "metric": DOT,
    "chunking": Chunking(100, overlap=10),
    "fusion": Rrf(k=10),
    "window": 50,
}


def test_a_new_collection_fuses_by_score_over_200_candidates() -> None:
    settings = Settings.of({})
    assert settings.fusion == Auto()
    assert settings.window == 200
    assert settings == Settings.of(dict.fromkeys(CHOSEN))


def test_every_setting_comes_back_from_its_text() -> None:
    settings = Settings.of(CHOSEN)
    assert Settings.stored(settings.texts(), {}, "kb") == settings
    assert Settings.of({name: settings.texts()[name] for name in CHOSEN}) == settings
    assert all(isinstance(text, str) for text in settings.texts().values())


@pytest.mark.parametrize("name", CHOSEN)
def test_what_is_given_must_be_what_is_stored(name: str) -> None:
    texts = Settings.of({}).texts()
    with pytest.raises(ConfigurationError, match=f"kb was made with {name}=") as caught:
        Settings.stored(texts, {name: CHOSEN[name]}, "kb")
    assert texts[name] in str(caught.value)
    assert f"leave {name} out" in str(caught.value)
    same = Settings.of(CHOSEN)
    assert Settings.stored(same.texts(), {name: CHOSEN[name]}, "kb") == same
    assert Settings.stored(same.texts(), {name: same.texts()[name]}, "kb") == same


@pytest.mark.parametrize(
    "given",
    [
        {"analyzer": 3},
        {"analyzer": "analyser()"},
        {"bm25": {"k1": 1}},
        {"bm25": "bm25(k2=1)"},
        {"bm25": "bm52"},
        {"metric": "manhattan"},
        {"chunking": "200"},
        {"fusion": "rff"},
        {"fusion": Rrf},
        {"window": 0},
        {"window": True},
        {"window": 1.5},
        {"window": "many"},
    ],
)
def test_mistakes_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        Settings.of(given)


def test_a_stored_text_that_cannot_be_read_is_damage() -> None:
    texts = Settings.of({}).texts()
    with pytest.raises(IndexFormatError, match="kb: the setting bm25 cannot be read") as caught:
        Settings.stored({**texts, "bm25": "bm25(k1='x')"}, {}, "kb")
    assert caught.value.path == "kb"
    del texts["fusion"]
    with pytest.raises(IndexFormatError, match="it has no setting 'fusion'"):
        Settings.stored(texts, {}, "kb")


def test_a_tokenizer_that_is_code_must_be_given_again_and_be_the_same() -> None:
    def spaces(text: str) -> list[str]:
        return text.split()

    def letters(text: str) -> list[str]:
        return list(text)

    texts = Settings.of({"analyzer": Analyzer(tokenizer=spaces)}).texts()
    with pytest.raises(ConfigurationError, match=r"analyzer=Analyzer\(tokenizer="):
        Settings.stored(texts, {}, "kb")
    again = Settings.stored(texts, {"analyzer": Analyzer(tokenizer=spaces)}, "kb")
    assert again.analyzer.tokenizer is spaces
    letters.__name__, letters.__qualname__ = spaces.__name__, spaces.__qualname__
    with pytest.raises(ConfigurationError, match="cuts a sample text differently"):
        Settings.stored(texts, {"analyzer": Analyzer(tokenizer=letters)}, "kb")
