"""plait completion: the script that teaches a shell to complete plait's commands and options."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from plait.cli.options import debug_option
from plait.cli.run import COMPLETION_VARIABLE

__all__ = ["completion"]

_SHELLS: dict[str, type[ShellComplete]] = {
    "bash": BashComplete,
    "zsh": ZshComplete,
    "fish": FishComplete,
}


_HELP = """\
Print the script that lets a SHELL complete commands and options.

\b
bash:  plait completion bash >> ~/.bashrc
zsh:   plait completion zsh >> ~/.zshrc
fish:  plait completion fish > ~/.config/fish/completions/plait.fish
"""


@click.command(help=_HELP, short_help="Print a script for a SHELL to complete commands.")
@click.argument("shell", type=click.Choice(list(_SHELLS)))
@debug_option
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script for one shell."""
    kind = _SHELLS[shell](context.find_root().command, {}, "plait", COMPLETION_VARIABLE)
    click.echo(kind.source().strip())
