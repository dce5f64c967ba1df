"""What a run was asked to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Options:
    """The arguments of a run that its sections look at.

    Attributes:
        documents: Sizes of the seeded corpus, None for those of the section.
        data: Folder of real collections, None for none.
        collections: Which of them.
        vectors: Folder of real vectors, None: no section that needs any.
        model: Whose vectors.
    """

    documents: tuple[int, ...] | None
    data: Path | None
    collections: tuple[str, ...]
    vectors: Path | None
    model: str

    def sizes(self, default: Sequence[int]) -> Sequence[int]:
        """How large the seeded corpora are."""
        return default if self.documents is None else self.documents
