"""Native calls: the end of the process waits for them, and lets no new ones begin."""

import os
import subprocess
import sys
import threading

import pytest

from plait.errors import PlaitError
from plait.inference import NativeCalls

CODE = """
import sys, threading
from plait.embedders import parse_embedder
embedder = parse_embedder(sys.argv[1])
embedder.embed_query("loaded")
begun = threading.Event()

def left_behind():
    begun.set()
    while True:
        embedder.embed_query("a late leg embeds its query " * 20)

threading.excepthook = lambda _: None
for _ in range(4):
    threading.Thread(target=left_behind, daemon=True).start()
begun.wait()
"""


def in_daemon(function):
    """What the function returns or raises in a daemon thread."""
    came = []

    def run():
        try:
            came.append(function())
        except PlaitError as error:
            came.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(30)
    return came[0]


def enter(calls):
    with calls:
        return "inside"


def test_the_end_waits_until_a_running_call_is_back():
    calls, inside, go = NativeCalls(), threading.Event(), threading.Event()

    def work():
        with calls:
            inside.set()
            go.wait(30)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    inside.wait(30)
    assert calls.end(patience=0) is False
    go.set()
    assert calls.end() is True
    thread.join(30)


def test_with_nothing_running_it_does_not_wait():
    assert NativeCalls().end(patience=0) is True


def test_a_call_that_fails_is_over():
    calls = NativeCalls()
    with pytest.raises(ZeroDivisionError), calls:
        raise ZeroDivisionError
    assert calls.end(patience=0) is True


def test_afterwards_daemon_threads_begin_none_and_others_do():
    calls = NativeCalls()
    assert in_daemon(lambda: enter(calls)) == "inside"
    calls.end()
    assert "process is ending" in str(in_daemon(lambda: enter(calls)))
    assert enter(calls) == "inside"


def test_a_forked_process_begins_anew():
    calls = NativeCalls()
    calls.__enter__()
    calls.end(patience=0)
    calls.reset()
    assert calls.end(patience=0) is True


@pytest.mark.model
@pytest.mark.parametrize("spec", ["minilm", "static"])
def test_a_process_with_late_legs_ends_well(spec):
    run = subprocess.run(
        [sys.executable, "-c", CODE, spec],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
