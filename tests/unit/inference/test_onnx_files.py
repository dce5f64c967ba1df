"""The files of an ONNX model: which belong to it, and what cannot be opened."""

import pytest

from plait.errors import ConfigurationError
from plait.inference import model_files, open_onnx


@pytest.fixture
def folder(tmp_path):
    """A folder that looks like a model."""
    (tmp_path / "model.onnx").write_bytes(b"no model")
    (tmp_path / "tokenizer.json").write_text("{}")
    return tmp_path


def names(path):
    return [file.name for file in model_files(path)]


def test_beside_each_other(folder):
    assert names(folder) == ["model.onnx", "tokenizer.json"]
    assert names(folder / "model.onnx") == ["model.onnx", "tokenizer.json"]


def test_the_model_in_a_folder_of_its_own(folder):
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx/model.onnx")
    assert names(folder) == ["model.onnx", "tokenizer.json"]
    assert names(folder / "onnx/model.onnx") == ["model.onnx", "tokenizer.json"]


def test_weights_outside_the_model_belong_to_it(folder):
    for name in ("model.onnx_data", "model.onnx.data", "other.onnx_data", "model_int8.onnx"):
        (folder / name).write_bytes(b"x")
    assert names(folder) == [
        "model.onnx",
        "model.onnx.data",
        "model.onnx_data",
        "tokenizer.json",
    ]
    assert names(folder / "model_int8.onnx") == ["model_int8.onnx", "tokenizer.json"]


def test_no_model(tmp_path):
    with pytest.raises(ConfigurationError, match=r"no ONNX model at .*model\.onnx or .*onnx"):
        model_files(tmp_path)
    with pytest.raises(ConfigurationError, match="no ONNX model at"):
        model_files(tmp_path / "other.onnx")


def test_no_tokenizer(folder):
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ConfigurationError, match=r"no tokenizer\.json beside or above"):
        model_files(folder)


def test_a_file_that_is_no_tokenizer(folder):
    pytest.importorskip("onnxruntime")
    with pytest.raises(ConfigurationError, match=r"tokenizer\.json cannot be loaded"):
        open_onnx(folder / "model.onnx", folder / "tokenizer.json")
