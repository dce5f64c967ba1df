"""LanguageModel: what completes a prompt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plait.errors import ConfigurationError
from plait.execution import run_coroutine, run_in_thread

__all__ = ["LanguageModel"]


class LanguageModel:
    """Base of language models. Subclass it and write ``complete`` or ``acomplete``.

    Both take ``(prompt, *, system)`` and return the model's text, or raise: a failure is never an
    empty text. Plait's own models raise ``ModelError`` and ``ServiceError``.

    Attributes:
        name: What the model is called in traces and messages.

    Example:
        >>> class Shouting(LanguageModel):
        ...     name = "shouting"
        ...     def complete(self, prompt, *, system=None):
        ...         return prompt.upper()
        >>> Shouting().complete("why")
        'WHY'
    """

    name: str = "model"

    def complete(self, prompt: str, *, system: str | None = None) -> str:
        """The model's answer; works inside a running event loop too.

        Args:
            prompt: What the user says.
            system: What the model is told about its task beforehand.
        """
        self._check_written()
        return run_coroutine(self.acomplete(prompt, system=system))

    async def acomplete(self, prompt: str, *, system: str | None = None) -> str:
        """The model's answer, without blocking the event loop."""
        self._check_written()
        return await run_in_thread(self.complete, prompt, system=system)

    def describe(self) -> Mapping[str, Any]:
        """Every parameter that decides the answers, as JSON values, without secrets."""
        return {"type": type(self).__name__, "name": self.name}

    @property
    def only_async(self) -> bool:
        """Whether it writes ``acomplete`` alone, so that a call which is late can be cancelled."""
        return type(self).complete is LanguageModel.complete

    def _check_written(self) -> None:
        cls = type(self)
        if cls.complete is LanguageModel.complete and cls.acomplete is LanguageModel.acomplete:
            raise ConfigurationError(
                f"{cls.__name__} has neither complete nor acomplete; "
                "a language model writes one of them"
            )
