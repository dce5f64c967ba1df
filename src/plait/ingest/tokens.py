"""How many tokens a text has, for want of the embedder's own count."""

from __future__ import annotations

import re

__all__ = ["estimate_tokens"]

# Scripts written without spaces, and signs beyond the basic plane: one token a character.
_SINGLE = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\ua000-\ua4cf\uac00-\ud7af\uf900-\ufaff"
    r"\U0001f000-\U0003ffff"
)
_TOKEN = re.compile(rf"[{_SINGLE}]|[^\W{_SINGLE}]{{1,6}}|[^\w\s]")


def estimate_tokens(text: str) -> int:
    """An estimate of the number of tokens, without a tokenizer; never decreases as text is added.

    Counts each Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese character, each begun
    six letters or digits of a word, and each sign.
    """
    return len(_TOKEN.findall(text))
