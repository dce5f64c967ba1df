"""Rerankers by text form, and what else may stand for one."""

import pytest

from plait.errors import ConfigurationError
from plait.rerankers import (
    CallableReranker,
    HttpReranker,
    LanguageModelReranker,
    NoReranker,
    Reranker,
    RerankersAdapter,
    as_reranker,
    parse_reranker,
)
from plait.types import Chunk, Hit

pytest.importorskip("httpx")
HITS = [Hit(Chunk("a"), None, 1), Hit(Chunk("b"), None, 2)]


def test_none():
    assert isinstance(parse_reranker("none"), NoReranker)
    assert isinstance(as_reranker(None), NoReranker)


def test_services(monkeypatch):
    monkeypatch.setenv("CO_API_KEY", "sk-1")
    monkeypatch.setenv("JINA_API_KEY", "sk-2")
    cohere = parse_reranker("cohere:rerank-v3.5")
    assert isinstance(cohere, HttpReranker)
    assert (cohere.api.name, cohere.model) == ("cohere", "rerank-v3.5")
    assert parse_reranker(" jina: m ").describe()["model"] == "m"
    assert parse_reranker("tei:http://localhost:8080/x").describe()["base_url"] == (
        "http://localhost:8080/x"
    )


def test_models():
    model = parse_reranker("llm:ollama:llama3.2:3b")
    assert isinstance(model, LanguageModelReranker)
    assert model.name == "llama3.2:3b"
    pytest.importorskip("rerankers")
    assert isinstance(parse_reranker("rerankers:colbert"), RerankersAdapter)


def test_a_path_may_hold_colons(tmp_path):
    pytest.importorskip("onnxruntime")
    with pytest.raises(ConfigurationError, match=r"no ONNX model at .*a:b"):
        parse_reranker(f"onnx:{tmp_path / 'a:b'}")


@pytest.mark.parametrize("text", ["", "cohere", "cohere:", "magic:m", "none:m", "Cohere:m"])
def test_another_form(text):
    with pytest.raises(ConfigurationError, match="is unknown, expected none, cross-encoder:MODEL"):
        parse_reranker(text)


def test_not_a_text():
    with pytest.raises(ConfigurationError, match="text form is int"):
        parse_reranker(5)


class Duck:
    def rerank(self, query, chunks):
        return [(1, 0.5)]


class AsyncDuck:
    name = "async-duck"

    async def arerank(self, query, chunks):
        return [(1, 0.5)]


@pytest.mark.parametrize(
    ("source", "name"),
    [(Duck(), "Duck"), (AsyncDuck(), "async-duck"), (Duck().rerank, "rerank")],
)
def test_objects_and_functions(source, name):
    reranker = as_reranker(source)
    assert isinstance(reranker, CallableReranker)
    assert reranker.name == name
    assert reranker.decide("q", HITS).order == (1,)


def test_a_reranker_is_itself():
    class Mine(Reranker):
        pass

    mine = Mine()
    assert as_reranker(mine) is mine


class LoadedModel:
    """A model of a library: it can be called and ranks, in a way of its own."""

    def __call__(self, *inputs):
        raise NotImplementedError

    def rank(self, query, documents):
        raise NotImplementedError


@pytest.mark.parametrize("source", [5, Duck, object(), ["none"], LoadedModel()])
def test_what_is_no_reranker(source):
    with pytest.raises(ConfigurationError, match=r"expected a Reranker.* RerankersAdapter"):
        as_reranker(source)
