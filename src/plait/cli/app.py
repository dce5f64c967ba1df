"""The group of commands."""

from __future__ import annotations

import click

from plait.cli.ask import ask
from plait.cli.compare import compare
from plait.cli.completion import completion
from plait.cli.diagnose import diagnose
from plait.cli.eval import eval_command
from plait.cli.index import index
from plait.cli.info import info
from plait.cli.options import debug_option
from plait.cli.search import search
from plait.cli.tune import tune_command
from plait.version import __version__

__all__ = ["plait"]


_HELP = """\
Index files and search them by words and by meaning at once.

\b
plait index docs/
plait search "how do I cancel my plan"
"""


class _InOrderOfUse(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        return list(self.commands)


def _show_version(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        click.echo(f"plait {__version__}")
        context.exit()


@click.group(cls=_InOrderOfUse, invoke_without_command=True, help=_HELP)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version.",
)
@debug_option
@click.pass_context
def plait(context: click.Context) -> None:
    """The group; alone it shows its help."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (
    index,
    search,
    ask,
    info,
    eval_command,
    compare,
    tune_command,
    diagnose,
    completion,
):
    plait.add_command(command)
