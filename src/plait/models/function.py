"""CallableModel: any function from a prompt to text, seen as a language model."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from plait.errors import ConfigurationError, ModelError, PlaitError
from plait.execution import run_in_thread
from plait.models.answer import checked_answer
from plait.models.model import LanguageModel

__all__ = ["CallableModel"]


class CallableModel(LanguageModel):
    """Any callable, sync or async, that takes a prompt and returns text.

    It is given ``system`` if it has a parameter of that name, else the system's text comes before
    the prompt. What it raises becomes a ``ModelError``, transient if its ``.transient`` is true; so
    does an answer that is not text, or blank. A sync one runs in a thread.

    Args:
        function: The callable.
        name: What it is called; None takes the function's own name.

    Raises:
        ConfigurationError: Not callable, a class, or it cannot be given a prompt.

    Example:
        >>> CallableModel(lambda prompt: prompt[::-1], name="mirror").complete("abc")
        'cba'
    """

    def __init__(self, function: Callable[..., Any], *, name: str | None = None) -> None:
        if not callable(function):
            raise ConfigurationError(
                f"the model is {type(function).__name__}, expected a callable from prompt to text"
            )
        if isinstance(function, type):
            raise ConfigurationError(
                f"the model is the class {function.__name__}; give an instance: "
                f"{function.__name__}(...)"
            )
        self._function = function
        self._takes_system = _takes_system(function)
        call = getattr(function, "__call__", None)  # noqa: B004 (an object's async __call__)
        self._is_async = any(map(inspect.iscoroutinefunction, (function, call)))
        own = getattr(function, "__name__", type(function).__name__)
        self.name = name or ("model" if own == "<lambda>" else own)

    async def acomplete(self, prompt: str, *, system: str | None = None) -> str:
        """What the callable answers."""
        options = {}
        if self._takes_system:
            options["system"] = system
        elif system:
            prompt = f"{system}\n\n{prompt}"
        try:
            if self._is_async:
                answer = await self._function(prompt, **options)
            else:
                answer = await run_in_thread(self._call, prompt, options)
                if inspect.isawaitable(answer):  # a lambda around an async function
                    answer = await answer
        except PlaitError:
            raise
        except Exception as error:
            raise ModelError(
                f"model {self.name!r} raised {type(error).__name__}: {error!s:.300}",
                transient=bool(getattr(error, "transient", False)),
            ) from error
        return checked_answer(answer, self.name)

    def _call(self, prompt: str, options: Mapping[str, Any]) -> Any:
        # A method, so that it runs in this model's threads: hung calls hold up no one else's.
        return self._function(prompt, **options)

    def describe(self) -> Mapping[str, Any]:
        """The callable's name."""
        return {"type": "callable", "name": self.name}

    def __repr__(self) -> str:
        return f"CallableModel(name={self.name!r})"


def _takes_system(function: Callable[..., Any]) -> bool:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some built-in callables have none
        return False
    takes = "system" in signature.parameters
    try:
        signature.bind("prompt", **({"system": "task"} if takes else {}))
    except TypeError as error:
        raise ConfigurationError(
            f"the model {function!r:.80} cannot be called with a prompt: {error}"
        ) from error
    return takes
