"""Context: chunks with numbered citations inside a token budget."""

from plait.context.builder import ContextBuilder
from plait.context.citation import Citation
from plait.context.cite import Cited, Mention, cite
from plait.context.context import Context
from plait.context.estimate import estimate_tokens
from plait.context.template import Assembler, Template
from plait.context.tokens import TokenCounter, as_counter

__all__ = [
    "Assembler",
    "Citation",
    "Cited",
    "Context",
    "ContextBuilder",
    "Mention",
    "Template",
    "TokenCounter",
    "as_counter",
    "cite",
    "estimate_tokens",
]
