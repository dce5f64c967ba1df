"""What counts tokens is made of anything that can."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from plait.context import TokenCounter, as_counter, estimate_tokens
from plait.errors import ConfigurationError, MissingDependencyError


def words(text: str) -> int:
    return len(text.split())


def test_without_a_tokenizer_it_is_an_estimate_that_says_so() -> None:
    for counter in (as_counter(), as_counter("estimate"), as_counter(estimate_tokens)):
        assert counter.estimated
        assert counter("退款流程") == 5
    assert str(as_counter()) == "estimate"


def test_a_function_counts() -> None:
    counter = as_counter(words)
    assert (counter("three short words"), str(counter), counter.estimated) == (3, "words", False)
    assert as_counter(counter) is counter


class Counting:
    """As embedders have it: their own marks count."""

    def count_tokens(self, text: str) -> int:
        return words(text) + 2


def test_an_embedder_counts_as_it_reads() -> None:
    counter = as_counter(Counting())
    assert (counter("three short words"), str(counter)) == (5, "Counting")


class Encoding:
    """As tiktoken has them: marks in a text are text to one method and an error to the other."""

    name = "o200k_base"

    def encode_ordinary(self, text: str) -> list[int]:
        return [0] * len(text)

    def encode(self, text: str) -> list[int]:
        raise ValueError("disallowed special token")


def test_an_encoding_of_tiktoken_counts() -> None:
    counter = as_counter(Encoding())
    assert (counter("<|endoftext|>"), str(counter)) == (13, "o200k_base")


class Transformers:
    """As transformers has them: it can be called, which gives no count."""

    name_or_path = "org/model"

    def __call__(self, text: str) -> dict[str, Any]:
        return {"input_ids": [0]}

    def encode(self, text: str, *, add_special_tokens: bool = True) -> list[int]:
        return [0] * (words(text) + 2 * add_special_tokens)


def test_a_tokenizer_of_transformers_counts_without_its_marks() -> None:
    counter = as_counter(Transformers())
    assert (counter("three short words"), str(counter)) == (3, "org/model")


@pytest.fixture
def tokenizer() -> Any:
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({"[UNK]": 0, "[PAD]": 1, "cats": 2}, unk_token="[UNK]")
    )
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return made


def test_a_tokenizer_counts_beyond_the_length_that_its_model_reads(tokenizer: Any) -> None:
    tokenizer.enable_truncation(max_length=4)
    tokenizer.enable_padding(length=4, pad_token="[PAD]", pad_id=1)
    counter = as_counter(tokenizer)
    assert [counter("cats " * count) for count in (1, 4, 9)] == [1, 4, 9]
    assert tokenizer.truncation["max_length"] == 4  # the caller's is as it was


def test_a_tokenizer_comes_from_a_file(tokenizer: Any, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    tokenizer.save(str(path))
    for source in (path, str(path)):
        counter = as_counter(source)
        assert (counter("cats sleep all day"), str(counter)) == (4, "tokenizer.json")


def test_a_file_that_is_none_is_told(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    with pytest.raises(ConfigurationError, match="there is no tokenizer at"):
        as_counter(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(ConfigurationError, match=r"bad\.json is not a tokenizer\.json"):
        as_counter(str(tmp_path / "bad.json"))


def test_a_name_that_tiktoken_does_not_know_is_told() -> None:
    pytest.importorskip("tiktoken")
    with pytest.raises(ConfigurationError, match="knows no encoding or model 'o200k_bass'"):
        as_counter("o200k_bass")


def test_an_encoding_that_cannot_be_loaded_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    tiktoken = pytest.importorskip("tiktoken")

    def offline(name: str) -> Any:
        raise OSError("no network")

    monkeypatch.setattr(tiktoken, "get_encoding", offline)
    with pytest.raises(ConfigurationError, match="cannot load 'o200k_base': OSError: no network"):
        as_counter("o200k_base")


def test_an_encoding_and_a_model_are_known_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    monkeypatch.setattr(tiktoken, "get_encoding", lambda name: Encoding())
    monkeypatch.setattr(tiktoken, "encoding_for_model", lambda name: Encoding())
    assert as_counter("o200k_base")("four") == 4
    assert as_counter("gpt-4o")("four") == 4


@pytest.mark.parametrize(
    ("source", "package"), [("o200k_base", "tiktoken"), ("tokenizer.json", "tokenizers")]
)
def test_a_missing_package_is_named(
    source: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingDependencyError, match=rf"{package} .*pip install 'plait\[tokens\]'"):
        as_counter(source)


@pytest.mark.parametrize("source", [3, object(), Encoding, ["a"]])
def test_what_cannot_count_is_refused(source: Any) -> None:
    with pytest.raises(ConfigurationError, match="expected a function from text to int"):
        as_counter(source)


@pytest.mark.parametrize("answer", [[1, 2], 3.0, -1, True, None])
def test_what_is_no_count_is_told(answer: Any) -> None:
    counter = as_counter(lambda text: answer)
    with pytest.raises(ConfigurationError, match="expected an int >= 0"):
        counter("text")


def test_a_counter_is_a_value() -> None:
    assert TokenCounter("words", words) == as_counter(words)
