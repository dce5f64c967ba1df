from plait.pipeline.state import Deadline


def test_without_a_deadline_only_the_own_limit_counts():
    assert Deadline(None).left() is None
    assert Deadline(None).left(3.0, share=0.5) == 3.0


def test_time_runs_out():
    now = 100.0
    deadline = Deadline(4.0, clock=lambda: now)
    assert deadline.left() == 4.0
    assert deadline.left(share=0.5) == 2.0
    now = 103.0
    assert deadline.left(5.0) == 1.0
    assert deadline.left(0.5) == 0.5
    now = 105.0
    assert deadline.left(0.5) == 0.0
