"""OpenAIModel: a model behind an HTTP service of the shape of OpenAI's ``/chat/completions``."""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from plait.errors import ConfigurationError, ModelError, ServiceError
from plait.http import HttpService
from plait.models.answer import checked_answer
from plait.models.model import LanguageModel

__all__ = ["OpenAIModel"]

_log = logging.getLogger("plait")

_OPENAI = "https://api.openai.com/v1"
_KEY = "OPENAI_API_KEY"
_URL = "OPENAI_BASE_URL"
_OURS = ("messages", "model", "n", "stream")
_NO_KEY = (
    f"no key was sent, since {_KEY} is meant for OpenAI and for {_URL} only: set {_URL} instead of "
    "base_url, or name another variable with api_key_env"
)


class OpenAIModel(LanguageModel):
    """A model of OpenAI, or of any service that speaks its ``/chat/completions``.

    Such are Ollama, vLLM, llama.cpp, LM Studio, Mistral, Groq, OpenRouter and many more. A refusal,
    a filtered or an empty answer is a ``ModelError``. An answer that ``max_tokens`` cut short is
    returned, with a warning in the log ``plait``.

    Args:
        model: The model's name there, such as ``"gpt-4o-mini"``.
        base_url: Where the service is, up to and without ``/chat/completions``. None takes the
            environment's ``OPENAI_BASE_URL``, else OpenAI's own.
        api_key: The key. None takes the environment's ``OPENAI_API_KEY``, and only when
            ``base_url`` is None too: a key is not sent to a place it was not meant for.
        api_key_env: Another variable of the environment that holds the key, for any ``base_url``.
        temperature: 0 gives the likeliest answer; None leaves it to the service, as some
            reasoning models demand.
        max_tokens: Longest answer, >= 1; None leaves it to the service.
        extra: More fields of the request, such as ``{"max_completion_tokens": 500}``.
        headers: More headers.
        timeout: Seconds for a call with its retries, > 0.
        retries: How often a transient failure is tried again, >= 0.

    Raises:
        ConfigurationError: A bad parameter, or OpenAI's own service without a key.
        MissingDependencyError: httpx is not installed.

    Example:
        >>> model = OpenAIModel("llama3.2", base_url="http://localhost:11434/v1")
        >>> model
        OpenAIModel('llama3.2', base_url='http://localhost:11434/v1')
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        api_key_env: str | None = None,
        temperature: float | None = 0.0,
        max_tokens: int | None = None,
        extra: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = 60.0,
        retries: int = 2,
    ) -> None:
        if not isinstance(model, str) or not model.strip():
            raise ConfigurationError(
                f"model is {model!r}, expected the name of a model, such as 'gpt-4o-mini'"
            )
        self.name = model
        self._settings = _settings(temperature, max_tokens, extra or {})
        where = os.environ.get(_URL) or _OPENAI if base_url is None else base_url
        key = _key(api_key, api_key_env or (_KEY if base_url is None else None))
        if key is None and where == _OPENAI:
            raise ConfigurationError(
                f"OpenAI's service needs a key: set {_KEY} in the environment or give api_key=; "
                f"for another service give its base_url= or set {_URL}"
            )
        authorization = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._keyless = key is None and not headers
        self._service = HttpService(
            where,
            name=f"model {model}",
            headers={**authorization, **(headers or {})},
            timeout=timeout,
            retries=retries,
        )

    async def acomplete(self, prompt: str, *, system: str | None = None) -> str:
        """The model's answer.

        Raises:
            ModelError: It refused, or answered with no text.
            ServiceError: The service failed, or its answer has another shape.
        """
        messages = [{"role": "user", "content": prompt}]
        if system:
            messages.insert(0, {"role": "system", "content": system})
        payload = {"model": self.name, "messages": messages, **self._settings}
        try:
            answer = await self._service.apost("chat/completions", payload)
        except ServiceError as error:
            if error.status != HTTPStatus.UNAUTHORIZED or not self._keyless:
                raise
            told = f"{error}; {_NO_KEY}"
            raise ServiceError(told, error.service, error.status) from error.__cause__
        return self._text(answer)

    def describe(self) -> Mapping[str, Any]:
        """Every parameter, as JSON values, without the key."""
        service = self._service.describe()
        return {
            "type": "openai",
            "name": self.name,
            **self._settings,
            **{key: service[key] for key in ("base_url", "timeout", "retries")},
        }

    def __repr__(self) -> str:
        return f"OpenAIModel({self.name!r}, base_url={self._service.base_url!r})"

    def _text(self, answer: Any) -> str:
        try:
            choice = answer["choices"][0]
            message = choice["message"]
            text = _joined(message.get("content"))
            refusal = message.get("refusal")
            reason = choice.get("finish_reason")
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            raise self._service.unexpected(answer, "choices[0].message.content") from error
        if refusal or reason == "content_filter":
            said = f": {refusal!s:.300}" if refusal else ": its answer was filtered"
            raise ModelError(f"model {self.name!r} refused{said}")
        if reason == "length":
            _log.warning("model %s: the answer was cut short; see max_tokens", self.name)
        return checked_answer(text, self.name)


def _joined(content: Any) -> str:
    """The text of a message: text itself, parts of which some are text, or None."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part.get("type") == "text")


def _settings(
    temperature: float | None, max_tokens: int | None, extra: Mapping[str, Any]
) -> dict[str, Any]:
    """The fields of the request that are the same for every prompt."""
    if temperature is not None and not (
        type(temperature) in (int, float) and 0 <= temperature < math.inf
    ):
        raise ConfigurationError(f"temperature is {temperature!r}, expected a number >= 0 or None")
    if max_tokens is not None and (type(max_tokens) is not int or max_tokens < 1):
        raise ConfigurationError(f"max_tokens is {max_tokens!r}, expected an int >= 1 or None")
    taken = sorted(set(_OURS) & set(extra))
    if taken:
        raise ConfigurationError(f"extra holds {', '.join(taken)}, which plait sets itself")
    given = {"temperature": temperature, "max_tokens": max_tokens}
    return {**{key: value for key, value in given.items() if value is not None}, **extra}


def _key(api_key: str | None, variable: str | None) -> str | None:
    if api_key is not None:
        if not isinstance(api_key, str) or not api_key.strip():
            raise ConfigurationError(
                "api_key is blank or not a str; leave it out for a service without keys"
            )
        return api_key.strip()  # a key read from a file has its line end
    found = os.environ.get(variable, "").strip() if variable else ""
    if not found and variable and variable != _KEY:
        raise ConfigurationError(f"the environment has no {variable}, which api_key_env names")
    return found or None
