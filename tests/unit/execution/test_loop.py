import asyncio
import os
import threading
from concurrent.futures import Future

import pytest

from plait.execution import OwnLoop, run_coroutine, run_in_thread, wait_for
from plait.execution.loop import _owned


async def double(number):
    await asyncio.sleep(0)
    return 2 * number


def test_a_coroutine_runs_from_plain_code():
    assert run_coroutine(double(4)) == 8


def test_a_coroutine_runs_from_sync_code_inside_a_running_loop():
    async def handler():
        return run_coroutine(double(5))

    assert asyncio.run(handler()) == 10


def test_sync_code_on_the_own_loop_can_run_coroutines_again():
    async def outer():
        return run_coroutine(middle())

    async def middle():
        return run_coroutine(double(6))

    assert run_coroutine(outer()) == 12


def test_errors_come_back():
    async def fail():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        run_coroutine(fail())


def test_stop_iteration_comes_back_as_what_async_code_can_carry():
    with pytest.raises(RuntimeError, match="raised StopIteration"):
        asyncio.run(asyncio.wait_for(run_in_thread(next, iter(())), 10))


def test_a_sync_call_in_a_thread_does_not_block_the_loop():
    async def main():
        gate = threading.Event()
        waiting = asyncio.ensure_future(run_in_thread(gate.wait, 5))
        await asyncio.sleep(0)
        gate.set()  # would never be reached if the loop were blocked
        return await waiting

    assert asyncio.run(main()) is True


def test_the_methods_of_one_object_share_a_bounded_number_of_threads():
    class Thing:
        def where(self):
            return threading.get_ident()

    async def main(thing):
        return await asyncio.gather(*(run_in_thread(thing.where) for _ in range(500)))

    thing = Thing()
    assert len(set(asyncio.run(main(thing)))) <= 32
    assert _owned.of(thing) is _owned.of(thing)
    assert _owned.of(thing) is not _owned.of(Thing())


def test_objects_that_cannot_be_referenced_weakly_share_workers():
    assert _owned.of((1, 2)) is _owned.of(None)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_gets_a_loop_and_workers_of_its_own():
    assert run_coroutine(double(1)) == 2
    asyncio.run(run_in_thread(int))
    child = os.fork()
    if not child:
        code = 1
        try:
            fine = run_coroutine(double(2)) == 4 and asyncio.run(run_in_thread(int)) == 0
            code = 0 if fine else 2
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_a_part_may_have_a_loop_of_its_own():
    async def where():
        return threading.current_thread().name

    own = OwnLoop("plait-own")
    assert wait_for(own.submit(where())) == "plait-own"
    assert run_coroutine(where()) == "plait-loop"

    async def from_the_other():
        return wait_for(own.submit(where()))

    assert run_coroutine(from_the_other()) == "plait-own"


def test_whoever_stops_waiting_cancels():
    class Interrupted(Future):
        def result(self, timeout=None):
            raise KeyboardInterrupt

    future = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        wait_for(future)
    assert future.cancelled()
