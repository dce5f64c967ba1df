"""Run a command: what went wrong becomes one line on stderr and an exit code."""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass

import click
from click.shell_completion import shell_complete

from plait.errors import PlaitError
from plait.printable import printable

__all__ = ["COMPLETION_VARIABLE", "Session", "run"]

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
PIPE_CLOSED = 141  # what a shell reports for a program that a closed pipe ended

COMPLETION_VARIABLE = "_PLAIT_COMPLETE"


@dataclass(slots=True)
class Session:
    """What a running command tells the outermost level.

    Attributes:
        debug: Show tracebacks.
        when_interrupted: What an interruption leaves behind.
    """

    debug: bool = False
    when_interrupted: str = ""


def run(command: click.Command, arguments: Sequence[str]) -> int:
    """Run a command line.

    Args:
        command: The command.
        arguments: What follows the program's name.

    Returns:
        The exit code.
    """
    _write_what_the_terminal_can()
    session = Session()
    try:
        instruction = os.environ.get(COMPLETION_VARIABLE)
        if instruction:
            return shell_complete(command, {}, "plait", COMPLETION_VARIABLE, instruction)
        with command.make_context("plait", list(arguments), obj=session) as context:
            command.invoke(context)
        sys.stdout.flush()
        return DONE
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.UsageError as error:
        _say(_usage_line(error))
        return USAGE
    except (KeyboardInterrupt, click.Abort):
        _say(f"plait: interrupted{session.when_interrupted and '; '}{session.when_interrupted}")
        return INTERRUPTED
    except BrokenPipeError:
        _stop_writing()
        return PIPE_CLOSED
    except Exception as error:  # noqa: BLE001 (the outermost level: reported, never lost)
        if session.debug:
            traceback.print_exc()
        else:
            _say(_failure_line(error))
        return FAILED


def _usage_line(error: click.UsageError) -> str:
    path = error.ctx.command_path if error.ctx else "plait"
    message = error.format_message().rstrip()
    stop = "" if message.endswith((".", "?", "!")) else "."
    return f"{path}: {message}{stop} See: {path} --help"


def _failure_line(error: Exception) -> str:
    if isinstance(error, click.ClickException):
        return f"plait: {error.format_message()}"
    if isinstance(error, PlaitError):
        return f"plait: {error}"
    if isinstance(error, OSError) and error.strerror:
        place = f": {error.filename}" if error.filename else ""
        return f"plait: {error.strerror}{place}"
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"plait: unexpected error, please report it: {said} (--debug shows where)"


def _say(line: str) -> None:
    try:
        click.echo(printable(line), err=True)
    except BrokenPipeError:
        _stop_writing()


def _write_what_the_terminal_can() -> None:
    """Show a character that the output's encoding lacks as an escape, rather than fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _stop_writing() -> None:
    """Let nothing complain, on the way out, about output that nobody reads."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            os.dup2(nowhere, stream.fileno())
        except (OSError, ValueError):  # no file behind it, as in a test
            continue
    os.close(nowhere)
