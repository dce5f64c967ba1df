"""Models by their text form, and whatever else may stand for a model."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from plait.errors import ConfigurationError
from plait.models.function import CallableModel
from plait.models.model import LanguageModel
from plait.models.openai import OpenAIModel
from plait.spec import parse_spec

__all__ = ["as_model", "parse_model"]

_OLLAMA = "http://localhost:11434/v1"
_FORMS = (
    "expected openai:MODEL, openai:MODEL@BASE_URL, ollama:MODEL, "
    "or openai(model='...', base_url='...', ...)"
)


def as_model(source: Any) -> LanguageModel:
    """A language model from whatever may stand for one.

    Args:
        source: A ``LanguageModel``, a text form for ``parse_model``, any object with a method
            ``complete`` or ``acomplete``, or any callable, sync or async, from prompt to text.

    Raises:
        ConfigurationError: None of these.

    Example:
        >>> as_model(lambda prompt: f"You said {prompt}").complete("hello")
        'You said hello'
    """
    if isinstance(source, LanguageModel):
        return source
    if isinstance(source, str):
        return parse_model(source)
    if not isinstance(source, type):
        for method in ("acomplete", "complete"):
            function = getattr(source, method, None)
            if callable(function):
                return CallableModel(function, name=_name(source))
        if callable(source):
            return CallableModel(source)
    raise ConfigurationError(
        f"the model is {source!r:.80}, expected a LanguageModel, a callable from prompt to text, "
        "an object with complete(prompt), or a text form such as 'openai:gpt-4o-mini'"
    )


def parse_model(text: str) -> LanguageModel:
    """The model that a text form names.

    Args:
        text: ``openai:gpt-4o-mini``, with ``@`` and a URL for a service of its shape elsewhere:
            ``openai:my-model@http://localhost:8000/v1``; ``ollama:llama3.2``, with a URL if it
            runs elsewhere; or all parameters of ``OpenAIModel``:
            ``openai(model='...', base_url='...', api_key_env='GROQ_API_KEY')``.

    Raises:
        ConfigurationError: Another form, or a parameter that is not taken. A key in the text is
            refused: text forms are shown and stored.

    Example:
        >>> parse_model("ollama:llama3.2")
        OpenAIModel('llama3.2', base_url='http://localhost:11434/v1')
    """
    if not isinstance(text, str):
        raise ConfigurationError(f"a model's text form is {type(text).__name__}, {_FORMS}")
    provider, colon, rest = text.strip().partition(":")
    if colon and provider in ("openai", "ollama"):
        return _short(provider, rest)
    name, parameters = parse_spec(text, "model", hint=_FORMS)
    if name not in ("openai", "ollama"):
        raise ConfigurationError(f"unknown model {name!r}, {_FORMS}")
    if "api_key" in parameters:
        raise ConfigurationError(
            "a model's text form holds api_key, which would be shown; "
            "put it in the environment and name the variable: api_key_env='...'"
        )
    if name == "ollama":
        parameters.setdefault("base_url", _OLLAMA)
    make: Callable[..., LanguageModel] = OpenAIModel
    takes = inspect.signature(make)
    try:
        takes.bind(**parameters)
    except TypeError as error:
        raise ConfigurationError(
            f"model {text!r:.80}: {error}; {name} takes "
            f"{', '.join(each for each in takes.parameters if each != 'api_key')}"
        ) from error
    return make(**parameters)


def _short(provider: str, rest: str) -> LanguageModel:
    # A model's name may hold ":" and "@" itself.
    model, at, address = rest.partition("@http")
    url = f"http{address}" if at else _OLLAMA if provider == "ollama" else None
    return OpenAIModel(model, base_url=url)


def _name(source: Any) -> str:
    name = getattr(source, "name", None)
    return name if isinstance(name, str) and name else type(source).__name__
