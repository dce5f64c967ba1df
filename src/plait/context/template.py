"""Template: how citations become one text. Only the template's own braces mean anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from string import Formatter
from typing import Any, TypeAlias

from plait.context.citation import Citation
from plait.errors import ConfigurationError
from plait.metadata import value_at
from plait.printable import printable

__all__ = ["Assembler", "Template", "as_assembler"]

Assembler: TypeAlias = Callable[[str, Sequence[Citation]], str]
"""From the query's text (may be empty) and the citations to the text of the context."""

_METADATA = "metadata."


def _one_line(value: Any) -> str:
    return "" if value is None else printable(str(value))


def _heading(citation: Citation) -> str:
    return f"[{citation.number}] {citation.label}".rstrip()


def _page(citation: Citation) -> str:
    pages = citation.pages
    return "" if pages is None else "-".join(map(str, dict.fromkeys(pages)))


_FIELDS: Mapping[str, Callable[[Citation], str]] = {
    "heading": _heading,
    "number": lambda citation: str(citation.number),
    "text": lambda citation: citation.text,
    "label": lambda citation: citation.label,
    "title": lambda citation: _one_line(citation.title),
    "source": lambda citation: _one_line(citation.source),
    "page": _page,
    "section": lambda citation: _one_line(citation.section),
    "id": lambda citation: _one_line(citation.hit.id),
    "document_id": lambda citation: _one_line(citation.hit.chunk.document_id),
}
_WHOLE = ("blocks", "query")


@dataclass(frozen=True, slots=True)
class Template:
    r"""How citations become one text: each as a block, the blocks joined, the whole framed.

    Values are put in as they are: braces in a document or a query are text. Everything but
    ``{text}`` and ``{query}`` is put in as one line. What is not known is empty. ``{{`` and ``}}``
    are braces.

    Args:
        block: For each citation. Fields: ``{heading}`` (the number in brackets and the label),
            ``{number}``, ``{text}``, ``{label}``, ``{title}``, ``{source}``, ``{page}``,
            ``{section}``, ``{id}``, ``{document_id}``, and ``{metadata.NAME}`` of the best chunk.
        separator: Between blocks.
        whole: The frame. Fields: ``{blocks}``, ``{query}``.
        empty: Instead of blocks when there are none.

    Raises:
        ConfigurationError: An unknown field, braces that do not match, a block without ``{text}``
            or a whole without ``{blocks}``.

    Example:
        >>> from plait.types import Chunk, Hit
        >>> chunk = Chunk("Use {braces}.", id="a", source_path="help.md")
        >>> citation = Citation(1, chunk.content, (Hit(chunk, 1.0, 1),), (chunk,))
        >>> print(Template(whole="Sources:\n{blocks}")("how", [citation]))
        Sources:
        [1] help.md
        Use {braces}.
    """

    block: str = "{heading}\n{text}"
    separator: str = "\n\n"
    whole: str = "{blocks}"
    empty: str = "No passages were found."

    def __post_init__(self) -> None:
        for entry in fields(self):
            value: Any = getattr(self, entry.name)
            if not isinstance(value, str):
                raise ConfigurationError(
                    f"template: {entry.name} is {type(value).__name__}, expected str"
                )
        self._check("block", (*_FIELDS, f"{_METADATA}NAME"), needed="text")
        self._check("whole", _WHOLE, needed="blocks")

    def __call__(self, query: str, citations: Sequence[Citation]) -> str:
        """The text of a context."""
        blocks = self.separator.join(map(self.render, citations)) if citations else self.empty
        return _filled(self.whole, {"blocks": blocks, "query": query}.__getitem__)

    def render(self, citation: Citation) -> str:
        """One block."""
        return _filled(self.block, lambda name: _value(citation, name))

    def describe(self) -> Mapping[str, str]:
        """Its parts by name."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}

    def _check(self, part: str, accepted: Sequence[str], *, needed: str) -> None:
        template = getattr(self, part)
        try:
            parsed = list(Formatter().parse(template))
        except ValueError as error:
            raise ConfigurationError(
                f"template: {part} {template!r:.80} has braces that do not match ({error}); write "
                "{{ and }} for braces"
            ) from error
        names = [name for _, name, _, _ in parsed if name is not None]
        for _, name, form, conversion in parsed:
            if name is None:
                continue
            metadata = part == "block" and name.startswith(_METADATA) and name != _METADATA
            if form or conversion or not (metadata or name in accepted):
                shown = (
                    name + (f"!{conversion}" if conversion else "") + (f":{form}" if form else "")
                )
                raise ConfigurationError(
                    f"template: {part} has the field {{{shown}}}, expected plain ones out of "
                    + ", ".join(f"{{{field}}}" for field in accepted)
                )
        if needed not in names:
            raise ConfigurationError(f"template: {part} {template!r:.80} lacks {{{needed}}}")


def as_assembler(source: Assembler | str | None) -> Assembler:
    """What makes the text: a template, the block of one, or any function; None is the default.

    Raises:
        ConfigurationError: None of these.
    """
    if source is None:
        return Template()
    if isinstance(source, str):
        return Template(block=source)
    if isinstance(source, type) or not callable(source):
        raise ConfigurationError(
            f"template is {source!r:.60}, expected a Template, the text of its block, or a "
            "function from (query, citations) to the text"
        )
    return source


def _filled(template: str, value: Callable[[str], str]) -> str:
    """The template with its fields put in, in one pass."""
    return "".join(
        literal + ("" if name is None else value(name))
        for literal, name, _, _ in Formatter().parse(template)
    )


def _value(citation: Citation, name: str) -> str:
    if name.startswith(_METADATA):
        return _one_line(value_at(citation.hit.chunk.metadata, name.removeprefix(_METADATA)))
    return _FIELDS[name](citation)
