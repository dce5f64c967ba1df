"""CrossEncoder: with a stand-in for the model, and with sentence-transformers where it is there."""

import importlib.util
import shutil
from pathlib import Path

import numpy as np
import pytest

from plait.errors import ConfigurationError, MissingDependencyError, StageError
from plait.inference import loading
from plait.rerankers import CrossEncoder, OnnxCrossEncoder
from plait.types import Chunk, Hit


class Model:
    """Scores a pair by the length of its passage."""

    def __init__(self, answer=None):
        self.asked = []
        self.answer = answer

    def predict(self, pairs, *, batch_size, show_progress_bar, **options):
        self.asked.append((pairs, batch_size, show_progress_bar, options))
        if self.answer is not None:
            return self.answer
        return np.array([len(passage) for _, passage in pairs], dtype=np.float32)


def hits(*texts):
    return [Hit(Chunk(text), 1 / n, n) for n, text in enumerate(texts, start=1)]


class TestStandIn:
    @pytest.fixture(autouse=True)
    def installed(self, monkeypatch):
        """The package counts as installed: a loaded model is all that is used of it."""
        monkeypatch.setattr(loading, "find_spec", lambda name: object())

    def test_pairs_go_in_and_scores_come_out(self):
        model = Model()
        chunk = Chunk("b", title="t")
        given = [*hits("aa"), Hit(chunk, None, 2)]
        ranked = CrossEncoder(model, batch_size=7).decide("why", given)
        assert (ranked.order, ranked.scores, ranked.reranker) == ((1, 0), (3.0, 2.0), "Model")
        assert model.asked == [([("why", "aa"), ("why", "t\nb")], 7, False, {})]

    def test_a_model_with_two_outputs(self):
        model = CrossEncoder(Model(np.zeros((2, 2))), name="nli")
        with pytest.raises(StageError, match=r"'nli' gave scores of shape \(2, 2\) for 2 pairs"):
            model.decide("why", hits("a", "b"))

    def test_what_the_model_raises(self):
        class Broken(Model):
            def predict(self, pairs, **options):
                raise RuntimeError("CUDA out of memory")

        with pytest.raises(StageError, match="failed on 2 passages: RuntimeError: CUDA") as caught:
            CrossEncoder(Broken()).decide("why", hits("a", "b"))
        assert caught.value.stage == "rerank"

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"model": 5}, "model is 5, expected the name or folder of a model"),
            ({"model": ""}, "model is ''"),
            ({"model": Model(), "batch_size": 0}, "batch_size is 0, expected an int >= 1"),
            ({"model": "m", "max_length": True}, "max_length is True, expected an int >= 1"),
            ({"model": "m", "activation": "relu"}, "activation is 'relu', expected 'sigmoid'"),
            ({"model": Model(), "max_length": 9}, "belong to loading a model"),
            ({"model": Model(), "device": "cpu"}, "belong to loading a model"),
        ],
    )
    def test_bad_parameters_are_refused_when_it_is_built(self, arguments, message):
        with pytest.raises(ConfigurationError, match=message):
            CrossEncoder(**arguments)

    def test_it_is_described_without_its_place(self):
        assert CrossEncoder("/home/me/models/tiny", activation="sigmoid").describe() == {
            "type": "CrossEncoder",
            "name": "models/tiny",
            "model": "models/tiny",
            "batch_size": 32,
            "max_length": None,
            "activation": "sigmoid",
        }
        assert CrossEncoder("cross-encoder/ms-marco-MiniLM-L6-v2").name == (
            "cross-encoder/ms-marco-MiniLM-L6-v2"
        )


def test_without_the_package(monkeypatch):
    monkeypatch.setattr(loading, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'plait\[cross-encoder\]'"):
        CrossEncoder("m")


@pytest.mark.model
@pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is None,
    reason="sentence-transformers is not installed",
)
@pytest.mark.filterwarnings("ignore")  # those of torch and transformers are not ours
class TestLibrary:
    """A tiny model with random weights, made and saved here."""

    @pytest.fixture(scope="class")
    def folder(self, tmp_path_factory):
        import tokenizers
        import torch
        import transformers

        words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "refunds", "take", "days", "why"]
        made = tokenizers.Tokenizer(
            tokenizers.models.WordPiece({w: n for n, w in enumerate(words)}, unk_token="[UNK]")
        )
        made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
        made.post_processor = tokenizers.processors.TemplateProcessing(
            single="[CLS] $A [SEP]",
            pair="[CLS] $A [SEP] $B:1 [SEP]:1",
            special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
        )
        marks = {f"{name}_token": f"[{name.upper()}]" for name in ("unk", "pad", "cls", "sep")}
        folder = tmp_path_factory.mktemp("models") / "tiny"
        transformers.PreTrainedTokenizerFast(
            tokenizer_object=made,
            model_max_length=32,
            model_input_names=["input_ids", "token_type_ids", "attention_mask"],
            **marks,
        ).save_pretrained(folder)
        torch.manual_seed(0)
        transformers.BertForSequenceClassification(
            transformers.BertConfig(
                vocab_size=len(words),
                hidden_size=16,
                num_hidden_layers=1,
                num_attention_heads=2,
                intermediate_size=32,
                max_position_embeddings=32,
                num_labels=1,
                initializer_range=1.0,
            )
        ).save_pretrained(folder)
        return str(folder)

    def test_scores_are_those_of_the_library(self, folder):
        from sentence_transformers import CrossEncoder as Theirs
        from torch import nn

        texts = ["take days", "refunds take days", "why why why why why why", ""]
        pairs = [("why refunds", text) for text in texts]
        raw = Theirs(folder).predict(pairs, activation_fn=nn.Identity())
        given = hits(*texts)
        for model in (folder, Theirs(folder)):
            ranked = CrossEncoder(model, activation="identity").decide("why refunds", given)
            assert ranked.order == tuple(np.argsort(-raw, kind="stable").tolist())
            np.testing.assert_allclose(ranked.scores, raw[list(ranked.order)], rtol=1e-5)
        squashed = CrossEncoder(folder, activation="sigmoid").decide("why refunds", given)
        assert squashed.order == ranked.order
        np.testing.assert_allclose(
            squashed.scores, 1 / (1 + np.exp(-np.array(ranked.scores))), rtol=1e-5
        )

    def test_the_length_counts(self, folder):
        texts = hits("refunds take days", "refunds take why")
        short = CrossEncoder(folder, activation="identity", max_length=5).decide("why", texts)
        assert short.scores[0] == pytest.approx(short.scores[1], abs=1e-6)  # one word is read
        full = CrossEncoder(folder, activation="identity").decide("why", texts)
        assert abs(full.scores[0] - full.scores[1]) > 1e-3

    def test_the_same_model_in_onnx_gives_the_same(self, folder, tmp_path):
        pytest.importorskip("onnxruntime")
        import torch
        import transformers

        model = transformers.BertForSequenceClassification.from_pretrained(folder).eval()
        names = ["input_ids", "attention_mask", "token_type_ids"]
        axes = {name: {0: "batch", 1: "tokens"} for name in names}
        torch.onnx.export(
            model,
            tuple(torch.ones(1, 4, dtype=torch.int64) for _ in names),
            str(tmp_path / "model.onnx"),
            input_names=names,
            output_names=["logits"],
            dynamic_axes={**axes, "logits": {0: "batch"}},
            dynamo=False,
        )
        shutil.copy(Path(folder) / "tokenizer.json", tmp_path)
        given = hits("take days", "refunds take days " * 30, "why", "")
        theirs = CrossEncoder(folder, activation="identity").decide("why refunds", given)
        ours = OnnxCrossEncoder(tmp_path, max_tokens=32).decide("why refunds", given)
        assert ours.order == theirs.order
        assert ours.order == theirs.order
        np.testing.assert_allclose(ours.scores, theirs.scores, rtol=1e-4, atol=1e-5)

    def test_a_model_that_is_not_there(self, tmp_path):
        with pytest.raises(ConfigurationError, match="cannot be loaded"):
            CrossEncoder(str(tmp_path / "nothing")).decide("why", hits("a"))
