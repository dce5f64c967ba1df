"""Language models: what completes a prompt, for planning, reranking and answering.

``model`` is what all have in common, ``function`` makes one of any callable, ``openai`` speaks to a
service, ``parse`` reads text forms.
"""

from plait.models.answer import checked_answer, without_reasoning
from plait.models.function import CallableModel
from plait.models.model import LanguageModel
from plait.models.openai import OpenAIModel
from plait.models.parse import as_model, parse_model

__all__ = [
    "CallableModel",
    "LanguageModel",
    "OpenAIModel",
    "as_model",
    "checked_answer",
    "parse_model",
    "without_reasoning",
]
