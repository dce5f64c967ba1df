"""HttpReranker: a reranking service of the shape of Cohere's, Jina's or TEI's."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plait.errors import ConfigurationError
from plait.http import HttpService
from plait.rerankers.reranker import PassageText, TextReranker
from plait.rerankers.reranking import Reranking, to_reranking
from plait.types import Chunk

__all__ = ["HttpReranker", "RerankApi"]

_COHERE = "https://api.cohere.com"
_JINA = "https://api.jina.ai"


@dataclass(frozen=True, slots=True)
class RerankApi:
    """The shape of a service's requests and answers.

    Attributes:
        name: What it is called.
        path: Put after the base URL.
        passages: Name of the field that holds the passages.
        score: Name of the field that holds a result's score; ``index`` is the other.
        results: Name of the field that holds the results, None if the answer is their list.
        fields: More fields of each request.
    """

    name: str
    path: str
    passages: str = "documents"
    score: str = "relevance_score"
    results: str | None = "results"
    fields: Mapping[str, Any] = field(default_factory=dict)


class HttpReranker(TextReranker):
    """A reranking service: ``HttpReranker.cohere(...)``, ``.jina(...)``, ``.tei(...)``.

    The order of a service's answer is final, and it may be about a part of the passages. Blank
    passages are not sent, since services refuse them, and stay unscored. More passages than
    ``batch_size`` are sent as several requests at once, whose results are put together by score.

    Args:
        api: The shape of its requests and answers.
        base_url: Where it is, without the API's path.
        model: Name of the model, None for a service that has one.
        api_key: Sent as ``Authorization: Bearer``; None for none. Shown nowhere.
        batch_size: Most passages in one request, >= 1; None for any number.
        timeout: Seconds for a request with its retries, > 0.
        retries: How often a transient failure is tried again, >= 0.
        text: The passage of a chunk; None for ``Chunk.index_text``.
        name: What results and errors call it; None for the API's name and the model.

    Raises:
        ConfigurationError: A bad parameter.
        MissingDependencyError: httpx is not installed.

    Example:
        >>> HttpReranker.tei("http://localhost:8080").name
        'tei'
    """

    def __init__(
        self,
        api: RerankApi,
        base_url: str,
        *,
        model: str | None = None,
        api_key: str | None = None,
        batch_size: int | None = None,
        timeout: float = 10.0,
        retries: int = 2,
        text: PassageText | None = None,
        name: str | None = None,
    ) -> None:
        if not isinstance(api, RerankApi):
            raise ConfigurationError(
                f"api is {api!r:.60}, expected a RerankApi; there are HttpReranker.cohere, "
                ".jina and .tei"
            )
        if model is not None and (not isinstance(model, str) or not model.strip()):
            raise ConfigurationError(f"model is {model!r:.60}, expected the name of a model")
        if batch_size is not None and (type(batch_size) is not int or batch_size < 1):
            raise ConfigurationError(f"batch_size is {batch_size!r}, expected an int >= 1, or None")
        if api_key is not None and (not isinstance(api_key, str) or not api_key.strip()):
            raise ConfigurationError("api_key is blank or not a str; leave it out for no key")
        super().__init__(name or (api.name if model is None else f"{api.name}:{model}"), text=text)
        self.api = api
        self.model = model
        self.batch_size = batch_size
        self._service = HttpService(
            base_url,
            name=f"reranker {self.name}",
            headers={} if api_key is None else {"Authorization": f"Bearer {api_key.strip()}"},
            timeout=timeout,
            retries=retries,
        )

    @classmethod
    def cohere(
        cls,
        model: str = "rerank-v3.5",
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        **options: Any,
    ) -> HttpReranker:
        """Cohere's rerank API, version 2, or a service of its shape.

        Args:
            model: Name of the model.
            api_key: The key; None takes the environment's ``CO_API_KEY`` or ``COHERE_API_KEY``,
                but not for another ``base_url``: a key is not sent to a place it was not meant for.
            base_url: Where it is, without ``/v2/rerank``; None for Cohere's own.
            options: As ``HttpReranker`` takes them.

        Raises:
            ConfigurationError: Cohere's own service without a key, or a bad parameter.
        """
        if base_url is None:
            api_key = _key(api_key, _COHERE, "CO_API_KEY", "COHERE_API_KEY")
        api = RerankApi("cohere", "v2/rerank")
        return cls(api, base_url or _COHERE, model=model, api_key=api_key, **options)

    @classmethod
    def jina(
        cls,
        model: str = "jina-reranker-v2-base-multilingual",
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        **options: Any,
    ) -> HttpReranker:
        """Jina's rerank API, or a service of its shape, such as vLLM, Infinity or llama.cpp.

        Args:
            model: Name of the model.
            api_key: The key; None takes the environment's ``JINA_API_KEY``, but not for another
                ``base_url``: a key is not sent to a place it was not meant for.
            base_url: Where it is, without ``/v1/rerank``; None for Jina's own.
            options: As ``HttpReranker`` takes them.

        Raises:
            ConfigurationError: Jina's own service without a key, or a bad parameter.
        """
        if base_url is None:
            api_key = _key(api_key, _JINA, "JINA_API_KEY")
        api = RerankApi("jina", "v1/rerank", fields={"return_documents": False})
        return cls(api, base_url or _JINA, model=model, api_key=api_key, **options)

    @classmethod
    def tei(
        cls,
        base_url: str,
        *,
        api_key: str | None = None,
        raw_scores: bool = False,
        batch_size: int | None = 32,
        **options: Any,
    ) -> HttpReranker:
        """A server of Text Embeddings Inference with a reranking model.

        Args:
            base_url: Where it is, without ``/rerank``.
            api_key: The key, if it wants one.
            raw_scores: The model's raw output instead of a score from 0 to 1.
            batch_size: Most passages in one request; the server refuses more than its
                ``--max-client-batch-size``, 32 unless set.
            options: As ``HttpReranker`` takes them.
        """
        fields = {"raw_scores": raw_scores, "return_text": False, "truncate": True}
        api = RerankApi(
            "tei", "rerank", passages="texts", score="score", results=None, fields=fields
        )
        return cls(api, base_url, api_key=api_key, batch_size=batch_size, **options)

    async def arerank(self, query: str, chunks: Sequence[Chunk]) -> Reranking:
        """The service's order of the chunks, in full or in part.

        Raises:
            ServiceError: The service failed, or its answer has another shape.
            ContractError: It names a passage it was not sent, or one twice, or a score is none.
        """
        passages = self.passages(chunks)
        sent = [position for position, passage in enumerate(passages) if passage.strip()]
        size = self.batch_size or max(1, len(sent))
        batches = [sent[start : start + size] for start in range(0, len(sent), size)]
        answers = await self._ask_all(
            query, [[passages[row] for row in batch] for batch in batches]
        )
        results = []
        for batch, answer in zip(batches, answers, strict=True):
            ranked = to_reranking(answer, [chunks[row] for row in batch], self.name)
            results += [
                (batch[row], score) for row, score in zip(ranked.order, ranked.scores, strict=True)
            ]
        if len(batches) > 1:
            results.sort(key=_by_score)
        order, scores = zip(*results, strict=True) if results else ((), ())
        return Reranking(order, scores, self.name)

    def describe(self) -> Mapping[str, Any]:
        """API, model, URL and request fields, without the key."""
        service = self._service.describe()
        return {
            **super().describe(),
            "api": self.api.name,
            "model": self.model,
            "batch_size": self.batch_size,
            **self.api.fields,
            **{key: service[key] for key in ("base_url", "timeout", "retries")},
        }

    async def _ask_all(
        self, query: str, batches: Sequence[list[str]]
    ) -> list[list[tuple[int, Any]]]:
        """The results of all requests, which run at once; the first failure ends the others."""
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._ask(query, batch)) for batch in batches]
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from failed
        return [task.result() for task in tasks]

    async def _ask(self, query: str, passages: list[str]) -> list[tuple[int, Any]]:
        """The results of one request as (index, score) pairs."""
        payload = {"query": query, self.api.passages: passages, **self.api.fields}
        if self.model is not None:
            payload["model"] = self.model
        answer = await self._service.apost(self.api.path, payload)
        try:
            results = answer if self.api.results is None else answer[self.api.results]
            if not isinstance(results, list):
                raise TypeError("not a list")
            return [(result["index"], result[self.api.score]) for result in results]
        except (IndexError, KeyError, TypeError) as error:
            inside = f"{self.api.results}: " if self.api.results else ""
            raise self._service.unexpected(
                answer, f"{inside}a list of objects with index and {self.api.score}"
            ) from error


def _by_score(result: tuple[int, float | None]) -> tuple[bool, float, int]:
    position, score = result
    return score is None, -(score or 0.0), position


def _key(api_key: str | None, service: str, *variables: str) -> str:
    """The key that was given, or else the environment's."""
    found = (os.environ.get(name, "").strip() for name in variables)
    key = next(filter(None, found), None) if api_key is None else api_key
    if key is None:
        raise ConfigurationError(
            f"{service} needs a key: set {variables[0]} in the environment or give api_key=; for "
            "a service of your own give its base_url="
        )
    return key
