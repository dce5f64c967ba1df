import pytest

from plait.execution import Breaker


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_it_opens_after_the_threshold_of_failures_in_a_row(clock):
    breaker = Breaker(threshold=3, reset_after=30.0, clock=clock)
    for _ in range(2):
        breaker.failed()
        assert breaker.allows()
    breaker.failed()
    assert not breaker.allows()


def test_a_success_in_between_starts_the_count_anew(clock):
    breaker = Breaker(threshold=2, reset_after=30.0, clock=clock)
    breaker.failed()
    breaker.succeeded()
    breaker.failed()
    assert breaker.allows()


def test_after_the_pause_one_probe_passes_and_its_success_closes(clock):
    breaker = Breaker(threshold=1, reset_after=30.0, clock=clock)
    breaker.failed()
    clock.now += 29.9
    assert not breaker.allows()
    clock.now += 0.1
    assert breaker.allows()
    assert not breaker.allows()
    breaker.succeeded()
    assert breaker.allows()
    assert breaker.allows()


def test_a_failed_probe_opens_it_for_another_pause(clock):
    breaker = Breaker(threshold=2, reset_after=30.0, clock=clock)
    breaker.failed()
    breaker.failed()
    clock.now += 30
    assert breaker.allows()
    breaker.failed()
    clock.now += 29
    assert not breaker.allows()
    clock.now += 1
    assert breaker.allows()


def test_a_probe_that_never_comes_back_does_not_lock_the_leg_out(clock):
    breaker = Breaker(threshold=1, reset_after=30.0, clock=clock)
    breaker.failed()
    clock.now += 30
    assert breaker.allows()
    clock.now += 30
    assert breaker.allows()


def test_without_threshold_it_never_opens(clock):
    breaker = Breaker(threshold=None, clock=clock)
    for _ in range(100):
        breaker.failed()
    assert breaker.allows()
