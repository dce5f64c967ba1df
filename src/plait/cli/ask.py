"""plait ask: answer a question from a collection, with citations."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plait.cli.existing import open_existing
from plait.cli.json_output import write_json
from plait.cli.options import (
    collection_option,
    completed_by,
    debug_option,
    folder_option,
    json_option,
)
from plait.cli.query_options import (
    filter_option,
)
from plait.errors import ConfigurationError, MissingDependencyError, QueryError

if TYPE_CHECKING:
    from plait.collection import Collection
    from plait.models import LanguageModel
    from plait.pipeline import Rag

__all__ = ["ask"]

_HELP = """\
Answer QUESTION from a collection, with citations.

\b
plait ask "how do I cancel my plan" --model openai:gpt-4o-mini
plait ask "how do I cancel my plan" --model llama3.2 --base-url http://localhost:11434/v1
plait ask "how do I cancel my plan" | your-own-model

The model is one of any service that speaks OpenAI's /chat/completions. Its key is read from
OPENAI_API_KEY, which is sent to OpenAI and to OPENAI_BASE_URL only: for a service that wants a key
set that variable, not --base-url. Without a model the context is printed that a model would be
given: numbered passages with their sources.
"""


def _planners() -> tuple[str, ...]:
    from plait.planning import planner_names

    return planner_names()


@click.command(help=_HELP)
@click.argument("question", nargs=-1, required=True)
@folder_option("--in", "Folder of the collection.")
@collection_option
@click.option(
    "--model",
    metavar="MODEL",
    envvar="PLAIT_MODEL",
    show_envvar=True,
    help="openai:NAME, ollama:NAME, or a name at --base-url.",
)
@click.option("--base-url", metavar="URL", help="Where the model's service is, up to /v1.")
@click.option(
    "--planner",
    metavar="PLANNER",
    shell_complete=completed_by(more=_planners),
    help="Search more wordings too, that the model makes: rewrite, multi_query(n=3), hyde, ...",
)
@click.option(
    "--rerank",
    metavar="RERANKER",
    help="Judge the best hits again: cross-encoder:MODEL, onnx:PATH, cohere:MODEL, tei:URL, ...",
)
@click.option(
    "--top-k",
    type=click.IntRange(1),
    metavar="N",
    default=8,
    show_default=True,
    help="Passages for the context.",
)
@click.option(
    "--budget",
    type=click.IntRange(1),
    metavar="N",
    default=4000,
    show_default=True,
    help="Most tokens of the context.",
)
@click.option(
    "--expand",
    metavar="WHAT",
    help="Add what stands around a hit: 'neighbors(before=1, after=1)', section, document.",
)
@filter_option
@click.option("--trace", is_flag=True, help="Show what every stage did.")
@json_option
@debug_option
def ask(
    question: tuple[str, ...],
    folder: Path,
    collection: str,
    model: str | None,
    base_url: str | None,
    planner: str | None,
    rerank: str | None,
    top_k: int,
    budget: int,
    expand: str | None,
    keep: dict[str, Any] | None,
    trace: bool,
    as_json: bool,
) -> None:
    """Build the service, ask it, and show what it says."""
    from plait.cli.answers import show_answer, show_context
    from plait.cli.console import working

    text = " ".join(question)
    if not text.strip():
        raise click.UsageError("the question is blank")
    if model is None and _asks_a_model(planner):
        raise click.UsageError(f"--planner {planner} asks a model; name it with --model")
    with open_existing(folder, collection) as opened:
        try:
            service = _service(
                opened,
                _model(model, base_url),
                planner=planner,
                reranker=rerank,
                budget=budget,
                expand=expand,
                top_k=top_k,
            )
        except (ConfigurationError, QueryError) as error:
            if isinstance(error, MissingDependencyError):
                raise
            raise click.UsageError(str(error)) from error
        named = service.parts.model
        if named is None:
            with working("searching"):
                result = service.search(text, filter=keep, trace=trace)
            shown: Any = result
        else:
            with working(f"asking {named.name}"):
                shown = service.ask(text, filter=keep, trace=trace)
    if as_json:
        write_json(shown.to_dict())
    elif named is None:
        show_context(shown)
    else:
        show_answer(shown)


def _asks_a_model(planner: str | None) -> bool:
    name = (planner or "").partition("(")[0].strip()
    return name != "none" and name in _planners()


def _model(name: str | None, base_url: str | None) -> LanguageModel | None:
    """The model that is meant, None if none is named."""
    from plait.models import OpenAIModel, parse_model

    if name is None:
        if base_url is not None:
            raise ConfigurationError("--base-url says where a model is; name it with --model")
        return None
    if base_url is not None:
        model = re.sub(r"^(openai|ollama):", "", name)
        return OpenAIModel(model, base_url=base_url)
    return parse_model(name) if ":" in name or "(" in name else OpenAIModel(name)


def _service(
    collection: Collection, model: LanguageModel | None, *, budget: int, **given: Any
) -> Rag:
    from plait.context import ContextBuilder
    from plait.pipeline import Rag

    return Rag(collection, model=model, context=ContextBuilder(budget), **given)
