"""Text: from characters to the terms that a lexical index knows."""

from plait.text.analyzer import Analysis, Analyzer, Span, Tokenizer
from plait.text.language import LANGUAGES, guess_language

__all__ = ["LANGUAGES", "Analysis", "Analyzer", "Span", "Tokenizer", "guess_language"]
