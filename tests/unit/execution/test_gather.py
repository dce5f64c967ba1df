import asyncio
import contextvars
import threading
import time

import pytest

from plait.errors import LegTimeoutError, QueryError
from plait.execution import Call, Runner, agather, gather


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
    assert [answer.status for answer in answers] == ["timeout", "error"]


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
