"""Message: one turn of the conversation before the question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from plait.errors import QueryError

__all__ = ["HistoryLike", "Message", "as_history"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation.

    Args:
        role: Who speaks, such as ``"user"`` or ``"assistant"``.
        text: What is said.

    Raises:
        QueryError: Not text, or no role.
    """

    role: str
    text: str

    def __post_init__(self) -> None:
        if not isinstance(self.role, str) or not self.role.strip():
            raise QueryError(f"Message.role is {self.role!r:.80}, expected 'user' or 'assistant'")
        if not isinstance(self.text, str):
            raise QueryError(f"Message.text is {type(self.text).__name__}, expected str")

    @classmethod
    def of(cls, turn: Any) -> Message:
        """A message from a ``(role, text)`` pair or ``{"role": ..., "content": ...}``.

        Example:
            >>> Message.of(("user", "is it down?"))
            Message(role='user', text='is it down?')
        """
        if isinstance(turn, Message):
            return turn
        if isinstance(turn, Mapping) and {"role", "content"} <= turn.keys():
            return cls(turn["role"], turn["content"])
        if isinstance(turn, tuple | list) and len(turn) == 2:
            return cls(turn[0], turn[1])
        raise QueryError(
            f"a turn of the history is {turn!r:.80}, "
            "expected (role, text), {'role': ..., 'content': ...} or a Message"
        )


HistoryLike: TypeAlias = Iterable[Message | tuple[str, str] | Mapping[str, Any]] | None


def as_history(history: HistoryLike) -> tuple[Message, ...]:
    """The turns of a conversation, oldest first, without blank ones.

    Raises:
        QueryError: Not turns.

    Example:
        >>> as_history([("user", "which plans are there?"), ("assistant", " ")])
        (Message(role='user', text='which plans are there?'),)
    """
    if history is None:
        return ()
    if isinstance(history, str | Mapping | Message) or not isinstance(history, Iterable):
        raise QueryError(
            f"history is {type(history).__name__}, expected turns: [(role, text), ...]"
        )
    return tuple(turn for turn in map(Message.of, history) if turn.text.strip())
