"""The files of an ONNX model: where they are, and how they are opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from plait.errors import ConfigurationError

__all__ = ["model_files", "open_onnx"]


def model_files(path: Path) -> tuple[Path, ...]:
    """The model file, the files of weights that belong to it, and the tokenizer.

    Args:
        path: A folder with ``model.onnx`` or ``onnx/model.onnx``, or the ``.onnx`` file itself,
            with ``tokenizer.json`` beside or above the model.

    Raises:
        ConfigurationError: Files that are not there.
    """
    models = [path] if path.suffix == ".onnx" else [path / "model.onnx", path / "onnx/model.onnx"]
    model = next((each for each in models if each.is_file()), None)
    if model is None:
        raise ConfigurationError(
            f"no ONNX model at {path}, expected {' or '.join(map(str, models))}"
        )
    folders = (model.parent, model.parent.parent)
    tokenizer = next(
        (folder / "tokenizer.json" for folder in folders if (folder / "tokenizer.json").is_file()),
        None,
    )
    if tokenizer is None:
        raise ConfigurationError(
            f"no tokenizer.json beside or above {model}; put the model's there"
        )
    weights = (
        each
        for each in model.parent.iterdir()
        if each.name.startswith((f"{model.name}_", f"{model.name}."))
    )
    return (model, *sorted(weights), tokenizer)


def open_onnx(model: Path, tokens: Path) -> tuple[Any, Any]:
    """The tokenizer, without padding and cut of its own, and the session of a model.

    Raises:
        ConfigurationError: A file that cannot be loaded; names it.
    """
    import onnxruntime
    from tokenizers import Tokenizer

    onnxruntime.disable_telemetry_events()  # from 1.29 on it would report to its maker
    options = onnxruntime.SessionOptions()
    # One thread for one text: texts run side by side instead, the other legs of a query keep their
    # core, no idle thread spins, and there is none to lose in a fork.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # errors are raised; it would also write them to stderr
    reading = tokens
    try:
        tokenizer = Tokenizer.from_file(str(reading))
        reading = model
        session = onnxruntime.InferenceSession(
            str(reading), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # neither library has a public base of its exceptions
        raise ConfigurationError(f"{reading} cannot be loaded: {error}") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer, session
