"""Text: from characters to the terms that a lexical index knows."""

from plait.text.analyzer import Analysis, Analyzer, Span, Tokenizer
from plait.text.counting import TermRows
from plait.text.guess import guess_language
from plait.text.language import LANGUAGES

__all__ = ["LANGUAGES", "Analysis", "Analyzer", "Span", "TermRows", "Tokenizer", "guess_language"]
