import asyncio
import threading
from types import SimpleNamespace

import pytest

from plait.errors import ConfigurationError, EmbeddingError, LegError, QueryError, StoreError
from plait.execution import Call, Runner, agather, gather
from plait.execution import runner as module


class Flaky:
    """Fails so many times, then answers."""

    def __init__(self, failures, error):
        self.left = failures
        self.error = error
        self.calls = 0

    def __call__(self):
        self.calls += 1
        if self.left:
            self.left -= 1
            raise self.error
        return "answer"

    async def acall(self):
        return self()


@pytest.fixture
def delays(monkeypatch):
    slept = []

    class NeverAbandoned:
        def wait(self, seconds):
            slept.append(seconds)
            return False

    async def asleep(seconds):
        slept.append(seconds)

    threads = SimpleNamespace(Event=NeverAbandoned, Lock=threading.Lock)
    monkeypatch.setattr(module, "threading", threads)
    monkeypatch.setattr(module.asyncio, "sleep", asleep)
    monkeypatch.setattr(module.random, "random", lambda: 1.0)
    return slept


TRANSIENT = StoreError("busy", "store", transient=True)


@pytest.mark.parametrize("form", ["sync", "async"])
def test_transient_failures_are_tried_again_with_growing_delays(form, delays):
    flaky = Flaky(3, TRANSIENT)
    runner = Runner("leg", retries=3)
    if form == "sync":
        assert runner.call(flaky) == "answer"
    else:
        assert asyncio.run(runner._acall(flaky.acall)) == "answer"
    assert flaky.calls == 4
    assert delays == [0.05, 0.1, 0.2]


def test_no_more_attempts_than_retries_allow(delays):
    flaky = Flaky(9, TRANSIENT)
    with pytest.raises(StoreError):
        Runner("leg", retries=2).call(flaky)
    assert flaky.calls == 3


def test_what_is_not_transient_is_not_tried_again(delays):
    flaky = Flaky(9, ValueError("broken"))
    with pytest.raises(ValueError, match="broken"):
        Runner("leg", retries=5).call(flaky)
    assert flaky.calls == 1


def test_retry_on_names_foreign_exceptions(delays):
    flaky = Flaky(1, ConnectionResetError())
    assert Runner("leg", retries=1, retry_on=(ConnectionError,)).call(flaky) == "answer"


def test_retry_on_names_what_an_embedder_raised_its_error_from(delays):
    error = EmbeddingError("embedder 'mine' raised ConnectionResetError")
    error.__cause__ = ConnectionResetError()
    assert Runner("leg", retries=1, retry_on=(ConnectionError,)).call(Flaky(1, error)) == "answer"


def test_an_abandoned_call_is_not_tried_again():
    abandoned = threading.Event()
    abandoned.set()
    flaky = Flaky(1, TRANSIENT)
    with pytest.raises(StoreError):
        Runner("leg", retries=3).call(flaky, abandoned)
    assert flaky.calls == 1


def test_abandoning_ends_the_wait_for_the_next_attempt(monkeypatch):
    monkeypatch.setattr(module, "_FIRST_DELAY", 600.0)
    monkeypatch.setattr(module, "_LONGEST_DELAY", 600.0)
    ended = threading.Event()

    class Watched(Runner):
        def call(self, function, abandoned=None):
            try:
                return super().call(function, abandoned)
            finally:
                ended.set()

    flaky = Flaky(9, TRANSIENT)
    answer = gather([Call(Watched("leg", retries=3), flaky, None, timeout=0.05)])[0]
    assert answer.status == "timeout"
    assert ended.wait(10)
    assert flaky.calls == 1


def test_a_usage_error_is_never_tried_again(delays):
    flaky = Flaky(1, QueryError("bad"))
    with pytest.raises(QueryError):
        Runner("leg", retries=5, retry_on=(ValueError,)).call(flaky)
    assert flaky.calls == 1


def test_delays_stop_growing(delays):
    flaky = Flaky(8, TRANSIENT)
    Runner("leg", retries=8).call(flaky)
    assert delays[-1] == 2.0


def test_an_open_circuit_is_not_asked(delays):
    runner = Runner("leg")
    calls = []

    def fail():
        calls.append(1)
        raise LegError("down")

    for _ in range(5):
        assert gather([Call(runner, fail, None)])[0].status == "error"
    answer = gather([Call(runner, fail, None)])[0]
    assert answer.status == "circuit_open"
    assert "circuit" in str(answer.error)
    assert len(calls) == 5


def test_a_call_without_any_form_is_refused():
    with pytest.raises(ConfigurationError, match="neither"):
        gather([Call(Runner("leg"), None, None)])


def test_usage_errors_are_raised_from_async_code_too():
    async def fail():
        raise QueryError("bad")

    with pytest.raises(QueryError):
        asyncio.run(agather([Call(Runner("leg"), None, fail)]))
