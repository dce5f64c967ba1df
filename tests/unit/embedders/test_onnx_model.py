"""OnnxModel: which models give token vectors."""

import pytest

from plait.embedders import OnnxEmbedder
from plait.errors import ConfigurationError


@pytest.fixture
def folder(tmp_path):
    """A folder that looks like a model."""
    (tmp_path / "model.onnx").write_bytes(b"no model")
    (tmp_path / "tokenizer.json").write_text("{}")
    return tmp_path


def varint(number):
    """An int below 2**14 in two bytes, as protobuf writes it."""
    return bytes([number & 127 | 128, number >> 7])


def field(number, value):
    """One field of a protobuf message: an int, or text or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def tensor(name, kind, shape):
    """An ONNX ValueInfoProto; dimensions by name or number."""
    dims = b"".join(field(1, field(2 if isinstance(dim, str) else 1, dim)) for dim in shape)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, dims)))


def casting(source, shape, output):
    """An ONNX ModelProto that turns int64 ``source`` into floats."""
    to_float = field(1, "to") + field(3, 1) + field(20, 2)
    node = field(1, source) + field(2, "out") + field(4, "Cast") + field(5, to_float)
    graph = (
        field(1, node)
        + field(2, "graph")
        + field(11, tensor(source, 7, shape))
        + field(12, tensor("out", 1, output))
    )
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 17))


TOKENIZER = """{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
  "normalizer": null, "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null,
  "decoder": null, "model": {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "a": 1}}}"""


class TestOtherModels:
    """Small models made here, so that no package of weights is needed."""

    @pytest.mark.parametrize(
        ("source", "shape", "output", "message"),
        [
            ("pixels", ["b", "t", 4], ["b", "t", 4], "takes pixels and gives"),
            ("input_ids", ["b", "t"], ["b", "t"], r"gives shape \['b', 't'\], expected a model"),
            ("input_ids", ["b", "t", "d"], ["b", "t", "d"], "does not say the length"),
        ],
    )
    def test_that_give_no_token_vectors(self, folder, source, shape, output, message):
        pytest.importorskip("onnxruntime")
        (folder / "model.onnx").write_bytes(casting(source, shape, output))
        (folder / "tokenizer.json").write_text(TOKENIZER)
        embedder = OnnxEmbedder(folder)
        with pytest.raises(ConfigurationError, match=message):
            embedder.embed_query("a")
