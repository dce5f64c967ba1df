"""Exit codes and the one line that says what went wrong."""

import io
import os
import subprocess
import sys
from collections.abc import Callable

import click
import pytest

from plait.cli.options import debug_option
from plait.cli.run import Session, run
from plait.errors import ConfigurationError, IndexFormatError

UNEXPECTED = "plait: unexpected error, please report it:"


def command(body: Callable[[], None]) -> click.Command:
    @click.command("thing")
    @click.option("--count", type=click.IntRange(1), default=1)
    @debug_option
    def thing(count: int) -> None:
        body()

    return thing


def failing(error: BaseException) -> click.Command:
    def fail() -> None:
        raise error

    return command(fail)


def test_done_is_0_and_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(command(lambda: click.echo("done")), []) == 0
    assert capsys.readouterr() == ("done\n", "")


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ConfigurationError("k is 0,\n  expected >= 1"), "plait: k is 0, expected >= 1"),
        (IndexFormatError("kb.db is damaged", "kb.db"), "plait: kb.db is damaged"),
        (PermissionError(13, "Permission denied", "kb"), "plait: Permission denied: kb"),
        (OSError(28, "No space left on device"), "plait: No space left on device"),
        (OSError("strange"), f"{UNEXPECTED} OSError: strange (--debug shows where)"),
        (KeyError("x"), f"{UNEXPECTED} KeyError: 'x' (--debug shows where)"),
        (ZeroDivisionError(), f"{UNEXPECTED} ZeroDivisionError (--debug shows where)"),
        (click.FileError("a.txt", "gone"), "plait: Could not open file 'a.txt': gone"),
        (ConfigurationError("bad \x1b[31mname"), "plait: bad [31mname"),
    ],
)
def test_failures_are_1_and_one_line(
    error: Exception, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(failing(error), []) == 1
    assert capsys.readouterr() == ("", f"{line}\n")


def test_debug_shows_the_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(failing(ConfigurationError("no")), ["--debug"]) == 1
    shown = capsys.readouterr().err
    assert shown.startswith("Traceback")
    assert shown.endswith("ConfigurationError: no\n")


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--cuont", "3"], ["No such option", "--cuont", "Did you mean", "--count"]),
        (["--count", "0"], ["Invalid value for '--count': 0 is not in the range x>=1."]),
        (["--count"], ["Option '--count' requires an argument."]),
        (["extra"], ["Got unexpected extra argument (extra)."]),
    ],
)
def test_wrong_usage_is_2_and_one_line(
    arguments: list[str], parts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(command(lambda: None), arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert shown.err.startswith("plait: ")
    assert shown.err.endswith(" See: plait --help\n")
    for part in parts:
        assert part in shown.err


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()])
def test_interrupted_is_130_and_one_line(
    error: BaseException, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(failing(error), []) == 130
    assert capsys.readouterr() == ("", "plait: interrupted\n")


def test_what_an_interruption_leaves_behind_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    @click.command()
    @click.pass_obj
    def long(session: Session) -> None:
        session.when_interrupted = "3 files are indexed and stay"
        raise KeyboardInterrupt

    assert run(long, []) == 130
    assert capsys.readouterr().err == "plait: interrupted; 3 files are indexed and stay\n"


def test_an_exit_code_of_the_command_is_kept() -> None:
    assert run(failing(click.exceptions.Exit(7)), []) == 7


def test_a_closed_pipe_is_quiet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert run(failing(BrokenPipeError()), []) == 141
    assert sys.stderr.getvalue() == ""


def piped(code: str, **environment: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
    )


WRITES_MUCH = """
import click, sys
from plait.cli.run import run
@click.command()
def much():
    for _ in range(100_000):
        click.echo("a line of output")
sys.exit(run(much, []))
"""


def test_a_reader_that_leaves_early_sees_no_complaint() -> None:
    with piped(WRITES_MUCH) as process:
        assert process.stdout.readline() == b"a line of output\n"
        process.stdout.close()
        complaint = process.stderr.read()
    assert (process.returncode, complaint) == (141, b"")


def test_an_encoding_that_lacks_a_character_shows_an_escape() -> None:
    code = "import click, sys; from plait.cli.run import run\n"
    code += "sys.exit(run(click.Command('x', callback=lambda: click.echo('退款')), []))"
    with piped(code, PYTHONIOENCODING="latin-1") as process:
        out, err = process.communicate()
    assert (process.returncode, out.rstrip(), err) == (0, b"\\u9000\\u6b3e", b"")
