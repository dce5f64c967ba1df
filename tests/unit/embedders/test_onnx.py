"""OnnxEmbedder: one's own model from a folder."""

import numpy as np
import pytest

from plait.embedders import OnnxEmbedder, minilm, parse_embedder
from plait.embedders.onnx_model import OnnxModel
from plait.errors import ConfigurationError, EmbeddingError
from plait.inference import parallel


@pytest.fixture
def folder(tmp_path):
    """A folder that looks like a model."""
    (tmp_path / "model.onnx").write_bytes(b"no model")
    (tmp_path / "tokenizer.json").write_text("{}")
    return tmp_path


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pooling": "max"}, "pooling is 'max', expected 'mean' or 'cls'"),
        ({"max_tokens": 0}, "max_tokens is 0"),
        ({"normalize": "yes"}, "normalize is 'yes'"),
    ],
)
def test_bad_parameters_are_refused_when_it_is_built(folder, options, message):
    with pytest.raises(ConfigurationError, match=message):
        OnnxEmbedder(folder, **options)


def test_a_path_is_a_path():
    with pytest.raises(ConfigurationError, match="path is 5, expected the path of a model"):
        parse_embedder("onnx(path=5)")


def test_its_text_form_gives_it_back(folder):
    plain = OnnxEmbedder(folder)
    assert plain.spec == f"onnx(path={str(folder)!r})"
    prefixed = OnnxEmbedder(folder, pooling="cls", max_tokens=512, query_prefix="query: ")
    rebuilt = parse_embedder(prefixed.spec)
    assert rebuilt.spec == prefixed.spec
    assert rebuilt._described == prefixed._described
    assert rebuilt.max_tokens == 512


@pytest.mark.model
class TestModel:
    @pytest.fixture
    def path(self):
        return minilm._FILES.find()[0]

    def test_cls_is_the_first_token_vector(self, path):
        model = OnnxModel.load(minilm._FILES.find())
        states = model.token_vectors("some words", 256)
        assert states.shape == (2 + 2, 384)
        cls = OnnxEmbedder(path, pooling="cls", normalize=False)
        np.testing.assert_array_equal(cls.embed_query("some words"), states[0])
        mean = OnnxEmbedder(path, normalize=False)
        np.testing.assert_allclose(
            mean.embed_query("some words"), states.astype(float).mean(axis=0), rtol=1e-4, atol=1e-6
        )

    def test_every_setting_makes_another_embedder(self, path):
        settings = [{}, {"pooling": "cls"}, {"normalize": False}, {"max_tokens": 128}]
        assert len({OnnxEmbedder(path, **options).identity for options in settings}) == 4

    def test_several_side_by_side_give_the_same(self, path, monkeypatch):
        texts = [f"text number {number}" for number in range(9)]
        monkeypatch.setattr(parallel, "cores", lambda: 1)
        alone = OnnxEmbedder(path).embed_passages(texts)
        monkeypatch.setattr(parallel, "cores", lambda: 4)
        np.testing.assert_array_equal(OnnxEmbedder(path).embed_passages(texts), alone)

    def test_more_tokens_than_the_model_has_places_for(self, path, capfd):
        embedder = OnnxEmbedder(path, max_tokens=None)
        with pytest.raises(EmbeddingError, match=r"a text of 602 tokens: .*max_tokens"):
            embedder.embed_query("word " * 600)
        assert capfd.readouterr() == ("", "")
        assert OnnxEmbedder(path, max_tokens=512).embed_query("word " * 600).shape == (384,)

    def test_a_file_that_is_no_model(self, folder):
        (folder / "tokenizer.json").write_bytes(minilm._FILES.find()[-1].read_bytes())
        embedder = OnnxEmbedder(folder)
        with pytest.raises(ConfigurationError, match=r"model\.onnx cannot be loaded"):
            embedder.embed_query("x")

    def test_a_file_that_is_no_tokenizer(self, folder):
        with pytest.raises(ConfigurationError, match=r"tokenizer\.json cannot be loaded"):
            OnnxEmbedder(folder).embed_query("x")
