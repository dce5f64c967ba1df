"""RagAnswer: what a language model said to a question, and what it cites."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from plait.context import Citation, Cited
from plait.pipeline.result import RagResult

__all__ = ["RagAnswer"]


@dataclass(frozen=True, slots=True)
class RagAnswer:
    """What a language model said to a question, and what it cites.

    Attributes:
        cited: The answer and what its numbers refer to.
        result: What it was given: hits, context and trace.
    """

    cited: Cited
    result: RagResult

    @property
    def text(self) -> str:
        """The answer; empty if nothing was found, for then the model is not asked."""
        return self.cited.answer

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The citations that the answer uses, in the order of their first use."""
        return self.cited.citations

    @property
    def unknown(self) -> tuple[int, ...]:
        """Numbers that the answer cites and the context does not have."""
        return self.cited.unknown

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON values: that of the result, with ``answer`` beside it."""
        return {
            **self.result.to_dict(),
            "answer": {
                "text": self.text,
                "cited": [citation.number for citation in self.citations],
                "unknown": list(self.unknown),
            },
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """``to_dict`` as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent, allow_nan=False)
