"""Parts: what a service does beside retrieval, settled and checked, and the stages it makes."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from plait.context import ContextBuilder
from plait.errors import ConfigurationError
from plait.hybrid import HybridRetriever
from plait.models import LanguageModel, as_model
from plait.pipeline.prompt import AnswerPrompt
from plait.pipeline.refining import Assembling, Cutting, Diversifying, Joining, Top
from plait.pipeline.sources import documents_of, vectors_of
from plait.pipeline.state import Stage
from plait.pipeline.waiting import Answering, Expanding, Planning, Reranking, Retrieving
from plait.planning import NoPlanner, Planner, as_planner
from plait.refining import (
    Diversity,
    Expansion,
    Fetch,
    Grouping,
    Threshold,
    check_thresholds,
    parse_diversity,
    parse_expansion,
)
from plait.rerankers import NoReranker, Reranker, as_reranker

__all__ = ["Parts", "settle_parts"]


@dataclass(frozen=True, slots=True)
class Parts:
    """What a service is made of; see ``Rag``. Made by ``settle_parts``."""

    retriever: HybridRetriever
    planner: Planner
    planner_timeout: float | None
    reranker: Reranker
    rerank_k: int
    reranker_timeout: float | None
    thresholds: tuple[Threshold, ...]
    group: Grouping | None
    diversity: Diversity | None
    expansion: Expansion | None
    documents: Fetch | None
    context: ContextBuilder
    model: LanguageModel | None
    model_timeout: float | None
    prompt: AnswerPrompt

    @property
    def plans(self) -> bool:
        """Whether there is a planner."""
        return not isinstance(self.planner, NoPlanner)

    @property
    def reranks(self) -> bool:
        """Whether there is a reranker."""
        return not isinstance(self.reranker, NoReranker)

    @property
    def reorders(self) -> bool:
        """Whether the order of the hits need not be that of their scores."""
        return self.reranks or self.diversity is not None or self.group is not None

    def ranking(self) -> tuple[Stage, ...]:
        """The stages from the question to the hits of the result."""
        early = [each for each in self.thresholds if each.stage == "fusion"]
        late = [each for each in self.thresholds if each.stage == "rerank"]
        planning = self.plans and Planning(self.planner, self.retriever, self.planner_timeout)
        reranking = self.reranks and Reranking(self.reranker, self.rerank_k, self.reranker_timeout)
        stages = (
            planning,
            Retrieving(self.retriever),
            early and Cutting(early, after_reranking=False),
            reranking,
            late and Cutting(late, after_reranking=True),
            self.group and Joining(self.group),
            self.diversity and Diversifying(self.diversity, vectors_of(self.retriever)),
            Top(),
        )
        return tuple(stage for stage in stages if stage)

    def assembling(self) -> tuple[Stage, ...]:
        """The stages from the hits of the result to its context."""
        assembling = Assembling(self.context)
        if self.expansion is None or self.documents is None:
            return (assembling,)
        return (Expanding(self.expansion, self.documents), assembling)

    def answering(self) -> tuple[Stage, ...]:
        """The stage from the context to an answer, if there is a model."""
        if self.model is None:
            return ()
        return (Answering(self.model, self.prompt, self.model_timeout),)

    def needed(self, fetch_k: int | None) -> int:
        """How many hits the stages behind retrieval look at, whatever ``top_k``.

        Args:
            fetch_k: Candidates asked of each leg, None for the retriever's window.
        """
        cuts = any(threshold.stage == "fusion" for threshold in self.thresholds)
        whole = cuts or self.group is not None or self.diversity is not None
        if not (whole or self.reranks):
            return 0
        # Never more than the window: a larger one would be another pool, in another order.
        window = fetch_k or self.retriever.fusing().window
        return window if whole else min(self.rerank_k, window)

    def check_thresholds(self, fetch_k: int | None) -> tuple[str, ...]:
        """Refuse thresholds that can never pass; what a reader of the others should know.

        Raises:
            ConfigurationError: See ``plait.refining.check_thresholds``.
        """
        hybrid = self.retriever
        fusing = hybrid.fusing()
        return check_thresholds(
            self.thresholds,
            fusion=fusing.fusion,
            weights=fusing.weights,
            shares=self.planner.shares if self.plans else (1.0,),
            fetch_k=fetch_k or fusing.window,
            ranges={
                str(leg.name): leg.score_range or leg.retriever.score_range for leg in hybrid.legs
            },
            reranked=self.reranks,
        )

    def describe(self) -> Mapping[str, Any]:
        """Every parameter that decides the answers, as JSON values, without secrets."""
        return {
            "retriever": self.retriever.describe(),
            "planner": self.planner.describe() if self.plans else None,
            "planner_timeout": self.planner_timeout,
            "reranker": self.reranker.describe() if self.reranks else None,
            "rerank_k": self.rerank_k,
            "reranker_timeout": self.reranker_timeout,
            "thresholds": [str(threshold) for threshold in self.thresholds],
            "group": _text_form(self.group),
            "diversity": _text_form(self.diversity),
            "expand": _text_form(self.expansion),
            "context": self.context.describe(),
            "model": None if self.model is None else self.model.describe(),
            "model_timeout": self.model_timeout,
            "prompt": self.prompt.system,
        }


def settle_parts(
    retriever: HybridRetriever,
    *,
    planner: Any,
    planner_timeout: float | None,
    reranker: Any,
    rerank_k: int,
    reranker_timeout: float | None,
    thresholds: Any,
    group: Grouping | str | None,
    diversity: Any,
    expand: Any,
    documents: Fetch | None,
    context: Any,
    model: Any,
    model_timeout: float | None,
    prompt: Any,
) -> Parts:
    """Parts from what ``Rag`` takes for them.

    Raises:
        ConfigurationError: A bad value, or parts that do not fit each other.
    """
    if context is not None and not isinstance(context, ContextBuilder):
        raise ConfigurationError(f"context is {context!r:.80}, expected a ContextBuilder")
    if group is not None and diversity is not None:
        raise ConfigurationError("group and diversity are both given; choose one of them")
    if documents is not None and expand is None:
        raise ConfigurationError("documents is for expand, which is not given")
    if inspect.iscoroutinefunction(documents):
        raise ConfigurationError("documents is an async function, expected one that is not")
    if documents is None and expand is not None:
        documents = documents_of(retriever)
    answering = None if model is None else as_model(model)
    return Parts(
        retriever=retriever,
        planner=as_planner(planner, model=answering),
        planner_timeout=planner_timeout,
        reranker=as_reranker(reranker),
        rerank_k=rerank_k,
        reranker_timeout=reranker_timeout,
        thresholds=_thresholds(thresholds),
        group=None if group is None else Grouping.parse(group),
        diversity=_diversity(diversity),
        expansion=None if expand is None else parse_expansion(expand),
        documents=documents,
        context=ContextBuilder() if context is None else context,
        model=answering,
        model_timeout=model_timeout,
        prompt=_prompt(prompt),
    )


def _thresholds(given: Any) -> tuple[Threshold, ...]:
    several = (given,) if isinstance(given, Threshold | str) else given
    if not isinstance(several, list | tuple):
        raise ConfigurationError(
            f"thresholds is {given!r:.80}, expected a list of them, such as ['rerank>=0.5']"
        )
    return tuple(map(Threshold.parse, several))


def _diversity(given: Any) -> Diversity | None:
    if isinstance(given, str):
        return parse_diversity(given)
    if given is not None and (isinstance(given, type) or not callable(given)):
        raise ConfigurationError(
            f"diversity is {given!r:.80}, expected one such as 'mmr', or a function of hits"
        )
    diversity: Diversity | None = given
    return diversity


def _prompt(given: Any) -> AnswerPrompt:
    if isinstance(given, AnswerPrompt):
        return given
    return AnswerPrompt() if given is None else AnswerPrompt(given)


def _text_form(part: Any) -> str | None:
    if part is None:
        return None
    return str(getattr(part, "__name__", None) or part)
