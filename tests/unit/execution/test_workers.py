import contextvars
import gc
import subprocess
import sys
import threading
import weakref

import pytest

from plait.execution import workers as module
from plait.execution.workers import Workers


def test_results_and_errors_come_back_through_the_future():
    workers = Workers("t")
    assert workers.submit(lambda: 2 + 3).result(5) == 5
    with pytest.raises(ZeroDivisionError):
        workers.submit(lambda: 1 / 0).result(5)


def test_a_thread_is_reused_when_it_is_idle():
    workers = Workers("t")
    first = workers.submit(threading.get_ident).result(5)
    seen = set()
    for _ in range(20):
        while not workers._crew.idle:  # the thread goes idle just after its future is done
            pass
        seen.add(workers.submit(threading.get_ident).result(5))
    assert seen == {first}


def test_never_more_threads_than_the_limit_and_every_job_is_done():
    workers = Workers("t", limit=3)
    gate = threading.Event()
    running = threading.Semaphore(0)

    def job():
        running.release()
        gate.wait(5)
        return threading.get_ident()

    futures = [workers.submit(job) for _ in range(10)]
    for _ in range(3):
        assert running.acquire(timeout=5)
    assert not running.acquire(timeout=0.05)
    gate.set()
    assert len({future.result(5) for future in futures}) <= 3


def test_a_cancelled_job_in_line_is_not_run():
    workers = Workers("t", limit=1)
    gate = threading.Event()
    blocked = workers.submit(lambda: gate.wait(5))
    ran = []
    waiting = workers.submit(lambda: ran.append(1))
    assert waiting.cancel()
    gate.set()
    blocked.result(5)
    workers.submit(lambda: None).result(5)
    assert not ran


def test_context_variables_travel_with_the_job():
    variable = contextvars.ContextVar("variable", default="unset")
    variable.set("mine")
    assert Workers("t").submit(variable.get).result(5) == "mine"


def test_idle_threads_end_and_new_work_starts_new_ones(monkeypatch):
    monkeypatch.setattr(module, "IDLE_SECONDS", 0.01)
    workers = Workers("t")
    for _ in range(3):
        workers.submit(lambda: None).result(5)
        deadline = threading.Event()
        for _ in range(200):
            if not workers._crew.threads:
                break
            deadline.wait(0.02)
        assert workers._crew.threads == 0


def test_what_a_job_held_is_freed_when_it_is_done():
    class Thing:
        pass

    thing = Thing()
    gone = weakref.ref(thing)
    workers = Workers("t")
    workers.submit(lambda thing=thing: None).result(5)
    workers.submit(lambda: None).result(5)
    del thing
    gc.collect()
    assert gone() is None


def test_threads_end_with_the_workers_they_belong_to():
    workers = Workers("dropped", limit=3)
    gate = threading.Event()
    jobs = [workers.submit(gate.wait) for _ in range(5)]
    del workers
    gate.set()
    assert [job.result(5) for job in jobs] == [True] * 5  # also those that waited in line
    for thread in threading.enumerate():
        if thread.name == "plait-dropped":
            thread.join(5)  # far below IDLE_SECONDS
            assert not thread.is_alive()


def test_a_system_without_threads_left_fails_the_job_and_no_later_one(monkeypatch):
    workers = Workers("t", limit=1)

    def refuse(thread):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError, match="can't start"):
            workers.submit(lambda: 1).result(5)
    assert workers.submit(lambda: 2).result(5) == 2


def test_a_hung_call_does_not_keep_the_process_alive():
    code = (
        "import threading\n"
        "from plait.execution import Workers\n"
        "Workers('t').submit(lambda: threading.Event().wait())\n"
        "print('done')\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert result.stdout == "done\n"
