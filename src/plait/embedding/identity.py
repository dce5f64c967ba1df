"""EmbedderIdentity: which embedders give vectors that compare, and the key of a text's vector."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from typing import Any

from plait.errors import ConfigurationError

__all__ = ["EmbedderIdentity", "text_key"]


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """Which embedder made a vector. Equal identities: the vectors compare.

    ``model`` is for reading only and does not count in a comparison: the same weights from a
    package, a folder or the hub are the same embedder. Quantized weights are other weights.

    Attributes:
        model: Name to show.
        weights: ``sha256:`` and the hash of the files that decide the vectors (weights and
            tokenizer), or an endpoint's model and revision, or the name of a callable.
        dim: Length of the vectors, >= 1.
        pooling: How token vectors become one: ``"mean"``, ``"cls"``, ``""`` if not known.
        normalize: Whether the vectors are scaled to length 1.
        max_tokens: Tokens read of a text, the rest is cut off; None for all.
        query_prefix: Put before a query.
        passage_prefix: Put before a passage.

    Example:
        >>> here = EmbedderIdentity("MiniLM", "sha256:60c7", dim=384)
        >>> there = EmbedderIdentity("my copy of MiniLM", "sha256:60c7", dim=384)
        >>> here == there
        True
        >>> EmbedderIdentity.from_dict(here.to_dict()) == here
        True
    """

    model: str = field(compare=False)
    weights: str
    dim: int
    pooling: str = ""
    normalize: bool = True
    max_tokens: int | None = None
    query_prefix: str = ""
    passage_prefix: str = ""

    def __post_init__(self) -> None:
        for name in ("dim", "max_tokens"):
            value = getattr(self, name)
            if not (value is None and name == "max_tokens") and (
                type(value) is not int or value < 1
            ):
                raise ConfigurationError(f"an embedder's {name} is {value!r}, expected an int >= 1")
        if type(self.normalize) is not bool:
            raise ConfigurationError(f"normalize is {self.normalize!r}, expected True or False")
        for name in ("model", "weights", "pooling", "query_prefix", "passage_prefix"):
            value = getattr(self, name)
            if not isinstance(value, str) or (not value and name in ("model", "weights")):
                raise ConfigurationError(f"an embedder's {name} is {value!r}, expected a str")

    def to_dict(self) -> dict[str, Any]:
        """The identity as JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> EmbedderIdentity:
        """The identity from what ``to_dict`` gave.

        Raises:
            ConfigurationError: A field that is missing, unknown or of the wrong type.
        """
        known = {each.name for each in fields(cls)}
        if not isinstance(stored, Mapping) or set(stored) != known:
            raise ConfigurationError(
                f"the identity of an embedder is {stored!r:.200}, expected a mapping with the "
                f"fields {', '.join(sorted(known))}"
            )
        return cls(**stored)

    def as_query(self, text: str) -> str:
        """The text of a query as it is sent to the model."""
        return self.query_prefix + text

    def as_passage(self, text: str) -> str:
        """The text of a passage as it is sent to the model."""
        return self.passage_prefix + text


@lru_cache(maxsize=64)
def _identity_key(identity: EmbedderIdentity) -> bytes:
    counted = {name: value for name, value in identity.to_dict().items() if name != "model"}
    return hashlib.sha256(json.dumps(counted, sort_keys=True).encode()).digest()


def text_key(identity: EmbedderIdentity, sent: str) -> bytes:
    """The key of one embedding in a cache, 32 bytes.

    Args:
        identity: Who embeds; embedders that differ in anything that counts share no key.
        sent: The text as it is sent, prefix included: ``identity.as_passage(text)``.

    Example:
        >>> small = EmbedderIdentity("hash", "code:1", dim=64)
        >>> large = EmbedderIdentity("hash", "code:1", dim=128)
        >>> text_key(small, "cats purr") == text_key(large, "cats purr")
        False
    """
    return hashlib.sha256(_identity_key(identity) + sent.encode()).digest()
