"""Progress: frozen values that add up."""

from __future__ import annotations

from plait.collection.progress import Progress, Teller


def test_a_teller_adds_up_and_hands_out_values() -> None:
    told: list[Progress] = []
    teller = Teller(told.append, Progress(0, 10, "bytes"))
    teller.tell(3)
    teller.tell(7, chunks=2)
    assert told == [Progress(3, 10, "bytes", 0), Progress(10, 10, "bytes", 2)]


def test_nobody_has_to_listen() -> None:
    Teller(None, Progress(0, None)).tell(1)
