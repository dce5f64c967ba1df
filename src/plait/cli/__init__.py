"""The command line, ``plait index | search | info | completion``: a module per command.

Importing it is quick. What a command needs beyond reading its arguments is imported when it runs.
"""

from __future__ import annotations

import sys

from plait.errors import MissingDependencyError

__all__ = ["main"]


def main() -> int:
    """Run the command line on the process's arguments.

    Returns:
        The exit code: 0 done, also without hits; 1 failed; 2 wrong usage; 130 interrupted.
    """
    try:
        import click  # noqa: F401 (asked for before the modules that need it)
        import rich  # noqa: F401
    except ModuleNotFoundError as error:
        missing = MissingDependencyError(
            str(error.name), extra="cli", purpose="the plait command line"
        )
        sys.stderr.write(f"plait: {missing}\n")
        return 1
    from plait.cli.app import plait
    from plait.cli.run import run

    return run(plait, sys.argv[1:])
