"""The embedder of a collection: given at open, or rebuilt from its stored text form when needed."""

from __future__ import annotations

from types import EllipsisType
from typing import TypeAlias

from plait.collection.stored import Space
from plait.embedders import parse_embedder
from plait.embedding import CachedEmbedder, Embedder, EmbedderIdentity, QueryCache, check_embedder
from plait.errors import ConfigurationError

__all__ = ["DEFAULT", "EmbedderLike", "Embedders", "as_embedder"]

DEFAULT = "minilm"
"""The embedder of a new collection when none is named."""

EmbedderLike: TypeAlias = Embedder | str | EllipsisType | None


def as_embedder(given: Embedder | str) -> Embedder:
    """The embedder of a text form, or the embedder itself."""
    return parse_embedder(given) if isinstance(given, str) else check_embedder(given)


class Embedders:
    """Gives the embedder of a space, and loads no model before that.

    Args:
        given: What the collection was opened with: an embedder or its text form, None for none,
            ``...`` for the stored one.
        path: The file, for messages.
    """

    def __init__(self, given: EmbedderLike, path: str) -> None:
        self._path = path
        self._none = given is None
        self._given = [] if given is None or given is ... else [as_embedder(given)]
        self._cache = QueryCache()
        self._known: dict[int, CachedEmbedder] = {}

    def check(self, space: Space | None) -> None:
        """Refuse, at open, an embedder that did not make the collection's vectors.

        Raises:
            ConfigurationError: It is another one, or it is code that must be given again.
        """
        if space is None or space.identity is None:
            if self._given:
                raise ConfigurationError(
                    f"{self._path} has no embedder and is opened with {_name(self._given[0])}; "
                    "open it with embedder=None, then kb.reembed(embedder) gives it one"
                )
        elif self._none:
            raise ConfigurationError(
                f"{self._path} was made with the embedder {space.identity.model!r} and is opened "
                "with embedder=None; leave embedder out, and search with legs=['bm25'] for no "
                "vectors"
            )
        elif not self._given:
            if space.spec is None:
                raise self._must_be_given(space.identity)
        elif space.spec is None or self._given[0].spec != space.spec:
            # Equal text forms say enough here; the identity, which may have to read the model,
            # is compared when the embedder is first used.
            self._matching(space.identity)

    def of(self, space: Space) -> CachedEmbedder:
        """The embedder of this space.

        Raises:
            ConfigurationError: There is none, since the vectors were brought along; or it is
                another one than was given, and cannot be rebuilt here.
            MissingDependencyError: The extra of the stored embedder is not installed.
        """
        if space.identity is None:
            raise ConfigurationError(
                f"{self._path} has no embedder, its chunks brought their vectors along; give it "
                "one with kb.reembed(embedder)"
            )
        known = self._known.get(space.number)
        if known is None:
            embedder = self._rebuilt(space, space.identity)
            known = self._known.setdefault(space.number, CachedEmbedder(embedder, self._cache))
        return known

    def adopt(self, embedder: Embedder) -> None:
        """Know one more embedder."""
        self._given.append(embedder)

    def _rebuilt(self, space: Space, identity: EmbedderIdentity) -> Embedder:
        if space.spec is None or any(each.spec == space.spec for each in self._given):
            return self._matching(identity)
        embedder = parse_embedder(space.spec)
        if embedder.identity != identity:
            raise ConfigurationError(
                f"{self._path} was made with the embedder {space.spec!r}, which is another one "
                f"here: {_difference(identity, embedder.identity)}. Install the version that made "
                "the vectors, or open the collection with it and reembed"
            )
        return embedder

    def _matching(self, identity: EmbedderIdentity) -> Embedder:
        for embedder in reversed(self._given):
            if embedder.identity == identity:
                return embedder
        if not self._given:
            raise self._must_be_given(identity)
        given = self._given[-1]
        raise ConfigurationError(
            f"{self._path} was made with the embedder {identity.model!r} and is opened with "
            f"{_name(given)}: {_difference(identity, given.identity)}. Vectors of two embedders do "
            "not compare: open it with the first, and kb.reembed(embedder) changes to the other"
        )

    def _must_be_given(self, identity: EmbedderIdentity) -> ConfigurationError:
        return ConfigurationError(
            f"{self._path} was made with the embedder {identity.model!r}, which is code and cannot "
            "be rebuilt from text; open it with embedder= and the same one"
        )


def _name(embedder: Embedder) -> str:
    return embedder.spec or repr(embedder.identity.model)


def _difference(stored: EmbedderIdentity, given: EmbedderIdentity) -> str:
    """The fields in which two identities differ, in words."""
    one, other = stored.to_dict(), given.to_dict()
    return ", ".join(
        f"{name} {one[name]!r} there and {other[name]!r} here"
        for name in one
        if name != "model" and one[name] != other[name]
    )
