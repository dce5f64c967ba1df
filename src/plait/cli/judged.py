"""Options that name topics, judgments and measures, for the commands that measure."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from plait.errors import ConfigurationError

if TYPE_CHECKING:
    from plait.evaluation import Measure, Qrels, Topics

__all__ = ["Judged", "by_option", "judged_options", "labelled_options"]

CommandT = TypeVar("CommandT", bound=Callable[..., Any])

_TOPICS = ("queries.jsonl", "queries.jsonl.gz")
_QRELS = ("qrels.tsv", "qrels.tsv.gz", "qrels/test.tsv", "qrels/test.tsv.gz")
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True)
class Judged:
    """What a command line names to measure by.

    Attributes:
        data: A folder of topics and judgments in BEIR's shape.
        topics: A file of topics, instead of the folder's.
        qrels: A file of judgments, instead of the folder's.
        measures: Measures, empty for a command that takes none.
    """

    data: Path | None
    topics: Path | None
    qrels: Path | None
    measures: tuple[Measure, ...] = ()

    @property
    def names_topics(self) -> bool:
        """Whether topics were named, not judgments alone."""
        return self.data is not None or self.topics is not None

    def read(self) -> tuple[Topics, Qrels, tuple[Measure, ...]]:
        """Topics, judgments and measures.

        Raises:
            click.UsageError: Topics or judgments were not named, or are not in the folder.
            FormatError: A file is not what it should be.
        """
        # Both are found before either is read: a wrong command line fails at once.
        self._place("topics", self.topics, _TOPICS)
        qrels = self.read_qrels()
        return self.read_topics(), qrels, self.measures

    def read_topics(self) -> Topics:
        """The topics; raises as ``read``."""
        from plait.evaluation import read_topics

        return read_topics(self._place("topics", self.topics, _TOPICS))

    def read_qrels(self) -> Qrels:
        """The judgments; raises as ``read``."""
        from plait.evaluation import read_qrels

        return read_qrels(self._place("qrels", self.qrels, _QRELS))

    def _place(self, what: str, given: Path | None, names: Sequence[str]) -> Path:
        if given is not None:
            return given
        if self.data is None:
            raise click.UsageError(f"give --{what} FILE, or --data DIR for topics and judgments")
        found = next((self.data / name for name in names if (self.data / name).is_file()), None)
        if found is None:
            raise click.UsageError(
                f"{self.data} has no {' or '.join(names)}; name the file with --{what}"
            )
        return found


def _read_measures(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[Measure, ...]:
    from plait.evaluation.measures import parse_measures

    try:
        return parse_measures(part for value in values for part in value.split(","))
    except ConfigurationError as error:
        raise click.BadParameter(str(error), context, parameter) from error


_data_option = click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder with queries.jsonl and qrels.tsv in BEIR's format, each also as .gz.",
)
_topics_option = click.option(
    "--topics", type=_FILE, metavar="FILE", help="Questions: BEIR's, TREC's, or id<TAB>text lines."
)
_qrels_option = click.option(
    "--qrels", type=_FILE, metavar="FILE", help="Judgments in BEIR's or TREC's format."
)
_measures_option = click.option(
    "--measure",
    "measures",
    multiple=True,
    default=("nDCG@10", "R@100", "RR@10"),
    show_default=True,
    callback=_read_measures,
    metavar="NAME",
    help="nDCG@k, R@k, P@k, RR, RR@k, AP, Success@k, Judged@k; repeatable.",
)

by_option = click.option(
    "--by",
    type=click.Choice(["document", "chunk"]),
    default="document",
    show_default=True,
    help="What the judgments name.",
)


def labelled_options(command: CommandT) -> CommandT:
    """``--data``, ``--topics`` and ``--qrels``, handed to the command as ``judged``."""
    return _with((_data_option, _topics_option, _qrels_option), command)


def judged_options(command: CommandT) -> CommandT:
    """The same with ``--measure``."""
    return _with((_data_option, _topics_option, _qrels_option, _measures_option), command)


def _with(options: Sequence[Callable[[CommandT], CommandT]], command: CommandT) -> CommandT:
    @functools.wraps(command)
    def collecting(*args: Any, **given: Any) -> Any:
        named = {
            name: given.pop(name)
            for name in ("data", "topics", "qrels", "measures")
            if name in given
        }
        return command(*args, judged=Judged(**named), **given)

    collected: Any = collecting
    for option in reversed(options):
        collected = option(collected)
    return collected  # type: ignore[no-any-return]
