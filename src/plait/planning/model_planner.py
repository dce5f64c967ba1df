"""ModelPlanner: ask a language model once, read its answer, and fall back to the question."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, cast

from plait.errors import ConfigurationError
from plait.execution.runner import USAGE_ERRORS
from plait.models import LanguageModel, as_model, checked_answer
from plait.planning.history import HistoryLike, as_history
from plait.planning.planner import Planned, Planner
from plait.planning.prompts import Prompt
from plait.planning.reading import read_texts
from plait.planning.variants import usable_texts
from plait.printable import printable
from plait.spec import format_spec
from plait.types import Query, QueryLike, Variant

__all__ = ["ModelPlanner"]

_log = logging.getLogger("plait")

_LONGEST_QUERY = 500  # characters; longer than any query that helps a search, shorter than an essay
_EXCERPT = 120
_LONGEST_REASON = 400


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ModelPlanner(Planner):
    """Base of planners that ask a language model for texts to search beside the question.

    The question is always a variant. If the model fails, takes longer than ``timeout``, or writes
    nothing usable, it is the only one, ``fell_back`` is true, a note says why, and so does a
    warning in the log ``plait``. A model that only repeats the question has not failed.

    Weights: a text that stands for the question itself (``Rewrite``) weighs as much as it, 1.
    Others weigh half: then no single one of them, being off the point, outweighs what the
    question itself finds, and two that agree equal it.

    Args:
        model: A language model, or what ``plait.models.as_model`` makes one of.
        prompt: What the model is asked, instead of plait's own; text is read as a ``Prompt``.
        weight: Weight of each variant beside the question, > 0.
        original_weight: Weight of the question itself, > 0.
        timeout: Seconds to wait for the model, > 0; None waits as long as the model does.

    Raises:
        ConfigurationError: No model, or a bad parameter.
    """

    name: ClassVar[str] = "model"
    default_prompt: ClassVar[Prompt]
    longest: ClassVar[int] = _LONGEST_QUERY

    model: Any = field(kw_only=False)
    prompt: Prompt | str | None = None
    weight: float = 0.5
    original_weight: float = 1.0
    timeout: float | None = 30.0

    def __post_init__(self) -> None:
        if self.model is None:
            raise ConfigurationError(
                f"planner {self.name} has no model; give a function from prompt to text, "
                "or a text form such as 'openai:gpt-4o-mini'"
            )
        prompt = self.default_prompt if self.prompt is None else self.prompt
        if isinstance(prompt, str):
            prompt = Prompt(prompt)
        if not isinstance(prompt, Prompt):
            raise ConfigurationError(
                f"prompt of {self.name} is {type(prompt).__name__}, expected str or Prompt"
            )
        object.__setattr__(self, "model", as_model(self.model))
        object.__setattr__(self, "prompt", prompt)
        for what in ("weight", "original_weight", "timeout"):
            number = getattr(self, what)
            if not (what == "timeout" and number is None):
                _check_positive(number, f"{what} of {self.name}")

    @property
    def most(self) -> int:
        """How many texts are asked for."""
        return 1

    @property
    def shares(self) -> tuple[float, ...]:
        """Weights of the question and of as many variants as it may have."""
        return (self.original_weight, *[self.weight] * self.most)

    async def aplan(
        self, query: QueryLike, history: HistoryLike = (), *, timeout: float | None = None
    ) -> Planned:
        """The question, and what the model makes of it; see ``Planner.plan``."""
        asked = Query.of(query)
        turns = as_history(history)
        seconds = min((each for each in (timeout, self.timeout) if each is not None), default=None)
        if asked.text is None:
            return self._fallback(asked, "the query has no text", calls=0)
        if seconds is not None and seconds <= 0:
            return self._fallback(asked, "no time was left to ask the model", calls=0)
        prompt, model = cast("Prompt", self.prompt), cast("LanguageModel", self.model)
        filled = prompt.filled(asked.text, turns, self.most)
        limit = asyncio.timeout(seconds)
        try:
            async with limit:
                answer = await model.acomplete(filled, system=prompt.system or None)
            text = checked_answer(answer, model.name)
        except USAGE_ERRORS:
            raise
        except Exception as error:  # noqa: BLE001 (told in a note and in the log)
            if limit.expired():
                return self._fallback(asked, f"the model gave no answer within {seconds:g} s")
            return self._fallback(asked, f"the model failed: {type(error).__name__}: {error}")
        return self._plan(asked, text)

    def describe(self) -> Mapping[str, Any]:
        """Every parameter, as JSON values."""
        prompt = cast("Prompt", self.prompt)
        return {
            "type": self.name,
            **self._parameters(),
            "prompt": {"text": prompt.text, "system": prompt.system},
            "model": dict(self.model.describe()),
        }

    @property
    def spec(self) -> str:
        """The text form: the parameters that are not the default, without model and prompt."""
        defaults = {each.name: each.default for each in fields(self)}
        changed = {k: v for k, v in self._parameters().items() if v != defaults[k]}
        return format_spec(self.name, **changed)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model!r}, spec={self.spec!r})"

    def _parameters(self) -> dict[str, Any]:
        names = (each.name for each in fields(self) if each.default is not MISSING)
        return {name: getattr(self, name) for name in names if name != "prompt"}

    def _read(self, answer: str) -> Iterable[str]:
        """The texts of an answer."""
        return read_texts(answer, listed=False)[:1]

    def _variants(self, texts: tuple[str, ...]) -> Iterable[Variant]:
        """A variant for each usable text."""
        return (Variant(Query(text), self.weight, self.name) for text in texts)

    def _beside(self, original: Variant, others: tuple[Variant, ...]) -> tuple[Variant, ...]:
        """What is searched: the question and its variants."""
        return (original, *others)

    def _plan(self, asked: Query, answer: str) -> Planned:
        texts = self._read(answer)
        found = usable_texts(texts, asked.text or "", longest=self.longest, most=self.most)
        left_out = f"left out {', '.join(found.dropped)}" if found.dropped else ""
        if found.texts:
            notes = (f"{self.name}: {left_out}",) if left_out else ()
            others = tuple(self._variants(found.texts))
            return Planned(self._beside(self._original(asked), others), notes, calls=1)
        if found.repeats:
            note = "; ".join(filter(None, ("the model repeats the question", left_out)))
            return Planned((self._original(asked),), (f"{self.name}: {note}",), calls=1)
        wrote = f"the model wrote nothing usable: {printable(answer)[:_EXCERPT]!r}"
        return self._fallback(asked, "; ".join(filter(None, (wrote, left_out))))

    def _original(self, asked: Query) -> Variant:
        return Variant(asked, self.original_weight)

    def _fallback(self, asked: Query, reason: str, calls: int = 1) -> Planned:
        said = printable(reason)[:_LONGEST_REASON]
        note = f"{self.name}: {said}; the question is searched as it is"
        _log.warning("%s", note)
        return Planned((self._original(asked),), (note,), fell_back=True, calls=calls)


def _check_positive(number: Any, what: str) -> None:
    known = isinstance(number, int | float) and not isinstance(number, bool)
    if not known or not 0 < number < math.inf:
        raise ConfigurationError(f"{what} is {number!r}, expected a finite number > 0")
