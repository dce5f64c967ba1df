"""OnnxCrossEncoder: small models made here, whose scores can be worked out by hand."""

import asyncio
import json
import math

import pytest

from plait.errors import ConfigurationError, StageError
from plait.inference import parallel
from plait.rerankers import OnnxCrossEncoder
from plait.types import Chunk, Hit

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
tokenizers = pytest.importorskip("tokenizers")

WORDS = ("?", "[CLS]", "[SEP]", "good", "fair", "bad", "why")
# What each word of a passage adds to its score, in the order of WORDS.
WEIGHTS = (0.0, 0.0, 0.0, 2.0, 0.5, -1.0, 0.0)


def tokenizer(folder):
    model = tokenizers.models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="?")
    made = tokenizers.Tokenizer(model)
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    # A cut and padding of its own, which the reranker must not be led by.
    made.enable_truncation(4)
    made.enable_padding(length=32)
    made.save(str(folder / "tokenizer.json"))


def save(folder, inputs, nodes, shape, constants=()):
    helper, kinds = onnx.helper, onnx.TensorProto
    graph = helper.make_graph(
        nodes,
        "cross-encoder",
        [helper.make_tensor_value_info(name, kinds.INT64, ["batch", "tokens"]) for name in inputs],
        [helper.make_tensor_value_info("score", kinds.FLOAT, shape)],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(folder / "model.onnx"))


def passage_sum(folder, inputs=("input_ids", "token_type_ids", "attention_mask")):
    """A model whose score is the sum of the weights of the passage's words."""
    helper, kinds = onnx.helper, onnx.TensorProto
    types = ["token_type_ids"] if "token_type_ids" in inputs else []
    nodes = [
        helper.make_node("Gather", ["weights", "input_ids"], ["each"]),
        *(helper.make_node("Cast", [name], ["in_passage"], to=kinds.FLOAT) for name in types),
        helper.make_node("Mul", ["each", "in_passage" if types else "one"], ["counted"]),
        helper.make_node("ReduceSum", ["counted", "axis"], ["score"], keepdims=1),
    ]
    constants = [
        helper.make_tensor("weights", kinds.FLOAT, [len(WEIGHTS)], WEIGHTS),
        helper.make_tensor("axis", kinds.INT64, [1], [1]),
        helper.make_tensor("one", kinds.FLOAT, [1], [1.0]),
    ]
    save(folder, inputs, nodes, ["batch", 1], constants)


def counting(folder, *, most):
    """A model whose score is the number of tokens; it fails on more than ``most``."""
    helper, kinds = onnx.helper, onnx.TensorProto
    nodes = [
        helper.make_node("Shape", ["input_ids"], ["shape"]),
        helper.make_node("Gather", ["shape", "one"], ["tokens"]),
        helper.make_node("Sub", ["tokens", "one"], ["last"]),
        helper.make_node("Gather", ["places", "last"], ["score"]),
    ]
    constants = [
        helper.make_tensor("one", kinds.INT64, [1], [1]),
        helper.make_tensor("places", kinds.FLOAT, [most], [float(n + 1) for n in range(most)]),
    ]
    save(folder, ["input_ids"], nodes, ["batch"], constants)


@pytest.fixture
def folder(tmp_path):
    tokenizer(tmp_path)
    passage_sum(tmp_path)
    return tmp_path


def hits(*texts):
    return [Hit(Chunk(text), 1 / rank, rank) for rank, text in enumerate(texts, start=1)]


def test_scores_are_the_models(folder):
    ranked = OnnxCrossEncoder(folder).decide("why good", hits("bad", "good fair", "fair", ""))
    # The query's "good" does not count: the model is told which tokens are the passage's.
    assert ranked.order == (1, 2, 3, 0)
    assert ranked.scores == (2.0 + 0.5, 0.5, 0.0, -1.0)
    assert ranked.notes == ()


def test_sigmoid(folder):
    ranked = OnnxCrossEncoder(folder, sigmoid=True).decide("why", hits("good", "", "bad"))
    assert ranked.scores == (1 / (1 + math.exp(-2.0)), 0.5, 1 / (1 + math.exp(1.0)))


def test_a_score_depends_on_nothing_but_the_pair(folder, monkeypatch):
    texts = ["good " * n for n in (1, 9, 3)]
    model = OnnxCrossEncoder(folder)
    alone = [model.decide("why", hits(text)).scores[0] for text in texts]
    assert alone == [2.0, 18.0, 6.0]
    for cores in (1, 3):
        monkeypatch.setattr(parallel, "cores", lambda cores=cores: cores)
        together = OnnxCrossEncoder(folder).decide("why", hits(*texts))
        assert dict(zip(together.order, together.scores, strict=True)) == {0: 2.0, 1: 18.0, 2: 6.0}


def test_from_async_code(folder):
    model = OnnxCrossEncoder(folder)
    assert asyncio.run(model.adecide("why", hits("bad", "good"))).order == (1, 0)


class TestLength:
    def test_the_passage_is_cut_and_the_query_is_not(self, folder):
        # [CLS] why why why [SEP] and [SEP]: of 10 tokens, 4 are left for the passage.
        model = OnnxCrossEncoder(folder, max_tokens=10)
        ranked = model.decide("why why why", hits("good " * 20))
        assert (ranked.scores, ranked.notes) == ((4 * 2.0,), ())

    def test_what_is_sent_is_never_longer(self, folder):
        counting(folder, most=10)
        model = OnnxCrossEncoder(folder, max_tokens=10)
        assert model.decide("why", hits("good " * 20, "good")).scores == (10.0, 1 + 1 + 3.0)

    def test_a_query_longer_than_half_is_cut_and_noted(self, folder):
        model = OnnxCrossEncoder(folder, max_tokens=10)
        ranked = model.decide("why " * 20, hits("good " * 20))
        # [CLS] 5 of the query [SEP] 2 of the passage [SEP]
        assert ranked.scores == (2 * 2.0,)
        assert ranked.notes == ("query cut from 20 to 5 tokens",)

    def test_more_than_the_model_has_places_for(self, folder):
        counting(folder, most=8)
        with pytest.raises(StageError, match="fewer than 512 tokens, say so with max_tokens") as e:
            OnnxCrossEncoder(folder).decide("why", hits("good " * 20))
        assert e.value.stage == "rerank"


class TestFiles:
    def test_a_model_without_types_and_mask(self, folder):
        passage_sum(folder, inputs=("input_ids",))
        assert OnnxCrossEncoder(folder).decide("good", hits("fair")).scores == (2.0 + 0.5,)

    @pytest.mark.parametrize("shape", [["batch", 2], ["batch", "tokens", 1]])
    def test_a_model_with_another_output(self, folder, shape):
        passage_sum(folder)
        model = onnx.load(str(folder / "model.onnx"))
        del model.graph.output[:]
        model.graph.output.append(
            onnx.helper.make_tensor_value_info("score", onnx.TensorProto.FLOAT, shape)
        )
        onnx.save(model, str(folder / "model.onnx"))
        with pytest.raises(ConfigurationError, match=r"model\.onnx (takes|cannot be loaded)"):
            OnnxCrossEncoder(folder).decide("why", hits("good"))

    def test_a_model_that_takes_something_else(self, folder):
        node = onnx.helper.make_node("Cast", ["pixels"], ["score"], to=onnx.TensorProto.FLOAT)
        save(folder, ["pixels"], [node], ["batch", "tokens"])
        with pytest.raises(ConfigurationError, match="takes pixels and gives shape"):
            OnnxCrossEncoder(folder).decide("why", hits("good"))

    def test_several_scores_for_a_pair(self, folder):
        node = onnx.helper.make_node("Cast", ["input_ids"], ["score"], to=onnx.TensorProto.FLOAT)
        save(folder, ["input_ids"], [node], ["batch", "tokens"])
        with pytest.raises(StageError, match="gave 4 scores for one pair"):
            OnnxCrossEncoder(folder).decide("why", hits(""))

    def test_no_model(self, tmp_path):
        with pytest.raises(ConfigurationError, match="no ONNX model at"):
            OnnxCrossEncoder(tmp_path)

    def test_a_file_that_is_no_model(self, folder):
        (folder / "model.onnx").write_bytes(b"no model")
        with pytest.raises(ConfigurationError, match=r"model\.onnx cannot be loaded"):
            OnnxCrossEncoder(folder).decide("why", hits("good"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_tokens": 7}, "max_tokens is 7, expected an int >= 8"),
        ({"max_tokens": True}, "max_tokens is True"),
        ({"sigmoid": 1}, "sigmoid is 1, expected a bool"),
        ({"path": 5}, "path is 5"),
        ({"path": ""}, "path is ''"),
    ],
)
def test_bad_parameters_are_refused_when_it_is_built(folder, options, message):
    with pytest.raises(ConfigurationError, match=message):
        OnnxCrossEncoder(**{"path": folder, **options})


def test_it_is_described_by_what_decides_the_order(folder):
    model = OnnxCrossEncoder(folder, name="mine", max_tokens=64)
    described = model.describe()
    assert described == {
        "type": "OnnxCrossEncoder",
        "name": "mine",
        "weights": described["weights"],
        "max_tokens": 64,
        "sigmoid": False,
    }
    assert described["weights"].startswith("sha256:")
    assert json.loads(json.dumps(described)) == described
    assert OnnxCrossEncoder(folder).name == "/".join(folder.parts[-2:])
