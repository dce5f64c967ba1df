import asyncio
import contextvars
import gc
import threading
import time
import weakref

import pytest

from plait.errors import LegTimeoutError, QueryError
from plait.execution import Breaker, Call, Runner, agather, gather


def sync_call(function, name="leg", **settings):
    return Call(Runner(name), function, None, **settings)


def async_call(function, name="leg", **settings):
    return Call(Runner(name), None, function, **settings)


async def later(value):
    await asyncio.sleep(0.01)
    return value


def fail():
    raise OSError("down")


def everywhere(calls, deadline=None):
    """Both entries give the same answers."""
    from_sync = gather(calls, deadline)
    from_async = asyncio.run(agather(calls, deadline))
    assert [a.status for a in from_sync] == [a.status for a in from_async]
    assert [a.value for a in from_sync] == [a.value for a in from_async]
    return from_sync


def test_no_calls_no_answers():
    assert everywhere([]) == []


def test_answers_come_in_the_order_of_the_calls():
    answers = everywhere(
        [
            sync_call(lambda: time.sleep(0.02) or "slow"),
            async_call(lambda: later("async")),
            sync_call(lambda: "fast"),
        ]
    )
    assert [answer.value for answer in answers] == ["slow", "async", "fast"]
    assert answers[0].elapsed_ms >= 20


def test_a_failure_is_an_answer():
    good, bad = everywhere([sync_call(lambda: 1), sync_call(fail)])
    assert good.value == 1
    assert bad.status == "error"
    assert isinstance(bad.error, OSError)


def test_calls_run_at_the_same_time():
    barrier = threading.Barrier(3, timeout=10)
    answers = everywhere([sync_call(lambda: barrier.wait() >= 0) for _ in range(3)])
    assert [answer.status for answer in answers] == ["ok"] * 3


@pytest.mark.parametrize("limit", ["timeout", "deadline"])
def test_a_late_sync_leg_is_left_behind(limit):
    gate = threading.Event()
    settings = {"timeout": 0.05} if limit == "timeout" else {}
    slow = sync_call(gate.wait, **settings)
    fast = sync_call(lambda: "fast")
    started = time.monotonic()
    answers = gather([slow, fast], 0.05 if limit == "deadline" else None)
    assert time.monotonic() - started < 5  # not a measurement: it would wait for ever
    assert [answer.status for answer in answers] == ["timeout", "ok"]
    assert isinstance(answers[0].error, LegTimeoutError)
    assert str(answers[0].error) == "leg 'leg' did not answer within its 50 ms"
    assert answers[0].error.elapsed_ms >= 50
    assert slow.runner.late == 1
    gate.set()
    for _ in range(500):
        if not slow.runner.late:
            break
        time.sleep(0.01)
    assert slow.runner.late == 0


def test_a_late_async_leg_is_cancelled():
    cancelled = threading.Event()

    async def hang():
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    assert gather([async_call(hang, timeout=0.02)])[0].status == "timeout"
    assert cancelled.wait(5)

    cancelled.clear()
    assert asyncio.run(agather([async_call(hang, timeout=0.02)]))[0].status == "timeout"
    assert cancelled.is_set()


def test_a_leg_with_too_many_late_calls_is_not_asked():
    gate = threading.Event()
    runner = Runner("slow", max_late=2)
    call = Call(runner, gate.wait, None, 0.01)
    for _ in range(2):
        assert gather([call])[0].elapsed_ms > 0
    answer = gather([call])[0]
    gate.set()
    assert answer.status == "timeout"
    assert answer.elapsed_ms == 0
    assert "2 late calls still run" in str(answer.error)


def test_an_answer_after_its_own_timeout_is_dropped_even_if_others_are_slower():
    late = sync_call(lambda: time.sleep(0.06) or "late", timeout=0.02)
    slower = sync_call(lambda: time.sleep(0.15) or "slower")
    statuses = [answer.status for answer in everywhere([late, slower])]
    assert statuses == ["timeout", "ok"]


def test_a_fatal_failure_does_not_wait_for_the_others():
    gate = threading.Event()
    other = sync_call(gate.wait, timeout=30)
    answers = gather([other, sync_call(fail, timeout=30, fatal=True)])
    gate.set()
    assert [answer.status for answer in answers] == ["cut", "error"]


def test_a_call_that_is_cut_has_not_failed():
    gate = threading.Event()
    slow = Call(Runner("slow", max_late=99, breaker=Breaker(threshold=1)), gate.wait, None)
    for _ in range(3):
        gather([slow, sync_call(fail, fatal=True)])
    gate.set()
    assert slow.runner.breaker.allows()


def test_a_fatal_failure_does_not_wait_for_a_call_that_could_run_here():
    gate = threading.Event()
    answers = gather([sync_call(fail, fatal=True), sync_call(lambda: gate.wait(30))])
    gate.set()
    assert [answer.status for answer in answers] == ["error", "cut"]


def test_a_late_fatal_call_ends_the_query():
    gate = threading.Event()
    late = sync_call(gate.wait, timeout=0.02, fatal=True)
    for calls in ([late, sync_call(gate.wait)], [sync_call(gate.wait), late]):
        assert {answer.status for answer in gather(calls)} == {"timeout", "cut"}
        assert {a.status for a in asyncio.run(agather(calls))} == {"timeout", "cut"}
    gate.set()


@pytest.mark.parametrize(
    "error", [StopIteration, GeneratorExit, asyncio.CancelledError, SystemExit, KeyboardInterrupt]
)
def test_whatever_a_leg_raises_in_its_thread_is_its_failure(error):
    def leave():
        raise error("left")

    answers = everywhere([sync_call(leave), sync_call(lambda: "fine")])
    assert [answer.status for answer in answers] == ["error", "ok"]
    assert isinstance(answers[0].error, error)


@pytest.mark.parametrize("error", [StopIteration, GeneratorExit, asyncio.CancelledError])
def test_so_it_is_in_the_callers_thread(error):
    def leave():
        raise error("left")

    answers = gather([sync_call(lambda: "fine"), sync_call(leave)])
    assert [answer.status for answer in answers] == ["ok", "error"]


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_an_interrupt_of_the_callers_thread_abandons_the_other_legs(error):
    gate = threading.Event()
    stopped = threading.Event()
    other = sync_call(gate.wait)

    async def hang():
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            stopped.set()
            raise

    def interrupted():
        while not other.runner._workers._crew.threads:
            pass
        time.sleep(0.02)
        raise error

    with pytest.raises(error):
        gather([other, async_call(hang), sync_call(interrupted)])
    assert other.runner.late == 1
    assert stopped.wait(5)
    gate.set()


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_an_async_leg_that_leaves_does_not_take_the_loop_with_it(error):
    async def leave():
        raise error("left")

    for _ in range(2):
        answers = gather([async_call(leave, timeout=20), async_call(lambda: later(1), timeout=20)])
        assert [answer.status for answer in answers] == ["error", "ok"]
        assert isinstance(answers[0].error, error)


def test_what_a_leg_sets_in_its_context_stays_there():
    variable = contextvars.ContextVar("variable", default="unset")
    everywhere([sync_call(lambda: bool(variable.set("theirs"))) for _ in range(2)])
    assert variable.get() == "unset"


@pytest.mark.parametrize("seconds", [1e10, 1e300])
def test_a_limit_may_be_longer_than_threads_can_wait(seconds):
    slow = sync_call(lambda: time.sleep(0.02) or 1, timeout=seconds)
    assert everywhere([slow, slow], deadline=seconds)[0].value == 1


def test_an_answer_is_freed_with_its_last_user():
    class Thing:
        pass

    gc.collect()
    gc.disable()
    try:
        answers = gather([sync_call(Thing), sync_call(Thing)])
        things = [weakref.ref(answer.value) for answer in answers]
        del answers
        for _ in range(500):  # a worker may hold its future for a moment
            if all(thing() is None for thing in things):
                break
            time.sleep(0.01)
        assert [thing() for thing in things] == [None, None]
    finally:
        gc.enable()


def test_a_usage_error_is_raised_at_once():
    gate = threading.Event()

    def misused():
        raise QueryError("no text")

    with pytest.raises(QueryError, match="no text"):
        gather([sync_call(gate.wait, timeout=30), sync_call(misused, timeout=30)])
    gate.set()


def test_cancelling_cancels_async_legs_and_abandons_sync_ones():
    gate = threading.Event()
    stopped = []
    sync = sync_call(gate.wait)

    async def hang():
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            stopped.append(1)
            raise

    async def main():
        task = asyncio.ensure_future(agather([sync, async_call(hang)]))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0)

    asyncio.run(main())
    assert stopped == [1]
    assert sync.runner.late == 1
    gate.set()


def test_a_leg_that_cancels_itself_has_failed():
    async def give_up():
        raise asyncio.CancelledError

    for answer in everywhere([async_call(give_up)]):
        assert answer.status == "error"
        assert "cancelled" in str(answer.error)


def test_async_legs_run_on_the_callers_loop():
    async def where():
        return asyncio.get_running_loop()

    async def main():
        answers = await agather([async_call(where)])
        return answers[0].value is asyncio.get_running_loop()

    assert asyncio.run(main())


def test_gather_works_inside_a_running_loop():
    async def handler():
        return gather([sync_call(lambda: 1), async_call(lambda: later(2))])

    assert [answer.value for answer in asyncio.run(handler())] == [1, 2]


def test_a_sync_leg_may_run_a_loop_of_its_own_wherever_it_stands():
    async def handler():
        return gather([sync_call(lambda n=n: asyncio.run(later(n))) for n in range(2)])

    assert [answer.value for answer in asyncio.run(handler())] == [0, 1]


def test_context_variables_travel_with_every_leg():
    variable = contextvars.ContextVar("variable", default="unset")
    variable.set("mine")

    async def read():
        return variable.get()

    answers = everywhere([sync_call(variable.get), sync_call(variable.get), async_call(read)])
    assert [answer.value for answer in answers] == ["mine"] * 3


def test_exceptions_of_abandoned_tasks_are_not_reported_as_lost(caplog):
    async def fail_on_cancel():
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            raise OSError("while cancelled") from None

    async def main():
        await agather([async_call(fail_on_cancel, timeout=0.01)])
        await asyncio.sleep(0.01)

    asyncio.run(main())
    assert "never retrieved" not in caplog.text


# Several calls of one leg in one query


def test_calls_of_one_leg_count_once_for_its_breaker():
    runner = Runner("leg", breaker=Breaker(threshold=2))
    calls = [Call(runner, fail, None) for _ in range(3)]
    assert [answer.status for answer in gather(calls)] == ["error"] * 3
    assert [answer.status for answer in gather(calls)] == ["error"] * 3
    assert [answer.status for answer in gather(calls)] == ["circuit_open"] * 3


def test_one_answer_is_enough_for_the_breaker():
    runner = Runner("leg", breaker=Breaker(threshold=1))
    calls = [Call(runner, fail, None), Call(runner, lambda: 1, None)]
    for _ in range(2):
        assert [answer.status for answer in gather(calls)] == ["error", "ok"]


def test_the_probe_of_an_open_circuit_is_a_whole_query():
    now = 0.0
    runner = Runner("leg", breaker=Breaker(threshold=1, reset_after=30.0, clock=lambda: now))
    gather([Call(runner, fail, None)])
    now = 30.0
    calls = [Call(runner, lambda: 1, None) for _ in range(2)]
    assert [answer.status for answer in gather(calls)] == ["ok", "ok"]


def test_calls_of_one_leg_that_are_late_together_count_once_until_the_last_is_done():
    gates = [threading.Event(), threading.Event()]
    runner = Runner("leg")
    answers = gather([Call(runner, gate.wait, None) for gate in gates], 0.02)
    assert [answer.status for answer in answers] == ["timeout", "timeout"]
    assert runner.late == 1
    gates[0].set()
    gather([Call(runner, lambda: 1, None)])
    assert runner.late == 1
    gates[1].set()
    for _ in range(500):
        if not runner.late:
            break
        time.sleep(0.01)
    assert runner.late == 0


def test_a_mistake_of_the_caller_is_no_failure_of_the_leg():
    runner = Runner("leg", breaker=Breaker(threshold=1))

    def misused():
        raise QueryError("no such thing")

    with pytest.raises(QueryError, match="no such thing"):
        gather([Call(runner, misused, None)])
    assert gather([Call(runner, lambda: 1, None)])[0].status == "ok"
