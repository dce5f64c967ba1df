"""What a reader sees of a tuning, in a terminal that is narrower than its rows."""

import io

from rich.console import Console

from plait.cli.tuned import show_tuning
from plait.evaluation import Qrels, Topics, record, tune
from plait.hybrid import HybridRetriever


def test_a_row_that_is_too_long_goes_on_behind_its_beginning() -> None:
    topics = Topics({str(n): f"query {n}" for n in range(6)})
    legs = {"dense": lambda _: ["a", "b"], "bm25": lambda _: ["a", "c"]}
    recording = record(HybridRetriever(legs), topics)
    result = tune(recording, Qrels({topic: {"a": 1} for topic in topics}))
    out = io.StringIO()
    show_tuning(Console(file=out, width=60, highlight=False, markup=False), result, ())
    lines = out.getvalue().splitlines()
    assert all(len(line) <= 60 for line in lines)
    place = next(n for n, line in enumerate(lines) if "  default: " in line)
    assert lines[place].startswith("  1.000  ")
    assert lines[place + 1].startswith("      ")
    assert lines[place + 1][6] != " "
    assert lines[-1] == "nothing is stored"
