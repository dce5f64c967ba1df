"""Write the reference of the command line: ``python -m plait.cli.reference > docs/cli.md``.

It is what ``--help`` prints, at a width that does not depend on the terminal.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from plait.cli.app import plait

__all__ = ["reference"]

_WIDTH = 88
_INTRODUCTION = """\
# The command line

Written by `python -m plait.cli.reference > docs/cli.md` from `--help`; a test holds it to that.

| exit code | meaning |
|---|---|
| 0 | done, also when a search finds nothing or some input was skipped |
| 1 | failed: one line on stderr says why, `--debug` shows where |
| 2 | wrong usage |
| 130 | interrupted; what was committed stays |

Results go to stdout; progress, skipped input and errors go to stderr. What is not written to a
terminal has no colors and is not wrapped or cut to a width. `NO_COLOR` and `FORCE_COLOR` are
respected.
"""


def reference() -> str:
    """The reference as Markdown."""
    return "\n".join([_INTRODUCTION, *_sections(plait, None)])


def _sections(command: click.Command, parent: click.Context | None) -> Iterator[str]:
    context = click.Context(command, info_name=command.name, parent=parent, terminal_width=_WIDTH)
    yield f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is not None:
                yield from _sections(child, context)


if __name__ == "__main__":
    sys.stdout.write(reference())
