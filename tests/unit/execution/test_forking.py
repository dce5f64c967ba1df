import os
import threading

import pytest

from plait.execution import Breaker, Call, Runner, gather
from plait.execution.loop import _owned

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]


def in_a_child(check):
    """Whether ``check()`` is true in a forked child."""
    child = os.fork()
    if not child:
        code = 1
        try:
            code = 0 if check() else 2
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == 0


def test_late_calls_of_the_parent_do_not_run_in_the_child():
    gate = threading.Event()
    runner = Runner("slow", max_late=1)
    gather([Call(runner, gate.wait, None, 0.01)])
    assert gather([Call(runner, int, None, 5)])[0].status == "timeout"
    fine = in_a_child(lambda: gather([Call(runner, int, None, 5)])[0].status == "ok")
    gate.set()
    assert fine


def test_locks_that_a_thread_holds_while_another_forks_are_free_in_the_child():
    breaker = Breaker(threshold=1)
    runner = Runner("leg", breaker=breaker)
    with breaker._lock, runner._late_lock, runner._workers._crew.lock, _owned._lock:
        fine = in_a_child(
            lambda: (
                breaker.failed() is None
                and runner.submit(int).result(5) == 0
                and _owned.of(breaker).submit(int).result(5) == 0
            )
        )
    assert fine


def test_an_open_circuit_stays_open_in_the_child():
    breaker = Breaker(threshold=1)
    breaker.failed()
    assert in_a_child(lambda: not breaker.allows())
